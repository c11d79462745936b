//! Differences that the gate lets pass, each with its reason.
//!
//! In: one TOML file of `[[tolerance]]` tables. Out: [`Tolerances`]. Invariants: without the file
//! nothing is tolerated; a table without a reason, with an unknown key or a negative number is an
//! error with file and line; what was tolerated is always said.

use super::Finding;
use crate::error::ReplayError;
use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use std::path::Path;

/// What the gate lets pass.
#[derive(Debug, Default)]
pub struct Tolerances(Vec<Tolerance>);

#[derive(Debug)]
struct Tolerance {
    what: String,
    strategy: GlobMatcher,
    scenario: GlobMatcher,
    percent: f64,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tolerance: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    what: String,
    #[serde(default = "anything")]
    strategy: String,
    #[serde(default = "anything")]
    scenario: String,
    percent: f64,
    reason: toml::Spanned<String>,
}

fn anything() -> String {
    "*".to_owned()
}

impl Tolerances {
    /// Loads the file; nothing is tolerated where there is none.
    ///
    /// # Errors
    /// [`ReplayError`] if it cannot be read, is no TOML, or a table lacks a reason.
    pub fn load(path: &Path) -> Result<Self, ReplayError> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).map_err(ReplayError::file(path, "read the tolerances"))?;
        let damaged = |reason: String| ReplayError::Damaged { path: path.to_owned(), reason };
        let file: File = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        let read = |table: Table| {
            let line = 1 + text[..table.reason.span().start.min(text.len())].matches('\n').count();
            let glob = |pattern: &str| {
                Glob::new(pattern)
                    .map(|glob| glob.compile_matcher())
                    .map_err(|error| damaged(format!("line {line}: {error}")))
            };
            if table.reason.as_ref().trim().is_empty() {
                return Err(damaged(format!("line {line}: a tolerance needs a reason")));
            }
            if !(0.0..=100.0).contains(&table.percent) {
                return Err(damaged(format!("line {line}: percent = {} is not from 0 to 100", table.percent)));
            }
            Ok(Tolerance {
                what: table.what.clone(),
                strategy: glob(&table.strategy)?,
                scenario: glob(&table.scenario)?,
                percent: table.percent,
                reason: table.reason.into_inner(),
            })
        };
        file.tolerance.into_iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Returns why a finding is let pass; none if it is not.
    pub(super) fn reason(&self, finding: &Finding) -> Option<&str> {
        let number = |text: &str| text.parse::<f64>().ok();
        let (accepted, now) = (number(&finding.accepted)?, number(&finding.now)?);
        let percent = (now - accepted).abs() / accepted.max(1.0) * 100.0;
        let lets_pass = |tolerance: &&Tolerance| {
            tolerance.what == finding.what
                && tolerance.strategy.is_match(&finding.strategy)
                && tolerance.scenario.is_match(&finding.trace)
                && percent <= tolerance.percent
        };
        self.0.iter().find(lets_pass).map(|tolerance| tolerance.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Tolerances, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tolerances.toml");
        std::fs::write(&path, text).expect("written");
        Tolerances::load(&path).map_err(|error| error.to_string())
    }

    fn finding(strategy: &str, accepted: &str, now: &str) -> Finding {
        Finding {
            trace: "shop/lamp".to_owned(),
            strategy: strategy.to_owned(),
            step: Some(1),
            what: "o200k tokens".to_owned(),
            accepted: accepted.to_owned(),
            now: now.to_owned(),
        }
    }

    #[test]
    fn only_what_is_named_is_let_pass_and_only_so_far() {
        let text = "[[tolerance]]\nwhat = \"o200k tokens\"\nstrategy = \"lens/*\"\npercent = 5\nreason = \"why\"\n";
        let tolerances = load(text).expect("loads");
        assert_eq!(tolerances.reason(&finding("lens/full", "100", "105")), Some("why"));
        assert_eq!(tolerances.reason(&finding("lens/full", "100", "106")), None);
        assert_eq!(tolerances.reason(&finding("raw/html", "100", "101")), None);
        assert_eq!(tolerances.reason(&finding("lens/full", "observed", "failed")), None);
        assert!(Tolerances::load(Path::new("no/such/file")).expect("nothing").0.is_empty());
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let table = |rest: &str| format!("[[tolerance]]\nwhat = \"calls\"\n{rest}");
        for (text, said) in [
            (table("percent = 5\nreason = \" \"\n"), "line 4: a tolerance needs a reason"),
            (table("percent = 5\n"), "missing field `reason`"),
            (table("percent = -1\nreason = \"x\"\n"), "percent = -1 is not from 0 to 100"),
            (table("percent = 1\nreason = \"x\"\nstep = 3\n"), "unknown field `step`"),
            (table("percent = 1\nreason = \"x\"\nstrategy = \"[\"\n"), "line 4"),
        ] {
            let error = load(&text).expect_err("refused");
            assert!(error.contains(said) && error.contains("tolerances.toml"), "{error}");
        }
    }
}
