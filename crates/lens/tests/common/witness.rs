//! A second reading of a run, from its texts alone, and the properties that it checks.
//!
//! In: a site and what is done to it, options, what is asked for. Out: an error in words where a
//! promise of the lens is broken.

use super::site::{Op, Site, op, text};
use super::{always_delta, try_observe};
use browserlens_core::page::capture::ChangedAlone;
use browserlens_core::page::{NodeKey, Page, SecondLook, States};
use browserlens_core::strategy::{Observation, ObservationKind, Ref, Request, Run, StrategyError};
use browserlens_core::tokens::Encoding;
use browserlens_lens::extract::{ExtractOptions, Grade};
use browserlens_lens::format::{Entry, Observed, parse_after, write_after};
use browserlens_lens::reference::{Reference, unmarked_differences};
use browserlens_lens::tree::{Item, Tree};
use browserlens_lens::{Lens, LensOptions, Representation, ShownNode, ShownState, parse};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// A second walk over the same run, from its texts alone.
#[derive(Default)]
pub struct Witness {
    shown: ShownState,
    at_step: HashMap<u32, ShownState>,
    entity_of: HashMap<String, String>,
}

impl Witness {
    fn check(
        &mut self,
        observation: &Observation,
        page: &Page,
        entities: &HashMap<NodeKey, String>,
        options: &LensOptions,
    ) -> Result<(), TestCaseError> {
        let text = &observation.text;
        prop_assert_eq!(observation.unmarked_differences, Some(0), "unmarked differences after\n{}", text);
        let rejected = ObservationKind::Full { reason: "self-check".to_owned() };
        prop_assert!(observation.kind != rejected, "a delta did not pass the check before\n{}", text);
        if let Some(budget) = options.budget {
            let tokens = Encoding::O200kBase.count(text).0;
            prop_assert!(tokens <= budget, "{} tokens over a budget of {}", tokens, budget);
        }
        let told = self.shown.patterns();
        let read = parse_after(text, &told).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?.0;
        prop_assert_eq!(&write_after(&read, options.style, &told), text, "written again");
        let before = self.shown.clone();
        self.shown.apply(text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        match &read {
            Observed::Delta { steps, .. } => {
                let base = steps.and_then(|(from, _)| self.at_step.get(&from)).unwrap_or(&before);
                told_with_refs(base, &self.shown, &read, text)?;
                if let Some((_, to)) = steps {
                    self.at_step.insert(*to, self.shown.clone());
                }
            }
            Observed::Full { step: Some(step), .. } => {
                self.at_step.insert(*step, self.shown.clone());
            }
            Observed::Answer { .. } => {
                if let Some(state) = self.at_step.values_mut().find(|state| **state == before) {
                    *state = self.shown.clone();
                }
            }
            _ => {}
        }
        self.truth(page, options, text)?;
        let refs: Vec<Ref> = self.shown.nodes().filter_map(|node| node.reference()).collect();
        let unique: HashSet<Ref> = refs.iter().copied().collect();
        prop_assert_eq!(unique.len(), refs.len(), "a ref stands twice in\n{}", text);
        let known: HashSet<String> = observation.refs.iter().map(|target| target.handle.clone()).collect();
        prop_assert_eq!(known, unique.iter().map(ToString::to_string).collect::<HashSet<_>>(), "refs of\n{}", text);
        let keys: HashSet<NodeKey> = observation.refs.iter().map(|target| target.key).collect();
        prop_assert_eq!(keys.len(), observation.refs.len(), "two refs of one node in\n{}", text);
        for target in &observation.refs {
            let Some(entity) = entities.get(&target.key) else {
                return Err(TestCaseError::fail(format!("{target:?} is no control of the page")));
            };
            let first = self.entity_of.entry(target.handle.clone()).or_insert_with(|| entity.clone());
            prop_assert_eq!(&*first, entity, "{} was rebound by\n{}", target.handle, text);
        }
        prop_assert!(!text.contains("never shown"), "hidden text is shown");
        Ok(())
    }

    /// What the texts say against what the page is, whatever the lens says of itself.
    fn truth(&self, page: &Page, options: &LensOptions, text: &str) -> Result<(), TestCaseError> {
        let representation = options.representation.unwrap();
        // A request may have asked for the whole of a page of which a grade leaves out a part.
        let grades =
            if representation == Representation::Dom { vec![options.grade, Grade::All] } else { vec![Grade::All] };
        let from_dom = representation == Representation::Dom;
        let form = |grade: Grade| ExtractOptions { from_dom, grade, regions_shown: 0 };
        let references: Vec<Reference> = grades.into_iter().map(|grade| Reference::of(page, &form(grade))).collect();
        let wrong = references.iter().map(|reference| unmarked_differences(&self.shown, reference)).min();
        prop_assert_eq!(wrong, Some(0), "differences without a mark after\n{}", text);
        let mut handles = HashSet::new();
        for mark in self.shown.elided() {
            prop_assert!(mark.handle.is_none_or(|handle| handles.insert(handle)), "a handle stands twice in\n{}", text);
        }
        let loud = |tree: &Tree, id: u32| {
            let mut around = std::iter::once(id).chain(tree.ancestors(id));
            around.any(|above| matches!(&*tree.item(above).role, "alert" | "dialog"))
        };
        let said = |tree: &Tree| -> Vec<(String, bool)> {
            let items = tree.items().filter(|(id, item)| loud(tree, *id) && item.mark.is_none());
            items.map(|(_, item)| (item.name.to_string(), item.volatile)).collect()
        };
        let (shown, all) = (said(self.shown.tree()), said(&references[0].tree));
        prop_assert!(shown.iter().all(|(_, volatile)| !volatile), "an alert or dialog may be old after\n{}", text);
        if options.budget.is_none() && options.longest_name.is_none() && references.len() == 1 {
            prop_assert_eq!(shown, all, "alerts and dialogs after\n{}", text);
        }
        Ok(())
    }
}

/// The slow, obvious differ: whatever has a ref before and after and says something else must be
/// told with its ref; the focus may go without.
fn told_with_refs(before: &ShownState, after: &ShownState, read: &Observed, text: &str) -> Result<(), TestCaseError> {
    let says = |state: &ShownState| -> HashMap<Ref, (String, String, String, Vec<&'static str>)> {
        let of = |node: ShownNode<'_>| {
            let states = node.states().collect();
            Some((node.reference()?, (node.role().to_owned(), node.name().to_owned(), node.value().to_owned(), states)))
        };
        state.nodes().filter_map(of).collect()
    };
    let (before, after, named) = (says(before), says(after), named(read));
    for (reference, now) in after.into_iter().filter(|(reference, _)| !named.contains(reference)) {
        let unfocused = |(role, name, value, mut states): (String, String, String, Vec<&'static str>)| {
            states.retain(|state| *state != "focused");
            (role, name, value, states)
        };
        let was = before.get(&reference).cloned().map(unfocused);
        prop_assert!(was == Some(unfocused(now)), "{} changed and is not named in\n{}", reference, text);
    }
    Ok(())
}

/// The refs that the changes of a delta name, alone or in what is added.
fn named(read: &Observed) -> HashSet<Ref> {
    let Observed::Delta { entries, .. } = read.clone() else { return HashSet::new() };
    let mut named = HashSet::new();
    for entry in entries {
        let (locators, items) = match entry {
            Entry::Changed { at, .. } | Entry::Focus(Some(at)) => (vec![at], None),
            Entry::Moved { at, parent, .. } => (std::iter::once(at).chain(parent).collect(), None),
            Entry::Removed(locators) | Entry::Volatile(locators) => (locators, None),
            Entry::Added { parent, items, .. } => (vec![parent], Some(items)),
            Entry::Now { at, items, .. } => (vec![at], Some(items)),
            Entry::Expanded { items, .. } => (Vec::new(), Some(items)),
            _ => (Vec::new(), None),
        };
        named.extend(locators.iter().filter_map(|locator| locator.reference));
        named.extend(items.iter().flat_map(Tree::items).filter_map(|(_, item)| item.reference));
    }
    named
}

/// A tree as R has it: without refs and handles.
fn bare(tree: &Tree) -> Vec<(usize, Item)> {
    let items = tree.items().map(|(id, item)| {
        let mut item = item.clone();
        item.reference = None;
        if let Some(mark) = &mut item.mark {
            mark.handle = None;
        }
        (tree.ancestors(id).count(), item)
    });
    items.collect()
}

fn requests(witness: &Witness, pick: usize) -> Vec<Request> {
    let marks: Vec<String> =
        witness.shown.elided().iter().filter_map(|mark| mark.handle).map(|handle| handle.to_string()).collect();
    let mut requests =
        vec![Request::Query { text: "row no go".to_owned() }, Request::Section { name: "results".to_owned() }];
    if !marks.is_empty() {
        let handle = marks[pick % marks.len()].clone();
        requests.push(Request::More { handle: handle.clone(), from: 1, to: 2 });
        requests.push(Request::Expand { handle });
    }
    requests.rotate_left(pick % 2);
    requests
}

/// A second look that saw every `nth` node of a page change, whether that is noise or not.
pub fn second_look(page: &Page, nth: usize) -> SecondLook {
    let keys: Vec<NodeKey> = page.nodes().skip(1).step_by(nth.max(1)).map(|node| node.key()).collect();
    let changed = keys.iter().map(|key| ChangedAlone { key: *key, fields: vec!["text".to_owned()] }).collect();
    SecondLook { waited_ms: 10_000, changed, added: keys, removed: Vec::new(), nodes: page.len() as u32 }
}

pub fn run(
    options: &LensOptions,
    mut site: Site,
    ops: &[Vec<Op>],
    ask: Option<usize>,
    exact: bool,
) -> Result<(), TestCaseError> {
    let mut lens = Lens::new(options.clone());
    let mut witness = Witness::default();
    let mut look: Option<SecondLook> = None;
    for step in 0..=ops.len() {
        if step > 0 {
            ops[step - 1].iter().for_each(|op| site.apply(op));
        }
        let (page, entities) = site.render();
        let observation = try_observe(&mut lens, step as u32, &page, look.as_ref())
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        look = Some(second_look(&page, ask.unwrap_or(0) + 1));
        witness.check(&observation, &page, &entities, options)?;
        if exact {
            equals_reference(&witness.shown, &page)?;
        }
        let Some(pick) = ask else { continue };
        for request in requests(&witness, pick + step) {
            match lens.request(&request) {
                Ok(answer) => witness.check(&answer, &page, &entities, options)?,
                Err(StrategyError::Unanswerable { .. }) => {}
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
    }
    Ok(())
}

fn equals_reference(shown: &ShownState, page: &Page) -> Result<(), TestCaseError> {
    let reference = Reference::of(page, &ExtractOptions::default());
    prop_assert_eq!(bare(shown.tree()), bare(&reference.tree));
    let head = shown.head().unwrap();
    prop_assert_eq!((&head.title, &head.url), (&reference.title, &reference.url));
    Ok(())
}

pub fn steps() -> impl Strategy<Value = Vec<Vec<Op>>> {
    prop::collection::vec(prop::collection::vec(op(), 1..4), 1..7)
}

pub fn site() -> impl Strategy<Value = Site> {
    (0..9usize, any::<bool>(), text()).prop_map(|(rows, linked, title)| Site::new(rows, linked, title))
}

/// A site, and what is done to it step by step.
type Story = (Site, Vec<Vec<Op>>);

pub fn story() -> impl Strategy<Value = Story> {
    (site(), steps())
}

pub fn budget() -> impl Strategy<Value = u32> {
    prop_oneof![1..40u32, 40..400u32]
}

/// The same page again is no change, whatever was cut from it.
pub fn says_nothing_twice(mut site: Site, ops: &[Vec<Op>], budget: u32) -> Result<(), TestCaseError> {
    // Alerts, dialogs and fields in error that had no room come as soon as there is some.
    let quiet = |op: &&Op| !matches!(op, Op::Alert(_) | Op::Dialog);
    ops.iter().flatten().filter(quiet).for_each(|op| site.apply(op));
    let page = site.render().0;
    prop_assume!(!page.nodes().any(|node| node.states().has(States::INVALID)));
    // Room for the header and a mark.
    let mut lens = Lens::new(LensOptions { budget: Some(60 + budget), ..always_delta() });
    let mut tell =
        |step| try_observe(&mut lens, step, &page, None).map_err(|error| TestCaseError::fail(error.to_string()));
    let first = tell(0)?;
    prop_assume!(parse(&first.text).is_ok_and(|read| matches!(read, Observed::Full { step: Some(0), .. })));
    let second = tell(1)?;
    // Where the first could not say title and URL to their end, the second tries again: with a full
    // text, or with a delta that says just them.
    let head_was_cut = first.text.lines().next().is_some_and(|line| line.ends_with('…'));
    let delta = matches!(second.kind, ObservationKind::Delta);
    if delta && head_was_cut {
        let said = parse(&second.text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Observed::Delta { entries, .. } = said else {
            return Err(TestCaseError::fail(format!("no delta:\n{}", second.text)));
        };
        prop_assert!(matches!(entries.as_slice(), [] | [Entry::Page(_)]), "{}\n{}", first.text, second.text);
    } else if delta {
        prop_assert_eq!(&second.text, "[DELTA 0→1: 0 changes]");
    } else {
        prop_assert!(head_was_cut, "{}\n{}", first.text, second.text);
    }
    Ok(())
}

/// Lines of any kind, and changes that are well written but may name what is not there.
pub fn any_lines() -> impl Strategy<Value = Vec<String>> {
    const HEADERS: &[&str] = &[
        "[FULL PAGE STATE] a | b",
        "[FULL PAGE STATE 3] a",
        "[DELTA 1→2: 3 changes]",
        "[DELTA 3→9: 1 change]",
        "[ANSWER x]",
        "… 4 more items @m2",
    ];
    const CHANGES: &[&str] = &[
        "CHANGED: link @e1 → \"b\"",
        "REMOVED: main",
        "ADDED in page at 9:",
        "- main: \"x\"",
        "  - link \"a\" @e1",
        "MOVED: link @e1 to 3 in main",
        "MOVED: link @e1 between @e2 \"b\" and @e3",
        "MOVED: @e2 after @e1 \"\"… in main",
        "ADDED in main after @e2 \"b\"…: 2 × link @: 5 A |6 B",
        "ADDED in main before @e1:",
        "NOW in main: 2 × like @e1:",
        "7 A |B",
        "EXPANDED @m1:",
        "FOCUS: none",
        "NOW in main:",
        "NOW in page:",
        "ORDER in main: 2 @e1",
        "ORDER in main: 1-3",
        "REMOVED in main: 6 × link, status \"Saved\"; left: 2 @e1-@e3",
        "REMOVED: link @e7",
        "VOLATILE: main",
        "CHANGED: @e5 value: …\"11:40\"… → \"12:05\"",
    ];
    let select = |from: &'static [&'static str]| prop::sample::select(from).prop_map(str::to_owned);
    let any = prop_oneof!["\\PC{0,40}", "[-…@em0-9 \":,\\[\\]|→+#()a-z]{0,40}", select(HEADERS), select(CHANGES)];
    let well_written = (select(HEADERS), prop::collection::vec(select(CHANGES), 0..5));
    prop_oneof![
        prop::collection::vec(any, 0..8),
        well_written.prop_map(|(header, changes)| std::iter::once(header).chain(changes).collect()),
    ]
}
