//! What nobody sees is in nothing that the command prints, of traces that hold every kind of it and
//! of arguments that do; bytes that are asked for as they are come with how many such characters
//! they hold.

mod common;
#[path = "../../trace/tests/common/mod.rs"]
mod trace_common;

use browserlens_core::page::text::{count_unseen, is_unseen};
use browserlens_core::strategy::{ConsoleMessage, DialogEvent, DialogKind, EventKind, RequestEvent, TabEvent};
use browserlens_trace::Canonicalizer;
use common::{Ran, at_root, browserlens};
use serde_json::Value;
use std::path::Path;
use trace_common::{RawPage, event, step, write};

/// The ends of every range of unseen characters; a NUL may stand in no argument.
fn hidden() -> String {
    let is = |code: u32| char::from_u32(code).is_some_and(is_unseen);
    (1..=0x0010_ffff)
        .filter(|code| is(*code) && (!is(code - 1) || !is(code + 1) || *code < 0x20))
        .filter_map(char::from_u32)
        .collect()
}

fn trace(path: &Path, hidden: &str) {
    let said = |what: &str| format!("{what} {hidden} {what}{hidden}");
    // Where every twentieth character is a control, a body counts as binary.
    let body = said("body") + &"x".repeat(4_000);
    let (heading, name, value) = (said("Sign in"), said("name"), said("typed"));
    let url = format!("http://login.test/{hidden}");
    let field = [("type", "text"), ("name", name.as_str()), ("title", name.as_str()), ("id", name.as_str())];
    let page = RawPage { heading: &heading, field: &field, value: &value, url: &url, ..RawPage::default() };
    let mut canonicalizer = Canonicalizer::new();
    let mut steps = [step(0, page.capture(&mut canonicalizer)), step(1, page.capture(&mut canonicalizer))];
    for (index, step) in (0u32..).zip(&mut steps) {
        let kinds = vec![
            EventKind::Console(ConsoleMessage {
                level: "error".into(),
                text: said("message"),
                url: said("http://login.test/a.js"),
                stack: format!("{}\n{}", said("f http://login.test/a.js:1"), said("g http://login.test/a.js:2")),
                ..ConsoleMessage::default()
            }),
            EventKind::Request(Box::new(RequestEvent {
                method: "GET".into(),
                url: said("http://login.test/api"),
                resource_type: said("Fetch"),
                status: 500,
                mime_type: said("text/plain"),
                response_headers: vec![("x-hidden".into(), hidden.to_owned())],
                response_body: Some(body.clone()),
                response_bytes: body.len() as u64,
                failure: said("failed"),
                ..RequestEvent::default()
            })),
            EventKind::Dialog(DialogEvent {
                kind: DialogKind::Confirm,
                message: said("Sure?"),
                accepted: Some(true),
                typed: said("typed"),
            }),
            EventKind::Tab(TabEvent { what: "opened".into(), url: said("http://login.test/t"), title: said("T") }),
        ];
        let from = u64::from(index) * 10;
        step.events = (from..).zip(kinds).map(|(position, kind)| event(position, index, kind)).collect();
        if let Some(action) = &mut step.action {
            action.taken.text = said("typed");
            action.taken.error = Some(said("error"));
        }
        step.settled.reason = said("quiet");
    }
    write(path, &steps);
}

/// Runs the command on a trace with much that nobody sees; what is hidden may stand in arguments too.
fn run(folder: &Path, arguments: &[&str]) -> Ran {
    Ran::of(browserlens().args(arguments).current_dir(folder).env("NO_COLOR", "1"))
}

/// A folder with such a trace.
fn hostile(hidden: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    trace(&folder.path().join("a.trace"), hidden);
    folder
}

fn unseen_in(text: &str) -> Option<char> {
    text.chars().find(|c| is_unseen(*c) && !matches!(c, '\n' | '\t'))
}

/// Every text and name of a value.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.push(name.clone());
            texts(value, found);
        }),
        _ => {}
    }
}

#[test]
fn nothing_that_is_printed_holds_what_nobody_sees() {
    let hidden = hidden();
    let folder = hostile(&hidden);
    let mut done = vec![
        vec!["trace", "info", "a.trace"],
        vec!["trace", "info", "a.trace", "--json"],
        vec!["trace", "verify", "a.trace"],
        vec!["page", "a.trace", "text", "--no-cache"],
        vec!["page", "a.trace", "text", "--no-cache", "--query", "sign in"],
        vec!["page", "a.trace", "text", "--no-cache", "--preview"],
        vec!["page", "a.trace", "text", "--no-cache", "--options", "graph"],
        vec!["page", "a.trace", "text", "--no-cache", "--graph", "dot"],
        vec!["page", "a.trace", "text", "--no-cache", "--graph", "svg"],
        vec!["page", "a.trace", "text", "--no-cache", "--graph", "json"],
        vec!["page", "a.trace", "content"],
        vec!["page", "a.trace", "content", "--format", "markdown"],
        vec!["page", "a.trace", "outline"],
        vec!["page", "a.trace", "outline", "--format", "markdown"],
        vec!["page", "a.trace", "controls"],
        vec!["page", "a.trace", "controls", "--refs", "seed"],
        vec!["knowledge", "build", "a.trace", "--store", "k.sqlite"],
        vec!["knowledge", "export", "--store", "k.sqlite"],
        vec!["knowledge", "export", "--store", "k.sqlite", "--format", "dot"],
        vec!["knowledge", "export", "--store", "k.sqlite", "--format", "svg"],
        vec!["doctor"],
    ];
    for what in ["summary", "console", "network", "dom", "get_text"] {
        for form in [&[] as &[&str], &["--json"], &["--compact"]] {
            done.push([&["page", "a.trace", what], form].concat());
        }
    }
    done.push(vec!["page", "a.trace", "console", "--stream"]);
    done.push(vec!["page", "a.trace", "network", "--stream"]);
    done.push(vec!["page", "a.trace", "network", "--response-bodies"]);
    done.push(vec!["page", "a.trace", "console", "--json", "--search", &hidden]);
    let bundled = at_root("traces/hostile-moderate-a-post.trace");
    let (strategies, scenarios) = (at_root("traces/strategies.toml"), at_root("traces/scenarios"));
    let show = ["show", &bundled, "--step", "2", "--strategies-file", &strategies, "--scenarios-dir", &scenarios];
    for strategy in ["lens/delta", "snapshot/content-markdown", "read-text/visible", "read-text/section-search"] {
        done.push([show.as_slice(), &["--strategy", strategy]].concat());
    }
    done.push([show.as_slice(), &["--view"]].concat());
    done.push([show.as_slice(), &["--diff", "read-text/visible"]].concat());
    for arguments in done {
        let Ran { code, out, err } = run(folder.path(), &arguments);
        assert!(code == 0 || arguments == ["doctor"], "{arguments:?}: {err}");
        assert_eq!((unseen_in(&out), unseen_in(&err)), (None, None), "{arguments:?}: {out:?} {err:?}");
        if arguments.contains(&"--json") || arguments.contains(&"--compact") || arguments.contains(&"json") {
            let mut found = Vec::new();
            texts(&serde_json::from_str(&out).expect("JSON"), &mut found);
            assert_eq!(found.iter().find_map(|text| unseen_in(text)), None, "{arguments:?}: {out:?}");
        }
    }
}

#[test]
fn errors_say_what_is_hidden_in_arguments() {
    let hidden = hidden();
    let folder = hostile(&hidden);
    let odd = format!("x{hidden}");
    let option = format!("limit={odd}");
    let strategies = at_root("traces/strategies.toml");
    for arguments in [
        vec![odd.as_str()],
        vec!["trace", "info", &odd],
        vec!["trace", &odd],
        vec!["page", &odd, "text", "--no-cache"],
        vec!["page", "a.trace", "text", "--no-cache", "--section", &odd],
        vec!["page", "a.trace", "text", "--no-cache", "--options", &option],
        vec!["page", &odd, "controls"],
        vec!["page", "a.trace", "controls", "--selector", &odd],
        vec!["snapshot", "a.trace", "--mode", &odd],
        vec!["page", "a.trace", "network", "--body-path", &odd],
        vec!["page", "a.trace", "dom", "--selector", &odd],
        vec!["page", "a.trace", "console", "--levels", &odd],
        vec!["page", "a.trace", "console", "--cursor", &odd],
        vec!["show", "a.trace", "--strategy", &odd, "--strategies-file", &strategies],
        vec!["knowledge", "export", "--store", &odd],
        vec!["bench", "--no-report", &odd],
        vec!["bench", "--from", &odd],
    ] {
        let Ran { code, out, err } = run(folder.path(), &arguments);
        assert!(code != 0 && !err.is_empty(), "{arguments:?}");
        assert_eq!((unseen_in(&out), unseen_in(&err)), (None, None), "{arguments:?}: {err:?}");
    }
}

#[test]
fn bytes_come_as_they_are_with_how_much_they_hide() {
    let hidden = hidden();
    let folder = hostile(&hidden);
    for arguments in [["page", "a.trace", "content", "--format=html"], ["page", "a.trace", "html", "--tab=0"]] {
        let Ran { out, err, .. } = run(folder.path(), &arguments);
        let count = count_unseen(&out);
        assert!(count > 0, "{arguments:?}: {out:?}");
        let expected = if arguments[2] == "content" {
            format!("unseen characters: {count} -->")
        } else {
            format!("; {count} characters in it are not seen")
        };
        assert!(format!("{out}{err}").contains(&expected), "{arguments:?}: {count}: {out:?} {err:?}");
    }
    let answer = run(folder.path(), &["page", "a.trace", "html", "--json"]).json();
    assert_eq!(answer["unseenCharacters"], count_unseen(answer["data"].as_str().expect("HTML")));
    let answer = run(folder.path(), &["page", "a.trace", "network", "--response-bodies", "--json"]).json();
    let body = &answer["data"][0]["responseBody"];
    let text = body["text"].as_str().expect("a text");
    assert!(text.contains('\u{202e}'), "as it is: {text:?}");
    assert_eq!(body["unseenCharacters"], count_unseen(text));
    let har = run(folder.path(), &["page", "a.trace", "har"]).json();
    let mut found = Vec::new();
    texts(&har["log"]["entries"], &mut found);
    let count: u64 = found.iter().map(|text| count_unseen(text)).sum();
    assert_eq!(har["log"]["comment"], format!("unseen characters: {count}"));
}
