//! Writing the simplified tree as the tool's lines.
//!
//! In: a [`Tree`]. Out: lines, indented by one tab for each printed ancestor. Invariant: page text
//! stands as it is, as in the tool: line breaks inside of a text node stay, and nothing is escaped.

use super::attributes::{attribute_words, image_words};
use super::tree::{Origin, Tree, frame_content, has_closed_root, is_closed};
use super::view::View;
use crate::dom::{Id, push_reversed};
use std::fmt::Write as _;

/// Most images that one element is described by, and most nodes that are looked at for them.
const MOST_IMAGES: usize = 3;
const MOST_IMAGE_NODES: usize = 100;
/// Most elements of a frame that are listed as out of reach.
const MOST_HINTS: usize = 10;

enum Task {
    Node(usize, usize),
    Line(String),
}

/// What was written, and where each index ends in it, in bytes.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub text: String,
    pub indices: Vec<(usize, u32, Id)>,
}

/// Writes the tree.
pub(super) fn write(view: &View<'_, '_>, tree: &Tree) -> Written {
    let mut out = Written::default();
    let mut tasks: Vec<Task> = tree.root.map(|root| Task::Node(root, 0)).into_iter().collect();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Line(line) => push_line(&mut out.text, &line),
            Task::Node(at, depth) => write_node(view, tree, at, depth, &mut out, &mut tasks),
        }
    }
    out
}

fn push_line(out: &mut String, line: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(line);
}

/// Appends the line of an element; its index is the first thing in brackets.
fn push_element(out: &mut Written, index: Option<u32>, id: Id, line: &str) {
    push_line(&mut out.text, line);
    if let Some((index, end)) = index.zip(line.find(']')) {
        out.indices.push((out.text.len() - line.len() + end + 1, index, id));
    }
}

fn write_node(view: &View<'_, '_>, tree: &Tree, at: usize, depth: usize, out: &mut Written, tasks: &mut Vec<Task>) {
    let node = &tree.nodes[at];
    let indent = "\t".repeat(depth);
    let mut below = depth;
    let mut after = Vec::new();
    match node.origin {
        _ if node.excluded => {}
        Origin::Text(id) => {
            if !node.covered {
                push_line(&mut out.text, &format!("{indent}{}", view.dom.node(id).text.trim()));
            }
        }
        Origin::ShadowRoot(_) | Origin::InternalRoot(_) => {
            let closed = matches!(node.origin, Origin::ShadowRoot(host) if is_closed(view, host));
            push_line(&mut out.text, &format!("{indent}{} Shadow", if closed { "Closed" } else { "Open" }));
            below += 1;
            after.push(format!("{indent}Shadow End"));
        }
        Origin::Wrapper(_) => {}
        Origin::Editor(_) => {
            // Its index is nothing that could be said again: the browser's number of it is in no
            // capture.
            let new = if node.new { "*" } else { "" };
            let index = node.index.unwrap_or(0);
            push_line(&mut out.text, &format!("{indent}{new}|scroll element[{index}]<div />"));
        }
        Origin::Element(id) if view.dom.tag(id) == "svg" => {
            return push_element(out, node.index, id, &format!("{indent}{}", svg_line(view, tree, at, id)));
        }
        Origin::Element(id) => {
            let frame = matches!(view.dom.tag(id), "iframe" | "frame");
            if node.index.is_some() || view.is_scrollable(id) || frame {
                push_element(out, node.index, id, &format!("{indent}{}", element_line(view, tree, at, id)));
                below += 1;
            }
            after.extend(frame_hints(view, id).into_iter().map(|hint| format!("{indent}{hint}")));
        }
    }
    tasks.extend(after.into_iter().rev().map(Task::Line));
    tasks.extend(node.children.iter().rev().map(|child| Task::Node(*child, below)));
}

fn shadow_mark(view: &View<'_, '_>, tree: &Tree, at: usize) -> &'static str {
    match tree.nodes[at].shadow_host {
        false => "",
        true if has_closed_root(view, &tree.nodes, at) => "|SHADOW(closed)|",
        true => "|SHADOW(open)|",
    }
}

fn svg_line(view: &View<'_, '_>, tree: &Tree, at: usize, id: Id) -> String {
    let node = &tree.nodes[at];
    let mut line = shadow_mark(view, tree, at).to_owned();
    if let Some(index) = node.index {
        _ = write!(line, "{}[{index}]", if node.new { "*" } else { "" });
    }
    line.push_str("<svg");
    push_word(&mut line, &attribute_words(view, id));
    line.push_str(" /> <!-- SVG content collapsed -->");
    line
}

fn push_word(line: &mut String, word: &str) {
    if !word.is_empty() {
        line.push(' ');
        line.push_str(word);
    }
}

fn element_line(view: &View<'_, '_>, tree: &Tree, at: usize, id: Id) -> String {
    let node = &tree.nodes[at];
    let tag = view.dom.tag(id);
    let scrolls = shows_scroll(view, id);
    let mut line = shadow_mark(view, tree, at).to_owned();
    match node.index {
        Some(index) => {
            let mark = if scrolls { "|scroll element[" } else { "[" };
            _ = write!(line, "{}{mark}{index}]", if node.new { "*" } else { "" });
        }
        None if scrolls => line.push_str("|scroll element|"),
        None if tag == "iframe" => line.push_str("|IFRAME|"),
        None if tag == "frame" => line.push_str("|FRAME|"),
        None => {}
    }
    _ = write!(line, "<{tag}");
    push_word(&mut line, &attribute_words(view, id));
    if node.index.is_some() {
        push_word(&mut line, &images(view, tree, at));
    }
    push_word(&mut line, node.compound.as_deref().unwrap_or(""));
    line.push_str(" />");
    if scrolls {
        let scroll = scroll_words(view, id);
        if !scroll.is_empty() {
            _ = write!(line, " ({scroll})");
        }
    }
    line
}

fn images(view: &View<'_, '_>, tree: &Tree, at: usize) -> String {
    let mut found = Vec::new();
    let mut todo = vec![at];
    // The element itself, and then so many below it.
    let mut seen = 0;
    while let Some(next) = todo.pop() {
        if seen > MOST_IMAGE_NODES || found.len() >= MOST_IMAGES {
            break;
        }
        seen += 1;
        found.extend(tree.nodes[next].origin.element().and_then(|id| image_words(view, id)));
        todo.extend(tree.nodes[next].children.iter().rev());
    }
    found.join(" ")
}

fn shows_scroll(view: &View<'_, '_>, id: Id) -> bool {
    if view.dom.tag(id) == "iframe" {
        return true;
    }
    view.is_scrollable(id)
        && (matches!(view.dom.tag(id), "body" | "html")
            || !view.dom.parent_element(id).is_some_and(|parent| view.is_scrollable(parent)))
}

fn scroll_words(view: &View<'_, '_>, id: Id) -> String {
    if view.dom.tag(id) == "iframe" {
        let html = frame_content(view, id)
            .and_then(|document| view.dom.children(document).find(|child| view.dom.tag(*child) == "html"));
        return html.and_then(|html| frame_scroll_words(view, html)).unwrap_or_else(|| "scroll".to_owned());
    }
    let Some(scroll) = view.scroll_box(id) else { return String::new() };
    let mut parts = Vec::new();
    if scroll.height > scroll.client_height {
        let (above, below) = pages(scroll.top, scroll.height, scroll.client_height);
        parts.push(format!("{above:.1} pages above, {below:.1} pages below"));
    }
    if scroll.width > scroll.client_width {
        let share = scroll.left / (scroll.width - scroll.client_width) * 100.0;
        parts.push(format!("horizontal {share:.0}%"));
    }
    parts.join(" ")
}

fn frame_scroll_words(view: &View<'_, '_>, html: Id) -> Option<String> {
    let scroll = view.scroll_box(html).filter(|_| view.is_scrollable(html))?;
    let (above, below) = pages(scroll.top, scroll.height, scroll.client_height);
    let room = scroll.height - scroll.client_height;
    let share = if room > 0.0 { scroll.top / room * 100.0 } else { 0.0 };
    (above >= 0.05 || below >= 0.05).then(|| format!("scroll: {above:.1}↑ {below:.1}↓ {}%", share as u32))
}

/// How many times the visible height lies above and below.
fn pages(top: f32, height: f32, visible: f32) -> (f32, f32) {
    if visible <= 0.0 {
        return (0.0, 0.0);
    }
    (top.max(0.0) / visible, (height - visible - top).max(0.0) / visible)
}

/// What a frame holds that is too far away.
fn frame_hints(view: &View<'_, '_>, id: Id) -> Vec<String> {
    let Some(document) = frame_content(view, id) else { return Vec::new() };
    let bounds = view.bounds(id).unwrap_or_default();
    let height = view.dom.node(id).client.map_or(bounds.height, |(_, height)| height);
    let top = bounds.y;
    let scrolled =
        view.dom.page.frames().get(usize::from(view.dom.node(document).frame.0)).map_or(0.0, |frame| frame.scroll.y);
    let mut found: Vec<(f32, String)> = Vec::new();
    let mut other = false;
    let mut todo = vec![document];
    while let Some(next) = todo.pop() {
        if view.is_beyond(next) {
            other = true;
            if view.dom.is_element(next) && view.is_interactive(next) {
                let y = view.bounds(next).map_or(0.0, |bounds| bounds.y - top + scrolled);
                let pages =
                    if height > 0.0 { (f64::from(y) / f64::from(height) * 10.0).round_ties_even() / 10.0 } else { 0.0 };
                found.push((
                    pages as f32,
                    format!("    <{}> \"{}\" ~{pages:?} pages down", view.dom.tag(next), label(view, next)),
                ));
            }
        }
        push_reversed(&mut todo, view.dom.children(next));
    }
    if found.is_empty() {
        let more = "... (more content below viewport - scroll to reveal)";
        return other.then(|| more.to_owned()).into_iter().collect();
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(MOST_HINTS);
    let head = format!("... ({} more elements below - scroll to reveal):", found.len());
    std::iter::once(head).chain(found.into_iter().map(|(_, line)| line)).collect()
}

fn label(view: &View<'_, '_>, id: Id) -> String {
    let name = view.ax(id).map(|ax| ax.name.clone()).filter(|name| !name.is_empty());
    let attribute = |name| view.dom.attribute(id, name).filter(|text| !text.is_empty());
    let label = || ["placeholder", "title", "aria-label"].into_iter().find_map(attribute).unwrap_or("(no label)");
    name.as_deref().unwrap_or_else(label).chars().take(40).collect()
}
