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
    /// Where recordings began.
    openings: Vec<usize>,
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
        let first = knowledge.tasks.values().filter_map(|task| task.steps.first());
        let opened = first.filter(|step| step.screen_id.is_none()).filter_map(|step| step.expected_screen_id.as_ref());
        let openings: BTreeSet<usize> = opened.filter_map(|screen| at.get(screen).copied()).collect();
        Self { screens, ways, parents, openings: openings.into_iter().collect() }
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
        // A website begins where recordings did, then where nothing leads to; in a circle, what comes first by id does.
        let mut begins: Vec<usize> = self.openings.clone();
        begins.extend((0..count).filter(|at| incoming[*at] == 0));
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

const WIDTH: usize = 216;
const HEIGHT: usize = 46;
const GAP_X: usize = 110;
const GAP_Y: usize = 26;
const MARGIN: usize = 24;
const HEAD: usize = 40;
/// Screens that stand in one column; a longer one goes on in the next.
const ROWS: usize = 14;
/// Columns that a name takes in a box; letters of many scripts take two.
const NAME_COLUMNS: usize = 30;

/// Colours where nothing around the picture sets them; a page that holds it has its own.
const THEME: &str = "<style>:root{color-scheme:light dark;color:#1f2328;--paper:#fff;--panel:#f6f8fa;--muted:#59636e;--accent:#0b62a4;--bad:#a13d00}@media(prefers-color-scheme:dark){:root{color:#e4e8ee;--paper:#12161c;--panel:#1a2028;--muted:#9aa5b1;--accent:#7cbcf0;--bad:#ff9d5c}}</style><rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n";

/// What is said below the picture.
const LEGEND: [&str; 2] = [
    "Solid line: observed. Dashed: inferred. Dotted: from a screen to a state of it. A number is the confidence of a way that is not certain; fainter lines are less sure.",
    "A box says on how many pages its screen was seen, and how many actions stay on it. Hold the pointer over a line or a box to read all of it.",
];

/// Draws the site map as an SVG file, for light and dark.
pub fn site_map_svg(knowledge: &Knowledge, options: &MapOptions) -> String {
    drawn(&Graph::of(knowledge, options), options, THEME)
}

/// Draws the site map for a page that holds it: without a style sheet, which the page may forbid. Its colours are the page's text colour and the custom properties
/// `--paper`, `--panel`, `--muted`, `--accent` and `--bad`.
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
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"currentColor\">",
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
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"var(--muted)\" stroke-width=\"1.6\" stroke-dasharray=\"1 4\"/>"
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
    // Forwards from right edge to left edge, back from left edge to right edge, within a column around on the right.
    let (path, head, x, y) = if to.0 > from.0 {
        let (x1, y1, x2, y2) = (from.0 + WIDTH, from.1 + half - 6, to.0, to.1 + half - 6);
        let bend = (GAP_X / 2).min((x2 - x1) / 2);
        let path = format!("M{x1} {y1}C{} {y1} {} {y2} {} {y2}", x1 + bend, x2 - bend, x2 - 7);
        (
            path,
            format!("M{} {}L{x2} {y2}L{} {}z", x2 - 8, y2 - 4, x2 - 8, y2 + 4),
            x2 - bend - 12,
            (y1 + 3 * y2) / 4 - 3,
        )
    } else if to.0 < from.0 {
        let (x1, y1, x2, y2) = (from.0, from.1 + half + 8, to.0 + WIDTH, to.1 + half + 8);
        let bend = (GAP_X / 2).min((x1 - x2) / 2);
        let path = format!("M{x1} {y1}C{} {y1} {} {y2} {} {y2}", x1 - bend, x2 + bend, x2 + 7);
        (
            path,
            format!("M{} {}L{x2} {y2}L{} {}z", x2 + 8, y2 - 4, x2 + 8, y2 + 4),
            x2 + bend - 12,
            (y1 + 3 * y2) / 4 + 11,
        )
    } else {
        let (x1, y1, x2, y2) = (from.0 + WIDTH, from.1 + half + 8, to.0 + WIDTH, to.1 + half + 8);
        let out = x1.max(x2) + 44;
        let path = format!("M{x1} {y1}C{out} {y1} {out} {y2} {} {y2}", x2 + 7);
        (path, format!("M{} {}L{x2} {y2}L{} {}z", x2 + 8, y2 - 4, x2 + 8, y2 + 4), out - 14, (y1 + y2) / 2 + 4)
    };
    let (colour, dash) = if way.inferred { ("var(--bad)", " stroke-dasharray=\"6 4\"") } else { ("var(--accent)", "") };
    // In hundredths, so that equal knowledge is equal text.
    let opacity = 35 + (way.confidence.clamp(0.0, 1.0) * 65.0).round() as u32;
    let opacity = format!("{}.{:02}", opacity / 100, opacity % 100);
    if way.inferred || way.confidence < 0.995 {
        let _ = writeln!(
            numbers,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"10\" stroke=\"var(--paper)\" stroke-width=\"3\" paint-order=\"stroke\">{:.2}</text>",
            way.confidence
        );
    }
    format!(
        "<g opacity=\"{opacity}\"><title>{}</title><path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"{dash} d=\"{path}\"/><path fill=\"{colour}\" d=\"{head}\"/></g>\n",
        escaped(&format!("{} to {}: {}", screens[0].name, screens[1].name, told(way)))
    )
}

fn node(at: (usize, usize), screen: &ScreenDefinition, itself: Option<&Way>) -> String {
    let (x, y) = at;
    let (fill, stroke) = if screen.parent_screen_id.is_some() {
        ("var(--paper)", "var(--muted)")
    } else {
        ("var(--panel)", "currentColor")
    };
    let dash = if screen.metadata.inferred { " stroke-dasharray=\"6 4\"" } else { "" };
    let itself = itself.map(|way| format!(", {} on it", plural(way.actions, "action"))).unwrap_or_default();
    let pattern = screen.url_patterns.first().map_or("", String::as_str);
    format!(
        "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"{dash}/><text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"var(--muted)\">{}{}</text></g>\n",
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

/// Cuts a name so that it fits its box.
fn cut(name: &str) -> String {
    let columns = |c: char| {
        if matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..)
        {
            2
        } else {
            1
        }
    };
    let (mut short, mut taken) = (String::new(), 0);
    for c in name.chars() {
        taken += columns(c);
        if taken > NAME_COLUMNS {
            short.push('…');
            break;
        }
        short.push(c);
    }
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
        let ways: Vec<&str> =
            svg.lines().filter(|line| line.starts_with("<g ") && line.contains("confidence")).collect();
        let (dashed, solid): (Vec<&str>, Vec<&str>) = ways.iter().partition(|line| line.contains("stroke-dasharray"));
        assert_eq!((dashed.len(), solid.len()), (1, 2));
        assert!(dashed[0].contains("to Ask: 1 action, inferred, confidence 0.75"));
        assert_eq!(svg.matches(">0.75</text>").count(), 3);
        let dot = site_map_dot(&knowledge(), &MapOptions::default());
        assert!(
            dot.contains(r#""b" -> "c" [label="0.75", style=dashed];"#)
                && dot.contains(r#""a" -> "b" [label="0.75 · 1"];"#),
            "{dot}"
        );
    }

    /// Every text and attribute of it in order, or what is wrong with the markup.
    fn tags(svg: &str) -> Result<Vec<String>, String> {
        let (mut open, mut seen) = (Vec::new(), Vec::new());
        for part in svg.split('<').skip(1) {
            let (tag, text) = part.split_once('>').ok_or_else(|| format!("no end: {part}"))?;
            if text.contains('>') || tag.matches('"').count() % 2 != 0 {
                return Err(format!("stray mark: {part}"));
            }
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("").to_owned();
            if tag.starts_with('/') {
                let last = open.pop();
                if last.as_ref() != Some(&name) {
                    return Err(format!("{last:?} is ended by {name}"));
                }
            } else if !tag.ends_with('/') {
                open.push(name.clone());
            }
            seen.push(name);
        }
        if open.is_empty() { Ok(seen) } else { Err(format!("left open: {open:?}")) }
    }

    proptest::proptest! {
        #[test]
        fn any_name_stays_text(name in "\\PC{0,40}|[<>&\"'/= a-z!\\[\\]-]{0,40}", title in "[<>&\"'/ a-z-]{0,20}") {
            let mut known = knowledge();
            for screen in known.screens.values_mut() {
                screen.name.clone_from(&name);
                screen.url_patterns = vec![name.clone()];
            }
            let options = MapOptions { title, ..MapOptions::default() };
            for svg in [site_map_svg(&known, &options), site_map_figure(&known, &options)] {
                let tags = tags(&svg).map_err(proptest::test_runner::TestCaseError::fail)?;
                let known = ["svg", "style", "rect", "text", "line", "g", "title", "path"];
                proptest::prop_assert!(tags.iter().all(|tag| known.contains(&tag.as_str())), "{:?}", tags);
            }
        }
    }

    #[test]
    fn a_figure_brings_no_styles_and_sixty_screens_have_a_place_each() {
        let mut known = Knowledge::new("k");
        let base = knowledge().screens[&ScreenId::from("a")].clone();
        for at in 0..60 {
            let id = ScreenId::from(format!("s{at:02}"));
            known.screens.insert(
                id.clone(),
                ScreenDefinition {
                    screen_id: id, name: "予約の変更と取り消しをする画面".repeat(2), ..base.clone()
                },
            );
        }
        for at in 1..60 {
            let transition = TransitionDefinition {
                transition_id: format!("t{at}").into(),
                from_screen_id: format!("s{:02}", at / 9).into(),
                to_screen_id: format!("s{at:02}").into(),
                count: 1,
                ..TransitionDefinition::default()
            };
            known.transitions.insert(transition.transition_id.clone(), transition);
        }
        let svg = site_map_figure(&known, &MapOptions::default());
        assert_eq!(svg, site_map_figure(&known.clone(), &MapOptions::default()));
        for forbidden in ["<style", "style=", "class=", "id=", "url("] {
            assert!(!svg.contains(forbidden), "{forbidden}");
        }
        let boxes: BTreeSet<&str> = svg.match_indices("<rect ").map(|(at, _)| &svg[at..at + 24]).collect();
        assert_eq!(boxes.len(), 60);
        let height: usize = svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(height <= 2 * MARGIN + 2 * HEAD + ROWS * (HEIGHT + GAP_Y), "{height}");
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
