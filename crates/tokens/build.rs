//! Writes the tables of both encodings without what counting never asks, compressed: 10 MB where
//! they were 47.
//!
//! In: the tables of `bpe-openai`. Out: `<encoding>.tables` in the folder of the build, as `bpe`
//! reads its tables, deflated. Invariants: what breaks a text up by backtracking is all there
//! (lengths, merges, the automaton of longest tokens); the two automata of overlapping tokens and
//! the tokens by hash, which other ways of encoding need, are empty ones. Fields are read and
//! written by name: a `bpe` whose tables have other fields fails the build, and one that counts by
//! others a test.

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The fields of [`BytePairEncoding`], which keeps them to itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    all_tokens: Vec<u8>,
    token_starts: Vec<u32>,
    bytes_hash_to_token: BTreeMap<u32, u32>,
    split_table: Vec<(u32, u32)>,
    pair_lookup: BTreeMap<(u32, u32), u32>,
    longest_searcher: ByteBuf,
    overlapping_searcher: ByteBuf,
    overlapping_searcher_rev: ByteBuf,
    next_prefix_match: Vec<u32>,
    hash_factor: u64,
}

fn tables(encoding: &BytePairEncoding) -> Result<Tables, Box<dyn Error>> {
    rmp_serde::from_slice(&rmp_serde::to_vec_named(encoding)?).map_err(|error| {
        format!(
            "crates/tokens/build.rs: the tables of `bpe` have other fields than `Tables` names ({error}): read \
            what counting asks of them anew, or pin the version before"
        )
        .into()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("OUT_DIR")?;
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let least = tables(&BytePairEncoding::from_dictionary(bytes, None))?;
    for (name, encoding) in
        [("o200k_base", &bpe_openai::o200k_base().bpe), ("cl100k_base", &bpe_openai::cl100k_base().bpe)]
    {
        let kept = Tables {
            bytes_hash_to_token: BTreeMap::new(),
            overlapping_searcher: least.overlapping_searcher.clone(),
            overlapping_searcher_rev: least.overlapping_searcher_rev.clone(),
            ..tables(encoding)?
        };
        let file = File::create(Path::new(&folder).join(format!("{name}.tables")))?;
        // The fastest level: a better one saves 5 %, and this runs unoptimised in every build.
        let mut tables = DeflateEncoder::new(file, Compression::fast());
        tables.write_all(&rmp_serde::to_vec_named(&kept)?)?;
        tables.finish()?;
    }
    Ok(())
}
