//! Canonical form: equal pages give equal bytes, whatever ids the browser gave.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::page::{NodeKey, PayloadKind};
use browserlens_trace::*;
use common::*;

fn texts(page: &RawPage<'_>) -> Vec<String> {
    let capture = page.capture(&mut Canonicalizer::new());
    capture.payloads.iter().map(|payload| String::from_utf8_lossy(&payload.body).into_owned()).collect()
}

#[test]
fn two_recordings_with_other_raw_ids_give_the_same_bytes() {
    let page = |ids| RawPage { ids, value: "hello", ..RawPage::default() };
    assert_eq!(texts(&page(10)), texts(&page(77_777)));
    let mut long = Canonicalizer::new();
    page(1).capture(&mut long);
    assert_ne!(
        page(2).capture(&mut long).payloads[1].body,
        page(2).capture(&mut Canonicalizer::new()).payloads[1].body,
        "another document has another number"
    );
}

#[test]
fn canonical_form_reads_as_the_contract_says() {
    let all = texts(&RawPage { heading: "Hi", value: "v", ..RawPage::default() });
    assert_eq!(
        all[0],
        concat!(
            r#"{"frameTree":{"frame":{"id":"F1","loaderId":"L1","url":"http://login.test/","#,
            r#""domainAndRegistry":""},"childFrames":[{"frame":{"id":"F2","parentId":"F1","loaderId":"L2","#,
            r#""url":"about:srcdoc"}}]}}"#
        )
    );
    assert!(
        all[1].contains(r#""backendNodeId":[1,2,3,4,5,6,7]"#) && all[1].contains(r#""backendNodeId":[8]"#),
        "{}",
        all[1]
    );
    assert!(all[1].contains(r#""F1""#) && all[1].contains(r#""F2""#) && !all[1].contains("MAIN"), "{}", all[1]);
    assert_eq!(
        all[2],
        concat!(
            r#"{"nodes":[{"nodeId":"n1","ignored":false,"role":{"type":"internalRole","value":"RootWebArea"},"#,
            r#""name":{"type":"computedString","value":"T"},"properties":[{"name":"url","value":{"type":"string","#,
            r#""value":"http://login.test/"}}],"childIds":["n4","n6"],"backendDOMNodeId":1,"frameId":"F1"},"#,
            r#"{"nodeId":"n4","ignored":false,"role":{"type":"role","value":"heading"},"#,
            r#""name":{"type":"computedString","value":"Hi"},"parentId":"n1","childIds":["n5"],"backendDOMNodeId":4},"#,
            r#"{"nodeId":"n5","ignored":false,"role":{"type":"internalRole","value":"StaticText"},"#,
            r#""name":{"type":"computedString","value":"Hi"},"parentId":"n4","childIds":[],"backendDOMNodeId":5},"#,
            r#"{"nodeId":"n6","ignored":false,"role":{"type":"role","value":"textbox"},"#,
            r#""name":{"type":"computedString","value":"Code"},"value":{"type":"string","value":"v"},"#,
            r#""properties":[{"name":"labelledby","value":{"type":"nodeList","#,
            r#""relatedNodes":[{"backendDOMNodeId":4,"idref":"h"}]}}],"parentId":"n1","childIds":["x1"],"#,
            r#""backendDOMNodeId":6},"#,
            r#"{"nodeId":"x1","ignored":false,"role":{"type":"internalRole","value":"StaticText"},"#,
            r#""name":{"type":"computedString","value":"v"},"parentId":"n6","childIds":[]}]}"#
        )
    );
    assert_eq!(all[3], r#"{"listeners":[{"node":4,"types":["click"]},{"node":6,"types":["click","focus"]}]}"#);
}

#[test]
fn canonical_form_is_its_own_canonical_form() {
    let first = texts(&RawPage { value: "v", ..RawPage::default() });
    let mut again = Canonicalizer::new();
    assert_eq!(again.frames(&first[0], None).unwrap(), first[0]);
    assert_eq!(again.snapshot(&first[1]).unwrap(), first[1]);
    assert_eq!(again.ax("F1", &first[2]).unwrap(), first[2]);
    assert_eq!(again.listeners("F1", &first[3]).unwrap(), first[3]);
}

#[test]
fn keys_lead_back_to_the_browsers_ids_also_after_a_navigation() {
    let mut canonicalizer = Canonicalizer::new();
    let (first, second) = (
        RawPage { ids: 10, ..RawPage::default() },
        RawPage { ids: 10, url: "http://login.test/2", ..RawPage::default() },
    );
    first.capture(&mut canonicalizer);
    let raw_field = 10 * 7 + 5 * 3;
    assert_eq!(canonicalizer.key(1, raw_field), Some(FIELD));
    assert_eq!(canonicalizer.raw_backend(FIELD), Some(("MAIN10", raw_field)));
    assert_eq!(canonicalizer.backend(2, 10 * 7 + 100), Some(8), "numbers are unique over documents");
    assert_eq!(canonicalizer.backend(1, 10 * 7 + 100), None);
    // The same raw ids in another document are other nodes.
    let mut moved = second.payloads();
    moved.frames = moved.frames.replace("LM10", "LM11");
    canonicalizer.frames(&moved.frames, None).unwrap();
    assert_eq!(canonicalizer.current_loader(1), Some(3));
    assert_eq!(canonicalizer.key(1, raw_field), None);
    canonicalizer.snapshot(&moved.snapshot).unwrap();
    assert_eq!(canonicalizer.key(1, raw_field), Some(NodeKey { frame: 1, loader: 3, backend: 14 }));
    assert_eq!(canonicalizer.raw_backend(FIELD), Some(("MAIN10", raw_field)), "older documents stay known");
    for key in [
        NodeKey { frame: 2, ..FIELD },
        NodeKey { loader: 0, ..FIELD },
        NodeKey { backend: 0, ..FIELD },
        NodeKey { backend: 99, ..FIELD },
    ] {
        assert_eq!(canonicalizer.raw_backend(key), None, "{key}");
    }
}

#[test]
fn an_out_of_process_frame_is_told_its_parent() {
    let mut canonicalizer = Canonicalizer::new();
    canonicalizer.frames(r#"{"frameTree":{"frame":{"id":"A","loaderId":"a","url":"u"}}}"#, None).unwrap();
    let text =
        canonicalizer.frames(r#"{"frameTree":{"frame":{"id":"B","loaderId":"b","url":"v"}}}"#, Some("A")).unwrap();
    assert_eq!(text, r#"{"frameTree":{"frame":{"id":"F2","parentId":"F1","loaderId":"L2","url":"v"}}}"#);
    let text =
        canonicalizer.frames(r#"{"frameTree":{"frame":{"id":"B","parentId":"A","loaderId":"b"}}}"#, Some("A")).unwrap();
    assert_eq!(text, r#"{"frameTree":{"frame":{"id":"F2","parentId":"F1","loaderId":"L2"}}}"#);
}

#[test]
fn odd_results_are_errors_or_pass_and_never_panic() {
    let mut canonicalizer = Canonicalizer::new();
    let raw = RawPage::default().payloads();
    for text in [&raw.frames, &raw.snapshot, &raw.ax, &raw.listeners] {
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)).step_by(7) {
            for damaged in [
                text[..cut].to_owned(),
                format!("{}[{}", &text[..cut], &text[cut..]),
                text.replacen(&text[cut..cut + 1], "9", 1),
            ] {
                let _ = canonicalizer.frames(&damaged, Some("P"));
                let _ = canonicalizer.snapshot(&damaged);
                let _ = canonicalizer.ax("MAIN", &damaged);
                let _ = canonicalizer.listeners("MAIN", &damaged);
            }
        }
    }
    assert!(canonicalizer.frames("{}", None).is_err());
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(canonicalizer.snapshot(&deep).is_ok() && canonicalizer.ax("MAIN", &deep).is_ok());
}

#[test]
fn three_megabytes_of_accessibility_tree_take_a_few_milliseconds() {
    let node = |id: u32| {
        format!(
            r#"{{"nodeId":"{id}","ignored":false,"role":{{"type":"role","value":"button"}},
              "chromeRole":{{"type":"internalRole","value":9}},"name":{{"type":"computedString",
              "value":"Add product {id} to the cart","sources":[{{"type":"relatedElement",
              "attribute":"aria-labelledby"}},{{"type":"contents","value":{{"type":"computedString",
              "value":"Add product {id} to the cart"}}}}]}},"properties":[{{"name":"focusable",
              "value":{{"type":"booleanOrUndefined","value":true}}}}],"parentId":"1","childIds":["-{id}"],
              "backendDOMNodeId":{id}}},{{"nodeId":"-{id}","role":{{"type":"internalRole",
              "value":"InlineTextBox"}},"parentId":"{id}"}}"#
        )
    };
    let raw = format!("{{\"nodes\":[{}]}}", (1..6000).map(node).collect::<Vec<_>>().join(","));
    assert!(raw.len() > 3_000_000);
    let mut canonicalizer = Canonicalizer::new();
    let canonical = canonicalizer.ax("MAIN", &raw).unwrap();
    assert_eq!(canonical.matches("\"nodeId\"").count(), 5999);
    assert_eq!(canonicalizer.backend(1, 5999), Some(5999));
    assert!(RawPage::default().capture(&mut Canonicalizer::new()).of_kind(PayloadKind::Ax).count() == 1);
}
