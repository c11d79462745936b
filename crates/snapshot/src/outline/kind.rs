//! What an element is to an outline.
//!
//! In: a node. Out: its [`Kind`]. Invariant: the accessibility tree's role decides where there is
//! one; the tag where there is none, as behind a modal dialog.

use super::Role;
use browserlens_core::page::{Flags, NodeKind, NodeRef};

/// What an element is to an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line that holds others.
    Part(Role),
    /// A heading with its level.
    Heading(u8),
    /// A line for the whole of it.
    Leaf(Role),
    /// An item of a list, a row of a table.
    Item,
    /// Nothing.
    Plain,
}

/// Says what an element is; `in_section`: whether a sectioning element is around it, where `header`
/// and `footer` are no landmarks.
pub(super) fn kind(node: NodeRef<'_>, in_section: bool) -> Kind {
    if node.kind() != NodeKind::Element {
        return Kind::Plain;
    }
    let role = match node.role() {
        "" => node.attribute("role").unwrap_or(""),
        role => role,
    };
    let by_role = match role {
        "banner" => Kind::Part(Role::Banner),
        "navigation" => Kind::Part(Role::Navigation),
        "main" => Kind::Part(Role::Main),
        "complementary" => Kind::Part(Role::Aside),
        "contentinfo" => Kind::Part(Role::Contentinfo),
        "search" => Kind::Part(Role::Search),
        "form" => Kind::Part(Role::Form),
        "region" => Kind::Part(Role::Region),
        "article" => Kind::Part(Role::Article),
        "dialog" | "alertdialog" => Kind::Part(Role::Dialog),
        "heading" => Kind::Heading(node.level().or_else(|| level_of(node.tag())).unwrap_or(2)),
        "paragraph" => Kind::Leaf(Role::Paragraph),
        "list" | "DescriptionList" => Kind::Leaf(Role::List),
        "listitem" | "row" => Kind::Item,
        "table" | "grid" | "treegrid" => Kind::Leaf(Role::Table),
        "blockquote" => Kind::Leaf(Role::Blockquote),
        "figure" => Kind::Leaf(Role::Figure),
        "image" | "img" | "graphics-document" | "Canvas" => Kind::Leaf(Role::Img),
        "LayoutTable" | "presentation" | "none" => return Kind::Plain,
        _ => Kind::Plain,
    };
    if by_role != Kind::Plain {
        return by_role;
    }
    match node.tag() {
        "main" => Kind::Part(Role::Main),
        "nav" => Kind::Part(Role::Navigation),
        "aside" if node.flags().has(Flags::AX_IGNORED) => Kind::Part(Role::Aside),
        "header" if !in_section && node.flags().has(Flags::AX_IGNORED) => Kind::Part(Role::Banner),
        "footer" if !in_section && node.flags().has(Flags::AX_IGNORED) => Kind::Part(Role::Contentinfo),
        "search" => Kind::Part(Role::Search),
        "form" => Kind::Part(Role::Form),
        "section" => Kind::Part(Role::Region),
        "article" => Kind::Part(Role::Article),
        "dialog" => Kind::Part(Role::Dialog),
        "iframe" | "frame" => Kind::Part(Role::Iframe),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !role_is_taken_away(node) => {
            Kind::Heading(level_of(node.tag()).unwrap_or(2))
        }
        "p" => Kind::Leaf(Role::Paragraph),
        "ul" | "ol" | "dl" | "menu" => Kind::Leaf(Role::List),
        "li" | "dt" | "tr" => Kind::Item,
        "table" => Kind::Leaf(Role::Table),
        "pre" => Kind::Leaf(Role::Code),
        "blockquote" => Kind::Leaf(Role::Blockquote),
        "figure" => Kind::Leaf(Role::Figure),
        "canvas" => Kind::Leaf(Role::Img),
        _ => Kind::Plain,
    }
}

fn role_is_taken_away(node: NodeRef<'_>) -> bool {
    node.attribute("role").is_some_and(|role| !role.trim().is_empty() && role != "heading")
}

fn level_of(tag: &str) -> Option<u8> {
    let level = tag.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Whether the role is one of the landmarks of a page; a section is one only where it has a name.
pub(super) fn is_landmark(node: NodeRef<'_>, role: Role) -> bool {
    match role {
        Role::Banner | Role::Navigation | Role::Main | Role::Aside | Role::Contentinfo | Role::Search => true,
        Role::Form => node.role() == "form",
        Role::Region => node.role() == "region",
        _ => false,
    }
}

/// Whether the element opens a section of its own (HTML's sectioning content).
pub(super) fn is_sectioning(role: Role) -> bool {
    matches!(role, Role::Article | Role::Region | Role::Navigation | Role::Aside)
}

/// Whether siblings of the element may be folded.
pub(super) fn may_repeat(node: NodeRef<'_>) -> bool {
    matches!(
        node.tag(),
        "article" | "li" | "tr" | "div" | "a" | "figure" | "details" | "dd" | "ul" | "ol" | "label" | "button"
    ) || node.tag().contains('-')
        || node.role() == "article"
        || node.role() == "listitem"
}
