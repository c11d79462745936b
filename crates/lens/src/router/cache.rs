//! Signals cached per origin, with the rule that says when they are stale.
//!
//! In: a page. Out: its signals, read or remembered. Invariant: remembered signals are used only
//! while the page is plausibly the same one: same origin, same document (frame and loader), same
//! address up to its fragment, node count within 10 %, no frame more or less, and at most
//! [`MAX_AGE_STEPS`] steps old. Nothing compared grows with the page, so a hit costs nothing. Why
//! not per origin alone, as the seed has it: a site's login and its spreadsheet share an origin and
//! need different representations, and in a single-page application they share the document too.

use super::Signals;
use browserlens_core::page::{Page, SecondLook};
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
    /// The address up to its fragment.
    address: String,
    frames: usize,
    nodes: usize,
    age: u32,
    signals: Signals,
}

impl SignalCache {
    /// Returns the signals of a page, from the cache while that is not stale.
    pub fn signals(&mut self, page: &Page, earlier: Option<&SecondLook>) -> Signals {
        let origin = url::Url::parse(page.url()).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let address = page.url().split('#').next().unwrap_or_default();
        let (document, frames, nodes) = (page.document(), page.frames().len(), page.len());
        if let Some(entry) = self.known.get_mut(&origin) {
            let fresh = entry.document == document
                && entry.address == address
                && entry.frames == frames
                && entry.nodes.abs_diff(nodes) * 10 <= entry.nodes
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
        let address = address.to_owned();
        self.known.insert(origin, Entry { document, address, frames, nodes, age: 0, signals: signals.clone() });
        signals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{NodeKey, PageBuilder};

    fn page_at(url: &str, loader: u32, buttons: usize, clickables: usize) -> Page {
        let mut builder = PageBuilder::new(url, "");
        builder.document(1, loader);
        let outline = format!("{}{}", "button \"b\"\n".repeat(buttons), "generic clickable\n".repeat(clickables));
        builder.add_outline(&outline);
        builder.finish()
    }

    fn page(loader: u32, buttons: usize, clickables: usize) -> Page {
        page_at("https://a.test/x", loader, buttons, clickables)
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
    fn a_tenth_of_the_nodes_more_or_less_is_the_same_page_and_more_is_not() {
        let kept = |nodes: usize| {
            let mut cache = SignalCache::default();
            let first = page(1, 99, 0);
            assert_eq!(first.len(), 100, "the root and its buttons");
            cache.signals(&first, None);
            cache.signals(&page(1, 0, nodes - 1), None).a11y_coverage > 0.9
        };
        assert_eq!([89, 90, 110, 111].map(kept), [false, true, true, false]);
    }

    #[test]
    fn another_address_in_the_same_document_is_read_and_another_fragment_is_not() {
        let mut cache = SignalCache::default();
        cache.signals(&page_at("https://a.test/x#one", 1, 40, 0), None);
        assert!(cache.signals(&page_at("https://a.test/x#two", 1, 20, 20), None).a11y_coverage > 0.9);
        assert!(cache.signals(&page_at("https://a.test/y", 1, 20, 20), None).a11y_coverage < 0.6);
    }

    #[test]
    fn origins_do_not_share_signals_and_are_remembered_beside_each_other() {
        let mut cache = SignalCache::default();
        cache.signals(&page_at("https://a.test/", 1, 40, 0), None);
        assert!(cache.signals(&page_at("https://b.test/", 1, 20, 20), None).a11y_coverage < 0.6, "another origin");
        assert!(cache.signals(&page_at("https://a.test/", 1, 20, 20), None).a11y_coverage > 0.9, "back: remembered");
    }

    #[test]
    fn what_changes_by_itself_is_taken_over_even_on_a_hit() {
        let mut cache = SignalCache::default();
        assert_eq!(cache.signals(&page(1, 40, 0), None).dynamic_ratio, None);
        let key = NodeKey { frame: 1, loader: 1, backend: 1 };
        let look = SecondLook { nodes: 10, added: vec![key], ..SecondLook::default() };
        assert_eq!(cache.signals(&page(1, 40, 0), Some(&look)).dynamic_ratio, Some(look.dynamic_ratio()));
        assert!(look.dynamic_ratio() > 0.0);
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
