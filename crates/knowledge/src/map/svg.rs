//! The site map as a picture.
//!
//! In: a [`Knowledge`]. Out: SVG. Invariants: equal knowledge gives equal bytes; every text of a
//! page is escaped, so that none becomes markup; ways that were only inferred are dashed.

use super::graph::{Graph, MapOptions, Way};
use crate::model::{Knowledge, ScreenDefinition};
use browserlens_core::page::text::{escaped_line, escaped_xml};
use std::fmt::Write as _;

const WIDTH: usize = 216;
pub(super) const HEIGHT: usize = 46;
const GAP_X: usize = 110;
pub(super) const GAP_Y: usize = 26;
pub(super) const MARGIN: usize = 24;
pub(super) const HEAD: usize = 40;
/// Screens that stand in one column; a longer one goes on in the next.
pub(super) const ROWS: usize = 14;
/// Columns that a name takes in a box; letters of many scripts take two.
const NAME_COLUMNS: usize = 30;

/// Colours where nothing around the picture sets them; a page that holds it has its own.
const THEME: &str = "<style>:root{color-scheme:light \
    dark;color:#1f2328;--paper:#fff;--panel:#f6f8fa;--muted:#59636e;--accent:#0b62a4;--bad:#a13d00}\
    @media(prefers-color-scheme:dark){:root{color:#e4e8ee;--paper:#12161c;--panel:#1a2028;--muted:#9aa5b1;\
    --accent:#7cbcf0;--bad:#ff9d5c}}</style><rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n";

/// What is said below the picture.
const LEGEND: [&str; 2] = [
    "Solid line: observed. Dashed: inferred. Dotted: from a screen to a state of it. A number is the confidence of a \
        way that is not certain; fainter lines are less sure.",
    "A box says on how many pages its screen was seen, and how many actions stay on it. Hold the pointer over a line \
        or a box to read all of it.",
];

/// Draws the site map as an SVG file, for light and dark.
pub fn site_map_svg(knowledge: &Knowledge, options: &MapOptions) -> String {
    drawn(&Graph::of(knowledge, options), options, THEME)
}

/// Draws the site map for a page that holds it: without a style sheet, which the page may forbid.
/// Its colours are the page's text colour and the custom properties `--paper`, `--panel`,
/// `--muted`, `--accent` and `--bad`.
pub fn site_map_figure(knowledge: &Knowledge, options: &MapOptions) -> String {
    drawn(&Graph::of(knowledge, options), options, "")
}

fn drawn(graph: &Graph<'_>, options: &MapOptions, theme: &str) -> String {
    let columns: Vec<Vec<usize>> =
        graph.columns().iter().flat_map(|column| column.chunks(ROWS).map(<[usize]>::to_vec)).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let width = 2 * MARGIN + columns.len().max(4) * (WIDTH + GAP_X);
    let height = 2 * MARGIN + HEAD + rows.max(1) * (HEIGHT + GAP_Y) + HEAD;
    let mut place: Vec<(usize, usize)> = vec![(0, 0); graph.screens.len()];
    for (column, screens) in columns.iter().enumerate() {
        for (row, at) in screens.iter().enumerate() {
            place[*at] = (MARGIN + column * (WIDTH + GAP_X), MARGIN + HEAD + row * (HEIGHT + GAP_Y));
        }
    }
    let mut svg = String::new();
    let title = if options.title.is_empty() { "Site map" } else { options.title.as_str() };
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
            height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"12\" \
            fill=\"currentColor\">",
        escaped(title)
    );
    svg.push_str(theme);
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"15\" font-weight=\"600\">{}</text>",
        MARGIN + 12,
        escaped(title)
    );
    if graph.screens.is_empty() {
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{}\">No screens are known yet.</text>", MARGIN + HEAD);
    }
    for (state, parent) in &graph.parents {
        let ((x1, y1), (x2, y2)) = (place[*parent], place[*state]);
        let (x1, y1, x2, y2) = (x1 + WIDTH / 2, y1 + HEIGHT / 2, x2 + WIDTH / 2, y2 + HEIGHT / 2);
        let _ = writeln!(
            svg,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"var(--muted)\" stroke-width=\"1.6\" \
                stroke-dasharray=\"1 4\"/>"
        );
    }
    // Numbers stand above all lines, so that none is crossed out.
    let mut numbers = String::new();
    for ((from, to), way) in graph.ways.iter().filter(|((from, to), _)| from != to) {
        svg.push_str(&line(place[*from], place[*to], way, [graph.screens[*from], graph.screens[*to]], &mut numbers));
    }
    svg.push_str(&numbers);
    for (at, screen) in graph.screens.iter().enumerate() {
        svg.push_str(&node(place[at], screen, graph.ways.get(&(at, at))));
    }
    for (at, foot) in LEGEND.iter().enumerate() {
        let y = height - MARGIN + at * 14 - 8;
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"10\" fill=\"var(--muted)\">{foot}</text>");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws a line, and adds its number where it is not certain.
fn line(
    from: (usize, usize),
    to: (usize, usize),
    way: &Way,
    screens: [&ScreenDefinition; 2],
    numbers: &mut String,
) -> String {
    let half = HEIGHT / 2;
    // Forwards from right edge to left edge, back from left edge to right edge, within a column
    // around on the right.
    let (path, (x2, y2), is_forwards, x, y) = if to.0 > from.0 {
        let (x1, y1, x2, y2) = (from.0 + WIDTH, from.1 + half - 6, to.0, to.1 + half - 6);
        let bend = (GAP_X / 2).min((x2 - x1) / 2);
        let path = format!("M{x1} {y1}C{} {y1} {} {y2} {} {y2}", x1 + bend, x2 - bend, x2 - 7);
        (path, (x2, y2), true, x2 - bend - 12, (y1 + 3 * y2) / 4 - 3)
    } else if to.0 < from.0 {
        let (x1, y1, x2, y2) = (from.0, from.1 + half + 8, to.0 + WIDTH, to.1 + half + 8);
        let bend = (GAP_X / 2).min((x1 - x2) / 2);
        let path = format!("M{x1} {y1}C{} {y1} {} {y2} {} {y2}", x1 - bend, x2 + bend, x2 + 7);
        (path, (x2, y2), false, x2 + bend - 12, (y1 + 3 * y2) / 4 + 11)
    } else {
        let (x1, y1, x2, y2) = (from.0 + WIDTH, from.1 + half + 8, to.0 + WIDTH, to.1 + half + 8);
        let out = x1.max(x2) + 44;
        let path = format!("M{x1} {y1}C{out} {y1} {out} {y2} {} {y2}", x2 + 7);
        (path, (x2, y2), false, out - 14, (y1 + y2) / 2 + 4)
    };
    let base = if is_forwards { x2 - 8 } else { x2 + 8 };
    let head = format!("M{base} {}L{x2} {y2}L{base} {}z", y2 - 4, y2 + 4);
    let (colour, dash) = if way.inferred { ("var(--bad)", " stroke-dasharray=\"6 4\"") } else { ("var(--accent)", "") };
    // In hundredths, so that equal knowledge is equal text.
    let opacity = 35 + (way.confidence.clamp(0.0, 1.0) * 65.0).round() as u32;
    let opacity = format!("{}.{:02}", opacity / 100, opacity % 100);
    if way.inferred || way.confidence < 0.995 {
        let _ = writeln!(
            numbers,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"10\" stroke=\"var(--paper)\" stroke-width=\"3\" \
                paint-order=\"stroke\">{:.2}</text>",
            way.confidence
        );
    }
    format!(
        "<g opacity=\"{opacity}\"><title>{}</title><path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"{dash} \
            d=\"{path}\"/><path fill=\"{colour}\" d=\"{head}\"/></g>\n",
        escaped(&format!("{} to {}: {}", screens[0].name, screens[1].name, told(way)))
    )
}

fn node(at: (usize, usize), screen: &ScreenDefinition, itself: Option<&Way>) -> String {
    let (x, y) = at;
    let (fill, stroke) = match screen.parent_screen_id {
        Some(_) => ("var(--paper)", "var(--muted)"),
        None => ("var(--panel)", "currentColor"),
    };
    let dash = if screen.metadata.inferred { " stroke-dasharray=\"6 4\"" } else { "" };
    let itself = itself.map(|way| format!(", {} on it", plural(way.actions, "action"))).unwrap_or_default();
    let pattern = screen.url_patterns.first().map_or("", String::as_str);
    format!(
        "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"{fill}\" \
            stroke=\"{stroke}\"{dash}/><text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" font-size=\"10\" \
            fill=\"var(--muted)\">{}{}</text></g>\n",
        escaped(&format!("{} ({}) {pattern}", screen.name, screen.screen_id)),
        x + 10,
        y + 19,
        escaped(&cut(&screen.name)),
        x + 10,
        y + 36,
        plural(screen.provenance.len() as u32, "page"),
        escaped(&itself)
    )
}

fn told(way: &Way) -> String {
    let how = if way.inferred { "inferred" } else { "observed" };
    format!("{}, {how}, confidence {:.2}, {}", plural(way.actions, "action"), way.confidence, plural(way.count, "time"))
}

fn plural(count: u32, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Cuts a name so that it fits its box.
fn cut(name: &str) -> String {
    let is_wide = |c: char| {
        matches!(c,
            '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
            | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..)
    };
    let mut taken = 0;
    let fits = |c: &char| {
        taken += if is_wide(*c) { 2 } else { 1 };
        taken <= NAME_COLUMNS
    };
    let short: String = name.chars().take_while(fits).collect();
    if short.len() < name.len() { short + "…" } else { short }
}

/// Escapes a text for XML; what nobody sees has escapes, and what else XML cannot hold is left out.
fn escaped(text: &str) -> String {
    escaped_xml(&escaped_line(text).replace(['\u{fffe}', '\u{ffff}'], ""))
}
