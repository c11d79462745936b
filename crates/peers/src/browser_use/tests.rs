use super::*;
use crate::testing::{Step, body, frame, handles, on_small_stack, outline, payload, style};
use browserlens_core::page::{BoxInDocument, Flags, NodeKind, NodeSpec, PageBuilder, PayloadKind, ScrollOffset};
use browserlens_core::strategy::{DialogEvent, DialogKind, Event};
use proptest::prelude::*;

fn run() -> BrowserUseRun {
    BrowserUseRun::new(Options { wrapper: false, max_chars: MAX_CHARS })
}

fn wrapped(max_chars: usize) -> BrowserUseRun {
    BrowserUseRun::new(Options { wrapper: true, max_chars })
}

fn shown(body: &str) -> String {
    Step::new(outline(body)).observe(&mut run()).text
}

#[test]
fn the_login_form_reads_as_the_tool_wrote_it() {
    // The first excerpt of PEERS-PY.md, complete.
    let page = r##"
        link tag=a #240649
          text "Acme"
        link tag=a #240653
          text "Pricing"
        heading tag=h1
          text "Sign in"
        paragraph
          text "Use your work account. Need help?"
          link tag=a #240664
            text "Read the guide"
        generic tag=form
          generic tag=label for="u"
            text "Email"
          textbox #240627 required id="u" name="user" type="email" {more of user}
          generic tag=label for="p"
            text "Password"
          textbox #240628 required secret id="p" name="pass" type="password" {more of pass}
          generic tag=label #240679
            checkbox #240632 checked type="checkbox" name="rem" checked="" value="on"
            text "Remember me"
          generic tag=label for="role"
            text "Role"
          combobox #240629 collapsed id="role" name="role"
            option #1 hidden selected value="v"
              text "Admin" hidden
            option #2 hidden
              text "Editor" hidden
            option #3 hidden
              text "Viewer" hidden
            option #4 hidden
              text "Billing" hidden
            option #5 hidden
              text "Owner" hidden
          text "Start date"
          textbox #240630 id="dob" type="date" name="dob"
          text "Seats"
          spinbutton #240631 id="n" type="number" min="1" max="50" value="3"
          button tag=button disabled
            text "Continue with SSO"
          button #240635 type="submit"
            text "Sign in"
          generic tag=input type="hidden" name="csrf" hidden
    "##;
    let page = page
        .replace(
            "{more of user}",
            r#"autocomplete="username" placeholder="you@example.com" required="" value="ann@acme.test""#,
        )
        .replace("{more of pass}", r#"autocomplete="current-password" required="" value="hunter2""#);
    insta::assert_snapshot!(shown(&page), @"
    [240649]<a />
    	Acme
    [240653]<a />
    	Pricing
    Sign in
    Use your work account. Need help?
    [240664]<a />
    	Read the guide
    Email
    |SHADOW(open)|[240627]<input id=u name=user type=email autocomplete=username placeholder=you@example.com \
        value=ann@acme.test required=true />
    Password
    |SHADOW(open)|[240628]<input id=p name=pass type=password autocomplete=current-password required=true />
    [240679]<label />
    	[240632]<input type=checkbox name=rem checked=true value=on />
    	Remember me
    Role
    |SHADOW(open)|*[240629]<select id=role name=role expanded=false compound_components=(name=Dropdown Toggle,\
        role=button),(name=Options,role=listbox,count=5,options=Admin|Editor|Viewer|Billing) />
    Start date
    |SHADOW(open)|[240630]<input id=dob type=date name=dob format=YYYY-MM-DD placeholder=YYYY-MM-DD />
    Seats
    |SHADOW(open)|*[240631]<input id=n type=number min=1 max=50 value=3 valuemin=1 valuemax=50 valuetext=3 \
        compound_components=(name=Increment,role=button),(name=Decrement,role=button),(name=Value,role=textbox,\
        min=1.0,max=50.0) />
    Continue with SSO
    [240635]<button type=submit />
    	Sign in
    ");
}

#[test]
fn the_product_card_reads_as_the_tool_wrote_it() {
    let mut builder = body();
    // The photo is larger than the inline link around it, and inherits its cursor.
    builder.open(NodeSpec { tag: "a", backend: 241_259, ..NodeSpec::default() });
    let attributes = vec![("alt", "Nova Drive 1 product photo")];
    let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 300.0, height: 200.0 };
    let styles = vec![style("cursor", "pointer")];
    builder.leaf(NodeSpec { tag: "img", backend: 241_260, styles, attributes, bounds, ..NodeSpec::default() });
    builder.close();
    let rest = r##"
        link tag=a #241262
          text "Nova Drive 1"
        text "$682.99"
        button #240810
          generic tag=span #5 class="label"
            text "Add to cart"
        button #241273 aria-label="Add Nova Drive 1 to wishlist"
          text "♥"
        searchbox #240792 type="search" name="q" placeholder="Search products" aria-label="Search products" tag=input
    "##;
    builder.add_outline(rest);
    insta::assert_snapshot!(Step::new(builder.finish()).observe(&mut run()).text, @r"
    [241259]<a image_alt=Nova Drive 1 product photo />
    	|SHADOW(open)|[241260]<img alt=Nova Drive 1 product photo image_alt=Nova Drive 1 product photo />
    [241262]<a />
    	Nova Drive 1
    $682.99
    [240810]<button />
    	Add to cart
    [241273]<button aria-label=Add Nova Drive 1 to wishlist />
    |SHADOW(open)|[240792]<input type=search name=q placeholder=Search products aria-label=Search products />
    ");
}

#[test]
fn accessibility_and_listener_payloads_decide_before_the_page() {
    let ax = r#"{"nodes":[
        {"nodeId":"n11","backendDOMNodeId":11,"role":{"value":"button"},"properties":[{"name":"disabled",
            "value":{"type":"boolean","value":true}},{"name":"focusable","value":{"type":"booleanOrUndefined",
            "value":true}}]},
        {"nodeId":"n12","backendDOMNodeId":12,"role":{"value":"spinbutton"},"properties":[{"name":"valuemin",
            "value":{"type":"number","value":1}},{"name":"valuetext","value":{"type":"string","value":"7"}}]}]}"#;
    let listeners = r#"{"listeners":[{"node":13,"types":["click"]},{"node":14,"types":["scroll"]}]}"#;
    let payloads = vec![payload(PayloadKind::Ax, 1, ax), payload(PayloadKind::Listeners, 1, listeners)];
    let page = "button #11\n  text \"Off\"\nspinbutton #12 type=\"number\"\ngeneric #13\n  text \"Heard\"\ngeneric #14 \
        clickable\n  text \"Unheard\"";
    let text = Step::new(outline(page)).with_payloads(payloads).observe(&mut run()).text;
    insta::assert_snapshot!(text, @"
    Off
    |SHADOW(open)|*[12]<input type=number valuemin=1 valuetext=7 value=7 \
    compound_components=(name=Increment,role=button),(name=Decrement,role=button),(name=Value,role=textbox) />
    [13]<div />
    	Heard
    Unheard
    ");
}

/// A search field of 248 px that holds `content` px of text.
fn search_field(content: u32) -> Step {
    let snapshot = format!(
        r##"{{"documents":[{{"frameId":0,"nodes":{{
        "parentIndex":[-1,0,1,2],"nodeType":[9,1,1,1],"nodeName":[1,2,3,4],"nodeValue":[-1,-1,-1,-1],
        "backendNodeId":[1,2,3,4],"attributes":[[],[],[],[5,6,7,8]]}},
        "layout":{{"nodeIndex":[3],"clientRects":[[1,1,248,32]],"scrollRects":[[0,0,{content},32]]}}}}],
        "strings":["F1","#document","HTML","BODY","INPUT","type","search","name","q"]}}"##
    );
    let page = PageBuilder::outline("generic tag=html #2\n  generic tag=body #3\n    searchbox tag=input #4");
    Step::new(page).with_payloads(vec![payload(PayloadKind::Snapshot, 1, snapshot)])
}

#[test]
fn the_editor_of_a_field_whose_text_is_too_wide_is_a_scroller_in_a_shadow_tree() {
    let mut run = wrapped(MAX_CHARS);
    let fits = search_field(248).observe(&mut run).text;
    assert!(fits.contains("1 interactive, 0 iframes, 1 shadow(open), 0 shadow(closed), 3 total elements"), "{fits}");
    let field = "|SHADOW(open)|[4]<input type=search name=q />";
    assert!(fits.ends_with(&format!("[Start of page]\n{field}\n[End of page]\n")), "{fits}");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let wide = search_field(264).observe(&mut run);
        let stats = "2 interactive, 0 iframes, 1 shadow(open), 0 shadow(closed), 7 total elements";
        assert!(wide.text.contains(stats), "{}", wide.text);
        // Its number is made up, so that nothing is claimed about it.
        assert_eq!(handles(&wide), ["4"]);
        seen.extend(wide.text.lines().skip_while(|line| !line.starts_with("|SHADOW")).map(str::to_owned));
    }
    insta::assert_snapshot!(seen.join("\n"), @"
    |SHADOW(open)|[4]<input type=search name=q />
    	Open Shadow
    		*|scroll element[5]<div />
    	Shadow End
    [End of page]
    |SHADOW(open)|[4]<input type=search name=q />
    	Open Shadow
    		|scroll element[5]<div />
    	Shadow End
    [End of page]
    ");
}

#[test]
fn listeners_count_in_frames_of_a_process_of_their_own_only() {
    for own_process in [true, false] {
        let mut builder = body();
        builder.document(1, 1);
        builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, ..NodeSpec::default() });
        builder.open_frame(frame(2, None));
        builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", backend: 100, ..NodeSpec::default() });
        builder.add_outline("generic tag=html #101\n  generic tag=body #102\n    generic #130\n      text \"Pay\"");
        let mut payloads = vec![
            payload(PayloadKind::Snapshot, 1, "{}"),
            payload(PayloadKind::Listeners, 2, r#"{"listeners":[{"node":130,"types":["click"]}]}"#),
        ];
        payloads.extend(own_process.then(|| payload(PayloadKind::Snapshot, 2, "{}")));
        let text = Step::new(builder.finish()).with_payloads(payloads).observe(&mut run()).text;
        assert_eq!(text.contains("[130]<div />"), own_process, "{text}");
    }
}

#[test]
fn fields_that_accessibility_ignores_are_on_or_off_by_the_document() {
    let snapshot = r##"{"documents":[{"frameId":0,"nodes":{
        "parentIndex":[-1,0,1,2,2],"nodeType":[9,1,1,1,1],"nodeName":[1,2,3,4,4],"nodeValue":[-1,-1,-1,-1,-1],
        "backendNodeId":[1,2,3,4,5],"attributes":[[],[],[],[5,6],[5,6]],"inputChecked":{"index":[4]}}}],
        "strings":["F1","#document","HTML","BODY","INPUT","type","radio"]}"##;
    let page = PageBuilder::outline(
        "generic tag=html #2\n  generic tag=body #3\n    generic tag=input #4\n    generic tag=input #5",
    );
    let payloads = vec![payload(PayloadKind::Snapshot, 1, snapshot), payload(PayloadKind::Ax, 1, r#"{"nodes":[]}"#)];
    let step = Step::new(page).with_payloads(payloads);
    assert_eq!(step.observe(&mut run()).text, "[4]<input type=radio />\n[5]<input type=radio checked=true />");
}

#[test]
fn nodes_beyond_a_thousand_px_and_outside_sideways_are_dropped() {
    let page = "button #11 box=0,1799,100,20\n  text \"near\" box=0,1799,50,20\nbutton #12 box=0,1800,100,20\n  text \
        \"far\" box=0,1800,50,20\nlink tag=a #13 box=-9999,0,50,20\n  text \"skip\" box=-9999,0,50,20";
    insta::assert_snapshot!(shown(page), @"
    [11]<button />
    	near
    ");
}

#[test]
fn new_elements_are_starred_from_the_second_state_on() {
    let mut run = run();
    let first = Step::new(outline("button #11\n  text \"Save\"")).observe(&mut run);
    assert_eq!(first.text, "[11]<button />\n\tSave");
    let second = Step::new(outline(
        "button #11\n  text \"Save\"\nbutton #12\n  text \"Undo\"\nalert tag=p role=\"alert\"\n  text \"Saved\"",
    ));
    let second = second.observe(&mut run);
    insta::assert_snapshot!(second.text, @"
    [11]<button />
    	Save
    *[12]<button />
    	Undo
    Saved
    ");
    let handles: Vec<(&str, u32)> =
        second.refs.iter().map(|target| (target.handle.as_str(), target.key.backend)).collect();
    assert_eq!(handles, [("11", 11), ("12", 12)]);
}

#[test]
fn what_an_opaque_box_covers_is_dropped_and_what_a_clear_one_covers_is_not() {
    for (color, expected) in [
        ("rgba(0, 0, 0, 0)", "[21]<button />\n\tBelow\n[22]<button />\n\tOn top"),
        ("rgb(255, 255, 255)", "[22]<button />\n\tOn top"),
    ] {
        let mut builder = body();
        let within = BoxInDocument { x: 10.0, y: 10.0, width: 80.0, height: 20.0 };
        builder.open(NodeSpec { tag: "button", backend: 21, paint_order: 2, bounds: within, ..NodeSpec::default() });
        builder.leaf(NodeSpec { paint_order: 2, bounds: within, ..NodeSpec::text_node("Below") });
        builder.close();
        let styles = [("display", "block"), ("visibility", "visible"), ("opacity", "1"), ("background-color", color)];
        let styles = styles.map(|(name, value)| style(name, value)).to_vec();
        let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 200.0, height: 200.0 };
        builder.open(NodeSpec { tag: "div", paint_order: 5, bounds, styles, ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "button", backend: 22, paint_order: 6, bounds: within, ..NodeSpec::default() });
        builder.leaf(NodeSpec { paint_order: 6, bounds: within, ..NodeSpec::text_node("On top") });
        assert_eq!(Step::new(builder.finish()).observe(&mut run()).text, expected, "{color}");
    }
}

#[test]
fn scrollers_shadow_trees_frames_and_drawings_have_lines_of_their_own() {
    let mut builder = body();
    let styles = vec![style("overflow-x", "auto"), style("overflow-y", "auto")];
    let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 100.0, height: 160.0 };
    builder.open(NodeSpec {
        styles,
        bounds,
        scrolled: Some((ScrollOffset { x: 0.0, y: 80.0 }, 100.0, 3_600.0)),
        ..NodeSpec::default()
    });
    builder.text("Log entry 36");
    builder.add_outline("button #30\n  text \"Clear\"");
    builder.close();
    for (host, inside) in
        [(Flags::SHADOW_HOST_OPEN, Flags::IN_OPEN_SHADOW), (Flags::SHADOW_HOST_CLOSED, Flags::IN_CLOSED_SHADOW)]
    {
        builder.open(NodeSpec { tag: "x-host", flags: host, ..NodeSpec::default() });
        builder.leaf(NodeSpec { flags: inside, ..NodeSpec::text_node("in the shadow") });
        builder.close();
    }
    builder.open(NodeSpec {
        tag: "iframe",
        flags: Flags::IFRAME,
        bounds: BoxInDocument { height: 90.0, ..bounds },
        attributes: vec![("id", "fr"), ("title", "Payment")],
        ..NodeSpec::default()
    });
    builder.open_frame(frame(2, None));
    builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", backend: 100, ..NodeSpec::default() });
    builder.add_outline(
        "generic tag=html\n  generic tag=body\n    button #130\n      text \"Pay\"\n    button #131 \
        aria-label=\"Far\" box=0,5000,50,20",
    );
    builder.close().close_frame().close();
    builder.leaf(NodeSpec {
        tag: "svg",
        attributes: vec![("role", "img"), ("aria-label", "Trend up")],
        ..NodeSpec::default()
    });
    insta::assert_snapshot!(Step::new(builder.finish()).observe(&mut run()).text, @r#"
    |scroll element|<div /> (0.5 pages above, 21.0 pages below)
    	Log entry 36
    	[30]<button />
    		Clear
    Open Shadow
    	in the shadow
    Shadow End
    Closed Shadow
    	in the shadow
    Shadow End
    |scroll element|<iframe id=fr title=Payment /> (scroll)
    	[130]<button />
    		Pay
    ... (1 more elements below - scroll to reveal):
        <button> "Far" ~55.6 pages down
    <svg role=img aria-label=Trend up /> <!-- SVG content collapsed -->
    "#);
}

#[test]
fn the_prompt_tells_statistics_tabs_and_how_much_lies_below() {
    let mut builder = PageBuilder::new("http://shop.test/laptops/by-weight-and-price?page=2", "Laptops");
    builder.scroll(ScrollOffset { x: 0.0, y: 400.0 }, 1_280.0, 6_720.0);
    builder.add_outline(
        "generic tag=html box=0,0,1280,6720\n  generic tag=body box=0,0,1280,6720\n    link tag=a #7 \
        box=0,500,90,20\n      text \"Go\" box=0,500,90,20",
    );
    let mut run = wrapped(MAX_CHARS);
    let (kind, message) = (DialogKind::Confirm, "Sure?".to_owned());
    let dialog = DialogEvent { kind, message, accepted: Some(true), typed: String::new() };
    let event = Event { position: 0, step: 0, tab: 0, at_ms: 0, kind: EventKind::Dialog(dialog) };
    insta::assert_snapshot!(Step::new(builder.finish()).with_events(vec![event]).observe(&mut run).text, @"
    <page_stats>Page appears empty - consider waiting - 1 links, 1 interactive, 0 iframes, 4 total elements</page_stats>
    Current tab: 9E37
    Available tabs:
    Tab 9E37: http://shop.test/laptops/by-weight-and-price?page=2 - shop.test/laptops/by-weight-an

    <page_info>0.5 pages above, 6.9 pages below — scroll down to reveal more content</page_info>

    Auto-closed JavaScript dialogs:
      - [confirm] Sure?

    Interactive elements:
    [7]<a />
    	Go
    ");
}

#[test]
fn the_list_is_cut_blindly_and_refs_beyond_the_cut_are_not_claimed() {
    let step = Step::new(outline("button #11\n  text \"Save\"\nbutton #12\n  text \"Undo\""));
    let observation = step.observe(&mut wrapped(16));
    let end =
        "Interactive elements (truncated to 16 characters):\n[Start of page]\n[11]<button />\n\t\n[End of page]\n";
    assert!(observation.text.ends_with(end), "{}", observation.text);
    assert_eq!(handles(&observation), ["11"]);
}

#[test]
fn pages_nested_ten_thousand_deep_cost_no_stack() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "html", ..NodeSpec::default() });
    for _ in 0..10_000 {
        builder.open(NodeSpec::default());
    }
    builder.text("deep");
    let page = builder.finish();
    assert_eq!(on_small_stack(512 << 10, move || Step::new(page).observe(&mut run()).text), "deep");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hostile_attributes_and_text_never_panic(text in any::<String>(),
        tag in "(div|a|input|select|option|img|iframe|svg|slot|label)", limit in 0usize..200) {
        let mut builder = PageBuilder::new(&text, &text);
        builder.open(NodeSpec { tag: "html", ..NodeSpec::default() });
        let attributes = ["class", "id", "type", "role", "min", "max", "src", "alt", "value", "data-date-format",
            "for"].into_iter().map(|name| (name, text.as_str()));
        builder.open(NodeSpec { tag: &tag, value: &text, attributes: attributes.collect(), ..NodeSpec::default() });
        builder.text(&text);
        let observation = Step::new(builder.finish()).observe(&mut wrapped(limit));
        prop_assert!(observation.text.starts_with("<page_stats>"));
    }
}
