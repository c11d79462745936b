//! What a control is called that has no name: its class, its shape, or the text that is drawn at
//! it.
//!
//! In: an element. Out: a name, or none. Both forms of a page (`extract`, `reference`) ask here.

use crate::controls::{MOST_BESIDE, is_alike, is_drawn};
use crate::extract::collapse;
use browserlens_core::page::{NodeKind, NodeRef};

/// Most nodes of a picture in which labels are looked for: every shape is held against every label
/// and every other shape.
const LARGEST_PICTURE: u32 = 2_000;
/// Most classes of an element whose classes may say what it is: with more, they say how it looks.
const MOST_CLASSES: usize = 4;

/// Returns what tells a nameless control from those beside it, where nothing else does: a class
/// that none of its like beside it has, or the shape it is drawn as. `words` takes a class apart
/// and leaves out what says nothing.
pub(crate) fn kind_of_its_own(node: NodeRef<'_>, words: impl Fn(&str) -> String) -> Option<String> {
    let classes: Vec<&str> = node.attribute("class").unwrap_or("").split_ascii_whitespace().collect();
    let others = || {
        let beside = node.parent().into_iter().flat_map(|parent| parent.children());
        beside.filter(|other| other.id() != node.id() && other.tag() == node.tag())
    };
    let shared = |class: &str| {
        others().take(MOST_BESIDE).any(|other| {
            other.attribute("class").is_some_and(|theirs| theirs.split_ascii_whitespace().any(|their| their == class))
        })
    };
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

/// Returns the text that is drawn at a shape of an SVG picture: its label. It is the one of its
/// number where every shape like it has one, or no other shape is nearer to it.
pub(crate) fn drawn_label(node: NodeRef<'_>) -> Option<String> {
    if !is_drawn(node.tag()) {
        return None;
    }
    // A group that holds it and one text: the text is what it is called.
    if let Some(group) = node.parent().filter(|group| group.tag() == "g") {
        let mut texts = group.children().filter(|child| child.tag() == "text" && child.is_visible());
        if let (Some(text), None) = (texts.next(), texts.next()) {
            return Some(drawn_words(text)).filter(|name| !name.is_empty());
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
        return Some(drawn_words(label)).filter(|name| !name.is_empty());
    }
    let nearest = labels.iter().copied().min_by(|a, b| gap(node, *a).total_cmp(&gap(node, *b)))?;
    let distance = gap(node, nearest);
    let mut others =
        picture.descendants().filter(|below| is_drawn(below.tag()) && seen(below) && below.id() != node.id());
    (is_near(nearest) && !others.any(|other| gap(other, nearest) < distance))
        .then(|| drawn_words(nearest))
        .filter(|name| !name.is_empty())
}

fn drawn_words(text: NodeRef<'_>) -> String {
    let all: String = text.subtree().filter(|below| below.kind() == NodeKind::Text).map(|below| below.text()).collect();
    collapse(&all)
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
