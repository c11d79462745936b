//! What each call of a run cost, and which calls brought nothing.
//!
//! In: a [`RunRecord`], an encoding, a formula for images. Out: one [`CallCost`] a call, of which
//! [`crate::agents::RunCosts`] is the sum. Invariant: what all turns read is what was known before the first,
//! once a turn, and what each call added, once for every turn behind it.

use crate::agents::cost::{ErrorKind, OWN_WORDS};
use crate::agents::record::{Call, EndReason, RunRecord};
use browserlens_core::tokens::{Encoding, ImageFormula};
use serde::Serialize;
use serde_json::Value;

/// Words of functions that only look at a page.
const LOOKS: [&str; 14] = [
    "snapshot", "observe", "find", "search", "get", "read", "screenshot", "console", "network", "inspect", "outline",
    "expand", "is", "list",
];

/// Why a call brought nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Waste {
    /// The tool refused it.
    Refused(ErrorKind),
    /// A look whose answer was word for word that of the same look just before it.
    Repeated,
    /// An action of which the tool says that nothing changed.
    NoEffect,
}

impl Waste {
    /// Returns the words that tables and viewers show.
    pub fn words(self) -> String {
        match self {
            Self::Refused(kind) => format!("refused: {}", kind.name()),
            Self::Repeated => "repeated".to_owned(),
            Self::NoEffect => "no effect".to_owned(),
        }
    }
}

/// What one call cost. All numbers are tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCost {
    /// What the model's turn read, on the first call of the turn; 0 on the others.
    pub read: u64,
    /// The model's own words, name and arguments; assumed where they were not kept.
    pub own: u64,
    /// The answer, images included.
    pub answered: u64,
    /// Of it of images.
    pub image_tokens: u64,
    /// Turns that read the call and its answer again.
    pub turns_behind: u32,
    /// Why it brought nothing; none if it did bring something.
    pub waste: Option<Waste>,
}

impl CallCost {
    /// Returns what all later turns read because of this call.
    pub fn carried(&self) -> u64 {
        (self.own + self.answered) * u64::from(self.turns_behind)
    }
}

/// What the calls of a run cost, and what stands at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallCosts {
    /// One a call, in order.
    pub calls: Vec<CallCost>,
    /// What the last turn had been told in all.
    pub last_context: u64,
    /// What the last turn read: all it had been told, or what a tool's own loop made of it.
    pub last_read: u64,
    /// Turns that made calls.
    pub turns: u32,
    /// Whether the model read the last answer too, and stopped by itself.
    pub stopped: bool,
    /// Whether the model's own words are assumed.
    pub is_own_assumed: bool,
}

impl CallCosts {
    /// Counts the calls of a run.
    pub fn of(record: &RunRecord, encoding: Encoding, images: ImageFormula) -> Self {
        let count = |text: &str| u64::from(encoding.count(text).0);
        let header = &record.header;
        let tools = if header.tools.is_null() { 0 } else { count(&header.tools.to_string()) };
        let words_kept = record.calls.iter().any(|call| call.said.is_some())
            || record.end.as_ref().is_some_and(|end| end.said.is_some());
        let mut context = count(&header.instructions) + tools + count(&header.goal);
        let mut costs = Self {
            is_own_assumed: !words_kept && !record.calls.is_empty(),
            // A model that stopped by itself had read the last answer.
            stopped: record.end.as_ref().is_some_and(|end| matches!(end.end, EndReason::Stopped)),
            ..Self::default()
        };
        let words_own = record.calls.iter().any(|call| call.prompt.is_some());
        // Of the answer before: a loop that words its questions shows the last picture alone.
        let mut pictures = 0;
        for turn in record.calls.chunk_by(|a, b| a.turn == b.turn) {
            costs.turns += 1;
            costs.last_context = context;
            let prompt = turn.first().and_then(|call| call.prompt);
            let mut read = prompt.map_or(context, |prompt| u64::from(prompt.under(encoding)) + pictures);
            costs.last_read = read;
            for call in turn {
                let own = if words_kept {
                    call.said.as_deref().map_or(0, &count) + count(&call.name) + count(&call.arguments.to_string())
                } else {
                    OWN_WORDS
                };
                let image_tokens: u64 = call.images.iter().map(|size| u64::from(images.tokens(*size).0)).sum();
                let answered = u64::from(call.tokens.under(encoding)) + image_tokens;
                pictures = image_tokens;
                context += own + answered;
                // Until the whole is known this is the number of its own turn.
                let turns_behind = costs.turns;
                let read = std::mem::take(&mut read);
                costs.calls.push(CallCost { read, own, answered, image_tokens, turns_behind, waste: None });
            }
        }
        if costs.stopped {
            costs.last_context = context;
            if !words_own {
                costs.last_read = context;
            }
        }
        let turns = costs.turns + u32::from(costs.stopped);
        for (cost, waste) in costs.calls.iter_mut().zip(wastes(&record.calls)) {
            // What a loop of its own shows again of earlier answers is in its questions, by no call.
            cost.turns_behind = (turns - cost.turns_behind).min(if words_own { 1 } else { u32::MAX });
            cost.waste = waste;
        }
        costs
    }

    /// Returns what all turns read.
    pub fn read(&self) -> u64 {
        let calls: u64 = self.calls.iter().map(|call| call.read).sum();
        calls + if self.stopped { self.last_read } else { 0 }
    }
}

fn wastes(calls: &[Call]) -> Vec<Option<Waste>> {
    let mut earlier: Option<&Call> = None;
    calls
        .iter()
        .map(|call| {
            let looks = is_look(call);
            let repeats = looks && earlier.is_some_and(|other| is_same(other, call));
            earlier = looks.then_some(call);
            if call.is_error {
                Some(Waste::Refused(ErrorKind::of(&call.answer)))
            } else if call.answer.trim_end().ends_with("nothing changed") {
                Some(Waste::NoEffect)
            } else {
                repeats.then_some(Waste::Repeated)
            }
        })
        .collect()
}

fn is_same(a: &Call, b: &Call) -> bool {
    a.name == b.name && a.arguments == b.arguments && a.answer == b.answer && a.images == b.images
}

/// Returns whether a call only looks: one of its words says so.
pub(crate) fn is_look(call: &Call) -> bool {
    words_of(call).iter().any(|word| LOOKS.contains(&word.as_str()))
}

/// Returns the words of a call's function, in small letters; of a command line those of its
/// subcommand too.
pub(crate) fn words_of(call: &Call) -> Vec<String> {
    let command = match &call.arguments {
        Value::Object(members) => members.get("command").and_then(Value::as_str).unwrap_or_default(),
        _ => "",
    };
    // Of a command, the program and the two words behind it: what follows is the page's.
    let parts = std::iter::once(call.name.as_str()).chain(command.split_whitespace().take(3));
    let words = parts.flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}
