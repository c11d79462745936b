//! Texts and pictures that are embedded in the page, within a room in bytes.
//!
//! In: content hashes. Out: what fits, in the same places. Invariants: the room is kept; all texts
//! are cut at one length, the largest that fits, so that no strategy is shown longer than another;
//! what is cut or left out says so; a picture is a JPEG that we wrote ourselves.

use crate::numbers::thousands;
use crate::preview::{self, Size};
use crate::{Observations, ReportError, ReportInput};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browserlens_core::page::text::{count_unseen, escaped};
use browserlens_core::tokens::Encoding;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::fmt::Write as _;
use std::io::Write as _;

/// What a data block's tags take, in bytes.
pub(super) const TAGS: usize = 80;
/// Lengths in bytes at which texts are cut: the first at which all of them fit.
pub(super) const CUTS: [usize; 10] = [65_536, 32_768, 16_384, 8_192, 4_096, 2_048, 1_024, 512, 256, 0];

/// A text as it is embedded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Text {
    /// As it was shown; written with what nobody sees escaped.
    #[serde(serialize_with = "seen")]
    pub text: String,
    /// Tokens of each line with its line end, counted line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heat: Vec<u32>,
    /// Bytes of the whole text where this is a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
    /// How many characters of the whole text nobody sees: they stand as escapes.
    #[serde(skip_serializing_if = "is_zero")]
    pub unseen: u64,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl Text {
    /// Takes a text, no more of it than `limit`.
    pub fn of(text: String, limit: usize) -> Self {
        let mut text = Self { unseen: count_unseen(&text), text, ..Self::default() };
        text.shorten(limit);
        text
    }

    /// Reads a text of the store, no more of it than is ever embedded.
    pub fn read(store: &dyn Observations, hash: &str) -> Self {
        let missing =
            |reason: String| Self { missing: Some(escaped(&reason).chars().take(300).collect()), ..Self::default() };
        match store.text(hash) {
            Ok(Some(text)) => Self::of(text, CUTS[0]),
            Ok(None) => missing("the observation store does not have this text".to_owned()),
            Err(error) => missing(error.to_string()),
        }
    }

    /// Counts the tokens of each line.
    pub fn count(&mut self) {
        self.heat = self.text.split_inclusive('\n').map(|line| Encoding::O200kBase.count(line).0).collect();
    }

    /// Cuts the text at the end of a line where there is one, else between characters.
    pub fn shorten(&mut self, limit: usize) {
        if self.text.len() <= limit {
            return;
        }
        self.cut = self.cut.or(Some(self.text.len()));
        let at = self.text.floor_char_boundary(limit);
        let at = self.text[..at].rfind('\n').map_or(at, |line| line + 1);
        self.text.truncate(at);
        self.text.shrink_to_fit();
        let lines = self.text.split_inclusive('\n').count();
        self.heat.truncate(lines);
        if let (Some(last), Some(line)) = (self.heat.last_mut(), self.text.split_inclusive('\n').next_back()) {
            *last = Encoding::O200kBase.count(line).0;
        }
    }
}

fn seen<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&escaped(text))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Says how many texts were cut, and how many are not there.
pub(super) fn texts_in_words<'t>(
    input: &ReportInput<'_>,
    texts: impl Iterator<Item = &'t Text>,
    cut: usize,
    left_out: &mut Vec<String>,
) {
    let (mut all, mut shortened, mut missing) = (0_u64, 0_u64, 0_u64);
    for text in texts {
        all += 1;
        shortened += u64::from(text.cut.is_some());
        missing += u64::from(text.missing.is_some());
    }
    let store = store_name(input);
    if shortened > 0 {
        left_out.push(format!(
            "{} of {} texts are cut after {} bytes in the step viewer, to keep the page small; the full texts lie in \
                {store}.",
            thousands(shortened),
            thousands(all),
            thousands(cut as u64),
        ));
    }
    if missing > 0 {
        left_out.push(format!("{} texts could not be read from {store}.", thousands(missing)));
    }
}

fn store_name<'a>(input: &ReportInput<'a>) -> &'a str {
    if input.about.store.is_empty() { "the run's observation store" } else { &input.about.store }
}

/// Embeds pictures within `room` bytes of base64: those of the first group first, then the others.
/// The pictures of a group are all smaller where they do not fit, and its last ones are left out
/// where that is not enough.
pub(super) fn pictures(
    store: &dyn Observations,
    groups: [&[&str]; 2],
    room: usize,
    left_out: &mut Vec<String>,
) -> Vec<Option<String>> {
    let length = |bytes: &[u8]| bytes.len().div_ceil(3) * 4;
    let mut embedded = Vec::new();
    let (mut used, mut too_much, mut unreadable) = (0_usize, 0_u64, 0_u64);
    for hashes in groups.into_iter().filter(|hashes| !hashes.is_empty()) {
        let mut found = store.previews(hashes, Size::Wide);
        if found.iter().flatten().map(|bytes| length(bytes)).sum::<usize>() > room.saturating_sub(used) {
            found = store.previews(hashes, Size::Narrow);
        }
        for bytes in found {
            embedded.push(match bytes.filter(|bytes| bytes.starts_with(preview::JPEG)) {
                None => {
                    unreadable += 1;
                    None
                }
                Some(bytes) if used + length(&bytes) > room => {
                    too_much += 1;
                    None
                }
                Some(bytes) => {
                    used += length(&bytes);
                    Some(STANDARD.encode(bytes))
                }
            });
        }
    }
    if too_much > 0 {
        left_out.push(format!(
            "{} of {} images are not in the page, to keep it small.",
            thousands(too_much),
            thousands(embedded.len() as u64)
        ));
    }
    if unreadable > 0 {
        left_out.push(format!("{} images could not be read from the observation store.", thousands(unreadable)));
    }
    embedded
}

/// Writes the blocks `name-0`, … within `room` bytes, shortened to the largest of [`CUTS`] at which
/// all of them fit: that length, none where no length does, and how many blocks are left out then.
///
/// # Errors
/// [`ReportError::Viewer`] if a block cannot be written as JSON, [`ReportError::Packing`] if it
/// cannot be compressed.
pub(super) fn fit<B: Serialize + Sync>(
    out: &mut String,
    name: &str,
    blocks: &mut [B],
    room: usize,
    shorten: impl Fn(&mut B, usize),
) -> Result<(Option<usize>, u64), ReportError> {
    let pack = |block: &B| {
        let json = serde_json::to_string(block).map_err(ReportError::Viewer)?;
        packed(&json).map_err(ReportError::Packing)
    };
    let (mut fitting, mut all) = (None, Vec::new());
    for cut in CUTS {
        blocks.iter_mut().for_each(|block| shorten(block, cut));
        all = blocks.par_iter().map(pack).collect::<Result<Vec<String>, _>>()?;
        if all.iter().map(|block| block.len() + TAGS).sum::<usize>() <= room {
            fitting = Some(cut);
            break;
        }
    }
    let (mut used, mut dropped) = (0, 0);
    for (at, block) in all.iter().enumerate() {
        if used + block.len() + TAGS > room {
            dropped += 1;
        } else {
            used += block.len() + TAGS;
            block_of(out, &format!("{name}-{at}"), block);
        }
    }
    Ok((fitting, dropped))
}

/// Base64 has no character that could end the block.
pub(super) fn block_of(out: &mut String, id: &str, base64: &str) {
    let _ = writeln!(out, "<script type=\"text/plain\" id=\"{id}\">{base64}</script>");
}

/// Compresses text for a data block of the page: base64 of zlib, which holds no `<`.
fn packed(text: &str) -> std::io::Result<String> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(text.len() / 4), Compression::new(6));
    encoder.write_all(text.as_bytes())?;
    Ok(STANDARD.encode(encoder.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use std::io::Read;

    #[test]
    fn texts_are_cut_at_a_line_and_keep_what_each_line_costs() {
        let mut text = Text { text: "- one\n- two words\n- three".to_owned(), ..Text::default() };
        text.count();
        assert_eq!(text.heat.len(), 3);
        assert_eq!(text.heat[0], Encoding::O200kBase.count("- one\n").0);
        text.shorten(20);
        assert_eq!((text.text.as_str(), text.heat.len(), text.cut), ("- one\n- two words\n", 2, Some(25)));
        let mut text = Text { text: "é".repeat(50), ..Text::default() };
        text.count();
        text.shorten(21);
        assert_eq!((text.text.chars().count(), text.cut), (10, Some(100)));
        assert_eq!(text.heat, [Encoding::O200kBase.count(&"é".repeat(10)).0]);
    }

    #[test]
    fn a_text_that_is_missing_or_damaged_says_why_in_its_place() {
        let run = made_up::run();
        assert!(Text::read(&run, "damaged").missing.unwrap().contains("damaged"));
        assert!(Text::read(&run, "absent").missing.unwrap().contains("does not have this text"));
    }

    #[test]
    fn pictures_keep_to_their_room_and_what_is_no_picture_is_not_embedded() {
        let mut run = made_up::run();
        run.images.insert("a".into(), made_up::png(900, 600));
        run.images.insert("b".into(), b"<svg onload=alert(1)>".to_vec());
        let mut left_out = Vec::new();
        let embedded = pictures(&run, [&["a"], &["b", "absent"]], 1_000_000, &mut left_out);
        assert_eq!((embedded[0].is_some(), embedded[1].is_some(), embedded[2].is_some()), (true, false, false));
        assert!(STANDARD.decode(embedded[0].as_deref().unwrap()).unwrap().starts_with(preview::JPEG));
        assert_eq!(left_out, ["2 images could not be read from the observation store."]);
        let mut left_out = Vec::new();
        assert_eq!(pictures(&run, [&["a"], &[]], 10, &mut left_out), [None]);
        assert_eq!(left_out, ["1 of 1 images are not in the page, to keep it small."]);
    }

    #[test]
    fn packed_text_reads_back_and_cannot_leave_its_block() {
        let text = "</script><!-- é".repeat(100);
        let block = packed(&text).unwrap();
        assert!(!block.contains('<') && block.len() < text.len());
        let mut back = String::new();
        flate2::read::ZlibDecoder::new(&STANDARD.decode(block).unwrap()[..]).read_to_string(&mut back).unwrap();
        assert_eq!(back, text);
    }
}
