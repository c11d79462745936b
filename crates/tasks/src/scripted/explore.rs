//! Explores by simple rules: fill what the goal gives a value for, act on what has most of the
//! goal's words, look again.
//!
//! What it cannot do is the point of it: it reads no prose, compares no numbers and knows no order.
//! Its success says how far a page's words alone lead, and it runs wherever there is no model.

use super::{Briefing, GaveUp, Hand};
use crate::reading::Seen;
use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Action, Target, Value};
use std::collections::BTreeSet;

/// What can be typed into.
const FIELDS: [&str; 4] = ["textbox", "searchbox", "spinbutton", "combobox"];
/// What is set, once.
const CHOICES: [&str; 4] = ["checkbox", "radio", "switch", "option"];
/// What is pressed.
const PRESSED: [&str; 7] = ["button", "link", "tab", "menuitem", "clickable", "columnheader", "treeitem"];
/// Words that say nothing of what is meant.
const STOP: [&str; 34] = [
    "the", "a", "an", "of", "to", "and", "in", "on", "at", "for", "with", "it", "is", "as", "by", "from", "that",
    "then", "this", "its", "be", "one", "page", "so", "do", "not", "only", "site", "click", "open", "press", "go",
    "or", "into",
];
/// The least share of a control's words that must stand in the goal.
const LEAST: f32 = 0.6;
/// Names that finish a form; pressed when nothing else is left.
const FINISH: [&str; 12] =
    ["submit", "save", "send", "sign", "search", "apply", "confirm", "create", "add", "place", "reserve", "continue"];

fn words(text: &str) -> Vec<String> {
    let all = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    all.filter(|word| !STOP.contains(&word.as_str())).collect()
}

/// Returns which share of a name's words stand in the goal.
fn share(name: &str, goal: &BTreeSet<String>) -> f32 {
    let own = words(name);
    if own.is_empty() || own.len() > 12 {
        return 0.0;
    }
    own.iter().filter(|word| goal.contains(*word)).count() as f32 / own.len() as f32
}

/// Returns the texts that the goal gives: in quotes, and addresses, numbers and codes.
fn values(goal: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (open, close) in [('“', '”'), ('"', '"'), ('‘', '’')] {
        let mut from = 0;
        while let Some(start) = goal[from..].find(open).map(|at| from + at + open.len_utf8()) {
            let Some(end) = goal[start..].find(close).map(|at| start + at) else { break };
            found.push((start, goal[start..end].to_owned()));
            from = end + close.len_utf8();
        }
    }
    let mut at = 0;
    for word in goal.split_inclusive(char::is_whitespace) {
        let bare = word.trim().trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '(' | ')' | '“' | '”' | '"'));
        let is_value = bare.contains('@') || bare.chars().any(|c| c.is_ascii_digit());
        if is_value && !found.iter().any(|(start, text)| (*start..start + text.len()).contains(&at)) {
            found.push((at, bare.to_owned()));
        }
        at += word.len();
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

/// Returns the value that the goal gives for a field: the nearest to the field's words.
fn value_for(field: &Seen, goal: &str, values: &[(usize, String)]) -> Option<String> {
    let lower = goal.to_lowercase();
    let near = |word: &String| lower.find(word.as_str());
    if field.name.to_lowercase().contains("mail") {
        return values.iter().find(|(_, text)| text.contains('@')).map(|(_, text)| text.clone());
    }
    let places: Vec<usize> = words(&field.name).iter().filter_map(near).collect();
    let place = *places.first()?;
    values.iter().min_by_key(|(at, _)| at.abs_diff(place)).map(|(_, text)| text.clone())
}

pub(super) async fn explore(mut hand: Hand, told: Briefing) -> Result<(), GaveUp> {
    let goal_words: BTreeSet<String> = words(&told.goal).into_iter().collect();
    let given = values(&told.goal);
    hand.open(&told).await?;
    // What was done is not done again: by role, name and what it lies in.
    let mut done: BTreeSet<(String, String)> = BTreeSet::new();
    loop {
        let seen = hand.look(None, false).await?;
        let key = |seen: &Seen| (seen.role.clone(), folded(&seen.name));
        let open = |seen: &&Seen| {
            let is_off = seen.states.iter().any(|state| state == "disabled");
            seen.reference.is_some() && !is_off && !done.contains(&key(seen))
        };
        let target = |seen: &Seen| Target::role(&seen.role, &seen.name);
        let best = |roles: &[&str], least: f32| {
            let of_role = seen.iter().filter(open).filter(|seen| roles.contains(&seen.role.as_str()));
            let scored = of_role.map(|seen| (share(&seen.name, &goal_words), seen));
            let fitting = scored.filter(|(share, _)| *share >= least);
            // The first of the best, as a reader would take it.
            fitting.rev().max_by(|(a, _), (b, _)| a.total_cmp(b))
        };
        let field = seen.iter().filter(open).filter(|seen| FIELDS.contains(&seen.role.as_str())).find_map(|seen| {
            let value = value_for(seen, &told.goal, &given)?;
            (!value.is_empty()).then_some((seen, value))
        });
        let finish = || {
            let names = |seen: &&Seen| words(&seen.name).iter().any(|word| FINISH.contains(&word.as_str()));
            seen.iter().filter(open).filter(|seen| seen.role == "button").find(names)
        };
        let (action, on) = if let Some((on, value)) = field {
            let text = Value::Literal(value);
            let action = if on.role == "combobox" {
                Action::Select { on: target(on), option: text }
            } else {
                Action::Fill { on: target(on), text }
            };
            (action, on)
        } else if let Some((_, on)) = best(&CHOICES, 1.0) {
            (Action::Check { on: target(on), checked: true }, on)
        } else if let Some((_, on)) = best(&PRESSED, LEAST) {
            (Action::Click { on: target(on) }, on)
        } else if let Some(on) = finish() {
            (Action::Click { on: target(on) }, on)
        } else {
            return Ok(());
        };
        done.insert(key(on));
        let at = super::Places { base: &told.start, files: None };
        let Some(wanted) = hand.speech.act(&action, Some(on), None, &at) else { continue };
        let answered = hand.call(wanted).await?;
        if let Some(answer) = hand.speech.asked_back(&answered.call.answer, &action, Some(on)) {
            hand.call(answer).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_from_the_goal_and_given_to_the_nearest_field() {
        let goal = "Sign “Mira Osei” up by name as mira@example.test, phone 503.";
        let given = values(goal);
        let texts: Vec<&str> = given.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["Mira Osei", "mira@example.test", "503"]);
        let field = |name: &str| Seen { name: name.to_owned(), ..Seen::default() };
        assert_eq!(value_for(&field("Email address"), goal, &given).as_deref(), Some("mira@example.test"));
        assert_eq!(value_for(&field("Phone"), goal, &given).as_deref(), Some("503"));
        assert_eq!(value_for(&field("Colour"), goal, &given), None);
    }

    #[test]
    fn a_name_counts_by_its_share_of_words_of_the_goal() {
        let goal: BTreeSet<String> = words("Add the blue lamp to the cart").into_iter().collect();
        assert!(share("Add to cart", &goal) > 0.99);
        assert!(share("Blue chair", &goal) < LEAST);
        assert!(share("", &goal) < LEAST && share("the of", &goal) < LEAST);
    }
}
