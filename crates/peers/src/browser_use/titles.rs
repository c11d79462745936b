//! What the browser calls a tab: the title that its target had when it last navigated.
//!
//! In: the page and the action of each step. Out: a title. Invariant: a title that a document sets
//! after it was committed is not told before the tab navigates again: until then a new document is
//! called by its URL, one that history brings back by what it was called when it was left, and a
//! move within a document by what the document was called before.

use browserlens_core::page::Page;
use browserlens_core::strategy::ActionKind;
use std::collections::HashMap;

/// The titles of all tabs, by the number of their main frame.
#[derive(Debug, Default)]
pub(super) struct Titles(HashMap<u32, History>);

#[derive(Debug, Default)]
struct History {
    loader: u32,
    told: String,
    entries: Vec<Entry>,
    current: usize,
}

#[derive(Debug)]
struct Entry {
    url: String,
    title: String,
}

impl Entry {
    fn title(&self) -> String {
        if self.title.is_empty() { url_words(&self.url) } else { self.title.clone() }
    }
}

impl Titles {
    /// Takes note of a step and returns what the tab is called.
    pub fn enter(&mut self, page: &Page, action: Option<ActionKind>) -> &str {
        let (frame, loader) = page.document();
        let history = self.0.entry(frame).or_default();
        history.enter(page.url(), loader, action);
        // What history will call the document is its title as it was last seen.
        page.title().clone_into(&mut history.entries[history.current].title);
        history.loader = loader;
        &history.told
    }
}

impl History {
    fn enter(&mut self, url: &str, loader: u32, action: Option<ActionKind>) {
        let same_document = !self.entries.is_empty() && self.loader == loader;
        if same_document && self.entries[self.current].url == url {
            return;
        }
        let (before, after) = self.entries.split_at(self.current.min(self.entries.len()));
        let visited = match action {
            Some(ActionKind::Back) => before.iter().rposition(|entry| entry.url == url),
            Some(ActionKind::Forward) => {
                after.iter().skip(1).position(|entry| entry.url == url).map(|at| before.len() + 1 + at)
            }
            _ => None,
        };
        if let Some(visited) = visited {
            self.current = visited;
            self.told = self.entries[visited].title();
            return;
        }
        let title = if same_document { self.entries[self.current].title.clone() } else { String::new() };
        let entry = Entry { url: url.to_owned(), title };
        self.told = entry.title();
        self.entries.truncate(self.current + 1);
        self.entries.push(entry);
        self.current = self.entries.len() - 1;
    }
}

/// A URL as the browser shows it in the place of a title: without `http://`, and without the slash
/// of a bare host.
fn url_words(url: &str) -> String {
    let shown = url.strip_prefix("http://").unwrap_or(url);
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let bare = rest.find('/').is_some_and(|slash| slash + 1 == rest.len());
    if bare { shown.trim_end_matches('/').to_owned() } else { shown.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    fn told(titles: &mut Titles, url: &str, title: &str, loader: u32, action: ActionKind) -> String {
        let mut builder = PageBuilder::new(url, title);
        builder.document(1, loader);
        titles.enter(&builder.finish(), Some(action)).to_owned()
    }

    #[test]
    fn a_new_document_is_called_by_its_url_and_history_by_what_it_was_called() {
        let mut titles = Titles::default();
        let mut go = |url: &str, title: &str, loader, action| told(&mut titles, url, title, loader, action);
        assert_eq!(go("http://shop.test/", "Shop", 1, ActionKind::Goto), "shop.test");
        assert_eq!(go("http://shop.test/", "Shop (1)", 1, ActionKind::Click), "shop.test", "no navigation, no news");
        assert_eq!(go("http://shop.test/cart/", "Cart", 2, ActionKind::Click), "shop.test/cart/");
        assert_eq!(go("http://shop.test/", "Shop", 3, ActionKind::Back), "Shop (1)");
        assert_eq!(go("http://shop.test/cart/", "Cart", 4, ActionKind::Forward), "Cart");
        assert_eq!(go("http://shop.test/cart/#total", "Total", 4, ActionKind::Click), "Cart");
        assert_eq!(go("http://shop.test/cart/", "Cart", 4, ActionKind::Back), "Cart");
        assert_eq!(go("http://shop.test/", "Shop", 5, ActionKind::Click), "shop.test");
        assert_eq!(go("http://shop.test/elsewhere", "", 6, ActionKind::Back), "shop.test/elsewhere");
    }

    #[test]
    fn only_http_and_the_slash_of_a_bare_host_are_left_out() {
        for (url, words) in [
            ("https://pay.test/", "https://pay.test"),
            ("http://pay.test/a/?b=/", "pay.test/a/?b=/"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(url_words(url), words);
        }
    }
}
