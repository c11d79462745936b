//! What the tool's injected script asks the browser about an element: display, boxes, hiddenness,
//! live values.
//!
//! In: a [`Dom`]. Out: an [`Aria`] with one answer an element, computed once. Invariant: answers
//! follow the tool's rules, not the accessibility tree's: an element with a box counts as shown
//! even where assistive technology ignores it.

use super::drawing;
use crate::dom::{Dom, Id, Shadow};
use browserlens_core::page::{Clickability, Flags, NodeKey, NodeKind, States, Visibility};
use std::collections::HashMap;

/// Generated content as it was when its element was last rendered: the browser tells a script the
/// content of an element that is not rendered, but a capture does not hold it.
#[derive(Clone, Debug, Default)]
pub(super) struct Generated(HashMap<NodeKey, Vec<(String, String)>>);

impl Generated {
    /// The content of all elements that are rendered now.
    pub fn seen(aria: &Aria<'_, '_>) -> Vec<(NodeKey, Vec<(String, String)>)> {
        let dom = aria.dom;
        let rendered = (0..dom.len() as Id).filter(|id| dom.is_element(*id) && dom.has_layout(*id));
        let contents = rendered.map(|id| {
            let content = ["::before", "::after"].into_iter();
            let content = content.filter_map(|pseudo| Some((pseudo.to_owned(), aria.css_content(id, pseudo)?)));
            (dom.key(id), content.collect())
        });
        contents.collect()
    }

    /// Takes note of what was seen.
    pub fn enter(&mut self, seen: Vec<(NodeKey, Vec<(String, String)>)>) {
        for (key, content) in seen {
            if content.is_empty() {
                self.0.remove(&key);
            } else {
                self.0.insert(key, content);
            }
        }
    }
}

/// The tool's view of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    in_select: bool,
    in_svg: bool,
    /// In a part of a drawing that has no place on the page.
    in_store: bool,
    /// A line along an axis: its box has no area.
    flat: bool,
    rendered_below: bool,
    /// `display: none` or `aria-hidden` on the element or above.
    hidden_chain: bool,
    hidden: bool,
    pointer: bool,
    pub(super) role: Option<&'static str>,
}

/// A [`Dom`] with the tool's view of every element.
#[derive(Debug)]
pub(super) struct Aria<'d, 'a> {
    pub dom: &'d Dom<'a>,
    generated: &'d Generated,
    pub(super) facts: Vec<Facts>,
    pub(super) labels: HashMap<Id, Vec<Id>>,
}

impl<'d, 'a> Aria<'d, 'a> {
    pub fn new(dom: &'d Dom<'a>, generated: &'d Generated) -> Self {
        let facts = vec![Facts::default(); dom.len()];
        let mut aria = Self { dom, generated, facts, labels: HashMap::new() };
        for id in (0..dom.len() as Id).rev() {
            if let Some(parent) = dom.node(id).parent
                && (aria.of(id).rendered_below || dom.has_layout(id))
            {
                aria.facts[parent as usize].rendered_below = true;
            }
        }
        for id in 0..dom.len() as Id {
            if let Some(parent) = dom.node(id).parent {
                let (above, tag) = (aria.of(parent).clone(), dom.tag(parent));
                let in_svg = above.in_svg || tag == "svg";
                let facts = &mut aria.facts[id as usize];
                facts.in_select = above.in_select || tag == "select";
                facts.in_svg = in_svg;
                facts.in_store = in_svg && (above.in_store || drawing::is_store(tag));
                facts.flat = in_svg && drawing::is_flat(dom, id);
            }
            aria.facts[id as usize].pointer = aria.find_pointer(id);
            if dom.is_element(id) {
                let above = dom.parent_or_host(id).is_some_and(|parent| aria.of(parent).hidden_chain);
                aria.facts[id as usize].hidden_chain =
                    above || aria.display(id) == "none" || is_true(dom.attribute(id, "aria-hidden"));
            }
        }
        for id in (0..dom.len() as Id).rev() {
            aria.facts[id as usize].hidden = dom.is_element(id) && aria.find_hidden(id);
        }
        aria.find_roles();
        aria.find_labels();
        aria
    }

    fn of(&self, id: Id) -> &Facts {
        &self.facts[id as usize]
    }

    /// Computed `display`; without captured styles, the browser's default for the tag.
    pub fn display(&self, id: Id) -> &str {
        if let Some(display) = self.dom.style(id, "display") {
            return display;
        }
        let node = self.dom.node(id);
        if !self.dom.has_layout(id) {
            let in_select = self.of(id).in_select && matches!(node.tag.as_str(), "option" | "optgroup");
            return match () {
                () if in_select => "block",
                () if node.tag == "slot" || self.of(id).rendered_below => "contents",
                () => "none",
            };
        }
        let block = node.page.is_some_and(|page| page.flags().has(Flags::BLOCK));
        if block { "block" } else { default_display(&node.tag) }
    }

    fn find_pointer(&self, id: Id) -> bool {
        if let Some(cursor) = self.dom.style(id, "cursor") {
            return cursor == "pointer";
        }
        let node = self.dom.node(id);
        let own = node.page.is_some_and(|page| page.clickability().has(Clickability::POINTER));
        let link = node.tag == "a" && self.dom.attribute(id, "href").is_some();
        let resets = matches!(node.tag.as_str(), "button" | "input" | "select" | "textarea" | "option");
        own || link || (!resets && node.parent.is_some_and(|parent| self.of(parent).pointer))
    }

    /// Whether the element lies in an `svg`.
    pub fn is_in_svg(&self, id: Id) -> bool {
        self.of(id).in_svg
    }

    /// Whether the computed cursor is a pointer.
    pub fn has_pointer(&self, id: Id) -> bool {
        self.of(id).pointer
    }

    /// `checkVisibility()` and `visibility: visible`.
    fn is_style_visible(&self, id: Id) -> bool {
        if !self.dom.has_layout(id) {
            return false;
        }
        match self.dom.style(id, "visibility") {
            Some(visibility) => visibility == "visible",
            None => self.dom.node(id).page.is_some_and(|page| page.visibility() != Visibility::Hidden),
        }
    }

    fn has_area(&self, id: Id) -> bool {
        if self.of(id).in_store || self.of(id).flat {
            return false;
        }
        self.dom.node(id).page.is_some_and(|page| {
            page.visibility() != Visibility::NotRendered && page.bounds().width > 0.0 && page.bounds().height > 0.0
        })
    }

    /// Whether the element has a visible box, and whether that box is inline.
    pub fn visible_box(&self, id: Id) -> (bool, bool) {
        let mut at = id;
        // Elements without a box of their own take the first child's that has one.
        loop {
            if self.display(at) != "contents" {
                let visible = self.is_style_visible(at) && self.has_area(at);
                return (visible, at == id && self.is_style_visible(at) && self.display(at) == "inline");
            }
            let mut next = None;
            // What is assigned to a slot is no child of it.
            for child in self.dom.children(at).filter(|child| !self.dom.node(*child).slotted) {
                match self.dom.node(child).kind {
                    NodeKind::Text if self.has_area(child) => return (true, at == id),
                    NodeKind::Element if self.display(child) == "contents" => {
                        next = next.or(Some(child));
                    }
                    NodeKind::Element if self.is_style_visible(child) && self.has_area(child) => return (true, false),
                    _ => {}
                }
            }
            match next {
                Some(child) => at = child,
                None => return (false, false),
            }
        }
    }

    fn find_hidden(&self, id: Id) -> bool {
        let tag = self.dom.tag(id);
        if is_ignored(tag) {
            return true;
        }
        let slot = tag == "slot";
        if !slot && self.display(id) == "contents" {
            return !self.dom.children(id).any(|child| match self.dom.node(child).kind {
                NodeKind::Element => !self.of(child).hidden,
                NodeKind::Text => self.has_area(child),
                _ => false,
            });
        }
        let option_in_select = tag == "option" && self.of(id).in_select;
        if !option_in_select && !slot && !self.is_style_visible(id) {
            return true;
        }
        self.of(id).hidden_chain
    }

    /// Whether assistive technology does not see the element.
    pub fn is_hidden(&self, id: Id) -> bool {
        self.of(id).hidden
    }

    /// Whether clicks reach the element.
    pub fn receives_pointer(&self, id: Id) -> bool {
        match self.dom.style(id, "pointer-events") {
            Some(value) => value != "none",
            None => !self.dom.node(id).page.is_some_and(|page| page.flags().has(Flags::NO_POINTER_EVENTS)),
        }
    }

    /// Child nodes as the script walks them: slotted nodes in their slot, open shadow trees
    /// inlined; a closed shadow root cannot be entered, so that the host's own children stand there
    /// instead.
    pub fn script_children(&self, id: Id) -> Vec<Id> {
        if self.dom.tag(id) == "iframe" || self.dom.tag(id) == "frame" {
            return Vec::new();
        }
        let is_closed = |child: Id| self.dom.scope(child) == id && self.dom.node(child).shadow == Shadow::Closed;
        if self.dom.children(id).any(is_closed) {
            return self.dom.light_children(id);
        }
        self.dom.children(id).filter(|child| self.dom.node(*child).kind != NodeKind::Pseudo).collect()
    }

    /// Generated content before or after an element's children.
    pub fn css_content(&self, id: Id, pseudo: &str) -> Option<String> {
        if !self.dom.has_layout(id) {
            let known = self.generated.0.get(&self.dom.key(id))?;
            return known.iter().find(|(kind, _)| kind == pseudo).map(|(_, content)| content.clone());
        }
        let is_it = |child: &Id| self.dom.node(*child).kind == NodeKind::Pseudo && self.dom.tag(*child) == pseudo;
        let content = self.dom.children(id).find(is_it)?;
        let hidden = self.dom.style(content, "visibility") == Some("hidden");
        let text = match self.dom.style(content, "content") {
            Some(value) => css_string(value)?,
            None => self.dom.node(content).text.to_owned(),
        };
        if hidden {
            return None;
        }
        let inline = self.dom.style(content, "display").is_none_or(|display| display == "inline");
        Some(if inline { text } else { format!(" {text} ") })
    }

    /// The state of the page's node.
    pub fn has_state(&self, id: Id, state: States) -> bool {
        self.dom.node(id).page.is_some_and(|page| page.states().has(state))
    }

    /// `element.type` of an input, in lower case.
    pub fn input_type(&self, id: Id) -> String {
        let given = self.dom.attribute(id, "type").unwrap_or("text").to_ascii_lowercase();
        let known = [
            "button", "checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "image", "month",
            "number", "password", "radio", "range", "reset", "search", "submit", "tel", "text", "time", "url", "week",
        ]
        .contains(&given.as_str());
        if known { given } else { "text".to_owned() }
    }

    /// `element.value` of an input or text area.
    pub fn live_value(&self, id: Id) -> &'a str {
        let attribute = self.dom.attribute(id, "value").unwrap_or("");
        if self.dom.tag(id) == "input"
            && matches!(self.input_type(id).as_str(), "button" | "submit" | "reset" | "image" | "hidden")
        {
            return attribute;
        }
        self.dom.node(id).input_value.unwrap_or("")
    }
}

/// The string that a computed `content` stands for; none if it is an image, a counter or a quote.
fn css_string(value: &str) -> Option<String> {
    if matches!(value, "none" | "normal" | "") {
        return None;
    }
    let mut text = String::new();
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => {}
            '/' => text.clear(),
            '"' => {
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => text.push(css_escape(&mut chars)?),
                        _ => text.push(c),
                    }
                }
            }
            _ => return None,
        }
    }
    Some(text)
}

fn css_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    let mut code = 0;
    let mut digits = 0;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)).filter(|_| digits < 6) {
        code = code * 16 + digit;
        digits += 1;
        chars.next();
    }
    if digits == 0 {
        return chars.next();
    }
    chars.next_if_eq(&' ');
    Some(char::from_u32(code).unwrap_or('\u{fffd}'))
}

/// Whether an ARIA boolean is on.
pub(super) fn is_true(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Elements that are never part of the page.
pub(super) fn is_ignored(tag: &str) -> bool {
    matches!(tag, "style" | "script" | "noscript" | "template")
}

fn default_display(tag: &str) -> &'static str {
    match tag {
        "a" | "abbr" | "b" | "bdi" | "bdo" | "br" | "cite" | "code" | "data" | "del" | "dfn" | "em" | "i" | "img"
        | "ins" | "kbd" | "label" | "mark" | "map" | "area" | "q" | "s" | "samp" | "small" | "span" | "strong"
        | "sub" | "sup" | "svg" | "time" | "u" | "var" | "iframe" | "canvas" | "font" | "output" => "inline",
        "button" | "input" | "select" | "textarea" | "meter" | "progress" => "inline-block",
        _ => "block",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_content_is_a_string_its_alternative_or_nothing() {
        assert_eq!(css_string(r#""a\22 b""#).as_deref(), Some("a\"b"));
        assert_eq!(css_string(r#""★" / "star""#).as_deref(), Some("star"));
        assert_eq!(css_string("url(\"x.png\")"), None);
        assert_eq!(css_string("none"), None);
        assert_eq!(css_string(r#""a" "b""#).as_deref(), Some("ab"));
    }
}
