//! Texts and images that are embedded in the page, within a room in bytes.
//!
//! In: content hashes and screenshots. Out: what fits, in the same places. Invariants: the room is kept; all texts are cut at one length,
//! the largest that fits, so that no strategy is shown longer than another; what is cut or left out says so.

use super::escape::json_block_length;
use crate::numbers::thousands;
use crate::{Observations, ReportInput};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// Lengths in bytes at which texts are cut: the first at which all of them fit.
const CUTS: [usize; 10] = [65_536, 32_768, 16_384, 8_192, 4_096, 2_048, 1_024, 512, 256, 0];
/// What a text takes beside its characters: keys, braces, its whole length, its reason.
const FRAME: usize = 40;
/// What every PNG begins with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// An image that the page refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Picture<'a> {
    /// PNG bytes of the viewport.
    Screenshot(&'a [u8]),
    /// Content hash of an image of an observation.
    Stored(&'a str),
}

/// A text as it is embedded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Text {
    pub text: String,
    /// Bytes of the whole text where this is a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Embeds images within `room` bytes of base64: screenshots first, then those of observations.
pub(super) fn images(
    store: &dyn Observations,
    pictures: &[Picture<'_>],
    room: usize,
    left_out: &mut Vec<String>,
) -> Vec<Option<String>> {
    let mut embedded = vec![None; pictures.len()];
    let (mut used, mut too_much, mut unreadable) = (0_usize, 0_u64, 0_u64);
    let screenshots = pictures.iter().enumerate().filter(|(_, picture)| matches!(picture, Picture::Screenshot(_)));
    let stored = pictures.iter().enumerate().filter(|(_, picture)| matches!(picture, Picture::Stored(_)));
    for (at, picture) in screenshots.chain(stored) {
        let bytes = match picture {
            Picture::Screenshot(png) => Some(png.to_vec()),
            Picture::Stored(hash) => store.image(hash).ok().flatten(),
        };
        match bytes.filter(|bytes| bytes.starts_with(PNG)) {
            None => unreadable += 1,
            Some(bytes) if used + bytes.len().div_ceil(3) * 4 > room => too_much += 1,
            Some(bytes) => {
                let data = STANDARD.encode(bytes);
                used += data.len();
                embedded[at] = Some(data);
            }
        }
    }
    if too_much > 0 {
        left_out.push(format!(
            "{} of {} images are not in the page, to keep it small.",
            thousands(too_much),
            thousands(pictures.len() as u64)
        ));
    }
    if unreadable > 0 {
        left_out.push(format!("{} images could not be read from the observation store.", thousands(unreadable)));
    }
    embedded
}

/// Embeds texts within `room` bytes of a JSON block.
pub(super) fn texts(input: &ReportInput<'_>, hashes: &[&str], room: usize, left_out: &mut Vec<String>) -> Vec<Text> {
    let mut texts: Vec<Text> = hashes.iter().map(|hash| read(input.observations, hash)).collect();
    let missing = texts.iter().filter(|text| text.missing.is_some()).count();
    let length = |text: &Text, cut: usize| {
        let reason = text.missing.as_deref().map_or(0, json_block_length);
        FRAME + reason + json_block_length(&text.text[..floor_char(&text.text, cut)])
    };
    let fits = |cut: &&usize| texts.iter().map(|text| length(text, **cut)).sum::<usize>() <= room;
    let cut = CUTS.iter().find(fits).copied().unwrap_or(0);
    texts.iter_mut().for_each(|text| shorten(text, cut));
    let count = texts.iter().filter(|text| text.cut.is_some()).count();
    if count > 0 {
        left_out.push(format!(
            "{} of {} texts are cut after {} bytes in the step viewer, to keep the page small; the full texts lie in {}.",
            thousands(count as u64),
            thousands(texts.len() as u64),
            thousands(cut as u64),
            store_name(input)
        ));
    }
    if missing > 0 {
        left_out.push(format!("{} texts could not be read from {}.", thousands(missing as u64), store_name(input)));
    }
    texts
}

fn store_name<'a>(input: &ReportInput<'a>) -> &'a str {
    if input.about.store.is_empty() { "the run's observation store" } else { &input.about.store }
}

fn read(store: &dyn Observations, hash: &str) -> Text {
    let missing =
        |reason: String| Text { text: String::new(), cut: None, missing: Some(reason.chars().take(300).collect()) };
    match store.text(hash) {
        Ok(Some(text)) => {
            let mut text = Text { text, cut: None, missing: None };
            // Nothing longer is ever embedded: let go of the rest before the next is read.
            shorten(&mut text, CUTS[0]);
            text
        }
        Ok(None) => missing("the observation store does not have this text".to_owned()),
        Err(error) => missing(error.to_string()),
    }
}

fn shorten(text: &mut Text, cut: usize) {
    if text.text.len() > cut {
        text.cut = text.cut.or(Some(text.text.len()));
        text.text.truncate(floor_char(&text.text, cut));
        text.text.shrink_to_fit();
    }
}

/// Returns the last boundary between characters that is not behind `at`.
fn floor_char(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    fn png(length: usize) -> Vec<u8> {
        let mut bytes = PNG.to_vec();
        bytes.resize(length, 7);
        bytes
    }

    #[test]
    fn texts_are_cut_at_one_length_between_characters_and_say_so() {
        let mut run = made_up::run();
        run.texts.insert("long".into(), "é<".repeat(30_000));
        run.texts.insert("short".into(), "short".into());
        let mut left_out = Vec::new();
        let embedded = texts(&run.input(), &["long", "short", "absent", "damaged"], 20_000, &mut left_out);
        assert_eq!(embedded[0].cut, Some(90_000));
        // Byte 4,096 lies inside an "é".
        assert_eq!(embedded[0].text.len(), 4_095);
        assert_eq!((embedded[1].text.as_str(), embedded[1].cut), ("short", None));
        assert_eq!(embedded[3].missing.as_deref(), Some("the store's entry is damaged"));
        assert!(serde_json::to_string(&embedded).unwrap().replace('<', "\\u003c").len() <= 20_000);
        assert!(
            left_out[0].contains("1 of 4 texts are cut after 4,096 bytes") && left_out[0].contains("observations/"),
            "{left_out:?}"
        );
        assert!(left_out[1].starts_with("2 texts could not be read"));
    }

    #[test]
    fn texts_and_images_come_from_the_store_of_replay() {
        let folder = tempfile::tempdir().unwrap();
        let store = browserlens_replay::Store::open(folder.path());
        let (text, image) = (store.put_text("- button \"Go\"").unwrap(), store.put_image(&png(20)).unwrap());
        let mut run = made_up::run();
        run.measurements.clear();
        let mut input = run.input();
        input.observations = &store;
        let absent = "0".repeat(64);
        let embedded = texts(&input, &[&text, &absent], 10_000, &mut Vec::new());
        assert_eq!(embedded[0].text, "- button \"Go\"");
        assert!(embedded[1].missing.as_deref().unwrap().contains("does not have"));
        let embedded = images(&store, &[Picture::Stored(&image), Picture::Stored(&absent)], 10_000, &mut Vec::new());
        assert!(embedded[0].is_some() && embedded[1].is_none());
    }

    #[test]
    fn images_keep_to_their_room_and_screenshots_come_first() {
        let mut run = made_up::run();
        run.images.insert("shot".into(), png(300));
        let screenshot = png(300);
        let mut left_out = Vec::new();
        let pictures =
            [Picture::Stored("shot"), Picture::Screenshot(&screenshot), Picture::Screenshot(b"<svg onload=alert(1)>")];
        let embedded = images(&run, &pictures, 500, &mut left_out);
        assert_eq!((embedded[0].is_some(), embedded[1].is_some(), embedded[2].is_some()), (false, true, false));
        assert_eq!(left_out.len(), 2);
    }
}
