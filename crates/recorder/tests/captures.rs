//! Every field of the capture contract, on its fixture page, read back from the trace.

mod common;

use browserlens_core::page::{Flags, PayloadKind, States, Tri, Visibility};
use browserlens_core::strategy::{EventKind, StepIndex};
use common::{acted, by_id, fixture, log_of, page_of, recorded, recorded_with};
use std::collections::BTreeSet;
use std::time::Duration;

fn close(bounds: browserlens_core::page::BoxInDocument, expected: [f32; 4]) -> bool {
    let found = [bounds.x, bounds.y, bounds.width, bounds.height];
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.51)
}

#[tokio::test(flavor = "multi_thread")]
async fn styles_and_boxes() {
    let (_recorded, page) = page_of("/capture-styles.html").await;
    let style = |id: &str, name: &str| by_id(&page, id).style(name).unwrap_or("").to_owned();
    assert_eq!(style("red", "color"), "rgb(200, 0, 0)");
    assert_eq!((style("red", "font-weight"), style("red", "font-size")), ("700".into(), "20px".into()));
    assert_eq!(style("flex", "display"), "flex");
    assert_eq!(style("hand", "cursor"), "pointer");
    assert_eq!(style("deaf", "pointer-events"), "none");
    assert_eq!(style("fixed", "z-index"), "7");
    assert_eq!(style("rtl", "direction"), "rtl");
    assert_eq!(style("caps", "text-transform"), "uppercase");
    let (_recorded, page) = page_of("/capture-boxes.html").await;
    for (id, expected) in [
        ("plain", [20.0, 30.0, 100.0, 40.0]),
        ("inside", [210.0, 50.0, 50.0, 20.0]),
        ("deep", [210.0, 90.0, 40.0, 20.0]),
        ("rotated", [430.0, 70.0, 40.0, 100.0]),
        ("scaled", [600.0, 30.0, 100.0, 40.0]),
        ("below", [20.0, 1500.0, 100.0, 40.0]),
        ("fraction", [20.5, 350.25, 100.5, 20.25]),
        ("square", [40.0, 420.0, 40.0, 40.0]),
    ] {
        let bounds = by_id(&page, id).bounds();
        assert!(close(bounds, expected), "{id}: {bounds:?}");
    }
    assert_eq!(page.content_size(), (1280.0, 1540.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_checked_states_and_the_active_element() {
    let (_recorded, page) = page_of("/capture-values.html").await;
    for (id, value) in
        [("text", "typed text"), ("number", "42"), ("mail", "typed@mail.test"), ("listed", "Plum"), ("select", "Beta")]
    {
        assert_eq!(by_id(&page, id).value(), value, "{id}");
    }
    assert_eq!(by_id(&page, "password").value(), "");
    assert!(by_id(&page, "password").is_filled());
    let (_recorded, page) = page_of("/capture-checked.html").await;
    assert_eq!(by_id(&page, "on-attr").checked(), Some(Tri::False));
    assert_eq!(by_id(&page, "on-script").checked(), Some(Tri::True));
    assert_eq!(by_id(&page, "mixed").checked(), Some(Tri::Mixed));
    assert_eq!(by_id(&page, "radio-b").checked(), Some(Tri::True));
    let (_recorded, page) = page_of("/capture-states.html").await;
    let named = |name: &str| {
        page.nodes().find(|node| node.name() == name && !node.role().is_empty()).unwrap_or_else(|| panic!("{name}"))
    };
    assert!(named("Disabled").states().has(States::DISABLED));
    assert_eq!(named("Expanded").expanded(), Some(true));
    assert_eq!(named("Collapsed").expanded(), Some(false));
    let (_recorded, page) = page_of("/capture-modal.html").await;
    let text = |wanted: &str| page.nodes().find(|node| node.visible_text() == wanted && node.tag() == "button");
    let behind = text("Behind button").expect("the button behind the dialog");
    assert!(behind.flags().has(Flags::AX_IGNORED) && behind.role().is_empty());
    let inside = text("Inside button").expect("the button in the dialog");
    assert!(inside.states().has(States::FOCUSED) && inside.covered_by().is_none());
    assert!(inside.ancestors().any(|node| node.role() == "dialog" && node.name() == "Native modal"));
    let (recorded, page) = page_of("/capture-active.html?where=plain").await;
    assert_eq!(page.focused().expect("a focused node").attribute("id"), Some("plain"));
    let capture = recorded.trace.capture(StepIndex(0)).expect("capture");
    let probe: browserlens_core::page::FrameProbe =
        serde_json::from_slice(&capture.get(PayloadKind::Probe, 1).expect("probe").body).expect("a probe");
    assert!(probe.focused && probe.active.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn pseudo_elements_slots_shadow_trees_and_hidden_text() {
    let (_recorded, page) = page_of("/capture-pseudo.html").await;
    assert_eq!(by_id(&page, "icon").name(), "✕");
    assert!(by_id(&page, "both").visible_text().contains("before text"));
    let (_recorded, page) = page_of("/capture-slots.html").await;
    assert!(page.root().visible_text().contains("Default text"));
    let (_recorded, page) = page_of("/capture-shadow.html").await;
    for text in ["In open root", "In closed root", "Level three, closed"] {
        assert!(page.root().visible_text().contains(text), "{text}");
    }
    assert!(by_id(&page, "closed").flags().has(Flags::SHADOW_HOST_CLOSED));
    let (_recorded, page) = page_of("/capture-hidden.html").await;
    let text = page.root().visible_text();
    assert!(text.contains("Seen 00") && text.contains("Seen 28"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_scroll_offsets_rendered_text_and_covers() {
    use browserlens_core::page::Clickability;
    let (_recorded, page) = page_of("/capture-listeners.html").await;
    for id in ["listener", "attribute", "property", "delegate"] {
        assert!(by_id(&page, id).clickability().any(Clickability::LISTENER.with(Clickability::HANDLER)), "{id}");
    }
    for id in ["removed", "none", "delegated"] {
        assert!(!by_id(&page, id).clickability().any(Clickability::LISTENER), "{id}");
    }
    let (_recorded, page) = page_of("/capture-scroll.html").await;
    assert_eq!((page.scroll().x, page.scroll().y), (50.0, 700.0));
    let (offset, ..) = by_id(&page, "box").scrolled().expect("a scroller");
    assert_eq!((offset.x, offset.y), (120.0, 250.0));
    let (_recorded, page) = page_of("/capture-rendered-text.html").await;
    let text = &page.frames()[0].rendered_text;
    assert!(text.contains("UPPER CASE") && text.contains("cell 1\tcell 2"), "{text}");
    let (_recorded, page) = page_of("/capture-covered.html").await;
    assert_eq!(by_id(&page, "covered").covered_by().and_then(|cover| cover.attribute("id")), Some("lid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_frame_is_there_whatever_process_it_lives_in() {
    let (recorded, page) = page_of("/capture-frames.html").await;
    let text: BTreeSet<String> = page
        .nodes()
        .filter(|node| node.role() == "heading" || node.role() == "button")
        .map(|node| node.name().to_owned())
        .collect();
    for name in ["Leaf same", "Middle", "Leaf nested", "Leaf cross", "Leaf sandboxed", "Inside srcdoc", "Inside blank"]
    {
        assert!(text.contains(name), "{name} of {text:?}");
    }
    let capture = recorded.trace.capture(StepIndex(0)).expect("capture");
    assert_eq!(capture.of_kind(PayloadKind::Ax).count(), 12);
    assert!(capture.of_kind(PayloadKind::Frames).count() >= 4, "one a process");
}

#[tokio::test(flavor = "multi_thread")]
async fn images_outside_of_the_viewport_are_cropped_unless_text_tells_them() {
    let (recorded, page) = page_of("/capture-offscreen.html").await;
    let capture = recorded.trace.capture(StepIndex(0)).expect("capture");
    let cropped: BTreeSet<String> = capture
        .of_kind(PayloadKind::Crop)
        .filter_map(|crop| page.nodes().find(|node| node.key().frame == crop.frame && node.key().backend == crop.node))
        .filter_map(|node| node.attribute("id").map(str::to_owned))
        .collect();
    for id in ["far", "far-image", "far-svg"] {
        assert!(cropped.contains(id), "{id} of {cropped:?}");
    }
    for id in ["near", "near-image", "labelled", "decoration"] {
        assert!(!cropped.contains(id), "{id} of {cropped:?}");
    }
    let far = by_id(&page, "far");
    let crop = capture.of_kind(PayloadKind::Crop).find(|crop| crop.node == far.key().backend).expect("a crop");
    let picture = image::load_from_memory(&crop.body).expect("png");
    assert_eq!((picture.width(), picture.height()), (300, 80));
    assert!(
        picture.to_rgb8().pixels().any(|pixel| pixel.0.iter().all(|part| *part < 128)),
        "the canvas' text is in it"
    );
    let shot = image::load_from_memory(capture.screenshot().expect("screenshot")).expect("png");
    assert_eq!((shot.width(), shot.height()), (1280, 800));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_look_tells_what_changed_by_itself_and_never_the_answer_to_an_action() {
    let recorded = recorded(&fixture(
        "/capture-noise.html",
        "[[step]]\nclick = { role = \"button\", name = \"Ask\" }\nfacts = [\"The answer is 42\"]",
    ))
    .await;
    let page = recorded.page(0);
    let look = recorded.trace.second_look(StepIndex(0)).expect("reads").expect("was taken");
    assert_eq!(look.waited_ms, 10_000);
    let changed = |id: &str| {
        let node = by_id(&page, id);
        let keys: Vec<_> = node.subtree().map(|below| below.key()).collect();
        look.changed.iter().any(|changed| keys.contains(&changed.key))
            || look.removed.iter().any(|removed| keys.contains(removed))
    };
    for id in ["clock", "slide", "viewers", "ad"] {
        assert!(changed(id), "{id}");
    }
    assert!(!changed("steady"));
    assert!(look.dynamic_ratio() > 0.0 && look.dynamic_ratio() < 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn console_requests_and_downloads_are_recorded() {
    let recorded = acted(
        "/capture-events.html?all",
        "start_facts = [\"logged | warned | errored | objects | throwing | rejecting | missing 404 | broken 500 29 | \
            slow 200 11 | json 200 100 | post 201 21 | abort AbortError | image failed | redirect 200 /api/data true | \
            all done\"]\n[[step]]\nclick = { role = \"link\", name = \"Download report\" }",
    )
    .await;
    let console: Vec<(String, String)> = recorded
        .events("console")
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Console(message) => Some((message.level, message.text)),
            _ => None,
        })
        .collect();
    let said = |level: &str, text: &str| console.iter().any(|(known, said)| known == level && said.contains(text));
    assert!(said("log", "a plain line 12 true null undefined"), "{console:?}");
    assert!(said("warning", "a warning line") && said("error", "an error line"), "{console:?}");
    assert!(said("log", r#"{"name":"Ada","list":Array(3),"deep":Object} [1,"two"]"#), "{console:?}");
    assert!(said("exception", "uncaught on purpose") && said("exception", "rejected on purpose"), "{console:?}");
    let requests: Vec<_> = recorded
        .events("request")
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Request(request) => Some(request),
            _ => None,
        })
        .collect();
    let to =
        |path: &str| requests.iter().find(|request| request.url.ends_with(path)).unwrap_or_else(|| panic!("{path}"));
    assert_eq!(to("/api/broken").response_body.as_deref(), Some("{\"error\":\"broken on purpose\"}"));
    let save = to("/api/save");
    assert_eq!((save.method.as_str(), save.status), ("POST", 201));
    assert_eq!(save.request_body.as_deref(), Some("{\"item\":\"lamp\",\"count\":2}"));
    assert!(save.request_headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("x-made-up") && value == "yes"));
    assert_eq!(to("/api/no-such-thing").status, 404);
    assert_eq!(to("/api/moved").status, 302);
    assert!(!to("/api/slow?abort").failure.is_empty());
    assert_eq!(to("/api/slow").duration_ms, 800);
    let downloads = recorded.events("download");
    let EventKind::Download(download) = &downloads.first().expect("a download").kind else { panic!("a download") };
    assert_eq!((download.file_name.as_str(), download.bytes, download.state.as_str()), ("report.csv", 29, "completed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_changes_all_the_time_is_torn_and_says_so() {
    let recorded = acted("/capture-torn.html", "").await;
    assert_eq!(recorded.report.steps[0].torn_retries, 3);
    let capture = recorded.trace.capture(StepIndex(0)).expect("capture");
    let probe: browserlens_core::page::FrameProbe =
        serde_json::from_slice(&capture.get(PayloadKind::Probe, 1).expect("probe").body).expect("a probe");
    assert!(probe.mutations.0 < probe.mutations.1);
    let calm = acted("/capture-torn.html?until=500", "start_facts = [\"stopped after 500\"]").await;
    assert_eq!(calm.report.steps[0].torn_retries, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_nested_ten_thousand_deep_records() {
    let deep = acted("/capture-deep.html?n=10000", "start_facts = [\"nested 10000\"]").await;
    let page = deep.page(0);
    let bottom = by_id(&page, "bottom");
    assert!(bottom.depth() > 10_000);
    assert_eq!(bottom.visible_text(), "the deepest text");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_hundred_thousand_elements_records() {
    let big = recorded_with(&fixture("/capture-big.html?n=100000", "start_facts = [\"built 100000\"]"), |options| {
        options.second_look = false;
        // Its size is what is tested; a machine with other work needs longer for it than pages are
        // given.
        options.ceiling = Some(Duration::from_secs(180));
    })
    .await;
    let page = big.page(0);
    assert!(page.len() > 200_000);
    assert_eq!(log_of(&page), "built 100000");
    assert_eq!(
        page.nodes().filter(|node| node.tag() == "li" && node.visibility() == Visibility::Visible).count(),
        100_000
    );
}
