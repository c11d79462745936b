//! Writes the tables of both encodings without what counting never asks and what follows from the
//! rest, compressed: 5 MB where they were 47.
//!
//! In: the tables of `bpe-openai`. Out: `<encoding>.tables` in the folder of the build, as
//! `src/tokens/packed.rs` reads them, deflated. Invariants: what breaks a text up by backtracking is all
//! there (lengths, merges, the automaton of longest tokens); the two automata of overlapping tokens
//! and the tokens by hash, which other ways of encoding need, are empty ones. Fields are read and
//! written by name: a `bpe` whose tables have other fields, or fields that follow otherwise, fails
//! the build, and one that counts by others a test.

#[path = "src/tokens/packed.rs"]
mod packed;

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use packed::{Packed, Tables};
use rustc_hash::FxHashMap;
use serde_bytes::ByteBuf;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;

fn tables(encoding: &BytePairEncoding) -> Result<Tables, Box<dyn Error>> {
    rmp_serde::from_slice(&rmp_serde::to_vec_named(encoding)?).map_err(|error| {
        format!(
            "crates/core/build.rs: the tables of `bpe` have other fields than `Tables` names ({error}): read \
            what counting asks of them anew, or pin the version before"
        )
        .into()
    })
}

fn packed(tables: &Tables) -> Result<Packed, Box<dyn Error>> {
    let length = |token: u32| tables.token_starts[token as usize + 1] - tables.token_starts[token as usize];
    let (mut lengths, mut first_lengths, mut prefix_lengths) = (Vec::new(), Vec::new(), Vec::new());
    for (((first, _), prefix), token) in tables.split_table.iter().zip(&tables.next_prefix_match).zip(0..) {
        lengths.push(u8::try_from(length(token))?);
        first_lengths.push(u8::try_from(if *first == token { 0 } else { length(*first) })?);
        prefix_lengths.push(u8::try_from(if *prefix == u32::MAX { 0 } else { length(*prefix) })?);
    }
    Ok(Packed {
        all_tokens: ByteBuf::from(tables.all_tokens.clone()),
        lengths: lengths.into(),
        first_lengths: first_lengths.into(),
        prefix_lengths: prefix_lengths.into(),
        longest_searcher: tables.longest_searcher.clone(),
        overlapping_searcher: tables.overlapping_searcher.clone(),
        hash_factor: tables.hash_factor,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/packed.rs");
    let folder = std::env::var("OUT_DIR")?;
    // A better level runs for long where a build script is not optimised, and is worth it only in what is given away.
    let is_given = std::env::var("PROFILE")? == "release";
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let least = tables(&BytePairEncoding::from_dictionary(bytes, None))?;
    for (name, encoding) in
        [("o200k_base", &bpe_openai::o200k_base().bpe), ("cl100k_base", &bpe_openai::cl100k_base().bpe)]
    {
        let kept = Tables {
            bytes_hash_to_token: FxHashMap::default(),
            overlapping_searcher: least.overlapping_searcher.clone(),
            overlapping_searcher_rev: least.overlapping_searcher.clone(),
            ..tables(encoding)?
        };
        let written = rmp_serde::to_vec(&packed(&kept)?)?;
        if rmp_serde::from_slice::<Packed>(&written)?.unpacked().is_none_or(|(tables, _)| tables != kept) {
            return Err(format!("crates/core/build.rs: {name}: what was left out does not follow from the rest").into());
        }
        let file = File::create(Path::new(&folder).join(format!("{name}.tables")))?;
        let mut tables = DeflateEncoder::new(file, if is_given { Compression::best() } else { Compression::fast() });
        tables.write_all(&written)?;
        tables.finish()?;
    }
    Ok(())
}
