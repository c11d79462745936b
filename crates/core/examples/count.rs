//! Counts tokens under o200k_base: texts with a NUL between them on standard input, a number a line
//! out.

use browserlens_core::tokens::Encoding;
use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut texts = String::new();
    std::io::stdin().read_to_string(&mut texts)?;
    let mut out = std::io::stdout().lock();
    texts.split('\0').try_for_each(|text| writeln!(out, "{}", Encoding::O200kBase.count(text)))
}
