//! What can go wrong with a call, what a client is told of it, and which HTTP status it is.
//!
//! In: errors of the crates that are joined here. Out: a [`ToolError`]. Invariants: each says what
//! to do next; none says again what was typed; text of a page in them forges no line and hides
//! nothing.

use crate::tools::names_of;
use browserlens_core::page::text::escaped_line;
use browserlens_core::strategy::{ActError, ActionKind, OptionsError, Ref, SourceError, StrategyError};
use browserlens_inspect::InspectError;
use browserlens_knowledge::KnowledgeError;
use browserlens_reading::ReadError;
use browserlens_snapshot::SnapshotError;
use browserlens_trace::{Mask, TraceError};

/// A call could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments are wrong.
    #[error("arguments: {0}")]
    Arguments(String),
    /// There is no such tool.
    #[error("tool {0:?} is not known")]
    UnknownTool(String),
    /// A ref that was never given.
    #[error("{reference} was never given")]
    UnknownRef {
        /// The ref.
        reference: Ref,
    },
    /// The element of a ref is not on the page.
    #[error("{reference} ({what}) is not on the page any more{}", called_so(*.now))]
    RefGone {
        /// The ref.
        reference: Ref,
        /// What it was.
        what: String,
        /// The only ref on the page that is the same in words.
        now: Option<Ref>,
    },
    /// The element of a ref cannot be acted on.
    #[error("{what} cannot be acted on: {reason}")]
    NotActionable {
        /// Ref and what it is.
        what: String,
        /// Why.
        reason: String,
    },
    /// An action that needs no element cannot be done now.
    #[error("`{tool}` was not done: {reason}")]
    NotPossible {
        /// The tool.
        tool: &'static str,
        /// Why.
        reason: String,
    },
    /// The trace has another action here.
    #[error("this trace has no such action here: {0}")]
    NotRecorded(String),
    /// What is asked for is not there.
    #[error("{message}")]
    NotThere {
        /// What is missing.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// What is asked for is not allowed.
    #[error("refused: {message}")]
    Refused {
        /// What was refused.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// The browser is gone.
    #[error("the browser is gone: {0}")]
    BrowserGone(String),
    /// There is no browser.
    #[error("{message}")]
    NoBrowser {
        /// Why.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// It took too long.
    #[error("no answer within {0} s")]
    TimedOut(u64),
    /// The client has too many calls under way.
    #[error("too many calls at once")]
    Busy,
    /// Somebody who looks on holds the session.
    #[error("somebody who watches this session holds it")]
    Held,
    /// A body that is not JSON by its header.
    #[error("the body must be application/json")]
    MediaType,
    /// There are as many clients as there may be.
    #[error("too many clients")]
    Full,
    /// A part below has no answer. [`Session::call`](crate::Session::call) says it in the words of
    /// the tools.
    #[error(transparent)]
    Part(PartError),
    /// A mistake of ours, or a source that cannot be read.
    #[error("{0}")]
    Internal(String),
}

/// Why a part that a session joins has no answer.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The pages cannot be read.
    #[error(transparent)]
    Source(SourceError),
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(TraceError),
    /// The lens cannot show the page, or has no such handle.
    #[error(transparent)]
    Strategy(StrategyError),
    /// No snapshot can be taken.
    #[error(transparent)]
    Snapshot(SnapshotError),
    /// The page's text has not what was asked for.
    #[error(transparent)]
    Read(ReadError),
    /// Console, network or DOM have not what was asked for.
    #[error(transparent)]
    Inspect(InspectError),
}

impl ToolError {
    /// Returns the next thing to try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Arguments(_) => "correct the arguments as the error says",
            Self::UnknownTool(_) => "list the tools",
            Self::UnknownRef { .. } => "use a ref of an answer, such as @e12; `find` or `observe` gives them",
            Self::RefGone { .. } => "call `observe` or `find` and take the ref of what is there now",
            Self::NotActionable { reason, .. } => hint_for(reason),
            Self::NotPossible { tool, reason } => match *tool {
                "press" => "name a key as the error says",
                "back" | "forward" => "call `navigate` with a URL",
                "wait" => "call `observe`, and wait for a text that the page will show",
                "tabs" if reason.starts_with("it is the last") => {
                    "call `navigate` to leave its page; the last tab stays"
                }
                "tabs" if reason.starts_with("it was open before") => {
                    "leave it open; `tabs` with switch goes to another"
                }
                "tabs" => "call `tabs` for what is open",
                "dialog" => "go on without: nothing is to be answered",
                "navigate" => "check the URL, then call `navigate` again",
                _ => "call `observe` for what is there now",
            },
            Self::NotRecorded(_) => "do what was recorded, or serve a live browser",
            Self::NotThere { hint, .. } | Self::Refused { hint, .. } | Self::NoBrowser { hint, .. } => hint,
            Self::BrowserGone(_) => "call `navigate` with a URL: it starts the browser again",
            Self::TimedOut(_) => "call `observe`; the page may still be busy",
            Self::Busy => "wait for the calls under way",
            Self::Held => "nothing was done; wait a while and call again",
            Self::MediaType => "send the header Content-Type: application/json",
            Self::Full => "end a session that is not needed, or raise the server's --max-clients",
            Self::Part(PartError::Snapshot(error)) => error.hint(),
            Self::Part(PartError::Read(error)) => error.hint(),
            Self::Part(PartError::Inspect(error)) => error.hint(),
            Self::Part(PartError::Trace(error)) => error.hint(),
            Self::Part(PartError::Source(_) | PartError::Strategy(_)) | Self::Internal(_) => {
                "call `observe`; if it stays, restart the server"
            }
        }
    }

    /// Says it in the words of the tools, with the arguments that the one takes: clients are told
    /// of the usual ones only.
    pub(crate) fn of_tool(self, tool: &str) -> Self {
        let error = if let Self::Part(error) = self { of_part(error) } else { self };
        match error {
            Self::Arguments(text) => Self::Arguments(format!("{text}; {tool} takes {}", names_of(tool).join(", "))),
            other => other,
        }
    }

    /// Says of a refused page that it stays, as its tab is somebody else's.
    pub(crate) fn in_a_kept_tab(self) -> Self {
        match self {
            Self::Refused { message, .. } => Self::Refused {
                message: format!("{message}; it stays in its tab, which was open before"),
                hint: "call `navigate` with a URL that is allowed, or `tabs` with open; the server's options \
                    --allow-host, --allow-private and --allow-scheme allow more",
            },
            other => other,
        }
    }

    /// Masks what is secret in what it says.
    pub(crate) fn masked(mut self, mask: &mut Mask) -> Self {
        match &mut self {
            Self::Arguments(text)
            | Self::NotRecorded(text)
            | Self::BrowserGone(text)
            | Self::Internal(text)
            | Self::RefGone { what: text, .. }
            | Self::NotPossible { reason: text, .. }
            | Self::NotThere { message: text, .. }
            | Self::Refused { message: text, .. }
            | Self::NoBrowser { message: text, .. } => mask.mask(text),
            Self::NotActionable { what, reason } => {
                mask.mask(what);
                mask.mask(reason);
            }
            Self::UnknownTool(_)
            | Self::UnknownRef { .. }
            | Self::TimedOut(_)
            | Self::Busy
            | Self::Held
            | Self::MediaType
            | Self::Part(_)
            | Self::Full => {}
        }
        self
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.class().0
    }

    /// Returns a short name of the kind, for metrics and programs.
    pub fn kind(&self) -> &'static str {
        self.class().1
    }

    fn class(&self) -> (u16, &'static str) {
        match self {
            Self::Arguments(_) => (400, "arguments"),
            Self::Refused { .. } => (403, "refused"),
            Self::UnknownTool(_) => (404, "unknown_tool"),
            Self::UnknownRef { .. } => (409, "unknown_ref"),
            Self::RefGone { .. } => (409, "ref_gone"),
            Self::NotActionable { .. } | Self::NotPossible { .. } => (409, "not_actionable"),
            Self::NotRecorded(_) => (409, "not_recorded"),
            Self::NotThere { .. } => (409, "not_there"),
            Self::MediaType => (415, "media_type"),
            Self::Busy => (429, "busy"),
            Self::Held => (429, "held"),
            Self::Full => (429, "full"),
            Self::Part(_) | Self::Internal(_) => (500, "internal"),
            Self::BrowserGone(_) => (503, "browser_gone"),
            Self::NoBrowser { .. } => (503, "no_browser"),
            Self::TimedOut(_) => (504, "timed_out"),
        }
    }

    /// Returns the message, as a client is told: on one line, what nobody sees escaped.
    pub fn message(&self) -> String {
        escaped_line(&self.to_string()).into_owned()
    }

    /// Returns message and hint, as a client is told.
    pub fn told(&self) -> String {
        format!("{}\nhint: {}", self.message(), self.hint())
    }
}

/// What to do about a reason for which an element cannot be acted on, by how the reason begins:
/// what a page says comes behind that.
const HINTS: [(&str, &str); 28] = [
    ("it is disabled", "do first what enables it, or call `wait` with its ref and state enabled"),
    (
        "it is read-only",
        "call `find` for a field that takes text, or `click` it: its value may be chosen in what that opens",
    ),
    ("its value cannot be", "call `type` with a value as the error says"),
    ("it is a slider", "call `fill` with one of its values as a number; or `press` ArrowRight or ArrowLeft on it"),
    ("its text does not say", "call `read_text` or `observe` and name words as they stand there"),
    (
        "it takes no text",
        "call `find` with role textbox and take the ref of a field; a cell may become one by a double `click`",
    ),
    ("it cannot take the focus: it stays", "`press` Enter in that field, then set this one"),
    ("it cannot take the focus", "`click` it first, then call `type` without a ref"),
    ("it takes one option", "call `select` with one option"),
    ("its option", "call `select` with another of its options; `observe` shows them"),
    (
        "it opened no list",
        "call `find` with role combobox or listbox and take the ref of the list, or `click` it and then what it opens",
    ),
    ("a radio is unchecked", "`click` another radio of its group"),
    ("it is no list", "call `find` with role combobox or listbox and take the ref of the list"),
    ("it is no checkbox", "call `find` with role checkbox, radio or switch; `click` presses anything else"),
    (
        "it is no file input",
        "call `find` for the file input, or for the button that opens the file chooser, and take its ref for `upload`",
    ),
    ("its two ends", "call `scroll` so that both can be seen, or `drag` in two parts with `by`"),
    ("the point lies outside", "give `at` from its corner; without a ref `at` is a point of the viewport"),
    ("it has no box", "`click` what opens the part of the page that it lies in, or `find` another element"),
    ("it is covered", "call `observe`: close what covers it, `click` that instead, or press `Escape` with `press`"),
    ("nothing around it scrolls", "call `scroll` without a ref, or with the ref of what lies in the part that scrolls"),
    ("it cannot be scrolled", "call `scroll` with the ref of what it lies in, or `click` what opens that"),
    ("it is not in the document", "call `find` and take the ref of what is there now"),
    ("its element is not on the page", "call `find` and take the ref of what is there now"),
    ("it took longer", "call `observe`: it may have been done all the same"),
    ("a dialog is open", "answer it with `dialog` first"),
    ("no dialog is open", "go on without: nothing is to be answered"),
    ("the point", "call `click` with `at` inside its box, or without `at`"),
    ("it is no element", "call `find` and take the ref of an element"),
];

fn called_so(now: Option<Ref>) -> String {
    now.map_or_else(String::new, |now| format!("; {now} is called so"))
}

fn hint_for(reason: &str) -> &'static str {
    // "2 of its options say …", "\"Entr\" is no key …", "/tmp/a.txt is not there".
    let counted = reason.split_once(' ').map_or("", |(_, counted)| counted);
    if counted.starts_with("of its options say") {
        let wanted = counted.split('"').nth(1).unwrap_or_default();
        let is_a_time =
            wanted.contains(['-', ':']) && !wanted.contains(|c: char| !c.is_ascii_digit() && !"-:T ".contains(c));
        if is_a_time {
            return "where it opens a calendar or a clock, `click` it, then the month, the day, the hour";
        }
        return "name one of its options as told, in another `select`; several as a list; of lists within lists A / B";
    }
    if reason.ends_with("or Control+A") {
        return "call `press` with a key named as the error says";
    }
    if reason.ends_with("is not there") {
        return "call `upload` with files that are there";
    }
    let known = HINTS.iter().find(|(start, _)| reason.starts_with(start));
    known.map_or("call `observe` for what is there now, and take another element or another tool", |(_, hint)| hint)
}

/// Returns an error and its causes in one line.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl From<PartError> for ToolError {
    fn from(error: PartError) -> Self {
        match error {
            // What ends a session is known wherever it is met.
            PartError::Source(SourceError::Gone { reason })
            | PartError::Read(ReadError::Source(SourceError::Gone { reason }))
            | PartError::Inspect(InspectError::Source(SourceError::Gone { reason })) => Self::BrowserGone(reason),
            PartError::Read(ReadError::Source(error)) | PartError::Inspect(InspectError::Source(error)) => {
                Self::Part(PartError::Source(error))
            }
            error => Self::Part(error),
        }
    }
}

macro_rules! part {
    ($($error:ident as $part:ident),*) => {$(
        impl From<$error> for ToolError {
            fn from(error: $error) -> Self {
                PartError::$part(error).into()
            }
        }
    )*};
}

part!(
    SourceError as Source,
    TraceError as Trace,
    StrategyError as Strategy,
    SnapshotError as Snapshot,
    ReadError as Read,
    InspectError as Inspect
);

/// Says in the words of the tools why a part has no answer.
fn of_part(error: PartError) -> ToolError {
    use ToolError::{Arguments, Internal, NotThere};
    match error {
        PartError::Source(SourceError::NotAvailable { what }) => NotThere {
            message: format!("{what} is not available here"),
            hint: "answer an open dialog with `dialog`, or ask for something else",
        },
        PartError::Source(error) => Internal(with_causes(&error)),
        PartError::Strategy(StrategyError::Unanswerable { reason, .. }) => {
            NotThere { message: reason, hint: "call `observe` and take a handle of its answer" }
        }
        PartError::Strategy(error) => Internal(error.to_string()),
        PartError::Trace(error) => Internal(with_causes(&error)),
        PartError::Snapshot(SnapshotError::Lens { reason }) => Internal(reason),
        PartError::Snapshot(error) => NotThere { hint: error.hint(), message: error.to_string() },
        PartError::Read(error @ (ReadError::Cache(_) | ReadError::Concepts(_))) => Internal(with_causes(&error)),
        PartError::Read(error) => NotThere { hint: error.hint(), message: error.to_string() },
        PartError::Inspect(error @ InspectError::BadField { .. }) => Arguments(error.to_string()),
        PartError::Inspect(error @ InspectError::NoMatch { .. }) => NotThere {
            message: error.to_string(),
            hint: "call `snapshot` with mode outline, and take a selector of what is there",
        },
        PartError::Inspect(InspectError::UnknownTool { name, .. }) => ToolError::UnknownTool(name),
        PartError::Inspect(error) => Internal(with_causes(&error)),
    }
}

impl From<OptionsError> for ToolError {
    fn from(error: OptionsError) -> Self {
        Self::Arguments(error.to_string())
    }
}

impl From<KnowledgeError> for ToolError {
    fn from(error: KnowledgeError) -> Self {
        Self::Internal(with_causes(&error))
    }
}

/// An action failed; `what` says on which element, if a ref was given.
pub(crate) fn act_error(error: ActError, kind: ActionKind, what: String, reference: Option<Ref>) -> ToolError {
    match (error, reference) {
        (ActError::NodeGone { .. }, Some(reference)) => ToolError::RefGone { reference, what, now: None },
        (ActError::NodeGone { .. }, None) => {
            ToolError::NotPossible { tool: tool_of(kind), reason: "its element is not on the page any more".to_owned() }
        }
        (ActError::NotActionable { reason, .. }, Some(reference)) => {
            ToolError::NotActionable { what: format!("{reference} ({what})"), reason }
        }
        (ActError::NotActionable { reason, .. }, None) => ToolError::NotPossible { tool: tool_of(kind), reason },
        (ActError::Source(error), _) => error.into(),
    }
}

/// Returns the tool that does an action.
fn tool_of(kind: ActionKind) -> &'static str {
    use ActionKind as K;
    match kind {
        K::Goto => "navigate",
        K::Click | K::DoubleClick | K::RightClick | K::Check => "click",
        K::Fill | K::Type => "type",
        K::Select => "select",
        K::Hover => "hover",
        K::Press => "press",
        K::Scroll => "scroll",
        K::Drag => "drag",
        K::Upload => "upload",
        K::Back => "back",
        K::Forward => "forward",
        K::WaitFor => "wait",
        K::SwitchTab | K::CloseTab => "tabs",
        K::Dialog => "dialog",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_hint_of_its_own_that_names_the_next_tool() {
        let hint = |reason: &str| {
            ToolError::NotActionable { what: "@e1 (button)".to_owned(), reason: reason.to_owned() }.hint()
        };
        for (reason, part) in [
            ("it is covered by <div id=\"veil\">", "close what covers it"),
            ("it is read-only", "`find`"),
            ("its value cannot be \"x\"; it takes a date as 2026-11-24", "`type` with a value as the error says"),
            ("it takes one option, not several", "`select` with one option"),
            ("its option \"Large\" is disabled", "`select` with another"),
            ("2 of its options say \"it is disabled\"; it has \"a\"", "name one of its options"),
            ("none of its options say \"2026-04-01\"; it has \"22\"", "opens a calendar or a clock"),
            ("it is no file input and opens no file chooser", "`upload`"),
            ("its two ends do not fit into the viewport together", "`scroll`"),
            (
                "\"Foo\" is no key; keys are named as in KeyboardEvent.key, such as Enter, ArrowDown or Control+A",
                "`press`",
            ),
            ("it is disabled", "`wait`"),
            ("the point lies outside of its box (20×10)", "viewport"),
            ("it opened no list of options", "`find` with role combobox or listbox"),
            ("a radio is unchecked only by checking another of its group", "`click` another radio"),
            ("it is no checkbox, radio or switch", "`click`"),
            ("something new", "`observe`"),
        ] {
            let hint = hint(reason);
            assert!(hint.contains(part), "{reason}: {hint}");
            assert!(hint.contains('`') && (hint.contains("covers") == reason.contains("covered")), "{reason}: {hint}");
        }
    }
}
