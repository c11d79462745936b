//! Numbers elements at a capture, so that an event tells which node it meant without asking the
//! page again.
//!
//! In: the canonical snapshot, and the listener's own walk over the same document. Out: the node
//! key of each number. Invariants: both walks take the elements in one order (document order, open
//! shadow trees before an element's own children) and agree in count and in a hash of their names,
//! else the document has no numbers; a number stays good for its capture, whatever the page
//! becomes.

use crate::capture::{Columns, ElementTree, ParsedCapture};
use crate::driver::Driver;
use browserlens_core::page::NodeKey;
use browserlens_core::page::raw::Nodes;
use browserlens_trace::Canonicalizer;
use serde::Deserialize;
use std::collections::HashMap;

/// How many captures' numbers are kept: events of earlier ones do not come any more.
const KEPT: u32 = 32;

#[derive(Deserialize)]
struct Walked {
    count: usize,
    hash: u32,
    held: Vec<(u64, u32)>,
}

/// Which nodes the numbers of the last captures stand for.
#[derive(Default)]
pub(crate) struct Numbers {
    epoch: u32,
    /// By session, context and epoch.
    tables: HashMap<(String, i64, u32), Vec<NodeKey>>,
    /// Elements that had no number when they were told of, and got one at a capture since.
    found: HashMap<(String, i64, u64), NodeKey>,
}

impl Numbers {
    pub(crate) fn key(&self, session: &str, context: i64, (epoch, ordinal): (u32, u32)) -> Option<NodeKey> {
        self.tables.get(&(session.to_owned(), context, epoch))?.get(ordinal as usize).copied()
    }

    /// Returns the node of an element that was held.
    pub(crate) fn held(&self, session: &str, context: i64, held: u64) -> Option<NodeKey> {
        self.found.get(&(session.to_owned(), context, held)).copied()
    }

    /// Numbers the elements of what was just seen; returns whether every document could be numbered
    /// that has a listener.
    pub(crate) async fn take(&mut self, driver: &Driver, seen: &ParsedCapture, canonicalizer: &Canonicalizer) -> bool {
        let mut all = true;
        self.epoch += 1;
        let (epoch, oldest) = (self.epoch, self.epoch.saturating_sub(KEPT));
        self.tables.retain(|(_, _, of), _| *of > oldest);
        let documents: HashMap<u32, (Vec<u32>, u32)> = seen.by_frame(walk);
        for frame in &seen.frames {
            let key = (frame.session.clone(), frame.frame.clone());
            let context = driver.browser.read().frames.get(&key).and_then(|known| known.watch);
            let (Some(context), Some(number)) = (context, canonicalizer.known_frame(&frame.frame)) else { continue };
            let (Some(loader), Some((backends, hash))) = (canonicalizer.current_loader(number), documents.get(&number))
            else {
                continue;
            };
            let call = format!("browserLensWatch.number({epoch}, {}, {hash})", backends.len());
            let Ok(said) = driver.evaluate_apart(&frame.session, context, &call).await else { continue };
            let Some(walked) = said.as_str().and_then(|text| serde_json::from_str::<Walked>(text).ok()) else {
                continue;
            };
            if walked.count != backends.len() || walked.hash != *hash {
                all = false;
                continue;
            }
            let keys: Vec<NodeKey> =
                backends.iter().map(|backend| NodeKey { frame: number, loader, backend: *backend }).collect();
            for (held, ordinal) in walked.held {
                if let Some(key) = keys.get(ordinal as usize) {
                    self.found.insert((frame.session.clone(), context, held), *key);
                }
            }
            self.tables.insert((frame.session.clone(), context, epoch), keys);
        }
        all
    }
}

/// Returns the backend node ids of a document's elements in the listener's order, and the hash of
/// their names.
fn walk(nodes: &Nodes, snapshot: &Columns) -> (Vec<u32>, u32) {
    let text = |index: Option<&i64>| index.map_or("", |index| snapshot.text(*index));
    let tree = ElementTree::of(nodes);
    let host = |root: usize| usize::try_from(*nodes.parent_index.get(root)?).ok();
    let open_roots = nodes.shadow_root_type.pairs().filter(|(_, kind)| snapshot.text(*kind) == "open");
    let roots: HashMap<usize, usize> = open_roots.filter_map(|(root, _)| Some((host(root)?, root))).collect();
    let mut backends = Vec::new();
    let mut hash = 2_166_136_261_u32;
    let mut mix = |unit: u32| hash = (hash ^ unit).wrapping_mul(16_777_619);
    let mut open: Vec<usize> = tree.root.into_iter().collect();
    while let Some(at) = open.pop() {
        backends.push(tree.backend(at));
        text(nodes.node_name.get(at)).to_lowercase().encode_utf16().for_each(|unit| mix(u32::from(unit)));
        mix(32);
        let below = |node: usize| tree.children.get(&node).into_iter().flatten().rev().copied();
        open.extend(below(at));
        if let Some(root) = roots.get(&at) {
            open.extend(below(*root));
        }
    }
    (backends, hash)
}
