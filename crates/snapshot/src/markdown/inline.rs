//! Inlines as a run of pieces with marks, and back.
//!
//! In: inlines, or pieces as a page gives them. Out: inlines in normal form. Invariant:
//! the result depends only on the sets of marks of each piece, so building it again changes
//! nothing.

use super::tree::{Image, Inline};
use browserlens_core::page::text::folded;

/// What a stretch of text is marked as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Link(String),
    Strong,
    Strike,
    Emphasis,
}

impl Mark {
    fn rank(&self) -> u8 {
        match self {
            Self::Link(_) => 0,
            Self::Strong => 1,
            Self::Strike => 2,
            Self::Emphasis => 3,
        }
    }
}

/// A piece of a line with its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub kind: PieceKind,
    pub marks: Vec<Mark>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Text; blanks at its ends count.
    Text(String),
    Code(String),
    Image(Image),
    Break,
}

/// Where inlines stand: some places cannot hold everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineContext {
    Paragraph,
    /// One line: breaks are blanks.
    Line,
    /// A cell of a table: code with a `|` is text.
    Cell,
}

/// Takes inlines apart. Marks deeper than the four kinds say nothing new and are left out.
pub(crate) fn pieces(inlines: Vec<Inline>) -> Vec<Piece> {
    let mut out = Vec::new();
    take_apart(inlines, &mut Vec::new(), &mut out);
    out
}

fn take_apart(inlines: Vec<Inline>, marks: &mut Vec<Mark>, out: &mut Vec<Piece>) {
    for inline in inlines {
        let part = match inline {
            Inline::Text(text) => Err(PieceKind::Text(text)),
            Inline::Code(text) => Err(PieceKind::Code(text)),
            Inline::Image(image) => Err(PieceKind::Image(image)),
            Inline::Break => Err(PieceKind::Break),
            Inline::Emphasis(content) => Ok((Mark::Emphasis, content)),
            Inline::Strong(content) => Ok((Mark::Strong, content)),
            Inline::Strike(content) => Ok((Mark::Strike, content)),
            Inline::Link { url, content } => Ok((Mark::Link(clean_url(&url)), content)),
        };
        let (mark, content) = match part {
            Ok(marked) => marked,
            Err(kind) => {
                out.push(Piece { kind, marks: marks.clone() });
                continue;
            }
        };
        let new = !marks.iter().any(|known| known.rank() == mark.rank());
        if new {
            marks.push(mark);
        }
        take_apart(content, marks, out);
        if new {
            marks.pop();
        }
    }
}

/// Returns a character as it may stand in text: blanks of any kind as a blank, no control
/// characters.
pub(crate) fn clean_char(c: char) -> Option<char> {
    match c {
        c if c.is_whitespace() => Some(' '),
        c if c.is_control() => None,
        c => Some(c),
    }
}

/// Collapses blanks and trims.
pub(crate) fn clean_line(text: &str) -> String {
    folded(&text.chars().filter_map(clean_char).collect::<String>())
}

/// Encodes what cannot stand in the destination of a link: it would end it, or be read as something
/// else.
pub(crate) fn clean_url(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for c in url.trim().chars() {
        match c {
            c if c.is_control() || c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | '`' | '"' | '\\' | '|') => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// A word, code or image of a run, and what stands before it.
struct Token {
    kind: PieceKind,
    marks: Vec<Mark>,
    /// A blank stands before it.
    blank: bool,
    /// A hard break stands before it.
    broken: bool,
}

impl Token {
    /// Returns where the link leads in which it stands.
    fn link(&self) -> Option<&str> {
        self.marks.iter().find_map(|mark| if let Mark::Link(url) = mark { Some(url.as_str()) } else { None })
    }

    fn into_pieces(self) -> impl Iterator<Item = Piece> {
        let blank = self.blank.then(|| PieceKind::Text(" ".to_owned()));
        let broken = self.broken.then_some(PieceKind::Break);
        let before = blank.into_iter().chain(broken).map(|kind| Piece { kind, marks: Vec::new() });
        before.chain([Piece { kind: self.kind, marks: self.marks }])
    }
}

/// Builds inlines in normal form.
pub(crate) fn build(mut pieces: Vec<Piece>, place: InlineContext) -> Vec<Inline> {
    // Marks are a set: in whatever order they were opened, they are the same.
    pieces.iter_mut().for_each(|piece| piece.marks.sort_by_key(Mark::rank));
    let mut run = tokens(pieces, place);
    if code_to_text_in_first_link(&mut run) {
        // What is text now joins the text beside it.
        run = tokens(run.into_iter().flat_map(Token::into_pieces).collect(), place);
    }
    assemble(run)
}

/// Makes text of code that would define a link: where a line begins with a link, a `]:` in its code
/// ends the label of a definition, and code has no escapes. Returns whether there was any.
fn code_to_text_in_first_link(tokens: &mut [Token]) -> bool {
    let Some(first) = tokens.first().and_then(|token| token.link().map(str::to_owned)) else { return false };
    let mut found = false;
    for token in tokens.iter_mut().take_while(|token| token.link() == Some(&first)) {
        if let PieceKind::Code(text) = &mut token.kind
            && text.contains("]:")
        {
            token.kind = PieceKind::Text(std::mem::take(text));
            found = true;
        }
    }
    found
}

/// Cleans pieces: text collapsed, blanks and breaks kept only between what can be seen.
fn tokens(pieces: Vec<Piece>, place: InlineContext) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut blank, mut broken) = (false, false);
    for piece in pieces {
        let kind = match piece.kind {
            PieceKind::Break => {
                if place == InlineContext::Line {
                    blank = true;
                } else {
                    broken = true;
                }
                continue;
            }
            PieceKind::Code(text) => {
                let text = clean_line(&text);
                match (text.is_empty(), place == InlineContext::Cell && text.contains('|')) {
                    (true, _) => continue,
                    (_, true) => PieceKind::Text(text),
                    _ => PieceKind::Code(text),
                }
            }
            PieceKind::Image(image) => {
                let image = Image { url: clean_url(&image.url), alt: clean_line(&image.alt) };
                if image.url.is_empty() && image.alt.is_empty() {
                    continue;
                }
                PieceKind::Image(image)
            }
            PieceKind::Text(text) => PieceKind::Text(text),
        };
        let PieceKind::Text(text) = kind else {
            // Code that touches code would share its fence.
            if let (PieceKind::Code(more), false, Some(Token { kind: PieceKind::Code(last), marks, .. })) =
                (&kind, blank || broken, tokens.last_mut())
                && *marks == piece.marks
            {
                last.push_str(more);
                continue;
            }
            tokens.push(Token { kind, marks: piece.marks, blank, broken });
            (blank, broken) = (false, false);
            continue;
        };
        // A blank within the piece stays in it; one at an edge is nobody's.
        let mut held = String::with_capacity(text.len());
        let mut before = (false, false);
        for c in text.chars().filter_map(clean_char) {
            if c == ' ' {
                blank = true;
                continue;
            }
            if held.is_empty() {
                before = (blank, broken);
            } else if blank {
                held.push(' ');
            }
            (blank, broken) = (false, false);
            held.push(c);
        }
        if held.is_empty() {
            continue;
        }
        match tokens.last_mut() {
            Some(Token { kind: PieceKind::Text(last), marks, .. }) if *marks == piece.marks && !before.1 => {
                if before.0 {
                    last.push(' ');
                }
                last.push_str(&held);
            }
            _ => {
                let kind = PieceKind::Text(held);
                tokens.push(Token { kind, marks: piece.marks, blank: before.0, broken: before.1 });
            }
        }
    }
    if let Some(first) = tokens.first_mut() {
        (first.blank, first.broken) = (false, false);
    }
    tokens
}

/// Nests tokens by their marks: what is open stays open as long as it can, what opens together and
/// lasts longer stands outside.
fn assemble(tokens: Vec<Token>) -> Vec<Inline> {
    // For each token and kind of mark: how many tokens from here on carry the same mark.
    let mut lasting = vec![[0u32; 4]; tokens.len() + 1];
    for at in (0..tokens.len()).rev() {
        for mark in &tokens[at].marks {
            let rank = usize::from(mark.rank());
            let same = tokens.get(at + 1).is_some_and(|next| next.marks.contains(mark));
            lasting[at][rank] = 1 + if same { lasting[at + 1][rank] } else { 0 };
        }
    }
    // The marks that are open, below them the line itself.
    let mut stack: Vec<(Option<Mark>, Vec<Inline>)> = vec![(None, Vec::new())];
    for (at, token) in tokens.into_iter().enumerate() {
        let is_kept = |(open, _): &&(Option<Mark>, _)| open.as_ref().is_some_and(|mark| token.marks.contains(mark));
        let kept = stack.iter().skip(1).take_while(is_kept).count();
        while stack.len() > kept + 1 {
            close(&mut stack);
        }
        let mut new: Vec<Mark> =
            token.marks.into_iter().filter(|mark| !stack.iter().any(|(open, _)| open.as_ref() == Some(mark))).collect();
        new.sort_by_key(|mark| (std::cmp::Reverse(lasting[at][usize::from(mark.rank())]), mark.rank()));
        let between = match (token.broken, token.blank) {
            (true, _) => Some(Inline::Break),
            (_, true) => Some(Inline::Text(" ".to_owned())),
            _ => None,
        };
        if let (Some(between), Some((_, content))) = (between, stack.last_mut()) {
            push(content, between);
        }
        for mark in new {
            stack.push((Some(mark), Vec::new()));
        }
        let inline = match token.kind {
            PieceKind::Text(text) => Inline::Text(text),
            PieceKind::Code(text) => Inline::Code(text),
            PieceKind::Image(image) => Inline::Image(image),
            PieceKind::Break => Inline::Break,
        };
        if let Some((_, content)) = stack.last_mut() {
            push(content, inline);
        }
    }
    while stack.len() > 1 {
        close(&mut stack);
    }
    stack.pop().map(|(_, content)| content).unwrap_or_default()
}

fn push(content: &mut Vec<Inline>, inline: Inline) {
    match (content.last_mut(), inline) {
        (Some(Inline::Text(held)), Inline::Text(text)) => held.push_str(&text),
        (_, inline) => content.push(inline),
    }
}

fn close(stack: &mut Vec<(Option<Mark>, Vec<Inline>)>) {
    let Some((Some(mark), content)) = stack.pop() else { return };
    let inline = match mark {
        Mark::Link(url) => Inline::Link { url, content },
        Mark::Strong => Inline::Strong(content),
        Mark::Strike => Inline::Strike(content),
        Mark::Emphasis => Inline::Emphasis(content),
    };
    if let Some((_, above)) = stack.last_mut() {
        above.push(inline);
    }
}
