use super::*;
use crate::testing::{Step, frame, on_small_stack, outline, payload, style};
use browserlens_core::page::{BoxInDocument, NodeKind, NodeSpec, PageBuilder, Payload, PayloadKind, Visibility};
use proptest::prelude::*;
use serde_json::{Value, json};

/// An accessibility payload from an outline: `role "name" #backend value=… property=…`, or
/// `ignored`, one node a line.
fn ax(outline: &str) -> String {
    let lines: Vec<&str> = outline.lines().filter(|line| !line.trim().is_empty()).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let children_of = |at: usize| {
        let below = lines[at + 1..].iter().take_while(|line| indent(line) > indent(lines[at])).count();
        let children = (at + 1..=at + below).filter(|child| indent(lines[*child]) == indent(lines[at]) + 2);
        children.map(|child| format!("n{child}")).collect::<Vec<_>>()
    };
    let node = |at: usize| {
        let line = lines[at].trim();
        let (role, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (name, words) = match rest.strip_prefix('"').and_then(|rest| rest.rsplit_once('"')) {
            Some((name, words)) => (name, words),
            None => ("", rest),
        };
        let mut node = json!({
            "nodeId": format!("n{at}"), "role": { "value": role }, "name": { "value": name.replace("\\n", "\n") },
            "childIds": children_of(at), "properties": [],
        });
        for word in words.split_whitespace() {
            match word.split_once('=') {
                Some(("value", value)) => node["value"] = json!({ "value": value }),
                Some((key, value)) => {
                    let value = serde_json::from_str(value).unwrap_or(Value::String(value.to_owned()));
                    let property = json!({ "name": key, "value": { "value": value } });
                    node["properties"].as_array_mut().expect("a list").push(property);
                }
                None if word == "ignored" => node["ignored"] = json!(true),
                None => node["backendDOMNodeId"] = word[1..].parse::<u32>().expect("a node id").into(),
            }
        }
        node
    };
    json!({ "nodes": (0..lines.len()).map(node).collect::<Vec<_>>() }).to_string()
}

fn payloads(trees: &[(u32, &str)]) -> Vec<Payload> {
    let mut payloads = vec![payload(PayloadKind::Snapshot, 1, r#"{"documents":[],"strings":[]}"#)];
    payloads.extend(trees.iter().map(|(frame, tree)| payload(PayloadKind::Ax, *frame, tree)));
    payloads
}

fn step(page: Page, tree: &str) -> Step {
    Step::new(page).with_payloads(payloads(&[(1, &ax(tree))]))
}

/// A step of nodes as they were sent.
fn sent(nodes: Value) -> Step {
    let tree = json!({ "nodes": nodes }).to_string();
    Step::new(outline("main")).with_payloads(payloads(&[(1, &tree)]))
}

fn both(page: Page, tree: &str) -> (String, String) {
    let step = step(page, tree);
    (
        step.observe(&mut AgentBrowserRun::new(Extent::Full)).text,
        step.observe(&mut AgentBrowserRun::new(Extent::Interactive)).text,
    )
}

fn full(tree: &str) -> String {
    both(outline("main"), tree).0
}

/// An element of [`page_of`]: its attributes and whether its own style makes the cursor a hand.
fn element<'a>(tag: &'a str, backend: u32, attributes: &[(&'a str, &'a str)], pointer: bool) -> NodeSpec<'a> {
    let styles = vec![style("display", "block"), style("cursor", if pointer { "pointer" } else { "auto" })];
    NodeSpec { tag, backend, attributes: attributes.to_vec(), styles, ..NodeSpec::default() }
}

fn page_of(build: impl FnOnce(&mut PageBuilder)) -> Page {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(element("html", 2, &[], false));
    builder.open(element("body", 3, &[], false));
    build(&mut builder);
    builder.finish()
}

fn found(build: impl FnOnce(&mut PageBuilder)) -> Vec<(u32, String)> {
    let page = page_of(build);
    let marks = marks::marks(&Dom::new(&page, &[]), &Capture::default());
    let mut found: Vec<(u32, String)> = marks
        .iter()
        .map(|(backend, mark)| (*backend, format!("{} [{}] {:?}", mark.kind(), mark.hints().join(", "), mark.text)))
        .collect();
    found.sort();
    found
}

const CONSOLE: &str = r#"
RootWebArea "Console" #1 focusable=true
  none ignored #2
    region "Settings" #40
      switch "Notifications" #41 checked=false
      checkbox "All regions" #42 checked=mixed
      button "Deploy" #43 disabled=true
        StaticText "Deploy" #143
      combobox "Region" #44 value=Europe expanded=false
        MenuListPopup #144
          option "Europe" #244 selected=true
          option "Asia" #245 selected=false
      textbox "Password" #45 value=•••••• required=true
        StaticText "••••••" #145
    generic #46
      StaticText "Uptime " #146
      StaticText "3 s" #147
    generic #47
      StaticText "Open " #148
      strong #48
        StaticText "dialog" #149
    heading #49 level=2
    cell #50
"#;

#[test]
fn a_page_reads_as_the_tool_writes_it() {
    let page = page_of(|builder| {
        builder.leaf(element("div", 46, &[], false));
        builder.open(element("div", 47, &[("onclick", "open()")], true));
        builder.text("Open ");
        builder.open(element("strong", 48, &[], true));
        builder.text("dialog");
    });
    let (full, interactive) = both(page, CONSOLE);
    insta::assert_snapshot!(full, @r#"
    - region "Settings" [ref=e1]
      - switch "Notifications" [checked=false, ref=e2]
      - checkbox "All regions" [checked=mixed, ref=e3]
      - button "Deploy" [disabled, ref=e4]
      - combobox "Region" [expanded=false, ref=e5]: Europe
        - MenuListPopup
          - option "Europe" [selected, ref=e6]
          - option "Asia" [ref=e7]
      - textbox "Password" [required, ref=e8]: ••••••
        - StaticText "••••••"
    - generic
      - StaticText "Uptime 3 s"
    - generic [ref=e9] clickable [cursor:pointer, onclick]
      - StaticText "Open "
      - strong
        - StaticText "dialog"
    - heading [level=2]
    - cell [ref=e10]
    "#);
    insta::assert_snapshot!(interactive, @r#"
    - region "Settings" [ref=e1]
      - switch "Notifications" [checked=false, ref=e2]
      - checkbox "All regions" [checked=mixed, ref=e3]
      - button "Deploy" [disabled, ref=e4]
      - combobox "Region" [expanded=false, ref=e5]: Europe
        - option "Europe" [selected, ref=e6]
        - option "Asia" [ref=e7]
      - textbox "Password" [required, ref=e8]: ••••••
    - generic "Open dialog" [ref=e9] clickable [cursor:pointer, onclick]
    - cell [ref=e10]
    "#);
}

#[test]
fn refs_are_numbered_in_the_order_in_which_the_browser_sent_the_nodes() {
    let nodes = json!([
        { "nodeId": "1", "role": { "value": "RootWebArea" }, "childIds": ["3", "2", "9"] },
        { "nodeId": "2", "role": { "value": "button" }, "name": { "value": "second" }, "backendDOMNodeId": 12 },
        { "nodeId": "3", "role": { "value": "button" }, "name": { "value": "first" }, "backendDOMNodeId": 13 },
    ]);
    let observation = sent(nodes).observe(&mut AgentBrowserRun::new(Extent::Full));
    assert_eq!(observation.text, "- button \"first\" [ref=e2]\n- button \"second\" [ref=e1]");
    let key = |backend| NodeKey { frame: 1, loader: 1, backend };
    let targets =
        [("@e1", key(12)), ("@e2", key(13))].map(|(handle, key)| RefTarget { handle: handle.to_owned(), key });
    assert_eq!(observation.refs, targets);
}

#[test]
fn refs_last_as_long_as_their_document_and_are_never_given_again() {
    let mut run = AgentBrowserRun::new(Extent::Full);
    for (loader, tree, shown) in [
        (1, "link \"a\" #1\nlink \"b\" #2", "- link \"a\" [ref=e1]\n- link \"b\" [ref=e2]"),
        (1, "link \"new\" #3\nlink \"renamed\" #2", "- link \"new\" [ref=e3]\n- link \"renamed\" [ref=e2]"),
        (1, "link \"a\" #1", "- link \"a\" [ref=e1]"),
        (2, "link \"a\" #1", "- link \"a\" [ref=e4]"),
        (1, "link \"a\" #1", "- link \"a\" [ref=e5]"),
        (1, "link \"no node\"", "- link \"no node\" [ref=e6]"),
        (1, "link \"no node\"", "- link \"no node\" [ref=e7]"),
    ] {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.document(1, loader);
        assert_eq!(step(builder.finish(), tree).observe(&mut run).text, shown);
    }
}

#[test]
fn runs_of_text_are_joined_and_a_repeated_name_is_dropped() {
    let tree = r#"
paragraph
  StaticText "one "
  StaticText "two"
  LineBreak "\n"
  StaticText "three"
button "Same"
  StaticText "Same"
button "Sa me"
  StaticText "Sa "
  StaticText "me"
generic
  generic
    StaticText "lifted"
generic
  StaticText "a"
  image
"#;
    insta::assert_snapshot!(full(tree), @r#"
    - paragraph
      - StaticText "one two"
      - LineBreak "\n"
      - StaticText "three"
    - button "Same" [ref=e1]
    - button "Sa me" [ref=e2]
      - StaticText "Sa me"
    - StaticText "lifted"
    - generic
      - StaticText "a"
      - image
    "#);
}

#[test]
fn names_are_quoted_on_one_line_and_lose_what_cannot_be_seen() {
    assert_eq!(full(r#"heading "a "b" \ c\nd" level=1"#), r#"- heading "a \"b\" \\ c\nd" [level=1, ref=e1]"#);
    assert_eq!(full("button \"a\u{a0}b\u{200b}c\u{feff}\u{202e}\""), "- button \"a bc\u{202e}\" [ref=e1]");
    // A name of nothing but such characters stays as an empty one, such a text goes.
    assert_eq!(full("button \"\u{200b}\"\n  StaticText \"\u{a0}\u{200b}\""), "- button \"\" [ref=e1]");
}

#[test]
fn values_are_printed_as_they_are_unless_they_repeat_the_name() {
    let nodes = json!([
        { "nodeId": "1", "role": { "value": "textbox" }, "value": { "value": "two\nlines \"x\"" } },
        { "nodeId": "2", "role": { "value": "button" }, "name": { "value": "v" }, "value": { "value": "v" } },
        { "nodeId": "3", "role": { "value": "meter" }, "value": { "value": 0.5 } },
        { "nodeId": "4", "role": { "value": "slider" }, "value": { "value": 30 } },
        { "nodeId": "5", "role": { "value": "switch" }, "value": { "value": true } },
        { "nodeId": "6", "role": { "value": "checkbox" },
            "properties": [{ "name": "checked", "value": { "value": 1 } }] },
    ]);
    insta::assert_snapshot!(sent(nodes).observe(&mut AgentBrowserRun::new(Extent::Full)).text, @r#"
    - textbox [ref=e1]: two
    lines "x"
    - button "v" [ref=e2]
    - meter: 0.5
    - slider [ref=e3]: 30
    - switch [ref=e4]
    - checkbox [checked=false, ref=e5]
    "#);
}

#[test]
fn elements_that_look_clickable_are_marked_once_with_every_reason() {
    let found = found(|builder| {
        builder.open(element("div", 10, &[], true));
        builder.leaf(element("span", 11, &[], true));
        builder.leaf(element("b", 12, &[("tabindex", "0")], true));
        builder.close();
        builder.leaf(element("div", 13, &[("tabindex", "-1")], false));
        builder.leaf(element("div", 14, &[("contenteditable", "")], false));
        builder.leaf(element("div", 15, &[("contenteditable", "plaintext-only")], false));
        builder.leaf(element("div", 16, &[("contenteditable", "true"), ("onclick", ""), ("tabindex", "2")], true));
        builder.leaf(element("a", 17, &[("onclick", "")], true));
        builder.leaf(element("div", 18, &[("onclick", ""), ("role", "TreeItem")], false));
        builder.leaf(element("div", 19, &[("onclick", ""), ("role", "button link")], false));
        builder.open(element("div", 20, &[("aria-hidden", "true")], false));
        builder.leaf(element("div", 21, &[("onclick", "")], false));
        builder.close();
        builder.leaf(element("div", 22, &[("hidden", ""), ("onclick", "")], false));
        builder.leaf(NodeSpec {
            bounds: BoxInDocument { width: 0.0, ..BoxInDocument::default() },
            ..element("div", 23, &[("onclick", "")], false)
        });
    });
    insta::assert_snapshot!(found.iter().map(|(id, mark)| format!("{id} {mark}\n")).collect::<String>(), @r#"
    10 clickable [cursor:pointer] ""
    12 clickable [cursor:pointer, tabindex] ""
    14 editable [contenteditable] ""
    16 clickable [cursor:pointer, onclick, tabindex, contenteditable] ""
    19 clickable [onclick] ""
    "#);
}

#[test]
fn the_text_of_an_element_is_trimmed_and_then_cut() {
    let mut found = found(|builder| {
        builder.open(element("div", 10, &[("onclick", "")], false));
        builder.text("\u{feff} \n a  b ");
        builder.open(element("style", 11, &[], false));
        builder.text(".x{}");
        builder.close().text(&"😀".repeat(60));
    });
    let mut expected = "a  b .x{}".to_owned();
    expected.push_str(&"😀".repeat(45));
    assert_eq!(found.remove(0).1, format!("clickable [onclick] {expected:?}"));
}

#[test]
fn what_stands_for_a_hidden_field_takes_its_role_and_state() {
    let snapshot = r#"{"documents":[{"nodes":{"backendNodeId":[1,11,21],"inputChecked":{"index":[1]}}}],"strings":[]}"#;
    let probe = r#"{"indeterminate":["0/2/0"]}"#;
    let hidden = |backend: u32, kind: &'static str| NodeSpec {
        tag: "input",
        backend,
        attributes: vec![("type", kind)],
        visibility: Visibility::NotRendered,
        ..NodeSpec::default()
    };
    let page = page_of(|builder| {
        for (label, kind) in [(10, "RADIO"), (20, "checkbox"), (30, "checkbox")] {
            builder.open(element("label", label, &[], true));
            builder.leaf(hidden(label + 1, kind));
            builder.text(" Card ");
            builder.close();
        }
    });
    let tree = ax("LabelText #10\n  StaticText \"Card\" #12\nLabelText #20\ngeneric \"own\" #30\nregion #40");
    let kinds = [(PayloadKind::Snapshot, snapshot), (PayloadKind::Ax, &tree), (PayloadKind::Probe, probe)];
    let payloads = kinds.map(|(kind, body)| payload(kind, 1, body)).to_vec();
    let text = Step::new(page).with_payloads(payloads).observe(&mut AgentBrowserRun::new(Extent::Full)).text;
    insta::assert_snapshot!(text, @r#"
    - radio "Card" [checked=true, ref=e1] clickable [cursor:pointer]
      - StaticText "Card"
    - checkbox "Card" [checked=false, ref=e2] clickable [cursor:pointer]
    - checkbox "own" [checked=mixed, ref=e3] clickable [cursor:pointer]
    - region
    "#);
}

#[test]
fn frames_of_the_main_frame_are_written_below_their_elements_and_theirs_are_not() {
    let page = page_of(|builder| {
        let outer = builder.open(element("iframe", 10, &[], false));
        builder.open_frame(frame(2, Some(outer)));
        builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
        builder.open(element("html", 60, &[], false));
        // The same number as an element of the main document: marks of one must not reach the
        // other.
        builder.leaf(element("p", 12, &[], false));
        let inner = builder.open(element("iframe", 61, &[], false));
        builder.open_frame(frame(3, Some(inner)));
        builder.close_frame();
        builder.close().close().close();
        builder.close_frame();
        builder.close();
        builder.leaf(element("div", 12, &[("onclick", "")], false));
    });
    let main = ax(
        "RootWebArea\n  IframePresentational \"Pay\" #10\n  generic #12\n    StaticText \"x\"\n  button \"after\" #13",
    );
    let pay = ax("RootWebArea\n  textbox \"Card\" #62 value=1\n  paragraph #12\n  Iframe \"deep\" #61");
    let deep = ax("RootWebArea\n  button \"unseen\" #70");
    let step = Step::new(page).with_payloads(payloads(&[(1, &main), (2, &pay), (3, &deep)]));
    let observation = step.observe(&mut AgentBrowserRun::new(Extent::Full));
    insta::assert_snapshot!(observation.text, @r#"
    - Iframe "Pay" [ref=e1]
      - textbox "Card" [ref=e4]: 1
      - paragraph
      - Iframe "deep" [ref=e5]
    - generic [ref=e2] clickable [onclick]
      - StaticText "x"
    - button "after" [ref=e3]
    "#);
    let card = observation.refs.iter().find(|target| target.handle == "@e4").expect("the card field");
    assert_eq!(card.key, NodeKey { frame: 2, loader: 2, backend: 62 });
}

#[test]
fn a_page_or_frame_without_lines_says_so() {
    let (full, interactive) = both(outline("main"), "RootWebArea\n  paragraph\n    StaticText \"t\"");
    assert_eq!(full, "- paragraph\n  - StaticText \"t\"");
    assert_eq!(interactive, "(no interactive elements)");
    assert_eq!(both(outline("main"), "RootWebArea").0, "(empty page)");
}

#[test]
fn a_capture_without_a_payload_is_an_error_that_names_it() {
    for (payloads, what) in [
        (Vec::new(), "DOM snapshot"),
        (payloads(&[]), "accessibility tree"),
        (payloads(&[(1, "{\"nodes\":7}")]), "accessibility tree"),
    ] {
        let step = Step::new(outline("main")).with_payloads(payloads);
        let error = step.try_observe(&mut AgentBrowserRun::new(Extent::Interactive)).expect_err("nothing to show");
        assert_eq!(error.to_string(), format!("step 0: the capture has no {what}, which {INTERACTIVE} reads"));
    }
}

#[test]
fn pages_nested_ten_thousand_deep_cost_no_stack() {
    let page = page_of(|builder| {
        for depth in 0..10_000 {
            builder.open(element("div", 4 + depth, &[("tabindex", "0")], true));
        }
        builder.text("deep");
    });
    let node = |id: u32| {
        let below = (id + 1).to_string();
        json!({ "nodeId": id.to_string(), "role": { "value": "generic" }, "childIds": [below] })
    };
    let mut nodes: Vec<Value> = (0..10_000).map(node).collect();
    nodes.push(json!({ "nodeId": "10000", "role": { "value": "button" }, "backendDOMNodeId": 10_003 }));
    let tree = json!({ "nodes": nodes }).to_string();
    let step = Step::new(page).with_payloads(payloads(&[(1, &tree)]));
    let text = on_small_stack(2 << 20, move || step.observe(&mut AgentBrowserRun::new(Extent::Interactive)).text);
    assert_eq!(text, "- button \"deep\" [ref=e1] clickable [cursor:pointer, tabindex]");
}

#[test]
fn cyclic_and_doubled_ids_end() {
    let nodes = json!([
        { "nodeId": "1", "role": { "value": "group" }, "childIds": ["2", "2", "9"] },
        { "nodeId": "2", "role": { "value": "list" }, "childIds": ["3", "2"] },
        { "nodeId": "3", "role": { "value": "button" }, "childIds": ["2"] },
        { "nodeId": "4", "role": { "value": "link" }, "childIds": ["4"] },
    ]);
    assert_eq!(
        sent(nodes).observe(&mut AgentBrowserRun::new(Extent::Full)).text,
        "- group\n  - list\n    - button [ref=e1]"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hostile_attributes_names_and_ids_never_panic(
        text in any::<String>(),
        tag in "(div|label|input|details|iframe)",
        edges in prop::collection::vec((0u8..6, 0u8..8), 0..12),
    ) {
        let page = page_of(|builder| {
            let names = ["id", "type", "role", "tabindex", "contenteditable"];
            let mut attributes: Vec<(&str, &str)> = names.iter().map(|name| (*name, text.as_str())).collect();
            attributes.push(("onclick", &text));
            builder.open(element(&tag, 10, &attributes, true));
            builder.text(&text);
        });
        let roles = ["RootWebArea", "StaticText", "generic", "Iframe", "LabelText", text.as_str()];
        let node = |id: usize| json!({
            "nodeId": id.to_string(), "role": { "value": roles[id] }, "name": { "value": text },
            "value": { "value": text },
            "backendDOMNodeId": 9 + id,
            "childIds": edges.iter().filter(|(from, _)| usize::from(*from) == id)
                .map(|(_, to)| to.to_string()).collect::<Vec<_>>(),
        });
        let tree = json!({ "nodes": (0..6).map(node).collect::<Vec<_>>() }).to_string();
        let step = Step::new(page).with_payloads(payloads(&[(1, &tree)]));
        for extent in [Extent::Full, Extent::Interactive] {
            prop_assert!(!step.observe(&mut AgentBrowserRun::new(extent)).text.is_empty());
        }
    }

    #[test]
    fn damaged_payloads_never_panic(cut in 0usize..2_000, byte in any::<u8>()) {
        let mut tree = ax(CONSOLE).into_bytes();
        let at = cut % tree.len();
        tree[at] = byte;
        let mut payloads = payloads(&[]);
        payloads.push(payload(PayloadKind::Ax, 1, &tree));
        _ = Step::new(outline("main")).with_payloads(payloads).try_observe(&mut AgentBrowserRun::new(Extent::Full));
    }
}
