//! Is everything here that recording needs: a Chromium that starts, and the tools that
//! `record --peers` asks?
//!
//! In: a path, a folder. Out: what was found, in words of its own. Invariants: nothing is installed
//! or changed; a Chromium that was started is gone when the answer is there; what is installed is
//! compared with the versions that this build asks, not with the latest ones.

use crate::chrome::{Chrome, ChromeOptions, find_chrome};
use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use browserlens_peers::{Packages, TOOLS, Tool};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A Chromium that started and ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChromeCheck {
    /// The program.
    pub path: PathBuf,
    /// Name and version, as it says them.
    pub version: String,
    /// How long it took until it answered.
    pub took: Duration,
}

/// Starts Chromium as a recording would, asks its version, and ends it.
///
/// # Errors
/// [`RecordError`] if there is none, it does not start, or does not answer.
pub async fn check_chrome(path: Option<&Path>, no_sandbox: bool) -> Result<ChromeCheck, RecordError> {
    let program = find_chrome(path)?;
    let started = Instant::now();
    let options = ChromeOptions { path: Some(program.clone()), no_sandbox, ..ChromeOptions::default() };
    let setup = SessionSetup { locale: "en-US".to_owned(), ..SessionSetup::default() };
    let chrome = Chrome::launch(&options, &setup).await?;
    let version = chrome.version().await;
    let took = started.elapsed();
    chrome.close().await;
    let version = version.map_err(|reason| RecordError::LaunchFailed { path: program.clone(), reason })?;
    Ok(ChromeCheck { path: program, version, took })
}

/// A package that a tool needs, and the version that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerPackage {
    /// Name and version, as they are asked for.
    pub wanted: String,
    /// What is there instead; empty if nothing is, none if it is what is wanted.
    pub instead: Option<String>,
}

/// Looks for every package of the tools below the folder that they are installed in.
pub fn check_peers(folder: &Path) -> Vec<PeerPackage> {
    let stamp = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let node = |text: &str| -> Vec<PeerPackage> {
        let known: Value = serde_json::from_str(text).unwrap_or_default();
        let package = |(name, version): (&String, &Value)| {
            let wanted = format!("{name} {}", version.as_str().unwrap_or_default());
            let found = stamp(folder.join("npm").join(name.replace('/', "+")).join("stamp"));
            PeerPackage { instead: (found != wanted).then_some(found), wanted }
        };
        known["dependencies"].as_object().into_iter().flatten().map(package).collect()
    };
    let has_python = folder.join("venv").join("bin").join("python").exists();
    let python = |text: &str| -> Vec<PeerPackage> {
        let package = |line: &str| {
            let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
            let name: String = line.chars().map(plain).collect();
            let is_there = has_python && folder.join("stamps").join(name).exists();
            PeerPackage { wanted: line.replace("==", " "), instead: (!is_there).then(String::new) }
        };
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(package).collect()
    };
    let of = |tool: &&Tool| match tool.packages {
        Packages::Npm(text) => node(text),
        Packages::Pip(text) => python(text),
    };
    TOOLS.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_apart_by_what_the_installer_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let missing = check_peers(folder.path());
        assert_eq!(missing.len(), 9, "{missing:?}");
        assert!(missing.iter().all(|package| package.instead.as_deref() == Some("")), "{missing:?}");

        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("npm/@browserbasehq+stagehand/stamp", "@browserbasehq/stagehand 3.7.3\n");
        put("npm/agent-browser/stamp", "agent-browser 0.1.0\n");
        put("stamps/browser-use--0.13.14", "");
        let found = check_peers(folder.path());
        let of = |name: &str| found.iter().find(|package| package.wanted.starts_with(name)).unwrap();
        assert!(of("@browserbasehq/stagehand").instead.is_none());
        assert_eq!(of("agent-browser").instead.as_deref(), Some("agent-browser 0.1.0"));
        assert!(of("browser-use").instead.is_some(), "the environment itself is gone");
        put("venv/bin/python", "");
        let found = check_peers(folder.path());
        assert!(found.iter().find(|package| package.wanted == "browser-use 0.13.14").unwrap().instead.is_none());
    }
}
