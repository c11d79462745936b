//! The screens as a graph, and the surest way through it.
//!
//! In: a [`Knowledge`]. Out: a [`Path`]: transitions, in order. The cost of a transition is
//! `-ln(confidence) + `[`STEP_COST`], so the cheapest path is the one whose confidences multiply to
//! the most, where each further step counts like a confidence of 0.95: of two equally sure ways the
//! shorter wins, and a cycle never pays. Invariants: only navigable screens and transitions with an
//! action are in the graph; equal knowledge gives equal paths.
//!
//! A step back or forward in history leads wherever the history says: such transitions are used
//! only where nothing else leads there. A recording's first URL can be opened from anywhere, at the
//! cost of what the page held: [`REOPEN_COST`].

use crate::model::{ActionDefinition, ActionId, Knowledge, Metadata, ScreenId, TransitionId};
use petgraph::algo::astar;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeFiltered, Walker};
use std::collections::{BTreeMap, BTreeSet};

/// Cost of a step that is certain.
pub const STEP_COST: f64 = 0.05;
/// Cost of leaving everything and opening a URL, above that of a step.
pub const REOPEN_COST: f64 = 2.0;
/// Least confidence that is counted with.
const LEAST: f64 = 1e-6;

/// How one leads to the next screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The action that leads there.
    pub action_id: ActionId,
    /// The transition; none for a URL that is opened.
    pub transition_id: Option<TransitionId>,
    /// How sure it is.
    pub confidence: f64,
    /// Whether it was never observed.
    pub inferred: bool,
    cost: f64,
    /// Whether it is a step in history, whose end only the history tells.
    is_in_history: bool,
}

/// One way through the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// Where it begins; none if it begins by opening a URL.
    pub from: Option<ScreenId>,
    /// How, and where to.
    pub steps: Vec<(Edge, ScreenId)>,
    /// Product of the confidences.
    pub confidence: f64,
}

/// The screens and the ways between them.
#[derive(Clone, Debug)]
pub struct NavigationGraph {
    ways: DiGraph<(), Edge>,
    screens: Vec<ScreenId>,
    numbers: BTreeMap<ScreenId, NodeIndex>,
    anywhere: NodeIndex,
}

impl Edge {
    fn new(id: &ActionId, action: &ActionDefinition, transition_id: Option<TransitionId>, way: &Metadata) -> Self {
        let confidence = way.confidence * action.metadata.confidence;
        Self {
            action_id: id.clone(),
            transition_id,
            confidence,
            inferred: way.inferred || action.metadata.inferred,
            cost: STEP_COST - confidence.clamp(LEAST, 1.0).ln(),
            is_in_history: matches!(action.action_type.as_str(), "go_back" | "back" | "go_forward" | "forward"),
        }
    }
}

impl NavigationGraph {
    /// Makes the graph of a body of knowledge.
    pub fn new(knowledge: &Knowledge) -> Self {
        let mut ways = DiGraph::new();
        let screens: Vec<ScreenId> = knowledge.navigable_screens().map(|screen| screen.screen_id.clone()).collect();
        let numbers: BTreeMap<ScreenId, NodeIndex> =
            screens.iter().map(|screen| (screen.clone(), ways.add_node(()))).collect();
        let anywhere = ways.add_node(());
        for transition in knowledge.transitions.values() {
            let (Some(from), Some(to), Some(action_id)) = (
                numbers.get(&transition.from_screen_id),
                numbers.get(&transition.to_screen_id),
                transition.action_id.as_ref(),
            ) else {
                continue;
            };
            let Some(action) = knowledge.actions.get(action_id).filter(|_| from != to) else { continue };
            let id = Some(transition.transition_id.clone());
            ways.add_edge(*from, *to, Edge::new(action_id, action, id, &transition.metadata));
        }
        let mut openings = BTreeSet::new();
        for step in knowledge.tasks.values().filter_map(|task| task.steps.first()) {
            let (Some(action_id), Some(screen), None) = (&step.action_id, &step.expected_screen_id, &step.screen_id)
            else {
                continue;
            };
            let (Some(to), Some(action)) = (numbers.get(screen), knowledge.actions.get(action_id)) else { continue };
            if action.action_type != "navigate" || !openings.insert((action_id, screen)) {
                continue;
            }
            ways.add_edge(anywhere, *to, Edge::new(action_id, action, None, &step.metadata));
        }
        Self { ways, screens, numbers, anywhere }
    }

    /// Returns how many screens and ways there are.
    pub fn size(&self) -> (usize, usize) {
        (self.screens.len(), self.ways.edge_count())
    }

    /// Returns the surest way; from anywhere if no screen is given. None if there is none.
    pub fn path(&self, from: Option<&ScreenId>, to: &ScreenId) -> Option<Path> {
        let goal = *self.numbers.get(to)?;
        let start = match from {
            Some(from) => *self.numbers.get(from)?,
            None => self.anywhere,
        };
        let reopened = self.search(self.anywhere, goal, false).map(|(cost, nodes)| (cost + REOPEN_COST, nodes));
        let ((_, nodes), by_history) = match (self.search(start, goal, false), reopened) {
            (Some(known), Some(other)) if start != self.anywhere && other.0 < known.0 => (other, false),
            (Some(known), _) => (known, false),
            (None, Some(other)) => (other, false),
            (None, None) => (self.search(start, goal, true)?, true),
        };
        let mut path = Path { confidence: 1.0, ..Path::default() };
        path.from =
            nodes.first().filter(|first| **first != self.anywhere).map(|first| self.screens[first.index()].clone());
        for pair in nodes.windows(2) {
            let [one, other] = pair else { continue };
            let edges = self.ways.edges_connecting(*one, *other).map(|edge| edge.weight());
            let edge = edges
                .filter(|edge| by_history || !edge.is_in_history)
                .min_by(|a, b| a.cost.total_cmp(&b.cost).then(a.transition_id.cmp(&b.transition_id)))?;
            path.confidence *= edge.confidence;
            path.steps.push((edge.clone(), self.screens[other.index()].clone()));
        }
        Some(path)
    }

    fn search(&self, start: NodeIndex, goal: NodeIndex, by_history: bool) -> Option<(f64, Vec<NodeIndex>)> {
        let graph = EdgeFiltered::from_fn(&self.ways, |edge| by_history || !edge.weight().is_in_history);
        // Without an estimate A* is Dijkstra's algorithm, and keeps the way.
        astar(&graph, start, |node| node == goal, |edge| edge.weight().cost, |_| 0.0)
    }

    /// Returns the screens that can be reached from a screen, itself included.
    pub fn reachable(&self, from: &ScreenId) -> BTreeSet<&ScreenId> {
        let Some(start) = self.numbers.get(from) else { return BTreeSet::new() };
        let reached = Dfs::new(&self.ways, *start).iter(&self.ways);
        reached.filter_map(|node| self.screens.get(node.index())).collect()
    }
}
