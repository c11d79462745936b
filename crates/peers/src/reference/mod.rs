//! Plain references beside the tools: what CDP and the DOM say, a text that is cut, one that is
//! searched, markdown.

mod bm25;
mod markdown;
mod raw;
mod truncate;

use crate::tool::{Reproduction, boxed};

/// What stands before the tools in lists: upper bounds of cost.
pub(crate) static RAW: [Reproduction; 2] = [
    Reproduction { name: raw::AX_TREE, build: |options| boxed(raw::RawAxTree::from_options(options)) },
    Reproduction { name: raw::HTML, build: |options| boxed(raw::RawHtml::from_options(options)) },
];

/// What stands after the tools in lists.
pub(crate) static SIMPLE: [Reproduction; 3] = [
    Reproduction { name: truncate::NAME, build: |options| boxed(truncate::TruncateBottom::from_options(options)) },
    Reproduction { name: bm25::NAME, build: |options| boxed(bm25::Bm25Lines::from_options(options)) },
    Reproduction { name: markdown::NAME, build: |options| boxed(markdown::MarkdownPage::from_options(options)) },
];
