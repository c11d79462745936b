//! What screens are for, and which flows lead over them, where that is known.
//!
//! In: a [`Knowledge`] with tasks and texts. Out: the same, with `business_functions` and
//! `user_flows` of its observed screens. Invariants: nothing is made up: a function is the goal of
//! a recorded task that did something on the screen or ended there, or the heading of a text that
//! names the screen by its URL or in quotation marks; a flow is the name of a task that leads over
//! it. Done twice it changes nothing.

use crate::extract::nodes::one_line;
use crate::extract::signature::{fold, is_indicator_text};
use crate::extract::urls::patterns_in_text;
use crate::model::{Knowledge, Provenance, ScreenDefinition, ScreenId, TaskDefinition};
use crate::quoted::quoted;
use crate::translate::ActionType;
use crate::validate::compile;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Functions and flows that a screen keeps.
const MOST: usize = 12;
/// Characters of a function.
const LONGEST: usize = 160;

/// Adds what screens are for.
pub(crate) fn fill_purposes(knowledge: &mut Knowledge) {
    let mut functions: BTreeMap<ScreenId, BTreeSet<String>> = BTreeMap::new();
    let mut flows: BTreeMap<ScreenId, BTreeSet<String>> = BTreeMap::new();
    for task in knowledge.tasks.values().filter(|task| !is_read(&task.provenance)) {
        let goal = clipped(&task.description);
        for screen in worked_on(task).into_iter().filter(|_| !goal.is_empty()) {
            functions.entry(screen.clone()).or_default().insert(goal.clone());
        }
    }
    let observed: Vec<(&ScreenDefinition, Vec<Regex>)> = knowledge
        .navigable_screens()
        .filter(|screen| !is_read(&screen.provenance) && !screen.metadata.inferred)
        .map(|screen| {
            let patterns = screen.url_patterns.iter().filter_map(|it| compile(&screen.screen_id, it).ok());
            (screen, patterns.collect())
        })
        .collect();
    for text in knowledge.screens.values().filter(|screen| is_read(&screen.provenance)) {
        let heading = clipped(&text.name);
        if heading.is_empty() || !is_heading(&heading) {
            continue;
        }
        let named: Vec<Regex> =
            patterns_in_text(&text.description).iter().filter_map(|it| compile(&text.screen_id, it).ok()).collect();
        let quoted: BTreeSet<String> = quoted(&text.description).into_iter().map(|(_, name, _)| fold(name)).collect();
        for (screen, _) in &observed {
            let is_of = text.website_id.as_str().is_empty() || text.website_id == screen.website_id;
            let by_url = || screen.example_urls.iter().any(|url| named.iter().any(|pattern| pattern.is_match(url)));
            if (is_of && quoted.contains(&fold(&screen.name))) || by_url() {
                functions.entry(screen.screen_id.clone()).or_default().insert(heading.clone());
            }
        }
    }
    for task in knowledge.tasks.values().filter(|task| is_read(&task.provenance)) {
        for step in &task.steps {
            let url = step.action.parameters.get("url").and_then(serde_json::Value::as_str);
            let url = url.unwrap_or(&step.action.target);
            for (screen, _) in observed.iter().filter(|(_, patterns)| patterns.iter().any(|it| it.is_match(url))) {
                flows.entry(screen.screen_id.clone()).or_default().insert(clipped(&task.name));
            }
        }
    }
    for (id, found) in functions {
        add(knowledge.screens.get_mut(&id).map(|screen| &mut screen.business_functions), found);
    }
    for (id, found) in flows {
        add(knowledge.screens.get_mut(&id).map(|screen| &mut screen.user_flows), found);
    }
}

fn add(known: Option<&mut Vec<String>>, found: BTreeSet<String>) {
    let Some(known) = known else { return };
    for text in found {
        if known.len() < MOST && !known.contains(&text) {
            known.push(text);
        }
    }
    known.sort();
}

/// Returns whether something was read in a text.
pub(crate) fn is_read(provenance: &[Provenance]) -> bool {
    provenance.iter().any(|source| matches!(source, Provenance::Document { .. }))
}

/// Screens on which a task filled, chose, checked, sent or moved something, and the one at its end.
/// What it only passed over is not what they are for.
fn worked_on(task: &TaskDefinition) -> BTreeSet<&ScreenId> {
    use ActionType::*;
    let kinds = [
        Input, Type, TypeSlowly, Clear, SelectDropdown, Check, Uncheck, Toggle, UploadFile, DragDrop, SendKeys,
        DoubleClick, SubmitForm, FillForm,
    ];
    let works = task.steps.iter().filter(|step| ActionType::is_one_of(&step.action.action_type, &kinds));
    let done = works.filter_map(|step| step.screen_id.as_ref());
    done.chain(task.success_criteria.screen_id.as_ref()).collect()
}

/// Headings of written guidance say what the guidance is about, not the screen.
fn is_heading(text: &str) -> bool {
    let short: String = text.chars().take(crate::validate::MAX_INDICATOR_CHARS).collect();
    is_indicator_text(&short)
}

fn clipped(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= LONGEST {
        return line;
    }
    let short: String = line.chars().take(LONGEST - 1).collect();
    let end = short.rfind(' ').unwrap_or(short.len());
    format!("{}…", short[..end].trim_end_matches([',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Document, ingest};
    use crate::model::{StepAction, SuccessCriteria, TaskStep};

    fn screen(id: &str, name: &str) -> ScreenDefinition {
        let provenance = vec![Provenance::Trace { trace_hash: "t".to_owned(), step: 0 }];
        let (website_id, name) = ("shop".into(), name.to_owned());
        ScreenDefinition { website_id, name, provenance, ..ScreenDefinition::example(id) }
    }

    #[test]
    fn functions_are_goals_of_what_was_done_there_and_headings_of_texts_that_name_it() {
        let mut knowledge = Knowledge::new("k");
        for (id, name) in [("home", "Home"), ("cart", "Your cart"), ("refunds", "Refunds"), ("done", "Thank you")] {
            knowledge.screens.insert(id.into(), screen(id, name));
        }
        let step = |on: &str, action_type: &str| TaskStep {
            action: StepAction { action_type: action_type.to_owned(), ..StepAction::default() },
            screen_id: Some(on.into()),
            ..TaskStep::default()
        };
        let task = TaskDefinition {
            task_id: "t".into(),
            name: "shop/buy".to_owned(),
            description: "Buy the  cheapest laptop".to_owned(),
            steps: vec![step("home", "click"), step("cart", "input")],
            success_criteria: SuccessCriteria { screen_id: Some("done".into()), ..SuccessCriteria::default() },
            ..TaskDefinition::default()
        };
        knowledge.tasks.insert("t".into(), task);
        let text = "# Give money back\n\nOpen https://a.test/refunds and enter the order.\n\n# Pay later\n\nOn the \
            \"Your cart\" page.\n\n\
                    # Voice protocol\n\nhttps://a.test/home\n\n# How to return things\n\n1. Go to \
                    https://a.test/refunds\n2. Click the \"Return\" button\n";
        let document =
            Document { name: "m.md".to_owned(), website_id: "shop".into(), text: text.to_owned(), content_type: None };
        ingest(&mut knowledge, &document);
        let functions = |id: &str| knowledge.screens[id].business_functions.clone();
        assert_eq!(functions("home"), Vec::<String>::new(), "it was only passed over, and guidance is no function");
        assert_eq!(functions("cart"), ["Buy the cheapest laptop", "Pay later"]);
        assert_eq!(functions("done"), ["Buy the cheapest laptop"]);
        assert_eq!(functions("refunds"), ["Give money back", "How to return things"]);
        assert_eq!(knowledge.screens["refunds"].user_flows, ["How to return things"]);
        let before = knowledge.clone();
        fill_purposes(&mut knowledge);
        assert_eq!(knowledge, before);
    }
}
