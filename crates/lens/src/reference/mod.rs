//! R: the full, unfiltered, unbudgeted form of a page, written independently of the extractor, and
//! what the shown state owes to it.
//!
//! In: a page and what is to be shown of it. Out: a [`Reference`], and [`unmarked_differences`]
//! between it and a shown state. Invariant: nothing of `extract` is used here but the names of its
//! options: a slip there shows as a difference, and so does a slip here. What can be pressed is
//! asked of `controls`, as there: that is checked in Chromium, by the press test. Where the
//! extractor makes one pass with a stack, this goes bottom-up over the nodes, asks simple questions
//! about what is below, and looks as often as it likes.

mod count;
mod draft;
mod markup;
mod meaning;
mod tidy;

pub use count::unmarked_differences;

use crate::controls::{Controls, hovered_menu, is_denied, is_used_unseen};
use crate::extract::{ExtractOptions, Grade};
use crate::tree::{Elided, Item, Mark, ROOT, StateSet, Tree};
use browserlens_core::page::select::Trees;
use browserlens_core::page::text::{is_unseen, would_join};
use browserlens_core::page::{
    BoxInDocument, Clickability, Flags, NodeId, NodeKind, NodeRef, Page, States, Tri, Visibility, role,
};
use meaning::{Meaning, among, meaning};
use std::cell::OnceCell;

/// The full form of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Title, white space collapsed.
    pub title: String,
    /// URL.
    pub url: String,
    /// The items; no refs.
    pub tree: Tree,
    /// Which items can be acted on, by index.
    pub acts: Vec<bool>,
}

fn squeeze(text: &str) -> String {
    let drawn = |c: char| ('\u{e000}'..='\u{f8ff}').contains(&c) || c >= '\u{f0000}';
    let words = text.replace(drawn, "");
    if words.chars().all(|c| c.is_whitespace() || is_unseen(c)) {
        return String::new();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn solid(text: &str) -> String {
    text.split_whitespace().collect()
}

/// One thing to be shown, before it is known what stands around it.
struct Thing {
    item: Item,
    acts: bool,
    below: Vec<usize>,
    /// The node; none for a run of text.
    node: Option<NodeId>,
    /// Where it begins in the page.
    begin: NodeId,
}

/// Text on its way to a thing.
#[derive(Default)]
struct Run {
    words: String,
    begin: Option<NodeId>,
    drawn: BoxInDocument,
}

impl Run {
    fn add(&mut self, node: NodeRef<'_>) {
        if would_join(&self.words, node.text()) && node.bounds().is_apart_from(self.drawn) {
            self.words.push(' ');
        }
        self.begin = self.begin.or(Some(node.id()));
        self.words.push_str(node.text());
        self.drawn = node.bounds();
    }
}

/// What was decided of one page node from itself and its ancestors.
struct Draft {
    role: String,
    meaning: Meaning,
    acts: bool,
}

struct Writer<'p> {
    page: &'p Page,
    dom: bool,
    focused: Option<NodeId>,
    controls: Controls,
    trees: OnceCell<Trees>,
    in_select: Vec<bool>,
    in_field: Vec<bool>,
    drafts: Vec<Option<Draft>>,
    things: Vec<Thing>,
    /// What stands for a node that has a draft.
    stands: Vec<Vec<usize>>,
}

impl Reference {
    /// Writes the full form of a page.
    pub fn of(page: &Page, options: &ExtractOptions) -> Self {
        let n = page.len();
        let mut writer = Writer {
            page,
            dom: options.from_dom,
            focused: page.focused().map(|node| node.id()),
            controls: Controls::of(page),
            trees: OnceCell::new(),
            in_select: vec![false; n],
            in_field: vec![false; n],
            drafts: Vec::with_capacity(n),
            things: Vec::new(),
            stands: vec![Vec::new(); n],
        };
        for node in page.nodes() {
            writer.draft(node);
        }
        for index in (1..n as u32).rev() {
            writer.settle(page.node(NodeId(index)));
        }
        let top = writer.parts(page.root());
        let top = writer.tidy(top);
        let mut reference =
            Self { title: squeeze(page.title()), url: page.url().to_owned(), tree: Tree::default(), acts: vec![false] };
        let left_out = reference.plant(&writer.things, &top, options.grade);
        let pictures = page.nodes().filter(|node| is_picture_only(*node)).count();
        let pictures = pictures.saturating_sub(options.regions_shown);
        let by_nature = if options.grade == Grade::Text { Elided::Fields } else { Elided::Texts };
        for (what, count) in [(by_nature, left_out), (Elided::Images, pictures)] {
            if count > 0 {
                reference.tree.push(ROOT, Item::elided(Mark { handle: None, count: Some(count as u32), what }));
                reference.acts.push(false);
            }
        }
        reference
    }

    /// Puts things into the tree; returns how many a grade leaves out.
    fn plant(&mut self, things: &[Thing], top: &[usize], grade: Grade) -> usize {
        let mut left_out = 0;
        let mut todo: Vec<(usize, u32)> = top.iter().rev().map(|thing| (*thing, ROOT)).collect();
        while let Some((thing, parent)) = todo.pop() {
            let Thing { item, acts, below, .. } = &things[thing];
            let field = matches!(meaning(&item.role), Some(Meaning::Field))
                || among("checkbox radio switch slider listbox", &item.role);
            let mut parent = parent;
            if grade == Grade::Text && field {
                left_out += 1;
                continue;
            }
            if grade == Grade::Text && *acts {
                left_out += 1;
                if !item.name.is_empty() {
                    self.tree.push(parent, Item::new("text", item.name.clone()));
                    self.acts.push(false);
                }
            } else if grade == Grade::Fields && (&*item.role == "text" || (*acts && &*item.role == "link")) {
                left_out += 1;
            } else {
                let planted = self.tree.push(parent, item.clone());
                self.acts.push(*acts);
                if &*item.role != "text" {
                    parent = planted;
                }
            }
            todo.extend(below.iter().rev().map(|thing| (*thing, parent)));
        }
        left_out
    }
}

/// A line break has no area of its own, so whether it is visible does not tell.
fn is_line_break(node: NodeRef<'_>, role: &str) -> bool {
    (role == "LineBreak" || node.tag() == "br") && node.visibility() != Visibility::NotRendered
}

/// Whether a marker is a bullet or the number that an item of a list has by its place.
fn is_said_by_order(marker: NodeRef<'_>) -> bool {
    let text = squeeze(marker.text());
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = marker.ancestors().take(2).enumerate().all(|(up, above)| {
        let odd = if up == 0 { &["value"][..] } else { &["start", "reversed"] };
        odd.iter().all(|name| above.attribute(name).is_none())
    });
    !text.chars().any(char::is_alphanumeric) || (counted && matches!(digits, "" | "." | ")"))
}

fn is_picture_only(node: NodeRef<'_>) -> bool {
    let size = node.bounds();
    let canvas = node.flags().has(Flags::CANVAS) && size.area() > 0.0;
    let blank_image =
        node.tag() == "img" && squeeze(node.name()).is_empty() && size.width >= 48.0 && size.height >= 48.0;
    node.kind() == NodeKind::Element && node.is_visible() && (canvas || blank_image)
}

impl<'p> Writer<'p> {
    fn role(&self, node: NodeRef<'p>) -> &'p str {
        if self.markup_decides(node) { markup::role(node) } else { node.role() }
    }

    fn name(&self, node: NodeRef<'p>, role: &str) -> String {
        let name = squeeze(node.name());
        let read = among("heading cell columnheader rowheader caption", role);
        if read && node.subtree().skip(1).any(|below| below.is_visible() && !below.is_seen()) {
            return markup::words(node);
        }
        if !name.is_empty() || role::is_generic(role) {
            name
        } else if self.markup_decides(node) {
            self.markup_name(node, role)
        } else if self.dom {
            markup::first_said(node, "aria-label alt placeholder title")
        } else {
            name
        }
    }

    /// Whether an element is seen, or is a control that is styled away, or an option of a select
    /// that is seen.
    fn is_there(&self, node: NodeRef<'_>, role: &str) -> bool {
        if node.is_visible() || (role == "option" && self.in_select[node.id().index()]) {
            return true;
        }
        if node.tag() == "area" {
            return matches!(meaning(role), Some(Meaning::Control | Meaning::Field));
        }
        let styled_away =
            [Visibility::Transparent, Visibility::Clipped, Visibility::ZeroSize].contains(&node.visibility());
        let toggle =
            among("checkbox radio switch", role) || (node.tag() == "input" && node.attribute("type") == Some("file"));
        let hidden = node.flags().has(Flags::ARIA_HIDDEN) && !node.is_set_aside();
        styled_away && (toggle || is_used_unseen(node, role)) && !hidden
    }

    /// Everything below some things, in order.
    fn all_below<'a>(&'a self, top: &[usize]) -> impl Iterator<Item = usize> + use<'a> {
        let mut todo: Vec<usize> = top.iter().rev().copied().collect();
        std::iter::from_fn(move || {
            let thing = todo.pop()?;
            todo.extend(self.things[thing].below.iter().rev());
            Some(thing)
        })
    }

    /// Whether the names below say what a name says, white space apart; as a browser names it, a
    /// text field says its value instead, and a control with a name only that.
    fn says_the_same(&self, name: &str, top: &[usize]) -> bool {
        [false, true].into_iter().any(|as_named| {
            let mut rest = solid(name);
            let mut hidden: Vec<usize> = Vec::new();
            for thing in self.all_below(top) {
                let Thing { item, acts, below, .. } = &self.things[thing];
                if hidden.contains(&thing) {
                    hidden.extend(below);
                    continue;
                }
                if as_named && *acts && !item.name.is_empty() {
                    hidden.extend(below);
                }
                let field = as_named && role::is_text_field(&item.role) && !item.value.is_empty();
                match rest.strip_prefix(&solid(if field { &item.value } else { &item.name })) {
                    Some(after) => rest = after.to_owned(),
                    None => return false,
                }
            }
            rest.is_empty()
        })
    }

    fn settle(&mut self, node: NodeRef<'p>) {
        let at = node.id().index();
        let Some(draft) = self.drafts[at].take() else { return };
        let below = self.parts(node);
        let item = self.item(node, &draft);
        self.stands[at] = self.settled(node.id(), item, &draft, below);
        self.drafts[at] = Some(draft);
    }

    fn settled(&mut self, node: NodeId, mut item: Item, draft: &Draft, mut below: Vec<usize>) -> Vec<usize> {
        if draft.meaning == Meaning::Field {
            let edited = self.page.node(node).clickability().has(Clickability::EDITABLE);
            let stays = |thing: &usize| {
                let Thing { item, acts, .. } = &self.things[*thing];
                let control = matches!(meaning(&item.role), Some(Meaning::Control | Meaning::Field));
                &*item.role == "option" || edited && *acts && control && &*item.role != "link"
            };
            below = self.all_below(&below).filter(stays).collect();
            let mut chosen = Vec::new();
            for option in &below {
                let option = &mut self.things[*option];
                option.below.clear();
                if &*option.item.role != "option" {
                    continue;
                }
                option.acts = false;
                chosen.extend(option.item.states.has(StateSet::SELECTED).then(|| option.item.name.to_string()));
            }
            if item.value.is_empty() {
                item.value = chosen.join(", ").into();
            }
            return self.stay(node, item, draft.acts, below);
        }
        let acts = draft.acts;
        if draft.meaning == Meaning::Sign {
            if !below.is_empty() {
                return below;
            }
            item.name = squeeze(self.page.node(node).attribute("title").unwrap_or_default()).into();
            return self.stay(node, item, acts, below);
        }
        if draft.role == "textbox" {
            // Edited in place: what is below is its value.
            return self.stay(node, item, acts, below);
        }
        if item.states.has(StateSet::PARTIAL) && !below.is_empty() {
            return self.stay(node, item, acts, below);
        }
        let texts_only = !below.is_empty() && below.iter().all(|thing| &*self.things[*thing].item.role == "text");
        let texts: Vec<String> = below.iter().map(|thing| self.things[*thing].item.name.to_string()).collect();
        let lone_list_item =
            draft.meaning == Meaning::ListItem && !acts && below.len() == 1 && item.states == StateSet::NONE;
        let lone_control = matches!(&*item.role, "cell" | "gridcell")
            && !acts
            && item.states == StateSet::NONE
            && matches!(below[..], [one] if self.things[one].acts);
        let gives_way = lone_list_item || lone_control;
        if item.name.is_empty() {
            let takes_one = matches!(draft.meaning, Meaning::TextHolder | Meaning::Cell) && texts.len() == 1;
            let of_sign = |thing: usize| {
                let node = self.things[thing].node;
                node.and_then(|node| self.drafts[node.index()].as_ref()).is_some_and(|it| it.meaning == Meaning::Sign)
            };
            let is_sign = matches!(below[..], [one] if of_sign(one));
            if acts && is_sign || texts_only && (acts || takes_one) {
                item.name = texts.join(" ").into();
                return self.stay(node, item, acts, Vec::new());
            }
            let may_be_empty = acts
                || matches!(draft.meaning, Meaning::Fixed | Meaning::Cell | Meaning::Control)
                || !item.value.is_empty();
            if gives_way || (below.is_empty() && !may_be_empty) {
                return below;
            }
            return self.stay(node, item, acts, below);
        }
        if below.is_empty() {
            return self.stay(node, item, acts, below);
        }
        let says_the_same = self.says_the_same(&item.name, &below);
        if acts {
            let plain = self.all_below(&below).all(|thing| {
                let Thing { item, acts, .. } = &self.things[thing];
                !acts && item.value.is_empty() && item.states == StateSet::NONE && !among("canvas iframe", &item.role)
            });
            let names = self.all_below(&below).map(|thing| &*self.things[thing].item.name);
            if plain && says_the_same {
                let drawn = names.collect::<Vec<_>>().join(" ");
                if drawn.matches(' ').count() > item.name.matches(' ').count() {
                    item.name = drawn.into();
                }
                below.clear();
            } else if plain && in_order(&item.name, names) {
                below.clear();
            }
        } else if says_the_same || !texts_only && self.is_cell_without_label(node, &item.role) {
            if texts_only {
                below.clear();
            } else if gives_way {
                return below;
            } else {
                item.name = "".into();
            }
        }
        self.stay(node, item, acts, below)
    }

    /// Whether a cell or row is named by nothing but what is in it.
    fn is_cell_without_label(&self, node: NodeId, role: &str) -> bool {
        let said = |name| self.page.node(node).attribute(name).is_some();
        among("row cell gridcell rowheader columnheader", role)
            && !(said("title") || said("aria-label") || said("aria-labelledby"))
    }

    fn stay(&mut self, node: NodeId, item: Item, acts: bool, below: Vec<usize>) -> Vec<usize> {
        self.things.push(Thing { item, acts, below, node: Some(node), begin: node });
        vec![self.things.len() - 1]
    }

    fn item(&self, node: NodeRef<'p>, draft: &Draft) -> Item {
        let role = self.role(node);
        let mut item = Item::new(draft.role.as_str(), self.name(node, role));
        let with_value = draft.meaning == Meaning::Field
            || among("slider progressbar meter ColorWell PopUpButton MenuListPopup listbox", &draft.role);
        let unpainted = !(node.is_visible() || role == "option" && self.in_select[node.id().index()]);
        let takes_files = node.tag() == "input" && node.attribute("type") == Some("file");
        if with_value && (!unpainted || among("combobox slider", role)) || takes_files {
            let edited = if draft.meaning == Meaning::Field { node.edited_value() } else { None };
            item.value = edited.unwrap_or_else(|| node.value().to_owned()).into();
        }
        let has = node.states();
        let menu = if node.expanded().is_none() && self.controls.has(node) { hovered_menu(node) } else { None };
        let said = [
            (menu == Some(true), StateSet::EXPANDED),
            (menu == Some(false), StateSet::COLLAPSED),
            (has.has(States::DISABLED) || self.controls.has(node) && is_denied(node), StateSet::DISABLED),
            (node.checked() == Some(Tri::True), StateSet::CHECKED),
            (node.checked() == Some(Tri::False), StateSet::UNCHECKED),
            (node.checked() == Some(Tri::Mixed), StateSet::MIXED),
            (node.pressed() == Some(Tri::Mixed), StateSet::MIXED),
            (node.pressed() == Some(Tri::True), StateSet::PRESSED),
            (node.pressed() == Some(Tri::False), StateSet::UNPRESSED),
            (node.expanded() == Some(true), StateSet::EXPANDED),
            (node.expanded() == Some(false) && node.tag() != "select", StateSet::COLLAPSED),
            (node.selected() == Some(true), StateSet::SELECTED),
            (has.has(States::REQUIRED), StateSet::REQUIRED),
            (node.has_interactive_role() && node.attribute("aria-required") == Some("true"), StateSet::REQUIRED),
            (has.has(States::INVALID), StateSet::INVALID),
            (has.has(States::READONLY), StateSet::READONLY),
            (has.has(States::MODAL), StateSet::MODAL),
            (has.has(States::BUSY), StateSet::BUSY),
            (has.has(States::CURRENT), StateSet::CURRENT),
            (node.flags().has(Flags::SECRET) && node.is_filled(), StateSet::FILLED),
            (
                unpainted && !among("checkbox radio switch slider combobox", role) && node.tag() != "area",
                StateSet::INVISIBLE,
            ),
            (markup::takes_several(node, "colspan"), StateSet::COLSPAN),
            (markup::takes_several(node, "rowspan"), StateSet::ROWSPAN),
            (node.flags().has(Flags::PARTIAL), StateSet::PARTIAL),
            (node.attribute("aria-sort") == Some("ascending"), StateSet::ASCENDING),
            (node.attribute("aria-sort") == Some("descending"), StateSet::DESCENDING),
            (self.focused == Some(node.id()), StateSet::FOCUSED),
        ];
        if self.markup_decides(node) {
            item.states = markup::states(node);
        }
        said.into_iter().filter(|(is, _)| *is).for_each(|(_, state)| item.states.add(state));
        let says_itself = "checked selected pressed current";
        let silent = |(state, word): &(StateSet, &str)| !item.states.has(*state) || !among(says_itself, word);
        let is_chosen = |below: NodeRef<'_>| below.checked() == Some(Tri::True) || below.selected() == Some(true);
        let may_be_on = (draft.acts || draft.role == "row") && StateSet::WORDS.iter().all(silent);
        if may_be_on && markup::is_called_on(node) && (draft.acts || !node.descendants().any(is_chosen)) {
            item.states.add(StateSet::ACTIVE);
        }
        item
    }
}

/// Whether each text stands in the name, one after the other, as whole words.
fn in_order<'a>(name: &str, texts: impl Iterator<Item = &'a str>) -> bool {
    // A comma or stop behind a word is no part of it.
    fn words_of(text: &str) -> Vec<&str> {
        text.split_whitespace().map(|word| word.trim_end_matches(|c| ",.;:".contains(c))).collect()
    }
    let mut rest = words_of(name);
    for text in texts {
        let words = words_of(text);
        if words.is_empty() {
            continue;
        }
        match rest.windows(words.len()).position(|window| window == words) {
            Some(at) => rest.drain(..at + words.len()),
            None => return false,
        };
    }
    true
}
