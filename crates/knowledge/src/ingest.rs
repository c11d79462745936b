//! Knowledge from written text: documentation, API documentation, transcripts.
//!
//! In: a text with a name. Out: screens and tasks added to a [`Knowledge`]: a screen for each
//! section, and a task for each list of steps. Invariants: a section is a screen of a website only
//! if it names a URL of it, and then its signature holds nothing but names in quotation marks;
//! everything else is kept for reference and never navigated to; what came from a text says so,
//! with the line.
//!
//! Why a URL is asked for, where words of an interface were enough before: prose about buttons has
//! no place to go to, and without a pattern no browser state can match.

use crate::classify;
use crate::extract::ids;
use crate::extract::nodes::one_line;
use crate::extract::signature::is_indicator_text;
use crate::extract::urls::patterns_in_text;
use crate::extract::view::ElementKind;
use crate::gaps::meant::Recorded;
use crate::model::{
    ContentType, Indicator, Knowledge, Metadata, Provenance, ScreenDefinition, ScreenId, StateSignature,
    TaskDefinition, TaskId, TaskStep, WebsiteId,
};
use crate::purpose::fill_purposes;
use crate::quoted::quoted;
use crate::written;
use browserlens_core::page::text::folded;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};

/// How sure something is that was only read.
const CONFIDENCE_OF_TEXT: f64 = 0.6;
/// Sections of a text that are taken at most.
const MAX_SECTIONS: usize = 5_000;
/// Characters of a section that are kept.
const MAX_CHARS: usize = 2_000;
/// Indicators that a section gives at most.
const MAX_INDICATORS: usize = 12;

/// A text and what it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Name, such as that of its file.
    pub name: String,
    /// The website it describes.
    pub website_id: WebsiteId,
    /// The text, plain or Markdown.
    pub text: String,
    /// What kind of text it is; none finds out.
    pub content_type: Option<ContentType>,
}

/// What came of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ingested {
    /// What kind of text it is.
    pub content_type: ContentType,
    /// Ids of its screens, in order.
    pub screens: Vec<ScreenId>,
    /// Ids of its tasks, in order.
    pub tasks: Vec<TaskId>,
    /// Lines of its tasks that say nothing to do, or by no verb that is known: number and text.
    pub not_taken: Vec<(u32, String)>,
}

/// Adds a text to knowledge; the same text twice changes nothing.
pub fn ingest(knowledge: &mut Knowledge, document: &Document) -> Ingested {
    let content_type = document.content_type.unwrap_or_else(|| content_type_of(&document.text));
    let mut ingested = Ingested { content_type, screens: Vec::new(), tasks: Vec::new(), not_taken: Vec::new() };
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let recorded = Recorded::of(knowledge, &document.website_id);
    let read = |section: &Section| -> Vec<Option<TaskStep>> {
        section.steps.iter().map(|(text, line)| step(&recorded, document, text, *line)).collect()
    };
    let sections: Vec<_> = sections(document).into_iter().map(|section| (read(&section), section)).collect();
    for (steps, section) in sections {
        let nth = times.entry(section.title.clone()).or_default();
        *nth += 1;
        let key = [document.website_id.as_str(), &document.name, &section.title, &nth.to_string()];
        let screen = screen(knowledge, document, &section, content_type, ids::id(&section.title, &key));
        ingested.screens.push(screen.screen_id.clone());
        knowledge.screens.insert(screen.screen_id.clone(), screen);
        let lines = section.steps.iter().zip(&steps).filter(|(_, step)| step.is_none());
        let not_taken: Vec<(u32, String)> = lines.map(|((text, line), _)| (*line, one_line(text))).collect();
        if let Some(task) = task(knowledge, document, &section, steps, ids::id(&section.title, &key)) {
            ingested.not_taken.extend(not_taken);
            ingested.tasks.push(task.task_id.clone());
            knowledge.tasks.insert(task.task_id.clone(), task);
        }
    }
    fill_purposes(knowledge);
    ingested
}

/// Says what kind of text it is, by what stands in it.
pub fn content_type_of(text: &str) -> ContentType {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return ContentType::Documentation;
    }
    let share = |test: &dyn Fn(&str) -> bool| lines.iter().filter(|line| test(line)).count() * 100 / lines.len();
    if lines[0].starts_with("WEBVTT") || share(&has_timestamp) >= 20 || share(&is_speech) >= 50 {
        return ContentType::VideoTranscript;
    }
    let endpoints = lines.iter().filter(|line| names_endpoint(line)).count();
    let is_specification = lines.iter().take(5).any(|line| {
        let line = line.trim_start_matches(['{', '"', ' ']).to_ascii_lowercase();
        line.starts_with("openapi") || line.starts_with("swagger")
    });
    if is_specification || endpoints >= 2 || (endpoints == 1 && lines.len() <= 40) {
        return ContentType::ApiDocs;
    }
    ContentType::Documentation
}

/// Lines such as `00:01:23,500 --> 00:01:25,000`, `[02:14] Now we click` and `2:14 Now we click`.
fn has_timestamp(line: &str) -> bool {
    let start = line.trim_start_matches(['[', '(']);
    let time = start.split(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ',')).next().unwrap_or_default();
    let parts: Vec<&str> = time.split(':').collect();
    matches!(parts.len(), 2 | 3) && parts.iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

/// Lines such as `Agent: how can I help?`.
fn is_speech(line: &str) -> bool {
    let Some((who, said)) = line.split_once(": ") else { return false };
    let words = who.split_whitespace().count();
    (1..=3).contains(&words)
        && said.split_whitespace().count() >= 3
        && who.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-'))
}

/// Lines such as `GET /v1/orders/{id}`.
fn names_endpoint(line: &str) -> bool {
    const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let mut words =
        line.split(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '|' | '#')).filter(|word| !word.is_empty());
    let path = words.find(|word| METHODS.contains(word)).and_then(|_| words.next());
    path.is_some_and(|path| path.starts_with(['/', '{']) || path.starts_with("http"))
}

/// One section of a text.
#[derive(Debug, Default)]
struct Section {
    title: String,
    line: u32,
    text: String,
    /// Items of numbered lists, with their lines.
    steps: Vec<(String, u32)>,
}

fn sections(document: &Document) -> Vec<Section> {
    let text = document.text.as_str();
    let mut sections: Vec<Section> = vec![Section { title: document.name.clone(), line: 1, ..Section::default() }];
    // Offsets ascend, but for those of a block that ends.
    let (mut counted, mut line) = (0, 1);
    let mut ordered: Vec<bool> = Vec::new();
    let mut in_title = false;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        if let Some(passed) = text.get(counted..range.start) {
            line += passed.matches('\n').count() as u32;
            counted = range.start;
        }
        let Some(section) = sections.last_mut() else { break };
        match event {
            Event::Start(Tag::Heading { .. }) => {
                if sections.len() >= MAX_SECTIONS {
                    break;
                }
                sections.push(Section { line, ..Section::default() });
                in_title = true;
            }
            Event::End(TagEnd::Heading(_)) => {
                in_title = false;
                section.title = one_line(&section.title);
            }
            Event::Start(Tag::List(first)) => ordered.push(first.is_some()),
            Event::End(TagEnd::List(_)) => drop(ordered.pop()),
            Event::Start(Tag::Item) if ordered == [true] => section.steps.push((String::new(), line)),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock | TagEnd::TableRow) => {
                section.add("\n", false)
            }
            Event::Text(text) | Event::Code(text) if in_title => section.title.push_str(&text),
            Event::Text(text) | Event::Code(text) => section.add(&text, ordered == [true]),
            Event::Start(Tag::Link { dest_url, .. }) if !in_title => section.add(&format!("<{dest_url}> "), false),
            Event::SoftBreak | Event::HardBreak if in_title => section.title.push(' '),
            Event::SoftBreak | Event::HardBreak => section.add(" ", ordered == [true]),
            Event::End(TagEnd::TableCell) => section.add(" | ", false),
            // Markup in a text is neither read nor kept.
            _ => {}
        }
    }
    sections.retain(|section| !section.text.trim().is_empty() && !section.title.is_empty());
    sections
}

impl Section {
    fn add(&mut self, text: &str, to_step: bool) {
        if self.text.len() < 8 * MAX_CHARS {
            self.text.push_str(text);
        }
        if to_step && let Some((step, _)) = self.steps.last_mut() {
            step.push_str(text);
        }
    }
}

fn screen(
    knowledge: &Knowledge,
    document: &Document,
    section: &Section,
    kind: ContentType,
    id: String,
) -> ScreenDefinition {
    let mut url_patterns = patterns_in_text(&section.text);
    let (mut content_type, mut reasoning) = classify::of_text(&section.title, &section.text, !url_patterns.is_empty());
    if kind != ContentType::Documentation {
        content_type = kind;
        reasoning = format!("the whole text is {kind}");
    } else if content_type == ContentType::WebUi && url_patterns.is_empty() {
        content_type = ContentType::Documentation;
        reasoning.push_str(", but no URL leads there");
    }
    let is_web_ui = content_type == ContentType::WebUi;
    let mut signature = StateSignature::default();
    if is_web_ui {
        signature.required_indicators = indicators(&section.text);
        if let [only] = url_patterns.as_slice() {
            signature.required_indicators.push(Indicator::url(only));
        }
    } else {
        url_patterns.clear();
    }
    ScreenDefinition {
        screen_id: ScreenId(id),
        knowledge_id: knowledge.knowledge_id.clone(),
        website_id: document.website_id.clone(),
        name: section.title.clone(),
        description: folded(&section.text).chars().take(MAX_CHARS).collect(),
        content_type,
        is_actionable: is_web_ui,
        url_patterns,
        state_signature: signature,
        provenance: vec![Provenance::Document { name: document.name.clone(), line: section.line }],
        metadata: read(&reasoning),
        ..ScreenDefinition::default()
    }
}

/// What is said of something that was only read.
fn read(reasoning: &str) -> Metadata {
    Metadata { inferred: false, confidence: CONFIDENCE_OF_TEXT, reasoning: reasoning.to_owned() }
}

/// Words that announce the name of an element, and its kind.
const ANNOUNCED: [(&str, ElementKind); 7] = [
    ("button", ElementKind::Button),
    ("input", ElementKind::Input),
    ("field", ElementKind::Input),
    ("link", ElementKind::Link),
    ("heading", ElementKind::Heading),
    ("title", ElementKind::Heading),
    ("tab", ElementKind::Button),
];

/// Returns the elements that a text names in quotation marks near the word for their kind, such as
/// `button "Save"` and `the "Save" button`.
fn indicators(text: &str) -> Vec<Indicator> {
    let mut found: BTreeSet<(ElementKind, String)> = BTreeSet::new();
    for sentence in text.split(['\n', '.', ';']) {
        for (before, name, after) in quoted(sentence) {
            let name = one_line(name);
            if !is_indicator_text(&name) {
                continue;
            }
            let words = |text: &'_ str| -> Vec<String> {
                let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
            };
            let near = words(after).into_iter().take(2).chain(words(before).into_iter().rev().take(4));
            let kind = near.filter_map(|word| ANNOUNCED.iter().find(|(known, _)| word == *known)).next();
            found.extend(kind.map(|(_, kind)| (*kind, name)));
        }
    }
    let reason = "UI element for screen recognition";
    found.into_iter().take(MAX_INDICATORS).map(|(kind, name)| Indicator::text(name, kind.selector(), reason)).collect()
}

/// Makes a task of a numbered list of which at least two items, and half of all, say what to do.
fn task(
    knowledge: &Knowledge,
    document: &Document,
    section: &Section,
    steps: Vec<Option<TaskStep>>,
    id: String,
) -> Option<TaskDefinition> {
    let steps: Vec<TaskStep> = steps.into_iter().flatten().collect();
    if steps.len() < 2 || steps.len() * 2 < section.steps.len() {
        return None;
    }
    let steps = (0..).zip(steps).map(|(order, step)| TaskStep { order, ..step }).collect();
    Some(TaskDefinition {
        task_id: TaskId(id),
        knowledge_id: knowledge.knowledge_id.clone(),
        website_id: document.website_id.clone(),
        name: section.title.clone(),
        description: section.title.clone(),
        steps,
        provenance: vec![Provenance::Document { name: document.name.clone(), line: section.line }],
        metadata: read("a numbered list of steps"),
        ..TaskDefinition::default()
    })
}

/// Reads a line by its verb, else by something that recordings pressed.
fn step(recorded: &Recorded<'_>, document: &Document, text: &str, line: u32) -> Option<TaskStep> {
    let text = one_line(text);
    let action = written::read(&text).or_else(|| recorded.pressed_by(&text))?;
    Some(TaskStep {
        description: text,
        action,
        provenance: Some(Provenance::Document { name: document.name.clone(), line }),
        metadata: read(""),
        ..TaskStep::default()
    })
}

#[cfg(test)]
#[path = "ingest_tests.rs"]
mod tests;
