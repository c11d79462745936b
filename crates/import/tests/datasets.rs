//! Small files of our own in exactly the layouts that data sets are published in.

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_import::{Format, ImportOptions, import};
use browserlens_trace::{Trace, TraceSource, verify};
use serde_json::{Value, json};
use std::path::Path;

fn write(path: &Path, value: &Value) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
    std::fs::write(path, value.to_string()).expect("writes");
}

/// `DOMSnapshot.captureSnapshot` of a page with a button and a frame that holds a field.
fn snapshot(url: &str, label: &str) -> Value {
    let strings = [
        "", url, "MAIN", "#document", "HTML", "BODY", "BUTTON", "#text", label, "data-webtasks-id", "b-1", "IFRAME",
        "CHILD", "about:srcdoc", "INPUT", "f-1", "visible", "block",
    ];
    let at = |text: &str| strings.iter().position(|known| *known == text).expect("a string") as i64;
    let styles = json!([at("block"), at("visible")]);
    // Nodes as parent, type, name, value and mark.
    let document = |url: &str, frame: &str, first: usize, nodes: &[(i64, i64, &str, &str, &str)], content: Value| {
        let count = nodes.len();
        let bounds: Vec<[f64; 4]> = (0..count).map(|row| [8.0, 8.0 + 30.0 * row as f64, 100.0, 20.0]).collect();
        let value = |text: &str| if text.is_empty() { -1 } else { at(text) };
        let marked = |mark: &str| if mark.is_empty() { json!([]) } else { json!([at("data-webtasks-id"), at(mark)]) };
        json!({ "documentURL": at(url), "title": 0, "baseURL": at(url), "contentLanguage": 0, "encodingName": 0,
            "publicId": 0, "systemId": 0, "frameId": at(frame),
            "nodes": { "parentIndex": nodes.iter().map(|node| node.0).collect::<Vec<_>>(),
                "nodeType": nodes.iter().map(|node| node.1).collect::<Vec<_>>(),
                "nodeName": nodes.iter().map(|node| at(node.2)).collect::<Vec<_>>(),
                "nodeValue": nodes.iter().map(|node| value(node.3)).collect::<Vec<_>>(),
                "attributes": nodes.iter().map(|node| marked(node.4)).collect::<Vec<_>>(),
                "backendNodeId": (first..first + count).collect::<Vec<_>>(),
                "textValue": { "index": [], "value": [] }, "inputValue": { "index": [], "value": [] },
                "contentDocumentIndex": content },
            "layout": { "nodeIndex": (0..count).collect::<Vec<_>>(), "styles": vec![styles.clone(); count],
                "bounds": bounds, "text": vec![-1; count] },
            "textBoxes": { "layoutIndex": [], "bounds": [] }, "scrollOffsetX": 0, "scrollOffsetY": 0,
            "contentWidth": 800, "contentHeight": 600 })
    };
    let main = [
        (-1, 9, "#document", "", ""),
        (0, 1, "HTML", "", ""),
        (1, 1, "BODY", "", ""),
        (2, 1, "BUTTON", "", "b-1"),
        (3, 3, "#text", label, ""),
        (2, 1, "IFRAME", "", ""),
    ];
    let child =
        [(-1, 9, "#document", "", ""), (0, 1, "HTML", "", ""), (1, 1, "BODY", "", ""), (2, 1, "INPUT", "", "f-1")];
    let main = document(url, "MAIN", 1, &main, json!({ "index": [5], "value": [1] }));
    let child = document("about:srcdoc", "CHILD", 11, &child, json!({ "index": [], "value": [] }));
    json!({ "documents": [main, child], "strings": strings })
}

/// The accessibility trees of both frames, merged: the frame's root is a child of the element that
/// holds it.
fn axtree(label: &str) -> Value {
    let of = |text: &str| json!({ "type": "computedString", "value": text });
    let role = |text: &str| json!({ "type": "role", "value": text });
    json!({ "nodes": [
        { "nodeId": "1", "ignored": false, "role": role("RootWebArea"), "name": of(""), "childIds": ["4", "6"],
            "backendDOMNodeId": 1, "frameId": "MAIN" },
        { "nodeId": "4", "ignored": false, "role": role("button"), "name": of(label), "parentId": "1", "childIds": [],
            "backendDOMNodeId": 4 },
        { "nodeId": "6", "ignored": false, "role": role("Iframe"), "name": of(""), "parentId": "1", "childIds": ["11"],
            "backendDOMNodeId": 6 },
        { "nodeId": "11", "ignored": false, "role": role("RootWebArea"), "name": of(""), "childIds": ["14"],
            "backendDOMNodeId": 11, "frameId": "CHILD" },
        { "nodeId": "14", "ignored": false, "role": role("textbox"), "name": of("Search"), "parentId": "11",
            "childIds": [], "backendDOMNodeId": 14 },
    ] })
}

fn page(trace: &Trace, step: u32) -> Page {
    Page::parse(&trace.capture(StepIndex(step)).expect("capture")).expect("parses")
}

#[test]
fn weblinx_demonstrations_become_traces_with_their_elements() {
    let folder = tempfile::tempdir().expect("folder");
    let root = folder.path().join("weblinx");
    let demo = root.join("demonstrations/abcdefg");
    let turn = |number: u32, intent: &str, args: Value, element: &str| {
        json!({ "intent": intent, "args": args,
            "axtree_path": format!("demonstrations/abcdefg/axtrees/page-{number}-0.json"),
            "dom_object_path": format!("demonstrations/abcdefg/dom_snapshots/page-{number}-0.json"),
            "extra_props_path": null, "bbox_path": null, "html_path": null, "screenshot_path": null, "tab": 17,
            "zoom": 1, "has_full_snapshot": true,
            "element": { "attributes": { "data-webtasks-id": element }, "tagName": "X" } })
    };
    write(
        &root.join("metadata.json"),
        &json!({ "valid": { "abcdefg": {
        "0": { "intent": "say", "args": { "speaker": "instructor", "utterance": "Search for lamps" } },
        "2": turn(2, "click", json!({ "uid": "b-1" }), "b-1"),
        "10": turn(10, "text_input", json!({ "text": "lamp", "uid": "f-1" }), "f-1"),
        "11": turn(11, "paste", json!({}), ""),
        "12": { "intent": "click", "args": {}, "tab": 17 },
    }, "elsewhere": { "0": {} } } }),
    );
    for (number, label) in [(2, "Go"), (10, "Went"), (11, "Went")] {
        write(&demo.join(format!("axtrees/page-{number}-0.json")), &axtree(label));
        write(&demo.join(format!("dom_snapshots/page-{number}-0.json")), &snapshot("http://shop.test/", label));
    }
    write(&demo.join("metadata.json"), &json!({ "viewportWidth": 1000, "viewportHeight": 700 }));
    let report = import(Format::Weblinx, std::slice::from_ref(&root), &ImportOptions::new(folder.path().join("out")))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.traces.len(), 1);
    let made = &report.traces[0];
    assert_eq!((made.steps, made.with_node, made.origin.licence.as_str()), (3, 2, "CC-BY-NC-SA-4.0"));
    let gaps = made.origin.gaps.join("\n");
    assert!(
        gaps.contains("turn 11 (paste)")
            && gaps.contains("turn 12 (click) has no accessibility tree")
            && gaps.contains("shown again"),
        "{gaps}"
    );
    assert!(verify(&made.path).expect("verifies").is_ok());
    let trace = Trace::open(&made.path).expect("opens");
    assert_eq!(
        (trace.meta().goal.as_str(), trace.meta().source, trace.meta().viewport.width),
        ("Search for lamps", TraceSource::Imported, 1000)
    );
    let nodes: Vec<_> = (1..3)
        .map(|step| trace.step(StepIndex(step)).expect("row").action.expect("an action").taken)
        .map(|taken| (taken.kind.name(), taken.text, taken.node.map(|node| (node.role, node.name))))
        .collect();
    let node = |role: &str, name: &str| Some((role.to_owned(), name.to_owned()));
    assert_eq!(
        nodes,
        [("click", String::new(), node("button", "Go")), ("fill", "lamp".to_owned(), node("textbox", "Search"))]
    );
    assert_eq!(page(&trace, 0).frames().len(), 2);
    // One document: its nodes keep their keys.
    let key = |step| page(&trace, step).nodes().find(|node| node.role() == "textbox").expect("the field").key();
    assert_eq!(key(0), key(1));
}

#[test]
fn raw_pairs_become_pages_and_halves_are_gaps() {
    let folder = tempfile::tempdir().expect("folder");
    let root = folder.path().join("pairs");
    for (number, url) in [(2, "http://a.test/"), (10, "http://a.test/b")] {
        write(&root.join(format!("axtrees/p{number}.json")), &axtree("Go"));
        write(&root.join(format!("dom_snapshots/p{number}.json")), &snapshot(url, "Go"));
    }
    write(&root.join("axtrees/p11.json"), &axtree("Go"));
    let out = folder.path().join("out");
    let report = import(Format::Cdp, std::slice::from_ref(&root), &ImportOptions::new(&out))
        .unwrap_or_else(|error| panic!("{error}"));
    let made = &report.traces[0];
    assert!(made.steps == 2 && made.origin.gaps.iter().any(|gap| gap.contains("p11.json has no")), "{made:?}");
    let trace = Trace::open(&made.path).expect("opens");
    assert_eq!((page(&trace, 0).url(), page(&trace, 1).url()), ("http://a.test/", "http://a.test/b"));
    for (bytes, said) in
        [("{", "EOF"), ("{\"documents\":[],\"strings\":[]}", "no document"), ("{\"documents\":3}", "snapshot")]
    {
        std::fs::write(root.join("dom_snapshots/p2.json"), bytes).expect("writes");
        let options = ImportOptions { force: true, ..ImportOptions::new(&out) };
        let error = import(Format::Cdp, std::slice::from_ref(&root), &options).expect_err("damaged");
        assert!(error.to_string().contains(said) && error.to_string().contains("p2.json"), "{error}");
    }
    // What came before a page that cannot be read is kept.
    write(&root.join("dom_snapshots/p2.json"), &snapshot("http://a.test/", "Go"));
    std::fs::write(root.join("dom_snapshots/p10.json"), "{").expect("writes");
    let options = ImportOptions { force: true, ..ImportOptions::new(&out) };
    let error = import(Format::Cdp, &[root], &options).expect_err("damaged");
    assert!(error.to_string().contains("p10.json"), "{error}");
    let trace = Trace::open(&made.path).expect("opens");
    assert_eq!((trace.len(), trace.is_complete()), (1, false));
    assert!(trace.incomplete_reason().is_some_and(|reason| reason.contains("p10.json")));
}

#[test]
fn browsergym_runs_come_with_their_actions() {
    let folder = tempfile::tempdir().expect("folder");
    let root = folder.path().join("run");
    for number in [0, 1, 2] {
        let named = |text: &str| serde_json::from_str::<Value>(&text.replace("data-webtasks-id", "bid")).expect("JSON");
        write(&root.join(format!("axtrees/step-{number}.json")), &axtree("Go"));
        write(
            &root.join(format!("dom_snapshots/step-{number}.json")),
            &named(&snapshot("http://a.test/", "Go").to_string()),
        );
    }
    write(
        &root.join("actions.json"),
        &json!([
            { "step": 0, "goal": "Search", "last_action": "", "last_action_error": "" },
            { "step": 1, "goal": "Search", "last_action": "click('b-1')", "last_action_error": "" },
            { "step": 2, "goal": "Search", "last_action": "fill('f-1', 'lamp')", "last_action_error": "it is covered" },
        ]),
    );
    let report = import(Format::Cdp, &[root], &ImportOptions::new(folder.path().join("out")))
        .unwrap_or_else(|error| panic!("{error}"));
    let trace = Trace::open(&report.traces[0].path).expect("opens");
    assert_eq!((trace.len(), trace.meta().goal.as_str(), report.traces[0].with_node), (3, "Search", 2));
    let taken = |step| trace.step(StepIndex(step)).expect("row").action.expect("an action").taken;
    assert_eq!(taken(1).node.map(|node| node.name), Some("Go".to_owned()));
    assert_eq!((taken(2).text, taken(2).error), ("lamp".to_owned(), Some("it is covered".to_owned())));
}

#[test]
fn mind2web_pages_are_rendered_with_their_acceptable_nodes() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("train_0.json");
    let page_html = "<html><head><title>Fly</title></head><body backend_node_id=\"1\"><button backend_node_id=\"7\" \
        data_pw_testid_buckeye_candidate=\"1\" data_pw_testid_buckeye=\"u1\" \
        bounding_box_rect=\"1,2,3,4\">Search</button><a backend_node_id=\"8\" href=\"/x\">Search \
        flights</a><script>document.title='ran'</script></body></html>";
    write(
        &path,
        &json!([{ "annotation_id": "a1", "website": "united", "domain": "Travel", "subdomain": "Airlines",
            "confirmed_task": "Find a flight", "action_reprs": [],
        "actions": [{ "action_uid": "u1", "raw_html": page_html, "cleaned_html": "",
            "operation": { "op": "CLICK", "original_op": "CLICK", "value": "" },
            "pos_candidates": [{ "tag": "button", "backend_node_id": "7", "is_original_target": true,
                "is_top_level_target": true }, { "tag": "a", "backend_node_id": "8", "is_original_target": false }],
                "neg_candidates": [] }] }]),
    );
    let options = ImportOptions { pages: 1, ..ImportOptions::new(folder.path().join("out")) };
    let report = import(Format::Mind2web, &[path], &options).unwrap_or_else(|error| panic!("{error}"));
    let trace = Trace::open(&report.traces[0].path).expect("opens");
    assert_eq!((trace.len(), trace.meta().goal.as_str()), (2, "Find a flight"));
    let before = page(&trace, 0);
    assert_eq!(before.title(), "Fly");
    let action = trace.step(StepIndex(1)).expect("row").action.expect("an action");
    let names: Vec<&str> = action.acceptable.iter().map(|key| before.find(*key).expect("is there").name()).collect();
    assert_eq!(names, ["Search", "Search flights"]);
    assert!(
        !before
            .nodes()
            .any(|node| node.attributes().any(|(name, _)| name.contains("buckeye") || name.contains("browserlens")))
    );
}
