//! The page as cleaned HTML, and as text.
//!
//! In: a page, a selector, a place to go on from. Out: text, cut at its limit, and where to go on.
//! Invariants: what is hidden is given only where it was asked for; a cut says how much there is;
//! the parts of a text that was cut are the text, and belong to one state of it; HTML is given as
//! it is and says how many unseen characters it holds, text has escapes in their place.

use crate::answer::{Answer, Sizes, Truncation, counted};
use crate::cursor::{Cursors, Position, short};
use crate::dom;
use crate::error::InspectError;
use crate::limits::Limits;
use crate::query::{HtmlQuery, TextQuery};
use browserlens_core::page::Page;
use browserlens_core::page::html::{self, HtmlOptions};
use browserlens_core::page::text::{count_unseen, escaped};

/// The answer of `get_html`.
pub type HtmlAnswer = Answer<String, HtmlQuery>;

/// The answer of `get_text`.
pub type TextAnswer = Answer<String, TextQuery>;

/// What of a page is asked for: from where on, and the cursors of the query.
pub(crate) struct Asked<'a> {
    pub page: &'a Page,
    pub below: dom::Below,
    pub limits: &'a Limits,
    pub cursors: Cursors<'a>,
    pub place: Option<Position>,
}

impl Asked<'_> {
    pub(crate) fn html(&self, query: HtmlQuery) -> Result<HtmlAnswer, InspectError> {
        let include_hidden = query.include_hidden.unwrap_or(false);
        let options =
            HtmlOptions { include_hidden, include_links: true, include_images: true, max_depth: None, kept: None };
        let text = html::write(self.page, &dom::selected(self.page, &self.below, query.selector.as_ref())?, options);
        let filters = HtmlQuery { include_hidden: Some(include_hidden), ..query };
        self.part(&text, filters, self.limits.max_html_size, "HTML")
    }

    pub(crate) fn text(&self, query: TextQuery) -> Result<TextAnswer, InspectError> {
        let page = self.page;
        let text = match &query.selector {
            None => browserlens_core::page::visible_text(page),
            Some(_) => {
                let parts = dom::selected(page, &self.below, query.selector.as_ref())?.into_iter();
                parts.map(|id| page.node(id).visible_text()).collect::<Vec<_>>().join("\n")
            }
        };
        self.part(&escaped(&text), query, self.limits.max_text_size, "text")
    }

    fn part<F>(&self, whole: &str, filters: F, limit: usize, what: &str) -> Result<Answer<String, F>, InspectError> {
        let version = short(whole.as_bytes());
        let from = self.place.as_ref().map(|place| place.passed(version)).transpose()?.unwrap_or(0);
        let from = whole.floor_char_boundary(usize::try_from(from).unwrap_or(usize::MAX));
        let rest = &whole[from..];
        // At least a character, so that every part leads on.
        let least = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest.floor_char_boundary(limit.max(least));
        let data = rest[..end].to_owned();
        let has_more = end < rest.len();
        let (total, count) = (whole.chars().count() as u64, data.chars().count() as u64);
        let (bytes, left, returned) = (whole.len() as u64, rest.len() as u64, data.len() as u64);
        let unseen_characters = count_unseen(&data);
        let mut message = match (total, from, has_more) {
            (0, ..) => format!("no {what} is there"),
            (_, 0, false) => format!("all {bytes} bytes of {what}"),
            (_, 0, true) => {
                format!("the first {returned} of {bytes} bytes of {what}; nextCursor gives more, a selector less")
            }
            (_, _, more) => {
                let next = if more { "; nextCursor gives more" } else { ", the last" };
                format!("{returned} of {bytes} bytes of {what}, from byte {from} on{next}")
            }
        };
        if unseen_characters > 0 {
            let unseen = counted(unseen_characters, "character in it is", "characters in it are");
            message.push_str(&format!("; {unseen} not seen"));
        }
        let next = has_more.then(|| Position::on_page((from + end) as u64, total, version));
        let size =
            Sizes { original_count: total, returned_count: count, original_bytes: bytes, returned_bytes: returned };
        let cut = Truncation { what: "data".to_owned(), original: left, returned };
        let truncated = has_more.then_some(cut).into_iter().collect();
        let answer = Answer { truncated, unseen_characters, ..Answer::of(data, total, filters, message, size) };
        answer.to(next.as_ref(), &self.cursors)
    }
}
