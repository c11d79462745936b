//! What of the browser's events an observation tells.
//!
//! In: a [`StepInput`]. Out: [`EventNote`]s, what must not be missed first: dialogs, a failed
//! action, texts that came and went, tabs, downloads, console errors. Invariants: only what
//! happened since the step before; a thing is told once, with what became of it last; however much
//! a page says, it takes a dozen short lines at most, and what has no room is counted.

use crate::format::{CutText, DialogState, DownloadState, EventNote, TabChange, write_events};
use crate::tree::{Item, Tree};
use browserlens_core::strategy::{ConsoleMessage, DialogEvent, DialogKind, Event, EventKind, StepInput, TabEvent};
use std::collections::HashMap;

/// Most lines.
const MOST: usize = 12;
/// Most texts that came and went: the last ones.
const MOST_NOTICES: usize = 3;
/// Most console errors that are told by their text: one says that something failed and what, and
/// every step of a page that fails would pay for the rest.
const MOST_ERRORS: usize = 1;
/// How the browser says that a request failed, without saying which; the page's own message tells
/// more.
const OF_THE_BROWSER: &str = "Failed to load resource:";
/// Longest texts, in characters.
const LONGEST_DIALOG: usize = 600;
const LONGEST_FAILURE: usize = 240;
const LONGEST_NOTICE: usize = 240;
const LONGEST_TITLE: usize = 80;
const LONGEST_URL: usize = 160;
const LONGEST_FILE: usize = 120;
const LONGEST_ERROR: usize = 80;
/// Longest text where the budget bites.
const LONGEST_IN_BUDGET: usize = 60;

/// Returns what an observation tells of the events of its step.
pub(crate) fn notes(input: &StepInput<'_>) -> Vec<EventNote> {
    let mut notes = dialogs(input.events);
    let failed = input.action.and_then(|action| action.error.as_deref()).filter(|error| !error.is_empty());
    notes.extend(failed.map(|error| EventNote::Failed { why: CutText::new(error, LONGEST_FAILURE) }));
    notes.extend(notices(input.events));
    notes.extend(input.events.iter().filter_map(|event| match &event.kind {
        EventKind::Tab(change) => tab_note(event.tab, change),
        _ => None,
    }));
    notes.extend(downloads(input.events));
    notes.extend(errors(input.events));
    limited(notes, MOST)
}

/// Returns the notes as far as their lines cost at most `budget`: whole, then with shorter texts,
/// then fewer, then none.
pub(crate) fn within(notes: Vec<EventNote>, budget: u32, cost: impl Fn(&str) -> u32) -> Vec<EventNote> {
    let fits = |notes: &[EventNote]| cost(&write_events(notes)) <= budget;
    if notes.is_empty() || fits(&notes) {
        return notes;
    }
    let short: Vec<EventNote> = notes.into_iter().map(|note| note.shortened(LONGEST_IN_BUDGET)).collect();
    (1..=short.len()).rev().map(|most| limited(short.clone(), most)).find(|notes| fits(notes)).unwrap_or_default()
}

/// Keeps at most `most` lines, the last of which counts what is left out.
fn limited(mut notes: Vec<EventNote>, most: usize) -> Vec<EventNote> {
    if notes.len() > most {
        let left_out = notes.split_off(most.saturating_sub(1));
        let count = left_out.iter().map(|note| match note {
            EventNote::Console { times: count, .. } | EventNote::MoreErrors(count) | EventNote::More(count) => *count,
            _ => 1,
        });
        notes.push(EventNote::More(count.fold(0, u32::saturating_add)));
    }
    notes
}

fn dialogs(events: &[Event]) -> Vec<EventNote> {
    let mut found: Vec<(u32, &DialogEvent)> = Vec::new();
    for event in events {
        let EventKind::Dialog(dialog) = &event.kind else { continue };
        let same = |(tab, known): &(u32, &DialogEvent)| {
            *tab == event.tab
                && known.accepted.is_none()
                && known.kind == dialog.kind
                && known.message == dialog.message
        };
        // A dialog that was answered in the step in which it opened is one dialog.
        match found.iter_mut().find(|known| dialog.accepted.is_some() && same(known)) {
            Some(known) => known.1 = dialog,
            None => found.push((event.tab, dialog)),
        }
    }
    found.sort_by_key(|(_, dialog)| dialog.accepted.is_some());
    let note = |(_, dialog): (u32, &DialogEvent)| EventNote::Dialog {
        kind: dialog.kind,
        message: CutText::new(&dialog.message, LONGEST_DIALOG),
        state: match dialog.accepted {
            None => DialogState::Open,
            Some(true) => DialogState::Accepted,
            Some(false) => DialogState::Dismissed,
        },
        typed: (dialog.kind == DialogKind::Prompt && dialog.accepted == Some(true))
            .then(|| CutText::new(&dialog.typed, LONGEST_DIALOG)),
    };
    found.into_iter().map(note).collect()
}

fn console(events: &[Event]) -> impl DoubleEndedIterator<Item = &ConsoleMessage> {
    events.iter().filter_map(|event| match &event.kind {
        EventKind::Console(message) => Some(message),
        _ => None,
    })
}

fn notices(events: &[Event]) -> Vec<EventNote> {
    let mut texts: Vec<&str> = Vec::new();
    for message in console(events).rev().filter(|message| message.level == ConsoleMessage::NOTICE) {
        if texts.len() < MOST_NOTICES && !texts.contains(&message.text.as_str()) {
            texts.push(&message.text);
        }
    }
    texts.into_iter().rev().map(|text| EventNote::Notice { text: CutText::new(text, LONGEST_NOTICE) }).collect()
}

/// Whether a note tells of a text that one of the messages on a page says.
pub(crate) fn is_in_message(note: &EventNote, shown: &Tree) -> bool {
    let EventNote::Notice { text } = note else { return false };
    let text = solid(&text.text);
    let is_message = |item: &Item| matches!(&*item.role, "alert" | "status" | "log");
    shown.items().any(|(id, item)| is_message(item) && says(shown, id).contains(&text))
}

/// Whether a note tells of a text that items beside each other say and no more, as a toast of a text
/// and a button.
pub(crate) fn is_shown(note: &EventNote, shown: &Tree) -> bool {
    let EventNote::Notice { text } = note else { return false };
    let text = solid(&text.text);
    let say_it = |siblings: &[u32]| {
        let mut rest = text.as_str();
        for id in siblings {
            let Some(left) = rest.strip_prefix(&*says(shown, *id)) else { return false };
            if left.is_empty() {
                return true;
            }
            rest = left;
        }
        false
    };
    shown.items().map(|(id, _)| shown.children(id)).any(|below| (0..below.len()).any(|at| say_it(&below[at..])))
}

fn says(shown: &Tree, id: u32) -> String {
    shown.subtree(id).map(|below| solid(&shown.item(below).name)).collect()
}

fn solid(text: &str) -> String {
    text.split_whitespace().collect()
}

fn tab_note(tab: u32, event: &TabEvent) -> Option<EventNote> {
    let change = TabChange::from_name(&event.what)?;
    let said = |text: &str, limit| (!text.is_empty()).then(|| CutText::new(text, limit));
    Some(EventNote::Tab { tab, change, title: said(&event.title, LONGEST_TITLE), url: said(&event.url, LONGEST_URL) })
}

fn downloads(events: &[Event]) -> Vec<EventNote> {
    let mut found: Vec<((&str, &str), DownloadState)> = Vec::new();
    for event in events {
        let EventKind::Download(download) = &event.kind else { continue };
        let state = match download.state.as_str() {
            "completed" => DownloadState::Finished,
            "canceled" => DownloadState::Canceled,
            _ => DownloadState::Started,
        };
        let file = (download.url.as_str(), download.file_name.as_str());
        let before = found.iter_mut().find(|(known, before)| *known == file && *before == DownloadState::Started);
        match before {
            Some((_, before)) => *before = state,
            None => found.push((file, state)),
        }
    }
    let file = |name: &str| CutText::new(name, LONGEST_FILE);
    found.into_iter().map(|((_, name), state)| EventNote::Download { file: file(name), state }).collect()
}

fn errors(events: &[Event]) -> Vec<EventNote> {
    let mut texts: Vec<(&str, u32)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for message in console(events).filter(|message| matches!(message.level.as_str(), "error" | "exception")) {
        let at = *known.entry(&message.text).or_insert_with(|| {
            texts.push((&message.text, 0));
            texts.len() - 1
        });
        texts[at].1 = texts[at].1.saturating_add(1);
    }
    texts.sort_by_key(|(text, _)| text.starts_with(OF_THE_BROWSER));
    let more = texts.iter().skip(MOST_ERRORS).fold(0u32, |sum, (_, times)| sum.saturating_add(*times));
    let note = |(text, times): (&str, u32)| {
        let line = text.trim_start().lines().next().unwrap_or("").trim_end();
        let first = CutText::new(text.trim(), line.chars().count().min(LONGEST_ERROR));
        EventNote::Console { text: first, times }
    };
    let told = texts.into_iter().take(MOST_ERRORS).map(note);
    told.chain((more > 0).then_some(EventNote::MoreErrors(more))).collect()
}
