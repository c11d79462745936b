//! What stands in place of a secret.
//!
//! In: a secret and a key. Out: a text of equal length and kind: digits for digits, letters for
//! letters of the same case and the same number of UTF-8 bytes, anything else kept. Invariants:
//! equal secrets give equal placeholders under one key, and a placeholder is never the secret
//! itself, unless there is nothing in it to replace.

/// What stands in place of a secret in what is shown and not stored: nobody takes it for a value.
pub const MASK: &str = "••••••";

/// Makes placeholders under one key; without one each is [`MASK`].
#[derive(Clone)]
pub(crate) struct Placeholders {
    key: Option<[u8; 32]>,
}

impl Placeholders {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self { key: Some(key) }
    }

    pub(crate) fn masks() -> Self {
        Self { key: None }
    }

    pub(crate) fn are_masks(&self) -> bool {
        self.key.is_none()
    }

    /// Returns the placeholder of a secret.
    pub(crate) fn of(&self, secret: &str) -> String {
        let Some(key) = &self.key else {
            return if secret.is_empty() { String::new() } else { MASK.to_owned() };
        };
        let mut placeholder = String::new();
        // One code in ten thousand is its own placeholder at the first try.
        for attempt in 0u32..64 {
            placeholder = attempt_at(key, secret, attempt);
            if placeholder != secret {
                break;
            }
        }
        placeholder
    }
}

fn attempt_at(key: &[u8; 32], secret: &str, attempt: u32) -> String {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&attempt.to_le_bytes());
    hasher.update(secret.as_bytes());
    let mut stream = hasher.finalize_xof();
    let mut draw = |from: u32| {
        let mut bytes = [0; 8];
        stream.fill(&mut bytes);
        (u64::from_le_bytes(bytes) % u64::from(from)) as u32
    };
    let any_word = secret.chars().any(char::is_alphanumeric);
    let mut out = String::with_capacity(secret.len());
    let mut rest = secret;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        let next_hex = |count: usize, skip: usize| {
            rest.get(skip..skip + count)
                .is_some_and(|hex| hex.len() == count && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        // Escapes stay escapes, so that what is encoded inside a value can still be decoded.
        if character == '%' && next_hex(2, 0) {
            out.push_str(&format!("%6{:X}", 1 + draw(15)));
            rest = &rest[2..];
        } else if character == '\\' && rest.starts_with('u') && next_hex(4, 1) {
            out.push_str(&format!("\\u006{:x}", 1 + draw(15)));
            rest = &rest[5..];
        } else if character == '\\' && rest.starts_with(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']) {
            out.push(character);
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        } else {
            out.push(like(character, any_word, &mut draw));
        }
    }
    out
}

/// Returns a character of the same kind.
fn like(character: char, any_word: bool, draw: &mut impl FnMut(u32) -> u32) -> char {
    const MARKS: &[u8] = b"!#$*+-.:;=?@^_~";
    let pick = |from: char, offset: u32| char::from_u32(from as u32 + offset).unwrap_or(from);
    match character {
        '0'..='9' => pick('0', draw(10)),
        'a'..='z' => pick('a', draw(26)),
        'A'..='Z' => pick('A', draw(26)),
        // A secret of marks alone would otherwise stand as it is.
        mark if !any_word && mark.is_ascii_punctuation() => char::from(MARKS[draw(MARKS.len() as u32) as usize]),
        letter if letter.is_alphanumeric() && !letter.is_ascii() => match (letter.len_utf8(), letter.is_uppercase()) {
            (2, true) => pick('Α', draw(17)),
            (2, false) => pick('α', draw(17)),
            (3, _) => pick('一', draw(20_000)),
            _ => pick('\u{20000}', draw(40_000)),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn kind_and_length_stay() {
        let placeholders = Placeholders::new([7; 32]);
        let made = placeholders.of("Hunter-2 %C3%BC größe");
        let shape = |text: &str| -> String {
            text.chars()
                .map(|character| match character {
                    '0'..='9' => '9',
                    letter if letter.is_uppercase() => 'A',
                    letter if letter.is_alphabetic() => 'a',
                    other => other,
                })
                .collect()
        };
        assert_eq!(shape(&made)[..8], shape("Hunter-2")[..8]);
        assert!(made.contains("%6"), "{made}");
        assert_eq!(made.len(), "Hunter-2 %C3%BC größe".len());
        assert_eq!(placeholders.of("••••"), "••••");
        assert_ne!(placeholders.of("!!!!"), "!!!!");
        assert_eq!((Placeholders::masks().of("hunter2").as_str(), Placeholders::masks().of("").as_str()), (MASK, ""));
    }

    #[test]
    fn no_four_digit_code_is_its_own_placeholder() {
        let placeholders = Placeholders::new([7; 32]);
        assert!((0..10_000).all(|code| placeholders.of(&format!("{code:04}")) != format!("{code:04}")));
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length_in_bytes_characters_and_utf16(text in any::<String>()) {
            let made = Placeholders::new([1; 32]).of(&text);
            prop_assert_eq!(made.len(), text.len());
            prop_assert_eq!(made.chars().count(), text.chars().count());
            prop_assert_eq!(made.encode_utf16().count(), text.encode_utf16().count());
            prop_assert_eq!(&made, &Placeholders::new([1; 32]).of(&text));
        }
    }
}
