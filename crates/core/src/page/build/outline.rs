//! Pages from indented outlines: a line a node, for tests and examples.

use super::{NodeSpec, PageBuilder};
use crate::page::node::{BoxInDocument, Clickability, Flags, States, Visibility};
use crate::page::tree::Page;

fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut escaped = false;
    for c in line.chars() {
        match c {
            _ if escaped => {
                word.push(if c == 'n' { '\n' } else { c });
                escaped = false;
            }
            '\\' if quoted => escaped = true,
            '"' => {
                quoted = !quoted;
                word.push('"');
            }
            ' ' if !quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn unquote(word: &str) -> &str {
    word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(word)
}

fn spec_of<'a>(words: &'a [String], line: &str) -> NodeSpec<'a> {
    let role = words.first().map_or("", String::as_str);
    let rest = words.get(1..).unwrap_or(&[]);
    let (name, rest) = match rest.first() {
        Some(word) if word.starts_with('"') => (unquote(word), &rest[1..]),
        _ => ("", rest),
    };
    let mut spec = match role {
        "text" => NodeSpec::text_node(name),
        "generic" => NodeSpec { role: "generic", name, ..NodeSpec::default() },
        _ => NodeSpec::with_role(role, name),
    };
    for word in rest {
        let on = |spec: &mut NodeSpec<'_>, states: States| spec.states = spec.states.with(states);
        match word.as_str() {
            "disabled" => on(&mut spec, States::DISABLED),
            "checked" => on(&mut spec, States::CHECKABLE.with(States::CHECKED)),
            "unchecked" => on(&mut spec, States::CHECKABLE),
            "mixed" => on(&mut spec, States::CHECKABLE.with(States::CHECKED_MIXED)),
            "expanded" => on(&mut spec, States::EXPANDABLE.with(States::EXPANDED)),
            "collapsed" => on(&mut spec, States::EXPANDABLE),
            "selected" => on(&mut spec, States::SELECTABLE.with(States::SELECTED)),
            "unselected" => on(&mut spec, States::SELECTABLE),
            "pressed" => on(&mut spec, States::PRESSABLE.with(States::PRESSED)),
            "unpressed" => on(&mut spec, States::PRESSABLE),
            "required" => on(&mut spec, States::REQUIRED),
            "invalid" => on(&mut spec, States::INVALID),
            "readonly" => on(&mut spec, States::READONLY),
            "focused" => on(&mut spec, States::FOCUSED.with(States::FOCUSABLE)),
            "modal" => on(&mut spec, States::MODAL),
            "polite" => on(&mut spec, States::LIVE_POLITE),
            "assertive" => on(&mut spec, States::LIVE_ASSERTIVE),
            "hidden" => spec.visibility = Visibility::NotRendered,
            "offscreen" => spec.flags.set(Flags::IN_VIEWPORT, false),
            "covered" => spec.flags.set(Flags::COVERED, true),
            "canvas" => spec.flags.set(Flags::CANVAS, true),
            "secret" => spec.flags.set(Flags::SECRET, true),
            "block" => spec.flags.set(Flags::BLOCK, true),
            "clickable" => spec.clickability = spec.clickability.with(Clickability::LISTENER),
            _ => {
                if let Some(id) = word.strip_prefix('#') {
                    spec.backend = id.parse().unwrap_or_else(|_| panic!("{word:?} in {line:?} is not a node id"));
                    continue;
                }
                let (key, value) =
                    word.split_once('=').unwrap_or_else(|| panic!("unknown word {word:?} in outline line {line:?}"));
                let value = unquote(value);
                match key {
                    "level" => spec.level = value.parse().unwrap_or_else(|_| panic!("bad level in {line:?}")),
                    "value" => spec.value = value,
                    "desc" => spec.description = value,
                    "tag" => spec.tag = value,
                    "box" => {
                        let numbers: Vec<f32> = value.split(',').filter_map(|part| part.parse().ok()).collect();
                        let [x, y, width, height] = numbers[..] else { panic!("bad box in {line:?}") };
                        spec.bounds = BoxInDocument { x, y, width, height };
                    }
                    // `@value` is the attribute, where `value` is what a field holds.
                    _ => spec.attributes.push((key.trim_start_matches('@'), value)),
                }
            }
        }
    }
    spec
}

impl PageBuilder {
    /// Builds a page from an indented outline, for tests.
    ///
    /// One node a line, two blanks a level: `role "name" word…`. Role `text` makes a text node. Words: a state
    /// (`disabled checked unchecked mixed expanded collapsed selected unselected pressed unpressed required invalid
    /// readonly focused modal alert polite`), `hidden`, `offscreen`, `covered`, `canvas`, `clickable`, `block`,
    /// `secret`, `#12` (backend node id), `level=2`, `value="…"`, `desc="…"`, `tag=div`, `box=x,y,w,h`, or any other
    /// `name="…"` as an attribute.
    ///
    /// # Panics
    /// On an outline that is not of this form: it is meant for tests, where the outline is a
    /// literal.
    pub fn outline(outline: &str) -> Page {
        let mut builder = Self::new("https://test.test/", "Test");
        builder.add_outline(outline);
        builder.finish()
    }

    /// Adds the nodes of an [`PageBuilder::outline`] below the open node.
    ///
    /// # Panics
    /// On an outline that is not of that form.
    pub fn add_outline(&mut self, outline: &str) -> &mut Self {
        let lines: Vec<&str> = outline.lines().filter(|line| !line.trim().is_empty()).collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let base = lines.first().map_or(0, |line| indent(line));
        let floor = self.open.len();
        for line in lines {
            let depth = floor + (indent(line) - base) / 2;
            assert!(depth <= self.open.len(), "outline line {line:?} is indented too far");
            self.close_to(depth);
            let words = split_words(line.trim());
            self.open(spec_of(&words, line));
        }
        self.close_to(floor);
        self
    }
}
