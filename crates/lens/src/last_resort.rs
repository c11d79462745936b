//! What a control is called that has no name.
//!
//! In: an element, and the text beside it that may be its label. Out: a name, or none, in this order
//! of trust: title, tooltip, placeholder, label, words of its id, of a field's `name`, of its `data-`
//! attributes, of its own icon or part class, what its class says that it does, where it leads on the
//! site, words of an icon in it, of a class or shape that none beside it has. Both forms of a page
//! (`extract`, `reference`) ask here.

mod grid;

use crate::controls::{MOST_BESIDE, is_alike, is_drawn};
use crate::extract::collapse;
use browserlens_core::page::{Flags, NodeKind, NodeRef, role};

/// How many nodes of a control are looked through for an icon.
const ICON_NODES: usize = 12;
/// Most words of a name.
const MOST_WORDS: usize = 3;

/// Words of classes and ids that say how something is built or looks.
const NOISE: &[&str] = &[
    "active", "bar", "base", "block", "box", "button", "card", "cell", "circle", "clickable", "col", "container",
    "control", "cursor", "dark", "default", "elem", "element", "field", "flex", "ghost", "glyph", "hidden", "ico",
    "icon", "icons", "image", "img", "inline", "inner", "input", "interactive", "item", "large", "light", "link",
    "material", "medium", "mini", "only", "outer", "outline", "outlined", "plain", "pointer", "primary", "regular",
    "root", "round", "rounded", "row", "secondary", "sharp", "small", "solid", "square", "symbol", "symbols",
    "tertiary", "tiny", "visible", "wrap", "wrapper",
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
    "align", "col", "color", "direction", "entity", "id", "idx", "index", "key", "orientation", "ref", "row", "side",
    "size", "slot", "state", "theme", "uid", "variant",
];
/// Attributes by which libraries of icons name them.
const ICON_NAMES: &[&str] = &["data-icon", "data-lucide", "data-feather", "data-testid"];

/// Most nodes of a picture in which labels are looked for: every shape is held against every label
/// and every other shape.
const LARGEST_PICTURE: u32 = 2_000;
/// Most classes of an element whose classes may say what it is: with more, they say how it looks.
const MOST_CLASSES: usize = 4;

/// Returns the name that a page offers for a control without one; `label` is the text beside it.
pub(crate) fn name_of(node: NodeRef<'_>, label: Option<String>) -> Option<String> {
    let said = |name: &str| node.attribute(name).map(collapse).filter(|text| !text.is_empty());
    if node.tag() == "body" {
        // The text of an editor is called as its frame is.
        let frame = node.ancestors().find(|above| above.flags().has(Flags::IFRAME));
        return frame.map(|frame| collapse(frame.name())).filter(|name| !name.is_empty());
    }
    let described = || Some(collapse(node.description())).filter(|text| !text.is_empty());
    // What is hidden from assistive technology is not called by its label there.
    said("aria-label")
        .or_else(|| said("title"))
        .or_else(described)
        .or_else(|| ["data-tooltip", "data-title", "data-original-title", "data-tip"].into_iter().find_map(said))
        .or_else(|| node.placeholder().map(|text| collapse(&text)).filter(|text| !text.is_empty()))
        .or(label)
        .or_else(|| joined(words(node.attribute("id")?)))
        .or_else(|| joined(words(node.attribute("name").filter(|_| is_field(node))?)))
        .or_else(|| node.attributes().find_map(|(name, value)| data_of(node, name, value)))
        .or_else(|| words_of_classes(node, true))
        .or_else(|| act_of(node).map(str::to_owned))
        .or_else(|| part_of(node))
        .or_else(|| path_words(node))
        .or_else(|| icon_words(node).filter(|_| node.tag() == "input"))
        .or_else(|| {
            // In a field it says how its list is opened.
            if is_field(node) {
                return None;
            }
            let mut below = node.descendants().take(ICON_NODES).filter(|below| below.kind() == NodeKind::Element);
            below.find_map(icon_words)
        })
        .or_else(|| kind_of_its_own(node, |class| words(class).join(" ")))
}

/// Returns whether the text before a toggle is its label, not the one after it: the one that stands in
/// the toggle's line. None where both do or none does.
pub(crate) fn line_of_label(
    toggle: NodeRef<'_>,
    before: Option<NodeRef<'_>>,
    after: Option<NodeRef<'_>>,
) -> Option<bool> {
    let is_beside = |text: Option<NodeRef<'_>>| {
        let (own, other) = (toggle.bounds(), text?.bounds());
        let both = own.bottom().min(other.bottom()) - own.y.max(other.y);
        Some(both * 2.0 > own.height.min(other.height))
    };
    let (before, after) = (is_beside(before).unwrap_or(false), is_beside(after).unwrap_or(false));
    (before != after).then_some(before)
}

/// Whether a node takes a text or one of a list.
fn is_field(node: NodeRef<'_>) -> bool {
    role::is_text_field(node.role()) || node.tag() == "select"
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
            && !is_random(word)
    };
    split(token).into_iter().filter(says).take(MOST_WORDS).collect()
}

/// Whether letters follow each other as in no word: those of an id that was drawn by lot.
fn is_random(word: &str) -> bool {
    let is_vowel = |c: u8| b"aeiouy".contains(&c);
    let is_odd = |pair: &[u8]| match pair[0] {
        b'q' => pair[1] != b'u',
        b'v' | b'j' => !is_vowel(pair[1]),
        b'x' => !is_vowel(pair[1]) && !b"cpthl".contains(&pair[1]),
        b'z' => !is_vowel(pair[1]) && pair[1] != b'z',
        before => pair[1] == b'x' && !is_vowel(before) || pair[1] == b'q' && !b"aeinsc".contains(&before),
    };
    word.as_bytes().windows(2).filter(|pair| is_odd(pair)).count() >= 2
}

fn data_words(key: &str, value: &str) -> Option<String> {
    // Two letters before others name a library (`data-pc-section`), which says how it is built.
    if key.split_once('-').is_some_and(|(library, _)| library.len() <= 2)
        || key.rsplit('-').next().is_some_and(|last| SILENT.contains(&last))
        || value.is_empty()
        || value.len() > 24
        || matches!(value, "true" | "false")
    {
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

/// Returns the words of a `data-` attribute; where one beside it has the same, with a class that only it
/// has: `vote up`, `vote down`.
fn data_of(node: NodeRef<'_>, name: &str, value: &str) -> Option<String> {
    let words = data_words(name.strip_prefix("data-")?, value)?;
    let mut beside = node.parent().into_iter().flat_map(|parent| parent.children()).take(MOST_BESIDE);
    let is_shared = beside.any(|other| other.id() != node.id() && other.attribute(name) == Some(value));
    let says = |word: &String| word.len() > 1 && NOISE.binary_search(&word.as_str()).is_err();
    let of_class = |class: &str| split(class).into_iter().filter(says).take(MOST_WORDS).collect::<Vec<_>>().join(" ");
    let own = is_shared.then(|| kind_of_its_own(node, of_class)).flatten();
    Some(own.map_or_else(|| words.clone(), |own| format!("{words} {own}")))
}

/// Returns the words that a path of the same site ends in.
fn path_words(link: NodeRef<'_>) -> Option<String> {
    let href =
        link.attribute("href").filter(|href| link.tag() == "a" && !href.contains(':') && !href.starts_with("//"))?;
    let path = href.split(['?', '#']).next()?;
    joined(words(path.trim_end_matches('/').rsplit('/').next()?))
}

/// Returns the words of a class that names an icon, or a part of a block (`news__pause`). Icons of a
/// kind are numbered, and the name of their library says nothing (`lucide-trash-2`).
fn class_words(class: &str, parts: bool) -> Option<String> {
    let class = class.split("--").next()?.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let is_mark = |word: &String| ICON_MARKS.contains(&word.as_str());
    let all = split(class);
    if !all.iter().any(is_mark) {
        return if parts && class.contains("__") { joined(words(class)) } else { None };
    }
    match all.iter().filter(|word| !is_mark(word)).collect::<Vec<_>>()[..] {
        [sign] if sign == "x" => Some("close".to_owned()),
        _ => joined(words(class).into_iter().filter(|word| !is_mark(word)).collect()),
    }
}

/// Returns the words of the first of its classes that names an icon or a part, and not its library.
fn words_of_classes(node: NodeRef<'_>, parts: bool) -> Option<String> {
    node.classes().find_map(|class| class_words(class, parts).filter(|words| !is_library(node, class, words)))
}

/// Whether the first of some words is what a library begins its classes with: `tree` of
/// `tree-icon tree-checkbox`, `mui` of `MuiSvgIcon-root MuiSvgIcon-sizeMedium`. A class that goes on
/// from the other (`search-icon search-icon-large`) says the same thing.
fn is_library(node: NodeRef<'_>, class: &str, words: &str) -> bool {
    let word = words.split(' ').next().unwrap_or(words);
    let goes_on = |class: &str, with: fn(char) -> bool| {
        let beginning = class.get(..word.len()).filter(|beginning| beginning.eq_ignore_ascii_case(word));
        beginning.is_some() && class[word.len()..].starts_with(with)
    };
    let begins = |class: &str| goes_on(class, |c| c == '-' || c.is_ascii_uppercase());
    let is_other = |other: &str| !other.starts_with(class) && !class.starts_with(other);
    // `MuiIconButton` around `MuiSvgIcon`; a `search-form` around a `search-icon` says what that is.
    let around = node.parent().into_iter().flat_map(|parent| parent.classes());
    begins(class)
        && (node.classes().any(|other| begins(other) && is_other(other))
            || around.into_iter().any(|other| goes_on(other, |c| c.is_ascii_uppercase()) && is_other(other)))
}

fn icon_words(node: NodeRef<'_>) -> Option<String> {
    match node.tag() {
        "use" => {
            let href = node.attribute("href").or_else(|| node.attribute("xlink:href"))?;
            joined(words(href.rsplit('#').next()?))
        }
        "img" | "input" => {
            let file = node.attribute("src")?.rsplit('/').next()?;
            joined(words(file.split('.').next()?))
        }
        "i" | "svg" | "span" => {
            let named = ICON_NAMES.iter().filter_map(|name| node.attribute(name));
            let mut named = named.filter_map(|name| joined(words(name.rsplit(':').next()?)));
            named.next().or_else(|| words_of_classes(node, false))
        }
        // `ion-icon name="trash"`, `iconify-icon icon="mdi:home"`, `mat-icon svgIcon="user"`.
        tag if tag.contains('-') && tag.split('-').any(|word| word == "icon") => {
            let named = ["name", "icon", "svgicon"].into_iter().filter_map(|name| node.attribute(name));
            // Some give the picture itself.
            let mut named = named.filter(|name| !name.starts_with("data:") && !name.contains('<'));
            named.find_map(|name| joined(words(name.rsplit([':', '/']).next()?)))
        }
        _ => None,
    }
}

/// Returns what tells a nameless control from those beside it, where nothing else does: a class
/// that none of its like beside it has, or the shape it is drawn as. `words` takes a class apart
/// and leaves out what says nothing.
pub(crate) fn kind_of_its_own(node: NodeRef<'_>, words: impl Fn(&str) -> String) -> Option<String> {
    let classes: Vec<&str> = node.classes().collect();
    let others = || {
        let beside = node.parent().into_iter().flat_map(|parent| parent.children());
        beside.filter(|other| other.id() != node.id() && other.tag() == node.tag())
    };
    let shared = |class: &str| others().take(MOST_BESIDE).any(|other| other.classes().any(|their| their == class));
    // Of one that stands alone, they may as well say only how it looks.
    let own = if classes.len() > MOST_CLASSES || others().next().is_none() { &[][..] } else { &classes[..] };
    let by_class =
        own.iter().map(|class| (class, words(class))).find(|(class, words)| !words.is_empty() && !shared(class));
    let by_shape = || {
        let shape = match node.tag() {
            "rect" => "rectangle",
            "circle" | "ellipse" | "line" | "polygon" => node.tag(),
            _ => return None,
        };
        Some(shape.to_owned())
    };
    by_class.map(|(_, words)| words).or_else(by_shape)
}

/// Words of a class that say what a control does.
const ACTS: [&str; 18] = [
    "add", "close", "delete", "dismiss", "down", "edit", "expand", "first", "last", "minus", "next", "pause", "play",
    "plus", "prev", "previous", "remove", "up",
];

/// Returns the word of its class that says what a control does, if one does.
pub(crate) fn act_of<'p>(node: NodeRef<'p>) -> Option<&'p str> {
    let words = node.attribute("class")?.split(|c: char| !c.is_ascii_alphabetic());
    let mut acts = words.filter(|word| ACTS.contains(word));
    let act = acts.next()?;
    acts.all(|other| other == act).then_some(act)
}

/// Words of a class that say which part of a drawn control an element is.
const PARTS: [&str; 9] = ["slider", "checkbox", "handle", "knob", "radio", "resizer", "switch", "thumb", "toggle"];

/// Returns the words of its classes that say which part of a drawn control an element is.
fn part_of(node: NodeRef<'_>) -> Option<String> {
    let words: Vec<&str> = node.attribute("class")?.split(|c: char| !c.is_ascii_alphabetic()).collect();
    joined(PARTS.into_iter().filter(|part| words.contains(part)).map(str::to_owned).collect())
}

/// Returns where one of many boxes lies that are alike, as the texts before rows and above columns
/// say, or the text that is drawn at a shape of an SVG picture: its label. It is the one of its
/// number where every shape like it has one, or no other shape is nearer to it.
pub(crate) fn drawn_label(node: NodeRef<'_>) -> Option<String> {
    if let Some(place) = grid::place_of(node) {
        return Some(place);
    }
    if !is_drawn(node.tag()) {
        return None;
    }
    // A group that holds it and one text: the text is what it is called.
    if let Some(group) = node.parent().filter(|group| group.tag() == "g") {
        let mut texts = group.children().filter(|child| child.tag() == "text" && child.is_visible());
        if let (Some(text), None) = (texts.next(), texts.next()) {
            return drawn_words(text);
        }
    }
    let picture =
        node.ancestors().take_while(|above| above.kind() == NodeKind::Element).find(|above| above.tag() == "svg")?;
    if picture.end() - picture.id().0 > LARGEST_PICTURE {
        return None;
    }
    let seen = |below: &NodeRef<'_>| below.kind() == NodeKind::Element && below.is_visible();
    let labels: Vec<_> = picture.descendants().filter(|below| below.tag() == "text" && seen(below)).collect();
    let is_near = |label: NodeRef<'_>| gap(node, label) <= f64::from(label.bounds().height.max(12.0)) * 1.5;
    // As many labels as shapes that are alike: they are drawn in one order, and boxes of slices and
    // of lines lie over each other.
    let shapes: Vec<_> = picture.descendants().filter(|below| is_alike(*below, node) && seen(below)).collect();
    let its_own = shapes.iter().position(|shape| shape.id() == node.id()).filter(|_| shapes.len() == labels.len());
    if let Some(label) = its_own.map(|at| labels[at]).filter(|label| is_near(*label)) {
        return drawn_words(label);
    }
    let nearest = labels.iter().copied().min_by(|a, b| gap(node, *a).total_cmp(&gap(node, *b)))?;
    let distance = gap(node, nearest);
    let mut others =
        picture.descendants().filter(|below| is_drawn(below.tag()) && seen(below) && below.id() != node.id());
    if is_near(nearest) && !others.any(|other| gap(other, nearest) < distance) { drawn_words(nearest) } else { None }
}

fn drawn_words(text: NodeRef<'_>) -> Option<String> {
    let all: String = text.subtree().filter(|below| below.kind() == NodeKind::Text).map(|below| below.text()).collect();
    Some(collapse(&all)).filter(|words| !words.is_empty())
}

/// Distance between a shape and the middle of a text, in CSS px; 0 where the text's middle lies in
/// the shape's box.
fn gap(shape: NodeRef<'_>, text: NodeRef<'_>) -> f64 {
    let (shape, text) = (shape.bounds(), text.bounds());
    let (x, y) = (f64::from(text.x + text.width / 2.0), f64::from(text.y + text.height / 2.0));
    let beyond = |at: f64, from: f32, size: f32| (f64::from(from) - at).max(at - f64::from(from + size)).max(0.0);
    let aside = (beyond(x, shape.x, shape.width) - f64::from(text.width) / 2.0).max(0.0);
    aside.hypot((beyond(y, shape.y, shape.height) - f64::from(text.height) / 2.0).max(0.0))
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
            ("xwuqplbtynxua", ""),
            ("xtsidxvovzztl", ""),
            ("quizz-extra-next", "quizz extra next"),
            ("react-select-2-input", ""),
        ] {
            assert_eq!(words(token).join(" "), expected, "{token}");
        }
        for (class, expected) in [
            ("lucide", None),
            ("lucide-bell-ring", Some("bell ring")),
            ("lucide-trash-2", Some("trash")),
            ("lucide-x", Some("close")),
            ("icon-btn", None),
        ] {
            assert_eq!(class_words(class, true).as_deref(), expected, "{class}");
        }
        assert_eq!(data_words("radix-popper-side", "bottom"), None, "how it is laid out");
        assert_eq!(data_words("pc-section", "clearicon"), None, "a part of a component");
        assert_eq!(class_words("cursor-grab", true), None, "a utility class");
        assert_eq!(data_words("slide", "3").as_deref(), Some("slide 3"));
        assert_eq!(data_words("do", "ink").as_deref(), Some("ink"));
        assert_eq!(data_words("key", "HB-203"), None);
    }
}
