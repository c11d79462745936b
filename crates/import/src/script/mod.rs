//! Scripts of other tools, and recordings, become scenarios that our recorder runs.
//!
//! In: one script. Out: a [`Script`], and its TOML. Invariants: what is written parses as a
//! scenario; a step that cannot be said in our terms is left out and said; what is typed into a
//! field that looks secret is read from the environment, never written down.

mod browser_use;
mod devtools;
mod recording;
mod selector;
mod selenium;

use crate::error::ImportError;
use crate::plan::stem;
use browserlens_trace::scenario::Scenario;
use serde_json::Value;
use std::path::Path;
use toml::Table;

pub(crate) use browser_use::scripts as browser_use;
pub(crate) use devtools::scripts as devtools;
pub(crate) use recording::read as read_recording;
pub(crate) use selenium::scripts as selenium;

/// Turns any JSON into scenarios by each of the readers, for fuzzing.
pub(crate) fn try_all(path: &Path, file: &Value) {
    for read in [browser_use, devtools, selenium] {
        for script in read(path, file).unwrap_or_default() {
            drop(script.toml(path));
        }
    }
}

/// Largest script.
const MOST_BYTES: u64 = 64 << 20;
/// Most steps of one scenario.
const MOST_STEPS: usize = 10_000;

/// A scenario in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) goal: String,
    pub(crate) why: String,
    pub(crate) url: String,
    /// The bundled site that it begins on.
    pub(crate) site: Option<String>,
    pub(crate) start_facts: Vec<String>,
    pub(crate) viewport: Option<(u32, u32)>,
    pub(crate) steps: Vec<Table>,
    /// What could not be carried over.
    pub(crate) gaps: Vec<String>,
    secrets: u32,
}

impl Script {
    fn new(name: &str, from: &str) -> Self {
        Self {
            name: name.to_owned(),
            goal: name.to_owned(),
            why: format!("Imported from {from}; the goal is its title, and no facts are known."),
            ..Self::default()
        }
    }

    fn gap(&mut self, step: usize, what: &str, why: &str) {
        self.gaps.push(format!("step {}: {what}: {why}", step + 1));
    }

    /// Adds a step whose action has this value: a target, or a word.
    fn step(&mut self, action: &str, value: impl Into<toml::Value>) {
        self.steps.push(table([(action, value.into())]));
    }

    /// Adds a step that says one thing more.
    fn step_with(&mut self, action: &str, value: impl Into<toml::Value>, key: &str, more: impl Into<toml::Value>) {
        self.steps.push(table([(action, value.into()), (key, more.into())]));
    }

    /// Adds a step that scrolls the page, or a target.
    fn scroll(&mut self, what: impl Into<toml::Value>, x: f64, y: f64) {
        self.step_with("scroll", what, "by", vec![x, y]);
    }

    /// Adds a step that enters a text in this way: `fill` or `type`.
    fn enter(&mut self, action: &str, step: usize, target: Table, text: &str, looks_secret: bool) {
        let value: toml::Value = if looks_secret && !text.is_empty() {
            self.secrets += 1;
            let name = format!("SECRET_{}", self.secrets);
            self.gap(step, "what was typed looks secret", &format!("it is read from the environment variable {name}"));
            table([("env", name.into())]).into()
        } else {
            text.into()
        };
        self.step_with(action, target, "text", value);
    }

    /// Goes to a URL: the first one is where the scenario starts.
    fn open(&mut self, url: &str) {
        let is_first = self.url.is_empty() && self.steps.is_empty();
        let is_page = match url::Url::parse(url) {
            Ok(url) => matches!(url.scheme(), "http" | "https" | "file"),
            Err(url::ParseError::RelativeUrlWithoutBase) => !is_first,
            Err(_) => false,
        };
        if !is_page {
            self.gaps.push(format!("{url:?} is no page that can be opened"));
        } else if is_first {
            url.clone_into(&mut self.url);
        } else {
            self.step("goto", url);
        }
    }

    /// Says that something can be read after the last step.
    fn fact(&mut self, text: &str) -> bool {
        let Some(last) = self.steps.last_mut() else { return false };
        let facts = last.entry("facts").or_insert_with(|| toml::Value::Array(Vec::new()));
        if let toml::Value::Array(facts) = facts {
            facts.push(text.into());
        }
        true
    }

    /// Writes the scenario, and makes sure that it is one.
    pub(crate) fn toml(&self, path: &Path) -> Result<String, ImportError> {
        if self.url.is_empty() {
            return Err(ImportError::empty(path, "it never says on which page it begins"));
        }
        let mut head = Table::new();
        // Replay finds the scenario of a recording by this name.
        let name = stem(path, &self.name);
        for (key, text) in [("name", &name), ("goal", &self.goal), ("why", &self.why)] {
            let text = if text.trim().is_empty() { "imported" } else { text.as_str() };
            head.insert(key.to_owned(), text.into());
        }
        match &self.site {
            Some(site) => {
                let url = url::Url::parse(&self.url).ok();
                let start = url.as_ref().map_or("/", |url| &url[url::Position::BeforePath..]);
                head.insert("site".to_owned(), site.as_str().into());
                head.insert("start".to_owned(), start.into());
            }
            None => drop(head.insert("url".to_owned(), self.url.as_str().into())),
        }
        if !self.start_facts.is_empty() {
            head.insert("start_facts".to_owned(), self.start_facts.clone().into());
        }
        if let Some((width, height)) = self.viewport {
            let viewport = table([("width", i64::from(width).into()), ("height", i64::from(height).into())]);
            head.insert("viewport".to_owned(), viewport.into());
        }
        head.insert("step".to_owned(), self.steps.clone().into());
        let said = |reason: String| ImportError::malformed(path, "the scenario", reason);
        let text = toml::to_string(&head).map_err(|error| said(error.to_string()))?;
        let note = |gap: &String| format!("# Not carried over: {}\n", gap.replace(char::is_control, " "));
        let text = self.gaps.iter().map(note).collect::<String>() + &text;
        Scenario::parse(&text, path).map_err(|error| said(error.to_string()))?;
        Ok(text)
    }
}

/// Reads a JSON file of bounded size.
pub(crate) fn json_file(path: &Path) -> Result<Value, ImportError> {
    use std::io::Read;
    let file = std::fs::File::open(path).map_err(ImportError::io(path, "open the file"))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(ImportError::io(path, "read the file"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(ImportError::too_large(path, "the file", "its size", MOST_BYTES));
    }
    if bytes.first() == Some(&0x80) {
        return Err(ImportError::Pickle(path.to_owned()));
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| ImportError::malformed(path, format!("byte {}", error.valid_up_to()), "it is not UTF-8"))?;
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| ImportError::malformed(path, format!("line {}", error.line()), error.to_string()))
}

fn list<'v>(path: &Path, value: &'v Value, key: &str) -> Result<&'v Vec<Value>, ImportError> {
    let Some(list) = value[key].as_array() else {
        return Err(ImportError::malformed(path, "the file", format!("it has no list {key:?}")));
    };
    if list.len() > MOST_STEPS {
        return Err(ImportError::too_large(path, key, "its length", MOST_STEPS as u64));
    }
    Ok(list)
}

fn table<const N: usize>(entries: [(&str, toml::Value); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn side(value: &Value) -> Option<u32> {
    value.as_f64().filter(|side| (1.0..=16_384.0).contains(side)).map(|side| side as u32)
}

/// What a reader makes of a file of this text.
#[cfg(test)]
fn read_text(
    reader: fn(&Path, &Value) -> Result<Vec<Script>, ImportError>,
    text: &str,
) -> Result<Vec<Script>, ImportError> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("writes");
    reader(file.path(), &json_file(file.path())?)
}

/// The scenario that a script becomes, its TOML, and the kinds of its steps.
#[cfg(test)]
fn scenario(script: &Script) -> (Scenario, String, Vec<&'static str>) {
    let path = Path::new("script.toml");
    let toml = script.toml(path).expect("a scenario");
    let scenario = Scenario::parse(&toml, path).expect("parses");
    let kinds = scenario.steps.iter().map(|step| step.action.kind().name()).collect();
    (scenario, toml, kinds)
}
