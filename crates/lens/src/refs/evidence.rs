//! What identifies an entity: name, link target, row, landmark path, headings.
//!
//! In: what [`Surroundings`] says of an item. Out: whether an item of the next page is the same,
//! and fingerprints that say so of pages further on.

mod surroundings;

pub(super) use surroundings::Surroundings;

use crate::differ::filter::tells_time;
use browserlens_core::page::{NodeKey, role};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Texts of a card, its name among them.
const LEAST_OWN: usize = 4;

/// What a row says: its texts with letters.
#[derive(Debug, PartialEq)]
pub(super) struct RowEvidence {
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
    /// How many texts it has, with letters or without.
    texts: u32,
    /// Whether it is a landmark, in which much may come and go.
    is_section: bool,
    /// Whether its role is that of an item.
    is_item: bool,
}

impl RowEvidence {
    /// Returns whether it begins as it did: the first text that tells it from the rows beside it is
    /// the same.
    pub(super) fn begins_as(&self, was: &Self) -> bool {
        // Rows that came may say the same: what told it apart before must be in it still, and what
        // does so now must have been.
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

    /// Returns whether nothing is left of what told it from the rows beside it, and nothing came:
    /// its words went out of sight.
    pub(super) fn is_blanked(&self, was: &Self) -> bool {
        let lost = !was.telling.is_empty() && self.telling.is_empty();
        self.texts == 0 || lost && self.texts < was.texts && kept(&self.all, &was.all) == self.all.len()
    }

    /// Returns whether it said nothing.
    pub(super) fn said_nothing(&self) -> bool {
        self.texts == 0
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
    /// The rows that enclose it, nearest first; before them it itself, if it is one of several
    /// alike.
    pub(super) in_rows: Vec<Arc<RowEvidence>>,
    /// Whether it is in an advertisement or a log: what comes there is another each time, though it
    /// looks the same.
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
    /// Tags from the root to it, and the page's path where it is a part of what the page is about:
    /// alike on every page that a template makes.
    template: u64,
    /// The nodes that enclose it, nearest first.
    above: Vec<NodeKey>,
    /// The frame element that shows it; none in the main document.
    frame: Option<NodeKey>,
    /// Its number among the items of its row.
    nth: u32,
    /// Fingerprints of its place, which outlive the node for a page: by its name, and by its number
    /// in its row.
    pub(super) places: Vec<u64>,
    /// The same by its path from each node that encloses it.
    pub(super) paths: Vec<u64>,
    /// Fingerprints that outlive the language of a page, each unique on it: its path from the root
    /// with where its row leads, as targets are written and without the language in them.
    pub(super) untold: Vec<u64>,
    /// What the page says its language is; 0 if it says nothing.
    language: u64,
    /// Fingerprints that outlive the node and are unique on the page: by where its row leads, and
    /// by what its row says.
    pub(super) prints: Vec<u64>,
    /// Those that others have too.
    pub(super) shared: Vec<u64>,
}

impl Evidence {
    /// Returns whether the same node still stands for the same thing: it was not recycled, nor was
    /// what it is a part of.
    pub(super) fn stays(&self, now: &Self, fate: impl Fn(&RowEvidence, &RowEvidence) -> Fate) -> bool {
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
        let is_known_by_it = self.name == now.name || self.anchor_is_near && now.anchor_is_near;
        if same_anchor && self.anchor_is_unique && now.anchor_is_unique && is_known_by_it {
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
            // A box that became a row, and says nothing, tells nothing.
            if row.telling.is_empty() && (was.telling.is_empty() || same.is_none() && row.texts == 0) {
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

    /// Whether what it stands under is the same: heading and landmarks say so, or nothing but they
    /// changed.
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
        let nested = self.frame == now.frame && self.above.iter().any(|above| now.above.contains(above));
        // A row that is pressed whole and has no name is what it says.
        if let (Some(was), Some(is), false, false) = (self.itself(), now.itself(), self.has_name(), now.has_name())
            && !(was.telling.is_empty() && is.telling.is_empty() || is.begins_as(was))
        {
            return false;
        }
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
            && (self.role == now.role || self.has_name() != now.has_name())
            && (telling || self.is_called_as(now))
            && self.target == now.target
            && self.is_titled_as(now)
    }

    /// Whether what has one of its [`Self::untold`] or [`Self::places`] is the same thing in
    /// another document: only in another language do they say so.
    pub(super) fn is_translated_as(&self, now: &Self) -> bool {
        self.language != now.language && self.language != 0 && now.language != 0 && self.role == now.role
    }

    /// Whether its name is the same, or one is not told: while a dialog is open, what is behind it
    /// has none.
    fn is_called_as(&self, now: &Self) -> bool {
        self.name == now.name || self.name.is_empty() || now.name.is_empty()
    }

    /// Whether it says what it is: while a dialog is open, what is behind it has no name.
    pub(super) fn has_name(&self) -> bool {
        !self.name.is_empty()
    }

    /// Whether the row it was in said something of its own and says nothing of that now.
    pub(super) fn is_blanked(&self, was: &Self) -> bool {
        let blanked = |row: &RowEvidence, was: &RowEvidence| was.key == row.key && was.texts > 0 && row.is_blanked(was);
        self.in_rows.iter().any(|row| was.in_rows.iter().any(|was| blanked(row, was)))
    }

    fn fingerprints(&self) -> Vec<u64> {
        if self.name.is_empty() {
            let row = self.itself().filter(|row| row.tells() && !self.fleeting);
            return row.map(|row| hash((6, &self.role, self.target, self.far, &row.all))).into_iter().collect();
        }
        let by = |row: (u8, u64)| hash((&self.role, &self.name, self.target, self.far, row));
        let by_anchor = self.anchor.filter(|_| self.anchor_is_unique).map(|anchor| by((1, anchor)));
        // Whether no other row leads there is another thing on each page: it goes by what its row
        // says as well.
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
        // What says much itself is known by that, wherever it lies and whatever is beside it.
        prints.extend(self.says_much().then(|| hash((5, &self.role, &self.name, self.far, &self.own))));
        // The only link to somewhere, or to what is said here in a language, is the same under
        // another heading where a template makes the page.
        let leads = self.switches_to.or(self.target);
        let counted: String = without_digits(&self.name).collect();
        prints.extend(leads.map(|leads| hash((3, &self.role, counted, leads, self.template))));
        prints
    }

    /// Returns the rows that enclose it, nearest first.
    fn enclosing(&self) -> &[Arc<RowEvidence>] {
        &self.in_rows[self.in_rows.len() - self.rows..]
    }

    /// Returns the nearest row around it.
    pub(super) fn row_around(&self) -> Option<NodeKey> {
        self.enclosing().first().map(|row| row.key)
    }

    /// Returns a hash of role and name.
    pub(super) fn words(&self) -> u64 {
        hash((&self.role, &self.name))
    }

    /// Returns the row that it is itself.
    fn itself(&self) -> Option<&RowEvidence> {
        self.in_rows.first().filter(|_| self.in_rows.len() > self.rows).map(|row| &**row)
    }

    /// Returns the nearest row, if its words tell it from others beside it.
    fn telling_row(&self) -> Option<&RowEvidence> {
        self.enclosing().first().filter(|row| row.tells()).map(|row| &**row)
    }

    /// Returns the list's item that the nearest row fills, if its words tell it from others beside
    /// it.
    fn filled_item(&self) -> Option<&RowEvidence> {
        let [card, item, ..] = self.enclosing() else { return None };
        let fills = item.is_item && card.list == item.key && card.beside == [None, None];
        (fills && item.tells()).then_some(&**item)
    }

    /// Returns whether it holds texts beside its name: a card that can be pressed.
    fn says_much(&self) -> bool {
        self.own.len() >= LEAST_OWN
    }

    /// Returns its name; of what has only a number for a name, its place among the items of its
    /// row.
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

/// Whether a text can tell a row from others: it has letters or is a long number, and tells no
/// time.
fn identifies(text: &str) -> bool {
    let text = text.trim();
    let number = text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    number || (text.chars().any(char::is_alphabetic) && !tells_time(text))
}

fn without_digits(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| !c.is_ascii_digit())
}

/// Returns a name without the arrows and triangles that say how something is sorted or whether it
/// is open, unless it has nothing else.
fn unsigned(name: &Arc<str>) -> Arc<str> {
    let is_sign = |c: char| matches!(c, '\u{2190}'..='\u{21ff}' | '\u{25a0}'..='\u{25ff}' | '\u{2b00}'..='\u{2bff}');
    if !name.contains(is_sign) {
        return Arc::clone(name);
    }
    let plain = name.replace(is_sign, " ");
    if plain.trim().is_empty() { Arc::clone(name) } else { plain.trim().into() }
}

/// Returns the words of a title without counters: numbers of up to three digits that stand alone or
/// in brackets.
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

fn counted(hashes: impl Iterator<Item = u64>) -> HashMap<u64, u32> {
    let mut counts = HashMap::new();
    hashes.for_each(|hash| *counts.entry(hash).or_default() += 1);
    counts
}

/// Says of each target, anchor and fingerprint whether it is unique among the items of the page.
pub(super) fn mark_unique(acting: &mut [(u32, Evidence)]) {
    let targets = counted(acting.iter().filter_map(|(_, evidence)| evidence.target));
    for (_, evidence) in acting.iter_mut() {
        evidence.target_is_unique = evidence.target.is_some_and(|target| targets.get(&target) == Some(&1));
        evidence.prints = evidence.fingerprints();
        evidence.places = evidence.fingerprints_of_place();
    }
    let all = || acting.iter().map(|(_, evidence)| evidence);
    let prints = counted(all().flat_map(|evidence| &evidence.prints).copied());
    let places = counted(all().flat_map(|evidence| evidence.places.iter().chain(&evidence.untold)).copied());
    for (_, evidence) in acting {
        evidence.places.retain(|place| places.get(place) == Some(&1));
        evidence.untold.retain(|place| places.get(place) == Some(&1));
        evidence.shared = evidence.prints.extract_if(.., |print| prints.get(print) != Some(&1)).collect();
    }
}
