//! What identifies an entity: name, link target, row, landmark path, headings.
//!
//! In: a page and the items of its view that can be acted on. Out: [`Evidence`] of each. Invariants: a few linear passes;
//! sums over subtrees are differences of prefix sums, so a row's text without the node's own costs nothing more.

use crate::bugs::{Bug, has};
use crate::differ::filter::{is_advertisement, tells_time};
use crate::extract::{Meta, markup_role};
use crate::tree::Item;
use browserlens_page::{NodeId, NodeKind, NodeRef, Page, role};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Texts above which a repeated box is a section and not a row.
const LARGEST_ROW: u32 = 60;
/// Telling texts up to which a row must keep all of them.
const LARGEST_STRICT_ROW: usize = 6;
/// How far up a list item is looked for.
const DEEPEST_ITEM: usize = 24;
/// How many enclosing rows count.
const ROWS: usize = 3;

/// What tells a row from the others: its texts with letters.
#[derive(Debug, Default, PartialEq)]
struct RowMarks {
    /// The first of them.
    first: Option<u64>,
    /// All of them, sorted.
    all: Vec<u64>,
    /// Whether one of them stands in no other row beside it.
    telling: bool,
}

impl RowMarks {
    /// Returns whether both certainly mark the same row; none if they do not say.
    fn same(&self, now: &Self, nearest: bool) -> Option<bool> {
        let most = self.all.len().max(now.all.len());
        let kept = self.all.iter().filter(|text| now.all.binary_search(text).is_ok()).count();
        // Of a small row every word counts; a large one is a section, in which something may come and go.
        let strict = nearest && most <= LARGEST_STRICT_ROW;
        let same = if strict { self.all == now.all } else { kept * 2 >= most && (!nearest || self.first == now.first) };
        if same && !(self.telling && now.telling) { None } else { Some(same) }
    }
}

/// What identifies an entity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    role: Arc<str>,
    name: Arc<str>,
    /// Whether no other item of the page has that role and name.
    name_is_unique: bool,
    /// Link target, if it is one and leads somewhere.
    target: Option<u64>,
    /// Whether no other link of the page has that target.
    target_is_unique: bool,
    /// Text of the enclosing rows without its own; how many such rows there are.
    rest: u64,
    rows: usize,
    /// What tells those rows from others, nearest first.
    marks: Vec<Arc<RowMarks>>,
    /// Whether a list item, table row or article encloses it.
    in_item: bool,
    /// Whether it is in an advertisement or a log: what comes there is another each time, though it looks the same.
    fleeting: bool,
    /// Whether it is itself one of several alike.
    repeated: bool,
    /// Link targets of the nearest row that has any, if no other row has the same.
    anchor: Option<u64>,
    anchor_is_unique: bool,
    /// Landmarks up to the nearest, and the heading above it.
    near: u64,
    far: u64,
    /// Fingerprint in a row that outlives what is in it: the row's node and its words.
    pub(super) place: Option<u64>,
    /// Fingerprint that outlives the node, if it is unique on the page.
    pub(super) print: Option<u64>,
    /// The fingerprint, if others have it too.
    pub(super) shared: Option<u64>,
}

impl Evidence {
    /// Returns whether the same node key certainly still stands for the same entity.
    pub(super) fn is_certainly(&self, now: &Self) -> bool {
        if self.role != now.role {
            return false;
        }
        if has(Bug::Rebinds) {
            return true;
        }
        let same_target = self.target == now.target;
        if same_target && self.target.is_some() && self.target_is_unique && now.target_is_unique {
            return true;
        }
        if self.name == now.name
            && self.anchor.is_some()
            && self.anchor == now.anchor
            && self.anchor_is_unique
            && now.anchor_is_unique
        {
            return same_target;
        }
        let field = role::is_text_field(&self.role) && !self.in_item && !now.in_item;
        let only_one = !self.name.is_empty() && self.name_is_unique && now.name_is_unique;
        if field && only_one && self.name == now.name && self.near == now.near {
            // A field of that name is there once: a message beside it does not make it another.
            return true;
        }
        // What flickers in a row (a price, a count, a time) does not make it another.
        let only = only_one || self.rows == 0;
        if same_target && self.name == now.name && self.near == now.near && self.same_rows(now, only) {
            return true;
        }
        let same_place = same_target && self.near == now.near && self.rest == now.rest && self.rows == now.rows;
        let alone = self.rows == 0 && now.rows == 0 && !self.repeated && !now.repeated;
        same_place && (self.name == now.name || (alone && without_digits(&self.name).eq(without_digits(&now.name))))
    }

    /// Whether the enclosing rows are certainly the same; of a row that says nothing, `only` decides: there is one such name.
    fn same_rows(&self, now: &Self, only: bool) -> bool {
        let nested = self.marks.len().min(now.marks.len());
        let rows = self.marks.iter().zip(&now.marks);
        nested > 0
            && self.repeated == now.repeated
            && rows.enumerate().all(|(nth, (row, is))| row.same(is, nth == 0).unwrap_or(only || nth > 0))
    }

    fn fingerprint(&self) -> Option<u64> {
        if self.name.is_empty() || self.fleeting {
            return None;
        }
        let row = match self.anchor {
            Some(anchor) if self.anchor_is_unique => (1, anchor),
            _ if self.rows > 0 => (2, self.rest),
            _ => (0, 0),
        };
        Some(hash((&self.role, &self.name, self.target, self.far, row)))
    }
}

/// Whether a text can tell a row from others: it has letters or is a long number, and tells no time.
fn identifies(text: &str) -> bool {
    let text = text.trim();
    let number = text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    number || (text.chars().any(char::is_alphabetic) && !tells_time(text))
}

fn without_digits(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| !c.is_ascii_digit())
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Says of each target, anchor and fingerprint whether it is unique among the items of the page.
pub(super) fn mark_unique(acting: &mut [(u32, Evidence)]) {
    let mut targets: HashMap<u64, u32> = HashMap::new();
    for (_, evidence) in acting.iter() {
        if let Some(target) = evidence.target {
            *targets.entry(target).or_default() += 1;
        }
    }
    let mut names: HashMap<(Arc<str>, Arc<str>), u32> = HashMap::new();
    for (_, evidence) in acting.iter() {
        *names.entry((evidence.role.clone(), evidence.name.clone())).or_default() += 1;
    }
    let mut prints: HashMap<u64, u32> = HashMap::new();
    for (_, evidence) in acting.iter_mut() {
        evidence.target_is_unique = evidence.target.is_some_and(|target| targets.get(&target) == Some(&1));
        evidence.name_is_unique = names.get(&(evidence.role.clone(), evidence.name.clone())) == Some(&1);
        evidence.print = evidence.fingerprint();
        if let Some(print) = evidence.print {
            *prints.entry(print).or_default() += 1;
        }
    }
    let mut places: HashMap<u64, u32> = HashMap::new();
    for place in acting.iter().filter_map(|(_, evidence)| evidence.place) {
        *places.entry(place).or_default() += 1;
    }
    for (_, evidence) in acting {
        evidence.place = evidence.place.filter(|place| places.get(place) == Some(&1));
        if evidence.print.is_some_and(|print| prints.get(&print) != Some(&1)) && !has(Bug::TrustsAlike) {
            evidence.shared = evidence.print.take();
        }
    }
}

/// What encloses the nodes of a page.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// Rows that enclose a node, nearest first, as a list: the nearest row, and for each row the next.
    nearest_row: Vec<u32>,
    is_row: Vec<bool>,
    near: Vec<u64>,
    far: Vec<u64>,
    texts: Vec<(u64, u32)>,
    /// Texts with letters: position, hash.
    lettered: Vec<(u32, u64)>,
    /// How often each stands in an item that has rows.
    beside: HashMap<u32, HashMap<u64, u32>>,
    row_marks: HashMap<u32, Arc<RowMarks>>,
    targets: Vec<(u64, u32)>,
    anchors: HashMap<u64, u32>,
}

const NO_ROW: u32 = u32::MAX;

impl Surroundings {
    pub(super) fn of(page: &Page) -> Self {
        let is_row = rows(page);
        let mut this = Self {
            nearest_row: vec![NO_ROW; page.len()],
            near: vec![0; page.len()],
            far: vec![0; page.len()],
            texts: Vec::with_capacity(page.len() + 1),
            lettered: Vec::new(),
            beside: HashMap::new(),
            row_marks: HashMap::new(),
            targets: Vec::with_capacity(page.len() + 1),
            anchors: HashMap::new(),
            is_row,
        };
        this.texts.push((0, 0));
        this.targets.push((0, 0));
        this.paths(page);
        for node in page.nodes() {
            let (mut text, mut texts) = this.texts[node.id().index()];
            let said = match node.kind() {
                NodeKind::Text | NodeKind::Pseudo => node.text(),
                // A field's name is its label's text, which stands beside it.
                _ if matches!(node.tag(), "input" | "select" | "textarea" | "button") => label_of(node),
                // What is named and has nothing in it says its name.
                _ if node.children().next().is_none() && label_of(node).is_empty() => node.name(),
                _ if kind_of(node) == "image" || node.children().next().is_none() => label_of(node),
                _ => "",
            };
            if node.is_visible() && !said.trim().is_empty() {
                text = text.wrapping_add(hash(said.trim()));
                texts += 1;
                if identifies(said) {
                    this.lettered.push((node.id().0, hash(said.trim())));
                }
            }
            this.texts.push((text, texts));
            let (mut target, mut targets) = this.targets[node.id().index()];
            if let Some(leads) = target_of(node) {
                target = target.wrapping_add(leads);
                targets += 1;
            }
            this.targets.push((target, targets));
        }
        for node in page.nodes().filter(|node| this.is_row[node.id().index()]) {
            let (sum, count) = difference(&this.targets, node);
            if count > 0 {
                *this.anchors.entry(sum).or_default() += 1;
            }
        }
        this
    }

    /// Follows landmarks, headings and rows down the tree.
    fn paths(&mut self, page: &Page) {
        struct Level {
            end: u32,
            path: u64,
            chrome: bool,
            heading: u64,
        }
        let is_heading = |node: &NodeRef<'_>| kind_of(*node) == "heading" && node.is_visible();
        let words = |node: NodeRef<'_>| {
            let below = (node.id().0..node.end()).map(|id| page.node(NodeId(id)));
            let texts = below.filter(|below| matches!(below.kind(), NodeKind::Text)).map(|below| below.text().trim());
            let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
            if texts.is_empty() { hash([node.name()].as_slice()) } else { hash(texts.as_slice()) }
        };
        let first_heading =
            page.nodes().find(|node| is_heading(node) && !node.ancestors().any(|above| is_chrome(kind_of(above))));
        let about = first_heading.map_or_else(|| hash(page.title()), words);
        let mut levels = vec![Level { end: u32::MAX, path: 0, chrome: false, heading: 0 }];
        let mut open_rows: Vec<(u32, u32)> = Vec::new();
        for node in page.nodes() {
            let at = node.id().index();
            while levels.len() > 1 && levels.last().is_some_and(|level| level.end <= node.id().0) {
                levels.pop();
            }
            while open_rows.last().is_some_and(|(_, end)| *end <= node.id().0) {
                open_rows.pop();
            }
            self.nearest_row[at] = open_rows.last().map_or(NO_ROW, |(row, _)| *row);
            if self.is_row[at] {
                open_rows.push((node.id().0, node.end()));
            }
            let Some(level) = levels.last_mut() else { continue };
            if is_heading(&node) {
                level.heading = words(node);
            }
            self.near[at] = hash((level.path, level.heading));
            self.far[at] = if level.chrome { level.path } else { hash((level.path, level.heading, about)) };
            let kind = kind_of(node);
            let titled = role::is_landmark(kind)
                || matches!(
                    kind,
                    "dialog"
                        | "alertdialog"
                        | "tabpanel"
                        | "article"
                        | "group"
                        | "figure"
                        | "table"
                        | "list"
                        | "DescriptionList"
                        | "menu"
                )
                || node.kind() == NodeKind::Document;
            if titled {
                // A document's name is its title, which changes with every page.
                let name = if node.kind() == NodeKind::Document { "" } else { label_of(node) };
                let path = hash((level.path, kind, name));
                let chrome = level.chrome || is_chrome(kind);
                levels.push(Level { end: node.end(), path, chrome, heading: 0 });
            }
        }
    }

    /// Returns what tells a row from the others.
    fn marks_of(&mut self, row: NodeRef<'_>) -> Arc<RowMarks> {
        if let Some(known) = self.row_marks.get(&row.id().0) {
            return Arc::clone(known);
        }
        let within = |node: NodeRef<'_>| {
            let from = self.lettered.partition_point(|(at, _)| *at < node.id().0);
            let to = self.lettered.partition_point(|(at, _)| *at < node.end());
            self.lettered[from..to].iter().map(|(_, text)| *text)
        };
        let mut all: Vec<u64> = within(row).collect();
        let around = row.parent().map_or(0, |parent| parent.id().0);
        let times = self.beside.entry(around).or_insert_with(|| {
            let mut times = HashMap::new();
            for text in row.parent().into_iter().flat_map(within) {
                *times.entry(text).or_default() += 1;
            }
            times
        });
        let telling = all.iter().any(|text| times.get(text) == Some(&1));
        let first = all.first().copied();
        all.sort_unstable();
        let marks = Arc::new(RowMarks { first, all, telling });
        self.row_marks.insert(row.id().0, Arc::clone(&marks));
        marks
    }

    pub(super) fn evidence(&mut self, page: &Page, meta: &Meta, item: &Item) -> Evidence {
        let node = page.node(meta.node);
        let at = meta.node.index();
        let own = difference(&self.texts, node);
        let (mut rest, mut rows, mut anchor) = (0_u64, 0, None);
        let mut place = None;
        let mut row = self.nearest_row[at];
        let mut marks = Vec::new();
        while row != NO_ROW && rows < ROWS {
            let enclosing = page.node(NodeId(row));
            let (text, count) = difference(&self.texts, enclosing);
            if count > LARGEST_ROW {
                break;
            }
            rest = hash((rest, text.wrapping_sub(own.0), count - own.1));
            rows += 1;
            let words = self.marks_of(enclosing);
            if rows == 1 && words.telling {
                place = Some(hash((&item.role, &item.name, enclosing.key(), &words.all)));
            }
            marks.push(words);
            let (targets, leads) = difference(&self.targets, enclosing);
            if anchor.is_none() && leads > 0 {
                anchor = Some(targets);
            }
            row = self.nearest_row[row as usize];
        }
        Evidence {
            role: item.role.clone(),
            name: item.name.clone(),
            name_is_unique: false,
            target: target_of(node),
            target_is_unique: false,
            rest,
            rows,
            marks,
            in_item: node.ancestors().take(DEEPEST_ITEM).any(|above| is_item_role(kind_of(above))),
            fleeting: node
                .ancestors()
                .take(DEEPEST_ITEM)
                .any(|above| matches!(kind_of(above), "log" | "marquee") || is_advertisement(above)),
            repeated: self.is_row[at],
            anchor,
            anchor_is_unique: anchor.is_some_and(|anchor| self.anchors.get(&anchor) == Some(&1)),
            near: self.near[at],
            far: self.far[at],
            place,
            print: None,
            shared: None,
        }
    }
}

fn difference(sums: &[(u64, u32)], node: NodeRef<'_>) -> (u64, u32) {
    let (from, to) = (sums[node.id().index()], sums[node.end() as usize]);
    (to.0.wrapping_sub(from.0), to.1 - from.1)
}

/// Returns what a node is by its markup, in words of roles; of controls, only that an option is one. A dialog takes the roles of what is behind
/// it away, and its markup stays.
fn kind_of(node: NodeRef<'_>) -> &str {
    let unmarked = if node.tag().is_empty() { node.role() } else { "" };
    markup_role(node).filter(|kind| *kind == "option" || !role::is_interactive(kind)).unwrap_or(unmarked)
}

/// Returns what a node is called by its markup.
fn label_of(node: NodeRef<'_>) -> &str {
    if node.tag().is_empty() {
        return node.name();
    }
    ["aria-label", "alt", "title", "placeholder"].into_iter().find_map(|name| node.attribute(name)).unwrap_or("")
}

fn is_cell(role: &str) -> bool {
    matches!(role, "cell" | "gridcell" | "columnheader" | "rowheader")
}

fn is_item_role(role: &str) -> bool {
    matches!(role, "row" | "listitem" | "article" | "option" | "treeitem")
}

fn is_chrome(role: &str) -> bool {
    matches!(role, "banner" | "navigation" | "contentinfo")
}

/// Returns the hash of where a link leads, if that says anything.
fn target_of(node: NodeRef<'_>) -> Option<u64> {
    if node.tag() != "a" && node.role() != "link" {
        return None;
    }
    let target = node.attribute("href")?.trim();
    let nowhere = target.is_empty() || target.starts_with('#') || target.starts_with("javascript:");
    (!nowhere).then(|| hash(target))
}

/// Says which nodes are rows: by role, or as one of at least three siblings (or two neighbours) of one shape.
fn rows(page: &Page) -> Vec<bool> {
    let mut is_row = vec![false; page.len()];
    let mut kin: HashMap<u64, u32> = HashMap::new();
    let mut shapes: Vec<(u32, u64, u64)> = Vec::new();
    for node in page.nodes().filter(|node| node.kind() != NodeKind::Text) {
        kin.clear();
        shapes.clear();
        for child in node.children().filter(|child| child.kind() == NodeKind::Element) {
            let kind = kind_of(child);
            if is_cell(kind) || matches!(child.tag(), "td" | "th" | "br" | "option") {
                continue;
            }
            let mut inner = child.children().filter(|inner| inner.kind() == NodeKind::Element);
            let first = inner.clone().next().map_or("", |inner| inner.tag());
            let loose = hash((child.tag(), kind, first));
            let whole = inner.by_ref().take(8).fold(loose, |shape, inner| hash((shape, inner.tag(), kind_of(inner))));
            let by_role = is_item_role(kind);
            is_row[child.id().index()] = by_role;
            *kin.entry(loose).or_default() += 1;
            shapes.push((child.id().0, loose, whole));
        }
        for (index, (id, loose, whole)) in shapes.iter().enumerate() {
            let beside = index.checked_sub(1).is_some_and(|before| shapes[before].2 == *whole)
                || shapes.get(index + 1).is_some_and(|after| after.2 == *whole);
            if beside || kin.get(loose).is_some_and(|count| *count >= 3) {
                is_row[*id as usize] = true;
            }
        }
    }
    is_row
}
