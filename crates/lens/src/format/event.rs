//! Lines about what happened beside the page: dialogs, a failed action, texts that came and went,
//! tabs, downloads, console errors.
//!
//! In: an [`EventNote`]. Out: its line, and from such a line the same note again. Invariants: page
//! text stands quoted (a URL bare) and escaped, so that none can end its line or begin another; a
//! text that was cut says how much is missing.

use super::escape::{self, Put as _};
use super::scan::Scan;
use browserlens_core::named;
use browserlens_core::strategy::DialogKind;

/// Text of an event, as far as it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutText {
    /// The text, or its beginning.
    pub text: String,
    /// How many characters of it are missing.
    pub cut: u32,
}

impl CutText {
    /// Takes a text, at most `limit` characters of it.
    pub fn new(text: &str, limit: usize) -> Self {
        Self { text: text.to_owned(), cut: 0 }.shortened(limit)
    }

    /// Returns the text cut to at most `limit` characters.
    #[must_use]
    pub fn shortened(self, limit: usize) -> Self {
        let Some((end, _)) = self.text.char_indices().nth(limit) else { return self };
        let missing = u32::try_from(self.text[end..].chars().count()).unwrap_or(u32::MAX);
        Self { text: self.text[..end].to_owned(), cut: self.cut.saturating_add(missing) }
    }

    fn quote(&self, out: &mut String, before: &str) {
        out.quoted(before, &self.text, false);
        self.cut(out);
    }

    fn cut(&self, out: &mut String) {
        if self.cut > 0 {
            write!(out, "… +{} chars", self.cut);
        }
    }

    fn quoted(scan: &mut Scan<'_>) -> Option<Self> {
        let text = scan.quoted()?;
        Self::read(text, scan)
    }

    fn read(text: String, scan: &mut Scan<'_>) -> Option<Self> {
        let cut = scan.after("… +", |scan| scan.number_before(" chars"))?;
        Some(Self { text, cut: cut.unwrap_or_default() })
    }
}

named! {
    /// What became of a dialog.
    pub enum DialogState {
        /// It waits for an answer.
        Open = "open",
        /// It was accepted.
        Accepted = "accepted",
        /// It was dismissed.
        Dismissed = "dismissed",
    }
}

named! {
    /// What became of a download.
    pub enum DownloadState {
        /// It goes on.
        Started = "started",
        /// It is complete.
        Finished = "finished",
        /// It ended without a file.
        Canceled = "canceled",
    }
}

named! {
    /// What happened to a tab.
    pub enum TabChange {
        /// It is new.
        Opened = "opened",
        /// It is gone.
        Closed = "closed",
        /// It is the one that is shown now.
        Switched = "switched",
    }
}

/// One thing that happened beside the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventNote {
    /// A dialog of the browser.
    Dialog {
        /// Its kind.
        kind: DialogKind,
        /// Its message.
        message: CutText,
        /// What became of it.
        state: DialogState,
        /// What was typed into it.
        typed: Option<CutText>,
    },
    /// The action failed.
    Failed {
        /// Why.
        why: CutText,
    },
    /// A text that the page showed for a while and shows no more.
    Notice {
        /// The text.
        text: CutText,
    },
    /// A tab.
    Tab {
        /// Its number, from 0.
        tab: u32,
        /// What happened to it.
        change: TabChange,
        /// Its title.
        title: Option<CutText>,
        /// Its URL.
        url: Option<CutText>,
    },
    /// A download.
    Download {
        /// The file's name.
        file: CutText,
        /// What became of it.
        state: DownloadState,
    },
    /// A console error.
    Console {
        /// Its first line.
        text: CutText,
        /// How often it came in this step.
        times: u32,
    },
    /// More console errors, of other texts.
    MoreErrors(u32),
    /// More events, for which there is no room.
    More(u32),
}

/// Returns what a dialog is called in one word: `beforeunload`.
fn word_of(kind: DialogKind) -> String {
    kind.name().replace('_', "")
}

impl EventNote {
    /// Returns what can be read of it, in the order of its line.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Dialog { message, typed, .. } => {
                std::iter::once(message).chain(typed).map(|said| said.text.as_str()).collect()
            }
            Self::Tab { title, url, .. } => title.iter().chain(url).map(|said| said.text.as_str()).collect(),
            Self::Failed { why: said }
            | Self::Notice { text: said }
            | Self::Download { file: said, .. }
            | Self::Console { text: said, .. } => vec![&said.text],
            Self::MoreErrors(_) | Self::More(_) => Vec::new(),
        }
    }

    /// Returns the note with its texts cut to at most `limit` characters each.
    #[must_use]
    pub fn shortened(self, limit: usize) -> Self {
        let short = |said: CutText| said.shortened(limit);
        match self {
            Self::Dialog { kind, message, state, typed } => {
                Self::Dialog { kind, message: short(message), state, typed: typed.map(short) }
            }
            Self::Failed { why } => Self::Failed { why: short(why) },
            Self::Notice { text } => Self::Notice { text: short(text) },
            Self::Tab { tab, change, title, url } => {
                Self::Tab { tab, change, title: title.map(short), url: url.map(short) }
            }
            Self::Download { file, state } => Self::Download { file: short(file), state },
            Self::Console { text, times } => Self::Console { text: short(text), times },
            other => other,
        }
    }
}

/// Appends the lines of events, each with a line end before it.
pub(super) fn write(out: &mut String, events: &[EventNote]) {
    for event in events {
        out.push_str("\n[");
        match event {
            EventNote::Dialog { kind, message, state, typed } => {
                write!(out, "DIALOG {}", word_of(*kind));
                message.quote(out, " ");
                write!(out, " {}", state.name());
                if let Some(typed) = typed {
                    typed.quote(out, " with ");
                }
            }
            EventNote::Failed { why } => why.quote(out, "ACTION failed: "),
            EventNote::Notice { text } => text.quote(out, "NOTICE "),
            EventNote::Tab { tab, change, title, url } => {
                write!(out, "TAB {tab} {}", change.name());
                if let Some(title) = title {
                    title.quote(out, " ");
                }
                if let Some(url) = url {
                    out.push(' ');
                    escape::bare(out, &url.text);
                    url.cut(out);
                }
            }
            EventNote::Download { file, state } => {
                file.quote(out, "DOWNLOAD ");
                write!(out, " {}", state.name());
            }
            EventNote::Console { text, times } => {
                text.quote(out, "CONSOLE error ");
                if *times != 1 {
                    write!(out, " ×{times}");
                }
            }
            EventNote::MoreErrors(1) => out.push_str("CONSOLE 1 more error"),
            EventNote::MoreErrors(count) => write!(out, "CONSOLE {count} more errors"),
            EventNote::More(1) => out.push_str("… 1 more event"),
            EventNote::More(count) => write!(out, "… {count} more events"),
        }
        out.push(']');
    }
}

/// Returns the lines of events as they stand in an observation, joined; empty if there are none.
pub fn write_events(events: &[EventNote]) -> String {
    let mut out = String::new();
    write(&mut out, events);
    out.strip_prefix('\n').map(str::to_owned).unwrap_or_default()
}

/// Returns whether a line can only be that of an event.
pub(super) fn is_event(line: &str) -> bool {
    ["[DIALOG ", "[ACTION ", "[NOTICE ", "[TAB ", "[DOWNLOAD ", "[CONSOLE ", "[… "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Reads the line of an event.
pub(super) fn read(scan: &mut Scan<'_>) -> Option<EventNote> {
    let event = if scan.eat("[DIALOG ") {
        let word = scan.word()?;
        let kind = DialogKind::ALL.into_iter().find(|kind| word_of(*kind) == word)?;
        scan.expect(" ")?;
        let message = CutText::quoted(scan)?;
        scan.expect(" ")?;
        let state = DialogState::from_name(scan.word()?)?;
        EventNote::Dialog { kind, message, state, typed: scan.after(" with ", CutText::quoted)? }
    } else if scan.eat("[ACTION failed: ") {
        EventNote::Failed { why: CutText::quoted(scan)? }
    } else if scan.eat("[NOTICE ") {
        EventNote::Notice { text: CutText::quoted(scan)? }
    } else if scan.eat("[TAB ") {
        let tab = scan.number_before(" ")?;
        let change = TabChange::from_name(scan.word()?)?;
        let title = match scan.quoted_after(" ")? {
            Some(title) => Some(CutText::read(title, scan)?),
            None => None,
        };
        let url = scan.after(" ", |scan| {
            let url = scan.bare(&[']', '…'])?;
            CutText::read(url, scan)
        })?;
        EventNote::Tab { tab, change, title, url }
    } else if scan.eat("[DOWNLOAD ") {
        let file = CutText::quoted(scan)?;
        scan.expect(" ")?;
        EventNote::Download { file, state: DownloadState::from_name(scan.word()?)? }
    } else if scan.eat("[CONSOLE error ") {
        let text = CutText::quoted(scan)?;
        EventNote::Console { text, times: scan.after(" ×", Scan::number)?.unwrap_or(1) }
    } else if scan.eat("[CONSOLE ") {
        EventNote::MoreErrors(scan.counted(" more error")?)
    } else if scan.eat("[… ") {
        EventNote::More(scan.counted(" more event")?)
    } else {
        return None;
    };
    (scan.eat("]") && scan.at_end()).then_some(event)
}
