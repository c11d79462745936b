//! The headers of a column's pages, which say how large each will be before it is unpacked; and
//! whether the library can read a footer.
//!
//! In: the bytes of one column, or of a footer. Out: a [`Head`] for each page, or nothing.
//! Invariants: nothing is kept of a page but its header's numbers; sizes that are negative, lead
//! out of the column, or promise more values than are allowed are errors. The format is Thrift's
//! compact protocol, and what passes here the library reads in the same steps, in time that goes
//! with its length: it believes what it knows to be of its type, and passes over lists of truth
//! values, of whatever length, without reading a byte; here both are errors.

use super::shapes::{DATA_PAGE, DATA_PAGE_2, DICTIONARY_PAGE, FOOTER, Fields, Kind, PAGE};
use parquet::file::reader::ChunkReader;
use std::io::Read;
use std::ops::Range;

/// Largest header: statistics may hold a value whole.
const MOST_BYTES: u64 = 16 << 20;
/// Levels of a header.
const MOST_LEVELS: u32 = 16;

/// What the header of one page says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) is_dictionary: bool,
    /// Bytes, unpacked.
    pub(super) bytes: u64,
    pub(super) values: u64,
    packed: u64,
}

/// Reads the headers of a column; `most` is how many values it may have.
pub(super) fn read<R: ChunkReader>(source: &R, span: Range<u64>, most: u64) -> Result<Vec<Head>, String> {
    let (mut heads, mut at, mut values) = (Vec::new(), span.start, 0_u64);
    while at < span.end {
        let reader = source.get_read(at).map_err(|error| error.to_string())?;
        let mut compact = Compact { from: reader.take(MOST_BYTES.min(span.end - at)), read: 0 };
        let head = compact.head()?;
        at = at.saturating_add(compact.read).saturating_add(head.packed);
        if at > span.end {
            return Err("a page of it leads out of the column".to_owned());
        }
        values = values.saturating_add(head.values);
        if values > most {
            return Err(format!("it has more than {most} values"));
        }
        // Each text has at least the four bytes of its length.
        if head.is_dictionary && head.values > head.bytes / 4 {
            return Err("its dictionary promises more than it holds".to_owned());
        }
        heads.push(head);
    }
    Ok(heads)
}

/// Returns why the library is not given a footer.
pub(super) fn check_footer(footer: &[u8]) -> Result<(), String> {
    let checked = Compact { from: footer, read: 0 }.fields(FOOTER, 0);
    checked.map_err(|reason| reason.replacen("a header of it", "it", 1))
}

/// Kinds of pages that are read; an index between them is not.
const KINDS: [i64; 3] = [0, DICTIONARY, 3];
const DICTIONARY: i64 = 2;

struct Compact<R> {
    from: R,
    read: u64,
}

impl<R: Read> Compact<R> {
    /// Reads a `PageHeader`.
    fn head(&mut self) -> Result<Head, String> {
        let (mut kind, mut bytes, mut packed, mut values) = (-1, -1, -1, 0);
        let mut id = 0;
        while let Some((field, of)) = self.field(&mut id)? {
            match (field, of) {
                (1, I32) => kind = self.number()?,
                (2, I32) => bytes = self.number()?,
                (3, I32) => packed = self.number()?,
                // Of each kind of page the number of values comes first.
                (5 | 7 | 8, STRUCT) => {
                    let known = match field {
                        5 => DATA_PAGE,
                        7 => DICTIONARY_PAGE,
                        _ => DATA_PAGE_2,
                    };
                    let mut inner = 0;
                    while let Some((part, of)) = self.field(&mut inner)? {
                        match (part, of) {
                            (1, I32) => values = self.number()?,
                            (1, _) => return Err(OTHER.to_owned()),
                            _ => self.value(known, part, of, 1)?,
                        }
                    }
                }
                (1 | 2 | 3 | 5 | 7 | 8, _) => return Err(OTHER.to_owned()),
                _ => self.value(PAGE, field, of, 0)?,
            }
        }
        let size = |number: i64| u64::try_from(number).map_err(|_| "a page of it has no size".to_owned());
        if !KINDS.contains(&kind) {
            return Err(format!("it has a page of the unknown kind {kind}"));
        }
        let is_dictionary = kind == DICTIONARY;
        Ok(Head { is_dictionary, bytes: size(bytes)?, values: size(values)?, packed: size(packed)? })
    }

    /// Reads the head of a field; none at the end of a struct.
    fn field(&mut self, last: &mut i64) -> Result<Option<(i64, u8)>, String> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *last = match byte >> 4 {
            0 => self.number()?,
            more => last.saturating_add(i64::from(more)),
        };
        if i16::try_from(*last).is_err() {
            return Err("a header of it has a field without a number".to_owned());
        }
        Ok(Some((*last, byte & 0x0f)))
    }

    /// Passes over a struct.
    fn fields(&mut self, known: Fields, level: u32) -> Result<(), String> {
        let mut id = 0;
        while let Some((field, of)) = self.field(&mut id)? {
            self.value(known, field, of, level)?;
        }
        Ok(())
    }

    /// Passes over the value of a field, which is what it must be if it is known.
    fn value(&mut self, known: Fields, field: i64, of: u8, level: u32) -> Result<(), String> {
        let kind = usize::try_from(field).ok().and_then(|number| known.get(number.checked_sub(1)?));
        match kind.copied().unwrap_or(Kind::Unknown) {
            Kind::Unknown => self.skip(of, level),
            kind => self.known(kind, of, level),
        }
    }

    fn known(&mut self, kind: Kind, of: u8, level: u32) -> Result<(), String> {
        match (kind, of) {
            (Kind::Number, 4..=6)
            | (Kind::Byte, 3)
            | (Kind::Truth, 1 | 2)
            | (Kind::Double, 7)
            | (Kind::Text, BINARY) => self.skip(of, level),
            (Kind::List(kind), LIST) => {
                let (length, of) = self.list()?;
                (0..length).try_for_each(|_| self.known(*kind, of, level + 1))
            }
            (Kind::Struct(known), STRUCT) => self.fields(known, level + 1),
            _ => Err(OTHER.to_owned()),
        }
    }

    /// Reads how many elements a list has, and what they are.
    fn list(&mut self) -> Result<(u64, u8), String> {
        let head = self.byte()?;
        let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        Ok((length, head & 0x0f))
    }

    fn skip(&mut self, of: u8, level: u32) -> Result<(), String> {
        if level > MOST_LEVELS {
            return Err("a header of it is nested too deeply".to_owned());
        }
        match of {
            1 | 2 => Ok(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST | 10 => {
                let (length, of) = self.list()?;
                (0..length).try_for_each(|_| self.element(of, level))
            }
            11 => {
                let length = self.varint()?;
                let kinds = if length > 0 { self.byte()? } else { 0 };
                (0..length).try_for_each(|_| {
                    self.element(kinds >> 4, level)?;
                    self.element(kinds & 0x0f, level)
                })
            }
            STRUCT => self.fields(&[], level + 1),
            other => Err(format!("a header of it has a field of the unknown type {other}")),
        }
    }

    /// Passes over an element of a list.
    fn element(&mut self, of: u8, level: u32) -> Result<(), String> {
        if matches!(of, 1 | 2) {
            return Err("a header of it has a list of truth values".to_owned());
        }
        self.skip(of, level + 1)
    }

    fn pass(&mut self, bytes: u64) -> Result<(), String> {
        let passed = std::io::copy(&mut self.from.by_ref().take(bytes), &mut std::io::sink());
        if passed.map_err(|error| error.to_string())? != bytes {
            return Err(CUT.to_owned());
        }
        self.read += bytes;
        Ok(())
    }

    fn number(&mut self) -> Result<i64, String> {
        let raw = self.varint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut out = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            out |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(out);
            }
        }
        Err("a number in a header of it has no end".to_owned())
    }

    fn byte(&mut self) -> Result<u8, String> {
        let mut byte = [0];
        self.from.read_exact(&mut byte).map_err(|_| CUT.to_owned())?;
        self.read += 1;
        Ok(byte[0])
    }
}

const CUT: &str = "a header of it is cut off, or longer than is read";
const OTHER: &str = "a header of it has a field of another type than it must be";
const I32: u8 = 5;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn heads(bytes: &[u8]) -> Result<Vec<Head>, String> {
        read(&Bytes::copy_from_slice(bytes), 0..bytes.len() as u64, 1_000)
    }

    /// A header of a data page with three values and statistics, and two bytes of the page.
    const PAGE: [u8; 21] =
        [0x15, 0, 0x15, 8, 0x15, 4, 0x2c, 0x15, 6, 0x15, 0, 0x15, 6, 0x15, 6, 0x1c, 0x18, 0, 0, 0, 0];

    #[test]
    fn pages_are_counted_without_being_read() {
        let page: Vec<u8> = [&PAGE[..], &[7, 7]].concat();
        let one = Head { is_dictionary: false, bytes: 4, values: 3, packed: 2 };
        assert_eq!(heads(&[page.clone(), page].concat()), Ok(vec![one, one]));
    }

    #[test]
    fn headers_that_lie_are_errors() {
        let with = |at: usize, byte: u8| {
            let mut page = [&PAGE[..], &[7, 7]].concat();
            page[at] = byte;
            heads(&page).expect_err("a lie")
        };
        assert!(heads(&PAGE).expect_err("cut").contains("leads out"));
        assert!(heads(&PAGE[..9]).expect_err("cut").contains("cut off"));
        assert!(with(1, 9).contains("has a page of the unknown kind -5"));
        assert!(with(3, 7).contains("no size"));
        assert!(with(6, 0x2d).contains("of another type"));
        assert!(with(15, 0x2d).contains("unknown type 13"));
        let many: Vec<u8> = [&PAGE[..], &[7, 7]].concat().repeat(400);
        assert!(heads(&many).expect_err("many").contains("more than 1000 values"));
        let mut dictionary = [&PAGE[..], &[7, 7]].concat();
        dictionary[1] = 4;
        assert!(heads(&dictionary).expect_err("a lie").contains("dictionary promises"));
        // Statistics that are a number, and a list of two truths in a field that nobody knows.
        assert!(with(15, 0x15).contains("of another type"));
        assert!(heads(&[0xf9, 0x21, 0, 0]).expect_err("truths").contains("truth values"));
        assert!(heads(&[0x1c; 400]).is_err() && heads(&[0xff; 400]).is_err());
    }

    #[test]
    fn footers_that_would_be_read_without_end_are_errors() {
        // Version 1, no schema; then a list of two thousand million truths, under an unknown number
        // or where rows are counted.
        let truths = [0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0];
        assert_eq!(check_footer(&[0x15, 2, 0x19, 0x0c, 0x16, 0, 0x19, 0x0c, 0]), Ok(()));
        let said = |head: &[u8]| check_footer(&[head, &truths].concat()).expect_err("a lie");
        assert!(said(&[0x15, 2, 0xf9]).contains("it has a list of truth values"));
        assert!(said(&[0x15, 2, 0x29]).contains("it has a field of another type"));
        // A text where a number must be: the library would read on somewhere else.
        assert!(said(&[0x18, 3, 0x41, 0x41, 0x41]).contains("of another type"));
        // Lists of lists of lists.
        assert!(said(&[0x15, 2, 0xf9, 0x19, 0x19]).contains("truth values"));
        assert!(said(&[0x15, 2, 0xfb, 2, 0x11]).contains("truth values"));
        assert!(check_footer(&[0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7]).expect_err("many").contains("cut off"));
        assert!(
            check_footer(&[0xf9; 400]).is_err() && check_footer(&[0x15, 2, 0x0c, 0xff, 0xff, 0xff, 0xff, 7]).is_err()
        );
    }
}
