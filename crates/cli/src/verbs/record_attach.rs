//! `record --attach`: what somebody else does in a running browser, as a trace.

use super::key_of_user;
use super::recording::{cancelled_by_ctrl_c, plain_failure, runtime};
use crate::args::RecordArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_page::text::escaped_line;
use browserlens_recorder::{FollowOptions, FollowReport, Progress, follow};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(args: &RecordArgs, url: &str) -> Ended {
    if args.out.is_dir() || args.out.file_stem().is_none() {
        let message = format!("--out: {} is a folder", args.out.display());
        return Err(Failure::words(Exit::Usage, message, "with --attach name the file: --out agent.trace"));
    }
    let runtime = runtime()?;
    let bar = Arc::new(Bar::new("attached"));
    let mut options = FollowOptions::new(url, &args.out);
    options.goal.clone_from(&args.goal);
    options.force = args.force;
    options.screenshots = !args.no_screenshots;
    options.idle = args.idle.map(Duration::from_secs);
    options.redaction_key = key_of_user()?;
    options.recorded_at = Some(super::replay::now());
    options.cancel = cancelled_by_ctrl_c(&runtime);
    options.progress = Some(Arc::new({
        let bar = Arc::clone(&bar);
        move |progress: &Progress| match progress {
            Progress::Step { index, action } => {
                bar.length(u64::from(*index) + 1);
                bar.message(action);
            }
            Progress::Finished { .. } => bar.step(),
            Progress::Started { .. } => {}
        }
    }));
    let report = runtime.block_on(follow(&options)).map_err(|error| plain_failure(&error))?;
    bar.finish();
    output::data(&said(&report))?;
    Ok(Exit::Success)
}

fn said(report: &FollowReport) -> String {
    let mut line = format!(
        "{}: {} steps in {:.1} s, {}",
        report.path.display(),
        report.steps.len(),
        report.millis as f64 / 1_000.0,
        report.ended
    );
    if report.late > 0 {
        line.push_str(&format!("; {} captures were taken late", report.late));
    }
    (escaped_line(&line) + "\n").into_owned()
}
