//! Which elements a pattern keeps for the text in them, for cleaned HTML.
//!
//! In: a page, the parts to search, a pattern, and what it keeps by paths. Out: the elements to
//! write, and which nodes of them. Invariants: text is searched a block at a time (a paragraph, an
//! item, a row); hidden text counts only where it was asked for.

use crate::grep::Grep;
use crate::nearest::Choice;
use crate::path::Paths;
use browserlens_core::page::text::folded;
use browserlens_core::page::{Flags, NodeId, NodeKind, NodeRef, Page};
use std::collections::HashMap;

/// What is written.
pub(crate) struct Kept {
    /// The outermost elements.
    pub roots: Vec<NodeId>,
    /// Which nodes in them, by index; none for all.
    pub mask: Option<Vec<bool>>,
}

/// Says what is written, or what could have been matched if nothing is.
pub(crate) fn kept(
    page: &Page,
    paths: &Paths<'_>,
    roots: &[NodeId],
    grep: &Grep,
    by_path: Vec<NodeId>,
    include_hidden: bool,
) -> Result<Kept, Vec<Choice>> {
    let found = if grep.is_inverted() {
        blocks(page, &by_path, &[], include_hidden)
    } else {
        blocks(page, roots, &by_path, include_hidden)
    };
    let matching: Vec<bool> = found.iter().map(|block| grep.says(&block.line) != grep.is_inverted()).collect();
    if (by_path.is_empty() || grep.is_inverted()) && !matching.contains(&true) {
        return Err(found
            .into_iter()
            .flat_map(|block| [Choice::Name(block.text), Choice::Path(paths.path_near(block.node).to_string())])
            .collect());
    }
    let around = grep.with_context(&matching);
    if grep.is_inverted() {
        let mut mask = vec![true; page.len()];
        for (block, _) in found.iter().zip(around).filter(|(_, kept)| !kept) {
            mask[block.node.index()..page.node(block.node).end() as usize].fill(false);
        }
        return Ok(Kept { roots: by_path, mask: Some(mask) });
    }
    let mut all = by_path;
    all.extend(found.iter().zip(around).filter(|(_, kept)| *kept).map(|(block, _)| block.node));
    Ok(Kept { roots: outermost(page, all), mask: None })
}

/// Returns nodes in document order, without those that lie in another of them.
pub(crate) fn outermost(page: &Page, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    nodes.sort_unstable();
    let mut end = 0;
    nodes.retain(|node| {
        let outer = node.0 >= end;
        end = end.max(page.node(*node).end());
        outer
    });
    nodes
}

struct Block {
    node: NodeId,
    text: String,
    /// The text after the word that content says it with.
    line: String,
}

/// The blocks that hold text below roots, without those in what is left out.
fn blocks(page: &Page, roots: &[NodeId], left_out: &[NodeId], include_hidden: bool) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut known: HashMap<NodeId, usize> = HashMap::new();
    let mut skip = 0;
    for root in roots {
        for node in page.node(*root).subtree() {
            if left_out.binary_search(&node.id()).is_ok() {
                skip = skip.max(node.end());
            }
            let says = matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) && !node.text().trim().is_empty();
            if !says || node.id().0 < skip || !(include_hidden || node.is_visible()) {
                continue;
            }
            let Some(block) = block_of(node) else { continue };
            let at = *known.entry(block.id()).or_insert_with(|| {
                found.push(Block { node: block.id(), text: String::new(), line: String::new() });
                found.len() - 1
            });
            found[at].text.push_str(node.text());
            found[at].text.push(' ');
        }
    }
    for block in &mut found {
        let text = folded(&block.text);
        let node = page.node(block.node);
        block.line = match node.level() {
            Some(level) if node.role() == "heading" => format!("HEADING level={level} {text}"),
            _ => format!("TEXT {text}"),
        };
        block.text = text;
    }
    found
}

/// The block that a text stands in; a row for its cells; none in what is never written.
fn block_of(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let mut block = None;
    for above in node.ancestors().filter(|above| above.kind() == NodeKind::Element) {
        match above.tag() {
            "script" | "style" | "noscript" | "template" | "head" => return None,
            "td" | "th" if block.is_none() => {}
            tag => {
                let is_block = above.flags().has(Flags::BLOCK)
                    || matches!(tag, "p" | "li" | "tr" | "dt" | "dd" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
                if is_block && block.is_none() {
                    block = Some(above);
                }
            }
        }
    }
    block.or_else(|| node.parent())
}
