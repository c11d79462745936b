//! Lines: one node each, its children two blanks further in.
//!
//! In: a [`Tree`] with the refs and marks of its nodes. Out: text. Invariant: every node is written
//! at most once, so that cycles of hostile ids end.

use super::marks::Mark;
use super::tree::Tree;
use std::collections::HashMap;
use std::fmt::Write as _;

/// What is written of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Everything.
    Full,
    /// Only what has a ref.
    Interactive,
}

/// Writes a frame; `refs` are by position.
pub(super) fn write(tree: &Tree, refs: &HashMap<usize, u32>, marks: &HashMap<u32, Mark>, extent: Extent) -> String {
    let mut out = String::new();
    let mut seen = vec![false; tree.nodes.len()];
    let mut todo: Vec<(usize, usize)> = tree.roots.iter().rev().map(|root| (*root, 0)).collect();
    while let Some((place, indent)) = todo.pop() {
        if std::mem::replace(&mut seen[place], true) {
            continue;
        }
        let node = &tree.nodes[place];
        let reference = refs.get(&place).copied();
        let passed_over = match node.role.as_str() {
            "" | "RootWebArea" | "WebArea" => true,
            "generic" => reference.is_none() && node.children.len() <= 1,
            "StaticText" => normal(&node.name).trim().is_empty(),
            _ => false,
        };
        let shown = !passed_over && (extent == Extent::Full || reference.is_some());
        if shown {
            let mark = reference.and(node.backend).and_then(|backend| marks.get(&backend));
            push_line(&mut out, tree, place, indent, reference, mark, extent);
        }
        let indent = indent + usize::from(shown);
        todo.extend(node.children.iter().rev().map(|child| (*child, indent)));
    }
    out
}

fn push_line(
    out: &mut String,
    tree: &Tree,
    place: usize,
    indent: usize,
    reference: Option<u32>,
    mark: Option<&Mark>,
    extent: Extent,
) {
    let node = &tree.nodes[place];
    out.extend(std::iter::repeat_n("  ", indent));
    out.push_str("- ");
    out.push_str(&node.role);
    let name = match mark {
        // The texts below are not written, so the element's own text stands in for a name.
        Some(mark) if node.name.is_empty() && extent == Extent::Interactive => &mark.text,
        _ => &node.name,
    };
    if !name.is_empty() {
        out.push(' ');
        out.extend(serde_json::to_string(&normal(name)));
    }
    let mut words = Vec::new();
    words.extend(node.level.map(|level| format!("level={level}")));
    words.extend(node.checked.as_ref().map(|checked| format!("checked={checked}")));
    words.extend(node.expanded.map(|expanded| format!("expanded={expanded}")));
    for (on, word) in [(node.selected, "selected"), (node.disabled, "disabled"), (node.required, "required")] {
        words.extend(on.then(|| word.to_owned()));
    }
    words.extend(reference.map(|number| format!("ref=e{number}")));
    if !words.is_empty() {
        _ = write!(out, " [{}]", words.join(", "));
    }
    if let Some(mark) = mark {
        _ = write!(out, " {} [{}]", mark.kind(), mark.hints().join(", "));
    }
    if !node.value.is_empty() && node.value != node.name {
        out.push_str(": ");
        out.push_str(&node.value);
    }
    out.push('\n');
}

/// No-break spaces as spaces, characters without width left out.
fn normal(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}'))
        .map(|c| if c == '\u{a0}' { ' ' } else { c })
        .collect()
}

/// Puts the text of a frame below the line of the element that holds it. Like the tool, takes the
/// first place where the ref stands alone in brackets, whatever line that is.
pub(super) fn insert_frame(out: &mut String, reference: u32, frame: &str) {
    let Some(at) = out.find(&format!("[ref=e{reference}]")) else { return };
    let start = out[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = out[at..].find('\n').map_or(out.len(), |newline| at + newline);
    let line = &out[start..end];
    let indent = line.len() - line.trim_start().len() + 2;
    let mut inner = String::with_capacity(frame.len() + 16);
    for line in frame.lines() {
        inner.extend(std::iter::repeat_n(' ', indent));
        inner.push_str(line);
        inner.push('\n');
    }
    if end == out.len() {
        out.push('\n');
        out.push_str(&inner);
    } else {
        out.insert_str(end + 1, &inner);
    }
}
