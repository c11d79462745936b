//! What encloses the items of a page: rows, landmarks, headings, the way from the root.
//!
//! In: a page and the items of its view that can be acted on. Out: [`Evidence`] of each.
//! Invariants: a few linear passes; what a row or a section says is a range of the page's texts,
//! which is looked at once.

mod markup;

use super::{Evidence, RowEvidence, counted, hash, identifies, uncounted, unsigned};
use crate::differ::filter::is_advertisement;
use crate::extract::Meta;
use crate::tree::Item;
use browserlens_core::page::{Flags, FrameId, NodeId, NodeKey, NodeKind, NodeRef, Page, role};
use markup::{difference, hash_without, is_chrome, kind_of, label_of, language_of, rows, target_of, words_of};
use std::collections::HashMap;
use std::sync::Arc;

/// Texts above which a repeated box is a section and not a row.
const LARGEST_ROW: u32 = 60;
/// How far up a list item is looked for.
const DEEPEST_ITEM: usize = 24;
/// How many enclosing rows count.
const ROWS: usize = 3;
/// How many enclosing nodes count when the nodes of a place are compared.
const DEEPEST_PLACE: usize = 8;
/// How many of the texts below a title are looked at.
const MOST_AROUND: usize = 256;
/// How many nodes are in a path.
const LONGEST_PATH: usize = 5;

/// What encloses the nodes of a page.
#[derive(Debug, Default)]
pub(in crate::refs) struct Surroundings {
    /// Rows that enclose a node, nearest first, as a list: the nearest row, and for each row the
    /// next.
    nearest_row: Vec<u32>,
    is_row: Vec<bool>,
    titles: Vec<Title>,
    far: Vec<u64>,
    texts: Vec<(u64, u32)>,
    /// Texts with letters: position, hash.
    lettered: Vec<(u32, u64)>,
    /// How often each stands in what has rows.
    times: HashMap<u32, HashMap<u64, u32>>,
    /// The rows before and after each row.
    beside: Vec<[u32; 2]>,
    /// How many of its siblings with its tag come before each node, and how many there are.
    numbers: Vec<(u32, u32)>,
    /// The way from the root to each node: by tags and those numbers, and by tags alone.
    ways: Vec<(u64, u64)>,
    rows: HashMap<u32, Arc<RowEvidence>>,
    /// What stands in a node but not in its heading.
    around: HashMap<(u32, u32), Arc<Vec<u64>>>,
    /// Items met in each row.
    met: HashMap<u32, u32>,
    targets: Vec<(u64, u32)>,
    /// The same without the language of the page in them.
    neutral: Vec<(u64, u32)>,
    anchors: HashMap<u64, u32>,
    language: u64,
    /// The page's address without what is asked there.
    here: u64,
    /// The element that shows each frame.
    frames: HashMap<FrameId, Option<NodeKey>>,
    has_main: bool,
    in_main: Vec<bool>,
}

/// What a node stands under.
#[derive(Clone, Copy, Debug, Default)]
struct Title {
    words: u64,
    uncounted: u64,
    /// The node that has that heading or that name, and its heading.
    of: u32,
    heading: u32,
}

impl Title {
    /// Returns the title of names and headings, each with and without counters.
    fn of(names: (u64, u64), heads: (u64, u64), of: u32, heading: u32) -> Self {
        Self { words: hash((names.0, heads.0)), uncounted: hash((names.1, heads.1)), of, heading }
    }
}

const NO_ROW: u32 = u32::MAX;

impl Surroundings {
    pub(in crate::refs) fn of(page: &Page) -> Self {
        let is_row = rows(page);
        let language = language_of(page);
        let mut this = Self {
            nearest_row: vec![NO_ROW; page.len()],
            titles: vec![Title::default(); page.len()],
            far: vec![0; page.len()],
            texts: Vec::with_capacity(page.len() + 1),
            beside: vec![[NO_ROW; 2]; page.len()],
            numbers: vec![(0, 0); page.len()],
            ways: vec![(0, 0); page.len()],
            targets: Vec::with_capacity(page.len() + 1),
            neutral: Vec::with_capacity(page.len() + 1),
            language: language.map_or(0, hash),
            here: hash(page.url().split(['?', '#']).next()),
            in_main: vec![false; page.len()],
            is_row,
            ..Self::default()
        };
        this.texts.push((0, 0));
        this.targets.push((0, 0));
        this.neutral.push((0, 0));
        this.paths(page);
        this.number(page);
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
            let mut neutral = this.neutral[node.id().index()].0;
            if let Some(leads) = target_of(node) {
                target = target.wrapping_add(hash(leads));
                neutral = neutral.wrapping_add(hash_without(leads, language));
                targets += 1;
            }
            this.targets.push((target, targets));
            this.neutral.push((neutral, targets));
        }
        let rows = page.nodes().filter(|node| this.is_row[node.id().index()]);
        let anchors = rows.map(|row| difference(&this.targets, row)).filter(|(_, count)| *count > 0);
        this.anchors = counted(anchors.map(|(sum, _)| sum));
        this
    }

    /// Numbers siblings, and links each row with those beside it.
    fn number(&mut self, page: &Page) {
        let mut tags: HashMap<&str, u32> = HashMap::new();
        for node in page.nodes().filter(|node| node.kind() != NodeKind::Text) {
            tags.clear();
            let mut last = NO_ROW;
            for child in node.children() {
                let at = child.id().index();
                let before = tags.entry(child.tag()).or_default();
                self.numbers[at].0 = *before;
                *before += 1;
                if !self.is_row[at] {
                    continue;
                }
                self.beside[at][0] = last;
                if last != NO_ROW {
                    self.beside[last as usize][1] = child.id().0;
                }
                last = child.id().0;
            }
            let (whole, template) = self.ways[node.id().index()];
            for child in node.children() {
                let at = child.id().index();
                self.numbers[at].1 = tags.get(child.tag()).copied().unwrap_or(0);
                self.ways[at] = (hash((whole, child.tag(), self.numbers[at])), hash((template, child.tag())));
            }
        }
    }

    /// Follows landmarks, headings and rows down the tree.
    fn paths(&mut self, page: &Page) {
        #[derive(Default)]
        struct Level {
            node: u32,
            end: u32,
            path: u64,
            chrome: bool,
            main: bool,
            heading: u64,
            /// Names of the landmarks, with and without counters.
            names: (u64, u64),
            heads: (u64, u64),
            title: Title,
        }
        let is_heading = |node: &NodeRef<'_>| kind_of(*node) == "heading" && node.is_visible();
        let words = |node: NodeRef<'_>| hash(words_of(node).as_slice());
        let first_heading =
            page.nodes().find(|node| is_heading(node) && !node.ancestors().any(|above| is_chrome(kind_of(above))));
        let about = first_heading.map_or_else(|| hash(page.title()), words);
        let mut levels = vec![Level { end: u32::MAX, ..Level::default() }];
        let mut open_rows: Vec<(u32, u32)> = Vec::new();
        for node in page.nodes() {
            let at = node.id().index();
            while levels.pop_if(|level| level.end <= node.id().0).is_some() {}
            while open_rows.pop_if(|(_, end)| *end <= node.id().0).is_some() {}
            self.nearest_row[at] = open_rows.last().map_or(NO_ROW, |(row, _)| *row);
            if self.is_row[at] {
                open_rows.push((node.id().0, node.end()));
            }
            let Some(level) = levels.last_mut() else { continue };
            if is_heading(&node) {
                level.heading = words(node);
                let uncounted: Vec<&str> = words_of(node).into_iter().flat_map(uncounted).collect();
                level.heads = (level.heading, hash(uncounted.as_slice()));
                level.title = Title::of(level.names, level.heads, level.node, node.id().0);
            }
            self.titles[at] = level.title;
            self.in_main[at] = level.main;
            self.far[at] = if level.chrome { level.path } else { hash((level.path, level.heading, about)) };
            let kind = kind_of(node);
            let titled = role::is_landmark(kind)
                || [
                    "dialog", "alertdialog", "tabpanel", "article", "group", "figure", "table", "list",
                    "DescriptionList", "menu",
                ]
                .contains(&kind)
                || node.kind() == NodeKind::Document;
            if titled {
                // A document's name is its title, which changes with every page.
                let name = if node.kind() == NodeKind::Document { "" } else { label_of(node) };
                let path = hash((level.path, kind, name));
                let chrome = level.chrome || is_chrome(kind);
                // Links of a navigation are of the site, wherever it stands.
                let main = kind != "navigation" && (level.main || kind == "main");
                self.has_main |= main;
                let (mut names, heads, mut title) = (level.names, level.heads, level.title);
                if !name.is_empty() {
                    names = (hash((names.0, name)), hash((names.1, uncounted(name))));
                    title = Title::of(names, heads, node.id().0, NO_ROW);
                }
                let (node, end) = (node.id().0, node.end());
                levels.push(Level { node, end, path, chrome, main, heading: 0, names, heads, title });
            }
        }
    }

    /// Returns the texts with letters in a node, but for those in another.
    fn lettered_in(&self, node: NodeRef<'_>, without: Option<NodeRef<'_>>) -> Vec<u64> {
        let range = |node: NodeRef<'_>| {
            let from = self.lettered.partition_point(|(at, _)| *at < node.id().0);
            from..self.lettered.partition_point(|(at, _)| *at < node.end())
        };
        let without = without.map_or(0..0, range);
        let within = range(node).filter(|at| !without.contains(at));
        within.map(|at| self.lettered[at].1).collect()
    }

    fn row(&mut self, page: &Page, row: NodeRef<'_>) -> Arc<RowEvidence> {
        if let Some(known) = self.rows.get(&row.id().0) {
            return Arc::clone(known);
        }
        let said = self.lettered_in(row, None);
        let list = row.parent().unwrap_or(row);
        if !self.times.contains_key(&list.id().0) {
            let times = counted(self.lettered_in(list, None).into_iter());
            self.times.insert(list.id().0, times);
        }
        let times = &self.times[&list.id().0];
        let mut telling: Vec<u64> = said.iter().copied().filter(|text| times.get(text) == Some(&1)).collect();
        let first = telling.first().copied();
        telling.sort_unstable();
        let mut all = said;
        all.sort_unstable();
        let key = |row: u32| (row != NO_ROW).then(|| page.node(NodeId(row)).key());
        let beside = self.beside[row.id().index()].map(key);
        let (_, texts) = difference(&self.texts, row);
        let (is_section, is_item) = (role::is_landmark(kind_of(row)), role::is_item(kind_of(row)));
        let (key, list) = (row.key(), list.key());
        let evidence = Arc::new(RowEvidence { key, list, beside, first, telling, all, texts, is_section, is_item });
        self.rows.insert(row.id().0, Arc::clone(&evidence));
        evidence
    }

    /// Returns what stands under the title of a node.
    fn around(&mut self, page: &Page, title: Title) -> Arc<Vec<u64>> {
        let known = self.around.get(&(title.of, title.heading)).cloned();
        known.unwrap_or_else(|| {
            let heading = (title.heading != NO_ROW).then(|| page.node(NodeId(title.heading)));
            let mut texts = self.lettered_in(page.node(NodeId(title.of)), heading);
            texts.truncate(MOST_AROUND);
            texts.sort_unstable();
            let texts = Arc::new(texts);
            self.around.insert((title.of, title.heading), Arc::clone(&texts));
            texts
        })
    }

    /// Returns the paths to a node from what encloses it: tags, and numbers among their siblings.
    fn paths_to(&self, node: NodeRef<'_>) -> Vec<u64> {
        let (mut path, mut below, mut paths) = (0, node, Vec::new());
        for above in node.ancestors().take(LONGEST_PATH) {
            path = hash((path, below.tag(), self.numbers[below.id().index()]));
            paths.push(hash((above.key(), path)));
            below = above;
        }
        paths
    }

    /// Returns what of a node is alike in every language: role, path from the root, key, and where
    /// it or its nearest row leads. Rows may be sorted by their words: one that leads nowhere tells
    /// nothing of what has no key.
    fn untold(&self, node: NodeRef<'_>, role: &str) -> Vec<u64> {
        let key = ["id", "name", "value"].map(|name| node.attribute(name));
        let row = self.nearest_row[node.id().index()];
        let within = if target_of(node).is_some() || row == NO_ROW { node } else { node.page().node(NodeId(row)) };
        let plain = difference(&self.targets, within);
        let in_row = row != NO_ROW || self.is_row[node.id().index()];
        if self.language == 0 || (in_row && plain.1 == 0 && key.iter().all(Option::is_none)) {
            return Vec::new();
        }
        let path = self.ways[node.id().index()].0;
        vec![hash((role, path, key, 0, plain)), hash((role, path, key, 1, difference(&self.neutral, within)))]
    }

    /// Returns what is alike on every page that a template makes: tags from the root, and in what a
    /// page is about where that page is.
    fn template(&self, node: NodeId) -> u64 {
        let is_about = !self.has_main || self.in_main[node.index()];
        hash((self.ways[node.index()].1, is_about.then_some(self.here)))
    }

    pub(in crate::refs) fn evidence(&mut self, page: &Page, meta: &Meta, item: &Item) -> Evidence {
        let node = page.node(meta.node);
        let at = meta.node.index();
        let own = difference(&self.texts, node);
        let (mut rest, mut rows, mut anchor, mut anchor_is_near) = (0_u64, 0, None, false);
        let mut row = self.nearest_row[at];
        let mut in_rows = Vec::new();
        if self.is_row[at] {
            in_rows.push(self.row(page, node));
        }
        let met = self.met.entry(row).or_default();
        *met += 1;
        let nth = *met;
        while row != NO_ROW && rows < ROWS {
            let enclosing = page.node(NodeId(row));
            let (text, count) = difference(&self.texts, enclosing);
            if count > LARGEST_ROW {
                break;
            }
            rest = hash((rest, text.wrapping_sub(own.0), count - own.1));
            rows += 1;
            in_rows.push(self.row(page, enclosing));
            let (targets, leads) = difference(&self.targets, enclosing);
            if anchor.is_none() && leads > 0 {
                (anchor, anchor_is_near) = (Some(targets), rows == 1);
            }
            row = self.nearest_row[row as usize];
        }
        let mut own = self.lettered_in(node, None);
        own.push(hash(item.name.trim()));
        let title = self.titles[at];
        let target = target_of(node);
        let is_fleeting = |above| matches!(kind_of(above), "log" | "marquee") || is_advertisement(above);
        Evidence {
            role: item.role.clone(),
            name: unsigned(&item.name),
            target: target.map(hash),
            target_path: target.map(|target| hash(target.split(['?', '#']).next())),
            switches_to: target.and(node.attribute("hreflang")).map(hash),
            target_is_unique: false,
            own,
            rest,
            rows,
            in_rows,
            fleeting: node.ancestors().take(DEEPEST_ITEM).any(is_fleeting),
            anchor,
            anchor_is_unique: anchor.is_some_and(|anchor| self.anchors.get(&anchor) == Some(&1)),
            anchor_is_near,
            title: title.words,
            title_uncounted: title.uncounted,
            around: self.around(page, title),
            titled_by: page.node(NodeId(title.of)).key(),
            far: self.far[at],
            template: self.template(meta.node),
            frame: *self.frames.entry(node.frame()).or_insert_with(|| {
                node.ancestors().find(|above| above.flags().has(Flags::IFRAME)).map(|frame| frame.key())
            }),
            above: node.ancestors().take(DEEPEST_PLACE).map(|above| above.key()).collect(),
            paths: self.paths_to(node),
            untold: self.untold(node, &item.role),
            language: self.language,
            nth,
            places: Vec::new(),
            prints: Vec::new(),
            shared: Vec::new(),
        }
    }
}
