//! Pages of rows: which rows are on a page, and where the next one begins.
//!
//! In: a source, a filter, an order of phases, a place. Out: the rows of one page and the place
//! after them. Invariant: over the pages of one paging every row that passes, from its first to its
//! high-water row, comes exactly once, whatever the sizes of the pages and whatever is added
//! meanwhile.

use crate::answer::{Answer, Cuts, Sizes, counted};
use crate::cache::Remembered;
use crate::cursor::{Cursors, Position, Short, short};
use crate::error::InspectError;
use browserlens_core::strategy::{Event, EventFilter, PageSource, SourceId};

/// The rows of a page, and the place after them; none if they are the last.
pub(crate) struct Rows {
    pub events: Vec<Event>,
    pub next: Option<Position>,
}

/// Begins a paging: sets the high-water row. What passes is counted when its first page was read
/// ([`count`]).
pub(crate) fn start(
    source: &mut dyn PageSource,
    unfiltered: &EventFilter,
    from: Option<u64>,
) -> Result<Position, InspectError> {
    let all = source.tally(unfiltered, from)?;
    Ok(Position::start(from, all.last.or(from).unwrap_or(0), 0, all.count))
}

/// Counts what passes, once the first page of a paging was read: where it is the only one it holds
/// all there is, and nothing need be looked at again.
fn count(
    source: &mut dyn PageSource,
    filter: &EventFilter,
    unfiltered: &EventFilter,
    place: &mut Position,
    rows: &mut Rows,
) -> Result<(), InspectError> {
    place.total = match &rows.next {
        None => rows.events.len() as u64,
        Some(_) if filter == unfiltered => place.original,
        Some(_) => {
            let passing = EventFilter { to_position: Some(place.up_to), ..filter.clone() };
            source.tally(&passing, place.from)?.count
        }
    };
    if let Some(next) = &mut rows.next {
        next.total = place.total;
    }
    Ok(())
}

/// Reads a page. `phases` are tried one after the other; each narrows the filter by whether a
/// request failed.
pub(crate) fn read(
    source: &mut dyn PageSource,
    filter: &EventFilter,
    phases: &[Option<bool>],
    place: &Position,
    size: usize,
) -> Result<Rows, InspectError> {
    let mut events: Vec<Event> = Vec::new();
    // One row more than the page holds tells whether there is another page.
    let mut ends: Vec<(u8, u64)> = Vec::new();
    let mut after = place.after;
    for (phase, failed) in (0u8..).zip(phases).skip(usize::from(place.phase)) {
        let wanted = size + 1 - events.len();
        if wanted == 0 {
            break;
        }
        let filter = EventFilter { to_position: Some(place.up_to), failed: failed.or(filter.failed), ..filter.clone() };
        let found = source.events(&filter, after, wanted)?;
        ends.extend(found.iter().map(|event| (phase, event.position)));
        events.extend(found);
        after = place.from;
    }
    let next = (events.len() > size).then(|| {
        let (phase, after) = ends[size - 1];
        Position { phase, after: Some(after), ..place.clone() }
    });
    events.truncate(size);
    Ok(Rows { events, next })
}

/// Rows that are read at once where all are.
const CHUNK: usize = 1_000;

/// Gives all rows after a position that pass to `take`, a thousand at a time.
pub(crate) fn each(
    source: &mut dyn PageSource,
    filter: &EventFilter,
    mut after: Option<u64>,
    mut take: impl FnMut(&mut dyn PageSource, Vec<Event>) -> Result<(), InspectError>,
) -> Result<(), InspectError> {
    loop {
        let events = source.events(filter, after, CHUNK)?;
        let (count, last) = (events.len(), events.last().map(|event| event.position));
        take(source, events)?;
        if count < CHUNK {
            return Ok(());
        }
        after = last;
    }
}

/// Returns the paging of what came after the high-water row of another; none if nothing did.
fn newer(
    source: &mut dyn PageSource,
    filter: &EventFilter,
    place: &Position,
) -> Result<Option<Position>, InspectError> {
    // A paging that found nothing has no high-water row: what comes later is found by asking anew.
    if place.original == 0 && place.from.is_none() {
        return Ok(None);
    }
    let tally = source.tally(filter, Some(place.up_to))?;
    Ok(tally.last.map(|last| Position::start(Some(place.up_to), last, tally.count, tally.count)))
}

/// Bytes of a list of rows that were counted each with a comma.
fn list_bytes(rows: u64) -> u64 {
    (rows + 1).max(2)
}

/// What pages of console messages and of requests have in common.
pub(crate) struct Paging<'a> {
    pub tool: &'a str,
    pub noun: &'a str,
    pub filter: &'a EventFilter,
    pub unfiltered: &'a EventFilter,
    pub phases: &'a [Option<bool>],
    pub size: usize,
    pub cursor: Option<&'a str>,
}

impl Paging<'_> {
    /// Returns where the page begins (none at the beginning of a trace that may be remembered), and
    /// the key of its answer.
    pub(crate) fn begin(
        &self,
        cursors: &Cursors<'_>,
        source: &mut dyn PageSource,
    ) -> Result<(Short, Option<Position>), InspectError> {
        let place = self.cursor.map(|cursor| cursors.read(cursor)).transpose()?;
        // What a live page has by now is part of the key; a trace at its step has always had all.
        let version = match source.identity() {
            SourceId::Trace(_) => (u64::from(source.step().0), None),
            SourceId::Live(_) => {
                let tally = source.tally(self.unfiltered, None)?;
                (tally.count, tally.last)
            }
        };
        let at = place.as_ref().map(|place| (place.phase, place.after, place.from, place.up_to));
        let json = serde_json::to_vec(&(self.tool, cursors.query, cursors.source, version, at, self.size))?;
        Ok((short(&json), place))
    }

    pub(crate) fn page<R, F>(
        &self,
        source: &mut dyn PageSource,
        place: Option<Position>,
        shown: F,
        mut rows: impl FnMut(&mut dyn PageSource, Vec<Event>, bool, &mut Cuts) -> Result<Vec<R>, InspectError>,
    ) -> Result<Remembered<Answer<Vec<R>, F>>, InspectError> {
        let is_first = place.is_none();
        let mut place = match place {
            Some(place) => place,
            None => start(source, self.unfiltered, None)?,
        };
        let mut found = read(source, self.filter, self.phases, &place, self.size)?;
        if is_first {
            count(source, self.filter, self.unfiltered, &mut place, &mut found)?;
        }
        let newer = newer(source, self.filter, &place)?;
        let messages = found.events.len() as u64;
        let mut cuts = Cuts::default();
        let data = rows(source, found.events, true, &mut cuts)?;
        let count = data.len() as u64;
        let whole = match place.bytes {
            Some(bytes) => bytes,
            None if place.from.is_none() && found.next.is_none() => cuts.original_bytes,
            None => {
                let mut all = Cuts::default();
                let filter = EventFilter { to_position: Some(place.up_to), ..self.filter.clone() };
                each(source, &filter, place.from, |source, events| rows(source, events, false, &mut all).map(|_| ()))?;
                all.original_bytes
            }
        };
        if let Some(next) = &mut found.next {
            next.bytes = Some(whole);
        }
        let mut message = match (messages, place.total) {
            (0, 0) if place.original == 0 => format!("there are no {}", self.noun),
            (0, 0) => format!("none of {} {} pass the filters", place.original, self.noun),
            (count, total) if count == total => {
                format!("all {total} {} that pass the filters, of {}", self.noun, place.original)
            }
            (count, total) => format!("{count} of {total} {} that pass the filters, of {}", self.noun, place.original),
        };
        let is_folded = count < messages;
        if is_folded {
            message.push_str(&format!(", in {}", counted(count, "row", "rows")));
        }
        if found.next.is_some() {
            message.push_str("; nextCursor gives more");
        }
        if let Some(newer) = &newer {
            message.push_str(&format!("; {} came since", newer.total));
        }
        if !cuts.truncated.is_empty() {
            let cut = counted(cuts.truncated.len() as u64, "text was", "texts were");
            message.push_str(&format!("; {cut} cut"));
        }
        let answer = Answer {
            data,
            count,
            messages: is_folded.then_some(messages),
            total: place.total,
            has_more: found.next.is_some(),
            next_cursor: None,
            filters: shown,
            message,
            size: Sizes {
                original_count: place.original,
                returned_count: count,
                original_bytes: list_bytes(whole),
                returned_bytes: list_bytes(cuts.returned_bytes),
            },
            truncated: cuts.truncated,
            newer: None,
            unseen_characters: 0,
        };
        Ok(Remembered { answer, next: found.next, newer })
    }
}
