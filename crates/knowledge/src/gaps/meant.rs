//! Which known actions the steps of a written task mean, and what recordings do between them.
//!
//! In: a task that was read in a text, and a [`Knowledge`]. Out: the task with the action of each
//! step, where it is done and where it leads, as far as recordings show them. Invariants: a step
//! means only what was recorded on the task's website; of several actions that fit a step as well,
//! those are meant between which recordings do the least; the text's own words stay.

use crate::described::words;
use crate::model::{
    ActionDefinition, ActionId, Knowledge, ScreenDefinition, StepAction, TaskDefinition, TaskStep, WebsiteId,
};
use crate::purpose::is_read;
use crate::translate::ActionType;
use crate::validate::compile;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Least likeness of a line and a name that mean the same.
const LEAST_ALIKE: f64 = 0.5;
/// Cost of two actions that no recording connects, in steps between.
const NOT_CONNECTED: usize = 30;
/// Words that say what kind of thing is meant, not which one.
const KINDS: [&str; 13] =
    ["button", "link", "field", "form", "icon", "tab", "menu", "box", "list", "option", "your", "it", "then"];

/// What recordings of a website did: their steps, task by task.
pub(crate) struct Recorded<'k> {
    knowledge: &'k Knowledge,
    tasks: Vec<&'k [TaskStep]>,
    /// Each action, with the screens it led to.
    actions: BTreeMap<&'k ActionId, (&'k ActionDefinition, Vec<&'k ScreenDefinition>)>,
}

impl<'k> Recorded<'k> {
    /// Takes the recordings that lead over a website; all if it is empty.
    pub(crate) fn of(knowledge: &'k Knowledge, website: &WebsiteId) -> Self {
        let is_of = |task: &&TaskDefinition| {
            !is_read(&task.provenance) && (website.as_str().is_empty() || task.websites(knowledge).contains(website))
        };
        let tasks: Vec<&[TaskStep]> =
            knowledge.tasks.values().filter(is_of).map(|task| task.steps.as_slice()).collect();
        let mut actions: BTreeMap<&ActionId, (&ActionDefinition, Vec<&ScreenDefinition>)> = BTreeMap::new();
        for step in tasks.iter().copied().flatten() {
            let Some(action) = step.action_id.as_ref().and_then(|id| knowledge.actions.get(id)) else { continue };
            let led = step.expected_screen_id.as_ref().and_then(|id| knowledge.screens.get(id));
            actions.entry(&action.action_id).or_insert((action, Vec::new())).1.extend(led);
        }
        Self { knowledge, tasks, actions }
    }

    /// Returns the task with what its steps mean.
    pub(super) fn meant_by(&self, task: &TaskDefinition) -> TaskDefinition {
        let meant: Vec<Vec<&ActionId>> = task.steps.iter().map(|step| self.fitting(step)).collect();
        let mut task = task.clone();
        let at: Vec<usize> = (0..meant.len()).filter(|at| !meant[*at].is_empty()).collect();
        // The cheapest way to each candidate of the step before, and the candidates on it.
        let mut ways: Vec<(usize, Vec<&ActionId>)> = Vec::new();
        for (nth, position) in at.iter().enumerate() {
            let next = meant[*position].iter().map(|id| {
                let through = ways.iter().map(|(cost, way)| (cost + self.cost(way[nth - 1], id), way));
                let (cost, way) = through.min().map_or((0, Vec::new()), |(cost, way)| (cost, way.clone()));
                (cost, [way.as_slice(), &[*id]].concat())
            });
            ways = next.collect();
        }
        let Some((_, way)) = ways.into_iter().min() else { return task };
        for (nth, (position, id)) in at.iter().zip(&way).enumerate() {
            let (action, led) = &self.actions[id];
            let next = way.get(nth + 1).and_then(|id| self.actions[id].0.screen_id());
            let to = led.iter().find(|screen| Some(&screen.screen_id) == next).or(led.first());
            let step = &mut task.steps[*position];
            step.action_id = Some((*id).clone());
            step.screen_id = action.screen_id().cloned();
            step.expected_screen_id = to.map(|screen| screen.screen_id.clone());
        }
        task
    }

    /// Returns how many steps recordings do at least between two actions; none where no recording
    /// does both in this order. What the page needs nobody to do is not counted: fields that are
    /// optional or that it fills itself, scrolling and waiting.
    pub(super) fn between(&self, from: &ActionId, to: &ActionId) -> Option<usize> {
        let counts = self.tasks.iter().flat_map(|steps| {
            let begins = steps.iter().enumerate().filter(|(_, step)| step.action_id.as_ref() == Some(from));
            begins.filter_map(|(begin, _)| {
                let after = &steps[begin + 1..];
                let end = after.iter().position(|step| step.action_id.as_ref() == Some(to))?;
                Some(after[..end].iter().filter(|step| is_needed(self.knowledge, step)).count())
            })
        });
        counts.min()
    }

    fn cost(&self, from: &ActionId, to: &ActionId) -> usize {
        let follows = || {
            let done_on = self.actions[to].0.screen_id();
            self.actions[from].1.iter().any(|screen| Some(&screen.screen_id) == done_on)
        };
        self.between(from, to).unwrap_or_else(|| if follows() { 1 } else { NOT_CONNECTED })
    }

    /// The actions that fit a step best.
    fn fitting(&self, step: &TaskStep) -> Vec<&'k ActionId> {
        let mut best = (LEAST_ALIKE, Vec::new());
        for (id, (action, led)) in &self.actions {
            let alike = self.alike(step, action, led);
            if alike > best.0 {
                best = (alike, Vec::new());
            }
            if alike >= best.0 {
                best.1.push(*id);
            }
        }
        best.1
    }

    /// How well an action fits a written step, from 0 to 1.
    fn alike(&self, step: &TaskStep, action: &ActionDefinition, led: &[&ScreenDefinition]) -> f64 {
        let (said, done) = (step.action.action_type.as_str(), action.action_type.as_str());
        let kind = ActionType::parse(said).ok();
        let opens = kind == Some(ActionType::Navigate);
        let is = |fits: bool| f64::from(u8::from(fits));
        let mut elsewhere = led.iter().filter(|screen| action.screen_id() != Some(&screen.screen_id)).peekable();
        if let Some(url) = step.action.parameters.get("url").and_then(Value::as_str) {
            return is(opens && elsewhere.any(|screen| is_at(screen, url)));
        }
        let both = |is: fn(&str) -> bool| is(said) && is(done);
        let is_kind = if opens {
            elsewhere.peek().is_some()
        } else {
            said.is_empty() || said == done || both(is_press) || both(is_typing)
        };
        let target = step.action.target.as_str();
        if !is_kind {
            return 0.0;
        }
        if !target.is_empty() {
            return is(names(action).any(|name| name.eq_ignore_ascii_case(target) || called(name) == called(target)));
        }
        if kind == Some(ActionType::SubmitForm) {
            let screens = action.screen_ids.iter().filter_map(|id| self.knowledge.screens.get(id));
            let mut submits = screens.flat_map(|screen| &screen.forms).filter_map(|form| form.submit.as_deref());
            return is(submits.any(|submit| names(action).any(|name| name == submit)));
        }
        let screens = elsewhere.filter(|_| opens).map(|screen| screen.name.as_str());
        names(action).chain(screens).map(|name| line_alike(&step.description, name)).fold(0.0, f64::max)
    }

    /// Returns what a line says to do that begins with no verb that is known, where it names
    /// something that was pressed: `Confirm the order` where there is a button "Place order".
    pub(crate) fn pressed_by(&self, line: &str) -> Option<StepAction> {
        let step = TaskStep { description: line.to_owned(), ..TaskStep::default() };
        let fitting = self.fitting(&step);
        let action = fitting.iter().map(|id| self.actions[*id].0).find(|action| is_press(&action.action_type))?;
        let target = names(action).next()?.to_owned();
        Some(StepAction { action_type: action.action_type.clone(), target, ..StepAction::default() })
    }
}

/// Returns the neighbouring steps of a task, with the position of the second one. What a text says
/// between them without saying what is done is passed over: waiting, looking, "fill in the form".
pub(super) fn neighbours(task: &TaskDefinition) -> impl Iterator<Item = (usize, &TaskStep, &TaskStep)> {
    use ActionType as A;
    let is_done = |step: &TaskStep| {
        let is = |kinds: &[A]| A::is_one_of(&step.action.action_type, kinds);
        let is_vague = || step.action.target.is_empty() && is(&[A::Input, A::FillForm]);
        let is_look = || is(&[A::Wait, A::WaitFor, A::Screenshot, A::Extract]);
        step.action_id.is_some() || !is_read(step.provenance.as_slice()) || !(is_vague() || is_look())
    };
    let done: Vec<(usize, &TaskStep)> = task.steps.iter().enumerate().filter(|(_, step)| is_done(step)).collect();
    (1..done.len()).map(move |at| (done[at].0, done[at - 1].1, done[at].1))
}

fn is_needed(knowledge: &Knowledge, step: &TaskStep) -> bool {
    use ActionType as A;
    if A::is_one_of(&step.action.action_type, &[A::Wait, A::WaitFor, A::Scroll, A::ScrollToElement, A::Screenshot]) {
        return false;
    }
    let stays = step.screen_id.is_some() && step.screen_id == step.expected_screen_id;
    let screen = step.screen_id.as_ref().filter(|_| stays).and_then(|id| knowledge.screens.get(id));
    let action = step.action_id.as_ref().and_then(|id| knowledge.actions.get(id));
    let Some((screen, target)) = screen.zip(action.and_then(|action| action.target.as_ref())) else { return true };
    let mut fields = screen.forms.iter().flat_map(|form| &form.fields);
    let field = fields.find(|field| field.role.eq_ignore_ascii_case(&target.role) && target.is_called(&field.name));
    field.is_none_or(|field| field.required && !field.prefilled)
}

/// What an action is called: its element, and of a list what is chosen.
fn names(action: &ActionDefinition) -> impl Iterator<Item = &str> {
    let target = action.target.iter().flat_map(|target| [&target.name, &target.text]);
    let chosen = action.parameters.get("text").and_then(Value::as_str).filter(|_| is_press(&action.action_type));
    target.map(String::as_str).chain(chosen).filter(|name| !name.is_empty())
}

fn is_press(action_type: &str) -> bool {
    use ActionType as A;
    A::is_one_of(action_type, &[A::Click, A::Check, A::Uncheck, A::Toggle, A::SubmitForm, A::SelectDropdown])
}

fn is_typing(action_type: &str) -> bool {
    ActionType::is_one_of(action_type, &[ActionType::Input, ActionType::Type, ActionType::TypeSlowly])
}

/// Returns whether a URL is one of a screen.
fn is_at(screen: &ScreenDefinition, url: &str) -> bool {
    let mut patterns = screen.url_patterns.iter().filter_map(|pattern| compile(&screen.screen_id, pattern).ok());
    patterns.any(|pattern| pattern.is_match(url))
}

/// The words of a name, without counts such as that of `Cart (2)`.
fn called(name: &str) -> BTreeSet<String> {
    words(name).filter(|word| !word.chars().all(char::is_numeric)).collect()
}

/// How much of a line and of a name is the same. The line's first word is its verb: it counts only
/// where the name has it too.
fn line_alike(line: &str, name: &str) -> f64 {
    let name = called(name);
    let mut said = words(line);
    let verb = said.next().filter(|verb| name.contains(verb));
    let all: BTreeSet<String> = said.collect();
    let own: BTreeSet<String> = all.iter().filter(|word| !KINDS.contains(&word.as_str())).cloned().collect();
    let own: BTreeSet<String> = if own.is_empty() { all } else { own };
    let said: BTreeSet<&String> = own.iter().chain(&verb).collect();
    let both = said.iter().filter(|word| name.contains(**word)).count();
    let either = said.len() + name.len() - both;
    if own.iter().all(|word| name.contains(word)) { both as f64 / either.max(1) as f64 } else { 0.0 }
}
