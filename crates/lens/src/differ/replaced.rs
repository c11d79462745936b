//! What of a long value was replaced: an edit of a text is told without the text.

use super::emit::shorten;
use crate::format::{ValueChange, ValuePart};

/// Shortest values that are not told whole, in bytes.
const LONG: usize = 160;

/// Returns a change of a value that tells the new one whole, and of the old one at most the beginning.
pub(super) fn whole(old: &str, new: &str, without_old: bool) -> ValueChange {
    let (old, begins) = if without_old { (String::new(), false) } else { shorten(old) };
    let of = if begins { ValuePart::Beginning } else { ValuePart::Whole };
    ValueChange { old, of, new: new.to_owned() }
}

/// Returns what one place of a long value was replaced by, in whole words, with as many words before
/// it as tell the place; none where that is no shorter.
pub(super) fn replaced(old: &str, new: &str) -> Option<ValueChange> {
    if old.len().min(new.len()) < LONG {
        return None;
    }
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let begin: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let behind = old[begin..].chars().rev().zip(new[begin..].chars().rev());
    let end: usize = behind.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    // Up to white space on both sides.
    let mut from = last_word(&old[..begin]);
    let to_end = old[old.len() - end..].find(char::is_whitespace).map_or(0, |at| end - at);
    let to = old.len() - to_end;
    while from > 0 && (from == to || old.find(&old[from..to]) != old.rfind(&old[from..to])) {
        from = last_word(old[..from].trim_end());
    }
    let (part, put) = (&old[from..to], &new[from..new.len() - to_end]);
    let is_shorter = !part.is_empty() && 2 * (part.len() + put.len()) < new.len();
    let is_once = is_shorter && old.find(part) == old.rfind(part);
    is_once.then(|| ValueChange { old: part.to_owned(), of: ValuePart::Replaced, new: put.to_owned() })
}

/// Returns where what stands behind the last white space of a text begins.
fn last_word(text: &str) -> usize {
    text.rsplit(char::is_whitespace).next().map_or(0, |word| text.len() - word.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(times: &str, end: &str) -> String {
        format!(
            "{}The train leaves at {times} from Porto. {}{end}",
            "Some words before. ".repeat(8),
            "And after. ".repeat(8)
        )
    }

    #[test]
    fn an_edit_of_a_long_text_is_told_by_its_words() {
        let change = |old: &str, new: &str| replaced(old, new).map(|change| (change.old, change.new));
        let told = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(change(&text("11:40", "End."), &text("12:05", "End.")), told("11:40", "12:05"));
        assert_eq!(change(&text("11:40", "End."), &text("11:40", "End. Fin.")), told("End.", "End. Fin."));
        assert_eq!(change(&text("11:40", "End."), &text("", "End.")), told("11:40", ""));
        assert_eq!(change("short", "shorter"), None);
        assert_eq!(change(&text("11:40", ""), &"something else ".repeat(30)), None);
    }

    proptest! {
        #[test]
        fn what_is_replaced_leads_to_the_new_value(
            before in "[a-c é\n]{100,200}",
            was in "[a-c é]{0,12}",
            is in "[a-c é]{0,12}",
            after in "[a-c é\n]{100,200}",
        ) {
            let (old, new) = (format!("{before}{was}{after}"), format!("{before}{is}{after}"));
            if let Some(change) = replaced(&old, &new) {
                prop_assert_eq!(old.matches(&change.old).count(), 1);
                prop_assert_eq!(old.replacen(&change.old, &change.new, 1), new);
            }
        }
    }
}
