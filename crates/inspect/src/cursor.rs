//! Cursors: where a page of answers ended, in a text that cannot be forged.
//!
//! In: a [`Position`], a key, the time. Out: a text of URL-safe characters, and the place again.
//! Invariants: a cursor needs no table and works in any process that has the key; one that is too
//! old, of another query or of another source is refused with the reason.
//!
//! A cursor is `base64url(postcard(place) ‖ tag)`, its tag the first 16 bytes of BLAKE3 keyed with
//! the key. Rows up to the high-water row `up_to` belong to the paging that the cursor is part of;
//! later rows do not disturb it.

use crate::error::InspectError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use browserlens_core::strategy::SourceId;
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01 UTC; the caller reads the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixMillis(pub u64);

/// The key that cursors are signed with.
#[derive(Clone, Copy)]
pub struct CursorKey([u8; 32]);

browserlens_core::opaque_debug!(self: CursorKey {});

impl CursorKey {
    /// Takes a key that nobody knows: cursors end with the process.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self(key))
    }

    /// Takes any secret as a key; the same secret in another process gives the same key.
    pub fn new(secret: &[u8]) -> Self {
        Self(blake3::derive_key("browserlens inspect cursor 1", secret))
    }
}

/// First 16 bytes of a BLAKE3 hash.
pub(crate) type Short = [u8; 16];

pub(crate) fn short(bytes: &[u8]) -> Short {
    let mut short = Short::default();
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    short
}

pub(crate) fn source_tag(source: SourceId) -> Short {
    match source {
        SourceId::Trace(hash) => short(&[b"trace".as_slice(), &hash].concat()),
        SourceId::Live(session) => short(&[b"live".as_slice(), &session].concat()),
    }
}

const VERSION: u8 = 2;
const TAG: usize = 16;
/// A cursor is some hundred characters; what is longer is none.
const LONGEST: usize = 512;

/// Where a page of answers ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) version: u8,
    pub(crate) issued_ms: u64,
    pub(crate) query: Short,
    pub(crate) source: Short,
    /// Rows from here on (exclusive) belong to this paging.
    pub from: Option<u64>,
    /// Rows up to here (inclusive) belong to this paging.
    pub up_to: u64,
    /// The part of the order that the last page ended in.
    pub phase: u8,
    /// The last row of that part that was given.
    pub after: Option<u64>,
    /// Rows that pass the filters.
    pub total: u64,
    /// Rows without any filter.
    pub original: u64,
    /// Bytes of all that passes the filters, once they were counted.
    pub bytes: Option<u64>,
}

impl Position {
    /// A paging that begins.
    pub(crate) fn start(from: Option<u64>, up_to: u64, total: u64, original: u64) -> Self {
        let (query, source) = (Short::default(), Short::default());
        let (version, after) = (VERSION, from);
        Self { version, issued_ms: 0, query, source, from, up_to, phase: 0, after, total, original, bytes: None }
    }

    /// A place in a page's tree or text: how much was passed, of a page of which nothing changed
    /// that `version` stands for. Of a tree `phase` has the depth, and `up_to` the nodes of a page.
    pub(crate) fn on_page(passed: u64, total: u64, version: Short) -> Self {
        let mut first = [0; 8];
        first.copy_from_slice(&version[..8]);
        Self { after: Some(passed), ..Self::start(None, 0, total, u64::from_le_bytes(first)) }
    }

    /// Returns how much of the page was passed.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the page is another by now.
    pub(crate) fn passed(&self, version: Short) -> Result<u64, InspectError> {
        if self.original != Self::on_page(0, 0, version).original {
            return Err(refused("the page changed since"));
        }
        Ok(self.after.unwrap_or(0))
    }
}

/// Makes and reads the cursors of one query over one source.
pub(crate) struct Cursors<'a> {
    pub key: &'a CursorKey,
    pub now: UnixMillis,
    pub life_ms: u64,
    pub query: Short,
    pub source: Short,
}

pub(crate) fn refused(problem: impl Into<String>) -> InspectError {
    InspectError::bad("cursor", problem, "a nextCursor of this query over this source, or none to begin anew")
}

impl Cursors<'_> {
    fn tag(&self, bytes: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.key.0, bytes)
    }

    pub(crate) fn write(&self, place: &Position) -> Result<String, InspectError> {
        let Self { now, query, source, .. } = *self;
        let place = Position { version: VERSION, issued_ms: now.0, query, source, ..place.clone() };
        let mut bytes = postcard::to_extend(&place, Vec::new()).map_err(|error| refused(error.to_string()))?;
        let tag = self.tag(&bytes);
        bytes.extend_from_slice(&tag.as_bytes()[..TAG]);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    pub(crate) fn read(&self, text: &str) -> Result<Position, InspectError> {
        let bytes = (text.len() <= LONGEST).then(|| URL_SAFE_NO_PAD.decode(text).ok()).flatten();
        let Some((body, tag)) =
            bytes.as_deref().and_then(|bytes| bytes.split_at_checked(bytes.len().saturating_sub(TAG)))
        else {
            return Err(refused("it is no cursor"));
        };
        // Compared in constant time, as the hashes of this crate are.
        let mut expected = *self.tag(body).as_bytes();
        let mut found = [0; 32];
        expected[TAG..].fill(0);
        if tag.len() == TAG {
            found[..TAG].copy_from_slice(tag);
        }
        if tag.len() != TAG || blake3::Hash::from_bytes(expected) != blake3::Hash::from_bytes(found) {
            return Err(refused("it is no cursor that was given out here"));
        }
        let place: Position = postcard::from_bytes(body).map_err(|_| refused("it is no cursor of this version"))?;
        if place.version != VERSION {
            return Err(refused("it is a cursor of another version"));
        }
        if place.source != self.source {
            return Err(refused("it belongs to another trace or browser session"));
        }
        if place.query != self.query {
            return Err(refused("it belongs to a query with other filters"));
        }
        if place.issued_ms > self.now.0 {
            return Err(refused("it is of a later time than now"));
        }
        let age = self.now.0 - place.issued_ms;
        if age > self.life_ms {
            let (age, life) = (age / 1_000, self.life_ms / 1_000);
            return Err(refused(format!("it expired: it is {age} s old and lives {life} s")));
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cursors(key: &CursorKey, now: u64) -> Cursors<'_> {
        Cursors { key, now: UnixMillis(now), life_ms: 300_000, query: short(b"query"), source: short(b"source") }
    }

    #[test]
    fn a_cursor_is_read_by_another_process_with_the_same_key_until_it_expires() {
        let place = Position { phase: 1, after: Some(7), ..Position::start(Some(2), 900, 33, 44) };
        let written = cursors(&CursorKey::new(b"secret"), 1_000).write(&place).unwrap();
        let elsewhere = CursorKey::new(b"secret");
        let read = cursors(&elsewhere, 301_000).read(&written).unwrap();
        assert_eq!((read.phase, read.after, read.from, read.up_to), (1, Some(7), Some(2), 900));
        assert_eq!((read.total, read.original), (33, 44));
        let error = cursors(&elsewhere, 301_001).read(&written).unwrap_err().to_string();
        assert!(error.starts_with("cursor: it expired: it is 300 s old and lives 300 s; allowed: "), "{error}");
        assert!(cursors(&elsewhere, 999).read(&written).unwrap_err().to_string().contains("later time"));
    }

    #[test]
    fn a_cursor_of_another_query_source_or_key_is_refused_with_the_reason() {
        let key = CursorKey::new(b"secret");
        let written = cursors(&key, 0).write(&Position::start(None, 1, 1, 1)).unwrap();
        let reason = |cursors: &Cursors<'_>| cursors.read(&written).unwrap_err().to_string();
        assert!(reason(&Cursors { query: short(b"other"), ..cursors(&key, 0) }).contains("other filters"));
        assert!(reason(&Cursors { source: short(b"other"), ..cursors(&key, 0) }).contains("another trace"));
        assert!(reason(&cursors(&CursorKey::new(b"other"), 0)).contains("given out here"));
    }

    proptest! {
        #[test]
        fn any_text_is_refused_as_a_cursor(text in ".{0,200}|[A-Za-z0-9_-]{0,200}") {
            let key = CursorKey::new(b"secret");
            let refusal = cursors(&key, 0).read(&text).unwrap_err();
            prop_assert_eq!(refusal.field(), Some("cursor"));
        }

        #[test]
        fn a_cursor_with_one_bit_changed_is_refused(bit in 0usize..400) {
            let key = CursorKey::new(b"secret");
            let written = cursors(&key, 0).write(&Position::start(None, 9_999, 12_345, 67_890)).unwrap();
            let mut bytes = URL_SAFE_NO_PAD.decode(&written).unwrap();
            let at = bit % (bytes.len() * 8);
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert!(cursors(&key, 0).read(&URL_SAFE_NO_PAD.encode(bytes)).is_err());
        }
    }
}
