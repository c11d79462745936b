//! `record --attach`: what somebody else does in a running browser, as a trace; and
//! `record --interactive`: what a person does in one that is started for it, as a scenario too.

use super::record::cancelled_by_ctrl_c;
use super::{import, key_of_user};
use crate::args::RecordArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_import::{Format, ImportOptions};
use browserlens_recorder::{FollowOptions, FollowReport, Progress, find_chrome, follow};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a browser may take until it can be attached to.
const STARTS: Duration = Duration::from_secs(60);

/// A browser with a window, which ends with this.
struct Window(Child);

impl Drop for Window {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Opens a browser for a person, records until it closes, and writes what was done as a scenario.
pub(super) fn interactive(args: &RecordArgs, url: &str) -> Ended {
    let profile = tempfile::tempdir();
    let profile = profile.map_err(|error| Failure::new(Exit::Input, &error, "let TMPDIR name a writable folder"))?;
    let chrome = find_chrome(args.chrome.as_deref())?;
    let mut command = Command::new(&chrome);
    command.args(["--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check"]);
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    if args.no_sandbox || super::is_root() {
        command.arg("--no-sandbox");
    }
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let cannot = |why: &str| {
        let hint = "it needs a display; where there is none: `record --attach` to a browser elsewhere";
        Failure::browser(format!("{}: {why}", chrome.display()), hint)
    };
    let mut window = Window(command.spawn().map_err(|error| cannot(&error.to_string()))?);
    let port = port(profile.path(), &mut window).map_err(|why| cannot(&why))?;
    output::status("do the task in the window, and close it");
    run(args, &format!("http://127.0.0.1:{port}"))?;
    drop(window);
    let folder = args.out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let options = ImportOptions { force: args.force, ..ImportOptions::new(folder) };
    import::write(Format::Trace, std::slice::from_ref(&args.out), &options)
}

/// Returns the port that a browser wrote into its profile.
fn port(profile: &Path, window: &mut Window) -> Result<u16, String> {
    let began = Instant::now();
    loop {
        let written = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        if let Some(port) = written.lines().next().and_then(|line| line.parse().ok()) {
            return Ok(port);
        }
        match window.0.try_wait() {
            Ok(None) if began.elapsed() < STARTS => std::thread::sleep(Duration::from_millis(50)),
            Ok(None) => return Err(format!("it did not start within {} s", STARTS.as_secs())),
            Ok(Some(status)) => return Err(format!("it ended at once ({status})")),
            Err(error) => return Err(error.to_string()),
        }
    }
}

pub(crate) fn run(args: &RecordArgs, url: &str) -> Ended {
    if args.out.is_dir() || args.out.file_stem().is_none() {
        let message = format!("--out: {} is a folder", args.out.display());
        return Err(Failure::usage(message, "name the file: --out agent.trace"));
    }
    let runtime = super::runtime()?;
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
            Progress::Finished { .. } => bar.add(1),
            Progress::Started { .. } => {}
        }
    }));
    let report = runtime.block_on(follow(&options))?;
    bar.finish();
    output::data(&said(&report))
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
