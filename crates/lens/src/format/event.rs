//! Lines about what happened beside the page: dialogs, a failed action, texts that came and went,
//! tabs, downloads, console errors.
//!
//! In: an [`EventNote`]. Out: its line, and from such a line the same note again. Invariants: page
//! text stands quoted (a URL bare) and escaped, so that none can end its line or begin another; a
//! text that was cut says how much is missing.

use super::escape;
use super::scan::Scan;
use browserlens_core::strategy::DialogKind;
use std::fmt::Write as _;

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

    fn quote(&self, out: &mut String) {
        escape::quote(out, &self.text);
        self.cut(out);
    }

    fn bare(&self, out: &mut String) {
        escape::bare(out, &self.text);
        self.cut(out);
    }

    fn cut(&self, out: &mut String) {
        if self.cut > 0 {
            let _ = write!(out, "… +{} chars", self.cut);
        }
    }

    fn read_quoted(scan: &mut Scan<'_>) -> Option<Self> {
        let text = scan.quoted()?;
        Self::read_cut(text, scan)
    }

    fn read_bare(scan: &mut Scan<'_>) -> Option<Self> {
        let text = scan.bare(&[']', '…'])?;
        Self::read_cut(text, scan)
    }

    fn read_cut(text: String, scan: &mut Scan<'_>) -> Option<Self> {
        let mut cut = 0;
        if scan.eat("… +") {
            cut = scan.number()?;
            if !scan.eat(" chars") {
                return None;
            }
        }
        Some(Self { text, cut })
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $word:ident = $text:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$of])* $word,)+
        }

        impl $name {
            /// Every one, in the order of the grammar.
            pub const ALL: &'static [Self] = &[$(Self::$word),+];

            /// Returns its word in the grammar.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }
        }
    };
}

words! {
    /// What became of a dialog.
    DialogState {
        /// It waits for an answer.
        Open = "open",
        /// It was accepted.
        Accepted = "accepted",
        /// It was dismissed.
        Dismissed = "dismissed",
    }
}

words! {
    /// What became of a download.
    DownloadState {
        /// It goes on.
        Started = "started",
        /// It is complete.
        Finished = "finished",
        /// It ended without a file.
        Canceled = "canceled",
    }
}

words! {
    /// What happened to a tab.
    TabChange {
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

fn dialog_word(kind: DialogKind) -> &'static str {
    match kind {
        DialogKind::Alert => "alert",
        DialogKind::Confirm => "confirm",
        DialogKind::Prompt => "prompt",
        DialogKind::BeforeUnload => "beforeunload",
    }
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
            Self::Tab { change, title, url } => Self::Tab { change, title: title.map(short), url: url.map(short) },
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
                let _ = write!(out, "DIALOG {} ", dialog_word(*kind));
                message.quote(out);
                let _ = write!(out, " {}", state.word());
                if let Some(typed) = typed {
                    out.push_str(" with ");
                    typed.quote(out);
                }
            }
            EventNote::Failed { why } => {
                out.push_str("ACTION failed: ");
                why.quote(out);
            }
            EventNote::Notice { text } => {
                out.push_str("NOTICE ");
                text.quote(out);
            }
            EventNote::Tab { change, title, url } => {
                let _ = write!(out, "TAB {}", change.word());
                if let Some(title) = title {
                    out.push(' ');
                    title.quote(out);
                }
                if let Some(url) = url {
                    out.push(' ');
                    url.bare(out);
                }
            }
            EventNote::Download { file, state } => {
                out.push_str("DOWNLOAD ");
                file.quote(out);
                let _ = write!(out, " {}", state.word());
            }
            EventNote::Console { text, times } => {
                out.push_str("CONSOLE error ");
                text.quote(out);
                if *times != 1 {
                    let _ = write!(out, " ×{times}");
                }
            }
            EventNote::MoreErrors(count) => {
                let _ = write!(out, "CONSOLE {count} more error{}", if *count == 1 { "" } else { "s" });
            }
            EventNote::More(count) => {
                let _ = write!(out, "… {count} more event{}", if *count == 1 { "" } else { "s" });
            }
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
        dialog(scan)?
    } else if scan.eat("[ACTION failed: ") {
        EventNote::Failed { why: CutText::read_quoted(scan)? }
    } else if scan.eat("[NOTICE ") {
        EventNote::Notice { text: CutText::read_quoted(scan)? }
    } else if scan.eat("[TAB ") {
        let change = one_of(scan, TabChange::ALL, TabChange::word)?;
        let title = if scan.rest().starts_with(" \"") { Some(after_blank(scan, CutText::read_quoted)?) } else { None };
        let url = if scan.rest().starts_with(' ') { Some(after_blank(scan, CutText::read_bare)?) } else { None };
        EventNote::Tab { change, title, url }
    } else if scan.eat("[DOWNLOAD ") {
        let file = CutText::read_quoted(scan)?;
        let state = after_blank(scan, |scan| one_of(scan, DownloadState::ALL, DownloadState::word))?;
        EventNote::Download { file, state }
    } else if scan.eat("[CONSOLE error ") {
        let text = CutText::read_quoted(scan)?;
        EventNote::Console { text, times: if scan.eat(" ×") { scan.number()? } else { 1 } }
    } else if scan.eat("[CONSOLE ") {
        let count = scan.number()?;
        (scan.eat(" more errors") || scan.eat(" more error")).then_some(EventNote::MoreErrors(count))?
    } else if scan.eat("[… ") {
        let count = scan.number()?;
        (scan.eat(" more events") || scan.eat(" more event")).then_some(EventNote::More(count))?
    } else {
        return None;
    };
    (scan.eat("]") && scan.at_end()).then_some(event)
}

fn dialog(scan: &mut Scan<'_>) -> Option<EventNote> {
    let kinds = [DialogKind::Alert, DialogKind::Confirm, DialogKind::Prompt, DialogKind::BeforeUnload];
    let kind = one_of(scan, &kinds, dialog_word)?;
    let message = after_blank(scan, CutText::read_quoted)?;
    let state = after_blank(scan, |scan| one_of(scan, DialogState::ALL, DialogState::word))?;
    let typed = if scan.eat(" with ") { Some(CutText::read_quoted(scan)?) } else { None };
    Some(EventNote::Dialog { kind, message, state, typed })
}

fn one_of<T: Copy>(scan: &mut Scan<'_>, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
    let read = scan.word()?;
    all.iter().copied().find(|known| word(*known) == read)
}

fn after_blank<'t, T>(scan: &mut Scan<'t>, read: impl FnOnce(&mut Scan<'t>) -> Option<T>) -> Option<T> {
    if scan.eat(" ") { read(scan) } else { None }
}
