//! The forms in which one secret may be written down.
//!
//! In: a secret. Out: every text that it becomes by the encodings of the web: JSON escapes (once
//! and twice), percent encoding, form encoding, HTML escapes, base64 at each of its three
//! alignments. Invariant: the secret itself is the first form.

use crate::json::escape;
use base64::Engine;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use browserlens_core::page::text::escaped_xml;

/// One form of a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Form {
    pub text: String,
    /// Whether the characters beside it hold bits of it as well.
    pub is_base64: bool,
}

/// Returns the forms of a secret, without repetition.
pub(crate) fn forms(secret: &str) -> Vec<Form> {
    let escaped = escape(secret).into_owned();
    let mut texts = vec![
        secret.to_owned(),
        escape(&escaped).into_owned(),
        secret.replace('/', "\\/"),
        ascii_json(secret),
        escaped_xml(secret),
        escaped,
    ];
    for kept in ["-_.!~*'()", "-_.~", "*-._"] {
        let encoded = percent(secret, kept, false);
        texts.push(encoded.replace("%20", "+"));
        texts.push(percent(secret, kept, true));
        texts.push(encoded);
    }
    let mut forms: Vec<Form> = texts.into_iter().map(|text| Form { text, is_base64: false }).collect();
    forms.extend(base64_forms(secret.as_bytes(), &STANDARD));
    forms.extend(base64_forms(secret.as_bytes(), &URL_SAFE));
    let mut seen = std::collections::BTreeSet::new();
    forms.retain(|form| seen.insert(form.text.clone()));
    forms
}

fn ascii_json(text: &str) -> String {
    let mut out = String::new();
    for character in escape(text).chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut units = [0; 2];
            character.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

fn percent(text: &str, kept: &str, lower: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else if lower {
            out.push_str(&format!("%{byte:02x}"));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Returns the characters that depend on the secret alone, for each position of it in the encoded
/// bytes.
fn base64_forms(secret: &[u8], alphabet: &Alphabet) -> Vec<Form> {
    const SHORTEST: usize = 5;
    let engine = GeneralPurpose::new(alphabet, GeneralPurposeConfig::new());
    let mut forms = Vec::new();
    for offset in 0..3usize {
        let bytes = [vec![0; offset], secret.to_vec()].concat();
        let encoded = engine.encode(&bytes);
        let core = encoded.get((offset * 8).div_ceil(6)..bytes.len() * 8 / 6).unwrap_or("");
        if core.len() >= SHORTEST {
            forms.push(Form { text: core.to_owned(), is_base64: true });
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn base64_of_any_text_around_the_secret_holds_one_of_its_forms(before in "[ -~]{0,7}", secret in "[ -~]{5,20}",
            after in "[ -~]{0,7}") {
            let engine = GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new());
            let encoded = engine.encode(format!("{before}{secret}{after}"));
            prop_assert!(forms(&secret).iter().any(|form| form.is_base64 && encoded.contains(&form.text)), "{}",
                encoded);
        }
    }

    #[test]
    fn a_secret_is_found_in_every_common_encoding() {
        let forms: Vec<String> = forms("p\"a ss/ü&1").into_iter().map(|form| form.text).collect();
        for form in [
            "p\\\"a ss/ü&1",
            "p\\\\\\\"a ss/ü&1",
            "p%22a%20ss%2F%C3%BC%261",
            "p%22a+ss%2F%C3%BC%261",
            "p&quot;a ss/ü&amp;1",
            "p\\\"a ss/\\u00fc&1",
        ] {
            assert!(forms.iter().any(|found| found == form), "{form} in {forms:?}");
        }
    }
}
