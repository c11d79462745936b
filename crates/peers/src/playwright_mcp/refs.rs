//! Refs: a counter a document, kept on the element with its role and name; and the prefixes of
//! documents.
//!
//! In: elements in the order of the walk; the frames of each step. Out: `e5`, `f1e5`. Invariant: a
//! ref is given again to the same element with the same role and name, and never to anything else
//! of its document; each new document of the main frame, and each new frame, takes the next prefix,
//! so that refs of a gone document stay dead.

use browserlens_core::page::Page;
use std::collections::HashMap;

/// The refs of one document.
#[derive(Clone, Debug, Default)]
pub(super) struct DocumentRefs {
    last: u32,
    /// By backend node id: role, name, ref.
    given: HashMap<u32, (&'static str, String, String)>,
}

impl DocumentRefs {
    /// Returns the ref of an element; one without a backend node id, which only hostile payloads
    /// have, gets a new one.
    pub fn give(&mut self, backend: u32, role: &'static str, name: &str, prefix: &str) -> String {
        if let Some((known_role, known_name, reference)) = self.given.get(&backend)
            && *known_role == role
            && known_name == name
        {
            return reference.clone();
        }
        self.last = self.last.saturating_add(1);
        let reference = format!("{prefix}e{}", self.last);
        if backend != 0 {
            self.given.insert(backend, (role, name.to_owned(), reference.clone()));
        }
        reference
    }
}

/// The documents of one tab.
#[derive(Clone, Debug, Default)]
struct Tab {
    main_loader: u32,
    next: u32,
    /// Prefix number by frame number.
    numbers: HashMap<u32, u32>,
}

/// Prefixes and refs over all steps of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Refs {
    /// By the number of the main frame.
    tabs: HashMap<u32, Tab>,
    /// By frame number and loader.
    documents: HashMap<(u32, u32), DocumentRefs>,
}

impl Refs {
    /// Takes note of the frames of a step.
    pub fn enter(&mut self, page: &Page) {
        let Some(main) = page.frames().first() else { return };
        let tab = self.tabs.entry(main.number).or_default();
        if tab.main_loader != main.loader {
            tab.main_loader = main.loader;
            tab.numbers.insert(main.number, tab.next);
            tab.next += 1;
        }
        for frame in page.frames().iter().skip(1) {
            let next = tab.next;
            tab.next += u32::from(*tab.numbers.entry(frame.number).or_insert(next) == next);
        }
    }

    /// The prefix of a frame's refs, and its document's refs.
    pub fn of(&mut self, page: &Page, ordinal: usize) -> (String, &mut DocumentRefs) {
        let (main, _) = page.document();
        let (number, loader) = page.frames().get(ordinal).map_or((0, 0), |frame| (frame.number, frame.loader));
        let prefix = self.tabs.get(&main).and_then(|tab| tab.numbers.get(&number)).copied().unwrap_or(0);
        let prefix = if prefix == 0 { String::new() } else { format!("f{prefix}") };
        (prefix, self.documents.entry((number, loader)).or_default())
    }
}
