//! Which elements are steps of paths, and how they are called.
//!
//! In: a node and its role. Out: a tag, and whether its id or class counts. Invariant: a generic
//! element has no tag here.

use super::is_tag;
use browserlens_core::page::NodeRef;

/// Returns the tag that a step of an element has, and how much it means.
pub(super) fn tag_of<'p>(node: NodeRef<'p>, role: &'p str) -> Option<&'p str> {
    let by_role = || -> Option<&'p str> {
        Some(match role {
            "main" => "main",
            "banner" => "header",
            "navigation" => "nav",
            "contentinfo" => "footer",
            "complementary" => "aside",
            "region" => "section",
            "article" => "article",
            "search" => "search",
            "form" => "form",
            "dialog" | "alertdialog" => "dialog",
            "heading" => match node.level() {
                Some(1) => "h1",
                Some(3) => "h3",
                Some(4) => "h4",
                Some(5) => "h5",
                Some(6) => "h6",
                _ => "h2",
            },
            "list" => "ul",
            "listitem" => "li",
            "paragraph" => "p",
            "button" => "button",
            "link" => "a",
            "table" | "grid" | "treegrid" => "table",
            "row" => "tr",
            "cell" | "gridcell" => "td",
            "columnheader" | "rowheader" => "th",
            "image" | "img" => "img",
            "figure" => "figure",
            "textbox" | "searchbox" => "input",
            _ => return None,
        })
    };
    match node.tag() {
        "div" | "span" | "center" | "font" => by_role(),
        "ul" | "ol" | "nav" | "section" | "article" | "aside" | "header" | "footer" | "form" | "a" | "p" | "li"
        | "td" | "tr" => {
            // A written role says more than the tag.
            if node.attribute("role").is_some() { by_role().or(Some(node.tag())) } else { Some(node.tag()) }
        }
        tag @ ("main" | "search" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dl" | "dt" | "dd" | "pre" | "code"
        | "blockquote" | "table" | "th" | "caption" | "figure" | "figcaption" | "img" | "video" | "audio"
        | "canvas" | "iframe" | "frame" | "object" | "details" | "summary" | "dialog" | "fieldset"
        | "legend" | "button" | "input" | "select" | "textarea" | "option" | "address" | "menu" | "hgroup"
        | "hr" | "output" | "progress" | "meter" | "time" | "svg" | "math" | "listing" | "xmp") => Some(tag),
        tag if tag.contains('-') && is_tag(tag) => Some(tag),
        _ => None,
    }
}

/// Headings need no id: their section has it, or their number says which.
pub(super) fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether elements of a tag come in series, so that the first of several has a number too.
pub(super) fn in_series(tag: &str) -> bool {
    matches!(tag, "article" | "li" | "tr" | "option" | "dt" | "dd" | "td" | "th")
}

pub(super) fn takes_class(tag: &str) -> bool {
    ["section", "nav", "aside", "form", "div", "ul", "ol", "dl", "table", "figure", "fieldset", "details", "dialog"]
        .contains(&tag)
}
