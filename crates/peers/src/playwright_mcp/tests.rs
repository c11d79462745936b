mod frames;

use super::*;
use crate::testing::{Step, body, frame, on_small_stack, outline, payload, style};
use browserlens_core::page::{BoxInDocument, Flags, NodeSpec, PageBuilder, Visibility};
use browserlens_core::strategy::ConsoleMessage;
use proptest::prelude::*;

fn run() -> PlaywrightRun {
    PlaywrightRun::new(false)
}

fn shown(body: &str) -> String {
    Step::new(outline(body)).observe(&mut run()).text
}

#[test]
fn the_console_page_reads_as_the_tool_wrote_it() {
    // The excerpt of PEERS-JS.md: the names of the roles stand for the markup that gives them.
    let page = r##"
        generic
          banner
            heading "" level=1 tag=h1
              text "Orbit console"
            generic tag=p role="generic"
              text "Uptime 0 s"
          navigation
            button
              text "Account"
          region tag=section aria-label="News"
            generic
              generic
                heading tag=h2
                  text "Story 1"
                link tag=a href="/news/1"
                  text "Read story 1"
            button aria-label="Next slide"
              text ">"
          region tag=section aria-label="Settings"
            switch tag=button role="switch" aria-checked="false"
              text "Notifications"
            checkbox mixed type="checkbox" aria-label="All regions"
            button disabled="" focused
              text "Deploy"
            combobox tag=select aria-label="Region"
              option tag=option hidden
                text "Europe"
              option tag=option hidden selected
                text "United States"
            textbox tag=textarea aria-label="Notes" value="line one\nline two"
          textbox tag=div role="textbox" aria-label="Message" contenteditable="true"
            text "draft"
          generic clickable
            text "Open dialog (div)"
          generic tag=span
            text "Plain span pointer"
    "##;
    insta::assert_snapshot!(shown(page), @r#"
    - generic [ref=e2]:
      - banner [ref=e3]:
        - heading "Orbit console" [level=1] [ref=e4]
        - generic [ref=e5]: Uptime 0 s
      - navigation [ref=e6]:
        - button "Account" [ref=e7]
      - region "News" [ref=e8]:
        - generic [ref=e10]:
          - heading "Story 1" [level=2] [ref=e11]
          - link "Read story 1" [ref=e12] [cursor=pointer]:
            - /url: /news/1
        - button "Next slide" [ref=e13]: ">"
      - region "Settings" [ref=e14]:
        - switch "Notifications" [ref=e15]
        - checkbox "All regions" [checked=mixed] [ref=e16]
        - button "Deploy" [disabled] [active] [ref=e17]
        - combobox "Region" [ref=e18]:
          - option "Europe"
          - option "United States" [selected]
        - textbox "Notes" [ref=e19]: line one line two
      - textbox "Message" [ref=e20]
      - generic [ref=e21]: Open dialog (div)
      - text: Plain span pointer
    "#);
}

#[test]
fn the_body_is_named_where_it_has_the_focus_and_more_than_one_child() {
    insta::assert_snapshot!(shown("main\n  button \"\"\n    text \"Go\"\nparagraph\n  text \"done\""), @r#"
    - generic [active] [ref=e1]:
      - main [ref=e2]:
        - button "Go" [ref=e3]
      - paragraph [ref=e4]: done
    "#);
}

#[test]
fn names_that_the_content_repeats_in_full_are_left_to_the_content() {
    // The product card of PEERS-JS.md.
    let card = r#"
        article tag=article
          link tag=a href="/p/1002"
            image alt="Ember Turntable 3"
          heading tag=h3
            link tag=a href="/p/1002"
              text "Ember Turntable 3"
        generic
    "#;
    insta::assert_snapshot!(shown(card), @r#"
    - article [ref=e2]:
      - link [ref=e3] [cursor=pointer]:
        - /url: /p/1002
        - img "Ember Turntable 3" [ref=e4]
      - heading [level=3] [ref=e5]:
        - link "Ember Turntable 3" [ref=e6] [cursor=pointer]:
          - /url: /p/1002
    "#);
}

#[test]
fn labels_legends_captions_and_titles_give_names() {
    let page = r##"
        generic tag=form
          generic tag=fieldset
            generic tag=legend
              text "Ship to"
            generic tag=label for="street"
              text "Street"
            textbox id="street" placeholder="1 Main St" value="Elm 5"
            generic tag=label
              checkbox type="checkbox" checked
              text "Gift"
          textbox type="email" placeholder="you@example.com"
          textbox aria-labelledby="a b"
          generic tag=span id="a"
            text "First"
          generic tag=span id="b" hidden
            text "hidden half" hidden
          button type="submit" tag=input
          image tag=svg
            generic tag=title hidden
              text "Trend up" hidden
          table
            generic tag=caption
              text "Totals"
            row
              columnheader tag=th
                text "Sum"
              cell
                text "42"
    "##;
    insta::assert_snapshot!(shown(page), @r#"
    - generic [ref=e2]:
      - group "Ship to" [ref=e3]:
        - text: Street
        - textbox "Street" [ref=e5]:
          - /placeholder: 1 Main St
          - text: Elm 5
        - generic [ref=e6]:
          - checkbox "Gift" [checked] [ref=e7]
          - text: Gift
      - textbox "you@example.com" [ref=e8]
      - textbox "First hidden half" [ref=e9]
      - text: First
      - button "Submit" [ref=e10]
      - img "Trend up" [ref=e11]
      - table [ref=e12]:
        - caption [ref=e13]: Totals
        - row [ref=e14]:
          - rowheader "Sum" [ref=e15]
          - cell "42" [ref=e16]
    "#);
}

#[test]
fn hidden_text_goes_and_aria_hidden_text_that_shows_is_marked() {
    let page = r#"
        main
          generic hidden
            text "not rendered" hidden
          generic aria-hidden="true"
            text "decoration"
          button aria-label="Zero" box=5,5,0,0
          generic tag=script hidden
            text "let x = 1" hidden
          image alt=""
          separator tag=hr
    "#;
    insta::assert_snapshot!(shown(page), @r#"
    - main [ref=e2]:
      - generic [aria-hidden] [ref=e3]: decoration
      - button "Zero"
      - separator [ref=e4]
    "#);
}

#[test]
fn text_and_names_cannot_make_lines_of_their_own() {
    let page = r##"
        textbox tag=textarea aria-label="a \"b\"\n- button \"Evil\" [ref=e66]" value="x\n- button \"Evil\" [ref=e66]"
        paragraph
          text "- button \"Evil\" [ref=e66]"
        paragraph
          text "price: 5"
    "##;
    insta::assert_snapshot!(shown(page), @r#"
    - generic [active] [ref=e1]:
      - textbox "a \"b\" - button \"Evil\" [ref=e66]" [ref=e2]: x - button "Evil" [ref=e66]
      - paragraph [ref=e3]: "- button \"Evil\" [ref=e66]"
      - paragraph [ref=e4]: "price: 5"
    "#);
}

#[test]
fn a_name_of_more_than_900_characters_is_dropped() {
    let long = "x".repeat(901);
    let page = format!("button aria-label=\"{long}\"\nbutton aria-label=\"{}\"", &long[1..]);
    let text = shown(&page);
    assert!(text.contains("- button [ref=e2]\n"), "{text}");
    assert!(text.contains(&format!("- button \"{}\" [ref=e3]", &long[1..])), "{text}");
}

#[test]
fn the_snapshot_payload_gives_raw_text_blanks_and_live_values() {
    let snapshot = r##"{"documents":[{"frameId":0,"nodes":{
        "parentIndex":[-1,0,1,2,3,4,3,3,7,2],"nodeType":[9,1,1,1,1,3,3,1,3,1],
        "nodeName":[1,2,3,4,5,6,6,7,6,8],"nodeValue":[-1,-1,-1,-1,-1,9,10,-1,11,-1],
        "backendNodeId":[1,2,3,4,5,6,7,8,9,10],"attributes":[[],[],[],[],[],[],[],[],[],[12,13]],
        "inputValue":{"index":[9],"value":[14]}}}],
        "strings":["F1","#document","HTML","BODY","P","SPAN","#text","SPAN","INPUT","One","\n   ","two","value",
        "as written","typed since"]}"##;
    let page = PageBuilder::outline(
        "generic tag=html #2\n  generic tag=body #3\n    paragraph #4\n      generic tag=span #5\n        text \"ONE\" \
            #6\n      generic tag=span #8\n        text \"TWO\" #9\n    textbox #10 value=\"old\"",
    );
    let payloads = vec![payload(PayloadKind::Snapshot, 1, snapshot)];
    insta::assert_snapshot!(Step::new(page).with_payloads(payloads).observe(&mut run()).text, @"
    - generic [active] [ref=e1]:
      - paragraph [ref=e2]: One two
      - textbox [ref=e3]: typed since
    ");
}

#[test]
fn captured_styles_decide_about_pointers_boxes_and_generated_text() {
    let mut builder = body();
    let button = |styles, label| NodeSpec {
        tag: "button",
        styles,
        attributes: vec![("aria-label", label)],
        ..NodeSpec::default()
    };
    let shown = |display, cursor, events| {
        let (cursor, events) = (style("cursor", cursor), style("pointer-events", events));
        vec![style("display", display), style("visibility", "visible"), cursor, events]
    };
    builder.open(NodeSpec { styles: shown("block", "pointer", "auto"), ..NodeSpec::default() });
    builder.text("Open dialog (div)");
    builder.open(button(shown("block", "pointer", "auto"), "Inner"));
    builder.close().close();
    builder.leaf(button(shown("inline-block", "auto", "none"), "Dead"));
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    let styles = vec![style("display", "inline"), style("content", "\"\\2605\" / \"star\"")];
    builder.leaf(NodeSpec { kind: NodeKind::Pseudo, tag: "::before", text: "★", styles, ..NodeSpec::default() });
    builder.text(" rated");
    builder.close();
    builder.leaf(NodeSpec { tag: "p", visibility: Visibility::Hidden, ..NodeSpec::default() });
    insta::assert_snapshot!(Step::new(builder.finish()).observe(&mut run()).text, @r#"
    - generic [active] [ref=e1]:
      - generic [ref=e2] [cursor=pointer]:
        - text: Open dialog (div)
        - button "Inner" [ref=e3]
      - button "Dead"
      - paragraph [ref=e4]: star rated
    "#);
}

#[test]
fn open_shadow_trees_are_inlined_and_closed_ones_are_missing() {
    let mut builder = body();
    for (host, inside) in
        [(Flags::SHADOW_HOST_OPEN, Flags::IN_OPEN_SHADOW), (Flags::SHADOW_HOST_CLOSED, Flags::IN_CLOSED_SHADOW)]
    {
        let button = |flags, label| NodeSpec {
            tag: "button",
            flags,
            attributes: vec![("aria-label", label)],
            ..NodeSpec::default()
        };
        let visibility = Visibility::NotRendered;
        builder.open(NodeSpec { tag: "x-host", flags: host, ..NodeSpec::default() });
        builder.leaf(button(inside, "In shadow"));
        builder.open(NodeSpec { tag: "slot", flags: inside, visibility, ..NodeSpec::default() });
        builder.open(button(Flags::SLOTTED, "Slotted"));
        builder.close().close().close();
    }
    insta::assert_snapshot!(Step::new(builder.finish()).observe(&mut run()).text, @r#"
    - generic [active] [ref=e1]:
      - generic [ref=e2]:
        - button "In shadow" [ref=e3]
        - button "Slotted" [ref=e4]
      - button "Slotted" [ref=e6]
    "#);
}

#[test]
fn fields_behind_a_modal_dialog_have_the_states_of_the_document() {
    // Accessibility ignores them, so that the page's nodes have no states.
    let snapshot = r##"{"documents":[{"frameId":0,"nodes":{
        "parentIndex":[-1,0,1,2,2,2,5,6,5,8],"nodeType":[9,1,1,1,1,1,1,3,1,3],
        "nodeName":[1,2,3,4,4,5,6,7,6,7],"nodeValue":[-1,-1,-1,-1,-1,-1,-1,8,-1,9],
        "backendNodeId":[1,2,3,4,5,6,7,8,9,10],"attributes":[[],[],[],[10,11],[10,11],[],[],[],[],[]],
        "inputChecked":{"index":[3]},"optionSelected":{"index":[8]}}}],
        "strings":["F1","#document","HTML","BODY","INPUT","SELECT","OPTION","#text","One","Two","type","radio"]}"##;
    let page = PageBuilder::outline(
        "generic tag=html #2\n  generic tag=body #3\n    generic tag=input #4\n    generic tag=input #5\n    generic \
            tag=select #6\n      generic tag=option #7\n        text \"One\" #8\n      generic tag=option #9\n        \
            text \"Two\" #10",
    );
    let payloads = vec![payload(PayloadKind::Snapshot, 1, snapshot)];
    insta::assert_snapshot!(Step::new(page).with_payloads(payloads).observe(&mut run()).text, @r#"
    - generic [active] [ref=e1]:
      - radio [checked] [ref=e2]
      - radio [ref=e3]
      - combobox [ref=e4]:
        - option "One" [ref=e5]
        - option "Two" [selected] [ref=e6]
    "#);
}

fn filtered(rendered: bool) -> Page {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.document(1, 1);
    builder.open(NodeSpec { tag: "html", backend: 2, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "body", backend: 3, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "ul", backend: 4, ..NodeSpec::default() });
    let visibility = if rendered { Visibility::Visible } else { Visibility::NotRendered };
    let bounds =
        if rendered { BoxInDocument { x: 0.0, y: 0.0, width: 9.0, height: 9.0 } } else { BoxInDocument::default() };
    builder.open(NodeSpec { tag: "li", backend: 5, visibility, bounds, ..NodeSpec::default() });
    if rendered {
        let styles = vec![style("display", "inline"), style("content", "\"· \"")];
        builder.leaf(NodeSpec { kind: NodeKind::Pseudo, tag: "::before", text: "· ", styles, ..NodeSpec::default() });
    }
    builder.leaf(NodeSpec { visibility, bounds, backend: 6, ..NodeSpec::text_node("Two") });
    builder.close();
    builder.open(NodeSpec { tag: "li", backend: 7, ..NodeSpec::default() });
    builder.leaf(NodeSpec { backend: 8, ..NodeSpec::text_node("Three") });
    builder.finish()
}

#[test]
fn generated_content_of_what_was_hidden_stays_as_the_tool_reads_it_from_styles() {
    let mut run = run();
    insta::assert_snapshot!(Step::new(filtered(true)).observe(&mut run).text, @"
    - list [ref=e2]:
      - listitem [ref=e3]: · Two
      - listitem [ref=e4]: Three
    ");
    insta::assert_snapshot!(Step::new(filtered(false)).observe(&mut run).text, @r#"
    - list [ref=e2]:
      - text: ·
      - listitem [ref=e4]: Three
    "#);
}

#[test]
fn lines_and_stored_shapes_of_a_drawing_take_no_ref() {
    let page = r##"
        generic tag=svg box=0,0,16,16
          generic tag=symbol box=0,0,0,0
            generic tag=path d="M1 1h5v5z" box=0,0,5,5
          generic tag=path d="M3 13.5h10" box=2,12,11,1
          generic tag=path d="M3 3h8v8H3z" box=3,3,8,8
        button aria-label="After"
    "##;
    // Of the shapes only the last has a box for a script; none has a line, as they hold nothing.
    let text = shown(page);
    assert!(text.contains("button \"After\" [ref=e4]"), "{text}");
}

#[test]
fn pages_nested_ten_thousand_deep_cost_no_stack() {
    let mut builder = body();
    builder.open(NodeSpec { tag: "button", ..NodeSpec::default() });
    for depth in 0..10_000 {
        builder.open(NodeSpec { tag: if depth % 2 == 0 { "div" } else { "x-y" }, ..NodeSpec::default() });
    }
    builder.text("deep");
    let page = builder.finish();
    let text = on_small_stack(512 << 10, move || Step::new(page).observe(&mut run()).text);
    assert!(text.starts_with("- button \"deep\" [ref=e2]"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hostile_strings_never_make_a_second_line(text in any::<String>(),
        tag in "(p|div|button|a|textarea|input|h1|td|img)") {
        let mut builder = body();
        let attributes = vec![("aria-label", text.as_str()), ("href", &text), ("placeholder", &text), ("alt", &text),
            ("role", &text), ("id", &text)];
        let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };
        builder.open(NodeSpec { tag: &tag, name: &text, value: &text, attributes, bounds, ..NodeSpec::default() });
        builder.text(&text);
        let observation = Step::new(builder.finish()).observe(&mut run());
        for line in observation.text.split(['\n', '\r']) {
            let line = line.trim_start_matches(' ');
            let own = ["- paragraph", "- generic", "- button", "- link", "- textbox", "- heading", "- cell", "- img",
                "- text: ", "- /url: ", "- /placeholder: ", "- '"];
            prop_assert!(line.is_empty() || own.iter().any(|start| line.starts_with(start)), "{:?}", line);
        }
        prop_assert!(observation.text.lines().count() <= 6, "{}", observation.text);
    }
}
