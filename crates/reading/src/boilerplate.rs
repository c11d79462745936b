//! Text that a site repeats from page to page: headers, footers, navigation, notices.
//!
//! In: the blocks of pages, as they are seen. Out: whether a text is boilerplate of an origin, and
//! which blocks of a page are worth keeping.
//!
//! The rule: a text is boilerplate of an origin if it stands on at least 3 of
//! its pages, and on at least 30 % of those seen. Pages are told apart by their path: a list seen
//! under ten queries is one page. Texts are compared by the BLAKE3 hash of their lower-cased text
//! with single spaces. A list or table is taken by its lines, and is boilerplate if two thirds of
//! its text stand in repeated ones, so that a navigation that unfolds where the reader stands is
//! recognised none the less. Of a page ([`BoilerplateIndex::kept`]) two things stay although they
//! repeat: a heading with something of its own under it ("Examples"), and everything, if otherwise
//! nothing would be left. Invariants: adding a page again replaces what was known of it; the order
//! in which pages are added changes nothing as long as no site outgrows [`MAX_PAGES`]. Why not
//! landmarks (`nav`, `footer`): many sites have none, and a banner in `main` is as repeated as one
//! outside.

use crate::address::normal_url;
use crate::blocks::Block;
use crate::sections::{Extraction, Section};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use url::Url;

/// Pages of one site that are remembered; beyond, the one added longest ago is forgotten.
pub const MAX_PAGES: usize = 2_000;

/// A text is boilerplate that stands on at least so many pages, and on at least so many of a hundred
/// pages seen.
const LEAST_PAGES: usize = 3;
const LEAST_PERCENT: usize = 30;

/// BLAKE3 hash of a normalised text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash(pub [u8; 32]);

impl TextHash {
    /// Hashes a text as the rule compares it: lower case, runs of white space as one space.
    pub fn of(text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut buffer = [0; 4];
        for (at, word) in text.split_whitespace().enumerate() {
            if at > 0 {
                hasher.update(b" ");
            }
            if word.is_ascii() {
                hasher.update(word.to_ascii_lowercase().as_bytes());
            } else {
                for character in word.chars().flat_map(char::to_lowercase) {
                    hasher.update(character.encode_utf8(&mut buffer).as_bytes());
                }
            }
        }
        Self(*hasher.finalize().as_bytes())
    }
}

/// Where a page stands: what groups pages to a site, and what tells the pages of a site apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePlace {
    /// Scheme, host and port; of an address without a host, all of it.
    pub origin: String,
    /// Path, without query and fragment.
    pub path: String,
}

impl PagePlace {
    /// Returns the place of an address.
    pub fn of(url: &str) -> Self {
        match Url::parse(url) {
            Ok(url) if url.host().is_some() => {
                Self { origin: url.origin().ascii_serialization(), path: url.path().to_owned() }
            }
            _ => Self { origin: url.split('#').next().unwrap_or_default().to_owned(), path: String::new() },
        }
    }
}

/// A block as the index sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeatable<'t> {
    /// Level of a heading; none for anything else.
    pub heading: Option<u8>,
    /// What the block says.
    pub text: &'t str,
    /// Whether each line is a part of its own, as of a list or a table.
    pub by_lines: bool,
}

impl<'t> From<&'t Block> for Repeatable<'t> {
    fn from(block: &'t Block) -> Self {
        Self { heading: block.kind.level(), text: &block.text, by_lines: block.kind.is_by_lines() }
    }
}

impl<'t> Repeatable<'t> {
    /// Returns the parts that are compared: lines, or the whole text.
    pub fn parts(self) -> impl Iterator<Item = &'t str> {
        let whole = (!self.by_lines).then_some(self.text);
        let lines = self.by_lines.then(|| self.text.lines());
        whole.into_iter().chain(lines.into_iter().flatten()).filter(|part| !part.trim().is_empty())
    }
}

/// The parts of a page's blocks, hashed once: what is asked of them again and again.
#[derive(Clone, Debug, Default)]
pub struct PageTexts(Vec<BlockTexts>);

#[derive(Clone, Debug)]
struct BlockTexts {
    heading: Option<u8>,
    /// Length and hash of each part.
    parts: Vec<(usize, TextHash)>,
    /// Whether it lists headings of its page.
    is_contents: bool,
}

impl PageTexts {
    /// Hashes the blocks of a page that was read.
    pub fn of(extraction: &Extraction) -> Self {
        let headings: HashSet<String> = extraction.sections.iter().map(|section| bare(&section.heading)).collect();
        let of_block = |block: &Block| {
            let block = Repeatable::from(block);
            BlockTexts {
                heading: block.heading,
                parts: block.parts().map(|part| (part.len(), TextHash::of(part))).collect(),
                is_contents: block.by_lines
                    && share_repeats(block.parts().map(|part| (part.len(), headings.contains(&bare(part))))),
            }
        };
        Self(extraction.blocks.iter().map(of_block).collect())
    }
}

#[derive(Clone, Debug, Default)]
struct Site {
    /// By address: the number of its path, and the texts it holds.
    pages: HashMap<String, (u32, Vec<TextHash>)>,
    /// Addresses in the order of adding.
    order: VecDeque<String>,
    /// By path: its number and how many addresses have it.
    paths: HashMap<String, (u32, u32)>,
    next_path: u32,
    /// By text: the paths it stands on, and under how many addresses each.
    texts: HashMap<TextHash, HashMap<u32, u32>>,
}

impl Site {
    fn remove(&mut self, url: &str, path: &str) {
        let Some((number, texts)) = self.pages.remove(url) else { return };
        self.order.retain(|known| known != url);
        for text in texts {
            let Some(on) = self.texts.get_mut(&text) else { continue };
            if let Some(addresses) = on.get_mut(&number) {
                *addresses -= 1;
                if *addresses == 0 {
                    on.remove(&number);
                }
            }
            if on.is_empty() {
                self.texts.remove(&text);
            }
        }
        if let Some((_, addresses)) = self.paths.get_mut(path) {
            *addresses -= 1;
            if *addresses == 0 {
                self.paths.remove(path);
            }
        }
    }
}

/// What a page's sections say of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnSections {
    /// The sections, their content without what the site repeats; numbers and trails are those of
    /// the page.
    pub sections: Vec<Section>,
    /// The numbers of those that say nothing of their own.
    pub leave_out: Vec<u32>,
}

/// Which texts stand on which pages of which sites.
#[derive(Clone, Debug, Default)]
pub struct BoilerplateIndex {
    sites: BTreeMap<String, Site>,
}

impl BoilerplateIndex {
    /// Adds a page, or replaces what was known under its address.
    pub fn add_page<'t>(&mut self, url: &str, blocks: impl IntoIterator<Item = Repeatable<'t>>) {
        let hashes = blocks.into_iter().flat_map(Repeatable::parts).map(TextHash::of).collect();
        self.add_hashes(url, hashes);
    }

    /// Adds a page by the hashes of its parts.
    fn add_hashes(&mut self, url: &str, texts: HashSet<TextHash>) {
        let (url, place) = (&normal_url(url), PagePlace::of(url));
        let site = self.sites.entry(place.origin).or_default();
        site.remove(url, &place.path);
        if site.order.len() >= MAX_PAGES
            && let Some(oldest) = site.order.front().cloned()
        {
            let path = PagePlace::of(&oldest).path;
            site.remove(&oldest, &path);
        }
        let next = site.next_path;
        let (number, addresses) = site.paths.entry(place.path).or_insert((next, 0));
        *addresses += 1;
        let number = *number;
        site.next_path += u32::from(number == next);
        for text in &texts {
            *site.texts.entry(*text).or_default().entry(number).or_insert(0) += 1;
        }
        site.pages.insert(url.to_owned(), (number, texts.into_iter().collect()));
        site.order.push_back(url.to_owned());
    }

    /// Forgets a page.
    pub fn remove_page(&mut self, url: &str) {
        let (url, place) = (&normal_url(url), PagePlace::of(url));
        if let Some(site) = self.sites.get_mut(&place.origin) {
            site.remove(url, &place.path);
            if site.pages.is_empty() {
                self.sites.remove(&place.origin);
            }
        }
    }

    /// Returns how many pages of an origin have been seen, told apart by path.
    pub fn pages(&self, origin: &str) -> usize {
        self.sites.get(origin).map_or(0, |site| site.paths.len())
    }

    /// Returns on how many pages of an origin a text stands.
    pub fn references(&self, origin: &str, text: &str) -> usize {
        self.references_of(origin, TextHash::of(text))
    }

    fn references_of(&self, origin: &str, text: TextHash) -> usize {
        self.sites.get(origin).and_then(|site| site.texts.get(&text)).map_or(0, HashMap::len)
    }

    /// Returns whether a block repeats across an origin: the whole text does, or two thirds of the
    /// text of its lines.
    pub fn is_boilerplate(&self, origin: &str, block: Repeatable<'_>) -> bool {
        share_repeats(block.parts().map(|part| (part.len(), self.repeats(origin, TextHash::of(part)))))
    }

    /// Returns whether one part repeats across an origin.
    fn repeats(&self, origin: &str, part: TextHash) -> bool {
        let on = self.references_of(origin, part);
        on >= LEAST_PAGES && on * 100 >= LEAST_PERCENT * self.pages(origin)
    }

    /// Returns for each block of a page whether it is worth keeping.
    ///
    /// Blocks that repeat are not, but for headings with something of their own under them. A page
    /// of nothing but repeated text keeps all of it.
    pub fn kept<'t>(&self, origin: &str, blocks: impl IntoIterator<Item = Repeatable<'t>>) -> Vec<bool> {
        keep(blocks.into_iter().map(|block| (block.heading, self.is_boilerplate(origin, block))))
    }

    /// Takes a page that was read.
    pub fn add(&mut self, extraction: &Extraction) {
        self.add_texts(&extraction.url, &PageTexts::of(extraction));
    }

    /// As [`Self::add`], of a page whose texts were hashed before.
    pub fn add_texts(&mut self, url: &str, texts: &PageTexts) {
        self.add_hashes(url, texts.0.iter().flat_map(|block| block.parts.iter().map(|(_, hash)| *hash)).collect());
    }

    /// Returns what the sections of a page say that neither its site repeats nor the page itself,
    /// as a table of contents does: the input of retrieval.
    pub fn own_sections(&self, extraction: &Extraction) -> OwnSections {
        self.own_sections_of(extraction, &PageTexts::of(extraction))
    }

    /// As [`Self::own_sections`], of a page whose texts were hashed before.
    pub fn own_sections_of(&self, extraction: &Extraction, texts: &PageTexts) -> OwnSections {
        let origin = PagePlace::of(&extraction.url).origin;
        let repeats = |block: &BlockTexts| {
            block.is_contents
                || share_repeats(block.parts.iter().map(|(length, hash)| (*length, self.repeats(&origin, *hash))))
        };
        let kept = keep(texts.0.iter().map(|block| (block.heading, repeats(block))));
        let mut own = OwnSections::default();
        for section in &extraction.sections {
            let mut section = section.clone();
            section.content.clear();
            let heading =
                section.blocks.start..section.blocks.start + usize::from(section.level > 0 && section.part == 0);
            for at in section.blocks.clone().filter(|at| kept[*at] && !heading.contains(at)) {
                if !section.content.is_empty() && !extraction.blocks[at].continued {
                    section.content.push_str("\n\n");
                }
                section.content.push_str(&extraction.blocks[at].text);
            }
            // Ways to other pages, with no heading of their own, answer nothing about this one.
            let is_ways = section.level == 0
                && extraction.has_headings
                && extraction.blocks[section.blocks.clone()].iter().all(|block| block.navigation);
            if is_ways || section.content.is_empty() && !heading.into_iter().any(|at| kept[at]) {
                own.leave_out.push(section.position);
            }
            own.sections.push(section);
        }
        own
    }
}

/// A line as headings are compared: its letters and digits in lower case, blanks between words.
fn bare(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns whether two thirds of a block repeat, by the length of its parts and whether they do.
/// One part is all or nothing.
fn share_repeats(parts: impl IntoIterator<Item = (usize, bool)>) -> bool {
    let (mut all, mut repeated) = (0, 0);
    for (length, repeats) in parts {
        all += length;
        repeated += if repeats { length } else { 0 };
    }
    all > 0 && repeated * 3 >= all * 2
}

/// Returns which blocks of a page to keep, by heading level and whether they repeat.
fn keep(blocks: impl IntoIterator<Item = (Option<u8>, bool)>) -> Vec<bool> {
    let (levels, mut kept): (Vec<_>, Vec<_>) = blocks.into_iter().map(|(level, repeats)| (level, !repeats)).unzip();
    // From the end: for each level, whether the section of a heading that stood here would have
    // something of its own.
    let mut own_below = [false; 256];
    for at in (0..kept.len()).rev() {
        let ends = levels[at].map_or(own_below.len(), usize::from);
        if ends < own_below.len() {
            kept[at] |= own_below[ends];
        }
        own_below[ends..].fill(false);
        if kept[at] {
            own_below[..ends].fill(true);
        }
    }
    if !kept.contains(&true) {
        kept.fill(true);
    }
    kept
}
