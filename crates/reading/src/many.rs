//! Many pages at once: an answer from all of them with the source of each part, and what they say
//! twice.
//!
//! In: pages that were read, each with a name. Out: an [`Answer`] whose parts name their pages;
//! [`Duplicates`]. Invariants: what a site repeats on its pages answers no query; a name is one
//! line.

use crate::ReadOptions;
use crate::boilerplate::{Repeatable, TextHash};
use crate::retrieval::{Hit, Index, answer_from};
use crate::sections::Extraction;
use crate::tool::{Answer, ReadError, Searcher};
use browserlens_core::page::text::{cut, one_line};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// From which share of their text on two pages are told as alike.
pub const ALIKE: f64 = 0.6;
/// Most pairs of pages, and texts, that are told.
const MOST_TOLD: usize = 50;
/// Shortest text that is told as standing on several pages, in characters, and how much is said of
/// it.
const SHORTEST: usize = 40;
const SAID: usize = 80;

/// Answers a query from many pages: the sections of all that say it, best first, each with the name
/// of its page.
///
/// # Errors
/// [`ReadError::Index`] if the pages cannot be searched, [`ReadError::BehindEnd`] if the offset
/// leads behind the last hit.
pub fn answer_of_many(
    pages: &[(String, &Extraction)],
    query: &str,
    searcher: &Searcher,
    options: &ReadOptions,
) -> Result<Answer, ReadError> {
    let mut index = Index::in_memory(searcher.embedder())?;
    let mut site = searcher.site.clone();
    pages.iter().for_each(|(_, page)| site.add(page));
    for (at, (_, page)) in pages.iter().enumerate() {
        let own = site.own_sections(page);
        index.add(&at.to_string(), &own.sections, &own.leave_out)?;
    }
    let hits = index.search(query, &Searcher::search(options))?;
    let of = pages.iter().map(|(_, page)| page.sections.len()).sum();
    let name = |hit: &Hit| {
        let at = hit.page.parse().ok().and_then(|at: usize| pages.get(at));
        at.map(|(name, _)| one_line(name)).unwrap_or_default()
    };
    searcher.answer(query, &hits, of, options, |hits| answer_from(query, hits, name))
}

/// Two pages that say much of the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// Their numbers.
    pub pages: (usize, usize),
    /// Which share of the text of both stands on both, from 0 to 1.
    pub share: f64,
}

/// A text that stands on several pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The text.
    pub text: String,
    /// The numbers of the pages.
    pub pages: Vec<usize>,
}

/// What pages say twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Duplicates {
    /// Pages of which at least [`ALIKE`] is the same, most alike first.
    pub alike: Vec<Alike>,
    /// Texts on several pages: what takes most characters in all first.
    pub repeated: Vec<Repeated>,
}

/// Finds what pages say twice: paragraphs, and lines of lists and tables, compared word for word.
pub fn duplicates(pages: &[&Extraction]) -> Duplicates {
    let mut on: HashMap<TextHash, (&str, BTreeSet<usize>)> = HashMap::new();
    let mut size = vec![0_usize; pages.len()];
    for (at, page) in pages.iter().enumerate() {
        for part in page.blocks.iter().map(Repeatable::from).flat_map(Repeatable::parts) {
            let (_, on) = on.entry(TextHash::of(part)).or_insert((part, BTreeSet::new()));
            if on.insert(at) {
                size[at] += part.len();
            }
        }
    }
    let mut both: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (text, on) in on.values() {
        let on: Vec<usize> = on.iter().copied().collect();
        for (at, left) in on.iter().enumerate() {
            for right in &on[at + 1..] {
                *both.entry((*left, *right)).or_default() += text.len();
            }
        }
    }
    let share = |((left, right), both): ((usize, usize), usize)| Alike {
        pages: (left, right),
        share: both as f64 / (size[left] + size[right] - both).max(1) as f64,
    };
    let mut alike: Vec<Alike> = both.into_iter().map(share).filter(|alike| alike.share >= ALIKE).collect();
    alike.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.pages.cmp(&b.pages)));
    let several = on.into_values().filter(|(text, on)| on.len() > 1 && text.chars().count() >= SHORTEST);
    let mut repeated: Vec<Repeated> =
        several.map(|(text, on)| Repeated { text: text.to_owned(), pages: on.into_iter().collect() }).collect();
    let weight = |repeated: &Repeated| repeated.text.len() * (repeated.pages.len() - 1);
    repeated.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.text.cmp(&b.text)));
    Duplicates { alike, repeated }
}

impl Duplicates {
    /// Writes what was found, with the names of the pages; what is not told is counted.
    pub fn to_text(&self, names: &[String]) -> String {
        let name = |at: &usize| names.get(*at).map(|name| one_line(name)).unwrap_or_default();
        let mut text = String::new();
        for alike in self.alike.iter().take(MOST_TOLD) {
            let (left, right) = (name(&alike.pages.0), name(&alike.pages.1));
            let _ = writeln!(text, "{:.0} % the same: {left} | {right}", alike.share * 100.0);
        }
        for repeated in self.repeated.iter().take(MOST_TOLD) {
            let said = cut(&one_line(&repeated.text), SAID);
            let on: Vec<String> = repeated.pages.iter().map(name).collect();
            let _ = writeln!(text, "on {} pages: {said:?}: {}", on.len(), on.join(" | "));
        }
        let rest = self.alike.len().saturating_sub(MOST_TOLD) + self.repeated.len().saturating_sub(MOST_TOLD);
        if rest > 0 {
            let _ = writeln!(text, "… {rest} more");
        }
        if text.is_empty() {
            text.push_str("no page says what another says\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, extract};
    use browserlens_core::page::PageBuilder;

    fn read(heading: &str, text: &str) -> Extraction {
        let outline = format!(
            "heading \"{heading}\" tag=h2 level=2\n  text \"{heading}\"\nparagraph\n  text \"{text}\"\nparagraph\n\
            \x20 text \"All prices are in euros and hold until the end of the year.\""
        );
        extract(&PageBuilder::outline(&outline), Cut::All)
    }

    #[test]
    fn all_pages_answer_and_each_part_names_its_page() {
        let shop = read("Returns", "Send it back within thirty days and the money is paid back.");
        let help = read("Shipping", "Parcels leave the warehouse every morning.");
        let pages = [("a.trace step 0".to_owned(), &shop), ("https://b.test/\nhelp".to_owned(), &help)];
        let said = |query: &str, options: &str| {
            let options = options.parse().expect("options");
            answer_of_many(&pages, query, &Searcher::default(), &options)
        };
        let parcels = said("when do parcels leave", "limit=1").expect("answers").text;
        assert!(parcels.contains("Parcels leave") && parcels.contains("; https://b.test/ help)"), "{parcels}");
        let money = said("is the money paid back", "limit=1").expect("answers").text;
        assert!(money.contains("thirty days") && money.contains("; a.trace step 0)"), "{money}");
        assert_eq!(said("wombat", "").expect("answers").text, "No content found matching query: \"wombat\"");
        assert!(matches!(said("wombat", "offset=5"), Err(ReadError::BehindEnd(_))));
    }

    #[test]
    fn what_stands_on_several_pages_is_told_with_them() {
        let (one, two) = (read("A", "Short."), read("A", "Short."));
        let other = read("B", &"Something quite different stands on this page. ".repeat(20));
        let names = ["one", "two", "three"].map(str::to_owned);
        insta::assert_snapshot!(duplicates(&[&one, &two, &other]).to_text(&names), @r#"
        100 % the same: one | two
        on 3 pages: "All prices are in euros and hold until the end of the year.": one | two | three
        "#);
        assert_eq!(duplicates(&[&one]).to_text(&names), "no page says what another says\n");
    }
}
