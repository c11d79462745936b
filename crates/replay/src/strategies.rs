//! The strategies of a run, from `traces/strategies.toml`.
//!
//! In: `[[strategy]]` tables with `name` (`family/variant`), `why`, `options` and `sweep`, and
//! `[[external]]` tables for commands of the user's own ([`crate::external`]). Out: built
//! strategies in the order of the file. Invariant: a name that no crate knows, a key that is not
//! read, an option that a strategy does not take: each is an error with file and line, and says
//! what is known.

mod sweep;

pub use sweep::SweepPoint;

use crate::external::{BadField, Declaration};
use browserlens_core::strategy::{ActionChannel, OptionsError, Strategy, TextFormat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use sweep::Member;
use toml::Spanned;

/// A strategy as configured.
pub struct ConfiguredStrategy {
    /// Name, `family/variant`.
    pub name: String,
    /// What it is there to show.
    pub why: String,
    /// Its options; an object.
    pub options: Value,
    /// The strategy.
    pub strategy: Box<dyn Strategy>,
    /// Which member of a family it is, where its entry has a sweep.
    pub sweep: Option<SweepPoint>,
}

browserlens_core::opaque_debug!(self: ConfiguredStrategy { name: self.name, options: self.options });

impl ConfiguredStrategy {
    /// Returns what a run's header says about the strategy.
    pub fn describe(&self) -> StrategyInfo {
        StrategyInfo {
            name: self.name.clone(),
            why: self.why.clone(),
            version: self.strategy.version().to_owned(),
            options: self.options.clone(),
            channel: self.strategy.channel(),
            format: self.strategy.format(),
            sweep: self.sweep.clone(),
        }
    }
}

/// What a run's header says about a strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrategyInfo {
    /// Name, `family/variant`.
    pub name: String,
    /// What it is there to show.
    pub why: String,
    /// Version of what it writes.
    pub version: String,
    /// Its options.
    pub options: serde_json::Value,
    /// How an agent acts on what is shown.
    pub channel: ActionChannel,
    /// How the text is parsed.
    pub format: TextFormat,
    /// Which member of a family it is, where its entry has a sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepPoint>,
}

/// The strategies of a run could not be built.
#[derive(Debug, thiserror::Error)]
pub enum StrategiesError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// An entry of the file cannot be.
    #[error("{}:{line}: {wrong}", .path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        wrong: Box<WrongEntry>,
    },
    /// A strategy was asked for by a name that the file does not have.
    #[error("{}: no strategy {name:?}: there are {}", .path.display(), .known.join(", "))]
    NotConfigured {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names in the file.
        known: Vec<String>,
    },
}

/// What is wrong with an entry of the file.
#[derive(Debug, thiserror::Error)]
pub enum WrongEntry {
    /// The text is no TOML of this form.
    #[error("{0}")]
    Malformed(String),
    /// No crate has a strategy of this name.
    #[error("unknown strategy {name:?}: known are {}", .known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The names that are known.
        known: Vec<&'static str>,
    },
    /// A name that stands twice.
    #[error("strategy {0:?} stands here for the second time")]
    Twice(String),
    /// An option that the strategy does not take, a field of a command's declaration that cannot be, or a wrong value.
    #[error("{of} {name:?}: {kind} {key:?}: {reason}")]
    Part {
        /// What is configured: a `strategy` or an `external` one.
        of: &'static str,
        /// Its name.
        name: String,
        /// What is wrong of it: an `option` or a `field`.
        kind: &'static str,
        /// The name of that.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
}

const WRONG_NAME: &str = "choose one of the names listed, or mend the spelling";

impl StrategiesError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check the path and its permissions",
            Self::NotConfigured { .. } => WRONG_NAME,
            Self::Entry { wrong, .. } => match &**wrong {
                WrongEntry::Malformed(_) => {
                    "each strategy is a [[strategy]] table with name, why and, if needed, options and sweep, or an \
                        [[external]] table as crates/replay/PROTOCOL.md has it"
                }
                WrongEntry::Unknown { .. } => WRONG_NAME,
                WrongEntry::Twice(_) => "give one of them another variant, such as lens/delta-2",
                WrongEntry::Part { .. } => "mend or remove it",
            },
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    /// Strategies of ours
    #[serde(default)]
    #[schemars(with = "Vec<Entry>")]
    strategy: Vec<Spanned<Entry>>,
    /// Commands that speak the protocol of crates/replay/PROTOCOL.md
    #[serde(default)]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    external: Vec<Spanned<Declaration>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Its name, `family/variant`
    #[schemars(with = "String")]
    name: Spanned<String>,
    /// Why it is measured
    why: String,
    /// What it is given, in the words of its crate
    #[serde(default)]
    options: Map<String, Value>,
    /// Values that a sweep gives an option
    #[serde(default)]
    sweep: BTreeMap<String, Vec<Value>>,
}

/// Returns the JSON Schema of a file of strategies.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(File)
}

/// An entry of either kind.
enum Either<'f> {
    Ours(&'f Entry),
    External(&'f Declaration),
}

/// Returns every name that some crate knows, in the order of the crates.
pub fn known_names() -> Vec<&'static str> {
    let mut names = browserlens_lens::names().to_vec();
    names.extend(browserlens_peers::names());
    names.extend(browserlens_peers::recorded_names());
    names.extend_from_slice(browserlens_reading::names());
    names.extend_from_slice(browserlens_snapshot::names());
    names
}

/// Loads the strategies of a file.
///
/// # Errors
/// [`StrategiesError`] naming file, line and what is known.
pub fn load(path: &Path) -> Result<Vec<ConfiguredStrategy>, StrategiesError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| StrategiesError::Unreadable { path: path.to_owned(), source })?;
    parse(&text, path)
}

/// Keeps the strategies of these names, in the order of the file.
///
/// # Errors
/// [`StrategiesError::NotConfigured`] for a name that is not among them.
pub fn select(
    all: Vec<ConfiguredStrategy>,
    names: &[String],
    path: &Path,
) -> Result<Vec<ConfiguredStrategy>, StrategiesError> {
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|strategy| strategy.name == **name)) {
        let known = all.iter().map(|strategy| strategy.name.clone()).collect();
        return Err(StrategiesError::NotConfigured { path: path.to_owned(), name: unknown.clone(), known });
    }
    Ok(all.into_iter().filter(|strategy| names.contains(&strategy.name)).collect())
}

/// Builds the strategies of a TOML text; `path` is only for messages.
///
/// # Errors
/// [`StrategiesError`] naming file, line and what is known.
pub fn parse(text: &str, path: &Path) -> Result<Vec<ConfiguredStrategy>, StrategiesError> {
    let file: File = toml::from_str(text).map_err(|error| StrategiesError::Entry {
        path: path.to_owned(),
        line: error.span().map_or(1, |span| line_at(text, span.start)),
        wrong: Box::new(WrongEntry::Malformed(error.message().to_owned())),
    })?;
    let ours = file.strategy.iter().map(|entry| (entry.span(), Either::Ours(entry.get_ref())));
    let external = file.external.iter().map(|entry| (entry.span(), Either::External(entry.get_ref())));
    let mut entries: Vec<_> = ours.chain(external).collect();
    entries.sort_by_key(|(span, _)| span.start);
    let mut built: Vec<ConfiguredStrategy> = Vec::with_capacity(entries.len());
    for (position, (span, entry)) in entries.iter().enumerate() {
        let end = entries.get(position + 1).map_or(text.len(), |(next, _)| next.start);
        let place = EntrySpan { path, text, start: span.start, end };
        for strategy in members_of(entry, &place)? {
            if built.iter().any(|known| known.name == strategy.name) {
                return Err(place.wrong("name", WrongEntry::Twice(strategy.name)));
            }
            built.push(strategy);
        }
    }
    Ok(built)
}

/// Where an entry stands.
struct EntrySpan<'t> {
    path: &'t Path,
    text: &'t str,
    start: usize,
    end: usize,
}

impl EntrySpan<'_> {
    /// Returns the line of a key of the entry, or of its beginning.
    fn line_of(&self, key: &str) -> usize {
        let at = self.offset_of(key).unwrap_or(self.start);
        line_at(self.text, at)
    }

    fn offset_of(&self, key: &str) -> Option<usize> {
        let entry = self.text.get(self.start..self.end).filter(|_| !key.is_empty())?;
        let is_key = |at: &usize| {
            let before = entry[..*at].chars().next_back();
            let after = entry[at + key.len()..].trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-') && after.starts_with('=')
        };
        entry.match_indices(key).map(|(at, _)| at).find(is_key).map(|at| self.start + at)
    }

    /// Returns an error that names the line of a key of the entry, or of its name.
    fn wrong(&self, key: &str, wrong: WrongEntry) -> StrategiesError {
        let line = self.line_of(if key.is_empty() { "name" } else { key });
        StrategiesError::Entry { path: self.path.to_owned(), line, wrong: Box::new(wrong) }
    }
}

/// Builds what an entry declares: one strategy, or a family of them where it has a sweep.
fn members_of(entry: &Either<'_>, place: &EntrySpan<'_>) -> Result<Vec<ConfiguredStrategy>, StrategiesError> {
    let (name, why, options, sweep) = match entry {
        Either::Ours(Entry { name, why, options, sweep }) => (name.get_ref(), why, options, sweep),
        Either::External(Declaration { name, why, options, sweep, .. }) => (name, why, options, sweep),
    };
    let bad = |OptionsError { option, reason }: OptionsError| {
        let (of, kind) = match entry {
            Either::Ours(_) => ("strategy", "option"),
            Either::External(_) => ("external", "field"),
        };
        place.wrong(&option, WrongEntry::Part { of, name: name.clone(), kind, key: option.clone(), reason })
    };
    let family = |name: &str| name.split(['/', '@']).next().unwrap_or_default().to_owned();
    if matches!(entry, Either::External(_)) && known_names().into_iter().any(|known| family(known) == family(name)) {
        let reason = format!("the family {:?} is the bench's own: choose another", family(name));
        return Err(bad(OptionsError { option: "name".to_owned(), reason }));
    }
    let folder = place.path.parent().unwrap_or(Path::new(""));
    let member = |Member { options, point }: Member| {
        let (strategy, options) = match entry {
            Either::Ours(_) => {
                let options = Value::Object(options);
                let unknown = || WrongEntry::Unknown { name: name.clone(), known: known_names() };
                let built = build(name, &options).ok_or_else(|| place.wrong("name", unknown()))?;
                (built.map_err(bad)?, options)
            }
            Either::External(declaration) => {
                let declaration = Declaration { options, ..(*declaration).clone() };
                let built = declaration.build(folder);
                let (strategy, described) = built
                    .map_err(|BadField { field, reason }| bad(OptionsError { option: field.to_owned(), reason }))?;
                (Box::new(strategy) as Box<dyn Strategy>, described)
            }
        };
        let name = point.as_ref().map_or_else(|| name.clone(), SweepPoint::name);
        Ok(ConfiguredStrategy { name, why: why.clone(), options, strategy, sweep: point })
    };
    sweep::members(name, options.clone(), sweep).map_err(bad)?.into_iter().map(member).collect()
}

fn build(name: &str, options: &Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    browserlens_lens::build(name, options)
        .or_else(|| browserlens_peers::build(name, options))
        .or_else(|| browserlens_snapshot::build(name, options))
        .or_else(|| browserlens_reading::build(name, options))
}

/// Returns the line of an offset, counted from 1.
fn line_at(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text, Path::new("strategies.toml")).expect_err("an error").to_string()
    }

    #[test]
    fn strategies_are_built_in_the_order_of_the_file() {
        let text = "[[strategy]]\nname = \"raw/html\"\nwhy = \"b\"\n\n[[strategy]]\nname = \"read-text/visible\"\nwhy \
            = \"a\"\n[strategy.options]\nmax_chars = 100\n";
        let built = parse(text, Path::new("s.toml")).expect("builds");
        let names: Vec<&str> = built.iter().map(|strategy| strategy.name.as_str()).collect();
        assert_eq!(names, ["raw/html", "read-text/visible"]);
        assert_eq!(built[1].options["max_chars"], 100);
        assert_eq!(built[1].describe().format, TextFormat::PLAIN);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones_with_file_and_line() {
        let message = error("# comment\n[[strategy]]\nname = \"raw/htm\"\nwhy = \"x\"\n");
        assert!(message.starts_with("strategies.toml:3: unknown strategy \"raw/htm\": known are lens/"), "{message}");
        for name in
            ["raw/html", "raw/ax-tree", "read-text/visible", "playwright-mcp@0.0.83/full", "browser-use@0.13.14/dom"]
        {
            assert!(message.contains(name), "{name} is listed in {message}");
        }
    }

    #[test]
    fn an_unknown_key_or_option_is_named_with_its_line() {
        let message = error("[[strategy]]\nname = \"raw/html\"\nwhy = \"x\"\nwy = \"y\"\n");
        assert!(message.starts_with("strategies.toml:4: unknown field `wy`"), "{message}");
        let message = error(
            "[[strategy]]\nname = \"read-text/visible\"\nwhy = \"max_char\"\n[strategy.options]\n\nmax_char = 1\n",
        );
        assert!(
            message.starts_with("strategies.toml:6: strategy \"read-text/visible\": option \"max_char\""),
            "{message}"
        );
        let message = error(
            "[[strategy]]\nname = \"read-text/visible\"\nwhy = \"\"\noptions = { max_char = 1 }\n[[strategy]]\nname = \
                \"raw/html\"\nwhy = \"\"",
        );
        assert!(message.starts_with("strategies.toml:4: "), "{message}");
    }

    #[test]
    fn a_sweep_makes_a_family_whose_members_build_with_their_values() {
        let text = "[[strategy]]\nname = \"lens/delta\"\nwhy = \"w\"\n[strategy.sweep]\nbudget = [500, \
            3000]\n[[strategy]]\nname = \"lens/delta\"\nwhy = \"whole\"\n";
        let built = parse(text, Path::new("s.toml")).expect("builds");
        let names: Vec<&str> = built.iter().map(|strategy| strategy.name.as_str()).collect();
        assert_eq!(names, ["lens/delta:budget=500", "lens/delta:budget=3000", "lens/delta"]);
        assert_eq!(built[1].options["budget"], 3000);
        let infos: Vec<StrategyInfo> = built.iter().map(ConfiguredStrategy::describe).collect();
        assert_eq!(infos[0].sweep.as_ref().map(SweepPoint::values).as_deref(), Some("budget=500"));
        let header = serde_json::to_value(&infos[2]).expect("JSON");
        assert!(header.get("sweep").is_none(), "what is not swept is written as before: {header}");
        let bad = error(&text.replace("3000", "0"));
        assert!(bad.starts_with("strategies.toml:5: strategy \"lens/delta\": option \"budget\": expected"), "{bad}");
        let bad = error(&text.replace("500, 3000", "\"few\""));
        assert!(bad.starts_with("strategies.toml:5: ") && bad.contains("a list of numbers"), "{bad}");
    }

    #[test]
    fn a_command_stands_between_the_others_and_errors_name_its_line() {
        let text = "[[strategy]]\nname = \"raw/html\"\nwhy = \"a\"\n[[external]]\nname = \"mine/x\"\nwhy = \
            \"b\"\ncommand = [\"x\"]\nformat = \"plain\"\ntimeout_ms = 5\n[external.sweep]\nlines = [1, \
            2]\n[[strategy]]\nname = \"raw/ax-tree\"\nwhy = \"c\"\n";
        let built = parse(text, Path::new("s.toml")).expect("builds");
        let names: Vec<&str> = built.iter().map(|strategy| strategy.name.as_str()).collect();
        assert_eq!(names, ["raw/html", "mine/x:lines=1", "mine/x:lines=2", "raw/ax-tree"]);
        assert_eq!(built[2].options["options"]["lines"], 2);
        assert!(!built[1].strategy.is_cacheable() && built[0].strategy.is_cacheable());
        for (from, to, expected) in [
            (
                "timeout_ms = 5",
                "timeout_ms = 0",
                "strategies.toml:9: external \"mine/x\": field \"timeout_ms\": expected",
            ),
            ("mine/x", "lens/x", "strategies.toml:5: external \"lens/x\": field \"name\": the family \"lens\" is"),
            ("mine/x", "playwright-mcp@9/full", "the family \"playwright-mcp\" is the bench's own"),
            ("[1, 2]", "[1, 1]", "strategies.toml:11: external \"mine/x\": field \"lines\": 1 stands twice"),
            ("timeout_ms", "time_out_ms", "strategies.toml:9: unknown field `time_out_ms`"),
            ("format = \"plain\"", "", "missing field `format`"),
        ] {
            let message = error(&text.replace(from, to));
            assert!(message.contains(expected), "{to}: {message}");
        }
    }

    #[test]
    fn a_name_may_stand_only_once_and_why_must_stand() {
        let twice = "[[strategy]]\nname = \"raw/html\"\nwhy = \"x\"\n[[strategy]]\nname = \"raw/html\"\nwhy = \"x\"\n";
        assert!(error(twice).starts_with("strategies.toml:5: "));
        assert!(error("[[strategy]]\nname = \"raw/html\"\n").contains("missing field `why`"));
    }

    #[test]
    fn the_bundled_file_builds_and_bears_its_names() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/strategies.toml");
        let built = load(&path).expect("the bundled strategies build");
        for strategy in &built {
            let family = strategy.sweep.as_ref().map_or(&strategy.name, |point| &point.family);
            assert_eq!(strategy.strategy.name(), family);
        }
        let asked = ["lens/delta".to_owned()];
        assert_eq!(select(built, &asked, &path).expect("is configured").len(), 1);
        let error =
            select(load(&path).expect("builds"), &["lens/detla".to_owned()], &path).expect_err("is not configured");
        assert!(error.to_string().contains("there are lens/full, "), "{error}");
    }
}
