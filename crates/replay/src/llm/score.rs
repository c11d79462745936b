//! Comparing the model's next action with the recorded one.
//!
//! In: a [`NextAction`] of the model, the recorded intent, and what is known of the handles. Out:
//! [`ElementScore`] and [`OperationScore`], integers.
//!
//! * *Element*: the handle means an acceptable node, where the map of handles is known; a point
//!   lies in the box of one; words, and handles without a map, are looked up in the text by the
//!   deterministic reader and must single out the node that the intent singles out.
//! * *Operation F1*: F1 over the sets of blank-separated tokens of operation and value. As in
//!   Mind2Web there are few operations: `fill` and `type` are one, `check` is a click, and only
//!   operations with a value (type, select, press, upload, goto, dialog) compare it.
//! * *Step success*: the element is right and the operation's F1 is 1.

use super::answer::NextAction;
use crate::reader::{Reading, find};
use browserlens_core::page::{BoxInViewport, NodeKey};
use browserlens_core::strategy::{ActionChannel, ActionKind, Intent, NodeHint};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How it was found out which element the model meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolvedBy {
    /// By the strategy's own map of handles.
    Handle,
    /// By role and name in the text.
    Words,
    /// By a point in the viewport.
    Point,
    /// Not at all: no target, or one that names nothing that is shown.
    Nothing,
}

/// Whether the model chose an acceptable element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElementScore {
    /// Whether it did.
    pub right: bool,
    /// How that was found out.
    pub by: ResolvedBy,
}

impl ElementScore {
    /// The score of a step without an answer.
    pub const NONE: Self = Self { right: false, by: ResolvedBy::Nothing };
}

/// Tokens of the operation and its value, as sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationScore {
    /// Tokens in both.
    pub shared: u32,
    /// Tokens of the model's operation.
    pub predicted: u32,
    /// Tokens of the recorded operation.
    pub expected: u32,
}

impl OperationScore {
    /// Compares two operations; none by the model shares nothing.
    pub fn of(predicted: Option<(ActionKind, &str)>, expected: (ActionKind, &str)) -> Self {
        let wanted = tokens(expected.0, expected.1);
        let said = predicted.map(|(kind, text)| tokens(kind, text)).unwrap_or_default();
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Self {
            shared: count(wanted.intersection(&said).count()),
            predicted: count(said.len()),
            expected: count(wanted.len()),
        }
    }

    /// Returns the F1: twice the shared tokens over all tokens.
    pub fn f1(self) -> f64 {
        let all = u64::from(self.predicted) + u64::from(self.expected);
        if all == 0 { 0.0 } else { 2.0 * f64::from(self.shared) / all as f64 }
    }

    /// Returns whether nothing differs.
    pub fn is_exact(self) -> bool {
        self.shared == self.expected && self.shared == self.predicted
    }
}

fn tokens(kind: ActionKind, text: &str) -> BTreeSet<String> {
    let (operation, has_value) = match kind {
        ActionKind::Fill | ActionKind::Type => ("type", true),
        ActionKind::Check => ("click", false),
        kind => {
            let has_value = matches!(
                kind,
                ActionKind::Select | ActionKind::Press | ActionKind::Upload | ActionKind::Goto | ActionKind::Dialog
            );
            (kind.name(), has_value)
        }
    };
    let value = if has_value { text } else { "" };
    std::iter::once(operation).chain(value.split_whitespace()).map(str::to_owned).collect()
}

/// What is known about a step beside the model's answer.
pub(crate) struct Step<'a> {
    pub channel: ActionChannel,
    pub intent: &'a Intent,
    /// What can be read in the shown state.
    pub reading: &'a Reading,
    /// What the handles mean, and which nodes are acceptable; none where that could not be found
    /// out.
    pub truth: Option<(&'a BTreeMap<String, NodeKey>, &'a [NodeKey])>,
    /// Where the acceptable nodes lie.
    pub targets: &'a [BoxInViewport],
}

impl Step<'_> {
    /// Scores the target of an answer.
    pub fn element(&self, answer: &NextAction) -> ElementScore {
        let Some(target) = answer.target.as_deref().map(str::trim).filter(|target| !target.is_empty()) else {
            return ElementScore::NONE;
        };
        match self.channel {
            ActionChannel::Ref => self.by_handle(target),
            ActionChannel::Point => self.by_point(target),
            ActionChannel::Selector | ActionChannel::RoleName | ActionChannel::None => self.by_words(target),
        }
    }

    fn by_handle(&self, target: &str) -> ElementScore {
        if let Some((handles, acceptable)) = self.truth.filter(|(handles, _)| !handles.is_empty()) {
            let key = handles
                .get(target)
                .or_else(|| handles.iter().find(|(handle, _)| same_handle(handle, target)).map(|(_, key)| key));
            return key.map_or(ElementScore::NONE, |key| ElementScore {
                right: acceptable.contains(key),
                by: ResolvedBy::Handle,
            });
        }
        let chosen = self
            .reading
            .nodes
            .iter()
            .position(|node| node.handle.as_deref().is_some_and(|handle| same_handle(handle, target)));
        chosen.map_or(ElementScore::NONE, |index| self.compared(index))
    }

    fn by_words(&self, target: &str) -> ElementScore {
        let Some(hint) = hint_of(target) else { return ElementScore::NONE };
        let found = find(self.reading, &hint);
        match found.choice() {
            None => ElementScore::NONE,
            // Words that fit several nodes single none out.
            Some(_) if !found.is_single() => ElementScore { right: false, by: ResolvedBy::Words },
            Some(index) => self.compared(index),
        }
    }

    /// Compares a node of the text with the one that the intent singles out.
    fn compared(&self, index: usize) -> ElementScore {
        let wanted = self.intent.node.as_ref().map(|hint| find(self.reading, hint)).unwrap_or_default();
        ElementScore { right: wanted.is_single() && wanted.choice() == Some(index), by: ResolvedBy::Words }
    }

    fn by_point(&self, target: &str) -> ElementScore {
        let bare = target.trim_matches(['(', ')', '[', ']']);
        let point = bare
            .split_once(',')
            .and_then(|(x, y)| Some((x.trim().parse::<f64>().ok()?, y.trim().parse::<f64>().ok()?)));
        let Some((x, y)) = point else { return ElementScore::NONE };
        let right = self.targets.iter().any(|target| {
            let (left, top) = (f64::from(target.x), f64::from(target.y));
            let (right, bottom) = (left + f64::from(target.width), top + f64::from(target.height));
            (left..right).contains(&x) && (top..bottom).contains(&y)
        });
        ElementScore { right, by: ResolvedBy::Point }
    }
}

/// Whether an answer means a handle: brackets, quotes, `ref=` and the `@` may be there or not.
pub(super) fn same_handle(handle: &str, answered: &str) -> bool {
    let bare = |text: &str| {
        let text =
            text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '"' | '\'' | '`'));
        let text = text.strip_prefix("ref=").unwrap_or(text);
        text.strip_prefix('@').unwrap_or(text).to_owned()
    };
    let (handle, answered) = (bare(handle), bare(answered));
    !handle.is_empty() && handle == answered
}

/// Reads `role "name" in role "name"`; text without quotes is a name.
fn hint_of(text: &str) -> Option<NodeHint> {
    let text = text.trim();
    let Some(quote) = text.find('"') else {
        return (!text.is_empty()).then(|| NodeHint { name: text.to_owned(), ..NodeHint::default() });
    };
    let mut names = serde_json::Deserializer::from_str(&text[quote..]).into_iter::<String>();
    let name = names.next()?.ok()?;
    let rest = text[quote..].get(names.byte_offset()..).unwrap_or_default().trim_start();
    let within = match rest.strip_prefix("in ") {
        Some(outer) => Some(Box::new(hint_of(outer)?)),
        None => None,
    };
    Some(NodeHint { role: text[..quote].trim().to_owned(), name, within, nth: None })
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
