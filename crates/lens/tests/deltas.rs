//! Small deltas where pages change much: order lists, content written anew, earlier states, noise.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{NodeKey, Page, SecondLook};
use browserlens_core::tokens::Encoding;
use browserlens_lens::{Base, Lens, LensOptions, Observed, ShownState, parse};
use common::{a11y, always_delta, lines, look, observe, owed, page, read, run, says, try_observe};
use std::sync::Arc;

fn tokens(text: &str) -> u32 {
    Encoding::O200kBase.count(text).0
}

/// The texts of a run over pages after the first.
fn deltas(options: LensOptions, pages: &[Arc<Page>]) -> Vec<String> {
    let mut lens = Lens::new(options);
    let mut told: Vec<String> =
        pages.iter().enumerate().map(|(step, page)| observe(&mut lens, step as u32, page).text).collect();
    // From the texts alone a reader gets the same states.
    assert_eq!(Some(read(told.iter().map(String::as_str)).tree()), lens.shown().map(ShownState::tree));
    told.remove(0);
    told
}

/// What is told of the second of two pages.
fn told(before: Arc<Page>, after: Arc<Page>) -> String {
    deltas(a11y(), &[before, after]).remove(0)
}

fn shop(cards: &[u32], extra: &str) -> Arc<Page> {
    let mut outline = String::from(
        "navigation \"Main\" #2\n  link \"Home\" #3\nmain #4\n  heading \"Results\" #5\n  list \"Laptops\" #6\n",
    );
    for card in cards {
        let key = 100 + card * 10;
        outline += &format!(
            "    listitem #{key}\n      link \"Laptop model {card} with 16 GB\" #{}\n      text \"${}.99, in stock\" \
                #{}\n      button \"Add to cart\" #{}\n",
            key + 1,
            500 + card,
            key + 2,
            key + 3
        );
    }
    outline += extra;
    page("https://shop.test/search", "Results", 1, &outline)
}

/// Numbers in an order that has nothing to do with theirs.
fn shuffled(count: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..count).collect();
    numbers.sort_by_key(|number| number.wrapping_mul(2_654_435_761) >> 7);
    numbers
}

#[test]
fn a_re_sort_of_142_cards_is_one_order_list() {
    let all: Vec<u32> = (0..142).collect();
    let told = told(shop(&all, ""), shop(&shuffled(142), ""));
    assert!(told.starts_with("[DELTA 0→1]\nORDER in list \"Laptops\": @e"), "{told}");
    assert!(tokens(&told) <= 700, "{}", tokens(&told));
}

#[test]
fn a_filter_of_142_cards_to_60_names_those_that_stay() {
    let all: Vec<u32> = (0..142).collect();
    let mut some: Vec<u32> = shuffled(142).into_iter().take(60).collect();
    some.sort_unstable();
    let told = deltas(a11y(), &[shop(&all, ""), shop(&some, ""), shop(&all, "")]);
    says(&told[0], "REMOVED in list \"Laptops\": 82 × listitem; left: @e");
    assert!(tokens(&told[0]) <= 300, "{}", tokens(&told[0]));
    // And back again: the first state is known.
    assert_eq!(told[1], "[DELTA 0→2, from the page of step 0: 0 changes]");
}

#[test]
fn order_and_content_change_in_one_step() {
    insta::assert_snapshot!(told(shop(&[1, 2, 3, 4, 5, 6, 7, 8], ""), shop(&[8, 1, 2, 3, 9, 7], "")), @"
    [DELTA 0→1]
    ORDER in list \"Laptops\" (− listitem \"Laptop model 4 with 16 GB\", \"Laptop model 5 with 16 GB\", \"Laptop \
        model 6 with 16 GB\"): @e9 @e2-@e4 @e8
    ADDED in list \"Laptops\" after @e4 \"Laptop model 3 with 16 GB\": 1 × like @e2:
    10|9 |509.99
    ");
}

#[test]
fn what_is_all_new_is_written_anew_in_its_place() {
    let frame = |main: &str| {
        let links = lines(12, |n| format!("  link \"Section {n}\" #{}\n", 10 + n));
        format!("navigation \"Main\" #2\n{links}main #30\n{main}contentinfo #31\n  link \"Imprint\" #32\n")
    };
    let first = frame("  heading \"One\" #40\n  text \"The first text of this page.\" #41\n  link \"Next\" #42\n");
    let second = frame("  heading \"Two\" #50\n  text \"Quite another text.\" #51\n  link \"Back\" #52\n");
    let one = page("https://a.test/1", "One", 1, &first);
    let told = deltas(a11y(), &[one.clone(), page("https://a.test/2", "Two", 1, &second), one]);
    insta::assert_snapshot!(told.join("\n\n"), @r#"
    [DELTA 0→1]
    PAGE: Two | /2
    NOW in main:
      - heading "Two", "Quite another text.", link "Back" @e15

    [DELTA 1→2]
    PAGE: One | /1
    NOW in main:
      - heading "One", "The first text of this page.", link "Next" @e13
    "#);
}

#[test]
fn without_earlier_states_every_delta_starts_from_the_last() {
    let all: Vec<u32> = (0..30).collect();
    let pages = [shop(&all, ""), shop(&[1, 2], ""), shop(&all, "")];
    let told = deltas(LensOptions { base: Base::Last, delta_limit_percent: 1_000, ..a11y() }, &pages);
    assert!(told[1].starts_with("[DELTA 1→2]"), "{}", told[1]);
    let earlier = deltas(LensOptions { delta_limit_percent: 1_000, ..a11y() }, &pages);
    assert!(tokens(&earlier[1]) < tokens(&told[1]));
}

#[test]
fn a_cell_of_a_wide_row_is_that_of_the_first_cell_that_says_something() {
    let planner = |done: u32| {
        let rows = lines(3, |row| {
            let cells = lines(14, |day| {
                let text = if row * 14 + day == done { "✓" } else { "" };
                format!("        cell \"{text}\" #{}\n", 100 + row * 20 + day)
            });
            format!(
                "      row #{}\n        cell \"Lift {}\" #{}\n{cells}",
                10 + row,
                ["A", "B", "C"][row as usize],
                50 + row
            )
        });
        page(
            "https://plan.test/",
            "Plan",
            1,
            &format!("main #2\n  heading \"Inspections\" #3\n    table \"Lifts\" #4\n{rows}"),
        )
    };
    let told = told(planner(99), planner(14 + 4));
    says(&told, "cell #5 of \"Lift B\" → \"✓\"");
}

#[test]
fn what_many_items_have_in_common_is_told_once() {
    let mails = |state: &str| {
        let rows = lines(8, |n| {
            format!(
                "      row #{}\n        checkbox \"Choose\" #{} {state}\n        cell \"Mail {n} of somebody who \
                 writes at length of what nobody asked about, and asks for an answer by the end of the week\" #{}\n",
                10 + n * 10,
                11 + n * 10,
                12 + n * 10
            )
        });
        page(
            "https://mail.test/",
            "Mail",
            1,
            &format!("main #2\n  heading \"Inbox\" #3\n    table \"Mails\" #4\n{rows}"),
        )
    };
    insta::assert_snapshot!(told(mails("unchecked"), mails("checked")), @"
    [DELTA 0→1]
    CHANGED: @e1-@e8 +checked
    ");
}

#[test]
fn a_delta_from_a_step_that_nobody_remembers_is_refused() {
    let mut shown = read(["[FULL PAGE STATE 4] a | b\n- \"x\""]);
    let before = shown.clone();
    assert!(shown.apply("[DELTA 2→5: 0 changes]").is_err());
    assert_eq!(shown, before);
    for step in 5..40 {
        shown.apply(&format!("[DELTA {}→{step}: 0 changes]", step - 1)).unwrap();
    }
    assert!(!shown.remembers(4) && shown.remembers(30) && shown.remembers(39));
}

#[test]
fn a_full_observation_forgets_no_earlier_state() {
    let full = "[FULL PAGE STATE 0] a | b\n- main: button \"Go\" @e1, \"x\"";
    let mut shown = read([full, "[FULL PAGE STATE 1 — delta not smaller] c | d\n- \"y\""]);
    let read = shown.apply("[DELTA 0→2: 1 change]\nCHANGED: text \"x\" → \"z\"").unwrap();
    assert!(matches!(read, Observed::Delta { steps: Some((0, 2)), .. }));
    assert!(shown.find_text("z") && !shown.find_text("y"));
}

#[test]
fn an_order_that_cannot_be_is_refused() {
    for children in ["@e1 @e1", "3-1", "9", "@e7"] {
        for change in ["ORDER in main: ", "REMOVED in main: 2 × button; left: "] {
            let change = format!("{change}{children}");
            let mut shown = read(["[FULL PAGE STATE 0] a | b\n- main: button \"A\" @e1, button \"B\" @e2, \"x\""]);
            let text = format!("[DELTA 0→1: 1 change]\n{change}");
            assert!(parse(&text).is_ok() && shown.apply(&text).is_err(), "{change}");
        }
    }
}

#[test]
fn alerts_removals_and_focus_are_in_the_step_that_caused_them_and_scrolling_is_no_change() {
    let at = |extra: &str, focus: &str| shop(&[1, 2, 3, 4], &format!("  button \"Pay\" {focus}#60\n{extra}"));
    let (note, alert) = ("  text \"A note\" #61\n", "  alert #62\n    text \"The card was refused\" #63\n");
    let pages = [
        at(note, ""),
        at(&format!("{note}{alert}"), ""),
        at(alert, ""),
        at(alert, "focused "),
        at(alert, "focused offscreen "),
    ];
    let told = deltas(a11y(), &pages);
    says(&told[0], "alert \"The card was refused\"");
    assert!(told[1].ends_with("REMOVED: text \"A note\""), "{}", told[1]);
    assert!(told[2].ends_with("FOCUS: @e6"), "{}", told[2]);
    assert_eq!(told[3], "[DELTA 3→4: 0 changes]");
}

fn ticking(step: u32, status: &str, button: &str) -> Arc<Page> {
    let outline = format!(
        "main #2\n  text \"{} people are here\" #3\n  text \"Bid {}\" #4\n  timer #5\n    text \"0:{:02}\" #6\n  \
            status #7\n    text \"{status}\" #8\n  button \"Bid\" {button}#9\n",
        100 + step * 7,
        3 + step,
        59 - step
    );
    shop(&[1, 2, 3, 4, 5, 6], &outline)
}

#[test]
fn a_step_of_noise_costs_at_most_15_tokens() {
    let mut lens = Lens::new(a11y());
    let mut last = String::new();
    for step in 0..5 {
        let told = try_observe(&mut lens, step, &ticking(step, "Open", ""), Some(&look(&[3, 4, 6]))).unwrap();
        assert_eq!(told.unmarked_differences, Some(0));
        last = told.text;
    }
    assert_eq!(last, "[DELTA 3→4, 2 volatile hidden]");
    assert!(tokens(&last) <= 15, "{}", tokens(&last));
}

#[test]
fn a_late_answer_and_a_button_that_a_countdown_disables_are_told() {
    let mut lens = Lens::new(a11y());
    let mut tell = |step, status, button, look: &SecondLook| {
        try_observe(&mut lens, step, &ticking(step, status, button), Some(look)).unwrap().text
    };
    tell(0, "Asking…", "", &SecondLook::default());
    // The look saw the answer come, and what it brought.
    let late = SecondLook { added: vec![NodeKey { frame: 1, loader: 1, backend: 8 }], ..look(&[7, 8]) };
    let answer = tell(1, "Sold to you", "", &late);
    assert!(answer.contains("Sold to you"), "{answer}");
    let disabled = tell(2, "Sold to you", "disabled ", &look(&[3, 4, 6, 9]));
    assert!(disabled.contains("button \"Bid\" @e8") && disabled.contains("disabled"), "{disabled}");
    let again = tell(3, "Sold to you", "", &look(&[3, 4, 6, 9]));
    assert!(again.contains("button \"Bid\" @e8") && !again.contains("@e8 disabled"), "{again}");
}

#[test]
fn what_flickers_in_a_row_costs_no_ref_and_a_recycled_row_keeps_none() {
    let table = |rows: &[(&str, &str)]| {
        let mut outline = String::from("main #2\n  table \"Seats\" #3\n");
        for (row, (name, price)) in rows.iter().enumerate() {
            let key = 100 + row * 10;
            outline += &format!(
                "    row #{key}\n      cell \"{name}\" #{}\n      cell \"{price}\" #{}\n      cell #{}\n        button \
                    \"Buy\" #{}\n",
                key + 1,
                key + 2,
                key + 3,
                key + 4
            );
        }
        page("https://a.test/", "Seats", 1, &outline)
    };
    let handles = |rows: &[(&str, &str)]| {
        let mut lens = Lens::new(always_delta());
        observe(&mut lens, 0, &table(&[("Stalls", "£78.00"), ("Circle", "£71.00"), ("Box", "£120.00")]));
        let told = observe(&mut lens, 1, &table(rows));
        told.refs.into_iter().map(|target| target.handle).collect::<Vec<_>>()
    };
    let flickered = [("Stalls", "£79.50"), ("Circle", "£70.00"), ("Box", "£119.00")];
    assert_eq!(handles(&flickered), ["@e1", "@e2", "@e3"]);
    let recycled = [("Balcony", "£78.00"), ("Standing", "£71.00"), ("Pit", "£120.00")];
    assert_eq!(handles(&recycled), ["@e4", "@e5", "@e6"]);
}

#[test]
fn when_a_dialog_closes_the_page_behind_it_is_known_again() {
    let cards: Vec<u32> = (0..20).collect();
    let dialog = "main #4\n  heading \"Results\" #5\ndialog \"Sure?\" modal #900\n  button \"Yes\" #901\n";
    let pages = [
        shop(&cards, "  timer #60\n    text \"14:59\" #61\n"),
        page("https://shop.test/search", "Results", 1, dialog),
        shop(&cards[1..], "  timer #60\n    text \"14:58\" #61\n"),
    ];
    let told = deltas(a11y(), &pages);
    let again = &told[1];
    assert!(again.starts_with("[DELTA 0→2, from the page of step 0]") && tokens(again) < 80, "{again}");
}

#[test]
fn a_row_that_came_is_said_by_the_pattern_of_its_list() {
    let all: Vec<u32> = (1..10).collect();
    let pages = [shop(&all[..8], ""), shop(&all, "")];
    let told = deltas(a11y(), &pages).remove(0);
    insta::assert_snapshot!(told, @r#"
    [DELTA 0→1]
    ADDED in list "Laptops": 1 × like @e2:
    10|9 |509.99
    "#);
    // Where a reader may have dropped what was told before, the pattern is said again.
    assert!(!deltas(LensOptions { base: Base::Last, ..a11y() }, &pages)[0].contains("like"));
    // Without what was told before, nobody can read it.
    assert!(parse(&told).is_err());
    let unknown = "[DELTA 0→1: 1 change]\nADDED in page:\n  - 1 × like @e7:\n8 x";
    assert!(read(["[FULL PAGE STATE 0] a | b\n- \"x\""]).apply(unknown).is_err());
}

#[test]
fn a_new_value_selects_its_option_and_a_new_state_ends_its_opposite() {
    let form = |value: &str, checked: &str, selected: [&str; 2]| {
        let outline = format!(
            "main #2\n  combobox \"Seats\" value=\"{value}\" #3\n    option \"One\" {}#4\n    option \"Two\" {}#5\n  \
                checkbox \"Gift\" {checked} #6\n  text \"A text that stays as it is, whatever is chosen here.\" #7\n",
            selected[0], selected[1]
        );
        page("https://a.test/", "Seats", 1, &outline)
    };
    let told = |after: Arc<Page>| {
        let before = form("One", "unchecked", ["selected ", ""]);
        deltas(always_delta(), &[before, after]).remove(0)
    };
    insta::assert_snapshot!(told(form("Two", "checked", ["", "selected "])), @r#"
    [DELTA 0→1]
    CHANGED: combobox "Seats" @e1 → value: "Two"
    - checkbox "Gift" @e2 +checked
    "#);
    // Where the page says otherwise, so does the delta.
    insta::assert_snapshot!(told(form("Two", "unchecked", ["selected ", ""])), @r#"
    [DELTA 0→1]
    CHANGED: combobox "Seats" @e1 → value: "Two"
    - option "One" +selected
    - option "Two" -selected
    "#);
}

#[test]
fn a_page_of_the_same_origin_is_told_by_its_path() {
    let outline = "main #2\n  text \"A text that stays as it is, on every page of this site, word by word.\" #7\n";
    let at = |url: &str| page(url, "One", 1, outline);
    let pages = [at("https://a.test/1"), at("https://a.test/2?q=1"), at("https://b.test/2"), at("https://a.test/")];
    let told = deltas(LensOptions { base: Base::Last, ..always_delta() }, &pages);
    let second: Vec<&str> = told.iter().map(|text| text.lines().nth(1).unwrap_or("")).collect();
    assert_eq!(second, ["PAGE: One | /2?q=1", "PAGE: One | https://b.test/2", "PAGE: One | https://a.test/"]);
}

/// Back on a page that it knows, a reader is told what changed there since.
#[test]
fn a_known_page_is_told_from_what_was_shown_of_it() {
    let listing = |last: &str| {
        let rows = lines(30, |n| format!("  link \"Topic number {n}\" #{}\n", 100 + n));
        page("https://a.test/list", "Topics", 1, &format!("main #2\n{rows}  text \"{last}\" #90\n"))
    };
    let topic = page("https://a.test/topic", "Topic", 2, "main #2\n  text \"All there is to say of it.\" #3\n");
    let pages = [listing("30 topics"), topic, listing("31 topics, one of them new")];
    let told = run(a11y(), &pages);
    assert!(told[2].starts_with("[DELTA 0→2, "), "{}", told[2]);
    for (step, page) in pages.iter().enumerate() {
        assert_eq!(owed(&read(told[..=step].iter().map(String::as_str)), page), 0, "{}", told[step]);
    }
}

#[test]
fn a_change_that_does_not_say_whose_it_is_names_its_owner() {
    let at = |ssd: &str, left: &str, delivery: &str, total: &str| {
        let outline = format!(
            "main #2\n  group \"Storage\" #3\n    listitem #4\n      checkbox \"512 GB\" #5\n      text \"31\" #6\n    \
                listitem #7\n      checkbox \"1 TB\" #8\n      text \"{ssd}\" #9\n  table \"Seats\" #10\n    row \
                #11\n      columnheader \"Category\" #12\n      columnheader \"Left\" #13\n    row #14\n      cell \
                \"Circle\" #15\n      cell \"8\" #16\n    row #17\n      cell \"Stalls\" #18\n      cell \"{left}\" \
                #19\n  term \"Goods\" #20\n  definition \"$9\" #21\n  term \"Delivery\" #22\n  definition \
                \"{delivery}\" #23\n  term \"Total\" #24\n  definition \"{total}\" #25\n"
        );
        page("https://a.test/1", "One", 1, &outline)
    };
    insta::assert_snapshot!(told(at("31", "8", "Free", "$9"), at("0", "4", "$5", "$14")), @r#"
    [DELTA 0→1]
    CHANGED: text "31" of @e2 "1 TB" → "0"
    - cell "8" in "Left" of "Stalls" → "4"
    - definition "Free" of "Delivery" → "$5"
    - definition "$9" of "Total" → "$14"
    "#);
}

#[test]
fn a_text_that_is_written_anew_in_its_place_is_a_change() {
    let at = |state: &str, keys: u32| {
        let outline = format!(
            "main #2\n  heading \"Release 4\" #3\n  text \"{state}\" #{keys}\n  row #5\n    cell \"Ines\" #6\n    cell \
                \"{state} 1\" #{}\n  button \"Go\" #8\n",
            keys + 1
        );
        page("https://a.test/1", "One", 1, &outline)
    };
    insta::assert_snapshot!(told(at("Draft", 20), at("Scheduled", 30)), @r#"
    [DELTA 0→1]
    CHANGED: text "Draft" of "Release 4" → "Scheduled"
    - cell "Draft 1" of "Ines" → "Scheduled 1"
    "#);
}

#[test]
fn what_goes_in_many_kinds_is_counted_by_kind_and_named_where_it_is_one() {
    let stays = lines(20, |at| format!("  link \"A page of the letter {at}\" #{}\n", 40 + at));
    let at = |form: &str| page("https://a.test/1", "One", 1, &format!("main #2\n{stays}{form}"));
    let form = |fields: &[&str]| {
        let fields = fields.iter().enumerate();
        let all: String = fields.map(|(at, name)| format!("  textbox \"{name}\" #{}\n", 10 + at)).collect();
        all + "  checkbox \"Weekly\" #24\n  button \"Send\" #25\n"
    };
    let told = |fields: &[&str]| told(at(&form(fields)), at("  text \"Thank you\" #30\n"));
    let names = ["Name", "Mail", "Street", "Town", "Country", "Phone", "Birthday"];
    says(&told(&names), "7 × textbox, checkbox \"Weekly\" @e28, button \"Send\" @e29");
    says(
        &told(&names[..2]),
        "REMOVED: textbox \"Name\" @e21, \"Mail\" @e22, checkbox \"Weekly\" @e23, button \"Send\" @e24",
    );
}

#[test]
fn what_came_or_moved_says_what_it_stands_beside() {
    let row = |at: u32| format!("    listitem \"Entry {at}\" #{}\n      button \"Open\" #{}\n", 100 + at, 500 + at);
    let at = |rows: &[u32], note: &str| {
        let rows: String = rows.iter().map(|at| row(*at)).collect();
        page("https://a.test/1", "One", 1, &format!("main #2\n{note}  list \"Entries\" #3\n{rows}"))
    };
    let all: Vec<u32> = (1..13).collect();
    let told = |rows: &[u32], note: &str| told(at(&all[..8], ""), at(rows, note));
    let moved = told(&[1, 2, 3, 8, 4, 5, 6, 7], "");
    says(&moved, "MOVED: listitem \"Entry 8\" between @e3 \"Entry 3\" and @e4 \"Entry 4\"");
    says(&told(&[2, 3, 4, 5, 6, 7, 8, 1], ""), "MOVED: listitem \"Entry 1\" after @e8 \"Entry 8\"");
    let moved = told(&[2, 1, 3, 4, 5, 6, 7, 8], "");
    assert!(moved.contains(" before @e1 \"Entry 1\"") || moved.contains(" between @e2 "), "{moved}");
    says(&told(&all[..8], "  text \"Saved\" #90\n"), "ADDED in main before @e1:\n  - \"Saved\"");
    // What was told last says where the end is, unless the delta itself put the rows in order.
    says(&told(&all, ""), "ADDED in list \"Entries\": 4 × ");
    let stays = lines(40, |at| format!("  link \"A page of the letter {at}\" #{}\n", 20 + at));
    let told = deltas(a11y(), &[at(&all[..8], &stays), at(&[8, 6, 4, 2, 9, 10, 11, 12], &stays)]);
    says(&told[0], "ADDED in list \"Entries\" after @e42 \"Entry 2\": 4 × ");
}

#[test]
fn a_place_beside_what_is_not_there_is_no_place() {
    let full = "[FULL PAGE STATE 0] One | https://a.test/1\n- main: button \"Go\" @e1, button \"Stop\" @e2";
    for wrong in [
        "MOVED: @e1 after @e7",
        "MOVED: @e1 after @e1",
        "MOVED: @e1 between @e2",
        "MOVED: @e1 between @e2 and",
        "MOVED: @e1 between @e2 and @e9",
        "MOVED: @e1 between @e2 and @e2",
        "MOVED: @e1 after @e2 \"\"…",
        "MOVED: @e1 after",
        "MOVED: @e1",
        "ADDED in main after @e9:\n  - \"x\"",
        "ADDED in main before \"Go\":\n  - \"x\"",
        "ADDED in main after @e1: \"x\"",
        "ADDED in main after @e1: 2 × link @: 5 A",
        "NOW in main: 2 × row \"{1}\":\n| A",
    ] {
        assert!(read([full]).apply(&format!("[DELTA 0→1]\n{wrong}")).is_err(), "{wrong}");
    }
    let right = "[DELTA 0→1]\nMOVED: @e1 after @e2\nADDED in main before @e2 \"Stop\": 2 × link @: 5 A |6 B";
    let shown = read([full, right]);
    let names: Vec<String> = shown.nodes().map(|node| node.name().to_owned()).filter(|name| !name.is_empty()).collect();
    assert_eq!(names, ["A", "B", "Stop", "Go"]);
}

#[test]
fn the_answer_of_an_action_that_led_to_nothing_is_read_as_a_delta_without_changes() {
    let full = "[FULL PAGE STATE 0] One | https://a.test/1\n- button \"Go\" @e1";
    let mut shown = read([full, "[DELTA 0→1: 0 changes] nothing changed"]);
    assert!(shown.nodes().any(|node| node.name() == "Go"));
    assert!(shown.apply("[DELTA 1→2: 0 changes] something else").is_err());
}

#[test]
fn what_goes_is_said_and_a_message_by_its_text() {
    let at = |count: u32, message: &str| {
        let list = lines(count, |at| format!("    listitem \"Entry {at}\" #{}\n", 10 + at));
        page("https://a.test/1", "One", 1, &format!("main #2\n  list \"Entries\" #3\n{list}{message}"))
    };
    let alert = "    alert #90\n      text \"The file is too large\" #91\n";
    let told = deltas(a11y(), &[at(40, alert), at(22, ""), at(20, "")]);
    says(&told[0], "18 × listitem, alert \"The file is too large\"; left: 1-");
    says(&told[1], "listitem \"Entry 20\", \"Entry 21\"");
}

#[test]
fn what_a_dialog_covers_is_told_in_one_line_behind_what_changed() {
    let at = |menu: &str, covered: &str| {
        let buttons = lines(6, |n| format!("  button \"Action {n}\" #{}{covered}\n", 10 + n));
        let outline = format!("main #2\n  button \"Menu\" {menu} #3\n{buttons}  link \"Help\" #30\n");
        page("https://a.test/1", "One", 1, &outline)
    };
    let told = told(at("collapsed", ""), at("expanded", " covered"));
    assert!(told.contains("+expanded\n- @e2-@e7 +covered"), "{told}");
    let mut shown = read(["[FULL PAGE STATE 0] a | b\n- button \"Go\" @e1"]);
    for forged in ["@e1-@e4000000000", "@e1-@e9999 @e1-@e9999", "@e9-@e1 @e1"] {
        assert!(shown.apply(&format!("[DELTA 0→1]\nCHANGED: {forged} +covered")).is_err(), "{forged}");
    }
}
