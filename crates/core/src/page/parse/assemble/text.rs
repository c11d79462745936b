//! Text of a page as it is laid out: nodes of text, what styles add, values of fields.

use super::{Open, Walk, bounds_of, paint_order, shadow_of};
use crate::page::build::{NodeSpec, PageBuilder};
use crate::page::node::{Flags, NodeKind};
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn open_text(
    walk: &mut Walk<'_, '_>,
    index: usize,
    layout: Option<usize>,
    backend: u32,
    above: &Open,
    builder: &mut PageBuilder,
) {
    if above.is_code && !walk.has_code {
        return;
    }
    let raw = walk.string(walk.document.nodes.node_value.get(index).copied().unwrap_or(-1));
    let rendered = layout
        .and_then(|layout| walk.document.layout.text.get(layout))
        .map(|text| walk.string(*text))
        .filter(|text| !text.is_empty())
        .unwrap_or(raw);
    let text = if above.style.preserves_whitespace || above.is_code {
        Cow::Borrowed(rendered)
    } else {
        Cow::Owned(collapse(rendered))
    };
    let bounds = bounds_of(walk, layout);
    // A blank between two inline boxes is drawn and keeps words apart; one between blocks is source
    // layout.
    if text.trim().is_empty() && bounds.is_empty() {
        return;
    }
    let ax = walk.ax.and_then(|tree| tree.get(backend)).filter(|node| !node.ignored);
    let mut flags = above.inherited;
    flags.set(Flags::AX_IGNORED, ax.is_none());
    flags = flags.with(shadow_of(walk, index, above, builder));
    let style = above.style.for_text();
    let visibility = style.visibility(NodeKind::Text, bounds, layout.is_some());
    flags.set(Flags::IN_VIEWPORT, visibility.is_visible() && style.shows(bounds));
    let role = ax.map_or("", |node| node.role.as_ref());
    let (paint_order, plain) = (paint_order(walk, layout), NodeSpec::text_node(&text));
    builder.leaf(NodeSpec { role, backend, bounds, paint_order, visibility, flags, ..plain });
}

/// Pseudo-elements have one layout entry for the box and one a text run.
pub(super) fn pseudo_text(walk: &Walk<'_, '_>, index: usize, first: Option<usize>) -> String {
    let layout = &walk.document.layout;
    let Some(first) = first else { return String::new() };
    let text: String = (first..layout.node_index.len())
        .take_while(|entry| layout.node_index[*entry] == index as i64)
        .filter_map(|entry| layout.text.get(entry))
        .map(|text| walk.string(*text))
        .collect();
    collapse(&text)
}

pub(super) fn value_of<'v>(
    walk: &Walk<'_, '_>,
    index: usize,
    tag: &str,
    input_type: &str,
    secret: bool,
    ax: Cow<'v, str>,
) -> Cow<'v, str> {
    let of = |rare: &HashMap<usize, i64>| rare.get(&index).map(|value| walk.string(*value).to_owned());
    match tag {
        "input" if secret => {
            let filled = of(&walk.rare.input_value).is_some_and(|value| !value.is_empty()) || !ax.is_empty();
            Cow::Borrowed(if filled { "•" } else { "" })
        }
        "input" => match input_type.to_ascii_lowercase().as_str() {
            "checkbox" | "radio" | "button" | "submit" | "reset" | "image" | "hidden" => Cow::Borrowed(""),
            "file" => ax,
            _ => of(&walk.rare.input_value).map_or(ax, Cow::Owned),
        },
        "textarea" => of(&walk.rare.text_value).or_else(|| of(&walk.rare.input_value)).map_or(ax, Cow::Owned),
        "option" | "button" => Cow::Borrowed(""),
        // What keeps an empty field as high as a full one.
        _ if ax.chars().all(|c| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}')) => "".into(),
        _ => match ax {
            Cow::Borrowed(text) => text.trim_end_matches('\n').into(),
            Cow::Owned(text) => text.trim_end_matches('\n').to_owned().into(),
        },
    }
}

fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}') {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
    out
}
