//! Finds an element by what the listener said of it at the time of the event, where no number ties
//! it to a capture.
//!
//! In: the document's URL, the element's place and what identifies it. Out: the node of a captured
//! page. Invariant: in doubt there is none: a node is taken by its place only if it is what was
//! described, and by what it is only if the document has one of it. Why not ask the browser:
//! whoever acts without a pause has left the document by then.

use browserlens_core::page::{NodeKey, NodeKind, NodeRef, Page};
use browserlens_core::strategy::NodeHint;
use serde::Deserialize;

/// Characters of an element's text that are compared.
const MOST_TEXT: usize = 80;
/// Elements above that are compared.
const MOST_STEPS: usize = 40;
/// Elements in an element from which its text is not compared.
const MOST_BELOW: usize = 50;

/// How much the listener says of an element: the `__LIMITS__` of its script.
pub(crate) const LIMITS: [usize; 3] = [MOST_TEXT, MOST_STEPS, MOST_BELOW];

/// An element as it was when something was done to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Described {
    /// URL of its document, without fragment.
    #[serde(rename = "u")]
    url: String,
    /// From itself outwards: tag, and how many siblings of that tag stand before it.
    #[serde(rename = "p")]
    steps: Vec<(String, u32)>,
    /// Its `id`, `name` and `href`, as written.
    #[serde(default, rename = "a")]
    attributes: [Option<String>; 3],
    /// Beginning of its text.
    #[serde(default, rename = "w")]
    text: String,
    /// Role of the control that it is or stands in, as its markup has it; empty if that is none.
    #[serde(default, rename = "r")]
    role: String,
    /// Name of that control.
    #[serde(default, rename = "m")]
    name: String,
}

impl Described {
    /// Returns the node of a page that was described.
    pub(crate) fn find(&self, page: &Page) -> Option<NodeKey> {
        let tag = &self.steps.first()?.0;
        let frames_at = |part: fn(&str) -> &str| -> Vec<u32> {
            let at = page.frames().iter().filter(|frame| part(&frame.url) == part(&self.url));
            at.map(|frame| frame.number).collect()
        };
        let mut frames = frames_at(without_fragment);
        if frames.is_empty() {
            // What is done to a filter or a list often changes the query of its page, without a new
            // document.
            frames = frames_at(without_query);
        }
        let alike: Vec<NodeRef<'_>> = page
            .nodes()
            .filter(|node| node.kind() == NodeKind::Element && node.tag() == tag && frames.contains(&node.key().frame))
            .filter(|node| self.is(*node))
            .collect();
        match alike.as_slice() {
            [one] => Some(one.key()),
            _ => {
                let mut there = alike.iter().filter(|node| self.stands_at(**node));
                there.next().filter(|_| there.next().is_none()).map(|node| node.key())
            }
        }
    }

    /// Returns it in words, if it is a control.
    pub(crate) fn words(&self) -> Option<NodeHint> {
        let hint = NodeHint { role: self.role.clone(), name: self.name.clone(), ..NodeHint::default() };
        Some(hint).filter(|hint| !hint.role.is_empty())
    }

    fn is(&self, node: NodeRef<'_>) -> bool {
        let attributes = ["id", "name", "href"].map(|name| node.attribute(name).map(str::to_owned));
        attributes == self.attributes && text_of(node) == self.text
    }

    fn stands_at(&self, node: NodeRef<'_>) -> bool {
        let place = std::iter::once(node).chain(node.ancestors()).filter(|node| node.kind() == NodeKind::Element);
        let mut place = place.take(self.steps.len());
        self.steps
            .iter()
            .all(|(tag, before)| place.next().is_some_and(|node| node.tag() == tag && before_of(node) == *before))
    }
}

pub(super) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

fn without_query(url: &str) -> &str {
    url.split(['#', '?']).next().unwrap_or_default()
}

/// Returns how many siblings of its tag stand before an element.
fn before_of(node: NodeRef<'_>) -> u32 {
    let Some(parent) = node.parent() else { return 0 };
    let before = parent.children().take_while(|other| other.id() != node.id());
    before.filter(|other| other.kind() == NodeKind::Element && other.tag() == node.tag()).count() as u32
}

/// Returns the beginning of the text of an element that holds few others.
fn text_of(node: NodeRef<'_>) -> String {
    let below = node.subtree().skip(1).filter(|node| node.kind() == NodeKind::Element).take(MOST_BELOW + 1).count();
    if below > MOST_BELOW {
        return String::new();
    }
    let whole: String = node.subtree().filter(|node| node.kind() == NodeKind::Text).map(|node| node.text()).collect();
    whole.split_whitespace().collect::<String>().chars().take(MOST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    fn page() -> Page {
        PageBuilder::outline(
            "main\n  list\n    listitem\n      link \"Tea\" #5 href=/tea\n    listitem\n      link \"More\" #6 \
                href=/more\n    listitem\n      link \"More\" #7 href=/more",
        )
    }

    fn described(node: NodeRef<'_>, page: &Page) -> Described {
        let place = std::iter::once(node).chain(node.ancestors()).filter(|node| node.kind() == NodeKind::Element);
        Described {
            url: page.url().to_owned(),
            steps: place.map(|node| (node.tag().to_owned(), before_of(node))).collect(),
            attributes: ["id", "name", "href"].map(|name| node.attribute(name).map(str::to_owned)),
            text: text_of(node),
            role: node.role().to_owned(),
            name: node.name().to_owned(),
        }
    }

    #[test]
    fn an_element_is_found_by_what_it_is_and_among_its_like_by_where_it_stands() {
        let page = page();
        for backend in [5, 6, 7] {
            let node = page.nodes().find(|node| node.key().backend == backend).expect("a node");
            assert_eq!(described(node, &page).find(&page), Some(node.key()), "{backend}");
        }
    }

    #[test]
    fn in_doubt_there_is_none() {
        let page = page();
        let node = page.nodes().find(|node| node.key().backend == 6).expect("a node");
        let known = described(node, &page);
        let query = Described { url: format!("{}?sort=up", page.url()), ..known.clone() };
        assert_eq!(query.find(&page), Some(node.key()), "the page has another query since");
        let elsewhere = Described { url: "http://other.test/".to_owned(), ..known.clone() };
        assert_eq!(elsewhere.find(&page), None);
        let another = Described { text: "Fewer".to_owned(), ..known.clone() };
        assert_eq!(another.find(&page), None);
        let mut moved = known;
        moved.steps[1].1 = 9;
        assert_eq!(moved.find(&page), None, "two are alike and neither stands there");
    }
}
