//! The one pass from a page to the tree of a view.
//!
//! In: a page in document order. Out: the tree and what its items stand for. Invariants: iterative;
//! a node's item is decided when it opens and settled when it closes, when everything below is
//! known; only the end of the open list of children is ever rewritten.

use super::Meta;
use super::classify::{Around, Class, EDITOR, Keep, Shape, classify};
use super::dom::Dom;
use super::names::{collapse, collapse_lines, equals, holds, pieces_below, said_below, says_only_text};
use crate::controls::Controls;
use crate::tree::{Item, ROOT, StateSet, TEXT, Tree};
use browserlens_core::page::text::would_join;
use browserlens_core::page::{BoxInDocument, Clickability, Flags, NodeId, NodeKey, NodeRef, Page, role};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Default)]
struct Frame {
    /// Arena index at which the node's subtree ends.
    end: u32,
    /// The item, or the item that an open block belongs to.
    item: u32,
    /// How an item holds what is below it; none of a block.
    kept: Option<Shape>,
    around: Around,
    interactive_below: u32,
}

struct Run {
    text: String,
    /// Where its last piece stands.
    last: BoxInDocument,
    meta: Meta,
}

struct Walk<'p, 'n> {
    page: &'p Page,
    noisy: &'n HashSet<NodeKey>,
    tree: Tree,
    meta: Vec<Meta>,
    frames: Vec<Frame>,
    run: Option<Run>,
    roles: HashMap<&'p str, Arc<str>>,
    empty: Arc<str>,
    text_role: Arc<str>,
    focused: Option<NodeId>,
    /// Items that have nothing but a title.
    signs: HashSet<u32>,
}

/// Builds the tree of a page and says what each item stands for.
pub(super) fn walk(page: &Page, noisy: &HashSet<NodeKey>, from_dom: bool) -> (Tree, Vec<Meta>) {
    let root = page.root();
    let dom = Dom::new(page, from_dom);
    let controls = Controls::of(page);
    let mut walk = Walk {
        page,
        noisy,
        tree: Tree::default(),
        meta: vec![Meta { key: root.key(), node: root.id(), interactive: false, in_viewport: true, noisy: false }],
        frames: vec![Frame { end: page.len() as u32, item: ROOT, ..Frame::default() }],
        run: None,
        roles: HashMap::new(),
        empty: Arc::from(""),
        text_role: Arc::from(TEXT),
        focused: page.focused().map(|node| node.id()),
        signs: HashSet::new(),
    };
    for node in page.nodes().skip(1) {
        while walk.frames.len() > 1 && walk.top().end <= node.id().0 {
            walk.close();
        }
        walk.open(node, &dom, &controls);
    }
    while walk.frames.len() > 1 {
        walk.close();
    }
    walk.flush();
    let (tree, origin) = walk.tree.compact();
    let meta = origin.iter().map(|old| walk.meta[*old as usize]).collect();
    (tree, meta)
}

impl<'p> Walk<'p, '_> {
    fn top(&self) -> &Frame {
        self.frames.last().expect("the frame of the root is never closed")
    }

    fn open(&mut self, node: NodeRef<'p>, dom: &Dom<'p>, controls: &Controls) {
        let around = self.top().around;
        match classify(node, around, dom, controls) {
            Class::Piece(text) => {
                let meta = self.meta_of(node, false);
                let last = node.bounds();
                let run = self.run.get_or_insert_with(|| Run { text: String::new(), last, meta });
                if would_join(&run.text, text) && last.is_apart_from(run.last) {
                    run.text.push(' ');
                }
                run.text.push_str(text);
                run.last = last;
                run.meta.noisy |= meta.noisy;
                run.meta.in_viewport |= meta.in_viewport;
            }
            Class::Break => {
                if let Some(run) = &mut self.run {
                    run.text.push(' ');
                }
            }
            Class::Through { block } => {
                // An inline node without an item needs no frame: what is below it has the same
                // surroundings.
                if block {
                    self.flush();
                    let item = self.top().item;
                    self.frames.push(Frame { end: node.end(), item, around, ..Frame::default() });
                }
            }
            Class::Keep(keep) => self.open_item(node, around, &keep),
        }
    }

    fn meta_of(&self, node: NodeRef<'_>, interactive: bool) -> Meta {
        let (key, in_viewport) = (node.key(), node.in_viewport());
        Meta { key, node: node.id(), interactive, in_viewport, noisy: self.noisy.contains(&key) }
    }

    fn open_item(&mut self, node: NodeRef<'p>, around: Around, keep: &Keep<'p>) {
        self.flush();
        let name: Arc<str> = if keep.name.is_empty() { self.empty.clone() } else { Arc::from(collapse(&keep.name)) };
        let field = keep.shape == Shape::Field;
        let edited = field.then(|| node.edited_value()).flatten();
        let value = edited.as_deref().unwrap_or(keep.value);
        let value: Arc<str> = if value.is_empty() { self.empty.clone() } else { Arc::from(value) };
        let role = self.roles.entry(keep.role).or_insert_with(|| Arc::from(keep.role)).clone();
        let mut item = Item { value, states: keep.states, ..Item::new(role, name) };
        item.states.set(StateSet::FOCUSED, self.focused == Some(node.id()));
        let parent = self.top().item;
        let item = self.tree.push(parent, item);
        self.meta.push(self.meta_of(node, keep.interactive));
        let around = Around {
            select: field && node.tag() == "select" || around.select,
            field: around.field || field || node.flags().has(Flags::SECRET),
        };
        self.frames.push(Frame { end: node.end(), item, kept: Some(keep.shape), around, ..Frame::default() });
    }

    /// Ends the run of text: it becomes an item below the open one.
    fn flush(&mut self) {
        if let Some(run) = self.run.take() {
            let text = collapse_lines(&run.text);
            if !text.is_empty() {
                let parent = self.top().item;
                self.tree.push(parent, Item::new(self.text_role.clone(), text));
                self.meta.push(run.meta);
            }
        }
    }

    fn close(&mut self) {
        self.flush();
        let Some(frame) = self.frames.pop() else { return };
        let mut interactive = frame.interactive_below;
        if let Some(shape) = frame.kept {
            let stays = self.settle(frame.item, shape, interactive);
            if shape == Shape::Field {
                interactive = 0;
            }
            interactive += u32::from(stays && self.meta[frame.item as usize].interactive);
        }
        if let Some(top) = self.frames.last_mut() {
            top.interactive_below += interactive;
        }
    }

    /// Decides what an item becomes now that everything below is known; returns whether it is still
    /// there.
    fn settle(&mut self, id: u32, shape: Shape, interactive_below: u32) -> bool {
        let acts = self.meta[id as usize].interactive;
        if shape == Shape::Field {
            self.keep_options(id);
            return true;
        }
        if &*self.tree.item(id).role == EDITOR {
            return true;
        }
        if shape == Shape::Sign {
            if self.tree.children(id).is_empty() {
                self.signs.insert(id);
                return true;
            }
            self.replace_by_children(id);
            return false;
        }
        let item = self.tree.item(id);
        let children = self.tree.children(id);
        let only_text = !children.is_empty() && children.iter().all(|child| self.tree.item(*child).is_text());
        // What is drawn is neither all that it says nor its name.
        if item.states.has(StateSet::PARTIAL) && !children.is_empty() {
            return true;
        }
        let is_alone = !acts && children.len() == 1 && item.states == StateSet::NONE;
        let gives_way = is_alone && shape == Shape::Stands || self.is_one_control(id);
        if item.name.is_empty() {
            let is_sign = matches!(children, [only] if self.signs.contains(only));
            if acts && is_sign || only_text && (acts || shape == Shape::Adopts && children.len() == 1) {
                self.adopt(id);
                return true;
            }
            let may_be_empty = acts
                || shape == Shape::Stays
                || shape == Shape::Adopts && role::is_cell(&item.role)
                || !item.value.is_empty();
            if gives_way || children.is_empty() && !may_be_empty {
                self.replace_by_children(id);
                return false;
            }
            return true;
        }
        if children.is_empty() {
            return true;
        }
        let pieces = || pieces_below(&self.tree, id);
        if acts {
            let plain = interactive_below == 0
                && self.tree.subtree(id).skip(1).all(|below| says_only_text(self.tree.item(below)));
            if plain && equals(&item.name, pieces()) {
                // Words that stand apart are glued in a name that the browser made.
                let words = |text: &str| text.split(' ').count();
                let drawn = pieces().collect::<Vec<_>>().join(" ");
                if words(&drawn) > words(&item.name) {
                    self.tree.item_mut(id).name = Arc::from(drawn);
                }
                self.drop_children(id);
            } else if plain && holds(&item.name, pieces()) {
                self.drop_children(id);
            }
            return true;
        }
        let acts = |below: u32| self.meta[below as usize].interactive;
        // What is in a cell says more than what the browser makes a name of.
        let is_made = !only_text && self.is_named_by_content(id);
        if !is_made && !equals(&item.name, pieces()) && !equals(&item.name, said_below(&self.tree, id, acts)) {
            return true;
        }
        if only_text {
            self.drop_children(id);
        } else if gives_way {
            self.replace_by_children(id);
            return false;
        } else {
            self.tree.item_mut(id).name = self.empty.clone();
        }
        true
    }

    /// Whether an item is a cell or a row that nobody gave a name.
    fn is_named_by_content(&self, id: u32) -> bool {
        let (node, role) = (self.page.node(self.meta[id as usize].node), &*self.tree.item(id).role);
        (role::is_cell(role) || role == "row")
            && ["aria-label", "aria-labelledby", "title"].iter().all(|name| node.attribute(name).is_none())
    }

    /// Whether an item is a cell with one control in it and nothing else: the day of a calendar.
    fn is_one_control(&self, id: u32) -> bool {
        let item = self.tree.item(id);
        let children = self.tree.children(id);
        matches!(&*item.role, "cell" | "gridcell")
            && item.states == StateSet::NONE
            && !self.meta[id as usize].interactive
            && children.len() == 1
            && self.meta[children[0] as usize].interactive
    }

    /// Makes the text below an item its name.
    fn adopt(&mut self, id: u32) {
        let texts: Vec<&str> = self.tree.children(id).iter().map(|child| &*self.tree.item(*child).name).collect();
        self.tree.item_mut(id).name = Arc::from(texts.join(" "));
        self.drop_children(id);
    }

    fn drop_children(&mut self, id: u32) {
        let children = self.tree.take_children(id);
        let noisy = children.iter().any(|child| self.meta[*child as usize].noisy);
        self.meta[id as usize].noisy |= noisy;
    }

    /// Of what is in a field its options stay, and in an editor the controls that it holds.
    fn keep_options(&mut self, id: u32) {
        let node = self.page.node(self.meta[id as usize].node);
        let is_editor = node.clickability().has(Clickability::EDITABLE);
        let is_option = |below: u32| &*self.tree.item(below).role == "option";
        let is_control = |below: u32| {
            let role = &*self.tree.item(below).role;
            is_editor && self.meta[below as usize].interactive && role::is_interactive(role) && role != "link"
        };
        let kept: Vec<u32> =
            self.tree.subtree(id).skip(1).filter(|below| is_option(*below) || is_control(*below)).collect();
        self.tree.take_children(id);
        for below in kept {
            self.tree.take_children(below);
            self.tree.attach(below, id, usize::MAX);
            if &*self.tree.item(below).role == "option" {
                self.meta[below as usize].interactive = false;
            }
        }
        // A select that the accessibility tree leaves out has the value that its options say.
        if self.tree.item(id).value.is_empty() {
            let chosen = self.tree.children(id).iter().map(|option| self.tree.item(*option));
            let chosen = chosen.filter(|option| option.states.has(StateSet::SELECTED)).map(|option| &*option.name);
            let value: Arc<str> = chosen.collect::<Vec<_>>().join(", ").into();
            self.tree.item_mut(id).value = value;
        }
    }

    /// Puts what is below an item in its place; the item is the last child of its parent.
    fn replace_by_children(&mut self, id: u32) {
        let parent = self.tree.parent(id);
        let children = self.tree.take_children(id);
        self.tree.detach(id);
        for child in children {
            self.tree.attach(child, parent, usize::MAX);
        }
    }
}
