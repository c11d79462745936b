//! The page as cleaned HTML, and as text.
//!
//! In: a page, a selector, a place to go on from. Out: text, cut at its limit, and where to go on.
//! Invariants: what is hidden is given only where it was asked for; a cut says how much there is;
//! the parts of a text that was cut are the text, and belong to one state of it; HTML is given as
//! it is and says how many unseen characters it holds, text has escapes in their place.

use crate::answer::{Answer, Sizes, Truncation, counted};
use crate::cursor::{Position, short};
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

/// An answer, and the place where it ends if there is more.
type Part<A> = Result<(A, Option<Position>), InspectError>;

pub(crate) fn html(page: &Page, query: &HtmlQuery, limits: &Limits, place: Option<&Position>) -> Part<HtmlAnswer> {
    let include_hidden = query.include_hidden.unwrap_or(false);
    let options =
        HtmlOptions { include_hidden, include_links: true, include_images: true, max_depth: None, kept: None };
    let text = html::write(page, &dom::selected(page, query.selector.as_ref())?, options);
    let filters = HtmlQuery { include_hidden: Some(include_hidden), cursor: None, ..query.clone() };
    answer(&text, filters, limits.max_html_size, "HTML", place)
}

pub(crate) fn text(page: &Page, query: &TextQuery, limits: &Limits, place: Option<&Position>) -> Part<TextAnswer> {
    let text = match &query.selector {
        None => browserlens_core::page::visible_text(page),
        Some(_) => {
            let parts = dom::selected(page, query.selector.as_ref())?.into_iter();
            parts.map(|id| page.node(id).visible_text()).collect::<Vec<_>>().join("\n")
        }
    };
    let filters = TextQuery { cursor: None, ..query.clone() };
    answer(&escaped(&text), filters, limits.max_text_size, "text", place)
}

fn answer<F>(whole: &str, filters: F, limit: usize, what: &str, place: Option<&Position>) -> Part<Answer<String, F>> {
    let version = short(whole.as_bytes());
    let from = place.map(|place| place.passed(version)).transpose()?.unwrap_or(0);
    let from = whole.floor_char_boundary(usize::try_from(from).unwrap_or(usize::MAX));
    let rest = &whole[from..];
    // At least a character, so that every part leads on.
    let least = rest.chars().next().map_or(0, char::len_utf8);
    let end = rest.floor_char_boundary(limit.max(least));
    let data = rest[..end].to_owned();
    let has_more = end < rest.len();
    let (total, count) = (whole.chars().count() as u64, data.chars().count() as u64);
    let (bytes, left, returned) = (whole.len() as u64, rest.len() as u64, data.len() as u64);
    let truncated = match has_more {
        true => vec![Truncation { what: "data".to_owned(), original: left, returned }],
        false => Vec::new(),
    };
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
    let answer = Answer {
        data,
        count,
        messages: None,
        total,
        has_more,
        next_cursor: None,
        filters,
        message,
        size: Sizes { original_count: total, returned_count: count, original_bytes: bytes, returned_bytes: returned },
        truncated,
        newer: None,
        unseen_characters,
    };
    Ok((answer, next))
}
