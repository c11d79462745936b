//! `ci`: what a project needs to bench its own site in its CI.
//!
//! In: the root of a repository, and how its site is started. Out: a workflow, strategies, and what
//! to do next. Invariants: nothing that is there is replaced, and nothing is written where one of
//! the files cannot be.

use crate::args::{CiInitArgs, CiVerb};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_trace::whole;
use std::path::Path;

const WORKFLOW: &str = include_str!("ci/workflow.yml");
const SERVE: &str = include_str!("ci/serve.yml");
const README: &str = include_str!("ci/README.md");
const STRATEGIES: &str = include_str!("new/few.toml");
/// What runs leave.
const IGNORED: &str = "/cache\n/gate.*\n/report-*\n/runs\n";

const RECORDED: &str = "The workflow records the scenarios on every run, so traces are not committed.";
const KEPT: &str = "The workflow replays the traces that are committed. Record again when the site changed; or start \
    the workflow by hand, which records too, and commit the traces of its artifact.";

pub(crate) fn run(CiVerb::Init(args): &CiVerb) -> Ended {
    let root = &args.folder;
    if !root.is_dir() {
        let message = format!("{} is no folder", root.display());
        return Err(Failure::usage(message, "name the root of your repository"));
    }
    let among = root.join("browserlens/scenarios/strategies.toml");
    if among.exists() {
        let message = format!("{}: strategies among scenarios, which `record` reads all", among.display());
        let hint = "move it one folder up: to browserlens/strategies.toml";
        return Err(Failure::usage(message, hint));
    }
    let is_recorded = args.record || args.serve.is_some();
    let ignored = if is_recorded { format!("{IGNORED}/traces\n") } else { IGNORED.to_owned() };
    let mut files = vec![
        (".github/workflows/browserlens.yml", workflow(args, is_recorded)),
        ("browserlens/README.md", README.replace("@KEPT@", if is_recorded { RECORDED } else { KEPT })),
        ("browserlens/.gitignore", ignored),
    ];
    // Who moved theirs there keeps it.
    if !root.join("browserlens/strategies.toml").exists() {
        files.push(("browserlens/strategies.toml", STRATEGIES.to_owned()));
    }
    if let Some((name, _)) = files.iter().find(|(name, _)| root.join(name).symlink_metadata().is_ok()) {
        let message = format!("{} exists", root.join(name).display());
        let hint = "nothing is replaced: move it away, and run this again";
        return Err(Failure::usage(message, hint));
    }
    for (name, text) in &files {
        write(&root.join(name), text)?;
    }
    if !root.join(".git").exists() {
        output::status("this is no root of a git repository: GitHub reads workflows only there");
    }
    output::status("next: browserlens/README.md says how to record a scenario and accept the first run");
    Ok(Exit::Success)
}

fn workflow(args: &CiInitArgs, is_recorded: bool) -> String {
    let serve = match (&args.serve, &args.url) {
        (Some(command), Some(url)) => SERVE.replace("@COMMAND@", &quoted(command)).replace("@URL@", &quoted(url)),
        _ => String::new(),
    };
    WORKFLOW
        .replace("@RECORD@", if is_recorded { "true" } else { "false" })
        .replace("@INSTALL@", &quoted(&args.install))
        .replace("@SERVE@\n", &serve)
}

/// A text as a value of YAML, which reads a string of JSON as it is.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = std::fs::create_dir_all(folder).and_then(|()| whole::write_new(path, text.as_bytes()));
    written.map_err(Failure::file("written", path, "name a folder that you can write to"))?;
    output::status(&format!("wrote {}", path.display()));
    Ok(())
}
