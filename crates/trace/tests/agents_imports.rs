//! Transcripts of every format: what comes out is what a count by hand says of them.
#![allow(clippy::unwrap_used)]

use browserlens_core::tokens::{Encoding, ImageFormula, ImageSize};
use browserlens_trace::agents::{AgentsError, EndReason, Format, Given, RunCosts, RunRecord, Usage, import};
use std::path::PathBuf;

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

fn one(name: &str) -> RunRecord {
    let mut runs = import(&sample(name), None, &Given::default()).unwrap();
    assert_eq!(runs.len(), 1, "{name}");
    runs.remove(0)
}

fn usage(run: &RunRecord) -> Usage {
    RunCosts::of(run, Encoding::O200kBase, ImageFormula::Claude28).usage.expect("the sample counts tokens")
}

/// Whether each call was refused.
fn refused(run: &RunRecord) -> Vec<bool> {
    run.calls.iter().map(|call| call.is_error).collect()
}

fn ms(run: &RunRecord) -> Vec<Option<u64>> {
    run.calls.iter().map(|call| call.ms).collect()
}

const GOAL: &str = "Open the lamp shop and put the green lamp into the basket.";

#[test]
fn a_session_of_claude_code() {
    let run = one("claude-code.jsonl");
    assert_eq!(run.header.imported.as_deref(), Some("claude-code"));
    assert_eq!((run.header.task.as_str(), run.header.goal.as_str()), ("claude-code", GOAL));
    assert_eq!(run.header.tool, "browser");
    assert_eq!(run.header.agent.model.as_deref(), Some("claude-sonnet-4-6"));
    let names: Vec<&str> = run.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["mcp__browser__navigate", "mcp__browser__click", "Bash"]);
    assert_eq!(refused(&run), [false, true, false]);
    assert_eq!(ms(&run), [Some(800), Some(250), Some(1500)]);
    assert_eq!(run.calls[0].said.as_deref(), Some("I open the shop."));
    assert_eq!(run.calls[0].answer, "The page «Lamp shop» is open.");
    assert_eq!(run.calls[0].images, [ImageSize { width: 1, height: 1 }]);
    let end = run.end.as_ref().unwrap();
    assert_eq!((end.end, end.said.as_deref()), (EndReason::Stopped, Some("The green lamp is in the basket.")));
    assert_eq!(usage(&run), Usage { input: 38_098, cached: 36_350, output: 180 });
}

#[test]
fn what_claude_code_streams_has_its_sums_from_the_last_line() {
    let run = one("stream-json.jsonl");
    assert_eq!(run.header.tool, "agent-browser-axi");
    assert_eq!(refused(&run), [false, true, false]);
    assert_eq!(usage(&run), Usage { input: 40_555, cached: 38_300, output: 240 });
    assert_eq!(run.end.unwrap().ms, Some(9_000));
}

#[test]
fn rollouts_of_codex_old_and_new() {
    for name in ["codex.jsonl", "codex-paginated.jsonl"] {
        let run = one(name);
        assert_eq!(run.header.goal, GOAL, "{name}");
        let names: Vec<&str> = run.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["mcp__browser__navigate", "mcp__browser__click", "exec_command"], "{name}");
        let turns: Vec<u32> = run.calls.iter().map(|call| call.turn).collect();
        assert_eq!(turns, [1, 2, 3], "{name}");
        assert_eq!(refused(&run), [false, true, false], "{name}");
        assert_eq!(ms(&run), [Some(750), Some(120), Some(1_300)], "{name}");
        assert_eq!(run.calls[1].answer, "There is no element e9 on this page.", "{name}");
        assert_eq!(run.calls[0].usage, Some(Usage { input: 5_000, cached: 3_000, output: 70 }), "{name}");
        assert_eq!(usage(&run), Usage { input: 21_900, cached: 18_900, output: 185 }, "{name}");
        assert_eq!(run.end.unwrap().said.as_deref(), Some("The green lamp is in the basket."), "{name}");
    }
}

#[test]
fn results_of_axi() {
    let run = one("axi.jsonl");
    assert_eq!((run.header.task.as_str(), run.header.tool.as_str()), ("lamp_basket", "agent-browser-axi"));
    assert_eq!((run.calls.len(), run.is_success()), (3, Some(true)));
    assert_eq!(usage(&run), Usage { input: 40_555, cached: 38_300, output: 240 });
    assert_eq!(run.end.unwrap().ms, Some(9_400));
}

#[test]
fn a_judge_of_axi_that_said_nothing_has_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let row = std::fs::read_to_string(sample("axi.jsonl")).unwrap();
    let row = row.replace(
        "true,\"details\":\"The basket held one lamp at the end.\"",
        "false,\"details\":\"Could not parse judge verdict\"",
    );
    std::fs::write(&path, row).unwrap();
    assert_eq!(import(&path, None, &Given::default()).unwrap()[0].is_success(), None);
}

#[test]
fn histories_of_browser_use_old_and_new() {
    let new = one("browser-use.json");
    assert_eq!(new.header.tool, "browser-use");
    assert_eq!(refused(&new), [false, true, false]);
    assert_eq!((new.calls.len(), new.is_success()), (3, Some(true)));
    assert_eq!(new.calls[1].answer, "The element with the index 9 is not on the page.");
    assert_eq!(
        new.calls[0].said.as_deref(),
        Some("The shop has to be opened.\nNothing was done yet.\nStart.\nOpen the lamp shop.")
    );
    let old = one("browser-use-old.json");
    assert_eq!(refused(&old), [false, true, false]);
    assert_eq!(old.is_success(), None, "what an agent says of itself is no reward");
    assert_eq!(usage(&old), Usage { input: 9_300, cached: 0, output: 0 });
}

#[test]
fn spans_of_opentelemetry() {
    let run = one("otel.json");
    assert_eq!(run.header.goal, GOAL);
    assert_eq!(refused(&run), [false, true, false]);
    assert_eq!(ms(&run), [Some(750), Some(120), Some(1_300)]);
    assert_eq!(run.calls[0].arguments["url"], "http://shop.test/");
    assert_eq!(usage(&run), Usage { input: 21_900, cached: 18_900, output: 185 });
    assert_eq!(run.is_success(), Some(true));
}

#[test]
fn what_the_caller_knows_replaces_what_the_transcript_says() {
    let given = Given {
        task: Some("lamp".into()),
        level: Some(2),
        tool: Some("shell".into()),
        reward: Some(0.5),
        only: vec!["browserctl".into()],
    };
    let run = import(&sample("codex.jsonl"), None, &given).unwrap().remove(0);
    assert_eq!((run.header.task.as_str(), run.header.level, run.header.tool.as_str()), ("lamp", Some(2), "shell"));
    assert_eq!((run.calls.len(), run.calls[0].call, run.is_success()), (1, 1, Some(false)));
}

#[test]
fn a_transcript_that_ends_early_gives_what_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(sample("claude-code.jsonl")).unwrap();
    let path = folder.path().join("going-on.jsonl");
    // Within the line that holds the second call's answer.
    let cut = text.find("There is no element").unwrap();
    std::fs::write(&path, &text[..cut]).unwrap();
    let run = import(&path, None, &Given::default()).unwrap().remove(0);
    assert_eq!((run.calls.len(), run.calls[1].answer.as_str(), run.end.is_none()), (2, "", true));
    assert_eq!(run.cut.as_deref(), Some("the transcript ends after call 2"));
}

#[test]
fn every_wrong_transcript_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let said = |text: &str, format: Option<Format>| {
        let path = folder.path().join("bad.json");
        std::fs::write(&path, text).unwrap();
        let error = import(&path, format, &Given::default()).unwrap_err();
        (error.to_string().replace(&path.display().to_string(), "bad.json"), error.hint())
    };
    assert_eq!(said("", None).0, "bad.json: empty");
    assert_eq!(said("{\"a\": 1}", None).0, "bad.json: no transcript of a known format");
    assert!(said("{\"a\": 1}", None).1.contains("--format lines|claude-code"));
    assert_eq!(said("nothing", None).0, "bad.json, line 1: no JSON: expected ident at line 1 column 2");
    let lines = "{\"run\":\"a\",\"tool\":\"t\",\"goal\":\"g\",\"reward\":1}\n\n{\"run\":\"a\",\"call\":2,\
        \"name\":\"n\",\"text\":\"\"}";
    assert_eq!(said(lines, None).0, "bad.json, line 3: call 2 of run \"a\", where call 1 was due");
    assert_eq!(
        said("{\"run\":\"a\",\"call\":1,\"name\":\"n\",\"text\":\"\"}", None).0,
        "bad.json: run \"a\" has calls and no line of its own"
    );
    let codex = "{\"type\":\"session_meta\",\"payload\":{}\
        }\n{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call_output\",\"call_id\":\"x\",\
        \"output\":\"\"}}";
    assert_eq!(said(codex, None).0, "bad.json, line 2: an answer to call \"x\", which nobody made");
    assert_eq!(
        said(
            "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"y\"}]}}",
            Some(Format::ClaudeCode)
        )
        .0,
        "bad.json, line 1: an answer to call \"y\", which nobody made"
    );
    assert_eq!(said("{}", Some(Format::Axi)).0, "bad.json, line 1: no row of results");
    assert_eq!(said("{}", Some(Format::BrowserUse)).0, "bad.json, line 1: no list called history");
    assert_eq!(said("{\"resourceSpans\":[]}", None).0, "bad.json: no span with an attribute of gen_ai");
    let missing = import(&folder.path().join("none"), None, &Given::default()).unwrap_err();
    assert!(matches!(missing, AgentsError::Io { .. }), "{missing}");
}

#[test]
fn no_value_makes_an_importer_panic() {
    // Every sample with each of its values replaced by each of these, read as each format.
    let odd = ["null", "-1", "1e308", "\"\"", "[]", "{}", "[{}]", "true"];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.json");
    for name in std::fs::read_dir(sample("")).unwrap() {
        let text = std::fs::read_to_string(name.unwrap().path()).unwrap();
        let colons: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
        for (number, at) in colons.iter().enumerate() {
            let rest = &text[*at..];
            let end = rest.find([',', '}', ']', '{', '[']).unwrap_or(rest.len()).max(1);
            let changed = format!("{}{}{}", &text[..*at], odd[number % odd.len()], &rest[end..]);
            std::fs::write(&path, changed).unwrap();
            for format in [None, Some(Format::ALL[number % Format::ALL.len()])] {
                let _ = import(&path, format, &Given::default());
            }
        }
    }
}
