//! Signals cached per origin, with the rule that says when they are stale.
//!
//! In: a page. Out: its signals, read or remembered. Invariant: remembered signals are used only while the page is
//! plausibly the same one: same origin, same document (frame and loader), node count within 10 %, no frame more or
//! less, and at most [`MAX_AGE_STEPS`] steps old. Everything compared is O(1), so a hit costs nothing.
//! Why not per origin alone, as the seed has it: a site's login and its spreadsheet share an origin and need different
//! representations.

use super::Signals;
use browserlens_page::{Page, SecondLook};
use std::collections::HashMap;

/// How many steps signals may be reused.
pub const MAX_AGE_STEPS: u32 = 8;

/// Signals by origin.
#[derive(Clone, Debug, Default)]
pub struct SignalCache {
    known: HashMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    document: (u32, u32),
    frames: usize,
    nodes: usize,
    age: u32,
    signals: Signals,
}

impl SignalCache {
    /// Returns the signals of a page, from the cache while that is not stale.
    pub fn signals(&mut self, page: &Page, earlier: Option<&SecondLook>) -> Signals {
        let origin = url::Url::parse(page.url()).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let document = page.frames().first().map_or((0, 0), |frame| (frame.number, frame.loader));
        if let Some(entry) = self.known.get_mut(&origin) {
            let fresh = entry.document == document
                && entry.frames == page.frames().len()
                && entry.nodes.abs_diff(page.len()) * 10 <= entry.nodes
                && entry.age < MAX_AGE_STEPS;
            if fresh {
                entry.age += 1;
                if let Some(look) = earlier {
                    entry.signals.dynamic_ratio = Some(look.dynamic_ratio());
                }
                return entry.signals.clone();
            }
        }
        let signals = Signals::of(page, earlier);
        let entry =
            Entry { document, frames: page.frames().len(), nodes: page.len(), age: 0, signals: signals.clone() };
        self.known.insert(origin, entry);
        signals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::PageBuilder;

    fn page(loader: u32, buttons: usize, clickables: usize) -> Page {
        let mut builder = PageBuilder::new("https://a.test/x", "");
        builder.document(1, loader);
        let outline = format!("{}{}", "button \"b\"\n".repeat(buttons), "generic clickable\n".repeat(clickables));
        builder.add_outline(&outline);
        builder.finish()
    }

    #[test]
    fn signals_are_remembered_for_the_same_document_and_read_again_for_another() {
        let mut cache = SignalCache::default();
        let first = cache.signals(&page(1, 40, 0), None);
        let same_size = page(1, 20, 20);
        assert_eq!(cache.signals(&same_size, None), first, "same document and size: remembered");
        assert!(cache.signals(&page(2, 20, 20), None).a11y_coverage < 0.6, "another document: read");
        assert!(cache.signals(&page(2, 60, 0), None).a11y_coverage > 0.9, "another size: read");
    }

    #[test]
    fn signals_grow_stale_with_age() {
        let mut cache = SignalCache::default();
        cache.signals(&page(1, 40, 0), None);
        let changed = page(1, 20, 20);
        for _ in 0..MAX_AGE_STEPS {
            assert!(cache.signals(&changed, None).a11y_coverage > 0.9);
        }
        assert!(cache.signals(&changed, None).a11y_coverage < 0.6);
    }
}
