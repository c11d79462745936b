//! `chunks`: the content of a page as documents for a store of vectors, one JSON object a line; of a
//! trace, a live page, or a file.

use super::snapshot::{failure, grep_options, opened};
use super::{file_url, is_url};
use crate::args::ChunksArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::tokens::Tokens;
use browserlens_snapshot::chunk::{ChunkOptions, documents};
use browserlens_snapshot::{Format, Mode, SnapshotOptions, snapshot_in};
use std::path::Path;

pub(crate) fn run(args: &ChunksArgs) -> Ended {
    let chunks = ChunkOptions {
        breadcrumbs: !args.no_breadcrumbs,
        overlap: Tokens(args.overlap),
        ..ChunkOptions::of(Tokens(args.max_tokens))
    };
    let (markdown, url) = markdown(args)?;
    let found = documents(&markdown, &url, chunks)
        .map_err(|error| Failure::usage(format!("--max-tokens: {error}"), "give a greater --max-tokens"))?;
    let mut lines = String::new();
    for document in &found {
        lines.push_str(&document.json());
        lines.push('\n');
    }
    output::json(&lines)?;
    output::status(&format!("{} chunks of at most {} tokens", found.len(), args.max_tokens));
    super::say_step(&args.source, args.step, false);
    Ok(Exit::Success)
}

/// Returns the markdown that is cut, and where it comes from.
fn markdown(args: &ChunksArgs) -> Result<(String, String), Failure> {
    let source = args.source.as_str();
    let end = Path::new(source).extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_file = !is_url(source) && Path::new(source).is_file();
    if is_file && matches!(end.as_str(), "md" | "markdown") {
        return read(args, source);
    }
    let options = SnapshotOptions {
        selector: args.selector.clone(),
        grep: grep_options(&args.grep),
        format: Format::Markdown,
        include_links: args.include_links,
        include_images: args.include_images,
        headings: true,
        ..SnapshotOptions::of(Mode::Content)
    };
    let refs = options.needs_refs().map_err(|error| failure(source, &error))?;
    let (session, page) = opened(source, args.step, refs, &args.live)?;
    let text = snapshot_in(&session, &page, &options).map_err(|error| failure(source, &error))?;
    Ok((text, page.url().to_owned()))
}

/// Reads a file of markdown, of which only its own text is cut.
fn read(args: &ChunksArgs, source: &str) -> Result<(String, String), Failure> {
    let of_pages = [
        ("--step", args.step.is_some()),
        ("--selector", args.selector.is_some()),
        ("--grep", args.grep.grep.is_some()),
        ("--include-links", args.include_links),
        ("--include-images", args.include_images),
    ];
    if let Some((option, _)) = of_pages.into_iter().find(|(_, given)| *given) {
        let message = format!("{source}: {option} is not for a file of markdown");
        return Err(Failure::usage(message, "leave it out, or name a trace or a URL"));
    }
    let text = std::fs::read_to_string(source);
    let text = text.map_err(Failure::file("read", Path::new(source), "name a file of text in UTF-8"))?;
    Ok((browserlens_core::page::text::escaped(&text).into_owned(), file_url(Path::new(source)).unwrap_or_default()))
}
