//! Trains the learned router: signals of recorded pages in, a decision tree out.
//!
//! In: a run of the four fixed strategies ([`FIXED`]) and the traces it was made from. Out: [`Example`]s, a [`TreeRouter`], and what it is
//! worth on scenarios it has not seen ([`CrossValidation`]). The label of a step is what hindsight takes for an agent that acts by refs.
//! Invariants: steps of one scenario are never on both sides of a validation; the same examples give the same tree.
//! Why linfa-trees: it lets its tree be read, which a model in words needs; other crates of its kind keep theirs to themselves. Leaves are
//! counted again here, since it breaks ties at random.

use crate::engine::plan;
use crate::error::ReplayError;
use crate::measure::Measurement;
use crate::routing::{FIXED, StepOutcomes, oracle, outcomes};
use crate::steps::StepLoader;
use browserlens_lens::Representation;
use browserlens_lens::router::{Choice, FEATURES, Router, Signals, TreeRouter};
use browserlens_strategy::ActionChannel;
use browserlens_tokens::ImageFormula;
use linfa::prelude::{Dataset, Fit};
use linfa_trees::{DecisionTree, TreeNode};
use ndarray::{Array1, Array2};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How deep a trained tree is at most: with so few examples more would be learned by heart.
const DEPTH: usize = 2;
/// Examples that a leaf has at least.
const LEAF: f32 = 3.0;

/// One step: what is known before, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Id of the trace.
    pub trace: String,
    /// The step.
    pub step: u32,
    /// The signals of its page.
    pub signals: Signals,
    /// What each representation gave.
    pub outcomes: StepOutcomes,
}

impl Example {
    /// Returns what hindsight takes, as an index into [`FIXED`].
    pub fn label(&self) -> Option<usize> {
        oracle(&self.outcomes, ActionChannel::Ref)
    }
}

/// What trees are worth on scenarios that they were not trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrossValidation {
    /// Scenarios left out in turn.
    pub folds: u32,
    /// Steps with a label.
    pub n: u32,
    /// Of those, on how many the tree chose the label.
    pub right: u32,
    /// … and on how many the most frequent label of the other scenarios is the label: what a tree has to beat.
    pub right_by_majority: u32,
    /// Steps on which the tree's choice fails although another would not.
    pub missed: u32,
    /// Tokens over hindsight where both succeed.
    pub extra_tokens: u64,
}

/// Nothing can be learned from these traces.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrainError {
    /// No step has all four outcomes and a success.
    #[error("no step on which lens/a11y, lens/dom, lens/hybrid and lens/vision all ran and one by refs succeeded")]
    NoExamples,
    /// The crate that grows the tree refused.
    #[error("the tree could not be grown: {0}")]
    Refused(String),
}

/// Reads the signals of every step that all four fixed strategies were measured on.
///
/// # Errors
/// [`ReplayError`] if a trace cannot be read.
pub fn examples(
    rows: &[Measurement],
    traces: &[PathBuf],
    scenarios_dir: &Path,
    cache_dir: &Path,
    formula: ImageFormula,
) -> Result<Vec<Example>, ReplayError> {
    let outcomes = outcomes(rows, formula).unwrap_or_default();
    let mut examples = Vec::new();
    for plan in plan(traces, scenarios_dir)? {
        let mut loader = StepLoader::open(&plan, cache_dir)?;
        for step in 0..plan.rows.len() as u32 {
            let loaded = loader.load(step)?;
            if let Some(outcomes) = outcomes.get(&(plan.id.clone(), step)) {
                let signals = Signals::of(&loaded.page, loaded.earlier_second_look.as_ref());
                examples.push(Example { trace: plan.id.clone(), step, signals, outcomes: *outcomes });
            }
        }
    }
    Ok(examples)
}

/// Grows a tree.
///
/// # Errors
/// [`TrainError`] if no example has a label.
pub fn train(examples: &[Example]) -> Result<TreeRouter, TrainError> {
    grow(&examples.iter().collect::<Vec<_>>())
}

/// Trains once for each scenario on all others, and looks at what the tree chooses on it.
///
/// # Errors
/// [`TrainError`] if there are fewer than two scenarios with labels.
pub fn cross_validate(examples: &[Example]) -> Result<CrossValidation, TrainError> {
    let scenarios: BTreeSet<&str> = examples.iter().map(|example| example.trace.as_str()).collect();
    let mut found = CrossValidation::default();
    for scenario in scenarios {
        let (own, others): (Vec<&Example>, Vec<&Example>) =
            examples.iter().partition(|example| example.trace == scenario);
        let tree = grow(&others)?;
        let majority = majority(&others).map(|(at, _)| at);
        found.folds += 1;
        for example in own {
            let Some(label) = example.label() else { continue };
            let chosen = choice_of(&tree, &example.signals);
            found.n += 1;
            found.right += u32::from(chosen == Some(label));
            found.right_by_majority += u32::from(majority == Some(label));
            match chosen.map(|at| example.outcomes[at]) {
                Some(own) if own.success => {
                    found.extra_tokens += own.tokens.saturating_sub(example.outcomes[label].tokens);
                }
                _ => found.missed += 1,
            }
        }
    }
    Ok(found)
}

/// Counts the labels, in the order of [`FIXED`].
pub fn labels(examples: &[Example]) -> [u32; 4] {
    let mut counts = [0; 4];
    for label in examples.iter().filter_map(Example::label) {
        counts[label] += 1;
    }
    counts
}

fn choice_of(tree: &TreeRouter, signals: &Signals) -> Option<usize> {
    let route = tree.route(signals, None).ok()?;
    FIXED.iter().position(|(_, name)| *name == route.representation.name())
}

/// Returns the most frequent label and how many have it; of equals the cheapest to act on.
fn majority(examples: &[&Example]) -> Option<(usize, u32)> {
    let mut counts = [0_u32; 4];
    for label in examples.iter().filter_map(|example| example.label()) {
        counts[label] += 1;
    }
    let at = (0..4).rev().max_by_key(|at| counts[*at])?;
    (counts[at] > 0).then_some((at, counts[at]))
}

fn grow(examples: &[&Example]) -> Result<TreeRouter, TrainError> {
    let known: Vec<&Example> = examples.iter().copied().filter(|example| example.label().is_some()).collect();
    if known.is_empty() {
        return Err(TrainError::NoExamples);
    }
    let numbers: Vec<f32> =
        known.iter().flat_map(|example| FEATURES.iter().map(|(_, read)| read(&example.signals))).collect();
    let records = Array2::from_shape_vec((known.len(), FEATURES.len()), numbers)
        .map_err(|error| TrainError::Refused(error.to_string()))?;
    let targets: Array1<usize> = known.iter().filter_map(|example| example.label()).collect();
    let tree = DecisionTree::params()
        .max_depth(Some(DEPTH))
        .min_weight_leaf(LEAF)
        .min_weight_split(2.0 * LEAF)
        .fit(&Dataset::new(records, targets))
        .map_err(|error| TrainError::Refused(error.to_string()))?;
    Ok(TreeRouter::new(read(tree.root_node(), &known)))
}

/// Reads a grown node; `examples` are those that reach it.
fn read(node: &TreeNode<f32, usize>, examples: &[&Example]) -> Choice {
    let children: Vec<_> = node.children().into_iter().flatten().collect();
    if let ([below, above], false) = (children.as_slice(), node.is_leaf()) {
        let (feature, at, _) = node.split();
        let value = |example: &Example| FEATURES.get(feature).map_or(0.0, |(_, read)| read(&example.signals));
        let (under, over): (Vec<&Example>, Vec<&Example>) = examples.iter().partition(|example| value(example) <= at);
        let (below, above) = (read(below, &under), read(above, &over));
        // Two leaves that say the same are one.
        if representation_of(&below).is_none() || representation_of(&below) != representation_of(&above) {
            return Choice::Split { feature, at, below: Box::new(below), above: Box::new(above) };
        }
    }
    let (at, count) = majority(examples).unwrap_or((0, 0));
    let representation = Representation::from_name(FIXED[at].1).unwrap_or(Representation::A11y);
    Choice::Leaf { representation, note: format!("{count} of {}", examples.len()) }
}

fn representation_of(choice: &Choice) -> Option<Representation> {
    match choice {
        Choice::Leaf { representation, .. } => Some(*representation),
        Choice::Split { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Outcome;

    /// Pages with a canvas need the hybrid, all others the tree.
    fn made_up(trace: &str, steps: u32, canvas: bool) -> Vec<Example> {
        let outcome = |tokens, success| Outcome { tokens, success };
        (0..steps)
            .map(|step| Example {
                trace: trace.to_owned(),
                step,
                signals: Signals {
                    canvas_share: if canvas { 0.5 } else { 0.0 },
                    node_count: 100 + step,
                    ..Signals::default()
                },
                outcomes: [outcome(10, !canvas), outcome(12, !canvas), outcome(20, true), outcome(30, true)],
            })
            .collect()
    }

    fn corpus() -> Vec<Example> {
        [made_up("a", 6, true), made_up("b", 6, false), made_up("c", 6, true), made_up("d", 9, false)].concat()
    }

    #[test]
    fn the_tree_finds_the_signal_that_tells_and_says_how_many_it_saw() {
        let tree = train(&corpus()).expect("grows");
        let text = tree.to_text(&[]);
        assert!(text.contains("if canvas_share <= 0.25"), "{text}");
        assert!(text.contains("a11y  # 15 of 15") && text.contains("hybrid  # 12 of 12"), "{text}");
        assert_eq!(TreeRouter::parse(&text, "a"), Ok(tree));
    }

    #[test]
    fn validation_never_sees_the_scenario_it_is_asked_about() {
        let found = cross_validate(&corpus()).expect("grows");
        assert_eq!((found.folds, found.n, found.right, found.missed, found.extra_tokens), (4, 27, 27, 0, 0));
        // Whichever scenario is left out, most of the others have the other label.
        assert_eq!(found.right_by_majority, 0);
        // The only scenario with a canvas cannot be foreseen from the others.
        let alone = [made_up("a", 6, true), made_up("b", 6, false), made_up("d", 9, false)].concat();
        let found = cross_validate(&alone).expect("grows");
        assert_eq!((found.right, found.missed), (15, 6));
    }

    #[test]
    fn steps_without_any_success_are_no_examples() {
        let mut lost = made_up("a", 3, true);
        for example in &mut lost {
            example.outcomes[2].success = false;
        }
        assert_eq!(lost[0].label(), None, "a screenshot cannot be acted on by refs");
        assert_eq!(train(&lost), Err(TrainError::NoExamples));
        assert_eq!(labels(&corpus()), [15, 0, 12, 0]);
    }
}
