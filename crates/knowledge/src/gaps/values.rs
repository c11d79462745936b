//! What is typed or chosen in an action that was inferred: the values of another recording are that
//! recording's own.
//!
//! In: the task with the gap, a step of another task that is taken over, and the same action in all
//! other tasks. Out: parameters, and the name of the target where that varies. Invariants: a value
//! is taken over only where both tasks have one goal, or where all tasks of different goals agree
//! on it; where the other goal says the value, it is what this goal says in its place; else it is a
//! placeholder, `{{value:<field>}}`.

use crate::model::{ActionDefinition, ElementTarget, Knowledge, TaskDefinition, TaskStep};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most words that are read from a goal.
const MOST_WORDS: usize = 8;
/// Parameters that say what is meant, and not how it is done.
const SAID: [&str; 4] = ["text", "url", "path", "keys"];

/// Returns the parameters of a step as this task would do it, and what its target is called.
pub(super) fn of(
    knowledge: &Knowledge,
    own: Option<&TaskDefinition>,
    step: &TaskStep,
) -> (BTreeMap<String, Value>, String) {
    let definition = step.action_id.as_ref().and_then(|id| knowledge.actions.get(id));
    let known: Vec<(&TaskDefinition, &TaskStep)> = knowledge
        .tasks
        .values()
        .filter(|task| own.is_none_or(|own| task.task_id != own.task_id))
        .flat_map(|task| task.steps.iter().map(move |step| (task, step)))
        .filter(|(_, other)| step.action_id.is_some() && other.action_id == step.action_id)
        .collect();
    let field = definition.map(called).unwrap_or_default();
    let mut parameters = step.action.parameters.clone();
    for (key, value) in &mut parameters {
        let Value::String(text) = value else { continue };
        if !SAID.contains(&key.as_str()) || key == "keys" || text.starts_with("{{") {
            continue;
        }
        let said: Vec<(&str, &str)> = known
            .iter()
            .filter_map(|(task, other)| Some((task.description.as_str(), other.action.parameters.get(key)?.as_str()?)))
            .collect();
        *text = said_by(own, &said).unwrap_or_else(|| format!("{{{{value:{field}}}}}"));
    }
    let target = definition.and_then(|action| action.target.as_ref());
    let name = match target {
        Some(target) if target.name_varies => {
            let names: Vec<(&str, &str)> =
                known.iter().filter_map(|(task, other)| Some((task.description.as_str(), name_in(other)?))).collect();
            said_by(own, &names).unwrap_or_else(|| format!("{{{{value:{}}}}}", target.role.to_lowercase()))
        }
        Some(_) => field,
        None => parameters.get("url").and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    (parameters, name)
}

fn called(action: &ActionDefinition) -> String {
    let words = action.target.as_ref().map(ElementTarget::called).filter(|words| !words.is_empty());
    words.unwrap_or(&action.action_type).to_owned()
}

/// The name in `role "name"`.
pub(super) fn name_in(step: &TaskStep) -> Option<&str> {
    let (_, name) = step.action.target.split_once(" \"")?;
    name.strip_suffix('"')
}

/// What this task would say in the place of what others, of such goals, said.
fn said_by(own: Option<&TaskDefinition>, said: &[(&str, &str)]) -> Option<String> {
    let goal = own.map(|own| own.description.as_str()).unwrap_or_default();
    // Whoever has the same goal says the same; of several, what was said most often, and last.
    let same = said.iter().filter(|(other, _)| *other == goal && !goal.is_empty()).map(|(_, text)| *text);
    if let Some(text) = most_often(same) {
        return Some(text.to_owned());
    }
    let mut carried: Vec<String> = said.iter().filter_map(|(other, text)| carried(text, other, goal)).collect();
    carried.sort();
    carried.dedup();
    if let [only] = carried.as_slice() {
        return Some(only.clone());
    }
    let goals: BTreeSet<&str> = said.iter().map(|(other, _)| *other).collect();
    let texts: BTreeSet<&str> = said.iter().map(|(_, text)| *text).collect();
    match texts.first() {
        Some(text) if texts.len() == 1 && goals.len() > 1 && carried.is_empty() => Some((*text).to_owned()),
        _ => None,
    }
}

/// What stands most often among texts; of several, the first of them in order.
pub(crate) fn most_often<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<&'t str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0))).map(|(text, _)| text)
}

/// A word, and where it stands.
type Word = (String, usize, usize);

fn words(text: &str) -> Vec<Word> {
    let is_other = |c: char| !c.is_alphanumeric();
    let (mut found, mut at) = (Vec::new(), 0);
    for part in text.split_inclusive(is_other) {
        let word = part.trim_end_matches(is_other);
        if !word.is_empty() {
            found.push((word.to_lowercase(), at, at + word.len()));
        }
        at += part.len();
    }
    found
}

/// What stands in a goal where another goal says a text: between the same two words.
fn carried(text: &str, from: &str, to: &str) -> Option<String> {
    let (value, theirs, ours) = (words(text), words(from), words(to));
    if value.is_empty() || theirs.len() < value.len() || ours.is_empty() {
        return None;
    }
    let is_here = |at: &usize| value.iter().zip(&theirs[*at..]).all(|(a, b)| a.0 == b.0);
    let begin = (0..=theirs.len() - value.len()).find(is_here)?;
    let end = begin + value.len();
    let pairs = aligned(&theirs, &ours);
    let left = match begin.checked_sub(1) {
        None => 0,
        Some(before) => pairs.iter().find(|pair| pair.0 == before)?.1 + 1,
    };
    let right = if end == theirs.len() { ours.len() } else { pairs.iter().find(|pair| pair.0 == end)?.1 };
    if left >= right || right - left > MOST_WORDS {
        return None;
    }
    to.get(ours[left].1..ours[right - 1].2).map(str::to_owned)
}

/// Pairs of equal words in order, as many as there can be.
fn aligned(one: &[Word], other: &[Word]) -> Vec<(usize, usize)> {
    let mut table = vec![vec![0_u32; other.len() + 1]; one.len() + 1];
    for a in (0..one.len()).rev() {
        for b in (0..other.len()).rev() {
            table[a][b] =
                if one[a].0 == other[b].0 { table[a + 1][b + 1] + 1 } else { table[a + 1][b].max(table[a][b + 1]) };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < one.len() && b < other.len() {
        if one[a].0 == other[b].0 && table[a][b] == table[a + 1][b + 1] + 1 {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if table[a + 1][b] >= table[a][b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAPTOP: &str =
        "Search the shop for a laptop, find the cheapest one with 16 GB of memory; the number is 503 555 0142.";
    const BUSINESS: &str = "Search the shop for a business laptop, find the cheapest one with 32 GB of memory; the \
        number is 503 555 0177.";

    #[test]
    fn what_another_goal_says_is_read_in_this_one_at_the_same_place() {
        for (text, expected) in [
            ("laptop", Some("business laptop")),
            ("16 GB", Some("32 GB")),
            ("503 555 0142", Some("503 555 0177")),
            ("Price: low to high", None),
            ("", None),
        ] {
            assert_eq!(carried(text, LAPTOP, BUSINESS).as_deref(), expected, "{text}");
        }
        assert_eq!(carried("laptop", LAPTOP, ""), None);
        assert_eq!(carried("laptop", LAPTOP, "Find the number"), None);
    }

    #[test]
    fn a_value_that_nothing_tells_is_a_placeholder() {
        let own = TaskDefinition { description: BUSINESS.to_owned(), ..TaskDefinition::default() };
        assert_eq!(said_by(Some(&own), &[(LAPTOP, "16 GB")]).as_deref(), Some("32 GB"));
        assert_eq!(said_by(Some(&own), &[(LAPTOP, "Express")]), None, "one other goal says nothing of this one");
        assert_eq!(said_by(Some(&own), &[(LAPTOP, "Express"), ("Buy", "Express")]).as_deref(), Some("Express"));
        assert_eq!(said_by(Some(&own), &[(LAPTOP, "Express"), ("Buy", "Post")]), None);
        assert_eq!(said_by(Some(&own), &[(BUSINESS, "KF16"), (LAPTOP, "BT14")]).as_deref(), Some("KF16"));
        assert_eq!(said_by(None, &[(LAPTOP, "16 GB")]), None);
    }
}
