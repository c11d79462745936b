//! Refs: one counter for all documents, kept on the DOM node while its document lives.
//!
//! In: the documents of each step and the nodes of a walk. Out: numbers. Invariant: a number is
//! never given twice to different nodes; a new document in a tab's main frame forgets all refs of
//! that tab, a new document in another frame only that frame's.

use std::collections::HashMap;

/// Frame number and loader of a document.
pub(super) type Document = (u32, u32);

/// The refs of one document.
#[derive(Clone, Debug, Default)]
struct DocumentRefs {
    loader: u32,
    /// By backend node id.
    given: HashMap<u32, u32>,
}

/// The refs of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Refs {
    last: u32,
    /// By number of the tab's main frame, then of the frame.
    tabs: HashMap<u32, HashMap<u32, DocumentRefs>>,
}

impl Refs {
    /// Takes note that a frame of a tab shows a document.
    pub fn enter(&mut self, tab: u32, (frame, loader): Document) {
        let documents = self.tabs.entry(tab).or_default();
        if documents.get(&frame).is_some_and(|known| known.loader == loader) {
            return;
        }
        if frame == tab {
            documents.clear();
        }
        documents.insert(frame, DocumentRefs { loader, ..DocumentRefs::default() });
    }

    /// The number of a node; one without a DOM node gets a new one at every step.
    pub fn give(&mut self, tab: u32, frame: u32, backend: Option<u32>) -> u32 {
        let next = self.last.saturating_add(1);
        let known = self.tabs.get_mut(&tab).and_then(|documents| documents.get_mut(&frame));
        let number = match (known, backend) {
            (Some(document), Some(backend)) => *document.given.entry(backend).or_insert(next),
            _ => next,
        };
        self.last = self.last.max(number);
        number
    }
}
