//! Frames in place, and documents that take the place of others.

use super::*;

fn cart(loader: u32, name: &str, extra: bool) -> Page {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.document(1, loader);
    let added = if extra { "      button aria-label=\"New\" #90\n" } else { "" };
    builder.add_outline(&format!(
        "generic tag=html #2\n  generic tag=body #3\n    main #4\n{added}      button aria-label=\"{name}\" #7\n      \
            button aria-label=\"Pay\" #8"
    ));
    builder.finish()
}

#[test]
fn refs_stay_with_element_role_and_name_and_a_new_document_has_a_prefix() {
    let mut run = run();
    let first = Step::new(cart(1, "Cart (0)", false)).observe(&mut run);
    insta::assert_snapshot!(first.text, @r#"
    - main [ref=e2]:
      - button "Cart (0)" [ref=e3]
      - button "Pay" [ref=e4]
    "#);
    let keys: Vec<(String, u32)> =
        first.refs.iter().map(|target| (target.handle.clone(), target.key.backend)).collect();
    assert_eq!(keys, [("e2".to_owned(), 4), ("e3".to_owned(), 7), ("e4".to_owned(), 8)]);
    insta::assert_snapshot!(Step::new(cart(1, "Cart (1)", true)).observe(&mut run).text, @r#"
    - main [ref=e2]:
      - button "New" [ref=e5]
      - button "Cart (1)" [ref=e6]
      - button "Pay" [ref=e4]
    "#);
    insta::assert_snapshot!(Step::new(cart(2, "Cart (1)", false)).observe(&mut run).text, @r#"
    - main [ref=f1e2]:
      - button "Cart (1)" [ref=f1e3]
      - button "Pay" [ref=f1e4]
    "#);
}

fn with_frame(main: u32, frame_number: u32) -> Page {
    with_frame_of(main, frame_number, "button aria-label=\"Pay now\"")
}

fn with_frame_of(main: u32, frame_number: u32, line: &str) -> Page {
    let mut builder = body();
    builder.document(1, main);
    builder.add_outline("button aria-label=\"Before\"");
    let attributes = vec![("title", "Payment")];
    builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, attributes, ..NodeSpec::default() });
    builder.open_frame(frame(frame_number, None));
    builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
    builder.add_outline(&format!("generic tag=html\n  generic tag=body\n    {line}"));
    builder.finish()
}

#[test]
fn frames_stand_in_place_with_a_prefix_of_their_own() {
    let mut run = run();
    let first = Step::new(with_frame(1, 2)).observe(&mut run);
    insta::assert_snapshot!(first.text, @r#"
    - generic [active] [ref=e1]:
      - button "Before" [ref=e2]
      - iframe [ref=e3]:
        - button "Pay now" [ref=f1e2]
    "#);
    assert_eq!(first.refs.last().map(|target| (target.handle.as_str(), target.key.frame)), Some(("f1e2", 2)));
    // A reload: the main document takes the next prefix, its new frame the one after.
    insta::assert_snapshot!(Step::new(with_frame(3, 4)).observe(&mut run).text, @r#"
    - generic [active] [ref=f2e1]:
      - button "Before" [ref=f2e2]
      - iframe [ref=f2e3]:
        - button "Pay now" [ref=f3e2]
    "#);
}

#[test]
fn the_reply_names_the_page_and_counts_console_messages_of_its_document() {
    let mut run = PlaywrightRun::new(true);
    let said = |level: &str, text: &str| {
        let (level, text) = (level.to_owned(), text.to_owned());
        let kind = EventKind::Console(ConsoleMessage { level, text, ..ConsoleMessage::default() });
        Event { position: 0, step: 0, tab: 0, at_ms: 0, kind }
    };
    let events = ["error", "warning", "warning", "log"].map(|level| said(level, "")).to_vec();
    let step = Step::new(cart(1, "Cart", false)).with_events(events);
    insta::assert_snapshot!(step.observe(&mut run).text, @r#"
    ### Page
    - Page URL: https://test.test/
    - Page Title: Test
    - Console: 1 errors, 2 warnings
    ### Snapshot
    ```yaml
    - main [ref=e2]:
      - button "Cart" [ref=e3]
      - button "Pay" [ref=e4]
    ```
    ### Events
    - New console entries: .playwright-mcp/console-2026-01-01T00-00-00-000Z.log#L1-L4
    "#);
    let after = Step::new(cart(2, "Cart", false)).observe(&mut run).text;
    assert!(!after.contains("Console") && !after.contains("Events"), "{after}");
    // The log goes on over documents, a message of two lines takes two, and what is below its level
    // none.
    let thrown = vec![said("exception", "Error: no\n    at cart.js:3"), said("debug", "")];
    for (events, told) in [(thrown, "#L5-L6"), (vec![said("log", "")], "#L7")] {
        let after = Step::new(cart(2, "Cart", false)).with_events(events).observe(&mut run).text;
        assert!(after.ends_with(&format!("```\n### Events\n- New console entries: {CONSOLE_LOG}{told}")), "{after}");
    }
}

#[test]
fn the_body_of_a_frame_that_has_the_focus_is_active_and_so_is_the_frame() {
    let probe = |frame: u32, focused: bool| payload(PayloadKind::Probe, frame, format!("{{\"focused\":{focused}}}"));
    for (inner, expected) in [
        (true, ["- generic [ref=e1]:", "  - iframe [active] [ref=e3]:", "    - generic [active] [ref=f1e1]:"]),
        (false, ["- generic [active] [ref=e1]:", "  - iframe [ref=e3]:", "    - generic [ref=f1e1]:"]),
    ] {
        let page = with_frame_of(1, 2, "button aria-label=\"Pay\"\n    button aria-label=\"Cancel\"");
        let text = Step::new(page).with_payloads(vec![probe(1, true), probe(2, inner)]).observe(&mut run()).text;
        for line in expected {
            assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
        }
    }
}
