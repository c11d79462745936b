//! The checks themselves, in the order in which they are told.

use crate::args::DoctorArgs;
use crate::exit::Exit;
use browserlens_replay::{AcceptedRun, METRIC_VERSION, find_traces, strategies};
use browserlens_trace::{FORMAT_VERSION, Trace};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Room that a whole run, its report and its cache take, in bytes.
const RUN_BYTES: u64 = 1_000_000_000;
/// Room that a build from source takes, in bytes.
const BUILD_BYTES: u64 = 12_000_000_000;

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It is as it should be.
    Fine,
    /// It is not there, and some work needs it.
    Missing,
    /// It is not there or does not work, and the command needs it.
    Broken,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    /// Given where all of them are listed.
    pub name: &'static str,
    pub state: State,
    /// What was found, in words.
    pub found: String,
    /// The command that mends it, or what to do.
    pub fix: Option<String>,
    /// The exit code that it gives where it is broken.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "code")]
    pub exit: Option<Exit>,
}

fn code<S: Serializer>(exit: &Option<Exit>, serializer: S) -> Result<S::Ok, S::Error> {
    exit.map(Exit::code).serialize(serializer)
}

impl Check {
    fn fine(found: impl Into<String>) -> Self {
        Self { name: "", state: State::Fine, found: found.into(), fix: None, exit: None }
    }

    fn missing(found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: "", state: State::Missing, found: found.into(), fix: Some(fix.into()), exit: None }
    }

    fn broken(exit: Exit, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: "", state: State::Broken, found: found.into(), fix: Some(fix.into()), exit: Some(exit) }
    }
}

/// Looks at everything.
pub(super) fn all(args: &DoctorArgs) -> Vec<Check> {
    [
        ("Chromium", chromium(args)),
        ("fonts", fonts()),
        ("traces", traces(&args.traces)),
        ("strategies", strategies_file(&args.strategies_file)),
        ("accepted run", accepted(&args.accepted_dir)),
        ("disk", disk()),
        ("other tools", peers(args)),
        ("axe-core", axe(&args.tools_dir)),
        ("MCP clients", clients(&args.tools_dir)),
        ("git", program("git", &["--version"], "install git: runs are then told apart by revision")),
        ("Node, for other tools", program("node", &["--version"], "install Node 20 or later, with npm")),
        ("Python, for other tools", program("python3", &["--version"], "install Python 3.11 or later, with venv")),
    ]
    .map(|(name, check)| Check { name, ..check })
    .into()
}

#[cfg(feature = "record")]
fn chromium(args: &DoctorArgs) -> Check {
    let runtime = match crate::verbs::runtime() {
        Ok(runtime) => runtime,
        Err(failure) => return Check::broken(Exit::Browser, failure.message, "free some memory or threads"),
    };
    match runtime.block_on(browserlens_recorder::check_chrome(args.chrome.as_deref(), args.no_sandbox)) {
        Ok(found) => {
            let millis = found.took.as_millis();
            Check::fine(format!("{} at {}, started in {millis} ms", found.version, found.path.display()))
        }
        Err(error) => Check::broken(Exit::Browser, error.to_string(), error.hint()),
    }
}

#[cfg(not(feature = "record"))]
fn chromium(_: &DoctorArgs) -> Check {
    Check::fine("not looked for: this build records nothing")
}

/// Screenshots of the bundled traces were taken with DejaVu; without any font text is painted as
/// boxes.
fn fonts() -> Check {
    const INSTALL: &str = "scripts/install-chromium (the package is fonts-dejavu-core)";
    let Some(list) = output(Command::new("fc-list").args([":", "family"])) else {
        return Check::missing("cannot be listed: there is no fc-list", "install fontconfig");
    };
    let mut families: Vec<&str> = list.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    families.sort_unstable();
    families.dedup();
    if families.is_empty() {
        return Check::missing("none: text in screenshots is painted as boxes", INSTALL);
    }
    let found = format!("{} families", families.len());
    if families.iter().any(|family| family.contains("DejaVu")) {
        Check::fine(format!("{found}, DejaVu among them"))
    } else {
        let why = "without DejaVu, which the bundled traces were recorded with: a new recording has other pixels";
        Check::missing(format!("{found}, {why}"), INSTALL)
    }
}

fn traces(folder: &Path) -> Check {
    let broken = |found: String, fix: &str| Check::broken(Exit::Input, found, fix.to_owned());
    let files = match find_traces(folder) {
        Ok(files) => files,
        Err(error) => return broken(error.to_string(), error.hint()),
    };
    let mut formats: BTreeMap<i64, usize> = BTreeMap::new();
    let mut unreadable = Vec::new();
    let mut hint = "";
    for path in &files {
        match Trace::open(path) {
            Ok(trace) => *formats.entry(trace.format_version()).or_default() += 1,
            Err(error) => {
                hint = error.hint();
                unreadable.push(error.to_string());
            }
        }
    }
    let of_format = |(format, count): (&i64, &usize)| format!("{count} of format {format}");
    let readable = formats.iter().map(of_format).collect::<Vec<_>>().join(", ");
    if let Some(first) = unreadable.first() {
        return broken(format!("{} of {} cannot be read: {first}", unreadable.len(), files.len()), hint);
    }
    Check::fine(format!(
        "{} in {}: {readable} (this build reads up to {FORMAT_VERSION})",
        files.len(),
        folder.display()
    ))
}

fn strategies_file(path: &Path) -> Check {
    match strategies::load(path) {
        Ok(strategies) => Check::fine(format!("{} in {}", strategies.len(), path.display())),
        Err(error) => Check::broken(Exit::Input, error.to_string(), error.hint()),
    }
}

fn accepted(folder: &Path) -> Check {
    const ACCEPT: &str = "browserlens bench --accept --why '…'";
    match AcceptedRun::load(folder) {
        Ok(Some(run)) if run.metric_version == METRIC_VERSION => {
            Check::fine(format!("{} rows in {}", run.rows.len(), folder.display()))
        }
        Ok(Some(run)) => {
            let found =
                format!("has metrics of version {}, this build measures version {METRIC_VERSION}", run.metric_version);
            Check::broken(Exit::Input, found, ACCEPT)
        }
        Ok(None) => {
            Check::missing(format!("none in {}: `bench --check` has nothing to compare with", folder.display()), ACCEPT)
        }
        Err(error) => Check::broken(Exit::Input, error.to_string(), error.hint()),
    }
}

/// Free room where the command stands, as `df` says it.
fn disk() -> Check {
    let Some(bytes) = output(Command::new("df").args(["-Pk", "."])).as_deref().and_then(free_bytes) else {
        return Check::missing("free room is not known: df said nothing", "look yourself");
    };
    let found = format!("{:.1} GB free here", bytes as f64 / 1e9);
    if bytes < RUN_BYTES {
        Check::broken(Exit::Input, found, "make room: a run, its report and its cache take up to 1 GB")
    } else if bytes < BUILD_BYTES {
        Check::missing(
            format!("{found}: enough for runs"),
            "make room before a build from source, which takes up to 12 GB",
        )
    } else {
        Check::fine(found)
    }
}

/// Reads the fourth column of the last line: 1,024-byte blocks that are free.
fn free_bytes(df: &str) -> Option<u64> {
    df.lines().last()?.split_whitespace().nth(3)?.parse::<u64>().ok()?.checked_mul(1_024)
}

#[cfg(feature = "record")]
fn peers(args: &DoctorArgs) -> Check {
    let folder = args.tools_dir.join("peers");
    let packages = browserlens_recorder::check_peers(&folder);
    let missing: Vec<String> = packages
        .iter()
        .filter_map(|package| match package.instead.as_deref()? {
            "" => Some(package.wanted.clone()),
            other => Some(format!("{} (there is {other})", package.wanted)),
        })
        .collect();
    let found = format!("{} of {} packages in {}", packages.len() - missing.len(), packages.len(), folder.display());
    if missing.is_empty() {
        return Check::fine(found);
    }
    Check::missing(format!("{found}; `record --peers` lacks {}", missing.join(", ")), "./just peers")
}

#[cfg(not(feature = "record"))]
fn peers(_: &DoctorArgs) -> Check {
    Check::fine("not looked for: this build records nothing")
}

fn axe(tools: &Path) -> Check {
    let folder = tools.join("axe");
    match std::fs::read_to_string(folder.join("stamp")) {
        Ok(version) if folder.join("node_modules/axe-core/axe.min.js").exists() => Check::fine(version.trim()),
        _ => Check::missing("a test of the report's page needs it", "scripts/install-axe"),
    }
}

fn clients(tools: &Path) -> Check {
    let folder = tools.join("clients");
    let missing: Vec<&str> = [("node_modules", "JavaScript"), ("venv/bin/python", "Python and schemathesis")]
        .into_iter()
        .filter(|(path, _)| !folder.join(path).exists())
        .map(|(_, name)| name)
        .collect();
    if missing.is_empty() {
        return Check::fine(format!("in {}", folder.display()));
    }
    let found = format!("without {}: only the tests that speak to `serve` through them need it", missing.join(", "));
    Check::missing(found, "./just clients")
}

fn program(program: &str, args: &[&str], fix: &str) -> Check {
    match output(Command::new(program).args(args)) {
        Some(version) => Check::fine(version.lines().next().unwrap_or_default().trim().to_owned()),
        None => Check::missing(format!("there is no {program} on PATH"), fix),
    }
}

/// What a program prints; none if it is not there or fails.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_room_is_the_fourth_column() {
        let df = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 258000000 1 46000000 50% /\n";
        assert_eq!(free_bytes(df), Some(46_000_000 * 1_024));
        assert_eq!((free_bytes(""), free_bytes("a b c d\n")), (None, None));
    }
}
