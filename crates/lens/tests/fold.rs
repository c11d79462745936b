//! Folding says the same with fewer tokens: for any tree, what is written is read back, and the
//! goldens show how it reads.
#![allow(missing_docs, clippy::unwrap_used)]

use browserlens_core::strategy::Ref;
use browserlens_core::tokens::Encoding;
use browserlens_lens::format::{Head, Observed, write};
use browserlens_lens::tree::{Item, ROOT, StateSet, Tree};
use browserlens_lens::{Style, parse};
use proptest::prelude::*;

fn full(tree: Tree) -> Observed {
    let head = Some(Head::default());
    Observed::Full { step: None, reason: None, head, events: Vec::new(), images: Vec::new(), tree }
}

fn text(tree: &Tree, style: Style) -> String {
    let text = write(&full(tree.clone()), style);
    assert_eq!(parse(&text), Ok(full(tree.clone())), "{text}");
    text.split_once('\n').map_or(String::new(), |(_, items)| items.to_owned())
}

fn control(role: &str, name: &str, number: u32, part: u16) -> Item {
    Item { reference: Some(Ref { number, part }), ..Item::new(role, name) }
}

/// Cards as a shop has them: what repeats in each, what each says, and what only some have.
fn cards(count: u32) -> Tree {
    let mut tree = Tree::default();
    let list = tree.push(ROOT, Item::new("region", "Results"));
    for n in 0..count {
        let name = format!("Lamp {}", ["Ada", "Bea", "Cleo", "Dora", "Eva"][n as usize % 5]);
        let card = tree.push(list, Item::new("article", name.clone()));
        if n % 3 == 1 {
            tree.push(card, Item::new("text", "Last one"));
        }
        tree.push(card, control("link", &name, n + 1, 0));
        tree.push(card, Item::new("text", format!("${}.90", 10 + n)));
        let mut add = control("button", &format!("Add {name} to cart"), n + 1, 1);
        if n == 2 {
            add.states = StateSet::DISABLED;
        }
        tree.push(card, add);
    }
    tree
}

fn nth_button(tree: &Tree, nth: usize) -> u32 {
    tree.items().filter(|(_, item)| &*item.role == "button").nth(nth).map(|(id, _)| id).unwrap()
}

#[test]
fn cards_are_a_pattern_and_its_rows() {
    insta::assert_snapshot!(text(&cards(4), Style::DEFAULT), @"
    - region \"Results\": 4 × article \"Lamp {1}\" (\"{2}\" ?{2}, link \"Lamp {1}\" @, \"{3}\", button \"Add Lamp {1} \
        to cart\" .1 /{4}):
    1 Ada | | $10.90
    2 Bea | Last one | $11.90
    3 Cleo | | $12.90 | disabled
    4 Dora | | $13.90
    ");
    insta::assert_snapshot!(text(&cards(4), Style::LITERAL), @r#"
    - region "Results": 4 × article "{1}" ("{2}" ?{2}, link "{1}" @, "{3}", button "Add {1} to cart" @2 /{4}):
    1 @e1.1 Lamp Ada | | $10.90
    2 @e2.1 Lamp Bea | Last one | $11.90
    3 @e3.1 Lamp Cleo | | $12.90 | disabled
    4 @e4.1 Lamp Dora | | $13.90
    "#);
}

#[test]
fn leaves_of_one_role_share_a_line() {
    let mut tree = Tree::default();
    for (n, name) in ["Home", "Products | Sale", "[x]", "\"q\"", ""].into_iter().enumerate() {
        tree.push(ROOT, control("link", name, n as u32 + 1, 0));
    }
    tree.push(ROOT, Item::new("text", "after"));
    for n in 0..3u32 {
        let mut tab = control("tab", &format!("Tab {n}"), n + 10, 0);
        tab.states = if n == 1 { StateSet::SELECTED } else { StateSet::NONE };
        tab.volatile = n == 2;
        tree.push(ROOT, tab);
    }
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @r#"
    - 5 × link @: 1 Home |2 Products \| Sale |3 \[x\] |4 \"q\" |5
    - "after"
    - 3 × tab @: 10 Tab 0 |11 Tab 1 [selected] |12 Tab 2 [volatile]
    "#);
}

#[test]
fn a_sequence_that_comes_again_is_a_row() {
    let mut tree = Tree::default();
    for n in 0..4 {
        tree.push(ROOT, Item::new("text", format!("user {n}")));
        tree.push(ROOT, Item::new("text", "09:00"));
        let like = tree.push(ROOT, control("button", "Like", n + 1, 0));
        tree.push(like, Item::new("text", n.to_string()));
    }
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @r#"
    - 4 × "user {1}", "09:00", button "Like" @ ("{2}"):
    1|0 |0
    2|1 |1
    3|2 |2
    4|3 |3
    "#);
}

#[test]
fn a_row_may_begin_with_several_texts_and_an_ellipsis_is_none_of_the_next() {
    let mut tree = Tree::default();
    tree.push(ROOT, Item::new("heading", "Clips"));
    for n in 1..=3 {
        for text in ["A00", "Scene ", "Take "] {
            tree.push(ROOT, Item::new("text", format!("{text}{n}")));
        }
        tree.push(ROOT, control("button", "Trim", n, 0));
    }
    tree.push(ROOT, Item::new("text", "…"));
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @r#"
    - heading "Clips"
    - 3 × "{1}", "{2}", "{3}", button "Trim" @:
    1 A001 | Scene 1 | Take 1
    2 A002 | Scene 2 | Take 2
    3 A003 | Scene 3 | Take 3
    - "…"
    "#);
}

#[test]
fn refs_of_their_own_stand_in_a_column() {
    let mut tree = cards(4);
    // The third card's button was shown before, alone.
    let button = nth_button(&tree, 2);
    tree.item_mut(button).reference = Some(Ref::new(77));
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @"
    - region \"Results\": 4 × article \"Lamp {1}\" (\"{2}\" ?{2}, link \"Lamp {1}\" @, \"{3}\", button \"Add Lamp {1} \
        to cart\" @2 /{4}):
    1 @e1.1 Ada | | $10.90
    2 @e2.1 Bea | Last one | $11.90
    3 @e77 Cleo | | $12.90 | disabled
    4 @e4.1 Dora | | $13.90
    ");
}

#[test]
fn a_ref_that_strays_is_an_exception_of_its_row() {
    let mut tree = cards(6);
    let button = nth_button(&tree, 3);
    tree.item_mut(button).reference = Some(Ref::new(77));
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @"
    - region \"Results\": 6 × article \"Lamp {1}\" (\"{2}\" ?{2}, link \"Lamp {1}\" @, \"{3}\", button \"Add Lamp {1} \
        to cart\" .1/{5} /{4}):
    1 Ada | | $10.90
    2 Bea | Last one | $11.90
    3 Cleo | | $12.90 | disabled
    4 Dora | | $13.90 | | @e77
    5 Eva | Last one | $14.90
    6 Ada | | $15.90
    ");
    tree.item_mut(button).reference = None;
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @"
    - region \"Results\": 6 × article \"Lamp {1}\" (\"{2}\" ?{2}, link \"Lamp {1}\" @, \"{3}\", button \"Add Lamp {1} \
        to cart\" .1/{5} /{4}):
    1 Ada | | $10.90
    2 Bea | Last one | $11.90
    3 Cleo | | $12.90 | disabled
    4 Dora | | $13.90 | | -
    5 Eva | Last one | $14.90
    6 Ada | | $15.90
    ");
}

#[test]
fn folding_a_long_list_costs_less_than_half() {
    let tree = cards(100);
    let tokens = |style| Encoding::O200kBase.count(&text(&tree, style)).0;
    let (folded, plain) = (tokens(Style::DEFAULT), tokens(Style::PLAIN));
    assert!(folded * 2 < plain, "{folded} of {plain} tokens");
    let literal = tokens(Style::LITERAL);
    assert!(folded < literal && literal < plain, "{folded}, {literal}, {plain}");
}

/// Words that the grammar itself uses, and characters that could end a field, a row or a line.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z]{0,6}",
        2 => "[0-9]{1,3}(\\.[0-9]{2})?",
        1 => prop::sample::select(vec![
            "|", " | ", "{1}", "\\", "\"", "\"\"", "[checked]", "@e5", "@e5.2", "\n- button \"x\" \
                @e9", "3 × row:", "-", "+", " x ", "…",
            "… 3 more items @m1", "\u{202e}", "[DELTA 1→2: 0 changes]", "£5", "5 %", "a|b", "\\|", "\\{", "\t", "é",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

/// One row: which optional parts it has, and what it says.
type RowSpec = (Vec<bool>, Vec<String>, Vec<u8>, bool);

fn plant(rows: &[RowSpec], shape: u8, shared: &str) -> Tree {
    let mut tree = Tree::default();
    let list = tree.push(ROOT, Item::new("list", shared));
    for (number, (there, words, states, apart)) in (1..).zip(rows) {
        let word = |n: usize| words.get(n).map_or("", String::as_str);
        let mut part = 0;
        let mut reference = || {
            let reference = if *apart { Ref::new(number * 1_000 + u32::from(part)) } else { Ref { number, part } };
            part += 1;
            Some(reference)
        };
        let state = |n: usize| StateSet(u32::from(states.get(n).copied().unwrap_or(0)) & 0x3f);
        let top = if shape & 1 == 0 { tree.push(list, Item::new("listitem", word(0))) } else { list };
        if there[0] {
            tree.push(top, Item::new("text", word(1)));
        }
        let mut link = Item { reference: reference(), states: state(0), ..Item::new("link", word(2)) };
        if there[1] {
            link.value = word(3).into();
        }
        let link = tree.push(top, link);
        if there[2] {
            tree.push(link, Item::new("heading", format!("{} {shared}", word(2))));
        }
        if shape & 2 == 0 || there[3] {
            let button = Item::new("button", format!("Add {} to {shared}", word(2)));
            tree.push(top, Item { reference: reference(), states: state(1), volatile: there[0], ..button });
        }
        tree.push(top, Item::new("text", if shape & 4 == 0 { format!("${}.00", word(4)) } else { word(4).to_owned() }));
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_folded_is_read_back(
        rows in prop::collection::vec(
            (prop::collection::vec(any::<bool>(), 4), prop::collection::vec(word(), 0..6),
                prop::collection::vec(any::<u8>(), 2), prop::bool::weighted(0.1)),
            0..9,
        ),
        shape in 0..8u8,
        shared in word(),
    ) {
        let tree = plant(&rows, shape, &shared);
        for style in [Style::DEFAULT, Style::LITERAL, Style::PLAIN, Style::SEED] {
            let text = write(&full(tree.clone()), style);
            let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(&write(&read, style), &text);
            prop_assert_eq!(read, full(tree.clone()), "{}", text);
        }
    }

    #[test]
    fn a_damaged_fold_is_an_error_and_no_panic(lines in prop::collection::vec(prop_oneof![
        "[-|@e0-9 \":,\\[\\](){}.?+/a-z×]{0,30}",
        prop::sample::select(vec![
            "- 2 × link: @e1 a | @e2 b [checked]", "- 3 × row (\"{1}\", link \"{2}\" @ \
                ?{2}):", "@e1 a | b", "| a", "@e4", "- 2 × row \"{1}\":",
            "- 2 × listitem (checkbox \"{1}\" @ unchecked /{2}, \"x\" -{3}):", "@e1 | checked | -", "- 4294967295 × \
                row (\"{9999}\"):", "- 1 × :",
        ]).prop_map(str::to_owned),
    ], 0..6)) {
        let text = format!("[FULL PAGE STATE] a | b\n{}", lines.join("\n"));
        if let Ok(read) = parse(&text) {
            prop_assert_eq!(parse(&write(&read, Style::DEFAULT)), Ok(read));
        }
    }
}

#[test]
fn numbers_stand_close_and_every_form_of_a_row_is_read_back() {
    let mut tree = Tree::default();
    for n in 0..4u32 {
        let row = tree.push(ROOT, Item::new("row", ""));
        let first = ["12", "", "a", "3 x"][n as usize];
        let mut cell = Item::new("cell", first);
        cell.reference = (n != 3).then(|| Ref::new(40 + n));
        tree.push(row, cell);
        tree.push(row, Item::new("cell", format!("{n}{n}7")));
        tree.push(row, Item::new("cell", ["ninety", "8 ", " 8", "9"][n as usize]));
    }
    insta::assert_snapshot!(text(&tree, Style::DEFAULT), @r#"
    - 4 × row (cell "{1}" @2, cell "{2}", cell "{3}"):
    | @e40 12 |007 | ninety
    | @e41 |117 | "8 "
    | @e42 a |227 | " 8"
    | - 3 x |337 |9
    "#);
    let mut leaves = Tree::default();
    let names = ["1", "2 rooms", "", "three"];
    for name in names {
        leaves.push(ROOT, Item::new("listitem", name));
    }
    for (n, name) in (0..).zip(names) {
        leaves.push(ROOT, control("link", name, n + 1, n as u16 % 2));
    }
    insta::assert_snapshot!(text(&leaves, Style::DEFAULT), @r#"
    - 4 × listitem: 1 |2 rooms | "" | three
    - 4 × link @: 1 1 |2.1 2 rooms |3 |4.1 three
    "#);
}

#[test]
fn a_row_is_one_choice_with_what_belongs_to_it() {
    let mut tree = Tree::default();
    let group = tree.push(ROOT, Item::new("group", "Delivery"));
    tree.push(group, Item::new("text", "2 Delivery"));
    let choices = [("Standard", "Free"), ("Express", "$14.90"), ("Evening", "$9.90"), ("Pick up", "Nothing")];
    for (n, (name, price)) in (1..).zip(choices) {
        tree.push(group, control("radio", name, n, 0));
        tree.push(group, Item::new("text", format!("By way {n}")));
        tree.push(group, Item::new("text", price));
    }
    let text = text(&tree, Style::DEFAULT);
    for (name, price) in choices {
        assert!(text.lines().any(|line| line.contains(name) && line.ends_with(price)), "{text}");
    }
}

#[test]
fn of_one_sibling_too_many_the_row_keeps_what_says_the_same() {
    let mut tree = Tree::default();
    let group = tree.push(ROOT, Item::new("group", "Rating"));
    tree.push(group, Item::new("radio", "0 of 5 stars"));
    for n in 1..=5 {
        tree.push(group, control("button", &format!("{n} of 5 stars"), n, 0));
        tree.push(group, Item::new("radio", format!("{n} of 5 stars")));
    }
    let text = text(&tree, Style::DEFAULT);
    assert!(text.contains("5 × button") && text.contains("radio \"0 of 5 stars\""), "{text}");
}

#[test]
fn what_says_the_same_does_not_take_a_heading_from_what_follows_it() {
    let mut tree = Tree::default();
    let main = tree.push(ROOT, Item::new("main", ""));
    for n in 1..=5 {
        tree.push(main, Item::new("heading", format!("Chapter {n}")));
        if n < 5 {
            tree.push(main, control("link", &format!("Next: Chapter {}", n + 1), n, 0));
        }
    }
    let text = text(&tree, Style::DEFAULT);
    assert!(!text.contains("- heading \"Chapter 1\""), "{text}");
}

#[test]
fn where_it_cannot_be_told_what_belongs_together_there_are_no_rows() {
    let mut tree = Tree::default();
    let bar = tree.push(ROOT, Item::new("group", "Plans"));
    tree.push(bar, Item::new("text", "Choose one"));
    for n in 1..=4 {
        tree.push(bar, control("button", &format!("Plan {n}"), n, 0));
        tree.push(bar, Item::new("text", format!("{n} seats")));
    }
    let text = text(&tree, Style::DEFAULT);
    assert!(!text.contains(" × "), "{text}");
}

#[test]
fn a_field_says_the_same_of_every_row() {
    let mut tree = Tree::default();
    let list = tree.push(ROOT, Item::new("region", "Results"));
    for n in 1..=6 {
        let card = tree.push(list, Item::new("article", ""));
        tree.push(card, control("link", &format!("Laptop {n}"), n, 0));
        tree.push(card, Item::new("text", format!("1{n}-inch, {n} cores")));
        tree.push(card, Item::new("text", format!("${n}99.00")));
        if n % 3 == 1 {
            tree.push(card, Item::new("text", format!("${n}99.50")));
        }
    }
    let text = text(&tree, Style::DEFAULT);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('|').collect()).collect();
    assert!(rows.len() == 6 && rows.iter().all(|row| row[3].trim().ends_with("99.00")), "{text}");
}

/// A month as date pickers draw it: days with refs, and blank cells before and behind them.
fn month(heads: &[&str], first: usize, days: u32, states: &[(u32, StateSet)]) -> Tree {
    let mut tree = Tree::default();
    let grid = tree.push(ROOT, Item::new("grid", "March"));
    let head = tree.push(grid, Item::new("row", ""));
    for name in heads {
        tree.push(head, Item::new("columnheader", *name));
    }
    let cells: Vec<u32> = std::iter::repeat_n(0, first).chain(1..=days).collect();
    for (week, cells) in cells.chunks(heads.len()).enumerate() {
        let row = tree.push(grid, Item::new("row", ""));
        for at in 0..heads.len() {
            let Some(day) = cells.get(at).copied().filter(|day| *day > 0) else {
                tree.push(row, Item::new("gridcell", ""));
                continue;
            };
            let mut item = control("button", &day.to_string(), week as u32 + 1, at as u16);
            item.states = states.iter().find(|(of, _)| *of == day).map_or(StateSet::NONE, |(_, state)| *state);
            tree.push(row, item);
        }
    }
    tree
}

const WEEK: [&str; 7] = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"];

#[test]
fn a_day_of_a_calendar_says_its_column() {
    insta::assert_snapshot!(text(&month(&WEEK, 5, 16, &[(4, StateSet::DISABLED)]), Style::DEFAULT), @r#"
    - grid "March":
      - row: 7 × columnheader: Su | Mo | Tu | We | Th | Fr | Sa
      - row: 5 × gridcell: "" | "" | "" | "" | ""
        - button "1" @e1.5 in "Fr", button "2" @e1.6 in "Sa"
      - row: 7 × button @: 2 3 [Su] |2.1 4 [disabled, Mo] |2.2 5 [Tu] |2.3 6 [We] |2.4 7 [Th] |2.5 8 [Fr] |2.6 9 [Sa]
      - row: 7 × button @: 3 10 [Su] |3.1 11 [Mo] |3.2 12 [Tu] |3.3 13 [We] |3.4 14 [Th] |3.5 15 [Fr] |3.6 16 [Sa]
    "#);
}

#[test]
fn numbers_that_do_not_count_on_are_no_calendar() {
    let mut tree = month(&["Won", "Lost", "Left"], 0, 30, &[]);
    assert!(text(&tree, Style::DEFAULT).contains("[Lost]"), "{}", text(&tree, Style::DEFAULT));
    let last = tree.items().filter(|(_, item)| item.name.as_ref() == "30").map(|(id, _)| id).last().unwrap();
    tree.item_mut(last).name = "12".into();
    assert!(!text(&tree, Style::DEFAULT).contains("[Lost]"), "{}", text(&tree, Style::DEFAULT));
}

proptest! {
    #[test]
    fn a_calendar_is_read_back(
        heads in prop::collection::vec(prop_oneof![
            word(),
            Just("disabled".to_owned()),
            Just("-current".to_owned()),
            Just("a, b".to_owned()),
            Just("x]".to_owned()),
            Just("[x".to_owned()),
        ], 3..9),
        first in 0usize..9,
        days in 0u32..32,
        state in 1u32..32,
    ) {
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let first = first % heads.len();
        for style in [Style::DEFAULT, Style::LITERAL, Style::PLAIN] {
            text(&month(&heads, first, days, &[(state, StateSet::DISABLED.with(StateSet::CURRENT))]), style);
        }
    }
}
