//! Records one scenario: `record <scenario.toml> <sites folder> <out.trace>`.

use browserlens_recorder::{Progress, RecordOptions, record};
use browserlens_trace::scenario::Scenario;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, sites, out] = arguments.as_slice() else {
        return Err("usage: record <scenario.toml> <sites folder> <out.trace>".into());
    };
    let scenario = Scenario::load(Path::new(scenario))?;
    let mut options = RecordOptions::new(sites, out);
    options.force = true;
    options.progress = Some(Arc::new(|progress: &Progress| {
        // A closed stderr is no reason to stop recording.
        let _ = writeln!(std::io::stderr(), "{progress:?}");
    }));
    let report = record(&scenario, &options).await.map_err(|error| format!("{error}\nhint: {}", error.hint()))?;
    let mut stdout = std::io::stdout();
    for step in &report.steps {
        writeln!(
            stdout,
            "step {}: {} ms, capture {} ms, {:?}",
            step.index, step.millis, step.capture_millis, step.settled
        )?;
    }
    writeln!(stdout, "{}: {} ms", report.browser, report.millis)?;
    Ok(())
}
