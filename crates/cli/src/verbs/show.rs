//! `show`: exactly what an agent would be shown at one step; two strategies side by side; the shown
//! state with its marks.

use super::replay as replaying;
use crate::args::ShowArgs;
use crate::exit::{Exit, Failure};
use crate::side_by_side::{self, Layout};
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_core::tokens::ImageFormula;
use browserlens_lens::ShownState;
use browserlens_lens::format::{Style, write_events, write_item};
use browserlens_lens::tree::ROOT;
use browserlens_replay::routing::Hindsight;
use browserlens_replay::{ConfiguredStrategy, Inspected, StoredObservation, strategies};
use browserlens_trace::{Trace, whole};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ShowArgs) -> Ended {
    let mut names = vec![args.strategy.clone()];
    names.extend(args.diff.iter().filter(|other| **other != args.strategy).cloned());
    let all = strategies::load(&args.strategies_file)?;
    let chosen = strategies::select(all, &names, &args.strategies_file)?;
    let steps = Trace::open(&args.trace)?.len();
    if args.step >= steps {
        let message = format!("{}: no step {}", args.trace.display(), args.step);
        return Err(Failure::usage(message, format!("the trace has steps 0 to {}", steps.saturating_sub(1))));
    }
    let scratch = replaying::scratch(&std::env::temp_dir(), "browserlens-show-", "let TMPDIR name a writable folder")?;
    let shown = print(args, &chosen, scratch.path());
    replaying::sweep(scratch);
    shown
}

fn print(args: &ShowArgs, chosen: &[ConfiguredStrategy], scratch: &Path) -> Ended {
    let one = inspect(args, chosen, &args.strategy, scratch)?;
    if args.why && one.why.is_none() {
        let message = format!("{}: chooses nothing", args.strategy);
        return Err(Failure::usage(message, "--why is for strategies with a router, such as lens/delta"));
    }
    if let Some(other) = &args.diff {
        let other_one = inspect(args, chosen, other, scratch)?;
        let left = whole_text(args, &args.strategy, &one)?;
        let right = whole_text(args, other, &other_one)?;
        let layout = Layout::of_output(args.width);
        output::as_it_is(&side_by_side::write([(&args.strategy, &left), (other, &right)], layout))?;
        for (name, inspected) in [(&args.strategy, &one), (other, &other_one)] {
            output::status(&format!("{name}: {}", summary(inspected)));
            write_images(args, name, inspected)?;
        }
        return Ok(Exit::Success);
    }
    if args.view {
        let hint = "--view is for strategies that write the grammar of the lens, such as lens/delta";
        let message = || format!("{}: {}: has no shown state", args.trace.display(), args.strategy);
        output::data(&view(&one).ok_or_else(|| Failure::usage(message(), hint))?)?;
    } else {
        output::data(&whole_text(args, &args.strategy, &one)?)?;
    }
    if args.why {
        output::data(&format!("\n{}\n{}", one.why.as_deref().unwrap_or_default(), hindsight(args, &one, scratch)?))?;
    }
    output::status(&summary(&one));
    write_images(args, &args.strategy, &one)?;
    Ok(Exit::Success)
}

/// Says what every representation would have given.
fn hindsight(args: &ShowArgs, one: &Inspected, scratch: &Path) -> Result<String, Failure> {
    let all = strategies::load(&args.strategies_file)?;
    let formula = ImageFormula::Claude28;
    let hindsight = Hindsight::at(&args.trace, &args.scenarios_dir, &all, args.step, formula, scratch)?;
    let chosen = one.numbers().and_then(|numbers| numbers.representation.as_deref());
    let words = hindsight.map_or_else(
        || "in hindsight: not known, lens/a11y, lens/dom, lens/hybrid and lens/vision are not all there".to_owned(),
        |hindsight| hindsight.words(chosen),
    );
    Ok(words + "\n")
}

fn inspect(args: &ShowArgs, chosen: &[ConfiguredStrategy], name: &str, scratch: &Path) -> Result<Inspected, Failure> {
    let nothing = || Failure::input("nothing was shown", "choose another step");
    let configured = chosen.iter().find(|strategy| strategy.name == name).ok_or_else(nothing)?;
    let inspected =
        Inspected::at(&args.trace, &args.scenarios_dir, configured, args.step, scratch)?.ok_or_else(nothing)?;
    match inspected.row.error() {
        Some(error) => Err(Failure::input(format!("{}: {name}: {error}", args.trace.display()), "see the error")),
        None => Ok(inspected),
    }
}

fn observation(args: &ShowArgs, name: &str, inspected: &Inspected) -> Result<StoredObservation, Failure> {
    inspected.observation()?.ok_or_else(|| {
        Failure::input(format!("{}: {name}: nothing was shown", args.trace.display()), "choose another step")
    })
}

/// Returns the text of the observation, and each request with its answer.
fn whole_text(args: &ShowArgs, name: &str, inspected: &Inspected) -> Result<String, Failure> {
    let observation = observation(args, name, inspected)?;
    let mut text = format!("{}\n", observation.text);
    for (request, answer) in &observation.answers {
        let _ = write!(text, "\n> {request}\n{answer}\n");
    }
    Ok(text)
}

fn summary(inspected: &Inspected) -> String {
    let Some(numbers) = inspected.numbers() else { return String::new() };
    format!(
        "{} text tokens, {} images, {} requests",
        numbers.observation.o200k,
        numbers.images.len(),
        numbers.requests.len()
    )
}

/// Writes the images, into the folder that was named or one for temporary files, and says where.
fn write_images(args: &ShowArgs, name: &str, inspected: &Inspected) -> Result<(), Failure> {
    let observation = observation(args, name, inspected)?;
    if observation.images.is_empty() {
        return Ok(());
    }
    let folder = args.images.clone().unwrap_or_else(|| std::env::temp_dir().join("browserlens-images"));
    let failed = Failure::file("written", &folder, "name a writable folder with --images");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (index, hash) in observation.images.iter().enumerate() {
        let png = inspected.image(hash)?;
        let path = folder.join(image_name(&args.trace, args.step, name, index + 1));
        whole::write(&path, &png).map_err(failed)?;
        output::status(&format!("image {}: {}", index + 1, path.display()));
    }
    Ok(())
}

fn image_name(trace: &Path, step: u32, strategy: &str, number: usize) -> PathBuf {
    let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-', "-");
    let stem = trace.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    PathBuf::from(format!("{}-step-{step}-{}-{number}.png", plain(&stem), plain(strategy)))
}

/// Returns the shown state as a tree, one item a line, with what is elided or volatile and which
/// node each ref means.
fn view(inspected: &Inspected) -> Option<String> {
    let shown = inspected.shown.as_ref()?;
    let mut out = String::new();
    if let Some(head) = shown.head() {
        let _ = writeln!(out, "{} | {}", escaped_line(&head.title), escaped_line(&head.url));
    }
    for line in write_events(shown.events()).lines() {
        let _ = writeln!(out, "{line}");
    }
    let mut depths = vec![0usize; shown.tree().len()];
    for (id, item) in shown.tree().items().skip(1) {
        let parent = shown.tree().parent(id);
        let depth = if parent == ROOT { 0 } else { depths[parent as usize] + 1 };
        depths[id as usize] = depth;
        let _ = write!(out, "{}{}", "  ".repeat(depth.min(40)), write_item(item, Style::DEFAULT));
        if let Some(reference) = item.reference {
            match inspected.handles.get(&reference.to_string()) {
                Some(key) => write!(out, "  → node {key}"),
                None => write!(out, "  → no node known"),
            }
            .ok()?;
        }
        if item.mark.is_some() || item.cut.is_some() {
            out.push_str("  ← elided");
        }
        out.push('\n');
    }
    // Where the text is not what is shown, handles stand in the image.
    let drawn = inspected.numbers().is_some_and(|numbers| numbers.representation.as_deref() == Some("vision"));
    for (handle, key) in inspected.handles.iter().filter(|_| drawn) {
        if !shown.nodes().any(|node| node.reference().is_some_and(|reference| reference.to_string() == *handle)) {
            let _ = writeln!(out, "{handle}  → node {key}, as a mark in an image");
        }
    }
    let _ = writeln!(out, "{}", totals(shown));
    Some(out)
}

fn totals(shown: &ShownState) -> String {
    let refs = shown.nodes().filter(|node| node.reference().is_some()).count();
    let elided = shown.elided();
    let items: u64 = elided.iter().filter_map(|mark| mark.count).map(u64::from).sum();
    format!(
        "{} items, {refs} refs, {} elided marks for {items}, {} volatile, {} events, {} images",
        shown.tree().len() - 1,
        elided.len(),
        shown.volatile().count(),
        shown.events().len(),
        shown.images().len()
    )
}
