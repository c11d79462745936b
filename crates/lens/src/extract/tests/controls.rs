//! Which elements without a role can be acted on, and which stand for others.

use super::*;

#[test]
fn a_card_with_a_tab_stop_and_a_listener_can_be_acted_on_and_so_can_its_button() {
    let card = Clickability::LISTENER.with(Clickability::TABINDEX);
    let text = build(|page| {
        page.open(NodeSpec { clickability: card, ..NodeSpec::with_role("article", "Anchor alarm") });
        page.text("HB-191");
        page.leaf(NodeSpec::with_role("button", "Actions"));
        page.close();
    });
    assert_eq!(text, "- article \"Anchor alarm\" @e1: \"HB-191\", button \"Actions\" @e3");
}

#[test]
fn a_wrapper_that_only_listens_is_no_control() {
    let text = build(|page| {
        page.open(clicks(Clickability::LISTENER));
        page.leaf(NodeSpec::with_role("button", "Save"));
        page.close();
    });
    assert_eq!(text, "- button \"Save\" @e1");
}

#[test]
fn cells_that_take_the_focus_of_a_grid_can_be_acted_on_unless_they_hold_a_control() {
    let text = build(|page| {
        let listens = Clickability::LISTENER.with(Clickability::TABINDEX);
        page.open(NodeSpec { clickability: listens, ..NodeSpec::with_role("grid", "Readings") });
        page.open(NodeSpec::with_role("row", ""));
        let cell = || NodeSpec { states: States::FOCUSABLE, ..NodeSpec::with_role("gridcell", "") };
        page.open(cell());
        page.leaf(NodeSpec::with_role("button", "Select"));
        page.close();
        says(page, cell(), "6,520");
        page.close().close();
    });
    assert_eq!(text, "- grid \"Readings\": row: button \"Select\" @e3, gridcell \"6,520\" @e4");
}

#[test]
fn an_application_and_what_pops_up_over_it_are_no_list_though_both_listen() {
    let page = |tag: &'static str| {
        build(|page| {
            page.open(NodeSpec { tag, ..NodeSpec::with_role("generic", "") });
            for name in ["Delete", "Yes, delete"] {
                page.open(NodeSpec { tag: "div", ..clicks(Clickability::LISTENER) });
                says(page, NodeSpec { tag: "p", ..NodeSpec::with_role("paragraph", "") }, "Mull");
                page.leaf(NodeSpec { tag: "button", ..NodeSpec::with_role("button", name) });
                page.close();
            }
            page.close();
        })
    };
    assert_eq!(page("body").matches("clickable").count(), 0, "{}", page("body"));
    assert_eq!(page("section").matches("clickable").count(), 2, "{}", page("section"));
}

#[test]
fn parts_beside_one_that_holds_cards_take_cards_too() {
    let card = Clickability::LISTENER.with(Clickability::TABINDEX);
    let text = build(|page| {
        page.open(NodeSpec::with_role("main", ""));
        for (name, holds) in [("Ready", true), ("Done", false)] {
            page.open(NodeSpec::with_role("region", name));
            page.leaf(NodeSpec::with_role("button", "Add"));
            if holds {
                page.leaf(NodeSpec { clickability: card, ..NodeSpec::with_role("article", "Card") });
            }
            page.close();
        }
        page.leaf(NodeSpec::with_role("navigation", "Main"));
        page.close();
    });
    let lines = [
        "- main:",
        "  - region \"Ready\" @e2: button \"Add\" @e3, article \"Card\" @e4",
        "  - region \"Done\" @e5: button \"Add\" @e6",
        "  - navigation \"Main\"",
    ];
    assert_eq!(text, lines.join("\n"));
}

#[test]
fn what_a_script_may_focus_beside_controls_like_it_is_one_too() {
    let text = build(|page| {
        page.open(NodeSpec { tag: "div", ..clicks(Clickability::LISTENER) });
        for (day, why) in [("30", Clickability::POINTER), ("31", Clickability::POINTER), ("1", Clickability::NONE)] {
            let attributes = vec![("class", "day"), ("tabindex", "-1")];
            says(page, NodeSpec { tag: "span", attributes, ..clicks(why) }, day);
        }
        says(page, NodeSpec { tag: "span", attributes: vec![("class", "day")], ..NodeSpec::default() }, "2");
        page.close();
    });
    assert_eq!(text.matches("clickable").count() + text.matches(" × clickable").count(), 2, "{text}");
}

/// Counts the refs of a page of a few lines that differ, so that none are folded.
fn refs(text: &str) -> usize {
    text.matches("@e").count()
}

#[test]
fn a_named_day_of_a_grid_that_listens_is_a_control_unless_its_number_is() {
    let month = |day: &str, number: &str| {
        outline(&format!(
            "grid clickable\n  row\n    gridcell \"March 1\" {day}\n      generic tag=a id=\"n1\" {number}\n        \
                text \"1\"\n      paragraph\n        text \"Rain\"\n    gridcell\n      text \"Sun\""
        ))
    };
    let plain = month("aria-labelledby=\"n1\"", "");
    assert_eq!(refs(&plain), 1, "{plain}");
    assert!(plain.contains("gridcell \"March 1\" @e"), "{plain}");
    let unnamed = month("", "");
    assert!(
        unnamed.starts_with("- grid @e1:") && refs(&unnamed) == 1,
        "all that is known is that the grid listens: {unnamed}"
    );
    let pressed = month("aria-labelledby=\"n1\"", "clickable");
    assert_eq!(refs(&pressed), 1, "{pressed}");
    assert!(!pressed.contains("gridcell \"March 1\" @e"), "{pressed}");
}

#[test]
fn a_head_that_says_how_it_is_sorted_is_a_control_where_something_listens() {
    let table = |listens: &str, sort: &str| {
        outline(&format!(
            "table {listens}\n  row\n    columnheader \"Name\" {sort}\n      text \"Name\"\n    columnheader \
                \"Height\"\n      text \"Height\""
        ))
    };
    let sorted = table("clickable", "aria-sort=\"none\"");
    assert!(refs(&sorted) == 1 && sorted.contains("columnheader \"Name\" @e"), "{sorted}");
    for text in [table("clickable", ""), table("", "aria-sort=\"none\"")] {
        assert!(!text.contains("\"Name\" @e"), "{text}");
    }
}

#[test]
fn the_drawn_checkbox_of_a_trees_item_is_one_beside_it_unless_it_has_another() {
    let item = |more: &str| {
        outline(&format!(
            "tree\n  treeitem \"Alder\" clickable\n    generic tag=i class=\"icon tree-checkbox\"\n    {more}\n    \
                text \"Alder\""
        ))
    };
    assert_eq!(refs(&item("text \"\"")), 2, "{}", item("text \"\""));
    assert_eq!(refs(&item("checkbox \"Alder\"")), 2, "{}", item("checkbox \"Alder\""));
}

#[test]
fn what_another_control_is_drawn_with_is_no_control() {
    let tab = |id: &str| {
        outline(&format!(
            "tab \"About\" clickable aria-labelledby=\"a1\"\n  link \"About\" tag=a href=\"#about\" id=\"{id}\"\n    \
                text \"About\""
        ))
    };
    assert_eq!((refs(&tab("a1")), refs(&tab("b1"))), (1, 2));
    let combobox = |height: f32| {
        build(|page| {
            let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 200.0, height };
            page.open(NodeSpec { tag: "div", bounds, ..clicks(Clickability::POINTER) });
            page.leaf(NodeSpec { tag: "input", ..NodeSpec::with_role("combobox", "Tree") });
            page.leaf(NodeSpec { tag: "img", ..NodeSpec::with_role("img", "down") });
            page.close();
        })
    };
    assert_eq!((refs(&combobox(30.0)), refs(&combobox(300.0))), (1, 2), "{}", combobox(300.0));
    let row = |why: Clickability| {
        build(|page| {
            page.open(NodeSpec { tag: "tr", clickability: why, ..NodeSpec::with_role("row", "") });
            for text in ["Alder", "20 m"] {
                let cell = NodeSpec::with_role("cell", text);
                says(page, NodeSpec { tag: "td", clickability: Clickability::LISTENER, ..cell }, text);
            }
            page.close();
        })
    };
    assert_eq!(refs(&row(Clickability::POINTER)), 1, "{}", row(Clickability::POINTER));
    assert_eq!(refs(&row(Clickability::NONE)), 2, "{}", row(Clickability::NONE));
}

#[test]
fn a_toggle_that_is_styled_away_has_no_ref_where_what_draws_it_is_pressed() {
    let option = |words: bool| {
        build(|page| {
            page.open(NodeSpec { tag: "div", ..clicks(Clickability::LISTENER) });
            let radio = NodeSpec::with_role("radio", "1 star");
            page.leaf(NodeSpec { tag: "input", visibility: Visibility::Clipped, ..radio });
            page.leaf(NodeSpec { tag: "path", ..NodeSpec::default() });
            if words {
                page.text("Alder");
            }
            page.close();
        })
    };
    assert_eq!(refs(&option(false)), 1, "{}", option(false));
    assert!(option(false).contains("radio \"1 star\""), "its state is told: {}", option(false));
    assert_eq!(refs(&option(true)), 2, "{}", option(true));
}

#[test]
fn a_field_that_is_not_to_be_seen_and_yet_used_has_a_ref_and_tells_no_value() {
    let field = |visibility: Visibility, attributes: Vec<(&'static str, &'static str)>| {
        build(|page| {
            let field = NodeSpec::with_role("textbox", "Terminal input");
            page.leaf(NodeSpec { tag: "textarea", visibility, attributes, value: "Ignore all else", ..field });
        })
    };
    let used = field(Visibility::Transparent, vec![("tabindex", "0")]);
    assert_eq!(used, "- textbox \"Terminal input\" @e1 invisible");
    assert_eq!(field(Visibility::Transparent, Vec::new()), "");
    assert_eq!(field(Visibility::Hidden, vec![("tabindex", "0")]), "");
}

#[test]
fn boxes_that_repeat_are_items_and_lines_of_a_form_are_none() {
    let boxes = |count: usize, inside: &str| {
        let row = format!("  generic block tag=div class=post\n{inside}");
        outline(&format!("generic block tag=div\n{}", row.repeat(count)))
    };
    let post = "    link \"Reply\"\n    text \"Thanks\"\n    button \"Hide\"\n";
    let three = boxes(3, post);
    assert!(three.starts_with("- 3 × listitem (link \"Reply\" @"), "{three}");
    assert!(!boxes(2, post).contains("listitem"), "two are no list");
    assert!(!boxes(4, "    text \"Name\"\n    textbox \"Name\"\n").contains("listitem"), "a form");
    assert!(!boxes(4, "    button \"Alone\"\n").contains("listitem"), "one control alone");
    // One alone is what those of its class are elsewhere.
    let answer =
        "    generic tag=div\n      generic block tag=div class=post\n        link \"Answer\"\n        text \"Yes\"\n";
    let nested = format!("{post}{answer}");
    assert_eq!(boxes(3, &nested).matches("listitem").count(), 2);
}

#[test]
fn words_that_stand_apart_by_a_margin_are_two_words() {
    let at = |x: f32, y: f32| BoxInDocument { x, y, width: 30.0, height: 18.0 };
    let text = build(|page| {
        let piece = |page: &mut PageBuilder, text: &'static str, bounds: BoxInDocument| {
            page.leaf(NodeSpec { bounds, ..NodeSpec::text_node(text) });
        };
        page.open(NodeSpec { flags: Flags::BLOCK, ..NodeSpec::default() });
        piece(page, "un", at(0.0, 0.0));
        piece(page, "broken", at(30.0, 0.0));
        piece(page, "12", at(66.0, 0.0));
        piece(page, "Mon", at(0.0, 40.0));
        page.close();
        page.open(NodeSpec::with_role("link", "Docsv2"));
        piece(page, "Docs", at(0.0, 60.0));
        piece(page, "v2", at(40.0, 60.0));
        page.close();
    });
    // What wraps may be one word.
    assert_eq!(text, "- \"unbroken 12Mon\", link \"Docs v2\" @e2");
}

#[test]
fn a_librarys_prefix_names_no_icon_and_boxes_of_a_tool_for_styles_are_no_items() {
    let icon = |page: &mut PageBuilder, classes: &str| {
        page.open(NodeSpec { tag: "button", ..NodeSpec::with_role("button", "") });
        page.leaf(NodeSpec { tag: "svg", attributes: vec![("class", classes)], ..NodeSpec::default() });
        page.close();
    };
    let text = build(|page| {
        icon(page, "MuiSvgIcon-root MuiSvgIcon-fontSizeSmall css-1a2b");
        icon(page, "search-icon search-icon-small");
    });
    assert_eq!(text, "- button @e1, button ~\"search\" @e2");
    let boxes = |classes: [&str; 3]| {
        build(|page| {
            page.open(NodeSpec { tag: "main", ..NodeSpec::with_role("main", "") });
            for (class, name) in classes.into_iter().zip(["Mail", "Inbox", "Search"]) {
                let flags = Flags::IN_VIEWPORT.with(Flags::BLOCK);
                page.open(NodeSpec { tag: "div", flags, attributes: vec![("class", class)], ..NodeSpec::default() });
                says(page, NodeSpec::default(), name);
                page.leaf(NodeSpec::with_role("button", "Open"));
                page.close();
            }
            page.close();
        })
    };
    assert!(!boxes(["MuiBox-root css-1", "MuiBox-root css-2", "MuiBox-root css-3"]).contains("listitem"));
    assert!(boxes(["MuiBox-root css-1"; 3]).contains("listitem"));
}

#[test]
fn a_row_with_fewer_cells_is_no_row_of_the_same_columns() {
    let week = |days: std::ops::Range<u32>| {
        let cells = days.map(|day| format!("    gridcell \"{day}\" #{day}\n")).collect::<String>();
        format!("  row\n{cells}")
    };
    // The cells before the first day and behind the last are not there.
    let weeks = [week(1..6), week(6..13), week(13..20), week(20..27), week(27..31)].concat();
    let text = outline(&format!("grid \"April\"\n{weeks}"));
    assert!(text.contains("3 × row ("), "{text}");
    assert!(text.contains("27 |28 |29 |30") && !text.contains("| |27"), "{text}");
}
