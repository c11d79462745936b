//! Minimal required sets, found by removal: the Minimal Failure Set of arXiv 2605.29397, for the
//! deterministic reader.
//!
//! In: a trace and its scenario. Out: for each step the nodes that the reader cannot do without.
//! Method: the observation of `lens/full` with filters off is read; *candidates* are the nodes that
//! bear on the step (what the reader finds for the next action, with what is above and below it,
//! and the pieces of text that hold the facts); one after the other is taken out of the reading,
//! its line only, what is below it moves up; if the reader then does all that it did with the
//! whole, it stays out, else it is put back. What was put back is the set. Invariants: the set is
//! sufficient with the rest of the page, and each of its nodes is necessary while the others are
//! there and the other candidates are not. Order of removal: what no target names (title and URL),
//! so that nodes are kept instead; texts of facts from the last to the first, so that of a fact
//! that stands twice the first place is kept; then what is below and above the action node,
//! outermost first; the action node last. Known limits: it is *a* minimal set, not the smallest;
//! what exists as pixels only is not in it; nodes that merely tell namesakes apart by being there
//! are no candidates.

use crate::error::ReplayError;
use crate::reader::{ReadNode, Reader, Reading, find};
use crate::score::{PageIndex, Shown};
use crate::steps::{LoadedStep, StepLoader, TracePlan, resolve};
use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeId, NodeKey, Page};
use browserlens_core::strategy::{ActionChannel, NoClock, NodeHint, ObservationKind, StepInput, TextFormat};
use browserlens_trace::scenario::{Fact, Target, TargetBy};
use std::collections::BTreeMap;
use std::path::Path;

/// Longest text that names a node in a set, in bytes.
const LONGEST_TEXT: usize = 200;
/// The strategy whose observations are read.
const REFERENCE: &str = "lens/full";

/// The set of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct MinimalSet {
    /// Index of the step; 0 is the first navigation.
    pub step: u32,
    /// Which step of the scenario it is, counted from 1; 0 for the first navigation.
    pub scenario_step: u32,
    /// The set, in document order, as targets that resolve on the step's page.
    pub targets: Vec<Target>,
    /// Nodes of the set that no target names, in words.
    pub unnamed: Vec<String>,
    /// What the reader does not find even in the whole observation, in words; the set says nothing
    /// of it.
    pub beyond: Vec<String>,
}

/// Finds a minimal set for every step of a trace.
///
/// `scenarios` is the folder of scenarios, `cache` that of packed pages.
///
/// # Errors
/// [`ReplayError`] if trace or scenario cannot be read, or the reference strategy fails on a step.
pub fn minimise(trace: &Path, scenarios: &Path, cache: &Path) -> Result<Vec<MinimalSet>, ReplayError> {
    let plan = TracePlan::open(trace, scenarios)?;
    let built = browserlens_lens::build(REFERENCE, &serde_json::json!({ "filters": [] }));
    let built = built.ok_or_else(|| ReplayError::damaged(trace)(format!("{REFERENCE} is not known")))?;
    let strategy = built.map_err(ReplayError::damaged(trace))?;
    let mut run = strategy.start(&plan.task());
    let mut loader = StepLoader::open(&plan, cache)?;
    let mut sets = Vec::with_capacity(plan.rows.len());
    for row in &plan.rows {
        let step = loader.load(row.index.0)?;
        let input = StepInput { peers: &[], ..step.input(&NoClock) };
        let observation = run.observe(&input).map_err(ReplayError::damaged(trace))?;
        let mut reader = Reader::new(&TextFormat::LENS);
        reader.read(&observation.text, &ObservationKind::Full { reason: String::new() });
        let handles = observation.refs.into_iter().map(|target| (target.handle, target.key)).collect();
        sets.push(of_step(&plan, &step, reader.reading(), &handles));
    }
    Ok(sets)
}

fn of_step(plan: &TracePlan, step: &LoadedStep, reading: &Reading, handles: &BTreeMap<String, NodeKey>) -> MinimalSet {
    let number = step.index.0;
    let next = plan.next(number).and_then(|next| Some((next.hint()?.clone(), next.acceptable.to_vec())));
    let nodes: Vec<(NodeHint, Vec<NodeKey>)> = next.into_iter().chain(plan.drop_target(number, &step.page)).collect();
    let needs =
        Needs { page: &step.page, index: &PageIndex::default(), handles, nodes: &nodes, facts: plan.facts(number) };
    let (kept, beyond) = needs.minimal(reading);
    let mut set = MinimalSet {
        step: number,
        scenario_step: plan.scenario_step(number),
        targets: Vec::new(),
        unnamed: Vec::new(),
        beyond,
    };
    for node in kept.into_iter().filter_map(|index| reading.nodes.get(index)) {
        match needs.target(node) {
            Some(target) if !set.targets.contains(&target) => set.targets.push(target),
            Some(_) => {}
            None => set.unnamed.push(format!(
                "{} {:?}",
                node.role,
                if node.name.is_empty() { &node.text } else { &node.name }
            )),
        }
    }
    set
}

/// What a step needs of what is shown.
struct Needs<'a> {
    page: &'a Page,
    index: &'a PageIndex,
    handles: &'a BTreeMap<String, NodeKey>,
    /// The next action's node and the one that a drag ends on: in words, and which will do.
    nodes: &'a [(NodeHint, Vec<NodeKey>)],
    facts: &'a [Fact],
}

impl Needs<'_> {
    /// Returns which needs a reading serves: the nodes, then the facts.
    fn served(&self, reading: &Reading) -> Vec<bool> {
        let shown = Shown::new(self.page, self.index, reading, self.handles, &[], ActionChannel::Ref);
        let nodes = self.nodes.iter().map(|(hint, acceptable)| shown.node(hint, acceptable).is_actionable());
        nodes.chain(shown.facts(self.facts).read).collect()
    }

    /// Returns the nodes of a minimal set, as indices in order, and in words what even the whole
    /// reading does not serve.
    fn minimal(&self, reading: &Reading) -> (Vec<usize>, Vec<String>) {
        let whole = self.served(reading);
        let names = self.nodes.iter().map(|(hint, _)| format!("{} {:?}", hint.role, hint.name));
        let names = names.chain(self.facts.iter().map(|fact| format!("fact {:?}", fact.text)));
        let beyond = names.zip(&whole).filter(|(_, served)| !**served).map(|(name, _)| name).collect();
        let mut removed = vec![false; reading.nodes.len()];
        let mut kept = Vec::new();
        for index in self.candidates(reading) {
            removed[index] = true;
            let now = self.served(&without(reading, &removed));
            if whole.iter().zip(&now).any(|(before, after)| *before && !*after) {
                removed[index] = false;
                kept.push(index);
            }
        }
        kept.sort_unstable();
        (kept, beyond)
    }

    /// Returns the nodes that bear on the step, in the order of removal.
    fn candidates(&self, reading: &Reading) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        let (haystack, owners) = reading.haystack_with_owners();
        for fact in self.facts {
            for (first, last) in haystack.places(&fact.text).into_iter().rev() {
                order.extend(owners.get(first..=last).into_iter().flatten().rev());
            }
        }
        let mut actions: Vec<usize> = Vec::new();
        for (hint, acceptable) in self.nodes {
            let is_acceptable = |node: &ReadNode| {
                node.handle
                    .as_ref()
                    .and_then(|handle| self.handles.get(handle))
                    .is_some_and(|key| acceptable.contains(key))
            };
            let by_handle = reading.nodes.iter().enumerate().filter(|(_, node)| is_acceptable(node)).map(|(at, _)| at);
            actions.extend(by_handle);
            if actions.is_empty() {
                actions.extend(find(reading, hint).choice());
            }
        }
        let below =
            (0..reading.nodes.len()).filter(|at| actions.iter().any(|action| lies_below(reading, *at, *action)));
        order.extend(below);
        for action in &actions {
            let mut above: Vec<usize> = reading.above(*action).collect();
            above.reverse();
            order.extend(above);
        }
        order.retain(|index| !actions.contains(index));
        order.sort_by_cached_key(|index| self.target(&reading.nodes[*index]).is_some());
        order.extend(actions);
        let mut seen = vec![false; reading.nodes.len()];
        order.retain(|index| !std::mem::replace(&mut seen[*index], true));
        order
    }

    /// Returns a target that resolves to what a node of the reading shows.
    fn target(&self, read: &ReadNode) -> Option<Target> {
        let by_handle = read.handle.as_ref().and_then(|handle| self.handles.get(handle));
        if let Some(id) = by_handle.and_then(|key| self.index.node(self.page, *key)) {
            return self.target_of(id);
        }
        let words = if read.text.is_empty() { &read.name } else { &read.text };
        if words.is_empty() {
            return None;
        }
        let same_role = self.page.nodes().find(|node| {
            node.is_visible() && node.role() == read.role && !read.role.is_empty() && node.name() == words.as_str()
        });
        if let Some(target) = same_role.and_then(|node| self.target_of(node.id())) {
            return Some(target);
        }
        let (haystack, owners) = self.index.text(self.page);
        let (first, _) = haystack.places(words).first().copied()?;
        let mut at = owners.get(first).copied();
        // The text's own element, or the nearest one around it that a target names.
        while let Some(id) = at {
            if let Some(target) = self.target_of(id) {
                return Some(target);
            }
            at = self.page.node(id).parent().map(|parent| parent.id());
        }
        None
    }

    fn target_of(&self, id: NodeId) -> Option<Target> {
        let node = self.page.node(id);
        let plain = |by: TargetBy| Target { by, within: None, nth: None };
        let by_role = (!node.name().is_empty() && !browserlens_core::page::role::is_generic(node.role()))
            .then(|| Target::role(node.role(), node.name()));
        let text = folded(&node.visible_text());
        let by_text = (!text.is_empty() && text.len() <= LONGEST_TEXT).then(|| plain(TargetBy::Text(text)));
        for mut target in [by_role, by_text].into_iter().flatten() {
            let found = resolve(&target, self.page);
            if let Some(at) = found.iter().position(|found| *found == id) {
                target.nth = (found.len() > 1).then_some(at as u32);
                return Some(target);
            }
        }
        None
    }
}

fn lies_below(reading: &Reading, index: usize, above: usize) -> bool {
    index > above && reading.above(index).any(|ancestor| ancestor == above)
}

/// Returns a reading without the lines of some nodes: what is below them moves up, and a name made
/// of content is made again.
fn without(reading: &Reading, removed: &[bool]) -> Reading {
    let is_removed = |index: &usize| removed.get(*index).copied().unwrap_or(false);
    let mut places: Vec<Option<usize>> = Vec::with_capacity(reading.nodes.len());
    let mut left = Reading { nodes: Vec::new(), ..reading.clone() };
    for (index, node) in reading.nodes.iter().enumerate() {
        if is_removed(&index) {
            places.push(None);
            continue;
        }
        places.push(Some(left.nodes.len()));
        let parent = reading.above(index).find_map(|above| places.get(above).copied().flatten());
        left.nodes.push(ReadNode { parent, ..node.clone() });
    }
    let gone = (0..reading.nodes.len()).filter(is_removed);
    let mut renamed: Vec<usize> = gone
        .flat_map(|index| reading.above(index))
        .filter(|index| reading.nodes[*index].named_by_content && !is_removed(index))
        .collect();
    renamed.sort_unstable();
    renamed.dedup();
    for index in renamed {
        let below = (index + 1..reading.nodes.len()).filter(|at| !is_removed(at) && lies_below(reading, *at, index));
        let nodes = below.filter_map(|at| reading.nodes.get(at)).filter(|node| !node.named_by_content);
        let words = nodes.flat_map(|node| [&node.name, &node.text]).filter(|words| !words.is_empty());
        let name = words.map(String::as_str).collect::<Vec<_>>().join(" ");
        if let Some(node) = places[index].and_then(|place| left.nodes.get_mut(place)) {
            node.name = name;
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::reading_of;
    use browserlens_core::page::PageBuilder;

    const PAGE: &str = r#"
        navigation "Main"
          link "Cart" #10
        region "Basket"
          heading "Basket" #11
          paragraph #14
            text "Total 42.00" #12
          link "Cart" #13
        paragraph #15
          text "Total 42.00" #16
    "#;
    const SHOWN: &str = "- navigation \"Main\":\n  - link \"Cart\" [ref=e10]\n- region \"Basket\":\n  - heading \
        \"Basket\" [ref=e11]\n  - text: Total 42.00\n  - link \"Cart\" [ref=e13]\n- text: Total 42.00";

    fn key(backend: u32) -> NodeKey {
        NodeKey { frame: 1, loader: 1, backend }
    }

    fn minimal(within: Option<&str>, facts: &[&str]) -> (Vec<String>, Vec<String>) {
        let (page, index) = (PageBuilder::outline(PAGE), PageIndex::default());
        let handles: BTreeMap<String, NodeKey> = [10, 11, 13].map(|id| (format!("e{id}"), key(id))).into();
        let basket =
            |name: &str| Box::new(NodeHint { role: "region".into(), name: name.into(), ..NodeHint::default() });
        let hint = NodeHint { role: "link".into(), name: "Cart".into(), within: within.map(basket), nth: None };
        let acceptable = if within.is_some() { vec![key(13)] } else { vec![key(10), key(13)] };
        let facts: Vec<Fact> = facts.iter().map(|text| Fact { text: (*text).to_owned(), pixels: None }).collect();
        let nodes = [(hint, acceptable)];
        let needs = Needs { page: &page, index: &index, handles: &handles, nodes: &nodes, facts: &facts };
        let reading = reading_of("playwright-aria", SHOWN);
        let (kept, beyond) = needs.minimal(&reading);
        let targets =
            kept.into_iter().map(|index| needs.target(&reading.nodes[index]).expect("has a name").to_string());
        (targets.collect(), beyond)
    }

    #[test]
    fn the_set_is_the_action_node_what_tells_it_apart_and_one_place_of_each_fact() {
        let (targets, beyond) = minimal(Some("Basket"), &["Total 42.00"]);
        // The region tells the two links apart; the heading and the second total can go.
        assert_eq!(
            targets,
            [
                r#"{ role = "region", name = "Basket" }"#,
                r#"{ text = "Total 42.00", nth = 0 }"#,
                r#"{ role = "link", name = "Cart", nth = 1 }"#
            ]
        );
        assert!(beyond.is_empty());
    }

    #[test]
    fn where_either_node_will_do_one_of_them_is_kept() {
        let (targets, _) = minimal(None, &[]);
        assert_eq!(targets, [r#"{ role = "link", name = "Cart", nth = 1 }"#], "the first is tried first, and can go");
    }

    #[test]
    fn what_even_the_whole_does_not_show_is_named_and_bears_on_nothing() {
        let (targets, beyond) = minimal(None, &["Paid"]);
        assert_eq!((targets.len(), beyond), (1, vec!["fact \"Paid\"".to_owned()]));
    }

    #[test]
    fn a_line_goes_and_what_is_below_moves_up() {
        let reading = reading_of("playwright-aria", SHOWN);
        let mut removed = vec![false; reading.nodes.len()];
        removed[2] = true;
        let left = without(&reading, &removed);
        assert_eq!(left.nodes.len(), reading.nodes.len() - 1);
        assert!(left.nodes[2].role == "heading" && left.nodes[2].parent.is_none());
        let named = Reading {
            nodes: vec![
                ReadNode {
                    role: "link".into(),
                    name: "Oak lamp".into(),
                    named_by_content: true,
                    ..ReadNode::default()
                },
                ReadNode { role: "text".into(), text: "Oak".into(), parent: Some(0), ..ReadNode::default() },
                ReadNode { role: "text".into(), text: "lamp".into(), parent: Some(0), ..ReadNode::default() },
            ],
            ..Reading::default()
        };
        assert_eq!(without(&named, &[false, true, false]).nodes[0].name, "lamp");
        assert_eq!(without(&named, &[true, false, false]).nodes[0].parent, None);
    }

    #[test]
    fn pieces_and_owners_are_those_of_the_reading() {
        let reading = reading_of("playwright-aria", SHOWN);
        let (haystack, owners) = reading.haystack_with_owners();
        assert_eq!(haystack, reading.haystack());
        let places = haystack.places("Total 42.00");
        let of_fact: Vec<usize> = places.iter().map(|(first, _)| owners[*first]).collect();
        assert!(of_fact.iter().all(|index| reading.nodes[*index].text == "Total 42.00") && of_fact.len() == 2);
    }
}
