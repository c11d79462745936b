//! A content graph as DOT, JSON and SVG.
//!
//! In: a [`ContentGraph`]. Out: text in one of three formats. Invariant: whatever a page says is
//! data in every format: it ends no string, opens no element and holds no control characters. Why an
//! own drawing and not a layout engine: the containment forest is an outline, and an outline needs no
//! engine.

use super::content::{ContentGraph, ContentId, ContentKind, ContentNode, Relation};
use browserlens_core::page::text::{cut_within, escaped_line, escaped_xml, folded, quoted_dot};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Format that [`to_json`] writes.
pub const JSON_FORMAT: &str = "browserlens/content-graph/1";

/// Characters of a node's text that a drawing shows.
const LABEL: usize = 80;

/// Rows of an SVG; what is left out is counted in a last one.
pub const SVG_ROWS: usize = 1_000;

/// Name of a node in exports: `n` and its place in the document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
struct NodeName(u32);

impl From<NodeName> for String {
    fn from(name: NodeName) -> Self {
        format!("n{}", name.0)
    }
}

/// An edge, at the node it starts from.
#[derive(Serialize)]
struct JsonEdge {
    to: NodeName,
    #[serde(rename = "type")]
    relation: Relation,
}

/// A content graph as JSON.
#[derive(Serialize)]
struct JsonGraph<'g> {
    format: &'static str,
    url: &'g str,
    title: &'g str,
    nodes: BTreeMap<NodeName, &'g ContentNode>,
    /// Where each node leads; nodes that lead nowhere are left out.
    edges: BTreeMap<NodeName, Vec<JsonEdge>>,
}

/// Writes the graph as JSON, indented: nodes by name, and edges by the node they start from.
pub fn to_json(graph: &ContentGraph) -> String {
    let mut edges: BTreeMap<NodeName, Vec<JsonEdge>> = BTreeMap::new();
    for (from, to, relation) in graph.edges() {
        edges.entry(NodeName(from.0)).or_default().push(JsonEdge { to: NodeName(to.0), relation });
    }
    let json = JsonGraph {
        format: JSON_FORMAT,
        url: graph.url(),
        title: graph.title(),
        nodes: graph.nodes().map(|node| (NodeName(node.position), node)).collect(),
        edges,
    };
    serde_json::to_string_pretty(&json).unwrap_or_default()
}

/// Writes the graph in Graphviz' language.
pub fn to_dot(graph: &ContentGraph) -> String {
    let mut dot = String::from("digraph content {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
    let _ = writeln!(dot, "  label={};", dot_string(&format!("{} — {}", graph.title(), graph.url())));
    for node in graph.nodes() {
        let label = match node.level {
            Some(level) => format!("h{level} {}", label(&node.text)),
            None => label(&node.text),
        };
        let (shape, ..) = look(node.kind);
        let _ = writeln!(
            dot,
            "  n{} [shape={shape}, label={}, tooltip={}];",
            node.position,
            dot_string(&label),
            dot_string(&node.xpath)
        );
    }
    for (from, to, relation) in graph.edges() {
        let style = match relation {
            Relation::Contains => "",
            Relation::Follows => " [style=dotted, constraint=false]",
        };
        let _ = writeln!(dot, "  n{} -> n{}{style};", from.0, to.0);
    }
    dot.push_str("}\n");
    dot
}

/// How a kind is drawn: its shape in DOT, its colour in SVG, and what it is called there, before the level.
fn look(kind: ContentKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        ContentKind::Heading => ("box", "#1f5fa8", "h"),
        ContentKind::Paragraph => ("plaintext", "#777", "p"),
        ContentKind::List => ("folder", "#2b7a4b", "list"),
        ContentKind::Code => ("component", "#7a3e9d", "code"),
        ContentKind::Quote => ("note", "#a8641f", "quote"),
        ContentKind::Table => ("tab", "#9d3e5c", "table"),
    }
}

fn dot_string(text: &str) -> String {
    quoted_dot(&clean(text))
}

/// Draws the graph as an outline: a row a node, indented by what contains it, the rows in document
/// order.
pub fn to_svg(graph: &ContentGraph) -> String {
    const ROW: usize = 24;
    const STEP: usize = 28;
    const TOP: usize = 40;
    let shown = graph.len().min(SVG_ROWS);
    let mut depths: Vec<usize> = Vec::with_capacity(shown);
    for at in 0..shown {
        let parent = graph.parent(ContentId(at as u32));
        depths.push(parent.map_or(0, |parent| depths[parent.0 as usize] + 1));
    }
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let rows = shown + usize::from(shown < graph.len());
    let (width, height) = (40 + deepest * STEP + (LABEL + 8) * 8, TOP + rows * ROW + 16);
    let middle = |row: usize| TOP + row * ROW + ROW / 2;
    let left = |depth: usize| 20 + depth * STEP;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
            {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" \
         fill=\"#fff\"/>\n<text x=\"20\" y=\"24\" font-weight=\"bold\">{}</text>\n",
        xml(graph.title()),
        xml(&label(graph.title()))
    );
    // The order: a dotted line past all rows; it lies under the boxes.
    if shown > 1 {
        let _ = writeln!(
            svg,
            "<path d=\"M10 {}V{}\" stroke=\"#999\" stroke-dasharray=\"2 3\" fill=\"none\"/>",
            middle(0),
            middle(shown - 1)
        );
    }
    for (row, node) in graph.nodes().take(shown).enumerate() {
        let (x, y) = (left(depths[row]), middle(row));
        if let Some(parent) = graph.parent(ContentId(row as u32)) {
            let above = parent.0 as usize;
            let _ = writeln!(
                svg,
                "<path d=\"M{} {}V{y}H{x}\" stroke=\"#bbb\" fill=\"none\"/>",
                left(depths[above]) + 6,
                middle(above) + 6
            );
        }
        let (_, colour, name) = look(node.kind);
        let name = node.level.map_or(name.to_owned(), |level| format!("{name}{level}"));
        let weight = if node.kind == ContentKind::Heading { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"{y}\" r=\"6\" fill=\"{colour}\"/><text x=\"{}\" y=\"{}\"{weight}><tspan \
             fill=\"{colour}\">{name}</tspan> {}</text>",
            x + 6,
            x + 18,
            y + 4,
            xml(&label(&node.text))
        );
    }
    if shown < graph.len() {
        let _ = writeln!(
            svg,
            "<text x=\"20\" y=\"{}\" fill=\"#777\">… {} more nodes</text>",
            middle(shown) + 4,
            graph.len() - shown
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The beginning of a text, on one line.
fn label(text: &str) -> String {
    cut_within(&folded(text), LABEL)
}

/// Escapes what nobody sees, and replaces by a space what else may stand in no XML file.
fn clean(text: &str) -> String {
    escaped_line(text).replace(['\u{fffe}', '\u{ffff}'], " ")
}

fn xml(text: &str) -> String {
    escaped_xml(&clean(text))
}
