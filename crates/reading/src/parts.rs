//! Parts of a page's text: by section, some sections at a time, or as a stream; and what there is,
//! before anything is read.
//!
//! In: an [`Extraction`]. Out: text. Invariants: the [pieces](Extraction::pieces) joined are the
//! full text; the parts that `offset` or `skip` lead to, joined, say every section once; a part is
//! never longer than was asked for, and what is left out is told.

use crate::{Answer, Extraction, ReadError, ReadOptions, Section};
use browserlens_core::page::text::{beginning, escaped, escaped_line, folded};
use std::fmt::Write as _;

/// Headings that are named where a section is not found.
const NAMED_HEADINGS: usize = 12;

/// What parts sections from each other.
const BETWEEN: &str = "\n\n";

/// A section that was asked for is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no section {section:?}; {}", said(.sections, .known))]
pub struct NoSection {
    /// What was asked for.
    pub section: String,
    /// How many sections there are.
    pub sections: usize,
    /// The first headings there are.
    pub known: Vec<String>,
}

fn said(sections: &usize, known: &[String]) -> String {
    let known: Vec<String> = known.iter().map(|heading| format!("{heading:?}")).collect();
    match (sections, known.is_empty()) {
        (0, _) => "the page has no text".to_owned(),
        (_, true) => format!("the page has no headings, and sections 0 to {}", sections - 1),
        _ => format!("sections are 0 to {}, headings {}", sections - 1, known.join(", ")),
    }
}

/// What is asked for lies behind the end of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BehindEnd {
    /// An offset.
    #[error(
        "offset {offset} is behind the end: there are {of} sections, the last is at offset {}",
        .of.saturating_sub(1)
    )]
    Offset {
        /// What was asked for.
        offset: usize,
        /// How many sections there are.
        of: usize,
    },
    /// An offset among what answers a query.
    #[error("offset {offset} is behind the end: {of} sections answer the query")]
    Hits {
        /// What was asked for.
        offset: usize,
        /// How many sections answer.
        of: usize,
    },
    /// Characters to pass over.
    #[error("skip {skip} is behind the end: there are {characters} characters, in {of} sections")]
    Skip {
        /// What was asked for.
        skip: usize,
        /// How many characters there are.
        characters: usize,
        /// In how many sections.
        of: usize,
    },
}

/// Cuts characters out of a text: behind `skip` of them, at most `most`. With the place to go on
/// at, if something is left.
fn cut_out(text: &str, skip: usize, most: usize) -> (&str, Option<usize>) {
    let rest = &text[beginning(text, skip).len()..];
    let head = beginning(rest, most);
    // Behind a line, if that leaves half of it or more.
    let line = head.rfind('\n').map(|at| at + 1).filter(|at| *at >= head.len() / 2 && head.len() < rest.len());
    let (part, behind) = rest.split_at(line.unwrap_or(head.len()));
    (part, (!behind.is_empty()).then(|| skip + part.chars().count()))
}

impl Section {
    /// Returns the section with its heading marked: `## heading`, an empty line, content (content
    /// alone where it goes on); what nobody sees is escaped.
    pub fn marked(&self) -> String {
        if self.level == 0 || self.part > 0 {
            return escaped(&self.content).into_owned();
        }
        let mut text = "#".repeat(usize::from(self.level.min(6)));
        text.push(' ');
        text.push_str(&escaped(&self.heading));
        if !self.content.is_empty() {
            text.push_str("\n\n");
            text.push_str(&escaped(&self.content));
        }
        text
    }
}

impl Extraction {
    /// Returns the sections that are asked for, in order: all, or one and what lies under it; by
    /// `offset` and `limit`, as many whole ones as `chars` has room for. With `skip`, the text of
    /// all that is asked for is cut by characters instead.
    ///
    /// # Errors
    /// [`ReadError::NoSection`] if the section that is asked for is not there,
    /// [`ReadError::BehindEnd`] if offset or skip lead behind the end.
    pub fn part(&self, options: &ReadOptions) -> Result<Answer, ReadError> {
        let all: Vec<&Section> = match &options.section {
            None => self.sections.iter().collect(),
            Some(wanted) => self.under(self.find(wanted)?.position),
        };
        let (of, most) = (all.len(), options.most_chars());
        if options.offset > 0 && options.offset >= of {
            return Err(BehindEnd::Offset { offset: options.offset, of }.into());
        }
        let asked = options.offset.saturating_add(options.limit.unwrap_or(usize::MAX)).min(of);
        let asked = &all[options.offset.min(of)..asked];
        let mut text = String::new();
        let (mut sections, mut characters) = (0, 0);
        // What is left is told in characters where one is cut; whole sections are counted as such.
        let mut counts_all = options.skip > 0;
        for (at, section) in asked.iter().enumerate() {
            let marked = section.marked();
            let gap = if characters == 0 { "" } else { BETWEEN };
            characters += gap.len() + marked.chars().count();
            // The first one is cut below if it alone is too long.
            counts_all |= at == 0 && characters > most;
            if characters > most && !counts_all {
                break;
            }
            if sections == at && (characters <= most || at == 0 || options.skip > 0) {
                text.push_str(gap);
                text.push_str(&marked);
                sections += 1;
            }
        }
        if options.skip > 0 && options.skip >= characters {
            return Err(BehindEnd::Skip { skip: options.skip, characters, of }.into());
        }
        let (cut, skip) = cut_out(&text, options.skip, most);
        let skip = skip.map(|next| (next, characters - next));
        let next = (options.offset + sections < of && skip.is_none()).then_some(options.offset + sections);
        Ok(Answer { text: cut.to_owned(), next, of, skip })
    }

    /// Returns a section by its number or its heading: the same words, else the first heading that
    /// holds them; case does not matter.
    ///
    /// # Errors
    /// [`NoSection`] with what there is.
    pub fn find(&self, wanted: &str) -> Result<&Section, NoSection> {
        if let Some(section) = wanted.trim().parse().ok().and_then(|number: usize| self.sections.get(number)) {
            return Ok(section);
        }
        let plain = |text: &str| folded(text).to_lowercase();
        let words = plain(wanted);
        let headed = || self.sections.iter().filter(|section| section.level > 0 && section.part == 0);
        headed()
            .find(|section| plain(&section.heading) == words)
            .or_else(|| headed().find(|section| !words.is_empty() && plain(&section.heading).contains(&words)))
            .ok_or_else(|| NoSection {
                section: wanted.to_owned(),
                sections: self.sections.len(),
                known: headed().take(NAMED_HEADINGS).map(|section| section.heading.clone()).collect(),
            })
    }

    /// Returns what there is to read: title, sizes, and a line for each section with its number,
    /// heading and words.
    pub fn preview(&self) -> String {
        let (title, url) = (escaped_line(&self.title), escaped_line(&self.url));
        let mut out = format!("{title}\n{url}\n{} words in {} sections\n", self.word_count, self.sections.len());
        for section in &self.sections {
            let words = section.content.split_whitespace().count();
            let indent = "  ".repeat(section.trail.len());
            let heading = match (section.level, section.position) {
                (0, 0) => "(before the first heading)",
                (0, _) if !self.has_headings => "(no heading)",
                (0, _) => "(beside the text)",
                _ => &section.heading,
            };
            let heading = escaped_line(heading);
            let part = if section.part > 0 { format!(", part {}", section.part + 1) } else { String::new() };
            let _ = writeln!(out, "{indent}{} {heading}{part} [{words} words]", section.position);
        }
        out
    }

    /// Streams the full text in pieces of at most `bytes` bytes (but never less than a character),
    /// cut between paragraphs where that leaves half a piece or more, else between lines or words.
    pub fn pieces(&self, bytes: usize) -> impl Iterator<Item = &str> {
        divided(&self.full_text, move |rest| end_of_piece(rest, bytes))
    }
}

/// Divides a text into pieces; `length` says how long the first one of a rest is.
pub(crate) fn divided(text: &str, length: impl Fn(&str) -> usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at(length(rest));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The longest prefix of at most `most` bytes that ends at a character; at least one character.
pub(crate) fn floor_boundary(text: &str, most: usize) -> usize {
    match text.floor_char_boundary(most) {
        0 => text.chars().next().map_or(0, char::len_utf8),
        end => end,
    }
}

fn end_of_piece(text: &str, bytes: usize) -> usize {
    let most = floor_boundary(text, bytes);
    if most == text.len() {
        return most;
    }
    let head = &text[..most];
    ["\n\n", "\n", " "]
        .into_iter()
        .filter_map(|between| head.rfind(between).map(|at| at + between.len()))
        .find(|end| *end >= most / 2)
        .unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, extract};
    use browserlens_core::page::PageBuilder;
    use proptest::prelude::*;

    fn guide() -> Extraction {
        let page = PageBuilder::outline(
            r#"
            paragraph
              text "Skip"
            heading "Guide" tag=h1 level=1
              text "Guide"
            paragraph
              text "What it is."
            heading "Install" tag=h2 level=2
              text "Install  it"
            paragraph
              text "Run make."
            heading "Windows" tag=h3 level=3
              text "Windows"
            paragraph
              text "Not yet."
            heading "Use" tag=h2 level=2
              text "Use"
            "#,
        );
        extract(&page, Cut::All)
    }

    fn part(options: &str) -> Answer {
        guide().part(&options.parse().expect("options")).expect("a part")
    }

    #[test]
    fn the_preview_says_what_there_is() {
        insta::assert_snapshot!(guide().preview(), @r#"
        Test
        https://test.test/
        13 words in 5 sections
        0 (before the first heading) [1 words]
        1 Guide [3 words]
          2 Install it [2 words]
            3 Windows [2 words]
          4 Use [0 words]
        "#);
    }

    #[test]
    fn a_section_is_found_by_number_or_heading_with_what_lies_under_it() {
        insta::assert_snapshot!(part("section=install it").text, @r#"
        ## Install it

        Run make.

        ### Windows

        Not yet.
        "#);
        assert_eq!(part("section=2"), part("section=INSTALL"));
        assert_eq!(part("section=0").text, "Skip");
        let error = guide().part(&"section=price".parse().expect("options")).expect_err("none");
        assert_eq!(
            error.to_string(),
            r#"no section "price"; sections are 0 to 4, headings "Guide", "Install it", "Windows", "Use""#
        );
    }

    #[test]
    fn limit_and_offset_lead_through_the_page() {
        let mut texts = Vec::new();
        let mut offset = 0;
        loop {
            let part = part(&format!("limit=2 offset={offset}"));
            assert_eq!(part.of, 5);
            texts.push(part.text);
            match part.next {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(texts.len(), 3);
        assert_eq!(texts.join("\n\n"), part("").text);
        let error = |options: &str| guide().part(&options.parse().expect("options")).expect_err("behind").to_string();
        assert_eq!(error("offset=9"), "offset 9 is behind the end: there are 5 sections, the last is at offset 4");
        assert_eq!(error("skip=900"), "skip 900 is behind the end: there are 83 characters, in 5 sections");
    }

    #[test]
    fn a_part_has_as_many_whole_sections_as_there_is_room_for() {
        let first = part("chars=30");
        assert_eq!((first.text.as_str(), first.next, first.skip), ("Skip\n\n# Guide\n\nWhat it is.", Some(2), None));
        let cut = part("chars=10 offset=1");
        assert_eq!((cut.text.as_str(), cut.next, cut.skip), ("# Guide\n\n", None, Some((9, 68))));
        let rest = part("offset=1 limit=1 skip=9");
        assert_eq!((rest.text.as_str(), rest.next, rest.skip), ("What it is.", Some(2), None));
        assert_eq!(part("chars=0"), part(""));
        // What is left is all that is asked for, not of one section alone.
        let all = part("").text.chars().count();
        let (skip, left) = part("chars=3").skip.expect("more");
        assert_eq!(skip + left, all);
    }

    proptest! {
        #[test]
        fn pieces_are_small_and_joined_are_the_text(text in "([a-zé😀]{0,9}( |\n|\n\n)){0,40}", bytes in 1usize..60) {
            let extraction = Extraction { full_text: text.clone(), ..Extraction::default() };
            let pieces: Vec<&str> = extraction.pieces(bytes).collect();
            prop_assert_eq!(pieces.concat(), text);
            let is_small = |piece: &&str| piece.len() <= bytes || piece.chars().count() == 1;
            prop_assert!(pieces.iter().all(|piece| !piece.is_empty() && is_small(piece)));
        }
    }
}
