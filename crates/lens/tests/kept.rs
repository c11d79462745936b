//! A node that stays, and stands in what says the same as before, keeps its ref: on every bundled
//! page; on others where `BROWSERLENS_TRACES` names their folder (`./just wild-bench`).
#![allow(clippy::unwrap_used)]

mod common;

use browserlens_core::page::{NodeKey, NodeRef, Page};
use browserlens_core::strategy::{Ref, StepIndex};
use browserlens_lens::{Lens, LensOptions};
use common::{traces, try_observe};
use std::collections::HashMap;
use std::sync::Arc;

/// What says whether a node is still the same: its name, and what can be read in the nearest item
/// around it; of what stands in none, in its parent.
fn said(node: NodeRef<'_>) -> (String, String) {
    let is_item = |node: &NodeRef<'_>| matches!(node.role(), "row" | "listitem" | "article" | "option" | "treeitem");
    let around = node.ancestors().take(8).find(is_item).or_else(|| node.parent());
    (node.name().to_owned(), around.map(|around| around.visible_text()).unwrap_or_default())
}

/// The refs that an observation gives, by node, with what the nodes say.
fn given(lens: &mut Lens, step: u32, page: &Arc<Page>) -> HashMap<NodeKey, (Ref, (String, String))> {
    let told = try_observe(lens, step, page, None).unwrap();
    let nodes: HashMap<NodeKey, NodeRef<'_>> = page.nodes().map(|node| (node.key(), node)).collect();
    let known = told.refs.iter().filter_map(|target| Some((target, nodes.get(&target.key)?)));
    known.map(|(target, node)| (target.key, (target.handle.parse().unwrap(), said(*node)))).collect()
}

#[test]
fn what_stays_and_says_the_same_keeps_its_ref() {
    let (are_bundled, traces) = traces();
    let (mut held, mut lost) = (0, Vec::new());
    for (name, trace) in traces {
        let mut lens = Lens::new(LensOptions { delta: false, ..LensOptions::default() });
        let mut before = HashMap::new();
        for step in 0..trace.len() {
            let page = Arc::new(trace.page(StepIndex(step)).expect("a page").0);
            let now = given(&mut lens, step, &page);
            for (key, (reference, said)) in &now {
                let Some((was, said_before)) = before.get(key) else { continue };
                if said == said_before {
                    held += 1;
                    if was != reference {
                        lost.push(format!("{name}@{step}: {was} is {reference}, {said:?}"));
                    }
                }
            }
            before = now;
        }
    }
    println!("{held} refs of nodes that stayed and say the same, {} of them others", lost.len());
    assert!(!are_bundled || held > 5_000, "{held} refs");
    assert!(lost.is_empty(), "{} refs changed:\n{}", lost.len(), lost[..lost.len().min(20)].join("\n"));
}
