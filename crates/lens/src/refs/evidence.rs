//! What identifies an entity: name, link target, row, landmark path, headings.
//!
//! In: a page and the items of its view that can be acted on. Out: [`Evidence`] of each. Invariants: a few linear passes; what a row or a
//! section says is a range of the page's texts, which is looked at once.

use crate::bugs::{Bug, has};
use crate::differ::filter::{is_advertisement, tells_time};
use crate::extract::{Meta, markup_role};
use crate::tree::Item;
use browserlens_page::{NodeId, NodeKey, NodeKind, NodeRef, Page, role};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
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

/// What a row says: its texts with letters.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) key: NodeKey,
    /// The node that holds the rows beside it too.
    pub(super) list: NodeKey,
    /// The rows before and after it.
    beside: [Option<NodeKey>; 2],
    /// The first of its texts that stands in no other row beside it.
    first: Option<u64>,
    /// Those texts, sorted.
    telling: Vec<u64>,
    /// All of its texts, sorted.
    all: Vec<u64>,
    /// Whether it is a landmark, in which much may come and go.
    is_section: bool,
    /// Whether its role is that of an item.
    is_item: bool,
}

impl Row {
    /// Returns whether it begins as it did: the first text that tells it from the rows beside it is the same.
    pub(super) fn begins_as(&self, was: &Self) -> bool {
        // Rows that came may say the same: what told it apart before must be in it still, and what does so now must have been.
        let within = |first: Option<u64>, all: &[u64]| first.is_none_or(|first| all.binary_search(&first).is_ok());
        let begins = within(was.first, &self.all) && within(self.first, &was.all);
        match (was.first, self.first) {
            _ if self.all == was.all => true,
            (Some(_), Some(_)) => begins,
            (None, None) => false,
            _ => begins && kept(&was.all, &self.all) * 2 > was.all.len().max(self.all.len()),
        }
    }

    /// Returns whether others are beside it and it says something that they do not.
    fn tells(&self) -> bool {
        self.beside.iter().any(Option::is_some) && self.first.is_some()
    }

    /// Returns whether nothing in it can be read.
    pub(super) fn is_blank(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns whether most of what tells it from the rows beside it is the same.
    pub(super) fn is_mostly(&self, was: &Self) -> bool {
        self.all == was.all || kept(&was.telling, &self.telling) * 2 > was.telling.len().max(self.telling.len())
    }

    /// Returns whether it stands between the same rows.
    pub(super) fn stands_as(&self, was: &Self) -> bool {
        self.beside == was.beside
    }

    /// Returns whether something that told it from the rows beside it tells it still.
    pub(super) fn says_still(&self, was: &Self) -> bool {
        kept(&was.telling, &self.telling) > 0
    }
}

/// What became of a row since it was met last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It says the same, as far as that tells it from others.
    Same,
    /// It alone of its list says something else, in the same place.
    Changed,
    /// It holds what another row held, or something new.
    Recycled,
}

fn kept(was: &[u64], is: &[u64]) -> usize {
    was.iter().filter(|text| is.binary_search(text).is_ok()).count()
}

/// Returns whether nearly all texts are kept; those of the item itself do not count.
fn stays(was: &[u64], is: &[u64], own: [&[u64]; 2], percent: usize) -> bool {
    let others = |texts: &[u64]| -> Vec<u64> {
        texts.iter().copied().filter(|text| !own.iter().any(|own| own.contains(text))).collect()
    };
    let (was, is) = (others(was), others(is));
    kept(&was, &is) * 100 >= was.len().max(is.len()) * percent
}

/// What identifies an entity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    role: Arc<str>,
    name: Arc<str>,
    /// Link target, if it is one and leads somewhere; the same without what is asked there.
    target: Option<u64>,
    target_path: Option<u64>,
    /// The language that the link leads to this page in, if it says so.
    switches_to: Option<u64>,
    /// Whether no other link of the page has that target.
    target_is_unique: bool,
    /// Its own texts and its name.
    own: Vec<u64>,
    /// Text of the enclosing rows without its own; how many such rows there are.
    rest: u64,
    rows: usize,
    /// The rows that enclose it, nearest first; before them it itself, if it is one of several alike.
    pub(super) in_rows: Vec<Arc<Row>>,
    /// Whether it is in an advertisement or a log: what comes there is another each time, though it looks the same.
    fleeting: bool,
    /// Link targets of the nearest row that has any, if no other row has the same.
    anchor: Option<u64>,
    anchor_is_unique: bool,
    /// Whether that is the nearest row.
    anchor_is_near: bool,
    /// Names of the landmarks around it and the heading above it; the same without small numbers.
    title: u64,
    title_uncounted: u64,
    /// What stands below that heading or in that landmark.
    around: Arc<Vec<u64>>,
    /// The landmark, or what has that heading.
    titled_by: NodeKey,
    /// Landmarks up to the nearest, and the heading above it.
    far: u64,
    /// Tags from the root to it, and the page's path where it is a part of what the page is about: alike on every page that a template makes.
    template: u64,
    /// The nodes that enclose it, nearest first.
    above: Vec<NodeKey>,
    /// Its number among the items of its row.
    nth: u32,
    /// Fingerprints of its place, which outlive the node for a page: by its name, and by its number in its row.
    pub(super) places: Vec<u64>,
    /// The same by its path from each node that encloses it.
    pub(super) paths: Vec<u64>,
    /// Fingerprints that outlive the language of a page, each unique on it: its path from the root with where its row leads, as targets are written and
    /// without the language in them.
    pub(super) untold: Vec<u64>,
    /// What the page says its language is; 0 if it says nothing.
    language: u64,
    /// Fingerprints that outlive the node and are unique on the page: by where its row leads, and by what its row says.
    pub(super) prints: Vec<u64>,
    /// Those that others have too.
    pub(super) shared: Vec<u64>,
}

impl Evidence {
    /// Returns whether the same node still stands for the same thing: it was not recycled, nor was what it is a part of.
    pub(super) fn stays(&self, now: &Self, fate: impl Fn(&Row, &Row) -> Fate) -> bool {
        if has(Bug::Rebinds) {
            return true;
        }
        if let (Some(was), Some(is)) = (self.target, now.target) {
            if was == is && self.target_is_unique && now.target_is_unique {
                return true;
            }
            let asks = self.rows == 0 && self.target_path == now.target_path && self.name == now.name;
            if was != is && !asks {
                return false;
            }
        }
        let same_anchor = self.anchor.is_some() && self.anchor == now.anchor;
        if same_anchor
            && self.anchor_is_unique
            && now.anchor_is_unique
            && (self.name == now.name || (self.anchor_is_near && now.anchor_is_near))
        {
            return true;
        }
        // What went somewhere else as it was stands under another title there.
        if !(self.is_titled_as(now) || self.titled_by != now.titled_by && self.is_called_as(now)) {
            return false;
        }
        let mut told = false;
        for (nth, row) in now.in_rows.iter().enumerate() {
            let same = self.in_rows.iter().find(|was| was.key == row.key);
            // It may have gone to another row; what that is a part of may be another then.
            let Some(was) = same.or_else(|| self.in_rows.get(nth).filter(|_| !told)) else { continue };
            if row.telling.is_empty() && was.telling.is_empty() {
                continue;
            }
            // What says nothing but its name is told by its name alone.
            let by_name = || stays(&was.all, &row.all, [&self.own, &now.own], 100);
            let stays = match (same, row.begins_as(was)) {
                (None, same) => same,
                (Some(was), _) => match fate(row, was) {
                    Fate::Same => true,
                    Fate::Changed => by_name() || row.says_still(was),
                    Fate::Recycled => by_name() && self.name == now.name && self.has_name(),
                },
            };
            if !stays {
                return false;
            }
            told = true;
        }
        if told {
            return true;
        }
        self.is_called_as(now)
            || role::is_text_field(&self.role)
            || (self.rows == 0 && without_digits(&self.name).eq(without_digits(&now.name)))
            || stays(&self.around, &now.around, [&self.own, &now.own], 50)
    }

    /// Whether what it stands under is the same: heading and landmarks say so, or nothing but they changed.
    fn is_titled_as(&self, now: &Self) -> bool {
        let least = match (self.title == now.title, self.title_uncounted == now.title_uncounted) {
            (true, _) => return true,
            (false, true) => 50,
            (false, false) => 90,
        };
        stays(&self.around, &now.around, [&self.own, &now.own], least)
    }

    /// Returns whether another node in the place of this one stands for the same thing.
    pub(super) fn is_replaced_by(&self, now: &Self) -> bool {
        let nested = self.above.iter().any(|above| now.above.contains(above));
        let mut telling = false;
        for (nth, row) in now.enclosing().iter().enumerate() {
            let Some(was) = self.enclosing().get(nth) else { break };
            let same = match row.telling.is_empty() && was.telling.is_empty() {
                true => row.key == was.key || nth > 0,
                false => row.begins_as(was) && (row.is_section || row.is_mostly(was)),
            };
            // What comes and goes beside a row makes it no other.
            if !(same || telling && row.is_section) {
                return false;
            }
            telling |= !row.telling.is_empty();
        }
        nested
            && (telling || self.rows == now.rows)
            && (self.role == now.role || !self.has_name() || !now.has_name())
            && (telling || self.is_called_as(now))
            && self.target == now.target
            && self.is_titled_as(now)
    }

    /// Whether what has one of its [`Self::untold`] or [`Self::places`] is the same thing in another document: only in another language do they
    /// say so.
    pub(super) fn is_translated_as(&self, now: &Self) -> bool {
        self.language != now.language && self.language != 0 && now.language != 0 && self.role == now.role
    }

    /// Whether its name is the same, or one is not told: while a dialog is open, what is behind it has none.
    fn is_called_as(&self, now: &Self) -> bool {
        self.name == now.name || self.name.is_empty() || now.name.is_empty()
    }

    /// Whether it says what it is: while a dialog is open, what is behind it has no name.
    pub(super) fn has_name(&self) -> bool {
        !self.name.is_empty()
    }

    /// Whether the row it was in said something and says nothing now.
    pub(super) fn is_blanked(&self, was: &Self) -> bool {
        self.in_rows
            .iter()
            .any(|row| row.is_blank() && was.in_rows.iter().any(|was| was.key == row.key && !was.is_blank()))
    }

    fn fingerprints(&self) -> Vec<u64> {
        if self.name.is_empty() {
            return Vec::new();
        }
        let by = |row: (u8, u64)| hash((&self.role, &self.name, self.target, self.far, row));
        let by_anchor = self.anchor.filter(|_| self.anchor_is_unique).map(|anchor| by((1, anchor)));
        // Whether no other row leads there is another thing on each page: it goes by what its row says as well.
        let by_row = self.telling_row().map(|row| {
            if self.fleeting {
                // What a log stands beside is of what else goes on.
                return hash((4, &self.role, self.called(), self.target, &row.all));
            }
            let rows: Vec<&[u64]> = self.enclosing().iter().map(|row| &*row.all).collect();
            hash((&self.role, self.called(), self.target, self.far, rows))
        });
        if self.fleeting && self.target.is_none() {
            return by_row.into_iter().collect();
        }
        let mut prints: Vec<u64> = by_anchor.into_iter().chain(by_row).collect();
        if prints.is_empty() {
            prints.push(by(if self.rows > 0 { (2, self.rest) } else { (0, 0) }));
        }
        // The only link to somewhere, or to what is said here in a language, is the same under another heading where a template makes the page.
        let leads = self.switches_to.or(self.target);
        prints.extend(leads.map(|leads| hash((3, &self.role, &self.name, leads, self.template))));
        prints
    }

    /// Returns the rows that enclose it, nearest first.
    fn enclosing(&self) -> &[Arc<Row>] {
        &self.in_rows[self.in_rows.len() - self.rows..]
    }

    /// Returns the nearest row, if its words tell it from others beside it.
    fn telling_row(&self) -> Option<&Row> {
        self.enclosing().first().filter(|row| row.tells()).map(|row| &**row)
    }

    /// Returns the list's item that the nearest row fills, if its words tell it from others beside it.
    fn filled_item(&self) -> Option<&Row> {
        let [card, item, ..] = self.enclosing() else { return None };
        let fills = item.is_item && card.list == item.key && card.beside == [None, None];
        (fills && item.tells()).then_some(&**item)
    }

    /// Returns its name; of what has only a number for a name, its place among the items of its row.
    fn called(&self) -> u64 {
        if identifies(&self.name) { hash(&*self.name) } else { u64::from(self.nth) }
    }

    fn fingerprints_of_place(&self) -> Vec<u64> {
        let first = self.telling_row().and_then(|row| row.first);
        let named = (!self.name.is_empty()).then(|| hash((&self.role, &self.name, self.target, first)));
        let told = first.or_else(|| self.filled_item().and_then(|row| row.first));
        let numbered = told.map(|first| hash((self.nth, self.target, first)));
        named.into_iter().chain(numbered).collect()
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

/// Returns the words of a title without counters: numbers of up to three digits that stand alone or in brackets.
fn uncounted(title: &str) -> Vec<&str> {
    let is_counter = |word: &&str| {
        let number = word.trim_matches(|c: char| c.is_ascii_punctuation());
        number.len() <= 3 && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    title.split_whitespace().filter(|word| !is_counter(word)).collect()
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
    let mut prints: HashMap<u64, u32> = HashMap::new();
    let mut places: HashMap<u64, u32> = HashMap::new();
    for (_, evidence) in acting.iter_mut() {
        evidence.target_is_unique = evidence.target.is_some_and(|target| targets.get(&target) == Some(&1));
        evidence.prints = evidence.fingerprints();
        evidence.places = evidence.fingerprints_of_place();
        for print in &evidence.prints {
            *prints.entry(*print).or_default() += 1;
        }
        for place in evidence.places.iter().chain(&evidence.untold) {
            *places.entry(*place).or_default() += 1;
        }
    }
    for (_, evidence) in acting {
        evidence.places.retain(|place| places.get(place) == Some(&1));
        evidence.untold.retain(|place| places.get(place) == Some(&1));
        if !has(Bug::TrustsAlike) {
            evidence.shared = evidence.prints.extract_if(.., |print| prints.get(print) != Some(&1)).collect();
        }
    }
}

/// What encloses the nodes of a page.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// Rows that enclose a node, nearest first, as a list: the nearest row, and for each row the next.
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
    rows: HashMap<u32, Arc<Row>>,
    /// What stands in a node but not in its heading.
    around: HashMap<(u32, u32), Arc<Vec<u64>>>,
    /// Items met in each row.
    met: HashMap<u32, u32>,
    targets: Vec<(u64, u32)>,
    /// The same without the language of the page in them.
    neutral: Vec<(u64, u32)>,
    anchors: HashMap<u64, u32>,
    language: u64,
    has_main: bool,
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

const NO_ROW: u32 = u32::MAX;

impl Surroundings {
    pub(super) fn of(page: &Page) -> Self {
        let is_row = rows(page);
        let language = language_of(page);
        let mut this = Self {
            nearest_row: vec![NO_ROW; page.len()],
            titles: vec![Title::default(); page.len()],
            far: vec![0; page.len()],
            texts: Vec::with_capacity(page.len() + 1),
            lettered: Vec::new(),
            times: HashMap::new(),
            beside: vec![[NO_ROW; 2]; page.len()],
            numbers: vec![(0, 0); page.len()],
            ways: vec![(0, 0); page.len()],
            rows: HashMap::new(),
            around: HashMap::new(),
            met: HashMap::new(),
            targets: Vec::with_capacity(page.len() + 1),
            neutral: Vec::with_capacity(page.len() + 1),
            language: language.map_or(0, hash),
            has_main: page.nodes().any(|node| kind_of(node) == "main"),
            anchors: HashMap::new(),
            is_row,
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
        for node in page.nodes().filter(|node| this.is_row[node.id().index()]) {
            let (sum, count) = difference(&this.targets, node);
            if count > 0 {
                *this.anchors.entry(sum).or_default() += 1;
            }
        }
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
        struct Level {
            node: u32,
            end: u32,
            path: u64,
            chrome: bool,
            heading: u64,
            /// Names of the landmarks, with and without counters.
            names: (u64, u64),
            heads: (u64, u64),
            title: Title,
        }
        let is_heading = |node: &NodeRef<'_>| kind_of(*node) == "heading" && node.is_visible();
        let words = |node: NodeRef<'_>| hash(words_of(page, node).as_slice());
        let first_heading =
            page.nodes().find(|node| is_heading(node) && !node.ancestors().any(|above| is_chrome(kind_of(above))));
        let about = first_heading.map_or_else(|| hash(page.title()), words);
        let mut levels = vec![Level {
            node: 0,
            end: u32::MAX,
            path: 0,
            chrome: false,
            heading: 0,
            names: (0, 0),
            heads: (0, 0),
            title: Title::default(),
        }];
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
                let uncounted: Vec<&str> = words_of(page, node).into_iter().flat_map(uncounted).collect();
                level.heads = (level.heading, hash(uncounted.as_slice()));
                level.title = Title {
                    words: hash((level.names.0, level.heads.0)),
                    uncounted: hash((level.names.1, level.heads.1)),
                    of: level.node,
                    heading: node.id().0,
                };
            }
            self.titles[at] = level.title;
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
                let (names, heads, mut title) = (level.names, level.heads, level.title);
                let mut inner =
                    Level { node: node.id().0, end: node.end(), path, chrome, heading: 0, names, heads, title };
                if !name.is_empty() {
                    inner.names = (hash((names.0, name)), hash((names.1, uncounted(name))));
                    title = Title {
                        words: hash((inner.names.0, heads.0)),
                        uncounted: hash((inner.names.1, heads.1)),
                        of: node.id().0,
                        heading: NO_ROW,
                    };
                }
                inner.title = title;
                levels.push(inner);
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

    fn row(&mut self, page: &Page, row: NodeRef<'_>) -> Arc<Row> {
        if let Some(known) = self.rows.get(&row.id().0) {
            return Arc::clone(known);
        }
        let said = self.lettered_in(row, None);
        let list = row.parent().unwrap_or(row);
        if !self.times.contains_key(&list.id().0) {
            let mut times: HashMap<u64, u32> = HashMap::new();
            for text in self.lettered_in(list, None) {
                *times.entry(text).or_default() += 1;
            }
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
        let (is_section, is_item) = (role::is_landmark(kind_of(row)), is_item_role(kind_of(row)));
        let row_is =
            Arc::new(Row { key: row.key(), list: list.key(), beside, first, telling, all, is_section, is_item });
        self.rows.insert(row.id().0, Arc::clone(&row_is));
        row_is
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

    /// Returns what of a node is alike in every language: role, path from the root, key, and where it or its nearest row leads. Rows may be sorted
    /// by their words: one that leads nowhere tells nothing of what has no key.
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

    /// Returns what is alike on every page that a template makes: tags from the root, and in what a page is about where that page is.
    fn template(&self, node: NodeRef<'_>) -> u64 {
        let (_, tags) = self.ways[node.id().index()];
        let is_about = !self.has_main || node.ancestors().any(|above| kind_of(above) == "main");
        hash((tags, is_about.then(|| node.page().url().split(['?', '#']).next())))
    }

    pub(super) fn evidence(&mut self, page: &Page, meta: &Meta, item: &Item) -> Evidence {
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
        Evidence {
            role: item.role.clone(),
            name: item.name.clone(),
            target: target.map(hash),
            target_path: target.map(|target| hash(target.split(['?', '#']).next())),
            switches_to: target.and(node.attribute("hreflang")).map(hash),
            target_is_unique: false,
            own,
            rest,
            rows,
            in_rows,
            fleeting: node
                .ancestors()
                .take(DEEPEST_ITEM)
                .any(|above| matches!(kind_of(above), "log" | "marquee") || is_advertisement(above)),
            anchor,
            anchor_is_unique: anchor.is_some_and(|anchor| self.anchors.get(&anchor) == Some(&1)),
            anchor_is_near,
            title: title.words,
            title_uncounted: title.uncounted,
            around: self.around(page, title),
            titled_by: page.node(NodeId(title.of)).key(),
            far: self.far[at],
            template: self.template(node),
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

/// Returns the texts of a heading; of one that has none, its name.
fn words_of<'p>(page: &'p Page, node: NodeRef<'p>) -> Vec<&'p str> {
    let below = (node.id().0..node.end()).map(|id| page.node(NodeId(id)));
    let texts = below.filter(|below| matches!(below.kind(), NodeKind::Text)).map(|below| below.text().trim());
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { vec![node.name()] } else { texts }
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

/// Returns where a link leads, if that says anything.
fn target_of<'p>(node: NodeRef<'p>) -> Option<&'p str> {
    if node.tag() != "a" && node.role() != "link" {
        return None;
    }
    let target = node.attribute("href")?.trim();
    let nowhere = target.is_empty() || target.starts_with('#') || target.starts_with("javascript:");
    (!nowhere).then_some(target)
}

/// Returns the language that a page says it is in, without its region.
fn language_of(page: &Page) -> Option<&str> {
    let language = page.nodes().find(|node| node.tag() == "html")?.attribute("lang")?;
    language.split(['-', '_']).next().filter(|language| !language.is_empty())
}

/// Returns the hash of a target without the parts of it that are nothing but a language.
fn hash_without(target: &str, language: Option<&str>) -> u64 {
    let parts = target.split(['/', '?', '&', '=', '#']);
    let is_language = |part: &&str| part.split(['-', '_']).next().is_some_and(|part| Some(part) == language);
    parts.filter(|part| !is_language(part)).fold(0, |before, part| hash((before, part)))
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
