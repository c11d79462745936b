//! Compares names with the text below them, so that nothing is said twice.
//!
//! In: a name and the pieces of text below its item. Out: whether the pieces add anything.
//! Invariant: a walk over the pieces stops as soon as they are longer than the name, so the cost is
//! that of the name.

use crate::tree::{Item, StateSet, Tree};
use browserlens_core::page::role;
use browserlens_core::page::text::{folded, is_unseen};

/// Returns text with every run of white space as one blank and none at its ends, without the glyphs
/// of icon fonts; nothing if nothing of it can be seen.
pub(crate) fn collapse(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
    if !is_plain && text.chars().any(|c| is_glyph(c) || is_unseen(c)) {
        let words: String = text.chars().filter(|c| !is_glyph(*c)).collect();
        return if says_something(&words) { folded(&words) } else { String::new() };
    }
    folded(text)
}

/// Returns text as [`collapse`] does, line by line, without empty lines: a page has line ends only
/// where white space is kept (`pre`).
pub(super) fn collapse_lines(text: &str) -> String {
    if !text.contains('\n') {
        return collapse(text);
    }
    let lines = text.split('\n').map(collapse).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether anything of a text can be read: not only white space, glyphs of icon fonts and
/// characters nobody sees.
pub(crate) fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !is_glyph(c) && !is_unseen(c))
}

/// Private-use characters are drawn as icons: they say nothing as text.
pub(crate) fn is_glyph(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Returns whether text equals the pieces in a row, white space apart.
pub(super) fn equals<'a>(name: &str, pieces: impl Iterator<Item = &'a str>) -> bool {
    let mut rest = name.chars().filter(|c| !c.is_whitespace());
    for piece in pieces {
        for c in piece.chars().filter(|c| !c.is_whitespace()) {
            if rest.next() != Some(c) {
                return false;
            }
        }
    }
    rest.next().is_none()
}

/// Returns whether every piece stands in the name, in order and at word boundaries; a comma or stop
/// behind a word is no part of it.
pub(super) fn holds<'a>(name: &str, pieces: impl Iterator<Item = &'a str>) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let mut at = 0;
    for piece in pieces {
        let wanted = piece.split_whitespace().count();
        if wanted == 0 {
            continue;
        }
        let found = (at..words.len().saturating_sub(wanted - 1))
            .find(|start| piece.split_whitespace().zip(&words[*start..]).all(|(a, b)| bare(a) == bare(b)));
        match found {
            Some(start) => at = start + wanted,
            None => return false,
        }
    }
    true
}

fn bare(word: &str) -> &str {
    word.trim_end_matches([',', '.', ';', ':'])
}

/// Returns what an item says by itself, if that is text and nothing else.
pub(super) fn says_only_text(item: &Item) -> bool {
    item.value.is_empty()
        && item.states == StateSet::NONE
        && item.mark.is_none()
        && &*item.role != "canvas"
        && &*item.role != "iframe"
}

/// Returns the names below an item in document order, its own left out.
pub(super) fn pieces_below(tree: &Tree, id: u32) -> impl Iterator<Item = &str> {
    tree.subtree(id).skip(1).map(|below| &*tree.item(below).name)
}

/// Returns what the browser names a cell or row by: the same with the value of a text field in
/// place of its name, and of a control that has a name nothing but that.
pub(super) fn said_below(tree: &Tree, id: u32, acts: impl Fn(u32) -> bool) -> impl Iterator<Item = &str> {
    let mut todo: Vec<u32> = tree.children(id).iter().rev().copied().collect();
    std::iter::from_fn(move || {
        let below = todo.pop()?;
        let item = tree.item(below);
        if item.name.is_empty() || !acts(below) {
            todo.extend(tree.children(below).iter().rev());
        }
        let is_field = role::is_text_field(&item.role) && !item.value.is_empty();
        Some(if is_field { &*item.value } else { &*item.name })
    })
}
