//! Small captures in, whole pages out; and JSON of any kind never panics.

use super::*;
use crate::page::NodeSpec;
use crate::page::node::{Flags, NodeKind, States, Visibility};
use proptest::prelude::*;
use std::sync::Arc;

fn payload(kind: PayloadKind, frame: u32, body: &str) -> Payload {
    Payload { kind, frame, node: 0, body: Arc::from(body.as_bytes()) }
}

fn page_of(snapshot: &str) -> Page {
    Page::parse(&Capture { payloads: vec![payload(PayloadKind::Snapshot, 1, snapshot)] }).expect("parses")
}

/// A page with a slot in a closed shadow root, an iframe, a password field and a pseudo-element.
fn small() -> Capture {
    let snapshot = r##"{"documents":[
      {"documentURL":0,"title":1,"frameId":2,"scrollOffsetX":0,"scrollOffsetY":0,"contentWidth":800,"contentHeight":600,
       "nodes":{"parentIndex":[-1,0,1,2,3,1,5,1,1,8,1,10],"nodeType":[9,1,1,1,3,1,3,1,1,3,1,1],
        "shadowRootType":{"index":[3],"value":[20]},
        "nodeName":[3,4,5,6,8,7,8,9,10,8,11,12],"nodeValue":[-1,-1,-1,-1,13,-1,14,-1,-1,15,-1,-1],
        "backendNodeId":[1,2,3,4,5,6,7,8,9,10,11,12],
        "attributes":[[],[],[],[],[],[],[],[16,17],[],[],[],[]],
        "inputValue":{"index":[7],"value":[18]},"inputChecked":{"index":[]},
        "contentDocumentIndex":{"index":[10],"value":[1]},"isClickable":{"index":[5]}},
       "layout":{"nodeIndex":[0,1,2,3,4,5,6,7,8,9,10],"styles":[],
        "bounds":[[0,0,800,600],[0,0,800,600],[0,0,100,20],[0,0,50,20],[0,0,50,20],[0,20,60,20],[0,20,60,20],[0,40,80,
        20],[0,60,80,20],[0,60,80,20],[100,100,300,150]],
        "text":[-1,-1,-1,-1,13,-1,14,-1,-1,15,-1],"paintOrders":[0,1,1,1,1,1,1,1,1,1,1],
        "clientRects":[[],[],[],[],[],[],[],[],[],[],[2,2,296,146]]}},
      {"documentURL":0,"title":1,"frameId":19,"scrollOffsetX":0,"scrollOffsetY":10,
       "nodes":{"parentIndex":[-1,0],"nodeType":[9,1],"nodeName":[3,7],"nodeValue":[-1,-1],"backendNodeId":[1,2],
       "attributes":[[],[]]},
       "layout":{"nodeIndex":[0,1],"styles":[],"bounds":[[0,0,296,400],[5,30,40,20]],"text":[-1,-1],"paintOrders":[1,
       1]}}],
     "strings":["http://a.test/","Title","F1","#document","HTML","DIV","SLOT","BUTTON","#text","INPUT","P","IFRAME",
     "SPAN",
       "in  shadow","Go now","plain   text","type","password","secret!","F2","closed"]}"##;
    let ax = r#"{"nodes":[
      {"nodeId":"n1","ignored":false,"role":{"type":"internalRole","value":"RootWebArea"},
          "name":{"type":"computedString","value":"Title"},"backendDOMNodeId":1},
      {"nodeId":"n6","ignored":false,"role":{"type":"role","value":"button"},"name":{"type":"computedString",
          "value":"Go now"},
       "properties":[{"name":"pressed","value":{"type":"tristate","value":"mixed"}},{"name":"newFangled",
       "value":{"type":"x","value":{"a":[1]}}},{"name":"disabled","value":{"type":"boolean","value":true}}],
       "backendDOMNodeId":6},
      {"nodeId":"n8","ignored":false,"role":{"type":"role","value":"textbox"},"name":{"type":"computedString",
          "value":"Password"},"value":{"type":"string","value":"•••••••"},"backendDOMNodeId":8}]}"#;
    let frames = concat!(
        r#"{"frameTree":{"frame":{"id":"F1","loaderId":"L1","url":"http://a.test/"},"#,
        r#""childFrames":[{"frame":{"id":"F2","parentId":"F1","loaderId":"L2","url":"http://a.test/f"}}]}}"#
    );
    let metrics = concat!(
        r#"{"cssLayoutViewport":{"pageX":0,"pageY":0,"clientWidth":800,"clientHeight":600},"#,
        r#""cssContentSize":{"x":0,"y":0,"width":800,"height":600},"cssVisualViewport":{"scale":1}}"#
    );
    let listeners = r#"{"listeners":[{"node":9,"types":["click"]},{"node":3,"types":["scroll"]}]}"#;
    Capture {
        payloads: vec![
            payload(PayloadKind::Frames, 1, frames),
            payload(PayloadKind::Snapshot, 1, snapshot),
            payload(PayloadKind::Ax, 1, ax),
            payload(PayloadKind::Metrics, 1, metrics),
            payload(PayloadKind::Listeners, 1, listeners),
            payload(PayloadKind::Probe, 1, r#"{"text":"plain text"}"#),
        ],
    }
}

#[test]
fn what_a_style_adds_behind_an_element_stands_behind_what_it_holds() {
    // The browser lists both pseudo-elements before the text.
    let page = page_of(
        r##"{"documents":[{"documentURL":0,"title":0,"frameId":1,"contentWidth":800,"contentHeight":600,
       "nodes":{"parentIndex":[-1,0,1,2,2,2,1],"nodeType":[9,1,1,1,1,3,1],"nodeName":[2,3,4,5,6,7,8],
        "nodeValue":[-1,-1,-1,-1,-1,9,-1],"backendNodeId":[1,2,3,4,5,6,7],"attributes":[[],[],[],[],[],[],[]]},
       "layout":{"nodeIndex":[0,1,2,3,4,5,6],"styles":[],"bounds":[[0,0,800,600],[0,0,800,600],[0,0,90,20],[0,0,9,20],
        [80,0,9,20],[10,0,70,20],[0,30,90,20]],"text":[-1,-1,-1,10,11,9,-1],"paintOrders":[0,1,1,1,1,1,1]}}],
     "strings":["http://a.test/","F1","#document","HTML","LABEL","::before","::after","#text","INPUT","Name","*",
     ":"]}"##,
    );
    let texts: Vec<&str> = page.nodes().map(|node| node.text()).filter(|text| !text.is_empty()).collect();
    assert_eq!(texts, ["*", "Name", ":"]);
    let label = page.nodes().find(|node| node.tag() == "label").expect("the label");
    let input = page.nodes().find(|node| node.tag() == "input").expect("the field");
    assert!(page.nodes().filter(|node| !node.text().is_empty()).all(|text| label.holds(text.id())));
    assert!(!label.holds(input.id()));
}

#[test]
fn snapshot_and_accessibility_tree_become_one_tree() {
    let page = Page::parse(&small()).expect("parses");
    let lines: Vec<String> = page
        .nodes()
        .map(|node| {
            format!(
                "{}{} {} {:?} {:?} key={} at {},{}",
                "  ".repeat(node.depth() as usize),
                node.tag(),
                node.role(),
                node.name(),
                node.text(),
                node.key(),
                node.bounds().x,
                node.bounds().y
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    #document RootWebArea "Title" "" key=1.1.1 at 0,0
      html  "" "" key=1.1.2 at 0,0
        div  "" "" key=1.1.3 at 0,0
          slot  "" "" key=1.1.4 at 0,0
            #text  "" "in shadow" key=1.1.5 at 0,0
        button button "Go now" "" key=1.1.6 at 0,20
          #text  "" "Go now" key=1.1.7 at 0,20
        input textbox "Password" "" key=1.1.8 at 0,40
        p  "" "" key=1.1.9 at 0,60
          #text  "" "plain text" key=1.1.10 at 0,60
        iframe  "" "" key=1.1.11 at 100,100
          #document RootWebArea "Title" "" key=2.2.1 at 102,92
            button  "" "" key=2.2.2 at 107,122
          span  "" "" key=1.1.12 at 0,0
    "##);
    let find = |backend: u32| {
        page.nodes().find(|node| node.key().backend == backend && node.frame().0 == 0).expect("node is there")
    };
    assert!(find(4).flags().has(Flags::IN_CLOSED_SHADOW) && !find(5).flags().has(Flags::IN_CLOSED_SHADOW));
    assert!(find(3).flags().has(Flags::SHADOW_HOST_CLOSED) && find(5).flags().has(Flags::SLOTTED));
    assert_eq!(find(6).pressed(), Some(crate::page::Tri::Mixed));
    let password = find(8);
    assert!(password.flags().has(Flags::SECRET) && password.value().is_empty() && password.is_filled());
    assert_eq!(page.secrets(), ["secret!"]);
    assert!(!format!("{:?}", page.secrets).contains("secret!"));
    assert!(find(9).is_interactive() && !find(3).is_interactive());
    assert_eq!(page.frames()[0].rendered_text, "plain text");
    assert_eq!(page.frames()[1].owner, Some(find(11).id()));
    assert_eq!(find(12).visibility(), Visibility::NotRendered);
    assert_eq!(find(10).kind(), NodeKind::Text);
}

#[test]
fn a_native_control_is_disabled_if_its_attribute_says_so_too() {
    let disabled = |capture: &Capture| {
        let page = Page::parse(capture).expect("parses");
        page.nodes().any(|node| node.name() == "Go now" && node.states().has(States::DISABLED))
    };
    let mut capture = small();
    assert!(!disabled(&capture), "a script enabled it after the accessibility tree was built");
    let snapshot = std::str::from_utf8(&capture.payloads[1].body).expect("text");
    let attributes = "\"attributes\":[[],[],[],[],[],[],[],[16,17]";
    assert!(snapshot.contains(attributes));
    let snapshot = snapshot
        .replacen(attributes, "\"attributes\":[[],[],[],[],[],[21,21],[],[16,17]", 1)
        .replace("\"closed\"]", "\"closed\",\"disabled\"]");
    capture.payloads[1].body = Arc::from(snapshot.into_bytes());
    assert!(disabled(&capture));
}

#[test]
fn a_missing_or_broken_payload_is_named() {
    let error = Page::parse(&Capture::default()).expect_err("nothing there");
    insta::assert_snapshot!(error, @"the capture has no snapshot payload");
    let mut capture = small();
    capture.payloads[2].body = Arc::from(&b"{\"nodes\":[{]}"[..]);
    let error = Page::parse(&capture).expect_err("broken");
    insta::assert_snapshot!(error, @"ax payload of frame F1: key must be a string at line 1 column 12");
}

#[test]
fn a_tree_ten_thousand_deep_fits_a_small_stack() {
    let depth = 10_000;
    let parents: Vec<String> = (0..depth).map(|index: i64| (index - 1).to_string()).collect();
    let types: Vec<&str> = (0..depth).map(|index| if index == 0 { "9" } else { "1" }).collect();
    let snapshot = format!(
        r#"{{"documents":[{{"frameId":0,"nodes":{{"parentIndex":[{}],"nodeType":[{}]}}}}],"strings":["F1"]}}"#,
        parents.join(","),
        types.join(",")
    );
    let handle = std::thread::Builder::new().stack_size(512 * 1024).spawn(move || page_of(&snapshot).len());
    assert_eq!(handle.expect("thread starts").join().expect("no overflow"), depth as usize);
}

fn small_text(kind: PayloadKind) -> String {
    let capture = small();
    let payload = capture.of_kind(kind).next().expect("payload is there");
    String::from_utf8(payload.body.to_vec()).expect("is text")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_json_never_panics(kind in prop::sample::select(vec![PayloadKind::Snapshot, PayloadKind::Ax,
        PayloadKind::Frames, PayloadKind::Metrics]), at in 0usize..3000, with in "[-0-9\\[\\]{},\":a-z]{0,4}") {
        let mut text = small_text(kind);
        let at = at % text.len();
        if text.is_char_boundary(at) && text.is_char_boundary((at + 1).min(text.len())) {
            text.replace_range(at..(at + 1).min(text.len()), &with);
        }
        let mut capture = small();
        for payload in &mut capture.payloads {
            if payload.kind == kind {
                payload.body = Arc::from(text.as_bytes());
            }
        }
        if let Ok(page) = Page::parse(&capture) {
            let packed = page.pack();
            prop_assert_eq!(Page::unpack(&packed).expect("a parsed page is well formed"), page);
        }
    }

    #[test]
    fn any_parent_order_gives_a_well_formed_tree(parents in prop::collection::vec(-3i64..40, 1..40)) {
        let list = parents.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let snapshot = format!(r#"{{"documents":[{{"frameId":0,"nodes":{{"parentIndex":[{list}],
            "contentDocumentIndex":{{"index":[0,1,2],"value":[0,0,7]}}}}}}],"strings":["F1"]}}"#);
        prop_assert!(Page::unpack(&page_of(&snapshot).pack()).is_ok());
    }
}

/// What a script measures in a closed `details` gets boxes, and is no more to be seen than before.
#[test]
fn the_content_of_a_closed_details_is_not_rendered_though_it_has_boxes() {
    let page_with = |attributes: &str| {
        let snapshot = format!(
            r##"{{"documents":[{{"documentURL":0,"title":0,"frameId":1,"nodes":{{"parentIndex":[-1,0,1,2,3,2,5],
                "nodeType":[9,1,1,1,3,1,3],
            "nodeName":[2,3,4,5,6,7,6],"nodeValue":[-1,-1,-1,-1,8,-1,9],"backendNodeId":[1,2,3,4,5,6,7],
            "attributes":[[],[],{attributes},[],[],[],[]]}},
            "layout":{{"nodeIndex":[0,1,2,3,4,5,6],"styles":[[],[],[],[],[],[],[]],"text":[-1,-1,-1,-1,8,-1,9],
            "paintOrders":[0,1,1,1,1,1,1],
            "bounds":[[0,0,800,600],[0,0,800,600],[0,0,100,60],[0,0,100,20],[0,0,100,20],[0,20,100,40],[0,20,100,
            40]]}}}}],
            "strings":["","F1","#document","HTML","DETAILS","SUMMARY","#text","P","More","Folded away","open"]}}"##
        );
        page_of(&snapshot)
    };
    let seen =
        |page: &Page| page.nodes().filter(|node| node.is_visible()).map(|node| node.key().backend).collect::<Vec<_>>();
    assert!(seen(&page_with("[10,0]")).ends_with(&[6, 7]), "an open one shows its content");
    let closed = page_with("[]");
    let hidden: Vec<u32> = closed
        .nodes()
        .filter(|node| node.visibility() == Visibility::NotRendered)
        .map(|node| node.key().backend)
        .collect();
    assert!(hidden.contains(&6) && hidden.contains(&7) && !hidden.contains(&5), "{hidden:?}");
}

#[test]
fn rows_of_styles_may_hold_some_of_the_contract() {
    let page_with = |said: &str, row: &str| {
        let snapshot = format!(
            r##"{{{said}"documents":[{{"frameId":0,"nodes":{{"parentIndex":[-1,0],"nodeType":[9,1],"nodeName":[1,2],
                "nodeValue":[-1,-1],"backendNodeId":[1,2]}},
            "layout":{{"nodeIndex":[0,1],"styles":[[],{row}],"text":[-1,-1],"paintOrders":[0,1],"bounds":[[0,0,800,600],
            [0,0,800,600]]}}}}],
            "strings":["F1","#document","HTML","block","pointer","rtl"]}}"##
        );
        page_of(&snapshot)
    };
    let styles = |page: &Page| {
        let html = page.nodes().nth(1).expect("the element");
        ["display", "visibility", "cursor"].map(|name| html.style(name).map(str::to_owned))
    };
    let at =
        |name: &str| crate::page::capture::COMPUTED_STYLES.iter().position(|known| *known == name).expect("captured");
    let some = page_with(&format!(r#""computedStyles":[{},{}],"#, at("cursor"), at("display")), "[4,3]");
    assert_eq!(styles(&some), [Some("block".to_owned()), None, Some("pointer".to_owned())]);
    let all = page_with("", "[3,5]");
    assert_eq!(styles(&all), [Some("block".to_owned()), Some("rtl".to_owned()), None]);
    // More values than names, and a name that is none.
    assert_eq!(styles(&page_with(r#""computedStyles":[200],"#, "[3,4,5]")), [None, None, None]);
}

#[test]
fn a_combobox_that_is_a_button_has_what_is_chosen_as_its_value() {
    let mut page = crate::page::PageBuilder::outline(
        "main tag=main box=0,0,800,600\n  combobox \"Tree\" tag=button #7 box=0,0,100,20\n    text \"Birch\" \
            box=0,0,50,20\n  \
         combobox \"Size\" tag=button #8 box=0,30,100,20\n    text \"Size\" box=0,30,50,20\n  combobox \"Port\" \
         tag=div #9 box=0,60,100,20\n    \
         text \"Oban\" box=0,60,50,20",
    );
    super::chosen::say_chosen(&mut page);
    let value =
        |backend: u32| page.nodes().find(|node| node.key().backend == backend).expect("there").value().to_owned();
    assert_eq!([value(7), value(8), value(9)], ["Birch", "", ""]);
}

/// Of a list of the page, as the browser gives it, and the label in it or for it: its name and value.
fn list(name: &str, value: &str, of: &[(&str, &str)], within: Option<&str>, beside: Option<&str>) -> (String, String) {
    let mut page = crate::page::PageBuilder::new("https://test.test/", "Test");
    let label = |page: &mut crate::page::PageBuilder, text: &str| {
        page.open(NodeSpec { tag: "label", attributes: vec![("for", "trip")], ..NodeSpec::default() });
        page.text(text);
        page.close();
    };
    page.open(NodeSpec { tag: "div", ..NodeSpec::default() });
    let attributes = [("role", "combobox"), ("id", "trip")].iter().chain(of).copied().collect();
    page.open(NodeSpec { tag: "span", value, attributes, ..NodeSpec::with_role("combobox", name) });
    if let Some(text) = within {
        label(&mut page, text);
    }
    page.text(value);
    page.close();
    if let Some(text) = beside {
        label(&mut page, text);
    }
    let mut page = page.finish();
    super::chosen::say_chosen(&mut page);
    let list = page.nodes().find(|node| node.role() == "combobox").expect("there");
    (list.name().to_owned(), list.value().to_owned())
}

#[test]
fn a_list_is_called_by_its_label_and_holds_what_is_chosen() {
    let is = |(name, value): (String, String), expected: (&str, &str)| {
        assert_eq!((name.as_str(), value.as_str()), expected);
    };
    is(list("Puglia", "Puglia", &[], None, Some("Trip")), ("Trip", "Puglia"));
    is(list("", " ", &[], None, Some("Trip")), ("Trip", ""));
    is(list("", "Family suite Room", &[], Some("Room"), None), ("Room", "Family suite"));
    is(list("Occasion", "Occasion* Retirement", &[], None, None), ("Occasion", "Retirement"));
    is(list("Occasion", "Occasion*  ", &[], None, None), ("Occasion", ""));
    is(list("Payment", "Payment", &[("class", "p-placeholder")], None, None), ("Payment", ""));
    // A word that begins as the label does is a value.
    is(list("Oslo", "Oslofjord", &[], None, None), ("Oslo", "Oslofjord"));
    is(list("unpaid", "unpaid", &[], None, None), ("", "unpaid"));
}
