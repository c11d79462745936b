//! Accessible names by the tool's own computation, and which elements a name was made from.
//!
//! In: an element of an [`Aria`]. Out: its name (whitespace collapsed) and the elements that gave
//! it text. Invariant: no recursion: labels, `aria-labelledby` and content nest by a stack of
//! [`Frame`]s, so that the depth of a page costs heap, not stack. An element contributes at most
//! once to one name. Not followed: `content` replaced on an element itself.

mod native;

use super::aria::{Aria, is_ignored};
use crate::dom::Id;
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
    Join(Join),
    Content(Content),
}

/// The texts of elements, joined by blanks.
#[derive(Default)]
struct Join {
    /// The next one last.
    todo: Vec<Id>,
    parts: Vec<String>,
    inner: Use,
    skip_empty: bool,
    roots: bool,
    /// The element that is asked on its own if nothing comes of it.
    then: Option<(Id, Use)>,
}

/// The texts of an element's children.
struct Content {
    element: Id,
    used: Use,
    todo: Vec<Id>,
    text: String,
    after: String,
    block: bool,
    first: usize,
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
            let text = match turn {
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
            turn = match self.stack.pop() {
                Some(Frame::Join(join)) => self.go_on_with_join(join, text),
                Some(Frame::Content(content)) => self.go_on_with_content(content, text),
                None => return text.unwrap_or_default(),
            };
        }
    }

    fn go_on_with_join(&mut self, mut join: Join, text: Option<String>) -> Turn {
        join.parts.extend(text.filter(|part| !(join.skip_empty && part.is_empty())));
        if let Some(next) = join.todo.pop() {
            let used = if join.roots { self.mark_hidden(next, join.inner) } else { join.inner };
            self.stack.push(Frame::Join(join));
            return Turn::Ask(next, used);
        }
        let joined = join.parts.join(" ");
        match join.then {
            Some((element, used)) if joined.is_empty() => self.ask_own(element, used),
            _ => Turn::Text(joined),
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

    fn go_on_with_content(&mut self, mut content: Content, text: Option<String>) -> Turn {
        if let Some(part) = text {
            let gap = if content.block { " " } else { "" };
            content.text.extend([gap, &part, gap]);
        }
        while let Some(next) = content.todo.pop() {
            let node = self.aria.dom.node(next);
            if node.kind == NodeKind::Text {
                content.text.push_str(node.text);
            } else if node.kind == NodeKind::Element {
                content.block = node.tag == "br" || self.aria.display(next) != "inline";
                let below = content.used.below();
                self.stack.push(Frame::Content(content));
                return Turn::Ask(next, below);
            }
        }
        let Content { element, used, mut text, after, first, .. } = content;
        text.push_str(&after);
        let empty = if used.target == Target::Element { js_trim(&text).is_empty() } else { text.is_empty() };
        if empty {
            self.sources.truncate(first);
            return self.ask_title(element);
        }
        self.sources.push(element);
        Turn::Text(text)
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
            let then = Some((element, used));
            return Turn::Push(Frame::Join(Join { todo: refs, inner, roots: true, then, ..Join::default() }));
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
            todo.extend(self.aria.dom.id_refs(element, self.attribute(element, "aria-owns")));
            todo.reverse();
            let text = self.aria.css_content(element, "::before").unwrap_or_default();
            let after = self.aria.css_content(element, "::after").unwrap_or_default();
            let first = self.sources.len();
            return Turn::Push(Frame::Content(Content { element, used, todo, text, after, block: false, first }));
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
                    return Some(self.own(element, self.aria.live_value(element)));
                }
                let text = dom.descendants(element).filter(|id| dom.node(*id).kind == NodeKind::Text);
                self.own(element, &text.map(|id| dom.node(id).text).collect::<String>())
            }
            "combobox" | "listbox" => {
                self.visit(element);
                let mut chosen = self.chosen_options(element, role);
                if chosen.is_empty() && tag == "input" {
                    return Some(self.own(element, self.aria.live_value(element)));
                }
                chosen.reverse();
                Turn::Push(Frame::Join(Join { todo: chosen, inner: used.below(), ..Join::default() }))
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

    /// The texts of an element's labels, if it has any.
    fn ask_labels(&self, element: Id) -> Option<Turn> {
        let todo = self.aria.labels.get(&element)?.iter().rev().copied().collect();
        let inner = Use { label: Some(false), ..Use::default() };
        Some(Turn::Push(Frame::Join(Join { todo, inner, skip_empty: true, roots: true, ..Join::default() })))
    }
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
