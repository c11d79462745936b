//! Accessible names by the tool's own computation, and which elements a name was made from.
//!
//! In: an element of an [`Aria`]. Out: its name (whitespace collapsed) and the elements that gave
//! it text. Invariant: no recursion: labels, `aria-labelledby` and content nest by a stack of
//! [`Frame`]s, so that the depth of a page costs heap, not stack. An element contributes at most
//! once to one name. Not followed: `content` replaced on an element itself.

mod native;

use super::aria::{Aria, is_ignored};
use crate::dom::{Dom, Id};
use browserlens_core::page::{NodeKind, States, is_js_space, js_trim};

/// Collapses whitespace and drops soft hyphens and zero-width spaces, as the tool does with all
/// text.
pub(super) fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars().filter(|c| !matches!(c, '\u{200b}' | '\u{ad}')) {
        if is_js_space(c) {
            gap = true;
        } else {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.push(c);
        }
    }
    out
}

/// Where a text alternative is used; each holds whether its root is hidden.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    labelled_by: Option<bool>,
    label: Option<bool>,
    native: Option<bool>,
    target: Target,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Target {
    #[default]
    No,
    Element,
    Descendant,
}

impl Use {
    fn below(self) -> Self {
        let target = if self.target == Target::Element { Target::Descendant } else { self.target };
        Self { target, ..self }
    }

    fn in_hidden(self) -> bool {
        [self.labelled_by, self.label, self.native].contains(&Some(true))
    }
}

/// What is being put together.
enum Frame {
    /// The texts of elements, joined by blanks. If nothing comes of it and `then` is set, that
    /// element is asked on its own.
    Join { todo: Vec<Id>, parts: Vec<String>, inner: Use, skip_empty: bool, roots: bool, then: Option<(Id, Use)> },
    /// The texts of an element's children.
    Content { element: Id, used: Use, todo: Vec<Id>, text: String, after: String, block: bool, first: usize },
}

/// One step of the computation.
enum Turn {
    Ask(Id, Use),
    Push(Frame),
    Text(String),
}

/// Computes names over one page.
pub(super) struct Names<'r, 'd, 'a> {
    aria: &'r Aria<'d, 'a>,
    stack: Vec<Frame>,
    visited: Vec<u32>,
    generation: u32,
    sources: Vec<Id>,
}

impl<'r, 'd, 'a> Names<'r, 'd, 'a> {
    pub fn new(aria: &'r Aria<'d, 'a>) -> Self {
        Self { aria, stack: Vec::new(), visited: vec![0; aria.dom.len()], generation: 0, sources: Vec::new() }
    }

    /// Returns the name of an element and the elements that it was made from.
    pub fn name(&mut self, element: Id) -> (String, Vec<Id>) {
        let role = self.aria.role(element).unwrap_or("");
        if prohibits_naming(role) {
            return (String::new(), Vec::new());
        }
        self.generation += 1;
        self.sources.clear();
        let text = self.run(element, Use { target: Target::Element, ..Use::default() });
        let mut sources = std::mem::take(&mut self.sources);
        sources.sort_unstable();
        sources.dedup();
        (normalize(&text), sources)
    }

    fn run(&mut self, element: Id, used: Use) -> String {
        let mut turn = Turn::Ask(element, used);
        loop {
            let mut text = match turn {
                Turn::Ask(element, used) => {
                    turn = self.ask(element, used);
                    continue;
                }
                Turn::Push(frame) => {
                    self.stack.push(frame);
                    None
                }
                Turn::Text(text) => Some(text),
            };
            // Hand the text to the frame that waits for it, and let that frame go on.
            let Some(mut frame) = self.stack.pop() else { return text.unwrap_or_default() };
            turn = match &mut frame {
                Frame::Join { todo, parts, inner, skip_empty, roots, then } => {
                    if let Some(part) = text.take()
                        && !(*skip_empty && part.is_empty())
                    {
                        parts.push(part);
                    }
                    match todo.pop() {
                        Some(next) => {
                            let next_use = if *roots { self.mark_hidden(next, *inner) } else { *inner };
                            self.stack.push(frame);
                            Turn::Ask(next, next_use)
                        }
                        None => {
                            let joined = parts.join(" ");
                            match then {
                                Some((element, used)) if joined.is_empty() => self.ask_own(*element, *used),
                                _ => Turn::Text(joined),
                            }
                        }
                    }
                }
                Frame::Content { .. } => self.go_on_with_content(frame, text),
            };
        }
    }

    /// Says whether the root of a reference is hidden, which shows what is in it.
    fn mark_hidden(&self, root: Id, inner: Use) -> Use {
        let hidden = self.aria.is_hidden(root);
        let mut inner = inner;
        for slot in [&mut inner.labelled_by, &mut inner.label, &mut inner.native] {
            if slot.is_some() {
                *slot = Some(hidden);
            }
        }
        inner
    }

    fn go_on_with_content(&mut self, mut frame: Frame, text: Option<String>) -> Turn {
        let Frame::Content { element, used, todo, text: own, after, block, first } = &mut frame else {
            return Turn::Text(String::new());
        };
        if let Some(part) = text {
            own.push_str(if *block { " " } else { "" });
            own.push_str(&part);
            own.push_str(if *block { " " } else { "" });
        }
        while let Some(next) = todo.pop() {
            let node = self.aria.dom.node(next);
            if node.kind == NodeKind::Text {
                own.push_str(node.text);
            } else if node.kind == NodeKind::Element {
                *block = node.tag == "br" || self.aria.display(next) != "inline";
                let below = used.below();
                self.stack.push(frame);
                return Turn::Ask(next, below);
            }
        }
        own.push_str(after);
        let (element, used, first) = (*element, *used, *first);
        let empty = if used.target == Target::Element { js_trim(own).is_empty() } else { own.is_empty() };
        if empty {
            self.sources.truncate(first);
            return self.ask_title(element);
        }
        self.sources.push(element);
        Turn::Text(std::mem::take(own))
    }

    fn visit(&mut self, element: Id) {
        self.visited[element as usize] = self.generation;
    }

    /// Text that one element gives: none of it, and no source, if it is empty.
    fn own(&mut self, element: Id, text: &str) -> Turn {
        if !text.is_empty() {
            self.sources.push(element);
        }
        Turn::Text(text.to_owned())
    }

    fn attribute(&self, element: Id, name: &str) -> &'a str {
        self.aria.dom.attribute(element, name).unwrap_or("")
    }

    fn labelled_by(&self, element: Id) -> Option<Vec<Id>> {
        let refs = self.aria.dom.id_refs(element, self.aria.dom.attribute(element, "aria-labelledby")?);
        (!refs.is_empty()).then_some(refs)
    }

    fn ask(&mut self, element: Id, used: Use) -> Turn {
        if self.visited[element as usize] == self.generation {
            return Turn::Text(String::new());
        }
        if is_ignored(self.aria.dom.tag(element)) || (!used.in_hidden() && self.aria.is_hidden(element)) {
            self.visit(element);
            return Turn::Text(String::new());
        }
        if used.labelled_by.is_none()
            && let Some(mut refs) = self.labelled_by(element)
        {
            refs.reverse();
            let inner = Use { labelled_by: Some(false), ..Use::default() };
            return Turn::Push(Frame::Join {
                todo: refs,
                parts: Vec::new(),
                inner,
                skip_empty: false,
                roots: true,
                then: Some((element, used)),
            });
        }
        self.ask_own(element, used)
    }

    /// Everything but `aria-labelledby`.
    fn ask_own(&mut self, element: Id, used: Use) -> Turn {
        let role = self.aria.role(element).unwrap_or("");
        let embedded = used.label.is_some() || used.labelled_by.is_some() || used.target == Target::Descendant;
        if embedded && let Some(turn) = self.ask_embedded(element, role, used) {
            return turn;
        }
        let label = self.attribute(element, "aria-label");
        if !js_trim(label).is_empty() {
            self.visit(element);
            return self.own(element, label);
        }
        if !matches!(role, "presentation" | "none")
            && let Some(turn) = self.ask_native(element, used)
        {
            return turn;
        }
        let summary = self.aria.dom.tag(element) == "summary" && !matches!(role, "presentation" | "none");
        let referenced = used.labelled_by.is_some() || used.label.is_some() || used.native.is_some();
        if summary || referenced || names_from_content(role, used.target == Target::Descendant) {
            self.visit(element);
            let mut todo = self.aria.script_children(element);
            let owned = self.aria.dom.id_refs(element, self.attribute(element, "aria-owns"));
            todo.extend(owned);
            todo.reverse();
            let text = self.aria.css_content(element, "::before").unwrap_or_default();
            let after = self.aria.css_content(element, "::after").unwrap_or_default();
            let first = self.sources.len();
            return Turn::Push(Frame::Content { element, used, todo, text, after, block: false, first });
        }
        self.ask_title(element)
    }

    fn ask_title(&mut self, element: Id) -> Turn {
        let role = self.aria.role(element).unwrap_or("");
        self.visit(element);
        let title = self.attribute(element, "title");
        if (!matches!(role, "presentation" | "none") || matches!(self.aria.dom.tag(element), "iframe" | "frame"))
            && !js_trim(title).is_empty()
        {
            return self.own(element, title);
        }
        Turn::Text(String::new())
    }

    /// A control inside of a label or of named content gives its value.
    fn ask_embedded(&mut self, element: Id, role: &str, used: Use) -> Option<Turn> {
        if self.labelled_by(element).is_some_and(|refs| refs.contains(&element)) {
            return None;
        }
        let dom = self.aria.dom;
        let tag = dom.tag(element);
        Some(match role {
            "textbox" | "searchbox" => {
                self.visit(element);
                if matches!(tag, "input" | "textarea") {
                    self.own(element, self.aria.live_value(element))
                } else {
                    let text = text_content(dom, element);
                    self.own(element, &text)
                }
            }
            "combobox" | "listbox" => {
                self.visit(element);
                let mut chosen = self.chosen_options(element, role);
                if chosen.is_empty() && tag == "input" {
                    return Some(self.own(element, self.aria.live_value(element)));
                }
                chosen.reverse();
                Turn::Push(Frame::Join {
                    todo: chosen,
                    parts: Vec::new(),
                    inner: used.below(),
                    skip_empty: false,
                    roots: false,
                    then: None,
                })
            }
            "progressbar" | "scrollbar" | "slider" | "spinbutton" | "meter" => {
                self.visit(element);
                let value = ["aria-valuetext", "aria-valuenow", "value"]
                    .into_iter()
                    .find_map(|name| dom.attribute(element, name));
                self.own(element, value.unwrap_or(""))
            }
            "menu" => {
                self.visit(element);
                Turn::Text(String::new())
            }
            _ => return None,
        })
    }

    fn chosen_options(&self, element: Id, role: &str) -> Vec<Id> {
        let dom = self.aria.dom;
        if dom.tag(element) == "select" {
            let options: Vec<Id> = dom.descendants(element).filter(|id| dom.tag(*id) == "option").collect();
            let chosen: Vec<Id> =
                options.iter().copied().filter(|option| self.aria.has_state(*option, States::SELECTED)).collect();
            return if chosen.is_empty() { options.into_iter().take(1).collect() } else { chosen };
        }
        let owned = |element: Id| {
            let refs = dom.id_refs(element, dom.attribute(element, "aria-owns").unwrap_or(""));
            let mut all: Vec<Id> = dom.descendants(element).collect();
            for id in refs {
                all.push(id);
                all.extend(dom.descendants(id));
            }
            all
        };
        let listbox = if role == "combobox" {
            owned(element).into_iter().find(|id| self.aria.role(*id) == Some("listbox"))
        } else {
            Some(element)
        };
        let options = listbox.map(owned).unwrap_or_default();
        options
            .into_iter()
            .filter(|id| dom.attribute(*id, "aria-selected") == Some("true") && self.aria.role(*id) == Some("option"))
            .collect()
    }

    fn labels_of(&self, element: Id) -> Vec<Id> {
        self.aria.labels.get(&element).cloned().unwrap_or_default()
    }

    fn ask_labels(&self, mut labels: Vec<Id>) -> Turn {
        labels.reverse();
        let inner = Use { label: Some(false), ..Use::default() };
        Turn::Push(Frame::Join { todo: labels, parts: Vec::new(), inner, skip_empty: true, roots: true, then: None })
    }
}

fn text_content(dom: &Dom<'_>, root: Id) -> String {
    dom.descendants(root).filter(|id| dom.node(*id).kind == NodeKind::Text).map(|id| dom.node(id).text).collect()
}

fn prohibits_naming(role: &str) -> bool {
    [
        "caption", "code", "definition", "deletion", "emphasis", "generic", "insertion", "mark", "paragraph",
        "presentation", "strong", "subscript", "suggestion", "superscript", "term", "time",
    ]
    .contains(&role)
}

fn names_from_content(role: &str, descendant: bool) -> bool {
    let always = [
        "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem", "menuitemcheckbox",
        "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip", "treeitem",
    ]
    .contains(&role);
    let below = descendant
        && [
            "", "caption", "code", "contentinfo", "definition", "deletion", "emphasis", "insertion", "list",
            "listitem", "mark", "none", "paragraph", "presentation", "region", "row", "rowgroup", "section", "strong",
            "subscript", "superscript", "table", "term", "time",
        ]
        .contains(&role);
    always || below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_collapses_and_soft_hyphens_go() {
        assert_eq!(normalize("  a\u{a0}\n b\u{ad}c \u{200b} d "), "a bc d");
        assert_eq!(normalize(" \u{200b} "), "");
    }
}
