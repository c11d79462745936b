//! Pages of rows: which rows are on a page, and where the next one begins.
//!
//! In: a source, a filter, an order of phases, a place. Out: the rows of one page and the place
//! after them. Invariant: over the pages of one paging every row that passes, from its first to its
//! high-water row, comes exactly once, whatever the sizes of the pages and whatever is added
//! meanwhile.

use crate::cursor::Place;
use crate::error::InspectError;
use browserlens_strategy::{Event, EventFilter, PageSource};

/// The rows of a page, and the place after them; none if they are the last.
pub(crate) struct Rows {
    pub events: Vec<Event>,
    pub next: Option<Place>,
}

/// Begins a paging: sets the high-water row. What passes is counted when its first page was read
/// ([`count`]).
pub(crate) fn start(
    source: &mut dyn PageSource,
    unfiltered: &EventFilter,
    from: Option<u64>,
) -> Result<Place, InspectError> {
    let all = source.tally(unfiltered, from)?;
    Ok(Place::start(from, all.last.or(from).unwrap_or(0), 0, all.count))
}

/// Counts what passes, once the first page of a paging was read: where it is the only one it holds
/// all there is, and nothing need be looked at again.
pub(crate) fn count(
    source: &mut dyn PageSource,
    filter: &EventFilter,
    unfiltered: &EventFilter,
    place: &mut Place,
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
    place: &Place,
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
        Place { phase, after: Some(after), ..place.clone() }
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
pub(crate) fn newer(
    source: &mut dyn PageSource,
    filter: &EventFilter,
    place: &Place,
) -> Result<Option<Place>, InspectError> {
    // A paging that found nothing has no high-water row: what comes later is found by asking anew.
    if place.original == 0 && place.from.is_none() {
        return Ok(None);
    }
    let tally = source.tally(filter, Some(place.up_to))?;
    Ok(tally.last.map(|last| Place::start(Some(place.up_to), last, tally.count, tally.count)))
}
