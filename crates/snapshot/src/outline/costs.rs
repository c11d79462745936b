//! What a line of an outline costs, and how it is shortened to what it may.

use super::{Line, MOST_TOKENS, write_line};
use browserlens_core::tokens::Encoding;
use rustc_hash::FxHashMap;

/// Lines of at most so many bytes need no counting: they are cheap enough.
const SURELY_CHEAP: usize = 25;

/// Cuts a text at the end of a word and says so; `always`: the text goes on beyond what is here.
pub(super) fn shortened(text: &str, longest: usize, always: bool) -> String {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return if always { format!("{text}...") } else { text.to_owned() };
    };
    let cut = &text[..end];
    let cut = match cut.rfind(' ') {
        Some(space) if space * 2 >= cut.len() => &cut[..space],
        _ => cut,
    };
    format!("{}...", cut.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// Shortens a line to what a line may cost: first its name, then what it counts.
pub(super) fn fit(line: &mut Line, costs: &mut Costs) {
    if costs.is_cheap(line) {
        return;
    }
    let whole = line.name.trim_end_matches("...").to_owned();
    for longest in [40, 24, 12, 6] {
        if whole.chars().count() > longest {
            line.name = shortened(&whole, longest, false);
            if costs.is_cheap(line) {
                return;
            }
        }
    }
    line.name.clear();
    if !costs.is_cheap(line) {
        line.meta.clear();
    }
}

/// What lines cost: most are made of the same words.
#[derive(Default)]
pub(super) struct Costs {
    /// Tokens of the pieces that were met.
    known: FxHashMap<Box<str>, u32>,
    text: String,
}

impl Costs {
    fn is_cheap(&mut self, line: &Line) -> bool {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write_line(&mut text, line);
        let cheap = text.len() <= SURELY_CHEAP || self.sum(&text) <= MOST_TOKENS;
        self.text = text;
        cheap
    }

    /// Adds up what the pieces of a text cost by themselves, which is hardly ever less than what
    /// they cost together: pieces end where the encoding lets no token go on.
    pub(super) fn sum(&mut self, text: &str) -> u32 {
        let mut sum = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_end(rest));
            rest = after;
            sum += match self.known.get(piece) {
                Some(cost) => *cost,
                None => {
                    let cost = Encoding::O200kBase.count(piece).0;
                    self.known.insert(piece.into(), cost);
                    cost
                }
            };
            if sum > MOST_TOKENS {
                break;
            }
        }
        sum
    }
}

/// Returns the end of the first piece: letters and the one character before them, up to three
/// digits, or what is neither.
fn piece_end(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let end_of = |from: usize, is_in: fn(char) -> bool| {
        text[from..].find(|c: char| !is_in(c)).map_or(text.len(), |length| from + length)
    };
    if first.is_numeric() {
        let most = text.char_indices().nth(3).map_or(text.len(), |(at, _)| at);
        return end_of(0, char::is_numeric).min(most);
    }
    if first.is_alphabetic() {
        return end_of(0, char::is_alphabetic);
    }
    match chars.next() {
        Some((at, second)) if second.is_alphabetic() => end_of(at, char::is_alphabetic),
        _ => {
            // Up to the last character before letters, which goes with them.
            let end = end_of(0, |c| !c.is_alphanumeric());
            let before_letters = text[end..].starts_with(char::is_alphabetic);
            let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
            if before_letters && last > 0 { last } else { end }
        }
    }
}
