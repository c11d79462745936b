//! What is taken for the same thing on two pages, and what is told of it.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::Page;
use browserlens_lens::budget::{Cuts, Handles, Target};
use browserlens_lens::extract::{ExtractOptions, extract};
use browserlens_lens::{Lens, RefTable, Style};
use common::{a11y, lines, look, page, run, says, try_observe};
use std::collections::HashSet;
use std::sync::Arc;

/// What is told of the second of two pages.
fn told(pages: [Arc<Page>; 2]) -> String {
    run(a11y(), &pages).remove(1)
}

/// Links that stay as they are.
fn links(from: u32) -> String {
    lines(12, |n| format!("  link \"Section {n}\" #{}\n", from + n))
}

#[test]
fn texts_that_differ_in_a_number_are_the_same_text_wherever_they_stand() {
    let stays = lines(8, |at| format!("    listitem \"A lamp of kind {at}\" #{}\n", 40 + at));
    let at = |rows: &[(&str, u32)]| {
        let rows: String = rows.iter().map(|(text, key)| format!("    listitem \"{text}\" #{key}\n")).collect();
        page("https://a.test/1", "Cart", 1, &format!("main #2\n  list \"Cart\" #3\n{stays}{rows}"))
    };
    let told = told([at(&[("Total 12", 10), ("Tax 3", 11)]), at(&[("Tax 4", 21), ("Total 15", 20)])]);
    says(&told, "\"Total 12\" → \"Total 15\"");
    says(&told, "\"Tax 3\" → \"Tax 4\"");
}

#[test]
fn of_what_is_written_anew_only_the_messages_that_went_are_named() {
    let at = |from: u32, messages: &[&str]| {
        let texts = lines(6, |n| format!("    text \"Line {0} of it\" #{0}\n", from + n));
        let alerts: String = (from..)
            .zip(messages)
            .map(|(key, text)| format!("    alert #{}\n      text \"{text}\" #{}\n", key + 20, key + 40))
            .collect();
        let outline = format!("main #2\n  region \"Upload\" #3\n{texts}{alerts}  button \"Stop\" #4\n");
        page("https://a.test/1", "One", 1, &outline)
    };
    let told = told([at(100, &["Slow network", "Disk full"]), at(200, &["Slow network"])]);
    says(&told, "NOW in region \"Upload\"");
    says(told.lines().find(|line| line.starts_with("NOW")).unwrap(), "(− alert \"Disk full\")");
}

#[test]
fn numbers_and_cells_that_change_by_themselves_are_told_whatever_a_pass_knows() {
    let links = links(100);
    let lots = lines(6, |n| format!("    row #{}\n      cell \"Lot {n}\" #{}\n", 40 + n, 50 + n));
    let at = |step: usize| {
        let (bid, state, tip) =
            (100 + step, ["Open", "Held", "Sold", "Paid"][step], ["Ask", "Wait", "Sell", "Look"][step]);
        let rows = format!(
            "  paragraph #7\n    text \"{tip}\" #5\n  paragraph #6\n    text \"Bid {bid} €\" #3\n  \
             table #10\n{lots}    row #11\n      cell \"Lot 7\" #12\n      cell \"{state}\" #4\n"
        );
        page("https://a.test/1", "Auction", 1, &format!("main #2\n{links}{rows}"))
    };
    let mut lens = Lens::new(a11y());
    let mut tell = |step: usize| try_observe(&mut lens, step as u32, &at(step), Some(&look(&[3, 4, 5]))).unwrap().text;
    (0..3).for_each(|step| drop(tell(step)));
    let told = tell(3);
    assert!(told.contains("Bid 103 €") && told.contains("\"Paid\""), "{told}");
    // What is neither is noise, and is counted.
    assert!(!told.contains("\"Look\"") && told.contains("1 volatile hidden"), "{told}");
}

#[test]
fn parts_without_a_name_are_known_by_what_is_in_them() {
    let links = links(100);
    let at = |lamps: [(&str, u32); 3]| {
        let lamps: String = lamps
            .iter()
            .map(|(name, key)| format!("  article #{key}\n    text \"{name} lamp\" #{}\n", key + 1))
            .collect();
        page("https://a.test/1", "Lamps", 1, &format!("main #2\n{links}{lamps}"))
    };
    let told = told([at([("Red", 10), ("Blue", 20), ("Green", 30)]), at([("Green", 70), ("Red", 50), ("Blue", 60)])]);
    assert_eq!(told, "[DELTA 0→1]\nMOVED: article holding \"Green lamp\" after @e12");
}

#[test]
fn a_dialog_without_a_name_goes_by_its_heading() {
    let links = links(100);
    let sheet = "dialog \"\" modal #900\n  text \"Drag to size\" #901\n  heading \"Filters\" #902\n";
    let at = |more: &str| page("https://a.test/1", "Lamps", 1, &format!("main #2\n{links}{more}"));
    let told = told([at(sheet), at("")]);
    assert_eq!(told, "[DELTA 0→1]\nREMOVED: dialog holding \"Filters\"");
}

#[test]
fn handles_say_what_is_left_out_and_cut_now_and_as_of_an_earlier_state() {
    let page = page("https://a.test/1", "One", 1, "main #2\n  button \"Save the order\" #3\n  text \"Total\" #4\n");
    let view = extract(&page, &HashSet::new(), &ExtractOptions::default());
    let (save, _) = view.tree.items().find(|(_, item)| &*item.role == "button").unwrap();
    let key = view.meta[save as usize].key;
    let after = |cuts: &Cuts, before: &Handles| {
        Target::build(&view, cuts, &RefTable::default(), before, Style::DEFAULT).handles
    };
    let none = after(&Cuts::everything(&view), &Handles::default());
    let short = after(&Cuts { longest_name: Some((8, 4)), ..Cuts::nothing(&view) }, &none);
    let whole = after(&Cuts::nothing(&view), &short);
    let state = |handles: &Handles| (handles.is_elided_within(&view, save), handles.is_cut(key));
    assert_eq!([&none, &short, &whole].map(state), [(true, false), (false, true), (false, false)]);
    assert_eq!(
        [whole.as_of(&none), whole.as_of(&short), none.as_of(&whole)].each_ref().map(state),
        [(true, false), (false, true), (false, false)]
    );
}

#[test]
fn what_comes_by_itself_is_noise_in_a_small_part_and_news_in_a_large_one() {
    let links = links(200);
    let at = |others: u32, came: bool| {
        let others = lines(others, |n| format!("    paragraph #{}\n      text \"They wrote\" #{}\n", 300 + n, 500 + n));
        let came = if came { "    paragraph #9\n      text \"Somebody writes\" #10\n" } else { "" };
        page("https://a.test/1", "One", 1, &format!("main #2\n{links}  group \"Room\" #3\n{others}{came}"))
    };
    for (others, is_news) in [(3, false), (60, true)] {
        let mut lens = Lens::new(a11y());
        let mut tell = |step: u32, came: bool| {
            try_observe(&mut lens, step, &at(others, came), Some(&look(&[9, 10]))).unwrap().text
        };
        // Two looks saw it change.
        tell(0, false);
        let told = tell(1, true);
        assert_eq!(told.contains("Somebody writes"), is_news, "{others} others: {told}");
        assert_eq!(told.contains("volatile"), !is_news, "{others} others: {told}");
    }
}
