//! Replaces secrets before anything is written.
//!
//! In: a step as the recorder hands it over. Out: the same step without secrets. Invariants: only
//! string values change, never keys or structure; a secret becomes a placeholder of equal length
//! and kind, the same one wherever the same text occurs; values declared public are never replaced.
//!
//! What is replaced:
//! - the value of password fields (`type=password`, `autocomplete=current-password|new-password`),
//!   of one-time-code fields (`autocomplete=one-time-code`, or a name or id of
//!   [`names::ONE_TIME_CODE_FIELDS`]) and of hidden token fields, what was typed there, and these
//!   texts wherever they occur in the same and in later steps, also JSON-escaped, percent-encoded,
//!   HTML-escaped or in base64;
//! - `known` values (environment, storage) in the same way;
//! - the credentials of `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and
//!   [`names::SENSITIVE_HEADERS`];
//! - values under a name of [`names::SENSITIVE_NAMES`] in URLs, JSON bodies, form bodies and
//!   multipart bodies;
//! - JSON Web Tokens, bearer tokens and passwords in URLs anywhere.
//!
//! What is not: a text shorter than four characters is replaced where it is the whole value of such
//! a field, and nowhere else (the digits of a one-time code in six boxes are also replaced where
//! they stand together). Pixels are masked by the recorder.

mod event;
mod fields;
mod forms;
mod key_file;
mod mask;
pub mod names;
mod placeholder;
mod shapes;
mod tree;

use crate::canonical::frame_objects;
use crate::frames::number;
use crate::json::{JsonError, Scanner, Token, Writer, rewrite, unescape};
use crate::record::{ActionRecord, StepRecord, TraceMeta};
use aho_corasick::AhoCorasick;
use browserlens_core::page::{NodeKey, Payload, PayloadKind};
use fields::Fields;
use forms::forms;
pub use mask::Mask;
pub use placeholder::MASK;
use placeholder::Placeholders;
use shapes::Source;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Fewest characters of a text that is replaced as a part of others.
const SHORTEST_PART: usize = 4;
/// Most characters of a text that is searched for in one piece.
const LONGEST_PART: usize = 512;
/// Fewest characters of a token found by its name or header that is replaced elsewhere too.
const SHORTEST_TOKEN: usize = 16;

/// What placeholders depend on.
#[derive(Clone, Default)]
pub enum RedactionKey {
    /// The key that this tool's source holds: for bundled traces, whose secrets are made up.
    #[default]
    Fixed,
    /// A key of the user's own, from the configuration; it is never written into a trace.
    Keyed([u8; 32]),
}

impl std::fmt::Debug for RedactionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fixed => "Fixed",
            Self::Keyed(_) => "Keyed(…)",
        })
    }
}

/// What a [`Redactor`] starts with.
#[derive(Clone, Default)]
pub struct RedactionOptions {
    /// What placeholders depend on.
    pub key: RedactionKey,
    /// Values known to be secret: from the environment, from the storage state.
    pub known: Vec<String>,
    /// Values that are never replaced: the made-up secrets of bundled sites.
    pub public: Vec<String>,
}

/// A search for many texts at once.
#[derive(Clone, Default)]
struct Words {
    /// The texts, and whether each is base64.
    found_by: Option<AhoCorasick>,
    is_base64: Vec<bool>,
}

impl Words {
    fn of(texts: &BTreeSet<String>) -> Self {
        let all: Vec<forms::Form> = texts.iter().flat_map(|text| forms(text)).collect();
        // A set of plain words that fits into memory always builds; if it ever did not, nothing may
        // be written.
        let found_by = (!all.is_empty())
            .then(|| AhoCorasick::new(all.iter().map(|form| &form.text)).expect("a set of words builds"));
        Self { found_by, is_base64: all.into_iter().map(|form| form.is_base64).collect() }
    }

    fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let Some(words) = &self.found_by else { return };
        let is_base64 = |at: usize| {
            text.as_bytes()
                .get(at)
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'))
        };
        for hit in words.find_overlapping_iter(text) {
            let mut range = hit.range();
            if self.is_base64[hit.pattern().as_usize()] {
                // The characters beside it hold the rest of its first and last byte.
                range.start -= usize::from(range.start > 0 && is_base64(range.start - 1));
                range.end += usize::from(is_base64(range.end));
            }
            found.push(range);
        }
    }
}

/// Replaces the secrets of one recording; learns new ones from step to step.
#[derive(Clone)]
pub struct Redactor {
    placeholders: Placeholders,
    secrets: BTreeSet<String>,
    words: Words,
    public: HashSet<String>,
    public_words: Words,
    /// Fields whose value is secret, by document and backend node id.
    fields: HashSet<(u32, u32)>,
    /// Values of such fields, short ones too.
    values: HashSet<String>,
    stale: bool,
    /// Whether steps pass as they are: they come from a trace, which was redacted when it was
    /// written.
    done_before: bool,
    /// Tokens found while redacting.
    tokens: RefCell<Vec<String>>,
}

browserlens_core::opaque_debug!(self: Redactor { secrets: self.secrets.len() });

impl Redactor {
    /// Starts a recording.
    pub fn new(options: RedactionOptions) -> Self {
        const CONTEXT: &str = "browserlens trace redaction 1";
        let key = match options.key {
            RedactionKey::Fixed => blake3::derive_key(CONTEXT, b"fixed"),
            RedactionKey::Keyed(key) => blake3::derive_key(CONTEXT, &[b"keyed".as_slice(), &key].concat()),
        };
        let public: BTreeSet<String> = options.public.into_iter().filter(|value| !value.is_empty()).collect();
        let long: BTreeSet<String> =
            public.iter().filter(|value| value.chars().count() >= SHORTEST_PART).cloned().collect();
        let mut redactor = Self {
            placeholders: Placeholders::new(key),
            secrets: BTreeSet::new(),
            words: Words::default(),
            public: public.iter().flat_map(|value| forms(value)).map(|form| form.text).collect(),
            public_words: Words::of(&long),
            fields: HashSet::new(),
            values: HashSet::new(),
            stale: false,
            done_before: false,
            tokens: RefCell::default(),
        };
        options.known.iter().for_each(|value| redactor.learn_value(value));
        redactor.refresh();
        redactor
    }

    /// A redactor for what is shown and not stored: in place of each secret stands [`MASK`].
    pub fn masking() -> Self {
        Self { placeholders: Placeholders::masks(), ..Self::new(RedactionOptions::default()) }
    }

    /// A redactor for steps that are redacted already: placeholders must not become other
    /// placeholders.
    pub fn done_before() -> Self {
        Self { done_before: true, ..Self::new(RedactionOptions::default()) }
    }

    /// Learns a secret: from now on it is replaced wherever it occurs. Of a value that is JSON,
    /// what stands under a sensitive name is learned as well, and what looks like a token.
    pub fn learn(&mut self, secret: &str) {
        self.learn_value(secret);
        self.refresh();
    }

    fn learn_value(&mut self, secret: &str) {
        self.learn_text(secret);
        if secret.trim_start().starts_with(['{', '[']) {
            secrets_in(secret).unwrap_or_default().iter().for_each(|text| self.learn_text(text));
        }
    }

    fn learn_text(&mut self, secret: &str) {
        let is_word = secret
            .chars()
            .any(|character| character.is_ascii() && !character.is_whitespace() || character.is_alphanumeric());
        if !is_word || self.public.contains(secret) {
            return;
        }
        // A long text is learned in pieces: the search must stay small, and where the whole occurs,
        // its pieces do.
        let characters: Vec<char> = secret.chars().collect();
        let piece = if characters.len() > LONGEST_PART { LONGEST_PART / 2 } else { LONGEST_PART };
        for characters in characters.chunks(piece).filter(|piece| piece.len() >= SHORTEST_PART) {
            self.stale |= self.secrets.insert(characters.iter().collect());
        }
    }

    fn refresh(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.words = Words::of(&self.secrets);
        }
    }

    /// Returns whether the value of a field is secret, as far as the steps so far tell.
    pub fn is_secret_field(&self, key: NodeKey) -> bool {
        self.fields.contains(&(key.loader, key.backend))
    }

    /// Returns what stands in place of a value that is secret as a whole.
    fn hide(&self, value: &str) -> String {
        if self.public.contains(value) {
            return value.to_owned();
        }
        if is_token_shaped(value) {
            self.tokens.borrow_mut().push(value.to_owned());
        }
        self.placeholders.of(value)
    }

    /// Returns a text with every secret in it replaced.
    fn text<'t>(&self, text: &'t str, source: Source) -> Cow<'t, str> {
        let mut found = Vec::new();
        self.words.find(text, &mut found);
        let known = found.len();
        shapes::find(text, source, &mut found);
        for range in &found[known..] {
            let token = &text[range.clone()];
            if is_token_shaped(token) && !self.public.contains(token) {
                self.tokens.borrow_mut().push(token.to_owned());
            }
        }
        self.replace(text, found)
    }

    /// Returns a text with the known secrets in it replaced, and nothing that only looks like one.
    pub(crate) fn known_only<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = Vec::new();
        self.words.find(text, &mut found);
        self.replace(text, found)
    }

    fn replace<'t>(&self, text: &'t str, mut found: Vec<Range<usize>>) -> Cow<'t, str> {
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut public = Vec::new();
        self.public_words.find(text, &mut public);
        found.retain(|range| {
            !self.public.contains(&text[range.clone()])
                && !public.iter().any(|kept| kept.start <= range.start && range.end <= kept.end)
        });
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        replaced(text, found, false, |secret| self.placeholders.of(secret).into()).into()
    }

    /// Replaces the known secrets in a text, and what looks like one.
    pub fn redact_string(&self, text: &mut String) {
        if !self.done_before {
            set(text, |text| self.text(text, Source::Message));
        }
    }

    fn redact_known(&self, text: &mut String) {
        set(text, |text| self.known_only(text));
    }

    pub(crate) fn redact_meta(&self, meta: &mut TraceMeta) {
        [&mut meta.scenario, &mut meta.goal]
            .into_iter()
            .chain(meta.site.as_mut())
            .for_each(|text| self.redact_known(text));
    }

    pub(crate) fn redact_origin(&self, origin: &mut crate::origin::Origin) {
        self.redact_known(&mut origin.source);
        origin.gaps.iter_mut().for_each(|gap| self.redact_known(gap));
    }

    /// Learns the secrets of a step, then replaces them.
    pub fn redact_step(&mut self, step: &mut StepRecord) {
        if self.done_before {
            return;
        }
        let loaders = loaders_of(step);
        let bodies: Vec<Arc<[u8]>> =
            step.capture.of_kind(PayloadKind::Snapshot).map(|payload| Arc::clone(&payload.body)).collect();
        let read = |body| std::str::from_utf8(body).ok().and_then(|json| Fields::read(json).ok());
        let snapshots: Vec<Option<Fields<'_>>> = bodies.iter().map(|body| read(body)).collect();
        snapshots.iter().flatten().for_each(|fields| self.learn_fields(fields, &loaders));
        if let Some(action) = &step.action {
            self.learn_typed(action);
        }
        self.refresh();
        // Tokens that only this step's events tell are learned first, so that its payloads do not
        // show them either.
        step.events.iter().cloned().for_each(|mut event| self.redact_event(&mut event));
        self.learn_tokens();

        step.events.iter_mut().for_each(|event| self.redact_event(event));
        if let Some(action) = &mut step.action {
            self.redact_action(action);
        }
        self.redact_string(&mut step.settled.reason);
        step.entities.iter_mut().for_each(|(_, entity)| self.redact_known(entity));
        let mut snapshots = snapshots.iter();
        for payload in step.capture.payloads.iter_mut().filter(|payload| payload.kind.is_text()) {
            let fields = if payload.kind == PayloadKind::Snapshot { snapshots.next() } else { None };
            self.redact_payload(payload, fields.and_then(Option::as_ref), &loaders);
        }
        self.learn_tokens();
    }

    /// Learns the tokens that were found while redacting.
    fn learn_tokens(&mut self) {
        for token in self.tokens.take() {
            self.learn_text(&token);
        }
        self.refresh();
    }

    fn learn_typed(&mut self, action: &ActionRecord) {
        use browserlens_core::strategy::ActionKind::{Fill, Press, Type};
        if !matches!(action.taken.kind, Fill | Type | Press) || action.taken.text.is_empty() {
            return;
        }
        let into_secret_field = action.target.is_some_and(|target| self.is_secret_field(target));
        // Typed without a target: into whatever had the focus; a secret field that now holds the
        // text tells.
        let without_target =
            action.target.is_none() && self.values.iter().any(|value| value.contains(&action.taken.text));
        if (into_secret_field && action.taken.kind != Press) || without_target {
            self.learn_text(&action.taken.text);
            if !self.public.contains(&action.taken.text) {
                self.values.insert(action.taken.text.clone());
            }
        }
    }

    fn redact_action(&self, action: &mut ActionRecord) {
        let typed = [&mut action.taken.text, &mut action.intent.text];
        let into_secret_field = action.target.is_some_and(|target| self.is_secret_field(target));
        for text in typed {
            if self.values.contains(text.as_str()) && (into_secret_field || action.target.is_none()) {
                *text = self.hide(text);
            } else {
                self.redact_string(text);
            }
        }
        if let Some(error) = &mut action.taken.error {
            self.redact_string(error);
        }
        action.each_name(|name| set(name, |name| self.text(name, Source::Page)));
    }

    fn redact_payload(&self, payload: &mut Payload, fields: Option<&Fields<'_>>, loaders: &HashMap<u32, u32>) {
        let Ok(json) = std::str::from_utf8(&payload.body) else { return };
        let redacted = match (payload.kind, fields) {
            (PayloadKind::Snapshot, Some(fields)) => match self.snapshot(json, fields, loaders).transpose() {
                None => return,
                Some(redacted) => redacted,
            },
            (PayloadKind::Ax, _) => self.ax_tree(json, loaders.get(&payload.frame).copied().unwrap_or(0)),
            _ => self.values(json),
        };
        // The writer has checked that the text is JSON; if it were not, it must not pass unread.
        let redacted = redacted.unwrap_or_else(|_| self.placeholders.of(json));
        if redacted.as_bytes() != &payload.body[..] {
            payload.body = Arc::from(redacted.into_bytes());
        }
    }

    /// Redacts every string value of a payload.
    fn values(&self, json: &str) -> Result<String, JsonError> {
        rewrite(json, |_, token, writer| {
            self.write_redacted(writer, token);
            Ok(())
        })
    }

    /// Writes a token; a text is redacted, and keeps its bytes if nothing in it is secret.
    fn write_redacted(&self, writer: &mut Writer, token: Token<'_>) {
        if let Token::Text(raw) = token {
            let text = unescape(raw);
            if let Cow::Owned(redacted) = self.text(&text, Source::Page) {
                return writer.text(&redacted);
            }
        }
        writer.token(token);
    }
}

/// Replaces what stands at some ranges of a text; those that overlap are one, and where `joins` is set
/// those that touch as well.
fn replaced(text: &str, mut ranges: Vec<Range<usize>>, joins: bool, becomes: impl Fn(&str) -> Cow<'_, str>) -> String {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end || (joins && range.start == last.end) => {
                last.end = last.end.max(range.end);
            }
            _ => merged.push(range),
        }
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for range in merged {
        out.push_str(&text[from..range.start]);
        out.push_str(&becomes(&text[range.clone()]));
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Puts what becomes of a text in its place.
fn set(text: &mut String, becomes: impl FnOnce(&str) -> Cow<'_, str>) {
    if let Cow::Owned(new) = becomes(text) {
        *text = new;
    }
}

/// Returns which document each frame shows, by the frame trees of a step.
fn loaders_of(step: &StepRecord) -> HashMap<u32, u32> {
    let mut loaders = HashMap::new();
    for payload in step.capture.of_kind(PayloadKind::Frames) {
        let json = String::from_utf8_lossy(&payload.body);
        let shown = frame_objects(&json)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|object| Some((number(&object.id, 'F')?, number(&object.loader, 'L').unwrap_or(0))));
        loaders.extend(shown);
    }
    loaders
}

/// Returns whether a value looks like a token: long, in one word, with letters and digits.
fn is_token_shaped(value: &str) -> bool {
    value.len() >= SHORTEST_TOKEN
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.contains("://")
}

/// Returns the string values of a JSON text that stand under a sensitive name or look like a token.
fn secrets_in(json: &str) -> Result<Vec<String>, JsonError> {
    let (mut scanner, mut key, mut found) = (Scanner::new(json), Cow::Borrowed(""), Vec::new());
    while let Some(token) = scanner.next()? {
        match token {
            Token::Key(raw) => key = unescape(raw),
            Token::Text(raw) => {
                let text = unescape(raw);
                if names::is_sensitive(&key) || is_token_shaped(&text) {
                    found.push(text.into_owned());
                }
            }
            _ => {}
        }
    }
    Ok(found)
}
