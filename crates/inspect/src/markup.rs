//! The page as cleaned HTML, and as text.
//!
//! In: a page, a selector. Out: text, cut at its limit. Invariants: what is hidden is given only
//! where it was asked for; a cut says how much there is; HTML is given as it is and says how many
//! unseen characters it holds, text has escapes in their place.

use crate::answer::{Answer, Sizes, Truncation, cut};
use crate::dom;
use crate::error::InspectError;
use crate::limits::Limits;
use crate::query::{HtmlQuery, TextQuery};
use browserlens_page::Page;
use browserlens_page::text::{count_unseen, escaped};
use browserlens_snapshot::html::{self, HtmlOptions};

/// The answer of `get_html`.
pub type HtmlAnswer = Answer<String, HtmlQuery>;

/// The answer of `get_text`.
pub type TextAnswer = Answer<String, TextQuery>;

pub(crate) fn html(page: &Page, query: &HtmlQuery, limits: &Limits) -> Result<HtmlAnswer, InspectError> {
    let selector = dom::selector(query.selector.as_ref())?;
    let include_hidden = query.include_hidden.unwrap_or(false);
    let options =
        HtmlOptions { include_hidden, include_links: true, include_images: true, max_depth: None, kept: None };
    let text = html::write(page, &dom::roots(page, selector.as_ref()), options);
    let filters = HtmlQuery { include_hidden: Some(include_hidden), ..query.clone() };
    Ok(answer(page, text, filters, limits.max_html_size, "HTML"))
}

pub(crate) fn text(page: &Page, query: &TextQuery, limits: &Limits) -> Result<TextAnswer, InspectError> {
    let selector = dom::selector(query.selector.as_ref())?;
    let text = match &selector {
        None => browserlens_reading::visible_text(page),
        Some(selector) => {
            let parts = dom::roots(page, Some(selector)).into_iter().map(|id| page.node(id).visible_text());
            parts.collect::<Vec<_>>().join("\n")
        }
    };
    Ok(answer(page, escaped(&text).into_owned(), query.clone(), limits.max_text_size, "text"))
}

fn answer<F>(page: &Page, mut text: String, filters: F, limit: usize, what: &str) -> Answer<String, F> {
    let total = text.chars().count() as u64;
    let bytes = text.len() as u64;
    let was_cut = cut(&mut text, limit).is_some();
    let count = if was_cut { text.chars().count() as u64 } else { total };
    let returned = text.len() as u64;
    let truncated =
        if was_cut { vec![Truncation { what: "data".to_owned(), original: bytes, returned }] } else { Vec::new() };
    let unseen_characters = count_unseen(&text);
    let mut message = match (total, was_cut) {
        (0, _) => format!("no {what} is there, or nothing matches the selector"),
        (_, false) => format!("all {bytes} bytes of {what}"),
        (_, true) => format!("the first {returned} of {bytes} bytes of {what}; narrow it by a selector"),
    };
    if unseen_characters > 0 {
        message.push_str(&format!("; {unseen_characters} characters in it are not seen"));
    }
    Answer {
        data: text,
        count,
        total,
        has_more: was_cut,
        next_cursor: None,
        filters,
        message,
        size: Sizes {
            original_count: page.len() as u64,
            returned_count: count,
            original_bytes: bytes,
            returned_bytes: returned,
        },
        truncated,
        newer: None,
        unseen_characters,
    }
}
