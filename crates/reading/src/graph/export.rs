//! A content graph as DOT, JSON and SVG.
//!
//! In: a [`ContentGraph`]. Out: text in one of three formats; [`from_json`] reads the second back.
//! Invariants: `from_json(to_json(graph))` is the graph; whatever a page says is data in every
//! format: it ends no string, opens no element and holds no control characters. Why an own drawing
//! and not a layout engine: the containment forest is an outline, and an outline needs no engine.

use super::content::{ContentGraph, ContentId, ContentKind, ContentNode, Relation};
use browserlens_core::page::text::escaped_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::str::FromStr;

/// Format that [`to_json`] writes.
pub const JSON_FORMAT: &str = "browserlens/content-graph/1";

/// Characters of a node's text that a drawing shows.
const LABEL: usize = 80;

/// Rows of an SVG; what is left out is counted in a last one.
pub const SVG_ROWS: usize = 1_000;

/// Name of a node in exports: `n` and its place in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct NodeName(pub u32);

impl From<NodeName> for String {
    fn from(name: NodeName) -> Self {
        format!("n{}", name.0)
    }
}

impl TryFrom<String> for NodeName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let number = name.strip_prefix('n').and_then(|number| u32::from_str(number).ok());
        number.map(Self).filter(|number| String::from(*number) == name).ok_or(format!("{name:?} is no node name"))
    }
}

impl JsonSchema for NodeName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NodeName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^n(0|[1-9][0-9]*)$" })
    }
}

/// An edge, at the node it starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonEdge {
    /// Where it leads.
    pub to: NodeName,
    /// What it means.
    #[serde(rename = "type")]
    pub relation: Relation,
}

/// A content graph as JSON: nodes by name, and edges by the node they start from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonGraph {
    /// Always [`JSON_FORMAT`].
    pub format: String,
    /// Address of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Every node.
    pub nodes: BTreeMap<NodeName, ContentNode>,
    /// Where each node leads; nodes that lead nowhere are left out.
    pub edges: BTreeMap<NodeName, Vec<JsonEdge>>,
}

/// JSON that is no content graph.
#[derive(Debug, thiserror::Error)]
pub enum JsonGraphError {
    /// It is not JSON of this shape.
    #[error("not a content graph: {0}")]
    Shape(#[from] serde_json::Error),
    /// It is of another format.
    #[error("format {0:?}, this build reads {JSON_FORMAT:?}")]
    Format(String),
    /// Names, positions, levels or edges do not agree with the nodes.
    #[error("{0}")]
    Inconsistent(&'static str),
}

/// Returns the graph as data.
pub fn json_graph(graph: &ContentGraph) -> JsonGraph {
    let mut edges: BTreeMap<NodeName, Vec<JsonEdge>> = BTreeMap::new();
    for (from, to, relation) in graph.edges() {
        edges.entry(NodeName(from.0)).or_default().push(JsonEdge { to: NodeName(to.0), relation });
    }
    JsonGraph {
        format: JSON_FORMAT.to_owned(),
        url: graph.url().to_owned(),
        title: graph.title().to_owned(),
        nodes: graph.nodes().map(|node| (NodeName(node.position), node.clone())).collect(),
        edges,
    }
}

/// Writes the graph as JSON, indented.
pub fn to_json(graph: &ContentGraph) -> String {
    serde_json::to_string_pretty(&json_graph(graph)).unwrap_or_default()
}

/// Returns the JSON schema of what [`to_json`] writes.
pub fn json_graph_schema() -> serde_json::Value {
    schemars::schema_for!(JsonGraph).to_value()
}

/// Reads what [`to_json`] wrote.
///
/// # Errors
/// [`JsonGraphError`] if it is no content graph, or its edges are not those of its nodes.
pub fn from_json(json: &str) -> Result<ContentGraph, JsonGraphError> {
    let read: JsonGraph = serde_json::from_str(json)?;
    if read.format != JSON_FORMAT {
        return Err(JsonGraphError::Format(read.format));
    }
    let in_place = |(at, (name, node)): (usize, (&NodeName, &ContentNode))| {
        name.0 as usize == at && node.position == name.0 && (node.kind == ContentKind::Heading) == node.level.is_some()
    };
    if !read.nodes.iter().enumerate().all(in_place) {
        return Err(JsonGraphError::Inconsistent("names, positions and levels of nodes do not agree"));
    }
    let graph = ContentGraph::of_nodes(&read.url, &read.title, read.nodes.into_values());
    let mut given: Vec<(ContentId, ContentId, Relation)> = read
        .edges
        .iter()
        .flat_map(|(from, to)| to.iter().map(|edge| (ContentId(from.0), ContentId(edge.to.0), edge.relation)))
        .collect();
    let mut own: Vec<_> = graph.edges().collect();
    given.sort_unstable();
    own.sort_unstable();
    if given != own {
        return Err(JsonGraphError::Inconsistent("the edges are not those of the nodes"));
    }
    Ok(graph)
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
        let shape = match node.kind {
            ContentKind::Heading => "box",
            ContentKind::Paragraph => "plaintext",
            ContentKind::List => "folder",
            ContentKind::Code => "component",
            ContentKind::Quote => "note",
            ContentKind::Table => "tab",
        };
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

/// A double-quoted string; backslashes are doubled, so that no escape of Graphviz' own works
/// inside.
fn dot_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in clean(text).chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
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
        let (name, colour) = match node.kind {
            ContentKind::Heading => (format!("h{}", node.level.unwrap_or(1)), "#1f5fa8"),
            ContentKind::Paragraph => ("p".to_owned(), "#777"),
            ContentKind::List => ("list".to_owned(), "#2b7a4b"),
            ContentKind::Code => ("code".to_owned(), "#7a3e9d"),
            ContentKind::Quote => ("quote".to_owned(), "#a8641f"),
            ContentKind::Table => ("table".to_owned(), "#9d3e5c"),
        };
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
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().count() > LABEL {
            let end = line.char_indices().nth(LABEL - 1).map_or(line.len(), |(at, _)| at);
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    line
}

/// Escapes what nobody sees, and replaces by a space what else may stand in no XML file.
fn clean(text: &str) -> String {
    escaped_line(text).replace(['\u{fffe}', '\u{ffff}'], " ")
}

/// Text as it may stand between the tags of an element.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
