//! What the markup of a node says: its kind, label, target, and whether it is a row.

use crate::extract::markup_role;
use crate::refs::evidence::hash;
use browserlens_core::page::{NodeKind, NodeRef, Page, role};
use std::collections::HashMap;

/// Returns the texts of a heading; of one that has none, its name.
pub(super) fn words_of<'p>(node: NodeRef<'p>) -> Vec<&'p str> {
    let texts = node.subtree().filter(|below| below.kind() == NodeKind::Text).map(|below| below.text().trim());
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { vec![node.name()] } else { texts }
}

pub(super) fn difference(sums: &[(u64, u32)], node: NodeRef<'_>) -> (u64, u32) {
    let (from, to) = (sums[node.id().index()], sums[node.end() as usize]);
    (to.0.wrapping_sub(from.0), to.1 - from.1)
}

/// Returns what a node is by its markup, in words of roles; of controls, only that an option is
/// one. A dialog takes the roles of what is behind it away, and its markup stays.
pub(super) fn kind_of(node: NodeRef<'_>) -> &str {
    let unmarked = if node.tag().is_empty() { node.role() } else { "" };
    markup_role(node).filter(|kind| *kind == "option" || !role::is_interactive(kind)).unwrap_or(unmarked)
}

/// Returns what a node is called by its markup.
pub(super) fn label_of(node: NodeRef<'_>) -> &str {
    if node.tag().is_empty() {
        return node.name();
    }
    ["aria-label", "alt", "title", "placeholder"].into_iter().find_map(|name| node.attribute(name)).unwrap_or("")
}

pub(super) fn is_chrome(role: &str) -> bool {
    matches!(role, "banner" | "navigation" | "contentinfo")
}

/// Returns where a link leads, if that says anything.
pub(super) fn target_of<'p>(node: NodeRef<'p>) -> Option<&'p str> {
    if node.tag() != "a" && node.role() != "link" {
        return None;
    }
    let target = node.attribute("href")?.trim();
    let nowhere = target.is_empty() || target.starts_with('#') || target.starts_with("javascript:");
    (!nowhere).then_some(target)
}

/// Returns the language that a page says it is in, without its region.
pub(super) fn language_of(page: &Page) -> Option<&str> {
    let language = page.nodes().find(|node| node.tag() == "html")?.attribute("lang")?;
    language.split(['-', '_']).next().filter(|language| !language.is_empty())
}

/// Returns the hash of a target without the parts of it that are nothing but a language.
pub(super) fn hash_without(target: &str, language: Option<&str>) -> u64 {
    let parts = target.split(['/', '?', '&', '=', '#']);
    let is_language = |part: &&str| part.split(['-', '_']).next().is_some_and(|part| Some(part) == language);
    parts.filter(|part| !is_language(part)).fold(0, |before, part| hash((before, part)))
}

/// Says which nodes are rows: by role, or as one of at least three siblings (or two neighbours) of
/// one shape.
pub(super) fn rows(page: &Page) -> Vec<bool> {
    let mut is_row = vec![false; page.len()];
    let mut kin: HashMap<u64, u32> = HashMap::new();
    let mut shapes: Vec<(u32, u64, u64)> = Vec::new();
    for node in page.nodes().filter(|node| node.kind() != NodeKind::Text) {
        kin.clear();
        shapes.clear();
        for child in node.children().filter(|child| child.kind() == NodeKind::Element) {
            let kind = kind_of(child);
            if role::is_cell(kind) || matches!(child.tag(), "td" | "th" | "br" | "option") {
                continue;
            }
            let mut inner = child.children().filter(|inner| inner.kind() == NodeKind::Element);
            let first = inner.clone().next().map_or("", |inner| inner.tag());
            let loose = hash((child.tag(), kind, first));
            let whole = inner.by_ref().take(8).fold(loose, |shape, inner| hash((shape, inner.tag(), kind_of(inner))));
            is_row[child.id().index()] = role::is_item(kind);
            *kin.entry(loose).or_default() += 1;
            shapes.push((child.id().0, loose, whole));
        }
        for (index, (id, loose, whole)) in shapes.iter().enumerate() {
            let beside = index.checked_sub(1).is_some_and(|before| shapes[before].2 == *whole)
                || shapes.get(index + 1).is_some_and(|after| after.2 == *whole);
            if beside || kin.get(loose).is_some_and(|count| *count >= 3) {
                is_row[*id as usize] = true;
            }
        }
    }
    is_row
}
