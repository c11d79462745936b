//! How well screens are recognised: knowledge of some recordings, asked about pages it was not made
//! of.
//!
//! In: recordings and a label for each step, given by people and not by the extractor. Out:
//! [`Score`]s. The right answer for a held-back page is a screen whose own pages mostly bear the
//! page's label; where no such page was seen, the right answer is none. Invariants: nothing of a
//! held-back page reaches the knowledge it is asked about; a recognition counts only above the
//! threshold.

use crate::error::KnowledgeError;
use crate::extract::{Recording, extract};
use crate::gaps::values::most_often;
use crate::model::{Knowledge, Provenance, ScreenDefinition, ScreenId};
use crate::recognise::{Recogniser, Recognition};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Labels of steps by the name of the scenario: what a person calls each screen.
pub type Labels = BTreeMap<String, Vec<String>>;

/// How pages were given to recognition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// As pages: indicators are elements.
    Page,
    /// As a URL and a text: indicators are texts.
    Summary,
}

/// What is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldBack {
    /// A whole recording: knowledge comes from the others.
    Recording,
    /// Every second step of a recording, once the even and once the odd ones; knowledge comes from
    /// the rest and from the other recordings.
    Steps,
}

/// One page that was asked about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoredPage {
    /// Name of the scenario.
    pub scenario: String,
    /// Step.
    pub step: u32,
    /// What a person calls it.
    pub label: String,
    /// Whether a page of that label was among what the knowledge is made of.
    pub known: bool,
    /// What the recognised screen is called by people; none if none was recognised.
    pub recognised: Option<String>,
    /// The screen that was recognised.
    pub screen_id: Option<ScreenId>,
    /// Its score, or the best one.
    pub confidence: f64,
    /// How a tie was broken.
    pub tie: Option<String>,
}

impl ScoredPage {
    /// Returns whether the right screen was recognised, or rightly none.
    pub fn is_right(&self) -> bool {
        match &self.recognised {
            Some(label) => *label == self.label,
            None => !self.known,
        }
    }

    /// Returns whether a wrong screen was recognised.
    pub fn is_wrong(&self) -> bool {
        self.recognised.as_ref().is_some_and(|label| *label != self.label)
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// What was held back.
    pub held_back: HeldBack,
    /// How pages were given.
    pub given: Given,
    /// Every page that was asked about.
    pub rows: Vec<ScoredPage>,
}

impl Score {
    /// Returns how many pages had a screen to be found.
    pub fn asked(&self) -> usize {
        self.rows.iter().filter(|row| row.known).count()
    }

    /// Returns the share of pages with a screen to be found that found it.
    pub fn accuracy(&self) -> f64 {
        let right = self.rows.iter().filter(|row| row.known && row.is_right()).count();
        right as f64 / self.asked().max(1) as f64
    }

    /// Returns the share of all pages, also those with nothing to be found, that were taken for a
    /// wrong screen.
    pub fn wrong(&self) -> f64 {
        self.rows.iter().filter(|row| row.is_wrong()).count() as f64 / self.rows.len().max(1) as f64
    }
}

/// Scores recognition over recordings. Whole recordings are held back where a site has several;
/// steps always.
///
/// # Errors
/// [`KnowledgeError`] if a recording has a step without label.
pub fn score(whole: &[Recording], labels: &Labels) -> Result<Vec<Score>, KnowledgeError> {
    for recording in whole {
        let given = labels.get(&recording.scenario).map_or(0, Vec::len);
        if given != recording.len() {
            return Err(KnowledgeError::Invalid {
                kind: "recording",
                id: recording.scenario.clone(),
                problem: format!("it has {} steps and {given} labels", recording.len()),
            });
        }
    }
    let mut scores = Rows::new();
    for (at, recording) in whole.iter().enumerate() {
        let others = || whole.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other.clone());
        if others().any(|other| other.website_id == recording.website_id) {
            let all: BTreeSet<u32> = recording.steps.iter().map(|seen| seen.step).collect();
            ask(others().collect(), recording, &all, labels, HeldBack::Recording, &mut scores)?;
        }
        for parity in 0..2 {
            let kept = recording.only(|step| step % 2 != parity);
            let held: BTreeSet<u32> =
                recording.steps.iter().map(|seen| seen.step).filter(|step| step % 2 == parity).collect();
            ask(others().chain([kept]).collect(), recording, &held, labels, HeldBack::Steps, &mut scores)?;
        }
    }
    Ok(told(scores))
}

/// Pages that were asked about, by what was held back and how they were given.
type Rows = BTreeMap<(HeldBack, Given), Vec<ScoredPage>>;

fn told(scores: Rows) -> Vec<Score> {
    scores.into_iter().map(|((held_back, given), rows)| Score { held_back, given, rows }).collect()
}

/// Scores recognition website by website: knowledge of one website is asked about its own pages
/// alone, which costs far less than one body of knowledge of all of them.
///
/// # Errors
/// [`KnowledgeError`] if a recording has a step without label.
pub fn score_by_website(whole: &[Recording], labels: &Labels) -> Result<Vec<Score>, KnowledgeError> {
    let mut websites: BTreeMap<&str, Vec<Recording>> = BTreeMap::new();
    for recording in whole {
        websites.entry(recording.website_id.as_str()).or_default().push(recording.clone());
    }
    let mut scores = Rows::new();
    for recordings in websites.values() {
        for found in score(recordings, labels)? {
            scores.entry((found.held_back, found.given)).or_default().extend(found.rows);
        }
    }
    Ok(told(scores))
}

fn ask(
    known: Vec<Recording>,
    recording: &Recording,
    held: &BTreeSet<u32>,
    labels: &Labels,
    held_back: HeldBack,
    scores: &mut Rows,
) -> Result<(), KnowledgeError> {
    let knowledge = extract("score", &known);
    let called = called(&knowledge, &known, labels);
    let seen_labels: BTreeSet<(&str, &str)> = known
        .iter()
        .flat_map(|other| other.steps.iter().map(move |seen| (other, seen.step)))
        .filter_map(|(other, step)| Some((other.website_id.as_str(), label(labels, &other.scenario, step)?)))
        .collect();
    let recogniser = Recogniser::new(&knowledge)?;
    for seen in recording.steps.iter().filter(|seen| held.contains(&seen.step)) {
        let Some(label) = label(labels, &recording.scenario, seen.step) else { continue };
        for given in [Given::Page, Given::Summary] {
            let found: Recognition = match given {
                Given::Page => recogniser.view(&seen.view),
                Given::Summary => recogniser.summary(&seen.view.url, &seen.view.text()),
            };
            let recognised = found.screen_id.as_ref().map(|id| called.get(id).cloned().unwrap_or_default());
            scores.entry((held_back, given)).or_default().push(ScoredPage {
                scenario: recording.scenario.clone(),
                step: seen.step,
                label: label.to_owned(),
                known: seen_labels.contains(&(recording.website_id.as_str(), label)),
                recognised,
                screen_id: found.screen_id,
                confidence: found.confidence,
                tie: found.tie,
            });
        }
    }
    Ok(())
}

fn label<'l>(labels: &'l Labels, scenario: &str, step: u32) -> Option<&'l str> {
    labels.get(scenario)?.get(step as usize).map(String::as_str)
}

/// Returns what people call most pages of each screen; of several, the first by name.
fn called(knowledge: &Knowledge, known: &[Recording], labels: &Labels) -> BTreeMap<ScreenId, String> {
    let scenarios: BTreeMap<&str, &str> =
        known.iter().map(|recording| (recording.trace_hash.as_str(), recording.scenario.as_str())).collect();
    let name = |screen: &ScreenDefinition| {
        let votes = screen.provenance.iter().filter_map(|provenance| match provenance {
            Provenance::Trace { trace_hash, step } => label(labels, scenarios.get(trace_hash.as_str())?, *step),
            _ => None,
        });
        most_often(votes).unwrap_or_default().to_owned()
    };
    knowledge.screens.iter().map(|(id, screen)| (id.clone(), name(screen))).collect()
}
