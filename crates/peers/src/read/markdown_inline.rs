//! What stands inside a block of Markdown: text and links.
//!
//! In: the text of one block. Out: its pieces in order, as plain words: emphasis, code marks,
//! escapes and targets are gone, an image is what it is described by. Invariant: linear time;
//! markers without a partner stay text.

/// How far a link's target is looked for, in bytes.
const TARGET_LIMIT: usize = 4096;

/// A run of text, or a link by its words.
#[derive(Debug)]
pub(super) struct Piece {
    /// The words.
    pub text: String,
    /// Whether they are a link's.
    pub is_link: bool,
}

/// Splits the text of a block at its links.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let closing = brackets(text);
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let is_image = rest.starts_with("![");
        let open = at + usize::from(is_image);
        let target = closing.get(open).copied().flatten().and_then(|close| Some((close, target_end(text, close + 1)?)));
        match target {
            Some((close, end)) => {
                let inner = &text[open + 1..close];
                if is_image {
                    plain.push_str(inner);
                } else {
                    add(&mut pieces, &mut plain);
                    let name = without_emphasis(&without_images(inner)).trim().to_owned();
                    if !name.is_empty() {
                        pieces.push(Piece { text: name, is_link: true });
                    }
                }
                at = end;
            }
            None => {
                let end = if let Some(after) = rest.strip_prefix('\\') {
                    1 + after.chars().next().map_or(0, char::len_utf8)
                } else {
                    rest.chars().next().map_or(1, char::len_utf8)
                };
                plain.push_str(&rest[..end]);
                at += end;
            }
        }
    }
    add(&mut pieces, &mut plain);
    pieces
}

fn add(pieces: &mut Vec<Piece>, plain: &mut String) {
    let text = without_emphasis(plain);
    if !text.trim().is_empty() {
        pieces.push(Piece { text, is_link: false });
    }
    plain.clear();
}

/// Returns, for every byte that opens a bracket, where the bracket closes.
fn brackets(text: &str) -> Vec<Option<usize>> {
    let mut closing = vec![None; text.len()];
    let mut open = Vec::new();
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => open.push(at),
            b']' => {
                if let Some(start) = open.pop() {
                    closing[start] = Some(at);
                }
            }
            _ => {}
        }
    }
    closing
}

/// Returns where the target `(url "title")` that starts at `start` ends.
fn target_end(text: &str, start: usize) -> Option<usize> {
    if !text.get(start..)?.starts_with('(') {
        return None;
    }
    let mut depth = 0;
    let mut quoted = false;
    for (offset, byte) in text.as_bytes()[start..].iter().take(TARGET_LIMIT).enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(start + offset + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Leaves of images what they are described by.
fn without_images(text: &str) -> String {
    let closing = brackets(text);
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("![") {
        let open = at + found + 1;
        out.push_str(&text[at..open - 1]);
        match closing[open].and_then(|close| Some((close, target_end(text, close + 1)?))) {
            Some((close, end)) => {
                out.push_str(&text[open + 1..close]);
                at = end;
            }
            None => {
                out.push_str("![");
                at = open + 1;
            }
        }
    }
    out.push_str(&text[at..]);
    out
}

/// Takes emphasis, code marks, escapes and the brackets of bare URLs away.
fn without_emphasis(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut gone = vec![false; chars.len()];
    // Open runs: the character, its length and where it starts.
    let mut open: Vec<(char, usize, usize)> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c == '\\' && chars.get(at + 1).is_some_and(char::is_ascii_punctuation) {
            gone[at] = true;
            at += 2;
            continue;
        }
        if !matches!(c, '*' | '_' | '`' | '~') {
            at += 1;
            continue;
        }
        let length = chars[at..].iter().take_while(|next| **next == c).count();
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + length).copied();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        // `snake_case` is a word; a star may stand inside one.
        let may_open = !is_blank(after) && (c != '_' || !is_word(before));
        let may_close = !is_blank(before) && (c != '_' || !is_word(after));
        let start = if may_close { open.iter().rposition(|run| (run.0, run.1) == (c, length)) } else { None };
        if let Some(start) = start {
            let (_, _, from) = open[start];
            open.truncate(start);
            gone[from..from + length].fill(true);
            gone[at..at + length].fill(true);
        } else if may_open && (c != '~' || length == 2) && open.len() < 8 {
            open.push((c, length, at));
        }
        at += length;
    }
    chars.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(c, _)| *c).collect()
}
