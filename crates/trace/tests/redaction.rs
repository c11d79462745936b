//! Planted secrets leave no byte in the file, and nothing else changes.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "common/written.rs"]
mod written;

use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::*;
use browserlens_trace::*;
use common::planted::{self, JWT, page, quiet};
use common::*;
use std::path::Path;
use written::Written;

const PASSWORD_FIELD: &[(&str, &str)] = &[("type", "password")];

fn record(steps: Vec<StepRecord>, options: RedactionOptions) -> Written {
    Written::by(steps, |path, steps| begin(path, Redactor::new(options), steps).finish(Outcome::Complete).unwrap())
}

/// Every text that can be read out of the trace, and the raw bytes of the file.
fn all_texts(path: &Path) -> Vec<Vec<u8>> {
    let trace = Trace::open(path).unwrap();
    let mut texts = vec![std::fs::read(path).unwrap()];
    for step in (0..trace.len()).map(StepIndex) {
        texts.extend(trace.capture(step).unwrap().payloads.iter().map(|payload| payload.body.to_vec()));
        texts.push(serde_json::to_vec(&trace.step(step).unwrap().action).unwrap());
        texts.push(format!("{:?}", trace.entities(step).unwrap()).into_bytes());
    }
    for event in trace.events(&EventFilter::default(), None, 1000).unwrap() {
        texts.push(serde_json::to_vec(&event).unwrap());
        if let EventKind::Request(request) = event.kind {
            texts.extend([request.request_body, request.response_body].into_iter().flatten().map(String::into_bytes));
        }
    }
    texts
}

fn assert_gone(path: &Path, secrets: &[&str]) {
    let texts = all_texts(path);
    for secret in secrets {
        for text in &texts {
            let found = text.windows(secret.len()).position(|window| window == secret.as_bytes());
            assert!(
                found.is_none(),
                "{secret:?} in {:?}",
                String::from_utf8_lossy(&text[found.unwrap().saturating_sub(40)..][..80.min(text.len())])
            );
        }
    }
    assert!(verify(path).unwrap().is_ok());
}

/// The field of a page, what that holds, and its heading.
type Shown<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);

/// Steps of one page each.
fn pages(shown: &[Shown<'_>]) -> Vec<StepRecord> {
    let mut canonicalizer = Canonicalizer::new();
    let step = |(index, (field, value, heading)): (u32, &Shown<'_>)| {
        quiet(index, page(&mut canonicalizer, field, value, heading))
    };
    (0..).zip(shown).map(step).collect()
}

fn body(trace: &Trace, step: u32, kind: PayloadKind) -> String {
    let capture = trace.capture(StepIndex(step)).unwrap();
    String::from_utf8(capture.of_kind(kind).next().unwrap().body.to_vec()).unwrap()
}

#[test]
fn every_planted_secret_is_gone_from_every_byte() {
    let (steps, options, secrets) = planted::recording();
    let recording = record(steps, options);
    assert_gone(&recording.path, &secrets.iter().map(String::as_str).collect::<Vec<_>>());
    let trace = recording.open();
    let events = trace.events(&EventFilter::default(), None, 100).unwrap();
    let EventKind::Request(post) = &events[0].kind else { panic!("a request") };
    // What is no secret stays, and so do names, schemes, attributes and lengths.
    assert!(
        post.url.starts_with("http://login.test/api?access_token=") && post.url.contains("&page=2#id_token="),
        "{}",
        post.url
    );
    assert!(post.request_headers[0].1.starts_with("Bearer ") && post.request_headers[0].1.len() == 7 + JWT.len());
    assert!(post.request_headers[2].1.starts_with("theme=") && post.request_headers[2].1.contains("; sid="));
    assert!(post.response_headers[0].1.contains("; Path=/; HttpOnly\nid2="), "{}", post.response_headers[0].1);
    let body: serde_json::Value = serde_json::from_str(post.response_body.as_ref().unwrap()).unwrap();
    assert_eq!((&body["user"], &body["page"]), (&"ann".into(), &2.into()));
    assert!(body["otp"].as_u64().unwrap() >= 10_000_000);
}

#[test]
fn equal_secrets_have_equal_placeholders_and_keys_change_them() {
    let placeholder = |key| {
        let headings = ["Hi", "It is correct-Horse-7!"];
        let steps = pages(&headings.map(|heading| (PASSWORD_FIELD, "correct-Horse-7", heading)));
        let recording = record(steps, RedactionOptions { key, ..Default::default() });
        let trace = recording.open();
        let shown = body(&trace, 1, PayloadKind::Probe);
        let shown = shown.split("It is ").nth(1).unwrap()[..15].to_owned();
        for step in 0..2 {
            assert!(body(&trace, step, PayloadKind::Snapshot).contains(&format!("\"{shown}\"")), "{shown}");
        }
        shown
    };
    let fixed = placeholder(RedactionKey::Fixed);
    assert_eq!(fixed, placeholder(RedactionKey::Fixed));
    assert_ne!(fixed, placeholder(RedactionKey::Keyed([1; 32])));
    assert_eq!((&fixed[7..8], &fixed[13..14]), ("-", "-"), "{fixed}");
}

#[test]
fn public_values_are_never_replaced() {
    let mut written = pages(&[(PASSWORD_FIELD, "swordfish-1", "Use swordfish-1"); 2]);
    written[1].action = Some(action(ActionKind::Fill, "swordfish-1", 1));
    let mut post = request("http://login.test/?token=demo-token-12345678");
    post.request_body = Some("password=swordfish-1&pin=0000".into());
    written[1].events = vec![event(1, 1, EventKind::Request(Box::new(post)))];
    let public = vec!["swordfish-1".into(), "demo-token-12345678".into(), "0000".into()];
    let recording = record(written.clone(), RedactionOptions { public, ..Default::default() });
    let trace = recording.open();
    assert_eq!(trace.capture(StepIndex(0)).unwrap(), written[0].capture);
    assert_eq!(trace.events(&EventFilter::default(), None, 10).unwrap(), written[1].events);
    assert_eq!(trace.step(StepIndex(1)).unwrap().action, written[1].action);
}

#[test]
fn a_page_without_secrets_keeps_every_byte() {
    let written = steps(2);
    let recording =
        record(written.clone(), RedactionOptions { known: vec!["not on the page".into()], ..Default::default() });
    let trace = recording.open();
    for step in written {
        assert_eq!(trace.capture(step.index).unwrap(), step.capture);
        let filter = EventFilter { from_step: Some(step.index.0), to_step: Some(step.index.0), ..Default::default() };
        assert_eq!(trace.events(&filter, None, 100).unwrap(), step.events);
    }
}

#[test]
fn a_digit_of_a_code_box_is_replaced_in_its_field_and_stays_elsewhere() {
    let steps = pages(&[(&[("name", "otp-1")], "4", "4")]);
    let snapshot = steps[0].capture.of_kind(PayloadKind::Snapshot).next().unwrap();
    let before = String::from_utf8(snapshot.body.to_vec()).unwrap();
    let recording = record(steps, RedactionOptions::default());
    let trace = recording.open();
    let after = body(&trace, 0, PayloadKind::Snapshot);
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let (before, after) = (parse(&before), parse(&after));
    let strings = |json: &serde_json::Value| json["strings"].as_array().unwrap().clone();
    let shown = |json: &serde_json::Value, pointer: &str| {
        strings(json)[json.pointer(pointer).unwrap().as_u64().unwrap() as usize].clone()
    };
    assert_eq!(shown(&after, "/documents/0/nodes/nodeValue/4"), "4", "the heading keeps its text");
    let value = shown(&after, "/documents/0/nodes/inputValue/value/0");
    assert!(value != "4" && value.as_str().unwrap().len() == 1, "{value}");
    assert_eq!(strings(&after)[..strings(&before).len()], strings(&before)[..]);
    let ax = parse(&body(&trace, 0, PayloadKind::Ax));
    assert_eq!(ax["nodes"][1]["name"]["value"], "4");
    assert_eq!(ax["nodes"][3]["value"]["value"], value);
    assert_eq!(ax["nodes"][3]["name"]["value"], "Code", "the label stays");
    assert_eq!(ax["nodes"][4]["name"]["value"], value, "the text inside the field goes");
}

#[test]
fn an_unused_entry_of_a_short_secret_does_not_stay_in_the_table() {
    let recording = record(pages(&[(PASSWORD_FIELD, "zQ7", "Hello")]), RedactionOptions::default());
    assert_gone(&recording.path, &["\"zQ7\""]);
}

#[test]
fn a_password_shown_as_text_stays_secret() {
    let hidden: &[(&str, &str)] = &[("type", "password"), ("name", "pw")];
    let shown: &[(&str, &str)] = &[("type", "text"), ("name", "pw")];
    let steps = pages(&[(hidden, "", "Hi"), (shown, "open-Sesame-5", "Hi")]);
    let recording = record(steps, RedactionOptions::default());
    assert_gone(&recording.path, &["open-Sesame-5"]);
}

#[test]
fn what_was_typed_without_a_target_is_known_by_the_field_that_holds_it() {
    let mut steps = pages(&["", "abc"].map(|value| (PASSWORD_FIELD, value, "Hi")));
    steps[1].action = Some(ActionRecord { target: None, acceptable: Vec::new(), ..action(ActionKind::Type, "abc", 1) });
    let recording = record(steps, RedactionOptions::default());
    let action = recording.open().step(StepIndex(1)).unwrap().action.unwrap();
    assert!(action.taken.text != "abc" && action.taken.text == action.intent.text, "{action:?}");
}

#[test]
fn keys_and_structure_never_change() {
    let mut steps = pages(&[(PASSWORD_FIELD, "listeners", "text")]);
    let probe = steps[0].capture.payloads.iter_mut().find(|payload| payload.kind == PayloadKind::Probe).unwrap();
    probe.body = std::sync::Arc::from(&br#"{"text":"listeners here","scroll":[0.0,0.0]}"#[..]);
    let known = vec!["text".into(), "strings".into(), "nodes".into()];
    let recording = record(steps, RedactionOptions { known, ..Default::default() });
    let trace = recording.open();
    let probe: serde_json::Value = serde_json::from_str(&body(&trace, 0, PayloadKind::Probe)).unwrap();
    assert!(
        probe["text"].as_str().unwrap().ends_with(" here") && !probe["text"].as_str().unwrap().starts_with("listeners")
    );
    let listeners: serde_json::Value = serde_json::from_str(&body(&trace, 0, PayloadKind::Listeners)).unwrap();
    assert!(listeners["listeners"].is_array());
    assert!(verify(&recording.path).unwrap().is_ok());
}

#[test]
fn a_very_long_secret_is_replaced_piece_by_piece() {
    let long: String = (0..300u32).map(|index| blake3::hash(&index.to_le_bytes()).to_hex()[..10].to_owned()).collect();
    let steps = pages(&[(&[("type", "text")], "", &format!("before {long} after"))]);
    let recording = record(steps, RedactionOptions { known: vec![long.clone()], ..Default::default() });
    assert_gone(&recording.path, &[&long[..12], &long[1500..1512], &long[long.len() - 12..]]);
    let probe = body(&recording.open(), 0, PayloadKind::Probe);
    assert!(probe.contains("before ") && probe.contains(" after"));
}
