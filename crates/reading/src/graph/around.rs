//! What stands around a place of a page: under a heading, or within some steps of it.
//!
//! In: a [`ContentGraph`], a node, a number of steps or none. Out: [`Around`], and a line for each
//! node. Invariants: a line a node, whatever it says; what a limit leaves out is counted.

use super::content::{ContentGraph, ContentId};
use browserlens_core::page::text::{cut, escaped_line};
use std::fmt::Write as _;

/// Most characters that a line says of a node.
const LONGEST: usize = 160;

/// What stands around a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// The node.
    pub node: ContentId,
    /// The others, each with how many steps it is away; what stands under a heading is as many
    /// steps away as it is headings deep.
    pub others: Vec<(ContentId, usize)>,
}

/// Returns what lies within so many steps of a node, over edges of either kind; without a number,
/// everything under it.
pub fn around(graph: &ContentGraph, node: ContentId, within: Option<usize>) -> Around {
    let others = match within {
        Some(steps) => graph.neighbours(node, steps, &[]),
        None => {
            let deep = graph.trail(node).len();
            let under = graph.descendants(node).into_iter();
            under.map(|id| (id, graph.trail(id).len() - deep)).collect()
        }
    };
    Around { node, others }
}

impl Around {
    /// Returns the graph of the node and what stands around it.
    pub fn graph(&self, of: &ContentGraph) -> ContentGraph {
        of.only(std::iter::once(self.node).chain(self.others.iter().map(|(id, _)| *id)))
    }

    /// Writes a line for each node: steps, kind, and what it says, in at most `limit` characters.
    pub fn to_text(&self, of: &ContentGraph, limit: usize) -> String {
        let line = |id: ContentId, away: usize| {
            let node = of.node(id)?;
            let said = cut(&escaped_line(&node.text), LONGEST);
            let marks = node.level.map_or(String::new(), |level| "#".repeat(usize::from(level.min(6))) + " ");
            Some(format!("{away} {}: {marks}{said}\n", node.kind.name()))
        };
        let mut text = String::new();
        let mut left = limit;
        let all = std::iter::once((self.node, 0)).chain(self.others.iter().copied());
        for (shown, (id, away)) in all.enumerate() {
            let line = line(id, away).unwrap_or_default();
            let length = line.chars().count();
            if length > left && shown > 0 {
                let _ = write!(text, "… {} more nodes", self.others.len() + 1 - shown);
                break;
            }
            left = left.saturating_sub(length);
            text.push_str(&line);
        }
        text.truncate(text.trim_end().len());
        text
    }
}
