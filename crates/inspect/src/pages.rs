//! Pages of rows: which rows are on a page, and where the next one begins.
//!
//! In: a source, a filter, an order of phases, a place. Out: the rows of one page and the place
//! after them. Invariant: over the pages of one paging every row that passes, from its first to its
//! high-water row, comes exactly once, whatever the sizes of the pages and whatever is added
//! meanwhile.

use crate::answer::{Answer, Cuts, Newer, Sizes, counted};
use crate::cursor::{Cursors, Position};
use crate::error::InspectError;
use browserlens_core::strategy::{Event, EventFilter, PageSource};

/// A query for rows that was checked.
pub(crate) struct Asked<F> {
    pub noun: &'static str,
    /// The filters as the answer shows them.
    pub shown: F,
    pub filter: EventFilter,
    pub unfiltered: EventFilter,
    /// Are read one after the other; each narrows the filter by whether a request failed.
    pub phases: &'static [Option<bool>],
    pub size: usize,
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

impl<F> Asked<F> {
    /// The filter of a phase, up to a high-water row.
    fn narrowed(&self, failed: Option<bool>, up_to: u64) -> EventFilter {
        EventFilter { to_position: Some(up_to), failed: failed.or(self.filter.failed), ..self.filter.clone() }
    }

    /// Begins a paging: sets the high-water row. What passes is counted when its first page was
    /// read.
    fn start(&self, source: &mut dyn PageSource) -> Result<Position, InspectError> {
        let all = source.tally(&self.unfiltered, None)?;
        Ok(Position::start(None, all.last.unwrap_or(0), 0, all.count))
    }

    /// Gives all rows that pass, in the order of pages.
    pub(crate) fn all(
        &self,
        source: &mut dyn PageSource,
        mut take: impl FnMut(&mut dyn PageSource, Vec<Event>) -> Result<(), InspectError>,
    ) -> Result<(), InspectError> {
        let up_to = self.start(source)?.up_to;
        self.phases.iter().try_for_each(|failed| each(source, &self.narrowed(*failed, up_to), None, &mut take))
    }

    /// Reads the rows of a page, and the place after them; none if they are the last.
    fn read(
        &self,
        source: &mut dyn PageSource,
        place: &Position,
    ) -> Result<(Vec<Event>, Option<Position>), InspectError> {
        let mut events: Vec<Event> = Vec::new();
        // One row more than the page holds tells whether there is another page.
        let mut ends: Vec<(u8, u64)> = Vec::new();
        let mut after = place.after;
        for (phase, failed) in (0u8..).zip(self.phases).skip(usize::from(place.phase)) {
            let wanted = self.size + 1 - events.len();
            if wanted == 0 {
                break;
            }
            let found = source.events(&self.narrowed(*failed, place.up_to), after, wanted)?;
            ends.extend(found.iter().map(|event| (phase, event.position)));
            events.extend(found);
            after = place.from;
        }
        let next = (events.len() > self.size).then(|| {
            let (phase, after) = ends[self.size - 1];
            Position { phase, after: Some(after), ..place.clone() }
        });
        events.truncate(self.size);
        Ok((events, next))
    }

    pub(crate) fn page<R>(
        self,
        source: &mut dyn PageSource,
        place: Option<Position>,
        cursors: &Cursors<'_>,
        mut rows: impl FnMut(&mut dyn PageSource, Vec<Event>, bool, &mut Cuts) -> Result<Vec<R>, InspectError>,
    ) -> Result<Answer<Vec<R>, F>, InspectError> {
        let is_first = place.is_none();
        let mut place = match place {
            Some(place) => place,
            None => self.start(source)?,
        };
        let (events, mut next) = self.read(source, &place)?;
        let messages = events.len() as u64;
        if is_first {
            // Where the first page is the only one it holds all there is.
            place.total = match next {
                None => messages,
                Some(_) if self.filter == self.unfiltered => place.original,
                Some(_) => source.tally(&self.narrowed(None, place.up_to), place.from)?.count,
            };
        }
        let newer = newer(source, &self.filter, &place)?;
        let mut cuts = Cuts::default();
        let data = rows(source, events, true, &mut cuts)?;
        let count = data.len() as u64;
        let whole = match place.bytes {
            Some(bytes) => bytes,
            None if place.from.is_none() && next.is_none() => cuts.original_bytes,
            None => {
                let mut all = Cuts::default();
                let filter = self.narrowed(None, place.up_to);
                each(source, &filter, place.from, |source, events| rows(source, events, false, &mut all).map(|_| ()))?;
                all.original_bytes
            }
        };
        if let Some(next) = &mut next {
            (next.total, next.bytes) = (place.total, Some(whole));
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
        if next.is_some() {
            message.push_str("; nextCursor gives more");
        }
        if let Some(newer) = &newer {
            message.push_str(&format!("; {} came since", newer.total));
        }
        if !cuts.truncated.is_empty() {
            let cut = counted(cuts.truncated.len() as u64, "text was", "texts were");
            message.push_str(&format!("; {cut} cut"));
        }
        let (original_bytes, returned_bytes) = (list_bytes(whole), list_bytes(cuts.returned_bytes));
        let size = Sizes { original_count: place.original, returned_count: count, original_bytes, returned_bytes };
        let newer = newer
            .map(|place| Ok::<_, InspectError>(Newer { count: place.total, cursor: cursors.write(&place)? }))
            .transpose()?;
        let answer = Answer::of(data, place.total, self.shown, message, size);
        let messages = is_folded.then_some(messages);
        Answer { messages, truncated: cuts.truncated, newer, ..answer }.to(next.as_ref(), cursors)
    }
}
