//! `snapshot`: what can be acted on in a page, its outline, or its content; of a trace, or of a
//! live page.

use super::live_url;
use crate::args::{GrepArgs, LiveArgs, SnapshotArgs};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::Page;
use browserlens_snapshot::{Format, GrepOptions, RefLens, SnapshotError, SnapshotOptions, snapshot_in};
use browserlens_trace::Trace;
use std::sync::Arc;

pub(crate) fn run(args: &SnapshotArgs) -> Ended {
    let source = args.source.as_str();
    let options = options(args);
    // What is wrong with the options is said before a browser starts.
    let refs = options.needs_refs().map_err(|error| failure(source, &error))?;
    let (lens, page) = opened(source, args.step, refs, &args.live)?;
    let text = snapshot_in(&lens, &page, &options).map_err(|error| failure(source, &error))?;
    let text = format!("{text}\n");
    // HTML comes as it is, and says how much of it nobody sees.
    if options.format == Format::Html { output::as_it_is(&text) } else { output::data(&text) }?;
    super::say_step(source, args.step, false);
    Ok(Exit::Success)
}

fn options(args: &SnapshotArgs) -> SnapshotOptions {
    SnapshotOptions {
        selector: args.selector.clone(),
        max_depth: args.max_depth,
        include_hidden: args.include_hidden,
        grep: grep_options(&args.grep),
        mode: args.mode,
        format: args.format,
        max_length: args.max_length,
        include_links: args.include_links,
        include_images: args.include_images,
        refs: args.refs,
        interactive: args.interactive.then_some(true),
        all: args.all.then_some(true),
        headings: false,
    }
}

pub(super) fn grep_options(args: &GrepArgs) -> Option<GrepOptions> {
    args.grep.as_ref().map(|pattern| GrepOptions {
        pattern: pattern.clone(),
        ignore_case: args.ignore_case,
        invert: args.invert,
        fixed_strings: args.fixed_strings,
        context: args.context,
    })
}

/// Opens a step of a trace, or a live page, with a lens that looked at it where `refs` matter.
pub(super) fn opened(
    source: &str,
    step: Option<u32>,
    refs: bool,
    how: &LiveArgs,
) -> Result<(RefLens, Arc<Page>), Failure> {
    let Some(url) = live_url(source) else { return recorded(source, step, refs) };
    let page = super::live_page(how, &url, step)?;
    Ok((looked(&url, &page)?, page))
}

pub(super) fn failure(source: &str, error: &SnapshotError) -> Failure {
    let exit = match error {
        SnapshotError::Lens { .. } => Exit::Input,
        _ => Exit::Usage,
    };
    Failure::words(exit, format!("{source}: {error}"), error.hint())
}

fn cannot_be_shown(source: &str, error: &dyn std::error::Error) -> Failure {
    Failure::input(format!("{source}: the page cannot be shown: {error}"), "check it with `browserlens trace verify`")
}

/// Opens a step of a trace. Where `refs` matter, the lens looks at every page up to it, so that
/// they are those that an agent was shown on the way.
pub(super) fn recorded(source: &str, step: Option<u32>, refs: bool) -> Result<(RefLens, Arc<Page>), Failure> {
    let trace = Trace::open(source)?;
    let last = step.unwrap_or(0);
    let mut lens = RefLens::new();
    let mut page = None;
    let first = if refs { 0 } else { last };
    for step in first..trace.len().min(last.saturating_add(1)) {
        let capture = super::rendered(&trace, source, step)?;
        let parsed = Arc::new(Page::parse(&capture).map_err(|error| cannot_be_shown(source, &error))?);
        if refs {
            lens.look(&parsed).map_err(|error| cannot_be_shown(source, &error))?;
        }
        page = Some(parsed);
    }
    let found = page.filter(|_| last < trace.len()).ok_or_else(|| super::no_step(source, last, trace.len()))?;
    Ok((lens, found))
}

/// Returns a lens that looked at a page, and nothing before it.
pub(super) fn looked(source: &str, page: &Arc<Page>) -> Result<RefLens, Failure> {
    let mut lens = RefLens::new();
    lens.look(page).map_err(|error| cannot_be_shown(source, &error))?;
    Ok(lens)
}
