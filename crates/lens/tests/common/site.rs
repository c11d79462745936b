//! A site that changes as real ones do: fields filled, rows added, moved, renamed and recycled,
//! re-renders, navigations, dialogs, clocks, hostile text. Each element stands for an entity, which
//! the page does not know.

use browserlens_core::page::{
    Clickability, Flags, Frame, NodeKey, NodeKind, NodeSpec, Page, PageBuilder, States, Visibility,
};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Op {
    Fill(String),
    Toggle(usize),
    Insert(usize, String),
    Remove(usize),
    Move(usize, usize),
    Rename(usize, String),
    /// Virtualised scrolling: the rows' nodes now hold other rows.
    Recycle(usize),
    Price(usize, u32),
    Rerender,
    Navigate(usize, String),
    Dialog,
    Alert(String),
    Tick,
    Focus(usize),
    Section(String),
    Deepen(usize),
    /// Sorts the rows by price, from either end.
    Sort(bool),
    /// Shows only the rows up to a price; what is left out comes back with the next filter.
    Filter(u32),
    /// Remembers this page, and goes back to it later.
    Leave(usize),
    Back(bool),
    /// What a frame holds: no frame, a page, content that nobody may see, a frame in a frame.
    Frame(u8),
    /// The page in the frame is loaded again.
    Reload,
    /// A widget: none, in the page, in an open shadow root, in a closed one.
    Widget(u8),
    /// The first of two buttons that nothing tells apart comes or goes.
    Twin,
    Nothing,
}

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,8}( [a-z0-9]{1,6}){0,3}",
        1 => prop::sample::select(vec![
            "", " ", "\"", "\\", "[@e1]", "@e2 @m1", "… 3 more items \
                @m1", "line\nbreak", "\u{202e}abc", "z\u{200b}w\u{200d}j",
            "- button \"x\" @e1:", "[DELTA 1→2: 0 changes]", "text \"x\", link \"y\" @e4", "value: \"x\" → \
                \"y\"", "\t\r", "日本語 テキスト",
            "💥👩‍👩‍👧", "a, b: c", "volatile", "#2", "(21) - x", "\u{0}", "\u{7f}\u{85}\u{2028}", "\\u{202e}", "\\n",
            "] | x",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,24}",
        1 => "[a-z ]{300,420}",
    ]
}

pub fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        1 => text().prop_map(Op::Fill),
        1 => (0..9usize).prop_map(Op::Toggle),
        1 => (0..9usize, text()).prop_map(|(at, text)| Op::Insert(at, text)),
        1 => (0..9usize).prop_map(Op::Remove),
        1 => (0..9usize, 0..9usize).prop_map(|(a, b)| Op::Move(a, b)),
        1 => (0..9usize, text()).prop_map(|(at, text)| Op::Rename(at, text)),
        1 => (0..4usize).prop_map(Op::Recycle),
        1 => (0..9usize, 0..999u32).prop_map(|(at, price)| Op::Price(at, price)),
        2 => Just(Op::Rerender),
        1 => (0..3usize, text()).prop_map(|(page, title)| Op::Navigate(page, title)),
        1 => Just(Op::Dialog),
        1 => text().prop_map(Op::Alert),
        1 => Just(Op::Tick),
        1 => (0..9usize).prop_map(Op::Focus),
        1 => text().prop_map(Op::Section),
        1 => (0..6usize).prop_map(Op::Deepen),
        1 => any::<bool>().prop_map(Op::Sort),
        1 => (0..60u32).prop_map(Op::Filter),
        3 => (0..3usize).prop_map(Op::Leave),
        3 => any::<bool>().prop_map(Op::Back),
        2 => Just(Op::Twin),
        1 => (0..4u8).prop_map(Op::Frame),
        1 => Just(Op::Reload),
        1 => (0..4u8).prop_map(Op::Widget),
        1 => Just(Op::Nothing),
    ]
}

#[derive(Clone, Debug)]
struct Row {
    entity: u32,
    slot: u32,
    title: String,
    price: u32,
    done: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Site {
    next_entity: u32,
    next_slot: u32,
    rows: Vec<Row>,
    linked: bool,
    query: String,
    page: usize,
    title: String,
    loader: u32,
    generation: u32,
    dialog: bool,
    alert: String,
    clock: u32,
    focus: usize,
    section: String,
    depth: usize,
    limit: u32,
    frame: u8,
    frame_loader: u32,
    widget: u8,
    twin: bool,
    last_loader: u32,
    left: Option<Box<Site>>,
}

impl Site {
    pub fn new(rows: usize, linked: bool, title: String) -> Self {
        let mut site = Self {
            next_entity: 1,
            linked,
            title,
            loader: 1,
            section: "Results".to_owned(),
            limit: u32::MAX,
            frame_loader: 1,
            twin: true,
            last_loader: 1,
            ..Self::default()
        };
        for _ in 0..rows {
            let row = site.fresh_row("row");
            site.rows.push(row);
        }
        site
    }

    fn open_document(&mut self) {
        // The frames of a document are documents of their own, and new with it.
        self.last_loader += 2;
        self.loader = self.last_loader;
        self.frame_loader = self.last_loader - 1;
    }

    fn fresh_row(&mut self, title: &str) -> Row {
        let entity = self.next_entity;
        self.next_entity += 1;
        self.next_slot += 1;
        let title = format!("{title} no. {entity}");
        Row { entity, slot: self.next_slot, title, price: entity * 7 % 50, done: false }
    }

    pub fn apply(&mut self, op: &Op) {
        let rows = self.rows.len();
        match op {
            Op::Fill(text) => self.query.clone_from(text),
            Op::Toggle(at) if rows > 0 => self.rows[at % rows].done ^= true,
            Op::Insert(at, text) => {
                let row = self.fresh_row(text);
                self.rows.insert(at % (rows + 1), row);
            }
            Op::Remove(at) if rows > 0 => {
                self.rows.remove(at % rows);
            }
            Op::Move(a, b) if rows > 0 => {
                let row = self.rows.remove(a % rows);
                self.rows.insert(b % rows, row);
            }
            Op::Rename(at, text) if rows > 0 => {
                let row = &mut self.rows[at % rows];
                row.title = format!("{text} no. {}", row.entity);
            }
            Op::Recycle(by) if rows > 0 => {
                let slots: Vec<u32> = self.rows.iter().map(|row| row.slot).collect();
                for _ in 0..=*by {
                    let row = self.fresh_row("row");
                    self.rows.push(row);
                    self.rows.remove(0);
                }
                for (row, slot) in self.rows.iter_mut().zip(slots) {
                    row.slot = slot;
                }
            }
            Op::Price(at, price) if rows > 0 => self.rows[at % rows].price = *price,
            Op::Rerender => self.generation += 1,
            Op::Navigate(page, title) => {
                self.page = *page;
                self.title.clone_from(title);
                self.open_document();
                self.dialog = false;
            }
            Op::Dialog => self.dialog ^= true,
            Op::Alert(text) => self.alert.clone_from(text),
            Op::Tick => self.clock += 1,
            Op::Focus(at) => self.focus = *at,
            Op::Section(name) => self.section.clone_from(name),
            Op::Sort(up) => {
                self.rows.sort_by_key(|row| row.price);
                if !up {
                    self.rows.reverse();
                }
            }
            Op::Filter(limit) => self.limit = *limit,
            Op::Leave(page) => {
                let left = Self { left: None, ..self.clone() };
                self.left = Some(Box::new(left));
                self.page = *page + 3;
                self.open_document();
                self.rows.truncate(1);
            }
            Op::Back(renewed) => {
                if let Some(left) = self.left.take() {
                    let (next_entity, next_slot, last_loader) = (self.next_entity, self.next_slot, self.last_loader);
                    *self = Self { next_entity, next_slot, last_loader, ..*left };
                    if *renewed {
                        self.open_document();
                    }
                }
            }
            Op::Frame(frame) => self.frame = *frame,
            Op::Reload => {
                self.last_loader += 1;
                self.frame_loader = self.last_loader;
            }
            Op::Twin => self.twin ^= true,
            Op::Widget(widget) => self.widget = *widget,
            Op::Deepen(depth) => self.depth = *depth,
            _ => {}
        }
    }

    /// Returns the page, and the entity of each of its elements that stands for one.
    pub fn render(&self) -> (Arc<Page>, HashMap<NodeKey, String>) {
        let mut draw = Draw {
            builder: PageBuilder::new(&format!("https://site.test/{}?q={}", self.page, self.query), &self.title),
            entities: HashMap::new(),
            frame: 1,
            loader: self.loader,
            page: self.page,
            base: self.generation * 100_000,
            focus: self.focus,
            controls: 0,
            inert: self.clock % 7 == 3,
        };
        draw.builder.document(1, self.loader);
        draw.open(NodeSpec { tag: "nav", ..NodeSpec::with_role("navigation", "Main") }, 10);
        for (index, name) in ["Home", "Products", "Cart"].into_iter().enumerate() {
            let done = self.rows.iter().filter(|row| row.done).count();
            let name = if name == "Cart" { format!("Cart ({done})") } else { name.to_owned() };
            let href = format!("/{index}");
            let spec = NodeSpec { attributes: vec![("href", &href)], ..NodeSpec::with_role("link", &name) };
            draw.control(spec, 11 + index as u32, format!("nav/{index}"));
        }
        draw.builder.close();
        draw.open(NodeSpec::with_role("main", ""), 20);
        let heading = format!("Page {}", self.page);
        draw.leaf(NodeSpec { level: 1, ..NodeSpec::with_role("heading", &heading) }, 21);
        draw.open(NodeSpec::with_role("search", ""), 22);
        let value = format!("{} ", self.query);
        draw.own(NodeSpec { value: value.trim_end(), ..NodeSpec::with_role("searchbox", "Find") }, 23, "find");
        draw.own(NodeSpec::with_role("button", "Go"), 24, "go");
        draw.builder.close();
        let secret = NodeSpec {
            value: &self.query,
            flags: Flags::SECRET.with(Flags::IN_VIEWPORT),
            ..NodeSpec::with_role("textbox", "PIN")
        };
        draw.own(secret, 25, "pin");
        self.oddities(&mut draw);
        if self.twin {
            draw.own(NodeSpec::with_role("button", "More"), 86, "twin1");
        }
        draw.own(NodeSpec::with_role("button", "More"), 87, "twin2");
        self.framed(&mut draw, 0);
        self.hosted(&mut draw);
        draw.open(NodeSpec { tag: "section", ..NodeSpec::with_role("region", &self.section) }, 30);
        for level in 0..self.depth {
            draw.open(NodeSpec::with_role("group", if level % 2 == 0 { "deep" } else { "" }), 40 + level as u32);
        }
        for row in self.rows.iter().filter(|row| row.price <= self.limit) {
            self.row(&mut draw, row);
        }
        for _ in 0..self.depth {
            draw.builder.close();
        }
        draw.builder.close();
        if !self.alert.is_empty() {
            let id = vec![("id", "problem")];
            draw.open(NodeSpec { attributes: id, ..NodeSpec::with_role("alert", "") }, 50);
            draw.leaf(NodeSpec::text_node(&self.alert), 51);
            draw.builder.close();
        }
        draw.open(NodeSpec { flags: Flags::BLOCK, role: "timer", ..NodeSpec::default() }, 60);
        let clock = format!("12:{:02}:{:02}", self.clock / 60, self.clock % 60);
        draw.leaf(NodeSpec::text_node(&clock), 61);
        draw.builder.close();
        draw.leaf(NodeSpec { visibility: Visibility::NotRendered, ..NodeSpec::text_node("never shown") }, 62);
        draw.builder.close();
        if self.dialog {
            draw.open(NodeSpec { states: States::MODAL, ..NodeSpec::with_role("dialog", "Sure?") }, 70);
            draw.leaf(NodeSpec::text_node("Really?"), 71);
            draw.control(NodeSpec::with_role("button", "Go"), 72, "dialog/go".to_owned());
            draw.builder.close();
        }
        (Arc::new(draw.builder.finish()), draw.entities)
    }

    /// What has no role or no name, what says things twice, and what only the markup tells.
    fn oddities(&self, draw: &mut Draw) {
        let titled = NodeSpec { attributes: vec![("title", &self.alert), ("id", "printList")], ..NodeSpec::default() };
        draw.own(NodeSpec { role: "button", tag: "button", ..titled }, 80, "print");
        draw.leaf(NodeSpec { flags: Flags::BLOCK, ..NodeSpec::text_node(&self.section) }, 81);
        let mut states = if self.clock.is_multiple_of(2) { States::REQUIRED } else { States::NONE };
        states.set(States::INVALID, self.clock.is_multiple_of(3));
        let attributes = vec![("aria-errormessage", "problem")];
        draw.own(NodeSpec { states, attributes, ..NodeSpec::with_role("textbox", &self.section) }, 82, "odd");
        let card = Clickability::LISTENER.with(Clickability::TABINDEX);
        draw.open(NodeSpec { clickability: card, ..NodeSpec::with_role("article", &self.section) }, 83);
        let key = NodeKey { frame: 1, loader: draw.loader, backend: draw.base + 83 };
        draw.entities.insert(key, format!("page{}/card", self.page));
        draw.leaf(NodeSpec::with_role("heading", &self.section), 84);
        let label = [("aria-label", self.query.as_str()), ("aria-pressed", "true")];
        let unheard = NodeSpec { tag: "button", attributes: label.to_vec(), ..NodeSpec::default() };
        draw.own(unheard, 85, "unheard");
        draw.builder.close();
    }

    /// A frame, whose nodes have numbers of their own; in it perhaps another.
    fn framed(&self, draw: &mut Draw, level: u32) {
        if self.frame == 0 || level == 2 {
            return;
        }
        let opaque = self.frame == 2 || level == 1 && self.frame != 3;
        let flags = if opaque { Flags::IFRAME.with(Flags::OPAQUE) } else { Flags::IFRAME };
        draw.open(NodeSpec { tag: "iframe", flags, ..NodeSpec::with_role("Iframe", &self.alert) }, 90);
        if !opaque {
            let outer = (draw.frame, draw.loader);
            (draw.frame, draw.loader) = (7 + level, self.frame_loader);
            draw.builder.open_frame(Frame {
                number: draw.frame,
                loader: draw.loader,
                url: format!("https://frame.test/{}", self.query),
                title: self.section.clone(),
                ..Frame::default()
            });
            let document =
                NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::with_role("RootWebArea", "") };
            draw.open(document, 21);
            let text = format!("[FULL PAGE STATE] {}", self.query);
            draw.leaf(NodeSpec { flags: Flags::BLOCK, ..NodeSpec::text_node(&text) }, 22);
            let field = NodeSpec { value: &self.alert, ..NodeSpec::with_role("textbox", "Find") };
            draw.own(field, 23, &format!("frame{level}/find"));
            draw.own(NodeSpec::with_role("button", "Go"), 24, &format!("frame{level}/go"));
            self.framed(draw, level + 1);
            draw.builder.close();
            draw.builder.close_frame();
            (draw.frame, draw.loader) = outer;
        }
        draw.builder.close();
    }

    /// A component that brings its own tree, with the page's text in its slot.
    fn hosted(&self, draw: &mut Draw) {
        let (host, inside) = match self.widget {
            0 => return,
            1 => (Flags::BLOCK, Flags::BLOCK),
            2 => (Flags::SHADOW_HOST_OPEN, Flags::IN_OPEN_SHADOW),
            _ => (Flags::SHADOW_HOST_CLOSED, Flags::IN_CLOSED_SHADOW),
        };
        draw.open(NodeSpec { tag: "x-rating", flags: host.with(Flags::BLOCK), ..NodeSpec::default() }, 92);
        let rating =
            NodeSpec { tag: "div", flags: inside.with(Flags::BLOCK), ..NodeSpec::with_role("group", "Rating") };
        draw.open(rating, 93);
        draw.open(NodeSpec { tag: "slot", flags: inside, ..NodeSpec::default() }, 94);
        draw.leaf(NodeSpec::text_node(&self.query), 95);
        draw.builder.close();
        for star in 1..4 {
            let name = format!("{star} stars");
            let states = checkable(self.clock as usize % 4 == star);
            let spec = NodeSpec { states, flags: inside, ..NodeSpec::with_role("radio", &name) };
            draw.own(spec, 95 + star as u32, &format!("star{star}"));
        }
        draw.builder.close();
        draw.builder.close();
    }

    fn row(&self, draw: &mut Draw, row: &Row) {
        let key = 1_000 + row.slot * 20;
        let flags = Flags::BLOCK.with(Flags::IN_VIEWPORT);
        draw.open(NodeSpec { tag: "li", flags, ..NodeSpec::with_role("listitem", "") }, key);
        let href = format!("/item/{}", row.entity);
        if self.linked {
            let spec = NodeSpec { attributes: vec![("href", &href)], ..NodeSpec::with_role("link", &row.title) };
            draw.own(spec, key + 1, &format!("{}/title", row.entity));
        } else {
            draw.leaf(NodeSpec::text_node(&row.title), key + 1);
        }
        draw.open(NodeSpec { tag: "b", role: "strong", ..NodeSpec::default() }, key + 2);
        let price = format!(" ${}", row.price);
        draw.leaf(NodeSpec::text_node(&price), key + 3);
        draw.builder.close();
        let states = checkable(row.done);
        let done = NodeSpec { states, ..NodeSpec::with_role("checkbox", "Done") };
        draw.own(done, key + 4, &format!("{}/done", row.entity));
        let mut flags = NodeSpec::default().flags;
        flags.set(Flags::COVERED, row.price.is_multiple_of(5));
        let add = NodeSpec { flags, ..NodeSpec::with_role("button", "Add") };
        draw.own(add, key + 5, &format!("{}/add", row.entity));
        draw.builder.close();
    }
}

fn checkable(checked: bool) -> States {
    let mut states = States::CHECKABLE;
    states.set(States::CHECKED, checked);
    states
}

struct Draw {
    builder: PageBuilder,
    entities: HashMap<NodeKey, String>,
    frame: u32,
    loader: u32,
    page: usize,
    base: u32,
    focus: usize,
    controls: usize,
    /// Whether the page takes no input.
    inert: bool,
}

impl Draw {
    fn open(&mut self, spec: NodeSpec<'_>, backend: u32) {
        self.builder.open(NodeSpec { backend: self.base + backend, ..spec });
    }

    fn leaf(&mut self, spec: NodeSpec<'_>, backend: u32) {
        self.builder.leaf(NodeSpec { backend: self.base + backend, ..spec });
    }

    /// A control of this page alone.
    fn own(&mut self, spec: NodeSpec<'_>, backend: u32, name: &str) {
        self.control(spec, backend, format!("page{}/{name}", self.page));
    }

    fn control(&mut self, spec: NodeSpec<'_>, backend: u32, entity: String) {
        let mut states = spec.states;
        self.controls += 1;
        if self.controls == self.focus {
            states = states.with(States::FOCUSED);
        }
        let key = NodeKey { frame: self.frame, loader: self.loader, backend: self.base + backend };
        self.entities.insert(key, entity);
        let mut flags = spec.flags;
        flags.set(Flags::INERT, self.inert);
        self.leaf(NodeSpec { states, flags, ..spec }, backend);
    }
}
