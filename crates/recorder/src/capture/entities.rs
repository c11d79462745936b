//! The logical entity ids that bundled sites keep as a property of their elements: the oracle that
//! only replay reads.
//!
//! In: the canonical snapshot and, per frame, `[path, id]` pairs read in the main world. Out: node
//! keys with their ids. Invariant: a path that leads nowhere in the snapshot is dropped. Why paths
//! and not one protocol call an element: a listing has 3,000 of them.

use crate::capture::{ElementTree, ParsedCapture};
use crate::driver::Driver;
use crate::socket::CallError;
use browserlens_core::page::NodeKey;
use browserlens_trace::Canonicalizer;
use std::time::Duration;

/// Returns the backend node id of the element at a path of child indices.
fn element_at(tree: &ElementTree, path: &str) -> Option<u32> {
    let mut at = tree.root?;
    for step in path.split('/').filter(|step| !step.is_empty()) {
        at = *tree.children.get(&at)?.get(step.parse::<usize>().ok()?)?;
    }
    Some(tree.backend(at))
}

impl Driver {
    /// Returns the entity ids of every frame, by node key, in order of the keys.
    pub(crate) async fn entities(
        &self,
        seen: &ParsedCapture,
        canonicalizer: &Canonicalizer,
    ) -> Result<Vec<(NodeKey, String)>, CallError> {
        let elements = seen.by_frame(|nodes, _| ElementTree::of(nodes));
        let mut found = Vec::new();
        for frame in &seen.frames {
            let (Some(context), Some(number)) = (&frame.main_world, canonicalizer.known_frame(&frame.frame)) else {
                continue;
            };
            let (Some(loader), Some(elements)) = (canonicalizer.current_loader(number), elements.get(&number)) else {
                continue;
            };
            let script = include_str!("../script/entities.js");
            let pairs = match self.evaluate(&frame.session, context, script, Duration::from_secs(30)).await {
                Err(CallError::Refused { .. } | CallError::Unreadable(_)) => continue,
                read => read?,
            };
            let pairs = serde_json::from_str::<Vec<(String, String)>>(pairs.as_str().unwrap_or("[]"));
            let pairs = pairs.unwrap_or_default().into_iter();
            let key = |backend: u32| NodeKey { frame: number, loader, backend };
            found.extend(pairs.filter_map(|(path, id)| Some((key(element_at(elements, &path)?), id))));
        }
        found.sort();
        Ok(found)
    }
}
