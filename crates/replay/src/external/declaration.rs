//! What `strategies.toml` says of a command.
//!
//! In: an `[[external]]` table and the folder that it stands in. Out: an [`External`], and the
//! description that cache keys and run headers hold. Invariants: the description holds everything
//! that the command's observations may depend on and that can be known: the command, its declared
//! version, its options, how it is read, and the hash of every file that it names; relative paths
//! are of the file's own folder, never of the caller's.

use crate::external::run::External;
use browserlens_core::strategy::{ActionChannel, TextFormat};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An `[[external]]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// Name, `family/variant`.
    pub name: String,
    /// What it is there to show.
    pub why: String,
    /// The program and its arguments. It runs in the folder of the file; a part of it that is a
    /// file there is part of the cache key.
    pub command: Vec<String>,
    /// How the reader parses its texts.
    #[serde(deserialize_with = "known_format")]
    pub format: TextFormat,
    /// How an agent acts on what it shows.
    #[serde(default = "by_ref")]
    pub channel: ActionChannel,
    /// Version of what it writes.
    #[serde(default)]
    pub version: Option<String>,
    /// Whether equal steps give equal observations, whatever the time and the machine: then results
    /// are cached.
    #[serde(default)]
    pub deterministic: bool,
    /// Further files that its observations depend on.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// A file with the text that explains its format to a model; counted once a task.
    #[serde(default)]
    pub legend: Option<PathBuf>,
    /// How long an answer may take, in milliseconds.
    #[serde(default = "ten_seconds")]
    pub timeout_ms: u64,
    /// How long the answer to the handshake may take, in milliseconds.
    #[serde(default = "thirty_seconds")]
    pub start_timeout_ms: u64,
    /// How long a line of it may be, in bytes.
    #[serde(default = "eight_mebibytes")]
    pub max_answer_bytes: usize,
    /// What the handshake hands over to it.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Lists of values for options: each combination is a strategy. Read by the caller.
    #[serde(default)]
    pub sweep: BTreeMap<String, Vec<Value>>,
}

fn known_format<'de, D: Deserializer<'de>>(from: D) -> Result<TextFormat, D::Error> {
    let format = TextFormat::deserialize(from)?;
    if crate::reader::formats().any(|known| known == format) {
        return Ok(format);
    }
    let known: Vec<String> = crate::reader::formats().map(|known| format!("{:?}", known.as_str())).collect();
    Err(serde::de::Error::custom(format!("no format {:?}; there are {}", format.as_str(), known.join(", "))))
}

fn by_ref() -> ActionChannel {
    ActionChannel::Ref
}

fn ten_seconds() -> u64 {
    10_000
}

fn thirty_seconds() -> u64 {
    30_000
}

fn eight_mebibytes() -> usize {
    8 << 20
}

/// A field of a declaration that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field {field:?}: {reason}")]
pub struct BadField {
    /// Its name.
    pub field: &'static str,
    /// Why, and what can be given.
    pub reason: String,
}

/// Longest time-out.
const DAY_MS: u64 = 86_400_000;
/// Largest limit on an answer.
const GIBIBYTE: usize = 1 << 30;

impl Declaration {
    /// Builds the strategy of a declaration in `folder`, and returns it with its description.
    ///
    /// # Errors
    /// [`BadField`] if a field has a value that cannot be, or a file that is named is not there.
    pub fn build(&self, folder: &Path) -> Result<(External, Value), BadField> {
        let bad = |field, reason: String| Err(BadField { field, reason });
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == ',';
        let is_part = |part: &str| !part.is_empty() && !part.contains(is_odd);
        if !self.name.split_once('/').is_some_and(|(family, variant)| is_part(family) && is_part(variant)) {
            let reason = format!("expected family/variant without blanks, colons and commas, found {:?}", self.name);
            return bad("name", reason);
        }
        if self.command.first().is_none_or(String::is_empty) {
            return bad(
                "command",
                "expected a program and its arguments, such as [\"python3\", \"mine.py\"]".to_owned(),
            );
        }
        for (field, value) in [("timeout_ms", self.timeout_ms), ("start_timeout_ms", self.start_timeout_ms)] {
            if !(1..=DAY_MS).contains(&value) {
                return bad(field, format!("expected milliseconds from 1 to {DAY_MS}, found {value}"));
            }
        }
        if !(1..=GIBIBYTE).contains(&self.max_answer_bytes) {
            return bad(
                "max_answer_bytes",
                format!("expected bytes from 1 to {GIBIBYTE}, found {}", self.max_answer_bytes),
            );
        }
        if self.deterministic && self.version.is_none() {
            return bad("version", "a deterministic command needs one: it is part of the cache key".to_owned());
        }
        let mut files = BTreeMap::new();
        for part in &self.command {
            // A part that is no file is an option, or a program that is found by PATH.
            if folder.join(part).is_file() {
                files.insert(part.clone(), hash_of("command", &folder.join(part))?);
            }
        }
        for file in &self.files {
            files.insert(file.display().to_string(), hash_of("files", &folder.join(file))?);
        }
        let read = |file| {
            let path = folder.join(file);
            std::fs::read_to_string(&path).map_err(|error| unreadable("legend", &path, &error))
        };
        let legend = self.legend.as_ref().map(read).transpose()?;
        let mut described = json!({
            "command": self.command,
            "format": self.format,
            "channel": self.channel,
            "deterministic": self.deterministic,
            "files": files,
            "options": self.options,
        });
        if let Some(legend) = &legend {
            described["legend"] = blake3::hash(legend.as_bytes()).to_hex().to_string().into();
        }
        Ok((External { declared: self.clone(), folder: folder.to_owned(), legend }, described))
    }
}

fn unreadable(field: &'static str, path: &Path, error: &std::io::Error) -> BadField {
    BadField { field, reason: format!("{}: cannot be read: {error}", path.display()) }
}

fn hash_of(field: &'static str, path: &Path) -> Result<String, BadField> {
    let failed = |error: std::io::Error| unreadable(field, path, &error);
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path).map_err(failed)?).map_err(failed)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(more: &str) -> Declaration {
        let text = format!(
            "name = \"mine/lister\"\nwhy = \"w\"\ncommand = [\"python3\", \"mine.py\"]\nformat = \"plain\"\n{more}"
        );
        toml::from_str(&text).expect("a declaration")
    }

    #[test]
    fn what_observations_depend_on_is_in_the_description() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("mine.py"), "print(1)").expect("written");
        std::fs::write(folder.path().join("words.txt"), "a").expect("written");
        std::fs::write(folder.path().join("legend.txt"), "l").expect("written");
        let whole = "version = \"1\"\ndeterministic = true\nfiles = [\"words.txt\"]\nlegend = \"legend.txt\"\noptions \
            = { budget = 3 }\n";
        let described = |text: &str| declared(text).build(folder.path()).expect("builds").1;
        let first = described(whole);
        assert_eq!(first["files"].as_object().expect("files").keys().collect::<Vec<_>>(), ["mine.py", "words.txt"]);
        assert_eq!(first["options"]["budget"], 3);
        assert_eq!(first, described(whole));
        for name in ["mine.py", "words.txt", "legend.txt"] {
            let before = described(whole);
            std::fs::write(folder.path().join(name), "changed").expect("written");
            assert_ne!(before, described(whole), "{name}");
        }
        assert_ne!(described(whole), described(&whole.replace("budget = 3", "budget = 4")));
        let (strategy, _) = declared(whole).build(folder.path()).expect("builds");
        use browserlens_core::strategy::Strategy;
        assert_eq!((strategy.name(), strategy.version(), strategy.legend()), ("mine/lister", "1", Some("changed")));
        assert!(strategy.is_cacheable() && !declared("").build(folder.path()).expect("builds").0.is_cacheable());
    }

    #[test]
    fn a_field_that_cannot_be_is_named_with_what_can() {
        let folder = tempfile::tempdir().expect("a folder");
        for (more, field) in [
            ("timeout_ms = 0", "timeout_ms"),
            ("start_timeout_ms = 90000000", "start_timeout_ms"),
            ("max_answer_bytes = 0", "max_answer_bytes"),
            ("deterministic = true", "version"),
            ("files = [\"gone.txt\"]", "files"),
            ("legend = \"gone.txt\"", "legend"),
        ] {
            assert_eq!(declared(more).build(folder.path()).expect_err(more).field, field);
        }
        for name in ["mine", "/x", "a b/c", "a/", "a/b:recorded"] {
            let declaration = Declaration { name: name.to_owned(), ..declared("") };
            assert_eq!(declaration.build(folder.path()).expect_err(name).field, "name");
        }
        let empty = Declaration { command: Vec::new(), ..declared("") };
        assert_eq!(empty.build(folder.path()).expect_err("no command").field, "command");
        let misspelt =
            toml::from_str::<Declaration>("name = \"a/b\"\nwhy = \"\"\ncommand = [\"x\"]\nformat = \"playwrite\"");
        assert!(misspelt.expect_err("no such format").to_string().contains("playwright-aria"));
    }
}
