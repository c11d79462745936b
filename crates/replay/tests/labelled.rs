//! The reader against labels that were decided by reading the texts: what a careful agent would
//! find, read and believe.
//!
//! In: `labelled/<format>/*.toml`, each a run of texts with cases. Out: no wrong answer. And: no
//! reader panics on mutilated texts, in its own format or another's, nor on deep nesting with a
//! small stack.

use browserlens_core::strategy::{NodeHint, ObservationKind, TextFormat};
use browserlens_replay::reader::{Reader, find, formats};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    #[expect(dead_code, reason = "for whoever reads the file")]
    why: String,
    step: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    kind: Kind,
    text: String,
    #[serde(default)]
    case: Vec<Case>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Full,
    Delta,
    Answer,
}

impl Kind {
    fn observed(self) -> ObservationKind {
        match self {
            Self::Full => ObservationKind::Full { reason: String::new() },
            Self::Delta => ObservationKind::Delta,
            Self::Answer => ObservationKind::Answer,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(default)]
    #[expect(dead_code, reason = "for whoever reads the file")]
    why: String,
    /// The node that the next action needs.
    intent: NodeHint,
    /// Its handle, `no handle`, `several` or `not found`.
    choice: String,
    /// Facts that can be read.
    #[serde(default)]
    reads: Vec<String>,
    /// Facts that cannot.
    #[serde(default)]
    misses: Vec<String>,
    #[serde(default)]
    states: Vec<State>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    on: NodeHint,
    state: Option<String>,
    value: Option<String>,
    /// `right`, `wrong` or `missing`.
    shown: String,
}

fn load() -> Vec<(TextFormat, String, Labelled)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled");
    let mut all = Vec::new();
    for format in formats() {
        let mut files: Vec<_> = std::fs::read_dir(root.join(format.as_str()))
            .expect("every format has a folder")
            .map(|entry| entry.expect("the folder can be read").path())
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a labelled file can be read");
            let labelled = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            all.push((format.clone(), name, labelled));
        }
    }
    all
}

/// Returns what the reader says that differs from the labels.
fn wrong_answers(reader: &Reader, case: &Case) -> Vec<String> {
    let reading = reader.reading();
    let mut wrong = Vec::new();
    let found = find(reading, &case.intent);
    let choice = match found.candidates[..] {
        [] => "not found",
        [index] => reading.nodes[index].handle.as_deref().unwrap_or("no handle"),
        _ => "several",
    };
    if choice != case.choice {
        wrong.push(format!("chooses {choice:?}, labelled {:?}", case.choice));
    }
    let haystack = reading.haystack();
    wrong.extend(case.reads.iter().filter(|fact| !haystack.holds(fact)).map(|fact| format!("does not read {fact:?}")));
    wrong.extend(case.misses.iter().filter(|fact| haystack.holds(fact)).map(|fact| format!("reads {fact:?}")));
    for state in &case.states {
        let found = find(reading, &state.on);
        let node = found.choice().filter(|_| found.is_single()).map(|index| &reading.nodes[index]);
        let shown = match (&state.state, &state.value) {
            (Some(word), None) => node.and_then(|node| reading.shows_state(node, word)),
            (None, Some(value)) => node.and_then(|node| reading.shows_value(node, value)),
            _ => panic!("a state has either a word or a value"),
        };
        let shown = shown.map_or("missing", |right| if right { "right" } else { "wrong" });
        if shown != state.shown {
            wrong.push(format!(
                "{} {:?}: {:?} is shown {shown}, labelled {}",
                state.on.role,
                state.on.name,
                state.state.as_ref().or(state.value.as_ref()),
                state.shown
            ));
        }
    }
    wrong
}

#[test]
fn the_reader_answers_as_labelled() {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (format, name, labelled) in load() {
        let mut reader = Reader::new(&format);
        for (number, step) in labelled.step.iter().enumerate() {
            reader.read(&step.text, &step.kind.observed());
            for case in &step.case {
                *counts.entry(format.as_str().to_owned()).or_default() += 1;
                for answer in wrong_answers(&reader, case) {
                    wrong.push(format!(
                        "{}/{name} step {number}, {} {:?}: {answer}",
                        format.as_str(),
                        case.intent.role,
                        case.intent.name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    assert!(counts.values().sum::<usize>() >= 100, "{counts:?}");
}

/// Cuts, doubles and swaps lines, and cuts characters.
fn mutilated(text: &str, cuts: &[(u8, u16, u16)]) -> String {
    let mut text = text.to_owned();
    for (kind, first, second) in cuts {
        let mut lines: Vec<&str> = text.lines().collect();
        let (first, second) = (usize::from(*first), usize::from(*second));
        text = if lines.is_empty() {
            String::new()
        } else {
            let (one, other) = (first % lines.len(), second % lines.len());
            match kind {
                0 => {
                    lines.remove(one);
                    lines.join("\n")
                }
                1 => {
                    lines.swap(one, other);
                    lines.join("\n")
                }
                2 => {
                    lines.insert(one, lines[other]);
                    lines.join("\n")
                }
                3 => {
                    let at = text.floor_char_boundary(first % text.len().max(1));
                    text[..at].to_owned()
                }
                _ => {
                    let from = text.floor_char_boundary(first % text.len().max(1));
                    let to = text.ceil_char_boundary(text.len().min(from + second % 9));
                    format!("{}{}", &text[..from], &text[to..])
                }
            }
        };
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_reader_panics_on_mutilated_texts(
        file in any::<prop::sample::Index>(),
        reader in 0..=formats().count(),
        cuts in prop::collection::vec((0u8..5, any::<u16>(), any::<u16>()), 1..8),
    ) {
        let all = load();
        let (format, _, labelled) = file.get(&all);
        // One number more than there are formats: the text's own.
        let mut reader = Reader::new(&formats().nth(reader).unwrap_or_else(|| format.clone()));
        for step in &labelled.step {
            reader.read(&mutilated(&step.text, &cuts), &step.kind.observed());
            let reading = reader.reading();
            reading.haystack().holds("Order 1");
            for index in 0..reading.nodes.len() {
                prop_assert!(reading.path(index).count() <= reading.nodes.len());
            }
            for case in &step.case {
                find(reading, &case.intent);
            }
        }
    }
}

#[test]
fn ten_thousand_levels_fit_a_small_stack() {
    let deep = |unit: &str, line: &str| -> String {
        (0..10_000).map(|depth| format!("{}{line}\n", unit.repeat(depth))).collect()
    };
    let texts = [
        (TextFormat::named("playwright-aria"), deep(" ", "- link \"a\" [ref=e1]:")),
        (TextFormat::named("playwright-incremental"), deep(" ", "- link \"a\" [ref=e1]:")),
        (TextFormat::named("playwright-incremental"), deep("", "- <changed> link \"a\" [ref=e1]:")),
        (TextFormat::named("browser-use"), deep("\t", "[1]<a />")),
        (TextFormat::named("agent-browser"), deep(" ", "- link \"a\" [ref=e1]")),
        (TextFormat::named("agent-browser-delta"), deep(" ", "- link \"a\" [ref=e1]")),
        (TextFormat::named("agent-browser-delta"), "{\"a\":".repeat(10_000)),
        (TextFormat::named("chrome-devtools"), deep(" ", "uid=1_1 link \"a\"")),
        (TextFormat::named("stagehand"), deep(" ", "[1-1] link: a")),
        (TextFormat::named("browser-gym"), deep("\t", "[1] link 'a'")),
        (TextFormat::MARKDOWN, format!("{}{}", "> ".repeat(10_000), "[![".repeat(10_000))),
        (TextFormat::HTML, "<div id=a><a>".repeat(10_000)),
        (TextFormat::AX_JSON, "{\"nodes\":[".repeat(10_000)),
        (TextFormat::PLAIN, deep(" ", "a")),
    ];
    let read = move || {
        for (format, text) in texts {
            let mut reader = Reader::new(&format);
            reader.read(&text, &ObservationKind::Full { reason: String::new() });
            find(reader.reading(), &NodeHint { role: "link".into(), name: "a".into(), ..NodeHint::default() });
            reader.reading().haystack().holds("a");
        }
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(read)
        .expect("a thread starts")
        .join()
        .expect("nothing overflows");
}
