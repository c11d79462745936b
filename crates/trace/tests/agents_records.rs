//! Records as files: what is written is read, at whatever byte it ends; what was changed is told.
#![allow(clippy::unwrap_used)]

use browserlens_core::tokens::{Encoding, ImageFormula, ImageSize};
use browserlens_trace::agents::{
    Agent, AgentsError, Call, End, EndReason, ErrorKind, Header, OWN_WORDS, Prices, RunCosts, RunRecord, RunWriter,
    TextTokens, Usage,
};
use browserlens_trace::{RedactionOptions, Redactor};
use serde_json::json;
use std::path::Path;

fn redactor(known: &[&str]) -> Redactor {
    Redactor::new(RedactionOptions { known: known.iter().map(|&text| text.to_owned()).collect(), ..Default::default() })
}

fn call(turn: u32, name: &str, answer: &str) -> Call {
    Call {
        turn,
        name: name.into(),
        arguments: json!({ "ref": "@e1" }),
        answer: answer.into(),
        ms: Some(10),
        ..Call::default()
    }
}

fn run(calls: Vec<Call>) -> RunRecord {
    let header = Header {
        task: "lamp".into(),
        goal: "Buy the lamp".into(),
        tool: "lens".into(),
        agent: Agent { model: Some("m".into()), ..Agent::default() },
        ..Header::default()
    };
    let end = End { end: EndReason::Stopped, reward: Some(1.0), ..End::default() };
    RunRecord { header, calls, end: Some(end), cut: None }
}

fn written(record: &RunRecord) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.run");
    record.write(&path, redactor(&[])).unwrap();
    std::fs::read(path).unwrap()
}

fn parse(bytes: &[u8]) -> Result<RunRecord, AgentsError> {
    RunRecord::parse(Path::new("a.run"), bytes)
}

#[test]
fn what_is_written_is_read() {
    let record = run(vec![call(1, "look", "a page"), call(2, "click", "clicked: nothing changed")]);
    let read = parse(&written(&record)).unwrap();
    assert_eq!((read.calls.len(), read.cut.as_deref(), read.is_success()), (2, None, Some(true)));
    assert_eq!(read.calls[1].answer, record.calls[1].answer);
    assert_eq!(read.calls[0].tokens.o200k_base, Encoding::O200kBase.count("a page").0);
}

#[test]
fn a_record_that_ends_at_any_byte_opens_and_says_where_it_ends() {
    let bytes = written(&run(vec![call(1, "look", "a\npage"), call(2, "click", "done")]));
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for end in 0..bytes.len() {
        match parse(&bytes[..end]) {
            Ok(read) => {
                let cut = read.cut.expect("only the whole record is sealed");
                let whole = bytes[..end].iter().filter(|byte| **byte == b'\n').count();
                assert_eq!(read.calls.len(), whole.saturating_sub(1).min(2), "{end}: {cut}");
            }
            Err(AgentsError::NoRecord { .. }) => assert!(end < first, "{end}"),
            Err(error) => panic!("{end}: {error}"),
        }
    }
    let cut = |lines: usize| {
        let bytes: Vec<u8> = bytes.split_inclusive(|byte| *byte == b'\n').take(lines).flatten().copied().collect();
        parse(&bytes).unwrap().cut.unwrap()
    };
    assert_eq!(cut(1), "ends before the first call");
    assert_eq!(cut(2), "ends after call 1");
    assert_eq!(cut(4), "ends without its seal");
}

#[test]
fn a_changed_byte_is_told() {
    let bytes = written(&run(vec![call(1, "look", "a page"), call(2, "click", "done")]));
    for at in 0..bytes.len() - 1 {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        match parse(&changed) {
            Err(_) => {}
            // A line break that is none any more joins two lines, and the last one has no end.
            Ok(read) => assert!(read.cut.is_some(), "byte {at} was changed unseen"),
        }
    }
}

#[test]
fn each_wrong_record_is_told_by_its_own_error() {
    let said = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
    let head = r#"{"format":"browserlens-run","version":1,"task":"t","goal":"g","tool":"x"}"#;
    assert_eq!(said("{}"), "a.run: no run record: its first line does not say \"format\": \"browserlens-run\"");
    assert_eq!(
        said(&head.replace("version\":1", "version\":9")),
        "a.run: run record of version 9, this program reads up to 1"
    );
    assert_eq!(said(&head.replace("\"task\":\"t\",", "")), "a.run, line 1: missing field `task`");
    assert_eq!(said(&format!("{head}\nnothing\n")), "a.run, line 2: no JSON: expected ident at line 1 column 2");
    let call = r#"{"call":2,"turn":1,"name":"n","arguments":{},"answer":""}"#;
    assert_eq!(said(&format!("{head}\n{call}\n")), "a.run, line 2: call 2 of turn 1 behind call 0 of turn 0");
    let end = r#"{"end":"stopped"}"#;
    assert_eq!(said(&format!("{head}\n{end}\n{end}\n")), "a.run, line 3: a line behind the end of the run");
    assert_eq!(said(&format!("{head}\n{end}\n{{\"seal\":\"00\"}}\n")), "a.run: changed after it was sealed");
}

#[test]
fn a_record_is_never_written_over_and_a_killed_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.run");
    let mut writer = RunWriter::create(&path, run(vec![]).header, redactor(&[])).unwrap();
    writer.call(call(1, "look", "a page")).unwrap();
    drop(writer);
    assert_eq!(RunRecord::read(&path).unwrap().cut.as_deref(), Some("ends after call 1"));
    let again = RunWriter::create(&path, run(vec![]).header, redactor(&[])).err().unwrap();
    assert!(again.hint().contains("another folder"), "{again}");
}

#[test]
fn secrets_are_in_no_line() {
    let secret = "hunter2-and-more";
    let mut record = run(vec![call(1, "type", &format!("typed {secret}"))]);
    record.header.goal = format!("Sign in with {secret}");
    record.header.instructions = secret.into();
    record.header.tools = json!([{ "description": secret }]);
    record.calls[0].arguments = json!({ "password": "river-otter", "api_key": "sk-live-1", "text": secret,
        "fields": [{ "value": format!("a {secret} b") }] });
    record.calls[0].said = Some(format!("I type {secret}"));
    record.end.as_mut().unwrap().said = Some(secret.into());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.run");
    record.write(&path, redactor(&[secret])).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for planted in [secret, "river-otter", "sk-live-1"] {
        assert!(!text.contains(planted), "{planted}: {text}");
    }
    assert_eq!(RunRecord::read(&path).unwrap().cut, None);
}

#[test]
fn tokens_read_are_the_contexts_of_the_turns() {
    let count = |text: &str| u64::from(Encoding::O200kBase.count(text).0);
    let mut record = run(vec![call(1, "look", "one two three"), call(1, "find", "four"), call(2, "click", "five six")]);
    record.header.instructions = "Be brief".into();
    record.calls[2].images = vec![ImageSize { width: 280, height: 280 }];
    let mut record = parse(&written(&record)).unwrap();
    let costs = RunCosts::of(&record, Encoding::O200kBase, ImageFormula::Claude28);
    let head = count("Be brief") + count("Buy the lamp");
    let first = count("one two three") + count("four") + 2 * OWN_WORDS;
    let second = count("five six") + 100 + OWN_WORDS;
    assert_eq!((costs.calls, costs.turns), (3, 2));
    assert_eq!(costs.answered, count("one two three") + count("four") + count("five six") + 100);
    // Two turns that called, and the one that stopped.
    assert_eq!(costs.read, head + (head + first) + (head + first + second));
    assert_eq!(costs.new, head + first + second);
    assert!(costs.is_own_assumed);
    assert_eq!(costs.tool_ms, Some(30));
    record.end.as_mut().unwrap().end = EndReason::Limit;
    let costs = RunCosts::of(&record, Encoding::O200kBase, ImageFormula::Claude28);
    assert_eq!(costs.read, head + (head + first), "nobody read the last answer");
}

#[test]
fn a_tools_own_loop_words_what_is_read() {
    let prompt = |o200k_base| Some(TextTokens { o200k_base, cl100k_base: 1 });
    let mut record = run(vec![call(1, "navigate", "a page"), call(2, "click", "a page")]);
    record.calls[0].prompt = prompt(500);
    record.calls[0].images = vec![ImageSize { width: 280, height: 280 }];
    record.calls[1].prompt = prompt(700);
    record.end.as_mut().unwrap().end = EndReason::Limit;
    let costs = RunCosts::of(&parse(&written(&record)).unwrap(), Encoding::O200kBase, ImageFormula::Claude28);
    // Its second question shows the picture that came with the first answer.
    assert_eq!(costs.read, 500 + 700 + 100);
}

#[test]
fn kept_words_count_as_they_are() {
    let count = |text: &str| u64::from(Encoding::O200kBase.count(text).0);
    let mut record = run(vec![call(1, "look", "x")]);
    record.calls[0].said = Some("I look.".into());
    let costs = RunCosts::of(&record, Encoding::O200kBase, ImageFormula::Claude28);
    assert_eq!(costs.own, count("I look.") + count("look") + count("{\"ref\":\"@e1\"}"));
    assert!(!costs.is_own_assumed);
}

#[test]
fn calls_that_bring_nothing_are_counted_by_kind() {
    let mut calls = vec![
        call(1, "browser_snapshot", "same"),
        call(2, "browser_snapshot", "same"),
        call(3, "click", "clicked: nothing changed"),
        call(4, "browser_snapshot", "same"),
        call(5, "click", "@e1 (button \"A\") is covered by <div>"),
        call(6, "click", "@e9 is not on the page any more"),
        call(7, "browser_type", "TimeoutError: waiting for locator"),
        call(8, "clik", "Unknown command: clik"),
        call(9, "click", "boom"),
    ];
    calls[4..].iter_mut().for_each(|call| call.is_error = true);
    let costs = RunCosts::of(&run(calls), Encoding::O200kBase, ImageFormula::Claude28);
    assert_eq!((costs.repeated, costs.no_effect, costs.refused(), costs.wasted()), (1, 1, 5, 7));
    assert_eq!(costs.errors.into_iter().collect::<Vec<_>>(), ErrorKind::ALL.map(|kind| (kind, 1)));
}

#[test]
fn dollars_come_from_a_table_with_its_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.toml");
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Prices::load(&path)
    };
    let prices = load("date = \"2026-01-31\"\n[models.\"m\"]\ninput = 2.0\ncached = 0.5\noutput = 10.0\n").unwrap();
    let mut record = run(vec![call(1, "look", "x")]);
    record.calls[0].usage = Some(Usage { input: 1_000_000, cached: 600_000, output: 100_000 });
    let costs = RunCosts::of(&record, Encoding::O200kBase, ImageFormula::Claude28);
    let dollars = prices.models["m"].dollars(&costs);
    assert!((dollars - (0.8 + 0.3 + 1.0)).abs() < 1e-9, "{dollars}");
    for wrong in ["[models.\"m\"]\n", "date = \"d\"\n[models.\"m\"]\ninput = -1\ncached = 0\noutput = 0\n"] {
        let error = load(wrong).unwrap_err();
        assert!(
            error.to_string().contains("no table of prices") && error.hint().contains("[models.\"name\"]"),
            "{error}"
        );
    }
}
