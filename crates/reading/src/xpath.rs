//! Where an element stands: a short xpath.
//!
//! In: a [`Page`]. Out: for any element an xpath. Invariants: no two elements of a page have the
//! same; at most [`MOST_STEPS`] steps, however deep the page nests; one forward pass, and a
//! constant number of steps for each xpath asked for.
//!
//! ```text
//! xpath = [ tree ] ( "/" steps | '//*[@id="' id '"]' [ "/" steps ] | "(//" tag ")[" n "]" )
//! tree  = "#document[" n "]" | "#shadow-root[" n "]"
//! steps = tag [ "[" n "]" ] *( "/" tag [ "[" n "]" ] )
//! ```
//!
//! Below an id that stands once in its document, or from the root; where both are further away than
//! [`MOST_STEPS`], the number among all elements of that tag in the document. An xpath reaches into
//! no frame and no shadow tree, so what lies there begins with the number of the frame's document
//! (as in [`Page::frames`]) or of the shadow tree (in document order, from 1); the rest is an xpath
//! in that tree. Numbers count elements of a capture, where what is slotted counts below its host;
//! an element that is slotted nowhere is not captured.

use browserlens_core::page::{Flags, NodeId, NodeKind, NodeRef, Page};
use rustc_hash::FxHashMap;

/// Most steps of an xpath.
pub const MOST_STEPS: usize = 8;
/// Longest id that is written, in bytes.
const LONGEST_ID: usize = 80;

/// The xpaths of a page.
#[derive(Debug)]
pub struct Xpaths<'p> {
    page: &'p Page,
    nodes: Vec<TreePosition>,
    trees: Vec<Tree>,
    siblings: FxHashMap<(u32, u32, &'p str), u32>,
    ids: FxHashMap<(u32, &'p str), u32>,
}

#[derive(Clone, Copy, Debug)]
struct TreePosition {
    /// The tree of the node itself.
    tree: u32,
    /// Parent in that tree; [`TOP`] for what stands at its top.
    parent: u32,
    /// Which of the siblings of its tag.
    nth: u32,
    /// Which of the elements of its tag in the tree.
    in_tree: u32,
}

const TOP: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum Tree {
    Main,
    Frame(u16),
    Shadow { number: u32, host: u32 },
}

impl<'p> Xpaths<'p> {
    /// Reads where the elements of a page stand.
    pub fn of(page: &'p Page) -> Self {
        let mut paths = Self {
            page,
            nodes: Vec::with_capacity(page.len()),
            trees: vec![Tree::Main],
            siblings: FxHashMap::default(),
            ids: FxHashMap::default(),
        };
        let mut in_tree: FxHashMap<(u32, &str), u32> = FxHashMap::default();
        let mut shadows: FxHashMap<u32, u32> = FxHashMap::default();
        for node in page.nodes() {
            let (tree, parent) = paths.tree_of(node, &mut shadows);
            let mut place = TreePosition { tree, parent, nth: 0, in_tree: 0 };
            if node.kind() == NodeKind::Element {
                let count = paths.siblings.entry((tree, parent, node.tag())).or_insert(0);
                *count += 1;
                place.nth = *count;
                let count = in_tree.entry((tree, node.tag())).or_insert(0);
                *count += 1;
                place.in_tree = *count;
                if let Some(id) = id_of(node) {
                    *paths.ids.entry((tree, id)).or_insert(0) += 1;
                }
            }
            paths.nodes.push(place);
        }
        paths
    }

    /// Returns the tree that a node lies in, and its parent there.
    fn tree_of(&mut self, node: NodeRef<'p>, shadows: &mut FxHashMap<u32, u32>) -> (u32, u32) {
        let Some(parent) = node.parent() else { return (0, TOP) };
        let above = self.nodes[parent.id().index()];
        if node.kind() == NodeKind::Document {
            self.trees.push(Tree::Frame(node.frame().0));
            return (self.trees.len() as u32 - 1, TOP);
        }
        if parent.kind() == NodeKind::Document {
            return (above.tree, TOP);
        }
        if node.flags().has(Flags::SLOTTED)
            && let Tree::Shadow { host, .. } = self.trees[above.tree as usize]
        {
            return (self.nodes[host as usize].tree, host);
        }
        let shadow = Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW);
        let host = Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED);
        if node.flags().any(shadow) && parent.flags().any(host) {
            let host = parent.id().0;
            let number = shadows.len() as u32 + 1;
            let tree = *shadows.entry(host).or_insert_with(|| {
                self.trees.push(Tree::Shadow { number, host });
                self.trees.len() as u32 - 1
            });
            return (tree, TOP);
        }
        (above.tree, parent.id().0)
    }

    /// Returns the xpath of an element; of a document or text, that of the tree or element around
    /// it.
    pub fn xpath(&self, id: NodeId) -> String {
        let Some(place) = self.nodes.get(id.index()) else { return "/".to_owned() };
        let node = self.page.node(id);
        let tree = match self.trees[place.tree as usize] {
            Tree::Main => String::new(),
            Tree::Frame(number) => format!("#document[{number}]"),
            Tree::Shadow { number, .. } => format!("#shadow-root[{number}]"),
        };
        if node.kind() != NodeKind::Element {
            return match node.parent() {
                Some(parent) if node.kind() != NodeKind::Document => self.xpath(parent.id()),
                _ => tree + "/",
            };
        }
        let mut steps: Vec<String> = Vec::new();
        let mut at = id.0;
        let root = loop {
            let here = self.nodes[at as usize];
            let element = self.page.node(NodeId(at));
            if let Some(id) = id_of(element).filter(|id| self.ids.get(&(here.tree, *id)) == Some(&1)) {
                break Some(format!("//*[@id=\"{id}\"]"));
            }
            if steps.len() == MOST_STEPS {
                break None;
            }
            let alone = self.siblings.get(&(here.tree, here.parent, element.tag())) == Some(&1);
            steps.push(if alone { element.tag().to_owned() } else { format!("{}[{}]", element.tag(), here.nth) });
            if here.parent == TOP {
                break Some(String::new());
            }
            at = here.parent;
        };
        let Some(mut path) = root.map(|root| tree.clone() + &root) else {
            return format!("{tree}(//{})[{}]", node.tag(), place.in_tree);
        };
        for step in steps.iter().rev() {
            path.push('/');
            path.push_str(step);
        }
        path
    }
}

fn id_of<'p>(node: NodeRef<'p>) -> Option<&'p str> {
    node.attribute("id").filter(|id| !id.is_empty() && id.len() <= LONGEST_ID && !id.contains(['"', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{NodeSpec, PageBuilder};
    use std::collections::HashSet;

    fn all(page: &Page) -> Vec<String> {
        let paths = Xpaths::of(page);
        page.nodes().filter(|node| node.kind() == NodeKind::Element).map(|node| paths.xpath(node.id())).collect()
    }

    #[test]
    fn an_id_that_stands_once_begins_a_path() {
        let page = PageBuilder::outline(
            r#"
            generic tag=html
              generic tag=body
                main id="top"
                  heading "A"
                  heading "B"
                generic id="twice"
                  paragraph
                generic id="twice"
                  paragraph
            "#,
        );
        assert_eq!(
            all(&page),
            [
                "/html", "/html/body", "//*[@id=\"top\"]", "//*[@id=\"top\"]/h2[1]", "//*[@id=\"top\"]/h2[2]",
                "/html/body/div[1]", "/html/body/div[1]/p", "/html/body/div[2]", "/html/body/div[2]/p",
            ]
        );
    }

    #[test]
    fn paths_are_short_and_no_two_alike_ten_thousand_deep() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for at in 0..10_000 {
            builder.open(NodeSpec { tag: if at % 3 == 0 { "section" } else { "div" }, ..NodeSpec::default() });
        }
        let paths = all(&builder.finish());
        assert!(paths.iter().all(|path| path.len() < 80 && path.split('/').count() <= MOST_STEPS + 3));
        assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len());
        assert_eq!(paths[9_999], "(//section)[3334]");
    }

    #[test]
    fn shadow_trees_are_numbered_and_what_is_slotted_lies_below_its_host() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "x-card", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "p", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
        builder.close();
        builder.open(NodeSpec { tag: "slot", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "b", flags: Flags::SLOTTED, ..NodeSpec::default() });
        assert_eq!(all(&builder.finish()), ["/x-card", "#shadow-root[1]/p", "#shadow-root[1]/slot", "/x-card/b"]);
    }
}
