//! What a reading says about states and values.
//!
//! In: a node as read, and a state in words. Out: shown right, shown wrong, or not shown. Rules:
//! tools name a state where it is on, so the absence of `checked` or `disabled` tells that it is
//! off, and any absence agrees with the negative; but a state that the format never writes
//! ([`Reading::silent`]) is not told by its absence, nor is an empty value where the format writes
//! none. Mixed is neither checked nor unchecked.

use super::node::{ReadNode, Reading};
use super::text::normalize;

impl Reading {
    /// Returns whether a node is shown in a state; none if the text does not say.
    pub fn shows_state(&self, node: &ReadNode, state: &str) -> Option<bool> {
        let (positive, wanted) = match state {
            "unchecked" => ("checked", "false"),
            "mixed" => ("checked", "mixed"),
            "collapsed" => ("expanded", "false"),
            "enabled" => ("disabled", "false"),
            "unselected" => ("selected", "false"),
            "unpressed" => ("pressed", "false"),
            "valid" => ("invalid", "false"),
            "filled" | "empty" if node.value.is_empty() && node.value_unsaid => return None,
            "filled" => return Some(!node.value.is_empty() || node.has_state("filled")),
            "empty" => return Some(node.value.is_empty() && !node.has_state("filled")),
            state => (state, "true"),
        };
        match node.states.iter().find_map(|shown| shown_value(shown, positive)) {
            Some(shown) => Some(shown == wanted),
            None if self.silent.contains(&positive) || (wanted == "mixed" && self.silent.contains(&"mixed")) => None,
            None if wanted == "false" => Some(true),
            None if matches!(positive, "checked" | "disabled") => Some(false),
            None => None,
        }
    }

    /// Returns whether a node is shown with a value; none if the text does not say.
    pub fn shows_value(&self, node: &ReadNode, value: &str) -> Option<bool> {
        if node.value.is_empty() && node.value_unsaid {
            return None;
        }
        Some(normalize(&node.value) == normalize(value))
    }
}

/// Returns `true`, `false` or `mixed` if a word shows the state.
fn shown_value(shown: &str, state: &str) -> Option<&'static str> {
    let (name, value) = shown.split_once('=').unwrap_or((shown, "true"));
    let opposite = match state {
        "checked" => "unchecked",
        "expanded" => "collapsed",
        "disabled" => "enabled",
        "selected" => "unselected",
        "pressed" => "unpressed",
        _ => "",
    };
    if name == state || (state == "focused" && name == "active") {
        return Some(match value {
            "false" => "false",
            "mixed" => "mixed",
            _ => "true",
        });
    }
    if name == opposite {
        return Some("false");
    }
    (name == "mixed" && matches!(state, "checked" | "pressed")).then_some("mixed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(states: &[&str]) -> ReadNode {
        ReadNode { states: states.iter().map(ToString::to_string).collect(), ..ReadNode::default() }
    }

    fn shows(states: &[&str], state: &str, silent: &'static [&'static str]) -> Option<bool> {
        Reading { silent, ..Reading::default() }.shows_state(&node(states), state)
    }

    #[test]
    fn a_state_is_shown_by_its_word_its_opposite_or_its_absence() {
        assert_eq!(shows(&["checked"], "checked", &[]), Some(true));
        assert_eq!(shows(&["checked=false"], "unchecked", &[]), Some(true));
        assert_eq!(shows(&["collapsed"], "expanded", &[]), Some(false));
        assert_eq!(shows(&["invalid=grammar"], "invalid", &[]), Some(true));
        assert_eq!(shows(&["active"], "focused", &[]), Some(true));
        assert_eq!(shows(&[], "disabled", &[]), Some(false));
        assert_eq!(shows(&[], "collapsed", &[]), Some(true));
        assert_eq!(shows(&[], "invalid", &[]), None);
    }

    #[test]
    fn mixed_is_neither_checked_nor_unchecked() {
        for shown in ["mixed", "checked=mixed"] {
            assert_eq!(shows(&[shown], "mixed", &[]), Some(true));
            assert_eq!(shows(&[shown], "checked", &[]), Some(false));
            assert_eq!(shows(&[shown], "unchecked", &[]), Some(false));
        }
        assert_eq!(shows(&["checked"], "mixed", &[]), Some(false));
    }

    #[test]
    fn what_the_format_never_writes_is_not_told_by_absence() {
        assert_eq!(shows(&[], "enabled", &["disabled"]), None);
        assert_eq!(shows(&[], "disabled", &["disabled"]), None);
        assert_eq!(shows(&["disabled"], "disabled", &["disabled"]), Some(true));
        assert_eq!(shows(&[], "mixed", &["mixed"]), None);
        assert_eq!(shows(&[], "unchecked", &["mixed"]), Some(true));
        let unsaid = ReadNode { value_unsaid: true, ..ReadNode::default() };
        assert_eq!(Reading::default().shows_value(&unsaid, "Admin"), None);
        assert_eq!(Reading::default().shows_value(&ReadNode::default(), ""), Some(true));
    }
}
