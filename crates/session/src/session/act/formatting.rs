//! What of an editor's text is formatted otherwise than before: no observation tells that.

use browserlens_core::page::{NodeKind, NodeRef, Page};
use browserlens_lens::format::escape;

/// Of how many editors, and of how many nodes of each, formatting is compared.
const EDITORS: usize = 5;
const MOST_NODES: usize = 2_000;
/// Most changes that are told, and the longest text of one, in characters.
const TOLD: usize = 4;
const LONGEST: usize = 40;

/// How the note of formatting that changed begins.
pub(super) const FORMATTING: &str = "its formatting changed: ";

const FORMATS: [&str; 24] = [
    "a", "b", "blockquote", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins", "li", "mark", "ol",
    "pre", "s", "strong", "sub", "sup", "u", "ul",
];

/// Returns the parts of an editor's text that have a format, in the order of the page.
fn formatted(editor: NodeRef<'_>) -> Vec<(&str, String)> {
    let below = editor.descendants().take(MOST_NODES).filter(|node| node.kind() == NodeKind::Element);
    below.filter(|node| FORMATS.contains(&node.tag())).map(|node| (node.tag(), text_of(node))).collect()
}

/// Returns the text that was written: the bullet of an item is none.
fn text_of(node: NodeRef<'_>) -> String {
    let written = node.subtree().filter(|part| part.kind() == NodeKind::Text && part.is_visible());
    written.map(|part| part.text().trim()).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Says how the text of the first editor is formatted otherwise that says the same as before.
pub(super) fn formatting_change(before: &Page, after: &Page) -> Option<String> {
    let is_editor = |node: &NodeRef<'_>| matches!(node.attribute("contenteditable"), Some("" | "true"));
    after.nodes().filter(is_editor).take(EDITORS).find_map(|editor| {
        // A format divides words, and an editor may write another blank where it ends.
        let says = |node: &NodeRef<'_>| text_of(*node).replace(char::is_whitespace, "");
        let old = before.find(editor.key()).filter(|old| says(old) == says(&editor))?;
        let (was, now) = (formatted(old), formatted(editor));
        let added = now.iter().filter(|part| !was.contains(part)).map(|part| ('+', part));
        let gone = was.iter().filter(|part| !now.contains(part)).map(|part| ('-', part));
        let told = |(sign, (tag, text)): (char, &(&str, String))| {
            let mut words = format!("{sign}{tag} ");
            escape::quote_beginning(&mut words, text, LONGEST);
            words
        };
        let words: Vec<String> = added.chain(gone).take(TOLD).map(told).collect();
        (!words.is_empty()).then(|| format!("{FORMATTING}{}\n", words.join(", ")))
    })
}
