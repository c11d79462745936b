//! Refs from one document to the next: other pages, other languages.

use super::*;

/// A page of another document in a language, with a link, a button that has a key and one in a row
/// that has none.
fn in_language(language: &str, node: u32, link: &str, buttons: [&str; 2]) -> String {
    let [keyed, keyless] = buttons;
    format!(
        "main tag=html lang=\"{language}\" #{node}1\n  link \"{link}\" tag=a href=\"/{}/rooms\" #{node}2\n  \
         button \"{keyed}\" tag=button id=\"save\" #{node}3\n  list tag=ul #{node}4\n    listitem tag=li \
         #{node}5\n      \
         button \"{keyless}\" tag=button #{node}6\n    listitem tag=li #{node}7\n      text \"12\" #{node}8",
        language.split('-').next().unwrap_or_default()
    )
}

#[test]
fn the_same_page_in_another_language_keeps_its_refs_where_targets_or_keys_say_so() {
    let german = in_language("de-AT", 1, "Zimmer", ["Speichern", "Buchen"]);
    let french = in_language("fr", 2, "Chambres", ["Enregistrer", "Choisir"]);
    let pages = [&*german, &*french];
    assert!(same(&pages, 12, 22), "the link's target differs by the language alone");
    assert!(same(&pages, 13, 23), "the button has the same key");
    assert!(!same(&pages, 16, 26), "rows may be sorted by their words");
}

/// Whether a node of the first page and one of the next, which is another document, have one ref.
fn same_in_documents(pages: [&str; 2], was: u32, is: u32) -> bool {
    let mut run = Run::default();
    let first = run.show(pages[0]);
    run.loader = 100;
    first[&was] == run.show(pages[1])[&is]
}

#[test]
fn a_link_of_the_same_template_keeps_its_ref_under_another_heading() {
    let found = |query: &str, price: &str, target: &str| {
        format!(
            "main #2\n  heading \"Results for {query}\" #3\n  list #4\n    listitem #10\n      link \"Brass lamp\" \
                tag=a href=\"{target}\" #11\n      text \"{price}\" #12\n"
        )
    };
    assert!(same_in_documents([&found("lamp", "$4", "/p/7"), &found("brass", "$5", "/p/7")], 11, 11));
    assert!(
        !same_in_documents([&found("lamp", "$4", "/p/7"), &found("brass", "$5", "/p/8")], 11, 11),
        "what leads elsewhere is another thing"
    );
    // Where two lead there, neither is known by that.
    let twice = found("brass", "$5", "/p/7") + "      link \"Brass lamp\" tag=a href=\"/p/7\" #13\n";
    assert!(!same_in_documents([&found("lamp", "$4", "/p/7"), &twice], 11, 11));
}

#[test]
fn a_link_to_another_language_is_the_same_on_every_page() {
    let page = |here: &str| {
        format!(
            "banner #1\n  navigation \"{here}\" #2\n    link \"Deutsch\" tag=a href=\"/de/{here}\" hreflang=\"de\" \
                #5\n    link \"English\" tag=a href=\"/en/{here}\" hreflang=\"en\" #6\nmain #3\n  heading \"{here}\" \
                #4\n"
        )
    };
    for node in [5, 6] {
        assert!(same_in_documents([&page("rooms"), &page("prices")], node, node));
    }
}

#[test]
fn a_line_of_a_log_that_alone_says_its_words_keeps_its_refs_in_another_document() {
    let log = |lines: [&str; 3]| {
        let line = |(nth, words): (usize, &&str)| {
            format!("    listitem #{nth}1\n      text \"{words}\" #{nth}2\n      button \"Report\" #{nth}3\n")
        };
        format!("main #2\n  log \"Chat\" #3\n{}", lines.iter().enumerate().map(line).collect::<String>())
    };
    assert!(same_in_documents(
        [&log(["Hello", "Two seats left?", "No"]), &log(["Good day", "Hello", "Two seats left?"])],
        13,
        23,
    ));
    assert!(!same_in_documents([&log(["Hello", "Yes", "No"]), &log(["Maybe", "Who knows", "Never"])], 13, 13));
}

#[test]
fn another_page_in_the_same_language_keeps_no_refs_by_place() {
    let one = in_language("de", 1, "Zimmer", ["Speichern", "Buchen"]);
    let other = in_language("de", 2, "Preise", ["Senden", "Bestellen"]);
    assert!(!same(&[&one, &other], 13, 23));
}

#[test]
fn a_link_that_counts_is_the_same_on_the_next_page() {
    let page = |cart: &str, target: &str| {
        format!("banner #1\n  link \"{cart}\" tag=a href=\"{target}\" #5\nmain #3\n  heading \"{cart}\" #4\n")
    };
    assert!(same_in_documents([&page("Cart, 1 item", "/cart"), &page("Cart, 2 item", "/cart")], 5, 5));
    assert!(
        !same_in_documents([&page("Cart, 1 item", "/cart"), &page("Cart, 2 item", "/basket")], 5, 5),
        "what leads elsewhere is another thing"
    );
}

#[test]
fn a_link_of_a_navigation_keeps_its_ref_wherever_that_stands() {
    fn page(here: &str, node: u32) -> String {
        // Boxes of one shape, with other words and links on each page.
        let other = format!("      link \"{here}\" tag=a href=\"/{here}\" #10\n    text \"{here}\" #6\n");
        format!(
            "main #2\n  heading \"{here}\" #4\n  generic tag=div #7\n    navigation \"You are here\" tag=nav #3\n      \
             link \"Board\" tag=a href=\"/board\" #{node}\n{other}  generic tag=div #8\n    \
             navigation \"Parts\" tag=nav #9\n      text \"None\" #11\n"
        )
    }
    let same = |page: fn(&str, u32) -> String| {
        let mut run = Run { url: "https://test.test/one", ..Run::default() };
        let first = run.show(&page("Sprint 4", 5));
        (run.loader, run.url) = (100, "https://test.test/two");
        first[&5] == run.show(&page("Sprint 5", 5))[&5]
    };
    assert!(same(page));
    // What a page is about may lead to the same place for another reason.
    assert!(!same(|here, node| page(here, node).replace("navigation", "region").replace("tag=nav", "tag=section")));
}

#[test]
fn a_row_of_which_most_is_new_keeps_none_of_its_refs() {
    let rota = |shifts: [&str; 5]| {
        let cells: String =
            (0..5).map(|at| format!("        button \"{}\" tag=button #{}\n", shifts[at], 20 + at)).collect();
        format!("main #2\n  table #3\n    rowgroup #4\n      row tag=tr #5\n        cell \"Elin\" tag=td #6\n{cells}")
    };
    let nights = ["Early", "Early", "Night", "Early", "Early"];
    assert!(!same_in_documents([&rota(nights), &rota(nights)], 22, 22), "the one that says a word alone");
    let all = ["Early", "Late", "Night", "Off", "Sick"];
    assert!(same_in_documents([&rota(all), &rota(all)], 22, 22));
}
