//! Names for what can be acted on and has none.
//!
//! In: a view's tree. Out: the same, with a name and [`StateSet::DERIVED`] on each nameless control
//! for which the page offers one, in this order of trust: title, tooltip, placeholder, label text
//! beside a field, words of its id, of its `data-` attributes, of its own icon or part class, what
//! its class says that it does, words of an icon in it, of a class or shape that none beside it
//! has. Invariants: a control that holds anything with a name gets none; an item's own words are
//! never replaced.

use super::Meta;
use super::names::collapse;
use crate::last_resort::{act_of, drawn_label, kind_of_its_own};
use crate::tree::{NONE, StateSet, Tree};
use browserlens_core::page::{NodeKind, NodeRef, Page, role};
use std::sync::Arc;

/// Longest text that labels a field beside it, in characters.
const LONGEST_LABEL: usize = 60;
/// How many nodes of a control are looked through for an icon.
const ICON_NODES: usize = 12;
/// Most words of a name.
const MOST_WORDS: usize = 3;

/// Words of classes and ids that say how something is built or looks.
const NOISE: &[&str] = &[
    "active", "bar", "base", "block", "box", "button", "card", "cell", "circle", "clickable", "col", "container",
    "control", "cursor", "dark", "default", "elem", "element", "field", "flex", "ghost", "glyph", "hidden", "ico",
    "icon", "icons", "image", "img", "inline", "inner", "input", "interactive", "item", "large", "light", "link",
    "material", "medium", "mini", "outer", "outline", "outlined", "plain", "pointer", "primary", "regular", "root",
    "round", "rounded", "row", "secondary", "sharp", "small", "solid", "square", "symbol", "symbols", "tertiary",
    "tiny", "visible", "wrap", "wrapper",
];
/// Words that mark a class as an icon's.
const ICON_MARKS: &[&str] = &[
    "bi", "codicon", "fa", "fab", "fal", "far", "fas", "feather", "glyphicon", "ico", "icon", "icons", "lucide", "mdi",
    "octicon",
];
/// `data-` attributes whose value alone says what the element is for.
const TELLING: &[&str] =
    &["act", "action", "cmd", "command", "do", "icon", "label", "name", "test", "testid", "tool", "value"];
/// `data-` attributes that number or style things.
const SILENT: &[&str] = &[
    "col", "entity", "id", "idx", "index", "key", "orientation", "ref", "row", "side", "slot", "state", "theme", "uid",
];

/// Names what has no name.
pub(super) fn derive(page: &Page, tree: &mut Tree, meta: &[Meta]) {
    for id in 1..tree.len() as u32 {
        let item = tree.item(id);
        let drawn = &*item.role == "canvas";
        if !meta[id as usize].interactive || drawn || tree.parent(id) == NONE {
            continue;
        }
        let node = page.node(meta[id as usize].node);
        if !item.name.is_empty() {
            // A sign such as "⋮" says less than the title of what it stands on.
            let title = node.attribute("title").filter(|_| !item.name.contains(char::is_alphanumeric)).map(collapse);
            if let Some(title) = title.filter(|title| !title.is_empty()) {
                tree.item_mut(id).name = Arc::from(title);
            }
            continue;
        }
        let toggle = matches!(&*item.role, "checkbox" | "radio" | "switch");
        let field = role::is_text_field(&item.role) || matches!(&*item.role, "listbox" | "slider");
        if !field && tree.subtree(id).skip(1).any(|below| !tree.item(below).name.is_empty()) {
            continue;
        }
        let label = match (field, toggle) {
            (true, _) => labels_beside(tree, id).0,
            (_, true) => {
                let (before, after) = labels_beside(tree, id);
                if is_labelled_before(tree, id) { before.or(after) } else { after.or(before) }
            }
            _ => drawn_label(node),
        };
        if let Some(name) = name_of(node, label) {
            let item = tree.item_mut(id);
            item.name = Arc::from(name);
            item.states.add(StateSet::DERIVED);
        }
    }
}

/// Returns the texts right before and right after an item, if they may be labels.
fn labels_beside(tree: &Tree, id: u32) -> (Option<String>, Option<String>) {
    let siblings = tree.children(tree.parent(id));
    let at = tree.position(id);
    let label = |at: Option<usize>| {
        let item = tree.item(*siblings.get(at?)?);
        let is_short = item.name.chars().count() <= LONGEST_LABEL;
        (item.is_text() && is_short && item.name.contains(char::is_alphabetic)).then(|| item.name.to_string())
    };
    (label(at.checked_sub(1)), label(Some(at + 1)))
}

/// Returns whether the texts beside a row of toggles stand before them: the row then begins with a
/// text and ends with a toggle.
fn is_labelled_before(tree: &Tree, id: u32) -> bool {
    let siblings = tree.children(tree.parent(id));
    let own = &tree.item(id).role;
    let (at, fits) = (tree.position(id), |at: &u32| tree.item(*at).is_text() || tree.item(*at).role == *own);
    let first = siblings[..at].iter().rev().take_while(|at| fits(at)).last();
    let last = siblings[at..].iter().take_while(|at| fits(at)).last();
    first.is_some_and(|first| tree.item(*first).is_text()) && last.is_some_and(|last| !tree.item(*last).is_text())
}

fn name_of(node: NodeRef<'_>, label: Option<String>) -> Option<String> {
    let said = |name: &str| node.attribute(name).map(collapse).filter(|text| !text.is_empty());
    let described = || Some(collapse(node.description())).filter(|text| !text.is_empty());
    said("title")
        .or_else(described)
        .or_else(|| ["data-tooltip", "data-title", "data-original-title", "data-tip"].into_iter().find_map(said))
        .or_else(|| said("placeholder"))
        .or(label)
        .or_else(|| joined(words(node.attribute("id")?)))
        .or_else(|| node.attributes().find_map(|(name, value)| data_words(name.strip_prefix("data-")?, value)))
        .or_else(|| node.attribute("class")?.split_ascii_whitespace().find_map(|class| class_words(class, true)))
        .or_else(|| act_of(node).map(str::to_owned))
        .or_else(|| {
            let mut below = node.descendants().take(ICON_NODES).filter(|below| below.kind() == NodeKind::Element);
            below.find_map(icon_words)
        })
        .or_else(|| kind_of_its_own(node, |class| words(class).join(" ")))
}

fn joined(words: Vec<String>) -> Option<String> {
    (!words.is_empty()).then(|| words.join(" "))
}

/// Splits at dashes, underscores and capitals; nothing if any part looks like a hash.
fn split(token: &str) -> Vec<String> {
    if token.chars().any(|c| !(c.is_ascii_alphabetic() || c == '-' || c == '_')) {
        return Vec::new();
    }
    let mut parts = vec![String::new()];
    let mut lower = false;
    for c in token.chars() {
        if !c.is_ascii_alphabetic() || (lower && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if c.is_ascii_alphabetic()
            && let Some(part) = parts.last_mut()
        {
            part.push(c.to_ascii_lowercase());
        }
        lower = c.is_ascii_lowercase();
    }
    parts
}

/// Returns the words of a token that say something.
fn words(token: &str) -> Vec<String> {
    let says = |word: &String| {
        (3..=16).contains(&word.len())
            && word.contains(['a', 'e', 'i', 'o', 'u', 'y'])
            && NOISE.binary_search(&word.as_str()).is_err()
    };
    split(token).into_iter().filter(says).take(MOST_WORDS).collect()
}

fn data_words(key: &str, value: &str) -> Option<String> {
    if SILENT.contains(&key) || value.is_empty() || value.len() > 24 || matches!(value, "true" | "false") {
        return None;
    }
    let tells = TELLING.contains(&key);
    let value = match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true if tells => return None,
        true => value.to_owned(),
        false => joined(split(value).into_iter().filter(|word| word.len() >= 3).take(MOST_WORDS).collect())?,
    };
    if tells { Some(value) } else { Some(format!("{} {value}", joined(words(key))?)) }
}

/// Returns the words of a class that names an icon, or a part of a block (`news__pause`).
fn class_words(class: &str, parts: bool) -> Option<String> {
    let class = class.split("--").next()?;
    let marked = split(class).iter().any(|word| ICON_MARKS.contains(&word.as_str()));
    if marked || (parts && class.contains("__")) { joined(words(class)) } else { None }
}

fn icon_words(node: NodeRef<'_>) -> Option<String> {
    match node.tag() {
        "use" => {
            let href = node.attribute("href").or_else(|| node.attribute("xlink:href"))?;
            joined(words(href.rsplit('#').next()?))
        }
        "img" => {
            let file = node.attribute("src")?.rsplit('/').next()?;
            joined(words(file.split('.').next()?))
        }
        "i" | "svg" | "span" => {
            node.attribute("class")?.split_ascii_whitespace().find_map(|class| class_words(class, false))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_is_sorted() {
        assert!(NOISE.is_sorted(), "a binary search needs it");
    }

    #[test]
    fn words_are_split_and_hashes_refused() {
        for (token, expected) in [
            ("icon-trash", "trash"),
            ("deleteAccount", "delete account"),
            ("news__pause", "news pause"),
            ("css-1x2y3z", ""),
            ("bdVaJa", ""),
            ("btn", ""),
            ("react-select-2-input", ""),
        ] {
            assert_eq!(words(token).join(" "), expected, "{token}");
        }
        assert_eq!(class_words("icon-btn", true), None);
        assert_eq!(class_words("cursor-grab", true), None, "a utility class");
        assert_eq!(data_words("slide", "3").as_deref(), Some("slide 3"));
        assert_eq!(data_words("do", "ink").as_deref(), Some("ink"));
        assert_eq!(data_words("key", "HB-203"), None);
    }
}
