//! A learned router: a decision tree over the signals, as a text that people read.
//!
//! In: the text of a model. Out: a [`TreeRouter`], and the same text again. Invariants: `parse(text(tree)) == tree`; a text that is no
//! model is an error that names file, line and remedy; a prediction visits at most [`DEEPEST`] nodes.
//!
//! ```text
//! browserlens-router 1
//! # anything after # is for people
//! if canvas_share <= 0.25
//!   a11y
//! else
//!   hybrid
//! ```
//!
//! Training is not done here: `browserlens router train` writes such a text from traces.

use super::{PageType, Route, RouteError, Router, Signals};
use crate::extract::Representation;
use std::fmt::Write;

/// The model that `lens/learned` uses where no other is named, trained on the bundled traces.
pub const BUNDLED: &str = include_str!("bundled.model");

/// First line of every model.
const FIRST_LINE: &str = "browserlens-router 1";
/// How deep a tree may be.
const DEEPEST: usize = 32;

/// One signal as a number, with its name in models.
pub type Feature = (&'static str, fn(&Signals) -> f32);

/// What a model may ask about, by name. The share of what changes by itself is not among them: it is unknown at first sight.
pub const FEATURES: &[Feature] = &[
    ("canvas_share", |signals| signals.canvas_share),
    ("canvas_elements", |signals| signals.canvas_elements as f32),
    ("open_coverage", |signals| signals.open_coverage),
    ("a11y_coverage", |signals| signals.a11y_coverage),
    ("interactive", |signals| signals.interactive as f32),
    ("in_viewport", |signals| signals.in_viewport as f32),
    ("node_count", |signals| signals.node_count as f32),
    ("max_depth", |signals| signals.max_depth as f32),
    ("mean_children", |signals| signals.mean_children),
    ("a11y_tokens", |signals| signals.a11y_tokens as f32),
    ("dom_tokens", |signals| signals.dom_tokens as f32),
    ("is_form", |signals| f32::from(u8::from(signals.page_type == PageType::Form))),
    ("is_listing", |signals| f32::from(u8::from(signals.page_type == PageType::Listing))),
    ("is_dashboard", |signals| f32::from(u8::from(signals.page_type == PageType::Dashboard))),
    ("is_document", |signals| f32::from(u8::from(signals.page_type == PageType::Document))),
];

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The answer.
    Leaf {
        /// The representation.
        representation: Representation,
        /// What it is known from, for people; one line.
        note: String,
    },
    /// A question.
    Split {
        /// Index into [`FEATURES`].
        feature: usize,
        /// The edge: up to it the first branch is taken, above it the second.
        at: f32,
        /// Up to the edge.
        below: Box<Choice>,
        /// Above it.
        above: Box<Choice>,
    },
}

/// A text that is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{file}:{line}: {problem}; mend the line, or write the model again with `browserlens router train --out {file}`"
)]
pub struct ModelError {
    /// The file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// A router that asks its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRouter {
    root: Choice,
}

impl TreeRouter {
    /// Makes a router of a tree.
    pub fn new(root: Choice) -> Self {
        Self { root }
    }

    /// Returns the bundled model.
    pub fn bundled() -> Self {
        Self::parse(BUNDLED, "bundled.model").expect("a test parses the bundled model")
    }

    /// Reads a model; `file` is only for messages.
    ///
    /// # Errors
    /// [`ModelError`] naming the line and what was expected there.
    pub fn parse(text: &str, file: &str) -> Result<Self, ModelError> {
        let lines = text.lines().enumerate().map(|(at, line)| {
            let said = line.split_once('#').map_or(line, |(said, _)| said).trim_end();
            let note = line.split_once('#').map_or("", |(_, note)| note).trim();
            Line { number: at + 1, indent: said.len() - said.trim_start().len(), said: said.trim_start(), note }
        });
        let lines: Vec<Line<'_>> = lines.filter(|line| !line.said.is_empty()).collect();
        let end = text.lines().count().max(1);
        let mut parser = Parser { lines: &lines, at: 0, end, file };
        match parser.next() {
            Some(first) if first.said == FIRST_LINE => {}
            Some(first) if first.said.starts_with("browserlens-router ") => {
                return Err(
                    parser.wrong(first.number, format!("{:?} is another version: expected {FIRST_LINE:?}", first.said))
                );
            }
            found => {
                return Err(
                    parser.wrong(found.map_or(end, |line| line.number), format!("expected {FIRST_LINE:?} first"))
                );
            }
        }
        let root = parser.node(0)?;
        match parser.next() {
            None => Ok(Self { root }),
            Some(line) => Err(parser.wrong(line.number, format!("{:?} stands after the end of the tree", line.said))),
        }
    }

    /// Writes the model; `notes` are lines for people above the tree.
    pub fn to_text(&self, notes: &[String]) -> String {
        let mut out = format!("{FIRST_LINE}\n");
        for note in notes {
            for line in note.lines() {
                let _ = writeln!(out, "# {line}");
            }
        }
        write_node(&mut out, &self.root, 0);
        out
    }

    /// Returns the tree.
    pub fn root(&self) -> &Choice {
        &self.root
    }
}

impl Router for TreeRouter {
    fn route(&self, signals: &Signals, _shown: Option<Representation>) -> Result<Route, RouteError> {
        let mut node = &self.root;
        let mut reason = String::from("learned");
        loop {
            match node {
                Choice::Leaf { representation, .. } => return Ok(Route::new(*representation, reason)),
                Choice::Split { feature, at, below, above } => {
                    let (name, value) = FEATURES.get(*feature).map_or(("", 0.0), |(name, read)| (*name, read(signals)));
                    let is_below = value <= *at;
                    let _ = write!(reason, ", {name} {} {at}", if is_below { "≤" } else { ">" });
                    node = if is_below { below } else { above };
                }
            }
        }
    }
}

fn write_node(out: &mut String, node: &Choice, depth: usize) {
    let indent = "  ".repeat(depth);
    match node {
        Choice::Leaf { representation, note } => {
            let note: String = note.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let note = if note.trim().is_empty() { String::new() } else { format!("  # {}", note.trim()) };
            let _ = writeln!(out, "{indent}{}{note}", representation.name());
        }
        Choice::Split { feature, at, below, above } => {
            let name = FEATURES.get(*feature).map_or("", |(name, _)| name);
            let _ = writeln!(out, "{indent}if {name} <= {at}");
            write_node(out, below, depth + 1);
            let _ = writeln!(out, "{indent}else");
            write_node(out, above, depth + 1);
        }
    }
}

#[derive(Clone, Copy)]
struct Line<'t> {
    number: usize,
    indent: usize,
    said: &'t str,
    note: &'t str,
}

struct Parser<'t> {
    lines: &'t [Line<'t>],
    at: usize,
    end: usize,
    file: &'t str,
}

impl<'t> Parser<'t> {
    fn next(&mut self) -> Option<Line<'t>> {
        let line = self.lines.get(self.at).copied();
        self.at += usize::from(line.is_some());
        line
    }

    fn wrong(&self, line: usize, problem: String) -> ModelError {
        ModelError { file: self.file.to_owned(), line, problem }
    }

    /// Takes the next line, which stands `depth` levels deep.
    fn expect(&mut self, depth: usize, what: &str) -> Result<Line<'t>, ModelError> {
        let Some(line) = self.next() else {
            return Err(self.wrong(self.end, format!("the model ends where {what} should follow")));
        };
        if line.indent != 2 * depth {
            let problem =
                format!("expected {what} after {} spaces, found {:?} after {}", 2 * depth, line.said, line.indent);
            return Err(self.wrong(line.number, problem));
        }
        Ok(line)
    }

    fn node(&mut self, depth: usize) -> Result<Choice, ModelError> {
        let line = self.expect(depth, "a representation or a question")?;
        if depth >= DEEPEST {
            return Err(self.wrong(line.number, format!("the tree is more than {DEEPEST} levels deep")));
        }
        let Some(question) = line.said.strip_prefix("if ") else {
            let representation = Representation::from_name(line.said).ok_or_else(|| {
                let known = Representation::ALL.map(Representation::name).join(", ");
                self.wrong(line.number, format!("{:?} is no representation: known are {known}", line.said))
            })?;
            return Ok(Choice::Leaf { representation, note: line.note.to_owned() });
        };
        let Some((name, edge)) = question.split_once(" <= ") else {
            return Err(
                self.wrong(line.number, format!("{:?} is no question: expected `if SIGNAL <= NUMBER`", line.said))
            );
        };
        let feature = FEATURES.iter().position(|(known, _)| *known == name.trim()).ok_or_else(|| {
            let known: Vec<&str> = FEATURES.iter().map(|(known, _)| *known).collect();
            self.wrong(line.number, format!("{:?} is no signal: known are {}", name.trim(), known.join(", ")))
        })?;
        let at = edge.trim().parse::<f32>().ok().filter(|at| at.is_finite());
        let at = at.ok_or_else(|| self.wrong(line.number, format!("{:?} is no number", edge.trim())))?;
        let below = Box::new(self.node(depth + 1)?);
        let other = self.expect(depth, "`else`")?;
        if other.said != "else" {
            return Err(self.wrong(other.number, format!("expected `else`, found {:?}", other.said)));
        }
        Ok(Choice::Split { feature, at, below, above: Box::new(self.node(depth + 1)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MODEL: &str = "browserlens-router 1\n# by hand\nif canvas_share <= 0.25\n  if open_coverage <= 0.5\n    dom  # 4 of 4\n  else\n    a11y\nelse\n  hybrid\n";

    fn error(text: &str) -> ModelError {
        TreeRouter::parse(text, "my.model").expect_err("no model")
    }

    #[test]
    fn a_model_answers_as_it_reads_at_each_edge() {
        let router = TreeRouter::parse(MODEL, "my.model").expect("a model");
        let route = |canvas_share, open_coverage| {
            let signals = Signals { canvas_share, open_coverage, ..Signals::default() };
            router.route(&signals, None).expect("no optional signal is read")
        };
        assert_eq!(route(0.25, 0.5).representation, Representation::Dom);
        assert_eq!(route(0.25, 0.51).representation, Representation::A11y);
        assert_eq!(route(0.26, 0.0).representation, Representation::Hybrid);
        assert_eq!(route(0.0, 0.9).reason, "learned, canvas_share ≤ 0.25, open_coverage > 0.5");
    }

    #[test]
    fn a_damaged_model_names_file_line_and_remedy() {
        for (text, line, problem) in [
            ("", 1, "expected \"browserlens-router 1\" first"),
            ("a11y\n", 1, "expected \"browserlens-router 1\" first"),
            ("browserlens-router 2\na11y\n", 1, "another version"),
            ("browserlens-router 1\n", 1, "the model ends"),
            ("browserlens-router 1\npdf\n", 2, "\"pdf\" is no representation"),
            ("browserlens-router 1\nif colour <= 1\n", 2, "\"colour\" is no signal"),
            ("browserlens-router 1\nif node_count < 1\n", 2, "is no question"),
            ("browserlens-router 1\nif node_count <= many\n", 2, "\"many\" is no number"),
            ("browserlens-router 1\nif node_count <= NaN\n", 2, "\"NaN\" is no number"),
            ("browserlens-router 1\nif node_count <= 1\n  a11y\n", 3, "the model ends where `else`"),
            ("browserlens-router 1\nif node_count <= 1\n  a11y\ndom\n", 4, "expected `else`"),
            ("browserlens-router 1\nif node_count <= 1\na11y\nelse\n  dom\n", 3, "after 2 spaces"),
            ("browserlens-router 1\na11y\n\n# note\ndom\n", 5, "stands after the end"),
        ] {
            let error = error(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.problem.contains(problem), "{text:?}: {error}");
            let said = error.to_string();
            assert!(
                said.starts_with(&format!("my.model:{line}: ")) && said.contains("router train --out my.model"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_tree_too_deep_for_its_reader_is_an_error_and_no_crash() {
        let mut text = String::from("browserlens-router 1\n");
        for depth in 0..100_000 {
            let _ = writeln!(text, "{}if node_count <= 1", " ".repeat(2 * depth.min(40)));
        }
        assert!(error(&text).problem.contains("levels deep"));
    }

    #[test]
    fn the_bundled_model_is_whole_and_says_how_little_it_is_made_of() {
        let router = TreeRouter::bundled();
        assert!(router.route(&Signals::default(), None).is_ok());
        assert!(BUNDLED.contains("n ="), "{BUNDLED}");
    }

    fn tree() -> impl Strategy<Value = Choice> {
        let leaf = (0..4_usize, "[a-z0-9 ]{0,12}").prop_map(|(at, note)| Choice::Leaf {
            representation: Representation::ALL[at],
            note: note.trim().to_owned(),
        });
        leaf.prop_recursive(6, 64, 2, |inner| {
            let edge = any::<f32>().prop_filter("finite", |at| at.is_finite());
            (0..FEATURES.len(), edge, inner.clone(), inner).prop_map(|(feature, at, below, above)| Choice::Split {
                feature,
                at,
                below: Box::new(below),
                above: Box::new(above),
            })
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_as_the_same_tree(root in tree(), note in "[ -~]{0,40}") {
            let router = TreeRouter::new(root);
            let read = TreeRouter::parse(&router.to_text(&[note]), "a");
            prop_assert_eq!(read, Ok(router));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "(browserlens-router 1\n)?([ ]{0,6}(if |else|dom|a11y|node_count|<=|1|#|\n|[ -~]){0,6}\n){0,8}") {
            let _ = TreeRouter::parse(&text, "a");
        }
    }
}
