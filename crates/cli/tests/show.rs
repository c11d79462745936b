//! `show`: what an agent would get, two strategies side by side, the shown state.

mod common;

use common::{Ran, browserlens, root, words};
use std::path::Path;

const LOGIN: &str = "login-wrong-then-right";

/// Runs `show` over a bundled trace, the images in `folder`.
fn show(folder: &Path, trace: &str, options: &str) -> Ran {
    let mut command = browserlens();
    command.args(["show", &format!("traces/{trace}.trace")]).args(words(options));
    Ran::of(command.current_dir(root()).env("TMPDIR", folder).env_remove("NO_COLOR"))
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.expect("lists").file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn the_observation_is_printed_and_its_image_is_written_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = show(folder.path(), LOGIN, "--step 1 --strategy lens/vision-marks");
    let (text, status) = (&shown.out, &shown.err);
    assert!(shown.code == 0 && text.starts_with("[FULL PAGE STATE] ") && text.ends_with('\n'), "{shown:?}");
    let name = "login-wrong-then-right-step-1-lens-vision-marks-1.png";
    let images = folder.path().join("browserlens-images");
    assert_eq!(files(&images), [name]);
    assert!(status.contains(&format!("image 1: {}\n", images.join(name).display())), "{status}");
    assert!(std::fs::read(images.join(name)).expect("reads").starts_with(b"\x89PNG"));
    assert_eq!(files(folder.path()), ["browserlens-images"], "nothing else is left behind");
}

#[test]
fn two_strategies_stand_side_by_side_in_the_width_that_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = show(folder.path(), LOGIN, "--step 1 --strategy lens/full --diff lens/delta --width 100");
    assert_eq!(shown.code, 0, "{shown:?}");
    let (text, status) = (&shown.out, &shown.err);
    let mut lines = text.lines();
    assert_eq!(
        lines.next().map(|line| line.split_whitespace().collect::<Vec<_>>()),
        Some(vec!["lens/full", "lens/delta"])
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100) && text.contains("[DELTA 0→1"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours where nobody looks: {text}");
    assert!(status.contains("lens/full: ") && status.contains("lens/delta: "), "{status}");
    let text = show(folder.path(), LOGIN, "--strategy lens/a11y --diff lens/full --width 100").good();
    // Between the halves stands a bar where they differ, and nothing where they do not.
    let between = |line: &str| line.chars().skip(48).take(3).collect::<String>();
    assert!(text.lines().skip(2).all(|line| between(line).trim().is_empty()), "{text}");
}

#[test]
fn the_shown_state_tells_what_each_ref_means_and_what_is_elided() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = show(folder.path(), "shop-laptop-to-cart", "--step 2 --view --strategy lens/budget-1500").good();
    let of_refs = text.lines().filter(|line| line.contains("  → node "));
    assert!(of_refs.clone().count() > 3 && of_refs.clone().all(|line| line.contains(" @e")), "{text}");
    assert!(!text.contains("no node known"), "{text}");
    assert!(text.lines().any(|line| line.trim_start().starts_with('…') && line.ends_with("  ← elided")), "{text}");
    let last = text.lines().last().unwrap_or("");
    assert!(last.contains(" refs, ") && last.contains(" elided marks for "), "{last}");
    // Marks of a screenshot are in it with their nodes.
    let text = show(folder.path(), LOGIN, "--step 5 --view --strategy lens/vision-marks").good();
    assert!(text.lines().any(|line| line.starts_with("@e") && line.ends_with(", as a mark in an image")), "{text}");
}

#[test]
fn why_a_page_is_shown_so_is_said_with_what_hindsight_would_have_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = show(folder.path(), LOGIN, "--step 2 --why").good();
    let (_, why) = text.split_once("\nchosen: ").expect("why");
    insta::assert_snapshot!(why);
}

#[test]
fn what_cannot_be_shown_is_said_with_what_can() {
    let folder = tempfile::tempdir().expect("a folder");
    for (options, said) in [
        ("--step 99", "login-wrong-then-right.trace: no step 99\n hint: the trace has steps 0 to "),
        ("--diff lens/nope", "traces/strategies.toml: no strategy \"lens/nope\": there are lens/full, "),
        ("--view --strategy raw/html", "raw/html: has no shown state"),
        ("--why --strategy raw/html", "raw/html: chooses nothing"),
        ("--view --diff lens/full", "cannot be used with"),
    ] {
        show(folder.path(), LOGIN, options).ends(2, &[said]);
    }
    assert!(files(folder.path()).is_empty(), "nothing is left behind");
}
