//! The values of one page: levels and texts, decoded one at a time.
//!
//! In: a page, unpacked. Out: for each level whether a record begins and whether there is a text.
//! Invariants: no byte makes it panic, and nothing is allocated that a page only promises: texts
//! are pieces of the page itself.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::Page;

/// What the page ended before.
const CUT: &str = "a page of it is cut off";

/// A page that is being read.
pub(super) struct Values {
    repeats: Option<Runs>,
    levels: Option<Runs>,
    most: u32,
    texts: Texts,
}

/// One level.
pub(super) struct Level {
    /// Whether a record begins with it.
    pub(super) begins: bool,
    /// Its text, if it has one.
    pub(super) text: Option<Bytes>,
}

enum Texts {
    Plain(Bytes),
    Dictionary(Runs),
}

impl Values {
    /// Begins to read a data page of a column with these largest levels.
    pub(super) fn new(page: &Page, most: u32, most_repeats: u32) -> Result<Self, String> {
        let (mut rest, encoding) = (page.buffer().clone(), page.encoding());
        let (repeats, levels) = match page {
            Page::DataPage { def_level_encoding, rep_level_encoding, .. } => {
                let mut levels = |most: u32, encoding: Encoding| {
                    if most == 0 {
                        return Ok(None);
                    }
                    if encoding != Encoding::RLE {
                        return Err(format!("its levels are encoded as {encoding}, which is not read"));
                    }
                    let length = number(&mut rest, 4)? as usize;
                    Ok(Some(Runs::new(cut(&mut rest, length)?, width(most))))
                };
                (levels(most_repeats, *rep_level_encoding)?, levels(most, *def_level_encoding)?)
            }
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                let repeats = cut(&mut rest, *rep_levels_byte_len as usize)?;
                let levels = cut(&mut rest, *def_levels_byte_len as usize)?;
                let runs = |bytes, most: u32| (most > 0).then(|| Runs::new(bytes, width(most)));
                (runs(repeats, most_repeats), runs(levels, most))
            }
            Page::DictionaryPage { .. } => return Err("it has a dictionary where a page was expected".to_owned()),
        };
        let texts = match encoding {
            Encoding::PLAIN => Texts::Plain(rest),
            // A page of nulls only may have no width.
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if rest.is_empty() => Texts::Plain(rest),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                let width = number(&mut rest, 1)?;
                if width > 32 {
                    return Err(format!("its places in the dictionary have {width} bits"));
                }
                Texts::Dictionary(Runs::new(rest, width))
            }
            other => return Err(format!("its texts are encoded as {other}, which is not read")),
        };
        Ok(Self { repeats, levels, most, texts })
    }

    /// Reads the next level; the page's header says how many there are.
    pub(super) fn next(&mut self, dictionary: &[Bytes]) -> Result<Level, String> {
        let begins = match &mut self.repeats {
            Some(repeats) => repeats.next()? == 0,
            None => true,
        };
        let is_there = match &mut self.levels {
            Some(levels) => levels.next()? == self.most,
            None => true,
        };
        if !is_there {
            return Ok(Level { begins, text: None });
        }
        let text = match &mut self.texts {
            Texts::Plain(rest) => plain(rest)?,
            Texts::Dictionary(places) => {
                let place = places.next()? as usize;
                dictionary.get(place).cloned().ok_or_else(|| format!("its dictionary has no text {place}"))?
            }
        };
        Ok(Level { begins, text: Some(text) })
    }
}

/// Reads the texts of a dictionary.
pub(super) fn dictionary(page: &Page) -> Result<Vec<Bytes>, String> {
    let Page::DictionaryPage { buf, num_values, .. } = page else {
        return Err("a page was read where a dictionary was expected".to_owned());
    };
    let mut rest = buf.clone();
    (0..*num_values).map(|_| plain(&mut rest)).collect()
}

fn plain(rest: &mut Bytes) -> Result<Bytes, String> {
    let length = number(rest, 4)? as usize;
    cut(rest, length)
}

fn cut(rest: &mut Bytes, length: usize) -> Result<Bytes, String> {
    if length > rest.len() {
        return Err(CUT.to_owned());
    }
    Ok(rest.split_to(length))
}

/// Reads a number of up to four bytes, the lowest first.
fn number(rest: &mut Bytes, bytes: usize) -> Result<u32, String> {
    let bytes = cut(rest, bytes)?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// How many bits a level takes.
fn width(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

/// Numbers of a width, as runs of one number or packed by bits.
struct Runs {
    rest: Bytes,
    width: u32,
    /// How often the number comes again.
    again: u64,
    number: u32,
    /// Numbers that are packed: how many are left, in which bytes, and at which bit.
    packed: (u64, Bytes, usize),
}

impl Runs {
    fn new(rest: Bytes, width: u32) -> Self {
        Self { rest, width, again: 0, number: 0, packed: (0, Bytes::new(), 0) }
    }

    fn next(&mut self) -> Result<u32, String> {
        loop {
            if self.again > 0 {
                self.again -= 1;
                return Ok(self.number);
            }
            if self.packed.0 > 0 {
                self.packed.0 -= 1;
                return self.unpacked();
            }
            let head = self.head()?;
            if head & 1 == 0 {
                self.again = head >> 1;
                self.number = number(&mut self.rest, self.width.div_ceil(8) as usize)?;
            } else {
                let groups = head >> 1;
                let bytes = groups.saturating_mul(u64::from(self.width));
                // The last group may end early.
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.rest.len());
                self.packed = (groups.saturating_mul(8), self.rest.split_to(bytes), 0);
            }
        }
    }

    fn unpacked(&mut self) -> Result<u32, String> {
        let (_, bytes, at) = &mut self.packed;
        let mut number = 0_u32;
        for bit in 0..self.width {
            let byte = bytes.get(*at / 8).ok_or_else(|| CUT.to_owned())?;
            number |= u32::from(byte >> (*at % 8) & 1) << bit;
            *at += 1;
        }
        Ok(number)
    }

    fn head(&mut self) -> Result<u64, String> {
        let mut out = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = number(&mut self.rest, 1)?;
            out |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(out);
            }
        }
        Err("a run of it has no end".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(bytes: &[u8], width: u32, count: usize) -> Result<Vec<u32>, String> {
        let mut runs = Runs::new(Bytes::copy_from_slice(bytes), width);
        (0..count).map(|_| runs.next()).collect()
    }

    #[test]
    fn runs_and_packed_numbers_follow_each_other() {
        // Four times 5, then eight numbers of three bits: 0 to 7.
        let bytes = [8, 5, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(runs(&bytes, 3, 12), Ok(vec![5, 5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(runs(&[4, 0x34, 0x12], 16, 2), Ok(vec![0x1234, 0x1234]));
        assert_eq!(runs(&[2], 0, 1), Ok(vec![0]));
    }

    #[test]
    fn runs_that_end_early_are_errors() {
        for (bytes, width) in [(&[][..], 1), (&[2], 1), (&[3], 8), (&[0xff; 9], 8), (&[0; 4], 0), (&[0x80], 1)] {
            assert!(runs(bytes, width, 1).is_err(), "{bytes:?}");
        }
        assert!(runs(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1], 8, 2).is_err());
    }
}
