//! `snapshot`: modes and formats over a trace, refs of a session, and every error with its exit
//! code.

mod common;

use common::{browserlens, root};
use std::process::Output;

/// Asks `[source, options…]`.
fn snapshot(arguments: &[&str]) -> Output {
    let Some((source, options)) = arguments.split_first() else {
        return browserlens().args(["page", "controls"]).output().expect("the command starts");
    };
    let asked = match options.iter().position(|word| *word == "--mode") {
        Some(at) if ["outline", "content"].contains(&options[at + 1]) => {
            [&["page", source, options[at + 1]], &options[..at], &options[at + 2..]].concat()
        }
        Some(_) => [&["snapshot"], arguments].concat(),
        None => [&["page", source, "controls"], options].concat(),
    };
    browserlens().args(asked).current_dir(root()).env("NO_COLOR", "1").output().expect("the command starts")
}

fn shown(arguments: &[&str]) -> String {
    let output = snapshot(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(arguments: &[&str]) -> String {
    let output = snapshot(arguments);
    assert!(output.stdout.is_empty());
    format!("exit {}\n{}", output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).trim_end())
}

const LOGIN: &str = "traces/login-wrong-then-right.trace";

#[test]
fn a_step_of_a_trace_is_shown_in_every_mode() {
    let outline = shown(&[LOGIN, "--step", "1", "--mode", "outline"]);
    assert!(outline.starts_with("PAGE: http://login.test/") && outline.contains("\nMAIN ["), "{outline}");
    let interactive = shown(&[LOGIN, "--step", "1"]);
    assert!(interactive.starts_with("[FULL PAGE STATE] ") && interactive.contains(" @e1"), "{interactive}");
    let seed = shown(&[LOGIN, "--step", "1", "--refs", "seed"]);
    assert!(seed.contains("@ref:1") && !seed.contains("@e1"), "{seed}");
    let markdown = shown(&[LOGIN, "--mode", "content", "--format", "markdown", "--grep", "MAIN", "--ignore-case"]);
    assert!(
        markdown.starts_with("<!-- source: http://login.test/") && markdown.contains("<!-- xpath: /main"),
        "{markdown}"
    );
}

#[test]
fn refs_are_those_of_the_lens_over_the_steps() {
    let lens = browserlens()
        .args(["show", LOGIN, "--step", "2", "--strategy", "lens/a11y"])
        .current_dir(root())
        .output()
        .expect("the command starts");
    let lens = String::from_utf8_lossy(&lens.stdout).into_owned();
    let ours = shown(&[LOGIN, "--step", "2"]);
    let refs = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split('@').skip(1).map(|part| part.chars().take_while(char::is_ascii_alphanumeric).collect());
        words.filter(|word: &String| word.starts_with('e')).collect()
    };
    assert!(!refs(&ours).is_empty());
    assert_eq!(refs(&lens), refs(&ours), "{lens}\n{ours}");
}

#[test]
fn the_prompt_is_printed() {
    let output = browserlens().args(["skill", "--snapshots"]).output().expect("the command starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("> snapshot({ mode: 'outline' })"));
}

#[test]
fn every_bad_input_is_one_clear_line_with_its_exit_code() {
    let cases: [&[&str]; 12] = [
        &[LOGIN, "--step", "99"],
        &["traces/nowhere.trace"],
        &[LOGIN, "--selector", "h1["],
        &[LOGIN, "--selector", "#nowhere", "--mode", "content"],
        &[LOGIN, "--selector", "@e999"],
        &[LOGIN, "--selector", "@five"],
        &[LOGIN, "--mode", "outline", "--grep", "h[1-"],
        &[LOGIN, "--format", "markdown"],
        &[LOGIN, "--mode", "content", "--all"],
        &[LOGIN, "--mode", "outlines"],
        &[LOGIN, "--grep", "Sing in"],
        &[LOGIN, "--mode", "outline", "--include-links"],
    ];
    insta::assert_snapshot!(cases.map(refused).join("\n"));
}

#[test]
fn grep_searches_text_with_context() {
    let found = shown(&[LOGIN, "--grep", "sign in", "--ignore-case"]);
    assert!(found.contains("button \"Sign in\""), "{found}");
    let one = shown(&[LOGIN, "--mode", "outline", "--grep", "^HEADING"]);
    let more = shown(&[LOGIN, "--mode", "outline", "--grep", "^HEADING", "--context", "1"]);
    assert!(one.contains("HEADING") && more.lines().count() > one.lines().count(), "{one}\n{more}");
}

#[test]
fn chunks_are_lines_of_json_within_their_tokens() {
    let chunks = |arguments: &[&str]| {
        let output = browserlens()
            .args(["page", arguments[0], "chunks"])
            .args(&arguments[1..])
            .current_dir(root())
            .output()
            .expect("starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("is text")
    };
    let lines = chunks(&["traces/docs-combine-three-documents.trace", "--step", "3", "--max-tokens", "128"]);
    assert!(lines.lines().count() > 1, "{lines}");
    for line in lines.lines() {
        let document: serde_json::Value = serde_json::from_str(line).expect("is JSON");
        assert!(document["tokens"].as_u64().expect("tokens") <= 128 && document["id"].is_string(), "{line}");
        assert!(document["url"].as_str().expect("a URL").starts_with("http") && document["text"].is_string(), "{line}");
    }
    assert!(chunks(&["README.md"]).lines().all(|line| line.contains("\"url\":\"file:///")));
    let output = browserlens().args(["page", "README.md", "chunks", "--max-tokens", "1"]).current_dir(root()).output();
    assert_eq!(output.expect("starts").status.code(), Some(2));
}

#[test]
fn a_live_page_has_no_steps() {
    // Without the feature `record` there are no live pages at all: bad usage either way, and no
    // browser starts.
    assert!(refused(&["https://site.test/", "--step", "1"]).starts_with("exit 2\nerror: https://site.test/: "));
    assert!(refused(&[]).starts_with("exit 2\n"));
}

/// Serves one page on loopback as often as it is asked for, until the process ends.
fn served(html: &'static str) -> std::net::SocketAddr {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("is bound");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked);
            let length = html.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: \
                    close\r\n\r\n{html}"
            );
        }
    });
    address
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_live_page_is_read_like_a_recorded_one() {
    let address = served(
        "<!doctype html><title>Live</title><main><h1>Tides</h1><p>High water at \
            <em>nine</em>.</p><button>Refresh</button></main>",
    );
    let url = format!("http://{address}/");
    let run = |more: &[&str]| {
        let output = browserlens().args([&["page", url.as_str()], more].concat()).output().expect("the command starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("is text").replace(&url, "http://live.test/")
    };
    assert!(run(&["outline"]).contains("  HEADING level=1 \"Tides\" /main/h1"));
    let content = run(&["content", "--format", "markdown"]);
    assert!(content.contains("# Tides\n\nHigh water at _nine_."), "{content}");
    assert!(run(&["controls"]).contains("button \"Refresh\" @e1"));
}
