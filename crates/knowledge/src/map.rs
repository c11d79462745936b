//! The site map: screens and the ways between them as a picture, as DOT and as JSON.
//!
//! In: a [`Knowledge`]. Out: text. Invariants: equal knowledge gives equal bytes; every text of a page is escaped, so that none becomes markup; ways that were
//! only inferred are dashed, in either picture.

use crate::model::{Knowledge, ScreenDefinition, ScreenId, WebsiteId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

/// What of the knowledge is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapOptions {
    /// Only screens of this website.
    pub website_id: Option<WebsiteId>,
    /// Heading of the picture; empty for none.
    pub title: String,
}

/// All ways from one screen to another, as one line.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    actions: u32,
    count: u32,
    confidence: f64,
    inferred: bool,
}

/// The part of the knowledge that is drawn.
struct Graph<'k> {
    screens: Vec<&'k ScreenDefinition>,
    /// By positions of the two screens.
    ways: BTreeMap<(usize, usize), Way>,
    /// States and the screens they are states of.
    parents: Vec<(usize, usize)>,
}

impl<'k> Graph<'k> {
    fn of(knowledge: &'k Knowledge, options: &MapOptions) -> Self {
        let wanted = |screen: &&ScreenDefinition| {
            options.website_id.as_ref().is_none_or(|website| *website == screen.website_id)
        };
        let screens: Vec<&ScreenDefinition> = knowledge.navigable_screens().filter(wanted).collect();
        let at: BTreeMap<&ScreenId, usize> =
            screens.iter().enumerate().map(|(at, screen)| (&screen.screen_id, at)).collect();
        let mut ways: BTreeMap<(usize, usize), Way> = BTreeMap::new();
        for transition in knowledge.transitions.values() {
            let (Some(from), Some(to)) = (at.get(&transition.from_screen_id), at.get(&transition.to_screen_id)) else {
                continue;
            };
            let way = ways.entry((*from, *to)).or_insert(Way { actions: 0, count: 0, confidence: 0.0, inferred: true });
            way.actions += 1;
            way.count += transition.count;
            way.confidence = way.confidence.max(transition.metadata.confidence);
            way.inferred &= transition.metadata.inferred;
        }
        let parents = screens
            .iter()
            .enumerate()
            .filter_map(|(state, screen)| Some((state, *at.get(screen.parent_screen_id.as_ref()?)?)));
        let parents = parents.collect();
        Self { screens, ways, parents }
    }

    /// Puts every screen in a column: how many steps it lies from where one can begin.
    fn columns(&self) -> Vec<Vec<usize>> {
        let count = self.screens.len();
        let mut incoming = vec![0_u32; count];
        for (from, to) in self.ways.keys().filter(|(from, to)| from != to) {
            let _ = from;
            incoming[*to] += 1;
        }
        let mut column: Vec<Option<usize>> = vec![None; count];
        let mut queue: VecDeque<usize> = VecDeque::new();
        // Where nothing leads to a website begins there; in a circle, what comes first by id does.
        let mut begins: Vec<usize> = (0..count).filter(|at| incoming[*at] == 0).collect();
        begins.extend(0..count);
        for begin in begins {
            if column[begin].is_some() {
                continue;
            }
            column[begin] = Some(0);
            queue.push_back(begin);
            while let Some(at) = queue.pop_front() {
                let next = column[at].map_or(0, |column| column + 1);
                for (_, to) in self.ways.range((at, 0)..(at + 1, 0)).map(|(way, _)| *way) {
                    if column[to].is_none() {
                        column[to] = Some(next);
                        queue.push_back(to);
                    }
                }
            }
        }
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for (at, column) in column.iter().enumerate() {
            let column = column.unwrap_or(0);
            if columns.len() <= column {
                columns.resize(column + 1, Vec::new());
            }
            columns[column].push(at);
        }
        self.sort(&mut columns);
        columns
    }

    /// Orders each column by where its screens' neighbours to the left stand, so that fewer lines cross.
    fn sort(&self, columns: &mut [Vec<usize>]) {
        for right in 1..columns.len() {
            let (before, rest) = columns.split_at_mut(right);
            let place: BTreeMap<usize, usize> =
                before[right - 1].iter().enumerate().map(|(place, at)| (*at, place)).collect();
            let middle = |at: usize| {
                let places: Vec<usize> = self
                    .ways
                    .keys()
                    .filter(|(_, to)| *to == at)
                    .filter_map(|(from, _)| place.get(from).copied())
                    .collect();
                // In thousandths, so that the order is one of integers.
                if places.is_empty() { usize::MAX } else { places.iter().sum::<usize>() * 1000 / places.len() }
            };
            rest[0].sort_by_key(|at| (middle(*at), *at));
        }
    }
}

const WIDTH: usize = 210;
const HEIGHT: usize = 46;
const GAP_X: usize = 110;
const GAP_Y: usize = 26;
const MARGIN: usize = 24;
const HEAD: usize = 40;
/// Characters of a name that fit a box.
const NAME_CHARS: usize = 30;

/// Draws the site map as SVG.
pub fn site_map_svg(knowledge: &Knowledge, options: &MapOptions) -> String {
    let graph = Graph::of(knowledge, options);
    let columns = graph.columns();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let width = 2 * MARGIN + columns.len().max(2) * (WIDTH + GAP_X);
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
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">",
        escaped(title)
    );
    svg.push_str(STYLE);
    let _ = writeln!(svg, "<text class=\"t\" x=\"{MARGIN}\" y=\"{}\">{}</text>", MARGIN + 12, escaped(title));
    if graph.screens.is_empty() {
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{}\">No screens are known yet.</text>", MARGIN + HEAD);
    }
    for (state, parent) in &graph.parents {
        let ((x1, y1), (x2, y2)) = (place[*parent], place[*state]);
        let (x1, y1, x2, y2) = (x1 + WIDTH / 2, y1 + HEIGHT / 2, x2 + WIDTH / 2, y2 + HEIGHT / 2);
        let _ = writeln!(svg, "<line class=\"p\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }
    for ((from, to), way) in graph.ways.iter().filter(|((from, to), _)| from != to) {
        svg.push_str(&line(place[*from], place[*to], way, graph.screens[*from], graph.screens[*to]));
    }
    for (at, screen) in graph.screens.iter().enumerate() {
        svg.push_str(&node(place[at], screen, graph.ways.get(&(at, at))));
    }
    let foot = "Solid: observed. Dashed: inferred. Dotted: a state of the screen it points to. Numbers: confidence, and how often.";
    let _ = writeln!(svg, "<text class=\"f\" x=\"{MARGIN}\" y=\"{}\">{foot}</text>", height - MARGIN);
    svg.push_str("</svg>\n");
    svg
}

const STYLE: &str = "<style>
.n{fill:#fff;stroke:#345;stroke-width:1.2}.d{fill:#f4f1ff;stroke:#63c;stroke-width:1.2}.e{fill:none;stroke:#468;stroke-width:1.4}
.i{stroke-dasharray:6 4;stroke:#a60}.p{stroke:#99a;stroke-dasharray:1 4;stroke-width:1.6}.t{font-size:15px;font-weight:600}
.c{font-size:10px;fill:#357}.f{font-size:10px;fill:#667}.s{font-size:10px;fill:#556}
</style>
<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" fill=\"#468\"/></marker></defs>
";

fn line(
    from: (usize, usize),
    to: (usize, usize),
    way: &Way,
    one: &ScreenDefinition,
    other: &ScreenDefinition,
) -> String {
    let half = HEIGHT / 2;
    let class = if way.inferred { "e i" } else { "e" };
    // Forwards from right edge to left edge; back, or within a column, around on the right.
    let (path, x, y) = if to.0 > from.0 {
        let (x1, y1, x2, y2) = (from.0 + WIDTH, from.1 + half - 6, to.0, to.1 + half - 6);
        let bend = (x2 - x1) / 2;
        (format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend), x1 + bend, (y1 + y2) / 2 - 4)
    } else {
        let (x1, y1, x2, y2) = (from.0 + WIDTH, from.1 + half + 8, to.0 + WIDTH, to.1 + half + 8);
        let out = x1.max(x2) + 44;
        (format!("M{x1} {y1}C{out} {y1} {out} {y2} {x2} {y2}"), out - 8, (y1 + y2) / 2 + 4)
    };
    let told = format!("{} to {}: {}", one.name, other.name, told(way));
    format!(
        "<g><title>{}</title><path class=\"{class}\" d=\"{path}\" marker-end=\"url(#a)\"/><text class=\"c\" x=\"{x}\" y=\"{y}\">{}</text></g>\n",
        escaped(&told),
        label(way)
    )
}

fn node(at: (usize, usize), screen: &ScreenDefinition, itself: Option<&Way>) -> String {
    let (x, y) = at;
    let class = if screen.parent_screen_id.is_some() { "d" } else { "n" };
    let dash = if screen.metadata.inferred { " stroke-dasharray=\"6 4\"" } else { "" };
    let itself = itself.map(|way| format!(", {} on it", plural(way.actions, "action"))).unwrap_or_default();
    let pattern = screen.url_patterns.first().map_or("", String::as_str);
    format!(
        "<g><title>{}</title><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"{dash}/><text x=\"{}\" y=\"{}\">{}</text><text class=\"s\" x=\"{}\" y=\"{}\">{}{}</text></g>\n",
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

fn label(way: &Way) -> String {
    if way.inferred { format!("{:.2}", way.confidence) } else { format!("{:.2} · {}", way.confidence, way.count) }
}

fn plural(count: u32, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn cut(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS {
        return name.to_owned();
    }
    let mut short: String = name.chars().take(NAME_CHARS - 1).collect();
    short.push('…');
    short
}

/// Escapes a text for XML; characters that XML cannot hold or that turn text are left out.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\'' => written.push_str("&#39;"),
            c if c.is_control() => written.push(' '),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {}
            c => written.push(c),
        }
    }
    written
}

/// Writes the site map in the DOT language.
pub fn site_map_dot(knowledge: &Knowledge, options: &MapOptions) -> String {
    let graph = Graph::of(knowledge, options);
    let mut dot = String::from("digraph site {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    for screen in &graph.screens {
        let style = match (screen.parent_screen_id.is_some(), screen.metadata.inferred) {
            (true, _) => ", style=\"rounded,dotted\"",
            (false, true) => ", style=\"rounded,dashed\"",
            (false, false) => "",
        };
        let _ = writeln!(dot, "  {} [label={}{style}];", quoted(screen.screen_id.as_str()), quoted(&screen.name));
    }
    for ((from, to), way) in &graph.ways {
        let (from, to) = (graph.screens[*from].screen_id.as_str(), graph.screens[*to].screen_id.as_str());
        let style = if way.inferred { ", style=dashed" } else { "" };
        let _ = writeln!(dot, "  {} -> {} [label={}{style}];", quoted(from), quoted(to), quoted(&label(way)));
    }
    let states: BTreeSet<&(usize, usize)> = graph.parents.iter().collect();
    for (state, parent) in states {
        let (state, parent) = (graph.screens[*state].screen_id.as_str(), graph.screens[*parent].screen_id.as_str());
        let _ = writeln!(dot, "  {} -> {} [style=dotted, arrowhead=none];", quoted(state), quoted(parent));
    }
    dot.push_str("}\n");
    dot
}

/// Quotes a text for DOT; backslashes too, since DOT reads escapes of its own in labels.
fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            c if c.is_control() => written.push(' '),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// Writes the knowledge as JSON, indented.
///
/// # Errors
/// If a number in it is none that JSON has.
pub fn to_json(knowledge: &Knowledge) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(knowledge).map(|mut text| {
        text.push('\n');
        text
    })
}

/// Returns the JSON schema of knowledge.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Knowledge).to_value()
}

/// Reads knowledge from JSON, of this shape or the old one.
///
/// # Errors
/// [`crate::KnowledgeError::Json`], with the place of what cannot be read.
pub fn from_json(origin: &str, text: &str) -> Result<Knowledge, crate::KnowledgeError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| crate::KnowledgeError::Json { origin: origin.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ContentType, Metadata, TransitionDefinition};

    fn knowledge() -> Knowledge {
        let mut knowledge = Knowledge::new("k");
        for (id, name) in [("a", "Home <script>alert(1)</script>"), ("b", "Cart \"&\" more"), ("c", "Ask")] {
            let screen = ScreenDefinition {
                screen_id: id.into(),
                name: name.to_owned(),
                content_type: ContentType::WebUi,
                is_actionable: true,
                parent_screen_id: (id == "c").then(|| "b".into()),
                ..ScreenDefinition::default()
            };
            knowledge.screens.insert(id.into(), screen);
        }
        for (id, from, to, inferred) in
            [("1", "a", "b", false), ("2", "b", "c", true), ("3", "b", "a", false), ("4", "a", "a", false)]
        {
            let transition = TransitionDefinition {
                transition_id: id.into(),
                from_screen_id: from.into(),
                to_screen_id: to.into(),
                count: u32::from(!inferred),
                metadata: Metadata { inferred, confidence: 0.75, reasoning: String::new() },
                ..TransitionDefinition::default()
            };
            knowledge.transitions.insert(id.into(), transition);
        }
        knowledge
    }

    #[test]
    fn names_of_pages_never_become_markup() {
        let svg = site_map_svg(&knowledge(), &MapOptions { title: "</title><b>".to_owned(), ..MapOptions::default() });
        assert!(!svg.contains("<script>") && !svg.contains("<b>"));
        assert!(svg.contains("Home &lt;script&gt;alert(1)"), "{svg}");
        let dot = site_map_dot(&knowledge(), &MapOptions::default());
        assert!(dot.contains(r#""b" [label="Cart \"&\" more"];"#), "{dot}");
    }

    #[test]
    fn inferred_ways_are_dashed_and_others_are_not() {
        let svg = site_map_svg(&knowledge(), &MapOptions::default());
        let dashed: Vec<&str> = svg.lines().filter(|line| line.contains("class=\"e i\"")).collect();
        assert_eq!(dashed.len(), 1);
        assert!(dashed[0].contains("to Ask: 1 action, inferred, confidence 0.75"));
        assert_eq!(svg.lines().filter(|line| line.contains("class=\"e\"")).count(), 2);
        let dot = site_map_dot(&knowledge(), &MapOptions::default());
        assert!(
            dot.contains(r#""b" -> "c" [label="0.75", style=dashed];"#)
                && dot.contains(r#""a" -> "b" [label="0.75 · 1"];"#),
            "{dot}"
        );
    }

    #[test]
    fn a_map_of_nothing_says_so() {
        assert!(site_map_svg(&Knowledge::new("k"), &MapOptions::default()).contains("No screens are known yet"));
    }

    #[test]
    fn json_comes_back_as_it_was_and_what_is_none_names_the_place() {
        let known = knowledge();
        assert_eq!(from_json("x", &to_json(&known).unwrap()).unwrap(), known);
        let error = from_json("a.json", r#"{"knowledge_id": "k", "screens": {"a": {"screen_id": "a", "name": 4}}}"#)
            .unwrap_err();
        assert!(error.to_string().starts_with("a.json: not knowledge: screens.a.name: invalid type"), "{error}");
    }
}
