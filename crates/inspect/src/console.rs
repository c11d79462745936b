//! Console messages.
//!
//! In: rows of a page. Out: [`ConsoleRow`]s, equal ones folded. Invariants: the times of a page's
//! rows add up to the messages that it covers; a stack is told by its first frame in the page's own
//! code and by how many frames it has.

use crate::answer::{Answer, Cuts, json_bytes};
use crate::error::InspectError;
use crate::limits::Limits;
use crate::pages::Asked;
use crate::query::{self, ConsoleQuery, OneOrMany};
use browserlens_core::named;
use browserlens_core::page::text::{escaped, escaped_line};
use browserlens_core::strategy::{ConsoleMessage, Event, EventFilter, EventKind, PageSource, RequestParts, host_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

named! {
    /// A level, as the queries name it.
    #[derive(JsonSchema)]
    pub enum Level {
        /// Errors, uncaught exceptions, failed assertions.
        Error = "error",
        /// Warnings.
        Warn = "warn",
        /// `console.info`.
        Info = "info",
        /// `console.log` and everything that has no level of its own.
        Log = "log",
        /// `console.debug` and verbose messages of the browser.
        Debug = "debug",
    }
}

impl Level {
    /// The levels of recorded messages that count as this one; of `log` only those that no other
    /// has.
    fn recorded(self) -> &'static [&'static str] {
        match self {
            Self::Error => &["error", "exception", "assert"],
            Self::Warn => &["warning", "warn"],
            Self::Info => &["info"],
            Self::Log => &["log"],
            Self::Debug => &["debug", "verbose"],
        }
    }

    /// Returns the level of a recorded message.
    pub fn of(recorded: &str) -> Self {
        Self::ALL.into_iter().find(|level| level.recorded().contains(&recorded)).unwrap_or(Self::Log)
    }
}

/// A console message, or several equal ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleRow {
    /// Its level.
    pub level: Level,
    /// Its text: arguments joined by blanks, objects as JSON.
    pub text: String,
    /// Position in the recording; of several the first.
    pub position: u64,
    /// How often it occurs on this page, where more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// Position of the last one, where it occurs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_position: Option<u64>,
    /// Page time in milliseconds.
    pub at_ms: u64,
    /// Tab, where it is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<u32>,
    /// Script and line that said it, or the first frame of its stack in the page's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How many frames its stack has, where more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
}

/// The answer of `get_console_messages`.
pub type ConsoleAnswer = Answer<Vec<ConsoleRow>, ConsoleQuery>;

pub(crate) fn check(
    query: &ConsoleQuery,
    source: &mut dyn PageSource,
    limits: &Limits,
) -> Result<Asked<ConsoleQuery>, InspectError> {
    let default = [Level::Error.name().to_owned(), Level::Warn.name().to_owned()];
    let levels = query.log_levels.as_ref().map_or(default.as_slice(), OneOrMany::as_slice);
    let words = [Level::ALL.map(Level::name).as_slice(), &["all"]].concat();
    let mut levels = query::words("logLevels", levels, &words)?;
    // No level at all is no filter.
    if levels.is_empty() || levels.contains(&"all") {
        levels = Level::ALL.map(Level::name).to_vec();
    }
    let tab = query::tab(query.tab_id, source)?;
    let since = query::since(query.since, source)?;
    let size = query::page_size(query.page_size, limits.max_console_messages, limits)?;
    let contains = query::search("searchTerm", query.search_term.as_ref())?;
    let unfiltered =
        EventFilter { kinds: vec!["console".to_owned()], tab, parts: RequestParts::Line, ..EventFilter::default() };
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for level in Level::ALL {
        let list = if levels.contains(&level.name()) { &mut wanted } else { &mut unwanted };
        list.extend(level.recorded().iter().map(|name| (*name).to_owned()));
    }
    // What has no level of its own counts as `log`, so with `log` what is not wanted is named.
    if levels.contains(&Level::Log.name()) {
        wanted.clear();
    } else {
        unwanted.clear();
    }
    let filter =
        EventFilter { levels: wanted, without_levels: unwanted, since_ms: since, contains, ..unfiltered.clone() };
    let shown = ConsoleQuery {
        log_levels: Some(OneOrMany::Many(levels.into_iter().map(str::to_owned).collect())),
        page_size: None,
        cursor: None,
        ..query.clone()
    };
    Ok(Asked { noun: "console messages", shown, filter, unfiltered, phases: &[None], size })
}

/// Whether a message has a stack, of which the page's own frames are wanted.
pub(crate) fn has_stacks(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(&event.kind, EventKind::Console(said) if said.stack.contains('\n')))
}

/// Makes the rows of a page out of its events; `own_host` is that of the page's own code.
pub(crate) fn rows(events: &[Event], own_host: &str, limits: &Limits, cuts: &mut Cuts) -> Vec<ConsoleRow> {
    let mut rows: Vec<ConsoleRow> = Vec::new();
    let mut known: HashMap<(Level, String, Option<String>), usize> = HashMap::new();
    for event in events {
        let EventKind::Console(message) = &event.kind else { continue };
        let (source, frames) = place(message, own_host);
        let level = Level::of(&message.level);
        let key = (level, message.text.clone(), source.clone());
        let mut row = ConsoleRow {
            level,
            text: escaped(&as_json(&message.text)).into_owned(),
            position: event.position,
            times: None,
            last_position: None,
            at_ms: event.at_ms,
            tab_id: (event.tab > 0).then_some(event.tab),
            source: source.map(|source| escaped_line(&source).into_owned()),
            frames,
        };
        cuts.original_bytes += json_bytes(&row) + 1;
        if let Some(at) = known.get(&key) {
            let row = &mut rows[*at];
            *row.times.get_or_insert(1) += 1;
            row.last_position = Some(event.position);
            continue;
        }
        let at = rows.len();
        cuts.text(&mut row.text, limits.max_message_size, || format!("data[{at}].text"));
        known.insert(key, at);
        rows.push(row);
    }
    cuts.returned_bytes += rows.iter().map(|row| json_bytes(row) + 1).sum::<u64>();
    rows
}

/// Returns where a message was said, and how many frames its stack has where it has several.
fn place(message: &ConsoleMessage, host: &str) -> (Option<String>, Option<u64>) {
    let frames: Vec<&str> = message.stack.lines().filter(|frame| !frame.is_empty()).collect();
    let said = match (message.url.as_str(), message.line) {
        ("", _) => None,
        (url, 0) => Some(url.to_owned()),
        (url, line) => Some(format!("{url}:{line}")),
    };
    if frames.len() < 2 {
        return (said, None);
    }
    let own = frames.iter().find(|frame| is_own(frame, host)).or(frames.first());
    (own.map(|frame| (*frame).to_owned()).or(said), Some(frames.len() as u64))
}

/// Whether a frame is of the page's own code: of its host, and of no library.
fn is_own(frame: &str, host: &str) -> bool {
    const LIBRARIES: [&str; 6] = ["/node_modules/", "/vendor", "/lib/", "/libs/", ".min.js", "/polyfill"];
    let url = frame.rsplit_once(' ').map_or(frame, |(_, url)| url);
    host_of(url) == host && !LIBRARIES.iter().any(|library| url.contains(library))
}

/// Writes what a preview of an object leaves open as what it is: `Object` within an object is
/// `{…}`.
pub(crate) fn as_json(text: &str) -> String {
    if !text.contains(":Object") && !text.contains(":Array(") && !text.contains(",Object") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Within quoted text of a preview nothing is changed.
    let mut quoted = false;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let value = !quoted && matches!(before, ':' | ',' | '[');
        let ends = |after: &str| after.is_empty() || after.starts_with([',', '}', ']']);
        if value && rest.strip_prefix("Object").is_some_and(ends) {
            out.push_str("{…}");
            rest = &rest["Object".len()..];
            before = '}';
            continue;
        }
        if value
            && let Some((length, after)) = rest.strip_prefix("Array(").and_then(|rest| rest.split_once(')'))
            && ends(after)
            && !length.is_empty()
            && length.bytes().all(|digit| digit.is_ascii_digit())
        {
            out.push_str(&format!("[…{length}]"));
            rest = after;
            before = ']';
            continue;
        }
        if c == '"' && before != '\\' {
            quoted = !quoted;
        }
        before = if before == '\\' && c == '\\' { ' ' } else { c };
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(position: u64, level: &str, text: &str, stack: &str) -> Event {
        let message = ConsoleMessage {
            level: level.to_owned(),
            text: text.to_owned(),
            stack: stack.to_owned(),
            url: "http://a.test/x.js".to_owned(),
            line: 3,
        };
        Event { position, step: 0, tab: 0, at_ms: position, kind: EventKind::Console(message) }
    }

    #[test]
    fn equal_messages_are_folded_and_counted() {
        let events = [
            said(1, "error", "a", ""),
            said(2, "error", "b", ""),
            said(5, "error", "a", ""),
            said(6, "warning", "a", ""),
        ];
        let mut cuts = Cuts::default();
        let rows = rows(&events, "", &Limits::default(), &mut cuts);
        let seen: Vec<_> =
            rows.iter().map(|row| (row.level.name(), row.text.as_str(), row.times, row.last_position)).collect();
        assert_eq!(seen, [("error", "a", Some(2), Some(5)), ("error", "b", None, None), ("warn", "a", None, None)]);
        assert_eq!(rows.iter().map(|row| row.times.unwrap_or(1)).sum::<u64>(), 4);
        let folded = json_bytes(&rows) - 1;
        assert_eq!(cuts.returned_bytes, folded);
        assert!(cuts.original_bytes > folded + 20, "{} and {folded}", cuts.original_bytes);
    }

    #[test]
    fn a_stack_is_told_by_its_first_frame_of_the_page_s_own_code() {
        let stack = "dispatch http://cdn.test/react.js:1:2\nwrap http://a.test/vendor/x.js:4:5\nsave \
            http://a.test/app.js:9:1\nrun http://a.test/app.js:1:1";
        let rows = rows(&[said(1, "exception", "x", stack)], "a.test", &Limits::default(), &mut Cuts::default());
        assert_eq!(rows[0].source.as_deref(), Some("save http://a.test/app.js:9:1"));
        assert_eq!(rows[0].frames, Some(4));
        assert_eq!(rows[0].level, Level::Error);
    }

    #[test]
    fn objects_within_objects_are_written_as_json() {
        assert_eq!(
            as_json(r#"x {"path":"/a","body":Object,"list":Array(3)}"#),
            r#"x {"path":"/a","body":{…},"list":[…3]}"#
        );
        assert_eq!(as_json("[Object,Object,…]"), "[Object,Object,…]".replace("[Object,Object", "[{…},{…}"));
        assert_eq!(as_json(r#"{"said":"a:Object, b","o":Object}"#), r#"{"said":"a:Object, b","o":{…}}"#);
        assert_eq!(as_json("Type:Objection"), "Type:Objection");
    }

    #[test]
    fn every_recorded_level_has_a_level_and_unknown_ones_are_log() {
        for (recorded, level) in [
            ("exception", Level::Error),
            ("warning", Level::Warn),
            ("verbose", Level::Debug),
            ("table", Level::Log),
            ("", Level::Log),
        ] {
            assert_eq!(Level::of(recorded), level);
        }
    }

    #[test]
    fn a_long_message_is_cut_with_a_mark() {
        let mut cuts = Cuts::default();
        let rows = rows(&[said(1, "log", &"ä".repeat(3_000), "")], "", &Limits::default(), &mut cuts);
        assert_eq!(rows[0].text.len(), 2_048);
        assert_eq!((cuts.truncated[0].original, cuts.truncated[0].returned), (6_000, 2_048));
        assert_eq!(cuts.truncated[0].what, "data[0].text");
    }
}
