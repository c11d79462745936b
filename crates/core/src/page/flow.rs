//! How a box stands among others.
//!
//! In: the computed `display` of an element and its tag. Out: one answer. Invariant: the tag counts
//! where no style is known, and nowhere else.

/// How a box stands among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// In a line of text, without a box of its own.
    Inline,
    /// A box in a line of text.
    Box,
    /// On lines of its own.
    Block,
    /// A row of a table.
    Row,
    /// A cell of a row.
    Cell,
}

impl Flow {
    /// Reads it off the style, or off the tag where there is none.
    pub fn of(display: Option<&str>, tag: &str) -> Self {
        match display {
            Some("inline" | "contents" | "ruby" | "ruby-text" | "") => Self::Inline,
            Some("table-cell") => Self::Cell,
            Some("table-row") => Self::Row,
            Some(display) if display.starts_with("inline-") => Self::Box,
            Some(_) => Self::Block,
            None => match tag {
                "td" | "th" => Self::Cell,
                "tr" => Self::Row,
                "button" | "input" | "select" | "textarea" => Self::Box,
                "address" | "article" | "aside" | "blockquote" | "body" | "center" | "dd" | "details" | "dialog"
                | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2"
                | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "main"
                | "menu" | "nav" | "ol" | "p" | "pre" | "search" | "section" | "summary" | "table" | "tbody"
                | "tfoot" | "thead" | "ul" => Self::Block,
                _ => Self::Inline,
            },
        }
    }
}
