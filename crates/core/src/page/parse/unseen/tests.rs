use super::*;
use crate::page::node::ScrollOffset;
use crate::page::{NodeSpec, PageBuilder};

const BLACK: &str = "rgb(0, 0, 0)";
const RED: &str = "rgb(200, 0, 0)";

/// One line of a page: depth, tag (`#text` for text), box, paint order, styles.
type Line<'a> = (usize, &'a str, [f32; 4], u32, &'a [(usize, &'a str)]);

fn flags(lines: &[Line<'_>]) -> Vec<Flags> {
    scrolled(lines, 0.0)
}

fn scrolled(lines: &[Line<'_>], y: f32) -> Vec<Flags> {
    let mut builder = PageBuilder::new("http://a.test/", "A");
    builder.scroll(ScrollOffset { x: 0.0, y }, 1280.0, 4_000.0);
    for (depth, tag, [x, y, width, height], paint_order, styles) in lines {
        builder.close_to(depth + 1);
        let mut flags = Flags::NONE;
        flags.set(Flags::SCROLLER, styles.contains(&(OVERFLOW_Y, "auto")));
        builder.open(NodeSpec {
            kind: if *tag == "#text" { NodeKind::Text } else { NodeKind::Element },
            tag,
            role: if matches!(*tag, "button" | "menu" | "dialog") { tag } else { "" },
            text: if *tag == "#text" { "some words" } else { "" },
            bounds: BoxInDocument { x: *x, y: *y, width: *width, height: *height },
            paint_order: *paint_order,
            flags,
            styles: styles.iter().map(|(name, value)| (u8::try_from(*name).expect("32 styles"), *value)).collect(),
            ..NodeSpec::default()
        });
    }
    let mut page = builder.finish();
    mark(&mut page);
    page.nodes().skip(1).map(|node| node.flags()).collect()
}

const BLOCK: (usize, &str) = (DISPLAY, "block");
const ON_WHITE: (usize, &str) = (BACKGROUND_COLOUR, WHITE);

#[test]
fn text_under_an_opaque_box_is_hidden_and_beside_it_is_not() {
    let under = |cover: &[(usize, &str)], at: [f32; 4], order: u32| {
        let styles: Vec<_> = [BLOCK].iter().chain(cover).copied().collect();
        flags(&[
            (0, "p", [10.0, 10.0, 200.0, 20.0], 1, &[BLOCK, (COLOUR, BLACK)]),
            (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
            (0, "div", at, order, &styles),
        ])[1]
            .has(Flags::PAINTED_OVER)
    };
    let over = [0.0, 0.0, 300.0, 40.0];
    assert!(under(&[ON_WHITE], over, 2));
    assert!(!under(&[ON_WHITE], over, 1), "painted together, or before");
    assert!(!under(&[ON_WHITE], [0.0, 0.0, 80.0, 40.0], 2), "over a part of it");
    for glass in [
        [(BACKGROUND_COLOUR, "rgba(255, 255, 255, 0.9)"), BLOCK],
        [ON_WHITE, (OPACITY, "0.9")],
        [ON_WHITE, (TRANSFORM, "matrix(0.7, 0.7, -0.7, 0.7, 0, 0)")],
        [ON_WHITE, (CLIP_PATH, "circle(30%)")],
        [(BACKGROUND_IMAGE, "linear-gradient(red, blue)"), BLOCK],
    ] {
        assert!(!under(&glass, over, 2), "{glass:?}");
    }
    assert!(under(&[ON_WHITE, (TRANSFORM, "matrix(1, 0, 0, 1, 0, 5)")], over, 2), "it is only moved");
}

#[test]
fn an_open_popup_hides_no_text() {
    let hidden = |tag: &str| {
        flags(&[
            (0, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
            (0, tag, [0.0, 0.0, 300.0, 40.0], 2, &[BLOCK]),
            (1, "div", [0.0, 0.0, 300.0, 40.0], 2, &[BLOCK, ON_WHITE]),
        ])[0]
            .has(Flags::PAINTED_OVER)
    };
    assert!(!hidden("menu") && !hidden("dialog") && hidden("aside"));
}

#[test]
fn what_a_class_calls_a_popup_hides_no_text_if_it_is_out_of_the_flow() {
    let hidden = |class: &str, position: &str| {
        let mut builder = PageBuilder::new("http://a.test/", "A");
        builder.scroll(ScrollOffset { x: 0.0, y: 0.0 }, 1280.0, 800.0);
        let at = |height: f32| BoxInDocument { x: 0.0, y: 0.0, width: 300.0, height };
        builder.leaf(NodeSpec { kind: NodeKind::Text, text: "some words", bounds: at(18.0), ..NodeSpec::default() });
        let styles = [BLOCK, ON_WHITE, (POSITION, position)];
        builder.leaf(NodeSpec {
            tag: "ul",
            bounds: at(40.0),
            paint_order: 2,
            attributes: vec![("class", class)],
            styles: styles.iter().map(|(name, value)| (u8::try_from(*name).expect("32 styles"), *value)).collect(),
            ..NodeSpec::default()
        });
        let mut page = builder.finish();
        mark(&mut page);
        page.nodes().any(|node| node.flags().has(Flags::PAINTED_OVER))
    };
    for class in ["nav dropdown-menu show", "ContextMenu", "flatpickr-calendar open", "el-popper"] {
        assert!(!hidden(class, "absolute"), "{class}");
    }
    assert!(hidden("dropdown-menu", "static") && hidden("cover", "absolute"));
}

#[test]
fn a_small_box_with_controls_hides_no_text_of_the_flow_it_floats_over() {
    const FLOATS: (usize, &str) = (POSITION, "absolute");
    let hidden = |under: &[(usize, &str)], control: &str, width: f32| {
        let over = [0.0, 0.0, width, 200.0];
        flags(&[
            (0, "p", [10.0, 10.0, 200.0, 20.0], 1, under),
            (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
            (0, "ul", over, 2, &[BLOCK, ON_WHITE, FLOATS]),
            (1, control, [0.0, 0.0, 100.0, 20.0], 2, &[BLOCK]),
        ])[1]
            .has(Flags::PAINTED_OVER)
    };
    assert!(!hidden(&[BLOCK], "button", 300.0));
    assert!(hidden(&[BLOCK], "b", 300.0), "nothing in it can be used");
    assert!(hidden(&[BLOCK], "button", 1_280.0 * 2.0), "as large as a page of its own");
    assert!(hidden(&[BLOCK, FLOATS], "button", 300.0), "one slide over another");
}

#[test]
fn what_scrolling_brings_out_is_not_hidden() {
    let page = |height: f32, y: f32| {
        let bar = [0.0, y, 1280.0, height];
        let lines: [Line<'_>; 5] = [
            (0, "p", [10.0, 10.0, 200.0, 20.0], 1, &[BLOCK]),
            (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
            (0, "button", [10.0, 1_500.0, 80.0, 20.0], 1, &[BLOCK]),
            (1, "#text", [10.0, 1_500.0, 80.0, 18.0], 1, &[]),
            (0, "div", bar, 2, &[BLOCK, ON_WHITE, (POSITION, "fixed")]),
        ];
        scrolled(&lines, y)
    };
    for y in [0.0, 5.0, 1_490.0] {
        let bar = page(60.0, y);
        assert!(bar.iter().all(|flags| !flags.any(Flags::PAINTED_OVER.with(Flags::COVERED))), "at {y}: {bar:?}");
        let all = page(800.0, y);
        assert!(all[1].has(Flags::PAINTED_OVER) && all[3].has(Flags::PAINTED_OVER), "at {y}");
        assert!(all[2].has(Flags::COVERED), "at {y}");
    }
    let inner = |cover: [f32; 4]| {
        flags(&[
            (0, "div", [0.0, 0.0, 300.0, 100.0], 1, &[BLOCK, (OVERFLOW_Y, "auto")]),
            (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
            (0, "div", cover, 2, &[BLOCK, ON_WHITE, (POSITION, "absolute")]),
        ])[1]
            .has(Flags::PAINTED_OVER)
    };
    assert!(!inner([0.0, 0.0, 300.0, 50.0]), "the list scrolls below it");
    assert!(inner([0.0, 0.0, 300.0, 100.0]), "the whole list is under it");
}

#[test]
fn a_control_whose_middle_another_box_takes_is_covered_and_one_under_its_label_is_not() {
    let covered = |tag: &str, styles: &[(usize, &str)]| {
        flags(&[(0, "button", [10.0, 10.0, 80.0, 20.0], 1, &[BLOCK]), (0, tag, [0.0, 0.0, 300.0, 40.0], 2, styles)])[0]
            .has(Flags::COVERED)
    };
    assert!(covered("div", &[BLOCK]), "it need not be opaque");
    assert!(covered("dialog", &[BLOCK]));
    assert!(!covered("menu", &[BLOCK]), "it closes");
    assert!(!covered("label", &[BLOCK]));
    assert!(!covered("span", &[(DISPLAY, "inline")]), "an inline box is not one rectangle");
}

#[test]
fn text_in_the_colour_behind_it_is_hidden_wherever_the_colours_are_said() {
    let hidden = |outer: &[(usize, &str)], inner: &[(usize, &str)]| {
        let outer: Vec<_> = [BLOCK].iter().chain(outer).copied().collect();
        flags(&[
            (0, "html", [0.0, 0.0, 1280.0, 800.0], 1, &[BLOCK, (COLOUR, BLACK)]),
            (1, "section", [0.0, 0.0, 400.0, 100.0], 1, &outer),
            (2, "span", [10.0, 10.0, 200.0, 20.0], 1, inner),
            (3, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
        ])[3]
            .has(Flags::CAMOUFLAGED)
    };
    assert!(hidden(&[(BACKGROUND_COLOUR, RED)], &[(COLOUR, RED)]));
    assert!(hidden(&[], &[(COLOUR, WHITE)]), "the canvas is white");
    assert!(!hidden(&[(BACKGROUND_COLOUR, BLACK)], &[(COLOUR, WHITE)]));
    assert!(!hidden(&[(BACKGROUND_COLOUR, RED), (BACKGROUND_IMAGE, "url(a.png)")], &[(COLOUR, RED)]));
    assert!(!hidden(&[(BACKGROUND_COLOUR, "rgba(200, 0, 0, 0.5)")], &[(COLOUR, RED)]), "half of it is unknown");
}

#[test]
fn text_that_something_else_may_lie_behind_is_not_hidden() {
    let on_picture = |tag: &str, at: [f32; 4]| {
        flags(&[
            (0, "html", [0.0, 0.0, 1280.0, 800.0], 1, &[BLOCK, (COLOUR, BLACK)]),
            (1, tag, at, 1, &[BLOCK]),
            (1, "p", [10.0, 10.0, 200.0, 20.0], 2, &[BLOCK, (COLOUR, WHITE)]),
            (2, "#text", [10.0, 10.0, 120.0, 18.0], 2, &[]),
        ])[3]
            .has(Flags::CAMOUFLAGED)
    };
    assert!(!on_picture("img", [0.0, 0.0, 400.0, 100.0]));
    assert!(on_picture("img", [0.0, 400.0, 400.0, 100.0]));
    assert!(on_picture("div", [0.0, 0.0, 400.0, 100.0]), "it paints nothing");
    let dark_scheme = flags(&[
        (0, "html", [0.0, 0.0, 1280.0, 800.0], 1, &[BLOCK, (COLOUR, WHITE)]),
        (1, "p", [10.0, 10.0, 200.0, 20.0], 1, &[BLOCK, (COLOUR, WHITE)]),
        (2, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
    ]);
    assert!(!dark_scheme[2].has(Flags::CAMOUFLAGED));
}
