//! Builds the tree of a representation from a page.
//!
//! In: a [`Page`], and which nodes are known to change by themselves. Out: a [`View`]: a [`Tree`]
//! without refs or cuts, and for each item the node it stands for. Invariants: one pass over the
//! arena; what cannot be seen is left out; a name that its children say again is not said twice;
//! wrappers that say nothing are gone. `crate::reference` writes the same tree by other means, and
//! the Truth rule compares the two. Which should I use? `a11y` for pages with a good accessibility
//! tree, `dom` where roles and names must come from tags and attributes, `hybrid` where a part of
//! the page is drawn, `vision` where all of it is.

mod classify;
mod covered;
mod derive;
mod dom;
mod first;
mod grade;
mod names;
mod once;
pub(crate) mod regions;
mod tied;
mod walk;
mod zones;

#[cfg(test)]
mod tests;

pub use classify::is_called_on;
pub(crate) use dom::markup_role;
pub use grade::Grade;
pub(crate) use names::collapse;
pub use regions::Region;

use crate::tree::{Elided, Item, Mark, ROOT, Tree};
use browserlens_core::named;
use browserlens_core::page::{NodeId, NodeKey, Page};
use std::collections::HashSet;

named! {
    /// What the router chooses between.
    pub enum Representation {
        /// Accessibility tree joined with visible text.
        A11y = "a11y",
        /// Distilled DOM: roles and names from tags and attributes where the accessibility tree has
        /// none.
        Dom = "dom",
        /// Screenshot.
        Vision = "vision",
        /// Accessibility tree and a crop of each region that text cannot tell.
        Hybrid = "hybrid",
    }
}

/// What one item of a view stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Identity of the node; of a run of text, of its first node.
    pub key: NodeKey,
    /// The node in the page.
    pub node: NodeId,
    /// Whether an agent can act on it; such items get refs.
    pub interactive: bool,
    /// Whether it lies in the viewport.
    pub in_viewport: bool,
    /// Whether a second look saw it change by itself.
    pub noisy: bool,
}

/// The tree of one representation of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The tree; indices are document order, and the root stands for the page.
    pub tree: Tree,
    /// What each item stands for, by index.
    pub meta: Vec<Meta>,
    /// Regions that text cannot tell, in document order.
    pub regions: Vec<Region>,
}

/// How a view is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractOptions {
    /// Whether roles and names are taken from tags and attributes where the accessibility tree has
    /// none.
    pub from_dom: bool,
    /// What the distilled DOM keeps.
    pub grade: Grade,
    /// How many nodes of the regions are shown as pixels beside the text; the rest is one mark.
    pub regions_shown: usize,
}

/// Builds the view of a page.
pub fn extract(page: &Page, noisy: &HashSet<NodeKey>, options: &ExtractOptions) -> View {
    let (mut tree, mut meta) = walk::walk(page, noisy, options.from_dom);
    derive::derive(page, &mut tree, &meta);
    once::once(&mut tree, &meta);
    zones::zones(page, &tree, &mut meta);
    tied::tied(page, &mut tree, &meta);
    covered::covered(page, &mut tree, &meta);
    first::modal_first(&mut tree);
    let (tree, origin) = tree.compact();
    let meta = origin.iter().map(|old| meta[*old as usize]).collect();
    let mut view = View { tree, meta, regions: regions::regions(page) };
    let left_out = grade::apply(&mut view, options.grade);
    let pixels = view.regions.iter().map(|region| region.nodes).sum::<usize>().saturating_sub(options.regions_shown);
    for (what, count) in [left_out, (Elided::Images, pixels)] {
        if count > 0 {
            // The handle is given when the mark is first shown.
            let mark = Mark { handle: None, count: Some(count as u32), what };
            view.tree.push(ROOT, Item::elided(mark));
            view.meta.push(Meta { interactive: false, noisy: false, in_viewport: false, ..view.meta[0] });
        }
    }
    view
}
