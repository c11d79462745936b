//! A chunk of the search table as it is read: columns of numbers and texts, and which of its rows pass.

use super::{SEARCHED, shape};
use crate::schema::Table;
use browserlens_core::strategy::EventFilter;
use memchr::memmem::Finder;

/// A chunk that is read.
pub(super) struct Chunk<'d> {
    rows: usize,
    numbers: Vec<Numbers<'d>>,
    texts: Vec<Texts<'d>>,
}

/// A column of numbers.
struct Numbers<'d> {
    least: u64,
    width: usize,
    bytes: &'d [u8],
}

/// A column of texts.
struct Texts<'d> {
    of_row: Numbers<'d>,
    ends: Vec<usize>,
    bytes: &'d [u8],
}

impl<'d> Numbers<'d> {
    pub(super) fn parse(packed: &mut &'d [u8], count: usize) -> Option<Self> {
        let least = u64::from_le_bytes(*packed.split_off(..8)?.first_chunk()?);
        let width = usize::from(*packed.split_off_first()?);
        let bytes = packed.split_off(..count.checked_mul(width)?)?;
        matches!(width, 0 | 1 | 2 | 4 | 8).then_some(Self { least, width, bytes })
    }

    pub(super) fn get(&self, index: usize) -> u64 {
        let from = index * self.width;
        let mut number = [0; 8];
        // A constant length each: this is asked of every row.
        match (self.width, self.bytes.get(from..)) {
            (1, Some([one, ..])) => number[0] = *one,
            (2, Some([one, two, ..])) => number[..2].copy_from_slice(&[*one, *two]),
            (4, Some(bytes)) if bytes.len() >= 4 => number[..4].copy_from_slice(&bytes[..4]),
            (8, Some(bytes)) if bytes.len() >= 8 => number.copy_from_slice(&bytes[..8]),
            _ => {}
        }
        self.least.wrapping_add(u64::from_le_bytes(number))
    }
}

impl<'d> Texts<'d> {
    pub(super) fn parse(packed: &mut &'d [u8], rows: usize) -> Option<Self> {
        let count = usize::try_from(u32::from_le_bytes(*packed.split_off(..4)?.first_chunk()?)).ok()?;
        // Each of them is the text of a row.
        if count > rows {
            return None;
        }
        let of_row = Numbers::parse(packed, rows)?;
        let ends = Numbers::parse(packed, count)?;
        let ends: Vec<usize> = (0..count).map(|index| usize::try_from(ends.get(index)).ok()).collect::<Option<_>>()?;
        let bytes = packed.split_off(..ends.last().copied().unwrap_or(0))?;
        ends.is_sorted().then_some(Self { of_row, ends, bytes })
    }

    /// Tells of each text whether it passes.
    fn that(&self, mut passes: impl FnMut(&str) -> bool) -> Vec<bool> {
        let mut from = 0;
        let mut each = |end: usize| {
            let text = self.bytes.get(from..end).and_then(|bytes| std::str::from_utf8(bytes).ok());
            from = end;
            text.is_some_and(&mut passes)
        };
        self.ends.iter().map(|end| each(*end)).collect()
    }

    /// Tells of each text whether it holds what is looked for.
    pub(super) fn holding(&self, finder: &Finder<'_>) -> Vec<bool> {
        let length = finder.needle().len();
        if length == 0 {
            return vec![true; self.ends.len()];
        }
        let mut found = vec![false; self.ends.len()];
        let (mut number, mut from) = (0, 0);
        while let Some(hit) = self.bytes.get(from..).and_then(|bytes| finder.find(bytes)).map(|hit| from + hit) {
            while self.ends.get(number).is_some_and(|end| *end <= hit) {
                number += 1;
            }
            let Some(end) = self.ends.get(number) else { break };
            found[number] = hit + length <= *end;
            // Found, or nothing that begins later in this text ends in it either.
            from = *end;
        }
        found
    }
}

impl<'d> Chunk<'d> {
    /// Reads a chunk; `said` are its first position, its last, and how many rows it has.
    pub(super) fn parse(table: &Table, said: [i64; 3], mut packed: &'d [u8]) -> Option<Self> {
        let shape = shape(table);
        // Positions rise, so that each row takes a byte at least, but for the first.
        let rows = usize::try_from(said[2]).ok().filter(|rows| (1..=packed.len()).contains(rows))?;
        let numbers = shape.numbers.iter().map(|_| Numbers::parse(&mut packed, rows)).collect::<Option<Vec<_>>>()?;
        let texts = shape.texts.iter().map(|_| Texts::parse(&mut packed, rows)).collect::<Option<Vec<_>>>()?;
        let chunk = Self { rows, numbers, texts };
        let ends = [chunk.position(0), chunk.position(rows - 1)];
        let as_said = ends.map(i64::try_from) == [Ok(said[0]), Ok(said[1])];
        let rising = (1..rows).all(|row| chunk.position(row - 1) < chunk.position(row));
        (as_said && rising && packed.is_empty()).then_some(chunk)
    }

    pub(super) fn position(&self, row: usize) -> u64 {
        self.numbers.first().map_or(0, |positions| positions.get(row))
    }

    /// Tells which of the texts that are searched hold what is looked for; none if none does.
    pub(super) fn holding(&self, finder: &Finder<'_>) -> Option<Vec<Vec<bool>>> {
        let found: Vec<_> = self.texts.iter().take(SEARCHED).map(|texts| texts.holding(finder)).collect();
        found.iter().any(|found| found.contains(&true)).then_some(found)
    }

    /// Tells of each row whether it passes: what [`EventFilter::passes`] asks, of a table whose
    /// kind is wanted.
    pub(super) fn passing(&self, filter: &EventFilter, after: Option<u64>, found: &[Vec<bool>]) -> Vec<bool> {
        let mut keep = vec![true; self.rows];
        narrow(&mut keep, |row| found.iter().zip(&self.texts).any(|(found, texts)| is_at(found, &texts.of_row, row)));
        let in_bounds = |number: u64, from: Option<u64>, to: Option<u64>| {
            from.is_none_or(|from| number >= from) && to.is_none_or(|to| number <= to)
        };
        let from_position = after.map(|after| after.saturating_add(1));
        let bounds = [
            (from_position, filter.to_position),
            (filter.from_step.map(u64::from), filter.to_step.map(u64::from)),
            (filter.tab.map(u64::from), filter.tab.map(u64::from)),
            (filter.since_ms, None),
        ];
        for ((from, to), column) in bounds.into_iter().zip(&self.numbers) {
            if from.is_some() || to.is_some() {
                narrow(&mut keep, |row| in_bounds(column.get(row), from, to));
            }
        }
        if let (true, Some(levels)) = (filter.is_about_console(), self.texts.get(2)) {
            let wanted = levels.that(|level| {
                (filter.levels.is_empty() || filter.levels.iter().any(|wanted| wanted == level))
                    && !filter.without_levels.iter().any(|unwanted| unwanted == level)
            });
            narrow(&mut keep, |row| is_at(&wanted, &levels.of_row, row));
        }
        if filter.is_about_requests() {
            self.narrow_requests(filter, &mut keep);
        }
        keep
    }

    fn narrow_requests(&self, filter: &EventFilter, keep: &mut [bool]) {
        let ([_, _, _, _, statuses, durations], [_, failures, methods, types, hosts]) =
            (self.numbers.as_slice(), self.texts.as_slice())
        else {
            keep.fill(false);
            return;
        };
        if !filter.statuses.is_empty() {
            narrow(keep, |row| {
                let status = statuses.get(row);
                filter.statuses.iter().any(|(from, to)| (u64::from(*from)..=u64::from(*to)).contains(&status))
            });
        }
        if let Some(wanted) = filter.failed {
            let failed = failures.that(|failure| !failure.is_empty());
            narrow(keep, |row| (statuses.get(row) >= 400 || is_at(&failed, &failures.of_row, row)) == wanted);
        }
        if let Some(least) = filter.min_duration_ms {
            narrow(keep, |row| durations.get(row) >= least);
        }
        for (wanted, found) in [(&filter.methods, methods), (&filter.resource_types, types)] {
            if !wanted.is_empty() {
                let passes = found.that(|text| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(text)));
                narrow(keep, |row| is_at(&passes, &found.of_row, row));
            }
        }
        if let Some(domain) = &filter.domain {
            let domain = domain.to_ascii_lowercase();
            let passes = hosts.that(|host| host.contains(&domain));
            narrow(keep, |row| is_at(&passes, &hosts.of_row, row));
        }
    }
}

fn narrow(keep: &mut [bool], passes: impl Fn(usize) -> bool) {
    for (row, keep) in keep.iter_mut().enumerate() {
        *keep = *keep && passes(row);
    }
}

/// Returns what is said of the text that a row has.
fn is_at(said: &[bool], of_row: &Numbers<'_>, row: usize) -> bool {
    usize::try_from(of_row.get(row)).ok().and_then(|number| said.get(number)).copied().unwrap_or(false)
}
