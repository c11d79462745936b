//! Runs scenarios in Chromium and holds each step's fast look against its whole capture:
//! `equality [scenario.toml…]`, all bundled ones by default.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Differences, looks_of, traces};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

fn bundled() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for site in std::fs::read_dir(traces().join("scenarios"))? {
        for file in std::fs::read_dir(site?.path())? {
            let path = file?.path();
            let name = path.to_string_lossy();
            if name.ends_with(".toml") && !name.ends_with(".ask.toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let scenarios = if named.is_empty() { bundled()? } else { named };
    let mut all = Differences::default();
    let mut out = std::io::stdout();
    for path in scenarios {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let before = all.steps;
        for look in looks_of(&path) {
            all.add(&look, &name);
        }
        writeln!(out, "{name}: {} steps", all.steps - before)?;
        out.flush()?;
    }
    writeln!(out, "{} steps, {} nodes, {} frames by the protocol's own tree", all.steps, all.nodes, all.fallbacks)?;
    writeln!(
        out,
        "whole look {} ms, fast look {} ms, means",
        all.micros.0 / 1_000 / u64::from(all.steps.max(1)),
        all.micros.1 / 1_000 / u64::from(all.steps.max(1))
    )?;
    for (field, (count, first)) in &all.by_field {
        writeln!(out, "{field}: {count}; first: {first}")?;
    }
    writeln!(out, "roles: {:?}", all.roles)?;
    writeln!(out, "observations that differ: {} {:?}", all.other_text.len(), all.other_text)?;
    Ok(())
}
