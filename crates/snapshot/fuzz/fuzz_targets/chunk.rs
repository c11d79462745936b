//! Any text is cut without loss into chunks within the maximum.
#![no_main]

use browserlens_snapshot::chunk::{Chunk, ChunkOptions, SMALLEST_MAX, chunk};
use browserlens_core::tokens::Tokens;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|given: (u8, u8, bool, &str)| {
    let (max, overlap, breadcrumbs, text) = given;
    let max = Tokens(SMALLEST_MAX + u32::from(max));
    let options = ChunkOptions { overlap: Tokens(u32::from(overlap)), breadcrumbs, ..ChunkOptions::of(max) };
    let chunks = chunk(text, options).expect("the maximum is large enough");
    assert_eq!(chunks.iter().map(Chunk::body).collect::<String>(), text);
    for chunk in &chunks {
        assert!(chunk.tokens <= max && options.encoding.count(chunk.text()) == chunk.tokens);
    }
});
