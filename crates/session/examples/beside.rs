//! Runs a scenario and, after each capture, prints what a live lens says of the page, then waits
//! for a line: so that another program can look at the very same page and compare.
//! `beside scenario.toml…`; one JSON object a line. `beside --attach ADDRESS TARGET` instead
//! attaches anew for each line that comes, to a tab of a browser that runs, and prints its first
//! observation.
//!
//! In: scenarios, and a line for each step. Out: `{"step":-1,"address":…,"target":…}` before the
//! first navigation, then
//! `{"step":0,"target":…,"kind":…,"text":…,"images":[…],"total_us":…,"browser_us":…}`. The lens is
//! attached as any other program would be.

use browserlens_core::strategy::{Observation, ObservationKind};
use browserlens_recorder::{AttachTab, BesideStep, LiveBrowser, LiveOptions, RecordOptions, record};
use browserlens_session::{Session, ToolError};
use browserlens_trace::scenario::Scenario;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

fn kind(observation: &Observation) -> &'static str {
    match observation.kind {
        ObservationKind::Full { .. } => "full",
        ObservationKind::Delta => "delta",
        ObservationKind::Answer => "answer",
    }
}

/// Attaches to a tab of a browser that runs; observations are whole.
fn attached(address: &str, target: &str) -> Result<Session, Box<dyn Error>> {
    let options = LiveOptions::default();
    let browser = LiveBrowser::attach(address, &AttachTab::Named(target.to_owned()), &options)?;
    let mut session = Session::over(browser, options)?;
    session.use_strategy("lens/delta", &Value::Null)?;
    Ok(session)
}

fn observed(session: &mut Session, step: &BesideStep) -> Result<Value, ToolError> {
    let browser = |session: &mut Session| session.browser().map(|browser| browser.waited_micros());
    if !session.browser().is_some_and(|browser| browser.show_target(&step.target)) {
        return Ok(json!({ "error": "the tab is not known" }));
    }
    let (began, waited) = (Instant::now(), browser(session));
    let observation = session.observation(false, None)?;
    let total = began.elapsed().as_micros() as u64;
    let waited = browser(session).zip(waited).map(|(after, before)| after - before);
    let images: Vec<String> = observation.images.iter().map(|image| image.base64()).collect();
    let way = session.browser().map(|browser| format!("{:?}", browser.look_way()));
    Ok(json!({
        "kind": kind(&observation), "text": observation.text, "images": images, "total_us": total,
        "browser_us": waited, "way": way,
    }))
}

/// Speaks to the other program about each step that comes, and lets the recording go on after it.
fn attend(steps: &Receiver<BesideStep>, go_on: &SyncSender<()>) -> Result<(), Box<dyn Error>> {
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout());
    let mut session: Option<Session> = None;
    let mut line = String::new();
    while let Ok(step) = steps.recv() {
        let mut said = match (&mut session, step.step) {
            (_, None) => {
                session = Some(attached(&step.address, &step.target)?);
                json!({ "address": step.address })
            }
            (Some(session), Some(_)) => match observed(session, &step) {
                Ok(said) => said,
                Err(error) => json!({ "error": error.to_string() }),
            },
            (None, Some(_)) => json!({ "error": "nothing is attached" }),
        };
        said["step"] = json!(step.step.map_or(-1, i64::from));
        said["target"] = json!(step.target);
        writeln!(out, "{said}")?;
        out.flush()?;
        line.clear();
        input.read_line(&mut line)?;
        go_on.send(())?;
    }
    Ok(())
}

/// Observes a tab for the first time, as often as a line comes.
fn attach(address: &str, target: &str) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lines() {
        line?;
        let mut session = attached(address, target)?;
        let step = BesideStep { step: None, address: address.to_owned(), target: target.to_owned() };
        writeln!(out, "{}", observed(&mut session, &step)?)?;
        out.flush()?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, address, target] = &arguments[..]
        && flag == "--attach"
    {
        return attach(address, target);
    }
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/sites");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    for path in arguments {
        let folder = tempfile::tempdir()?;
        let scenario = Scenario::load(Path::new(&path))?;
        let (to_attendant, steps) = sync_channel(1);
        let (go_on, went_on) = sync_channel(1);
        let ends = Mutex::new((to_attendant, went_on));
        let mut options = RecordOptions::new(sites.clone(), folder.path().join("a.trace"));
        options.beside = Some(Arc::new(move |step| {
            let ends = ends.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if ends.0.send(step).is_ok() {
                // An attendant that failed has said so; the recording ends by itself.
                let _ = ends.1.recv();
            }
        }));
        let recording = std::thread::spawn({
            let handle = runtime.handle().clone();
            move || handle.block_on(record(&scenario, &options)).map(drop).map_err(|error| error.to_string())
        });
        let attended = attend(&steps, &go_on);
        drop((steps, go_on));
        let recorded = recording.join().map_err(|_| "the recording panicked")?;
        writeln!(std::io::stdout(), "{}", json!({ "end": path, "error": recorded.err() }))?;
        attended?;
    }
    Ok(())
}
