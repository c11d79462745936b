//! The logical entity ids that bundled sites keep as a property of their elements: the oracle that
//! only replay reads.
//!
//! In: the canonical snapshot and, per frame, `[path, id]` pairs read in the main world. Out: node
//! keys with their ids. Invariant: a path that leads nowhere in the snapshot is dropped. Why paths
//! and not one protocol call an element: a listing has 3,000 of them.

use crate::capture::ParsedCapture;
use crate::driver::Driver;
use crate::socket::CallError;
use browserlens_core::page::NodeKey;
use browserlens_core::page::raw::Nodes;
use browserlens_trace::Canonicalizer;
use std::collections::HashMap;
use std::time::Duration;

/// The element tree of one document of a snapshot.
struct Elements {
    backends: Vec<u32>,
    children: HashMap<i64, Vec<usize>>,
    root: Option<usize>,
}

impl Elements {
    fn of(nodes: &Nodes) -> Self {
        let mut children: HashMap<i64, Vec<usize>> = HashMap::new();
        let mut root = None;
        for (index, (kind, parent)) in nodes.node_type.iter().zip(&nodes.parent_index).enumerate() {
            if *kind != 1 || nodes.pseudo_type.index.binary_search(&(index as i64)).is_ok() {
                continue;
            }
            if usize::try_from(*parent).ok().and_then(|parent| nodes.node_type.get(parent)) == Some(&1) {
                children.entry(*parent).or_default().push(index);
            } else {
                root.get_or_insert(index);
            }
        }
        let backends = nodes.backend_node_id.iter().map(|id| u32::try_from(*id).unwrap_or(0)).collect();
        Self { backends, children, root }
    }

    /// Returns the backend node id of the element at a path of child indices.
    fn at(&self, path: &str) -> Option<u32> {
        let mut at = self.root?;
        for step in path.split('/').filter(|step| !step.is_empty()) {
            let step: usize = step.parse().ok()?;
            at = *self.children.get(&i64::try_from(at).ok()?)?.get(step)?;
        }
        self.backends.get(at).copied()
    }
}

impl Driver {
    /// Returns the entity ids of every frame, by node key, in order of the keys.
    pub(crate) async fn entities(
        &self,
        seen: &ParsedCapture,
        canonicalizer: &Canonicalizer,
    ) -> Result<Vec<(NodeKey, String)>, CallError> {
        let elements = seen.by_frame(|nodes, _| Elements::of(nodes));
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
            found.extend(pairs.filter_map(|(path, id)| Some((key(elements.at(&path)?), id))));
        }
        found.sort();
        Ok(found)
    }
}
