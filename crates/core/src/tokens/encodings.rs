//! The encodings as `bpe-openai` breaks texts up, over tables that hold what counting asks.
//!
//! In: the tables that the build wrote. Out: tokenizers, built when they are first asked for.
//! Invariants: counts are those of the whole tables; nothing but counting, splitting and
//! `BytePairEncoding::encode_via_backtracking` is asked of them, since what other ways of
//! encoding need is left out. Why not `bpe_openai::o200k_base()`: its tables are 47 MB of every
//! program, and most of that is never read or follows from the rest.

use crate::tokens::packed::{Ids, Packed};
use bpe_openai::Tokenizer;
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::sync::LazyLock;

/// White space before a word, with one character that is looked ahead at, and other white space.
const SPACES: [(&str, bool); 2] = [("\\s+\\s", true), ("\\s+", false)];

/// Pieces of a text that tokens never cross, as `tiktoken` publishes them for `o200k_base`.
const O200K_PIECES: [&str; 6] = [
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|\
        'd)?",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|\
        'd)?",
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
    "\\s*[\\r\\n]+",
    "\\s+$",
];

/// The same for `cl100k_base`.
const CL100K_PIECES: [&str; 6] = [
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+",
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*",
    "\\s*[\\r\\n]+",
    "\\s+$",
];

/// An encoding, and what is one token as it stands: most pieces of a text are, and need not be
/// broken up.
pub(crate) struct Fast {
    pub tokenizer: Tokenizer,
    single: Ids,
}

impl Fast {
    fn of(tables: &[u8], pieces: &[&str]) -> Self {
        let unpacked = || {
            let mut read = Vec::new();
            DeflateDecoder::new(tables).read_to_end(&mut read).ok()?;
            let (tables, single) = rmp_serde::from_slice::<Packed>(&read).ok()?.unpacked()?;
            let encoding = rmp_serde::from_slice(&rmp_serde::to_vec_named(&tables).ok()?).ok()?;
            Some((encoding, single))
        };
        let (encoding, single) = unpacked().expect("the build wrote them as they are read");
        let words = pieces.join("|");
        let [before, other] = SPACES;
        let tokenizer = Tokenizer::new_lookahead(encoding, &[(&words, false), before, other], false);
        Self { tokenizer: tokenizer.expect("the expressions are right"), single }
    }

    /// Returns the number of tokens of a piece, if that is at most `limit`.
    pub fn within(&self, piece: &str, limit: usize) -> Option<usize> {
        if self.single.contains_key(piece.as_bytes()) {
            return (limit > 0).then_some(1);
        }
        self.tokenizer.bpe.count_till_limit(piece.as_bytes(), limit)
    }

    /// Returns the number of tokens of a text.
    pub fn count(&self, text: &str) -> usize {
        let of_piece = |piece: &str| match self.single.contains_key(piece.as_bytes()) {
            true => 1,
            false => self.tokenizer.bpe.count(piece.as_bytes()),
        };
        self.tokenizer.split(text).map(of_piece).sum()
    }
}

pub(crate) static O200K: LazyLock<Fast> =
    LazyLock::new(|| Fast::of(include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.tables")), &O200K_PIECES));

pub(crate) static CL100K: LazyLock<Fast> =
    LazyLock::new(|| Fast::of(include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.tables")), &CL100K_PIECES));
