//! `snapshot`: modes and formats over a trace, refs of a session, and every error with its exit
//! code.

mod common;

use common::{Ran, run, serve_page};

/// Asks `source options…`.
fn snapshot(line: &str) -> Ran {
    let (source, options) = line.split_once(' ').unwrap_or((line, ""));
    for mode in ["outline", "content"] {
        let asked = format!("--mode {mode}");
        if options.split_whitespace().any(|word| word == mode) {
            return run(&format!("page {source} {mode} {}", options.replace(&asked, "")));
        }
    }
    match options.contains("--mode") {
        true => run(&format!("snapshot {line}")),
        false => run(&format!("page {source} controls {options}")),
    }
}

/// Asks of the trace of a sign-in.
fn shown(options: &str) -> String {
    snapshot(&format!("{LOGIN} {options}")).good()
}

fn refused(line: &str) -> String {
    let ran = snapshot(line);
    assert!(ran.out.is_empty());
    ran.ended()
}

const LOGIN: &str = "traces/login-wrong-then-right.trace";

#[test]
fn a_step_of_a_trace_is_shown_in_every_mode() {
    let outline = shown("--step 1 --mode outline");
    assert!(outline.starts_with("PAGE: http://login.test/") && outline.contains("\nMAIN ["), "{outline}");
    let interactive = shown("--step 1");
    assert!(interactive.starts_with("[FULL PAGE STATE] ") && interactive.contains(" @e1"), "{interactive}");
    let seed = shown("--step 1 --refs seed");
    assert!(seed.contains("@ref:1") && !seed.contains("@e1"), "{seed}");
    let markdown = shown("--mode content --format markdown --grep MAIN --ignore-case");
    assert!(
        markdown.starts_with("<!-- source: http://login.test/") && markdown.contains("<!-- xpath: /main"),
        "{markdown}"
    );
}

#[test]
fn refs_are_those_of_the_lens_over_the_steps() {
    let lens = run(&format!("show {LOGIN} --step 2 --strategy lens/a11y")).out;
    let ours = shown("--step 2");
    let refs = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split('@').skip(1).map(|part| part.chars().take_while(char::is_ascii_alphanumeric).collect());
        words.filter(|word: &String| word.starts_with('e')).collect()
    };
    assert!(!refs(&ours).is_empty());
    assert_eq!(refs(&lens), refs(&ours), "{lens}\n{ours}");
}

#[test]
fn the_prompt_is_printed() {
    assert!(run("skill --snapshots").out.contains("> snapshot({ mode: 'outline' })"));
}

#[test]
fn every_bad_input_is_one_clear_line_with_its_exit_code() {
    let lines = [
        "LOGIN --step 99",
        "traces/nowhere.trace",
        "LOGIN --selector h1[",
        "LOGIN --selector #nowhere --mode content",
        "LOGIN --selector @e999",
        "LOGIN --selector @five",
        "LOGIN --mode outline --grep h[1-",
        "LOGIN --format markdown",
        "LOGIN --mode content --all",
        "LOGIN --mode outlines",
        "LOGIN --grep 'Sing in'",
        "LOGIN --mode outline --include-links",
    ];
    insta::assert_snapshot!(lines.map(|line| refused(&line.replace("LOGIN", LOGIN))).join("\n"));
}

#[test]
fn grep_searches_text_with_context() {
    let found = shown("--grep 'sign in' --ignore-case");
    assert!(found.contains("button \"Sign in\""), "{found}");
    let one = shown("--mode outline --grep ^HEADING");
    let more = shown("--mode outline --grep ^HEADING --context 1");
    assert!(one.contains("HEADING") && more.lines().count() > one.lines().count(), "{one}\n{more}");
}

#[test]
fn chunks_are_lines_of_json_within_their_tokens() {
    let lines = run("page traces/docs-combine-three-documents.trace chunks --step 3 --max-tokens 128").good();
    assert!(lines.lines().count() > 1, "{lines}");
    for line in lines.lines() {
        let document: serde_json::Value = serde_json::from_str(line).expect("is JSON");
        assert!(document["tokens"].as_u64().expect("tokens") <= 128 && document["id"].is_string(), "{line}");
        assert!(document["url"].as_str().expect("a URL").starts_with("http") && document["text"].is_string(), "{line}");
    }
    assert!(run("page README.md chunks").good().lines().all(|line| line.contains("\"url\":\"file:///")));
    run("page README.md chunks --max-tokens 1").ends(2, &[]);
}

#[test]
fn a_live_page_has_no_steps() {
    // Without the feature `record` there are no live pages at all: bad usage either way, and no
    // browser starts.
    assert!(refused("https://site.test/ --step 1").starts_with("exit 2\nerror: https://site.test/: "));
    run("page controls").ends(2, &[]);
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_live_page_is_read_like_a_recorded_one() {
    let url = serve_page(
        "<!doctype html><title>Live</title><main><h1>Tides</h1><p>High water at \
            <em>nine</em>.</p><button>Refresh</button></main>",
    ) + "/";
    let shown = |what: &str| run(&format!("page {url} {what}")).good().replace(&url, "http://live.test/");
    assert!(shown("outline").contains("  HEADING level=1 \"Tides\" /main/h1"));
    let content = shown("content --format markdown");
    assert!(content.contains("# Tides\n\nHigh water at _nine_."), "{content}");
    assert!(shown("controls").contains("button \"Refresh\" @e1"));
}
