//! Content against what Chromium rendered, on every document of every bundled trace.
//!
//! The measure is `innerText` of each frame's body as the browser gave it at the capture, word by
//! word, in order. Where it differs from what a person sees, the difference is taken from the page
//! itself, as a bag of words: text that is transparent, clipped or out of reach and options of a
//! closed select are in `innerText` and are not seen; shadow trees, pseudo-elements and values of
//! fields are seen and are not in it.

use browserlens_core::page::{Flags, FrameId, NodeId, NodeKind, NodeRef, Page, Visibility};
use browserlens_core::strategy::StepIndex;
use browserlens_snapshot::content::{self, ContentOptions, Section};
use browserlens_snapshot::markdown;
use browserlens_trace::Trace;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the traces are there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "trace"))
        .collect();
    found.sort();
    found
}

/// Words with a letter or digit, without the characters that nobody sees.
fn words(text: &str) -> Vec<String> {
    let is_seen = |c: &char| {
        c.is_whitespace()
            || !(c.is_control()
                || matches!(c,
                    '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
                || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e0fff}'))
    };
    let text: String = text.chars().filter(is_seen).collect();
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).map(str::to_owned).collect()
}

fn path(node: NodeRef<'_>) -> String {
    format!("/{}", node.tag())
}

/// Words as a bag.
#[derive(Default)]
struct Bag(HashMap<String, usize>);

impl Bag {
    fn add(&mut self, text: &str) {
        for word in words(text) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// Takes a word out, if it is in.
    fn take(&mut self, word: &str) -> bool {
        match self.0.get_mut(word) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// What `innerText` says of a frame that nobody sees, and what is seen that it does not say.
fn differences(page: &Page, frame: FrameId) -> (Bag, Bag) {
    let (mut unseen, mut untold) = (Bag::default(), Bag::default());
    for node in page.nodes().filter(|node| node.frame() == frame) {
        let shadow = node.flags().any(Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW))
            || node.ancestors().any(|above| {
                above.flags().any(Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW)) && above.tag() != "slot"
            });
        match node.kind() {
            NodeKind::Text if node.ancestors().any(|above| above.tag() == "option") => unseen.add(node.text()),
            NodeKind::Text => match node.visibility() {
                Visibility::Visible if shadow => untold.add(node.text()),
                Visibility::Visible | Visibility::NotRendered | Visibility::Hidden => {}
                _ => unseen.add(node.text()),
            },
            NodeKind::Pseudo if node.is_visible() && node.tag() != "::marker" => untold.add(node.text()),
            NodeKind::Element
                if matches!(node.tag(), "input" | "select" | "textarea")
                    && !matches!(node.attribute("type"), Some("range" | "color"))
                    && node.is_visible() =>
            {
                let placeholder = node.attribute("placeholder").unwrap_or_default();
                let kind = node.attribute("type").unwrap_or_default();
                let label = if matches!(kind, "submit" | "button" | "reset") { node.attribute("value") } else { None };
                let label = label.unwrap_or_default();
                untold.add(if !node.value().is_empty() {
                    node.value()
                } else if !placeholder.is_empty() {
                    placeholder
                } else {
                    label
                });
            }
            _ => {}
        }
    }
    (unseen, untold)
}

#[derive(Default)]
struct Score {
    documents: usize,
    words: usize,
    missing: usize,
    extra: usize,
    /// Words of `innerText` that stand in two boxes with a gap between them, and are two words
    /// here.
    split: usize,
    examples: Vec<String>,
}

/// Returns whether the new words are the old ones with more ends between them, and none fewer.
fn is_split(old: &[String], new: &[String]) -> bool {
    let mut new = new.iter();
    for word in old {
        let mut rest = word.as_str();
        while !rest.is_empty() {
            match new.next().and_then(|part| rest.strip_prefix(part.as_str())) {
                Some(after) => rest = after,
                None => return false,
            }
        }
    }
    !old.is_empty() && new.next().is_none()
}

fn measure(page: &Page, sections: &[(Section, String)], name: &str, score: &mut Score) {
    for (number, frame) in page.frames().iter().enumerate() {
        let frame_id = FrameId(number as u16);
        let said: String = sections
            .iter()
            .filter(|(section, _)| page.node(section.node).frame() == frame_id)
            .map(|(_, text)| text.as_str())
            .collect();
        let (rendered, said) = (words(&frame.rendered_text), words(&said));
        let (mut unseen, mut untold) = differences(page, frame_id);
        score.documents += 1;
        let mut missed = Vec::new();
        let mut added = Vec::new();
        for op in similar::capture_diff_slices(similar::Algorithm::Myers, &rendered, &said) {
            let (old, new) = (&rendered[op.old_range()], &said[op.new_range()]);
            if old != new && is_split(old, new) {
                score.split += old.len();
            } else if old != new {
                missed.extend(rendered[op.old_range()].iter().filter(|word| !unseen.take(word)));
                added.extend(said[op.new_range()].iter().filter(|word| !untold.take(word)));
            }
        }
        let seen = rendered.len();
        score.words += seen;
        score.missing += missed.len();
        score.extra += added.len();
        // Whatever innerText says: what is seen beside it is told.
        let mut told = Bag::default();
        told.add(&said.join(" "));
        let (_, beside) = differences(page, frame_id);
        for (word, count) in beside.0 {
            let lacking = (0..count).filter(|_| !told.take(&word)).count();
            score.words += count;
            score.missing += lacking;
            if lacking > 0 {
                score.examples.push(format!("{name} frame {number}: {word:?} is seen and not told"));
            }
        }
        if !missed.is_empty() || !added.is_empty() {
            score.examples.push(format!("{name} frame {number}: missing {missed:?}, extra {added:?}"));
        }
    }
}

/// Bar: content keeps at least 99.5 % of the words that a person sees, in order, and adds none.
#[test]
fn content_keeps_the_words_that_a_person_sees_in_order_and_no_others() {
    let mut scores: Vec<(String, Score)> = Vec::new();
    for path_of_trace in traces() {
        let trace = Trace::open(&path_of_trace).expect("opens");
        let stem = path_of_trace.file_stem().expect("a name").to_string_lossy().into_owned();
        let site = stem.split('-').next().unwrap_or_default().to_owned();
        if scores.last().is_none_or(|(known, _)| *known != site) {
            scores.push((site, Score::default()));
        }
        for step in 0..trace.len() {
            let (page, _) = trace.page(StepIndex(step)).expect("a page");
            let sections = content::sections(&page, &[NodeId::ROOT], &ContentOptions::default(), path);
            let text = |section: &Section| section.blocks.iter().map(markdown::Block::plain_text).collect();
            let sections: Vec<(Section, String)> =
                sections.into_iter().map(|section| (section.clone(), text(&section))).collect();
            let score = &mut scores.last_mut().expect("a site").1;
            measure(&page, &sections, &format!("{stem} step {step}"), score);
        }
    }
    println!(
        "{:10} {:>9} {:>8} {:>8} {:>6} {:>6} {:>9}",
        "site", "documents", "words", "missing", "extra", "split", "recall"
    );
    let mut worst = 1.0_f64;
    let mut extra = 0;
    for (site, score) in &scores {
        let recall = 1.0 - score.missing as f64 / score.words.max(1) as f64;
        println!(
            "{site:10} {:>9} {:>8} {:>8} {:>6} {:>6} {recall:>9.5}",
            score.documents, score.words, score.missing, score.extra, score.split
        );
        worst = worst.min(recall);
        extra += score.extra;
    }
    for example in scores.iter().flat_map(|(_, score)| score.examples.iter().take(6)) {
        println!("{}", example.chars().take(600).collect::<String>());
    }
    assert!(worst >= 0.995, "a site keeps only {worst:.5} of its words");
    assert_eq!(extra, 0, "words that nobody sees");
}
