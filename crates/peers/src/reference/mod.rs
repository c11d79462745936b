//! Plain references beside the tools: what CDP and the DOM say, a text that is cut, one that is
//! searched, markdown.

mod bm25;
mod markdown;
pub(crate) mod raw;
mod truncate;

use crate::tool::Reproduction;

/// What stands before the tools in lists: upper bounds of cost.
pub(crate) static RAW: [Reproduction; 2] = [
    Reproduction { name: raw::AX_TREE, build: raw::ax_tree_strategy },
    Reproduction { name: raw::HTML, build: raw::html_strategy },
];

/// What stands after the tools in lists.
pub(crate) static SIMPLE: [Reproduction; 3] = [
    Reproduction { name: truncate::NAME, build: truncate::strategy },
    Reproduction { name: bm25::NAME, build: bm25::strategy },
    Reproduction { name: markdown::NAME, build: markdown::strategy },
];
