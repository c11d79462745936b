//! What keeps a ref and what does not, on two pages each.

mod documents;

use super::*;
use crate::extract::{ExtractOptions, extract};
use browserlens_core::page::PageBuilder;

/// The refs of a run over small pages.
struct Run {
    table: RefTable,
    loader: u32,
    url: &'static str,
}

impl Default for Run {
    fn default() -> Self {
        Self { table: RefTable::default(), loader: 0, url: "https://test.test/" }
    }
}

impl Run {
    /// Shows a page whole; returns the number of the ref of each node that has one, by its backend
    /// id.
    fn show(&mut self, outline: &str) -> HashMap<u32, u32> {
        let mut builder = PageBuilder::new(self.url, "Test");
        builder.document(1, 1 + self.loader);
        builder.add_outline(outline);
        let page = builder.finish();
        let view = extract(&page, &HashSet::new(), &ExtractOptions::default());
        self.table.meet(&view, &Acting::of(&page, &view, false));
        let mut refs = HashMap::new();
        for (id, meta) in view.meta.iter().enumerate() {
            if !self.table.wants(id as u32) {
                continue;
            }
            let reference = self.table.get(id as u32).unwrap_or_else(|| Ref::new(self.table.next()));
            self.table.give(id as u32, reference);
            refs.insert(meta.key.backend, reference.number);
        }
        let unique: HashSet<u32> = refs.values().copied().collect();
        assert_eq!(unique.len(), refs.len(), "a ref stands for one item of a page");
        refs
    }
}

/// Whether a node of the first page and one (another, if it was replaced) of the last have one ref.
fn same(pages: &[&str], was: u32, is: u32) -> bool {
    let mut run = Run::default();
    let shown: Vec<HashMap<u32, u32>> = pages.iter().map(|page| run.show(page)).collect();
    shown[0][&was] == shown[shown.len() - 1][&is]
}

#[track_caller]
fn keeps(node: u32, pages: &[&str]) {
    assert!(same(pages, node, node), "keeps its ref");
}

#[track_caller]
fn loses(node: u32, pages: &[&str]) {
    assert!(!same(pages, node, node), "is another thing");
}

/// A list of rows, each with a node of its own, words and a button.
fn rows(rows: &[(u32, &str)]) -> String {
    let mut outline = String::from("main #2\n  heading \"Results\" #3\n  list #4\n");
    for (node, words) in rows {
        outline += &format!("    listitem #{node}0\n");
        for (nth, word) in words.split('|').enumerate() {
            outline += &format!("      paragraph #{node}{}\n        text \"{word}\" #{node}{}\n", nth + 1, nth + 5);
        }
        outline += &format!("      button \"Open\" #{node}9\n");
    }
    outline
}

#[test]
fn a_changed_role_is_no_other_thing() {
    keeps(
        5,
        &["main #2\n  button \"Menu\" #5\n  text \"Words\" #6", "main #2\n  combobox \"Menu\" #5\n  text \"Words\" #6"],
    );
    keeps(5, &["main #2\n  button \"Menu\" #5", "main #2\n  generic \"Menu\" clickable #5"]);
}

#[test]
fn a_changed_name_is_no_other_thing() {
    let player = |name: &str, time: &str| {
        format!(
            "main #2\n  region \"Player\" #3\n    text \"{time}\" #4\n    button \"{name}\" #5\n    button \"Next\" \
                #6\n    button \"Mute\" #7"
        )
    };
    keeps(5, &[&player("Play", "0:00"), &player("Pause", "0:01"), &player("Play", "0:07")]);
    // In a toolbar each button is an item, and has no words but its own.
    let toolbar = |name: &str| {
        format!(
            "list #3\n  listitem #10\n    button \"Back\" #11\n  listitem #20\n    button \"{name}\" #21\n  listitem \
                #30\n    button \"Next\" #31"
        )
    };
    keeps(21, &[&toolbar("Play"), &toolbar("Pause")]);
    // In a row the words beside it say what it belongs to.
    let seats = |name: &str, state: &str| {
        rows(&[(1, "Desk 4|near the window"), (2, &format!("Desk 5|{state}")), (3, "Desk 6|free")]).replacen(
            "button \"Open\" #29",
            &format!("button \"{name}\" #29"),
            1,
        )
    };
    keeps(29, &[&seats("Reserve desk 5", "free"), &seats("Cancel", "yours")]);
}

#[test]
fn a_name_that_blinks_is_no_other_thing() {
    let terminal =
        |name: &str| format!("main #2\n  heading \"Shell\" #3\n  textbox \"{name}\" #5\n  text \"{name}\" #6");
    keeps(5, &[&terminal("$ _"), &terminal("$ "), &terminal("$ ls _"), &terminal("total 4 notes.txt $")]);
}

#[test]
fn a_changed_label_around_it_is_no_other_thing() {
    let cart = |label: &str| format!("main #2\n  region \"{label}\" #3\n    button \"Pay\" #5\n    text \"Total\" #6");
    keeps(5, &[&cart("Cart, 1 item"), &cart("Cart, 2 items")]);
    keeps(5, &[&cart("Cart"), &cart("Your cart")]);
    let titled = |title: &str| format!("main #2\n  heading \"{title}\" #3\n  button \"Pay\" #5\n  text \"Total\" #6");
    keeps(5, &[&titled("Cart (1)"), &titled("Cart (2)")]);
}

#[test]
fn what_a_dialog_covers_is_no_other_thing_when_it_comes_back() {
    let behind = "main #2\n  heading \"Cart\" #3\n  button \"Pay\" #5\n  link \"Terms\" #6\n";
    let dialog = format!("{behind}dialog \"Sure?\" modal #7\n  button \"Yes\" #8\n");
    let covered = dialog.replace("button \"Pay\"", "generic \"\" tag=button").replace("main #2", "generic #2 tag=main");
    keeps(5, &[behind, &dialog, behind]);
    keeps(5, &[behind, &covered, behind]);
}

#[test]
fn another_place_among_siblings_is_no_other_thing() {
    let before = rows(&[(1, "Alpha|one"), (2, "Beta|two"), (3, "Gamma|three")]);
    let after = rows(&[(3, "Gamma|three"), (1, "Alpha|one"), (2, "Beta|two")]);
    for node in [19, 29, 39] {
        keeps(node, &[&before, &after]);
    }
    keeps(
        5,
        &[
            "main #2\n  button \"One\" #4\n  button \"Two\" #5\n  button \"Three\" #6",
            "main #2\n  button \"Two\" #5\n  button \"One\" #4\n  button \"Three\" #6",
        ],
    );
}

#[test]
fn more_or_fewer_siblings_make_no_other_thing() {
    let alone = "main #2\n  group #3\n    button \"Pay\" #5";
    let beside = "main #2\n  group #3\n    button \"Pay\" #5\n    button \"Pay later\" #6\n    button \"Cancel\" #7";
    keeps(5, &[alone, beside, alone]);
    keeps(19, &[&rows(&[(1, "Alpha")]), &rows(&[(1, "Alpha"), (2, "Beta"), (3, "Gamma")])]);
    let fields = "form \"Sign in\" #2\n  textbox \"Name\" #5\n  textbox \"Password\" #6\n  button \"Go\" #7";
    let refused = "form \"Sign in\" #2\n  alert #8\n    text \"Wrong password\" #9\n  textbox \"Name\" #5\n  textbox \
        \"Password\" #6\n  button \"Go\" #7";
    for node in [5, 6, 7] {
        keeps(node, &[fields, refused, fields]);
    }
}

#[test]
fn what_an_equal_node_replaces_in_its_place_is_no_other_thing() {
    let page = |node: u32, words: &str| {
        format!(
            "main #2\n  heading \"Cart\" #3\n  text \"{words}\" #4\n  group \"Pay\" #6\n    button \"Pay\" \
                #{node}\n    button \"Cancel\" #7\n"
        )
    };
    assert!(same(&[&page(5, "1 lamp"), &page(55, "2 lamps and a desk")], 5, 55));
    // Two of one name: nobody can say which is which.
    let twins = |nodes: [u32; 2]| {
        format!("main #2\n  group #6\n    button \"More\" #{}\n    button \"More\" #{}", nodes[0], nodes[1])
    };
    let mut run = Run::default();
    let first = run.show(&twins([5, 7]));
    let second = run.show(&twins([55, 57]));
    assert!(second.values().all(|number| !first.values().any(|known| known == number)));
}

#[test]
fn a_nameless_control_of_another_role_in_a_place_is_another_thing() {
    let page = |control: &str| format!("main #2\n  heading \"Positions\" #3\n  text \"24 EA\" #4\n  {control}\n");
    assert!(same(&[&page("button tag=div #10"), &page("button tag=div #20")], 10, 20));
    assert!(!same(&[&page("button tag=div #10"), &page("generic clickable tag=div #20")], 10, 20));
}

#[test]
fn a_virtual_row_with_the_words_of_another_is_another_thing() {
    let before = rows(&[(1, "Alpha|one"), (2, "Beta|two"), (3, "Gamma|three")]);
    let scrolled = rows(&[(1, "Beta|two"), (2, "Gamma|three"), (3, "Delta|four")]);
    for node in [19, 29, 39] {
        loses(node, &[&before, &scrolled]);
    }
    // The node that left at the top comes in at the bottom.
    let rotated = rows(&[(2, "Beta|two"), (3, "Gamma|three"), (1, "Delta|four")]);
    loses(19, &[&before, &rotated]);
    keeps(29, &[&before, &rotated]);
    // What two rows have in common tells neither.
    let people = |names: [&str; 3]| {
        rows(&[
            (1, &format!("{}|London", names[0])),
            (2, &format!("{}|London", names[1])),
            (3, &format!("{}|Paris", names[2])),
        ])
    };
    for node in [19, 29, 39] {
        loses(node, &[&people(["Ada", "Bob", "Cleo"]), &people(["Dora", "Emil", "Fay"])]);
    }
}

#[test]
fn rows_that_are_pressed_whole_and_have_no_name_go_by_their_words_and_not_by_their_place() {
    let list = |first: u32, words: [&str; 3]| {
        let row = |(nth, words): (usize, &&str)| {
            let node = first + 10 * nth as u32;
            let [title, place] = words.split('|').collect::<Vec<_>>()[..] else { panic!("two texts") };
            format!(
                "    generic clickable tag=div #{node}\n      image \"grip\" #{}\n      text \"{title}\" #{}\n      \
                 generic tag=small #{}\n        text \"{place}\" #{}\n",
                node + 1,
                node + 2,
                node + 3,
                node + 4
            )
        };
        let rows: String = words.iter().enumerate().map(row).collect();
        format!("main #2\n  heading \"Queue\" #3\n  generic tag=div #4\n{rows}")
    };
    let before = list(100, ["Tap drips|B-03", "Light flickers|A-11", "Boiler is cold|A-02"]);
    // All nodes are new, and the last is the first.
    let after = list(200, ["Boiler is cold|A-02", "Tap drips|B-03", "Light flickers|A-11"]);
    for (was, is) in [(100, 200), (110, 210), (120, 220)] {
        assert!(!same(&[&before, &after], was, is), "the same place is another row");
    }
    for (was, is) in [(100, 210), (110, 220), (120, 200)] {
        assert!(same(&[&before, &after], was, is), "the same words are the same row");
    }
}

#[test]
fn the_buttons_of_a_recycled_row_are_other_things_though_they_stay_among_themselves() {
    let table = |names: [&str; 3]| {
        let row = |nth: usize, name: &str| {
            format!(
                "    row #{nth}0\n      cell \"{name}\" #{nth}1\n        text \"{name}\" #{nth}5\n      cell \
                    #{nth}2\n        button \"Copy\" tag=button #{nth}3\n        button \"Print\" tag=button \
                    #{nth}4\n        button \"Delete\" tag=button #{nth}6\n"
            )
        };
        format!(
            "main #2\n  table #3\n{}",
            names.iter().enumerate().map(|(nth, name)| row(nth + 1, name)).collect::<String>()
        )
    };
    for node in [13, 24, 36] {
        loses(node, &[&table(["Alpha", "Beta", "Gamma"]), &table(["Delta", "Epsilon", "Zeta"])]);
    }
    // Other nodes on the next page of the table are not theirs, though they stand in the same
    // places.
    let next = table(["Delta", "Epsilon", "Zeta"])
        .replace("#1", "#7")
        .replace("#2\n        b", "#82\n        b")
        .replace("    row #2", "    row #8")
        .replace("    row #3", "    row #9");
    let mut run = Run::default();
    let first = run.show(&table(["Alpha", "Beta", "Gamma"]));
    let second = run.show(&next);
    assert_ne!(first[&13], second[&73]);
}

#[test]
fn rows_of_links_alone_that_hold_another_page_are_other_things() {
    let list = |names: [&str; 3]| {
        let row =
            |nth: usize, name: &str| format!("  listitem #{nth}0\n    link \"{name}\" href=\"/{name}\" #{nth}1\n");
        format!("list #3\n{}", names.iter().enumerate().map(|(nth, name)| row(nth + 1, name)).collect::<String>())
    };
    for node in [11, 21, 31] {
        loses(node, &[&list(["Alpha", "Beta", "Gamma"]), &list(["Delta", "Epsilon", "Zeta"])]);
    }
    // The same of buttons, which lead nowhere.
    let buttons = |names: [&str; 3]| list(names).replace("link", "button").replace("href", "title");
    for node in [11, 21, 31] {
        loses(node, &[&buttons(["Alpha", "Beta", "Gamma"]), &buttons(["Delta", "Epsilon", "Zeta"])]);
    }
}

#[test]
fn a_panel_that_is_filled_with_another_entity_is_another_thing() {
    let panel = |title: &str, owner: &str, due: &str| {
        format!(
            "main #2\n  region \"Details\" #3\n    heading \"{title}\" #4\n    text \"Owner\" #5\n    text \"{owner}\" \
                #6\n    text \"Due\" #7\n    text \"{due}\" #8\n    button \"Close {title}\" #9\n    button \"Delete\" \
                #10\n    textbox \"Note\" #11"
        )
    };
    for node in [9, 10] {
        loses(node, &[&panel("Fix the roof", "Ada", "Monday"), &panel("Paint the door", "Bob", "Friday")]);
    }
}

#[test]
fn a_link_that_leads_elsewhere_is_another_thing() {
    loses(
        5,
        &[
            "main #2\n  text \"Words\" #4\n  link \"More\" href=\"/a\" #5",
            "main #2\n  text \"Words\" #4\n  link \"More\" href=\"/b\" #5",
        ],
    );
    keeps(
        5,
        &[
            "main #2\n  text \"Words\" #4\n  link \"More\" href=\"/a\" #5",
            "main #2\n  text \"Words\" #4\n  link \"Less\" href=\"/a\" #5",
        ],
    );
}

#[test]
fn numbers_are_never_given_again() {
    let mut run = Run::default();
    run.show(&rows(&[(1, "Alpha"), (2, "Beta"), (3, "Gamma")]));
    let gone = run.show("main #2\n  button \"Other\" #5");
    let back = run.show(&rows(&[(1, "Delta"), (2, "Epsilon"), (3, "Zeta")]));
    assert!(back.values().chain(gone.values()).all(|number| *number > 3), "{gone:?} {back:?}");
}

#[test]
fn what_says_nothing_any_more_keeps_its_ref_until_it_says_something_else() {
    let cards = |words: [&str; 3]| -> String {
        let mut outline = String::from("main #2\n  list #3\n");
        for (nth, words) in words.iter().enumerate() {
            outline += &format!("    listitem #{}\n      button \"{words}\" #{}\n", 10 + nth, 20 + nth);
            if !words.is_empty() {
                outline += &format!("        text \"{words}\"\n");
            }
        }
        outline
    };
    let (full, blank) = (cards(["Ada", "Bela", "Cleo"]), cards(["", "", ""]));
    keeps(21, &[&full, &blank]);
    keeps(21, &[&full, &blank, &full]);
    loses(21, &[&full, &blank, &cards(["Dora", "Emil", "Finn"])]);
}

#[test]
fn a_row_whose_words_went_out_of_sight_keeps_its_refs_until_it_says_something_else() {
    // A log scrolls: of its topmost line only the buttons can still be seen.
    let line = |nth: u32, words: &str| {
        let said = if words.is_empty() {
            String::new()
        } else {
            format!("      paragraph \"{words}\" #{nth}2\n        text \"{words}\" #{nth}5\n")
        };
        format!("    listitem #{nth}0\n{said}      button \"Like\" #{nth}3\n        text \"{nth}\" #{nth}4\n")
    };
    let log = |words: [&str; 3]| {
        let lines: String = words.iter().zip(1..).map(|(words, nth)| line(nth, words)).collect();
        format!("main #2\n  log \"Chat\" #3\n{lines}")
    };
    let (full, scrolled) = (log(["Hello", "Two seats left?", "No"]), log(["", "Two seats left?", "No"]));
    keeps(13, &[&full, &scrolled]);
    keeps(13, &[&full, &scrolled, &full]);
    loses(13, &[&full, &scrolled, &log(["Good day", "Two seats left?", "No"]).replace("Two seats left?", "Yes")]);
}

#[test]
fn a_card_that_is_drawn_again_with_the_same_words_keeps_its_ref() {
    // Two columns; the filter leaves other cards in each, and draws all anew.
    let board = |from: u32, columns: [&[&str]; 2]| {
        let (mut outline, mut at) = (String::from("main #2\n"), from);
        for (name, cards) in ["Ready", "Done"].iter().zip(columns) {
            outline += &format!("  region \"{name}\" tag=section #{}\n    list tag=ul #{}\n", at + 1, at + 2);
            at += 10;
            for words in cards {
                outline += &format!("      listitem tag=li #{}\n        article \"{words}\" clickable #{at}\n", at + 1);
                outline += &format!("          text \"{words}\" #{}\n          text \"Feature\" #{}\n", at + 2, at + 3);
                outline += &format!("          text \"{words}, told at length\" #{}\n", at + 4);
                at += 10;
            }
        }
        outline
    };
    let all = ["Map in dark colours", "Larger type for warnings", "Share a berth"];
    let whole = board(100, [&all, &["Old tiles", "Fuel prices"]]);
    let same = |other: &str, was: u32, is: u32| same(&[&whole, other], was, is);
    let filtered = board(200, [&all[1..2], &["Fuel prices"]]);
    assert!(same(&filtered, 120, 210), "the same card, alone now");
    assert!(!same(&filtered, 110, 210));
    assert!(!same(&board(200, [&["Something else"], &["Fuel prices"]]), 120, 210));
}

#[test]
fn the_sign_of_an_order_is_no_part_of_a_name() {
    let head = |from: u32, name: &str| {
        format!(
            "main #2\n  table #3\n    row #{from}0\n      columnheader #{from}1\n        button \"{name}\" \
                #{from}2\n      columnheader #{from}3\n        button \"Room\" #{from}4\n"
        )
    };
    assert!(same(&[&head(1, "Date \u{25b2}"), &head(2, "Date \u{25bc}")], 12, 22));
    assert!(!same(&[&head(1, "Date \u{25b2}"), &head(2, "Time \u{25b2}")], 12, 22));
}

#[test]
fn a_box_that_comes_to_look_like_its_neighbour_is_no_other_thing() {
    // A ripple is drawn in what was pressed, and the two boxes of each item are alike by that.
    let item = |ripple: &str| {
        format!(
            "list #2\n  listitem #10\n    generic #11 tag=div\n      button \"Alder\" #12 tag=button\n        text \
                \"Alder\" \
             #13\n{ripple}    generic #14 tag=div\n      button \"choose\" #15 tag=button\n      generic #16 \
             tag=span\n  \
             listitem #20\n    text \"Birch\" #21\n"
        )
    };
    keeps(15, &[&item(""), &item("      generic #17 tag=span\n")]);
}

#[test]
fn a_mark_that_goes_from_one_box_to_another_takes_no_ref_with_it() {
    let seats = |taken: u32| -> String {
        let mut outline = String::from("main #2\n  heading \"Seats\" #3\n  generic tag=div #4\n");
        for node in 10..16 {
            outline += &format!("    generic clickable tag=div #{node}0\n");
            if node == taken {
                outline += &format!("      text \"MV\" #{node}1\n");
            }
        }
        outline
    };
    for node in [100, 130, 140] {
        keeps(node, &[&seats(10), &seats(13)]);
        keeps(node, &[&seats(10), &seats(13), &seats(14)]);
    }
}
