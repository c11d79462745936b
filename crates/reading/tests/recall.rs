//! How often what is found holds the answer, over pages that retrieval was tuned on: never those
//! whose questions it is measured by.

use browserlens_core::strategy::StepIndex;
use browserlens_core::tokens::Encoding;
use browserlens_reading::embed::Lexical;
use browserlens_reading::retrieval::{By, Index, SearchOptions, answer, for_page, rank};
use browserlens_reading::{Cut, Extraction, extract};
use browserlens_trace::Trace;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Trace, step, question, and words of the page that answer it; none where the page does not say.
#[rustfmt::skip]
const QUESTIONS: &[(&str, u32, &str, &str)] = &[
    ("live-last-minute-ticket", 1, "How much does a balcony seat cost?", "Balcony 9 £43.00"),
    ("live-last-minute-ticket", 1, "What is the lowest ask for the front stalls?", "Front stalls 6 £92.50"),
    ("live-last-minute-ticket", 1, "How do I get home late by public transport?", "Line 4 stops at Corrie Hall every \
        eight minutes"),
    ("live-last-minute-ticket", 1, "What is the standby price for the circle?", "Circle for £64.00 a seat"),
    ("live-last-minute-ticket", 1, "When do the doors open?", "doors 19:30"),
    ("live-last-minute-ticket", 1, "Who is performing tonight?", "The Marlow Lanterns play"),
    ("live-last-minute-ticket", 1, "Are there fees on top of the price?", "all fees included"),
    ("live-last-minute-ticket", 1, "What did the last ticket for River Derby standing sell for?", "River Derby \
        Standing £41.50"),
    ("live-last-minute-ticket", 1, "Where can I read about refunds?", "Refunds"),
    ("live-last-minute-ticket", 1, "Is the seat map available?", "The seat map is not available right now"),
    ("live-last-minute-ticket", 1, "How is the weather in the mountains?", ""),
    ("results-find-the-archive-entry", 1, "Who lent the eared chest?", "Piers Lockyer"),
    ("results-find-the-archive-entry", 1, "How heavy is it?", "316 g"),
    ("results-find-the-archive-entry", 1, "In what condition is the chest?", "lid lost"),
    ("results-find-the-archive-entry", 1, "On which day is the archive open?", "Open on Tuesdays"),
    ("intl-book-a-room", 0, "עד מתי מוגשת ארוחת הבוקר?", "ארוחת בוקר עד אחת עשרה"),
    ("intl-book-a-room", 0, "מאיזה גיל ילדים משלמים?", "ילדים עד גיל שש לנים ואוכלים חינם"),
    ("intl-book-a-room", 0, "Welches Wort steht im Keller auf einem Schild?", "Aufzugsnotrufknopfbeschriftungsschild"),
    ("intl-book-a-room", 0, "con mèo tên là gì", "Con mèo tên là Mướp"),
    ("intl-book-a-room", 0, "朝食のパンはどうでしたか", "朝食の焼きたてパンがとても美味しかったです"),
    ("intl-book-a-room", 2, "كم سعر غرفة عائلية مطلة على البحر؟", "1,240"),
    ("intl-book-a-room", 2, "كم مساحة جناح المنارة", "96 م²"),
    ("intl-book-a-room", 6, "キャンセルはいつまで無料ですか", "2026年3月11日18時までは無料です"),
    ("intl-book-a-room", 6, "観光税はいくらですか", "観光税AED 45を含みます"),
    ("spa-plan-a-release", 0, "How many points is the card about offline tide tables?", "5 points"),
    ("spa-plan-a-release", 0, "Which card is about a crash of the anchor alarm?", "Crash when the anchor alarm rings \
        twice"),
    ("spa-plan-a-release", 0, "How many cards of release 4.2 are done?", "5 of 8 cards done"),
    ("spa-plan-a-release", 0, "Which plan does the workspace have?", "Plan: Crew"),
    ("spa-plan-a-release", 0, "Can people log in without a password?", "Sign in with a passkey"),
    ("spa-plan-a-release", 0, "What does the caterer charge for lunch?", ""),
    ("sheet-budget-and-dashboard", 9, "When is the bill of Kestrel Couriers due?", "Kestrel Couriers 17 Nov"),
    ("sheet-budget-and-dashboard", 9, "How many invoices are late?", "3 of them overdue"),
    ("sheet-budget-and-dashboard", 9, "Who approved the invoice of Osprey Insurance?", "Ines Falk approved"),
    ("sheet-budget-and-dashboard", 9, "How many people work here on average?", "219"),
    ("login-wrong-then-right", 5, "How much money came in this month?", "€2,820.00"),
    ("login-wrong-then-right", 5, "How many hours have not been billed?", "31.5"),
    ("login-wrong-then-right", 5, "Which invoice did Ostrava Ceramics pay?", "FW-2217"),
    ("login-wrong-then-right", 5, "How old is the oldest quote?", "12 days"),
    ("table-correct-an-entry", 0, "What is the total use?", "7,552,056 kWh"),
    ("table-correct-an-entry", 0, "How many readings are estimates?", "1,425"),
    ("table-correct-an-entry", 0, "Which meter does Olga Jansma have?", "MK-70767 Olga Jansma"),
    ("table-correct-an-entry", 0, "When was the import finished?", "finished December 31 2025"),
    ("hostile-moderate-a-post", 3, "How many decisions were appealed yesterday?", "31 of 44 were appealed"),
    ("tiny-newsletter-signup", 0, "Who repairs bicycles in Lisbon?", ""),
];

fn words(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    answered: usize,
    asked: usize,
    made_up: usize,
    unanswerable: usize,
    tokens: u64,
    of: u64,
}

fn tally(by: By, pages: &HashMap<(&str, u32), Extraction>, missed: &mut Vec<String>) -> Tally {
    let mut tally = Tally::default();
    for (trace, step, question, expected) in QUESTIONS {
        let page = &pages[&(*trace, *step)];
        let hits = rank(page, question, &SearchOptions { by, ..SearchOptions::default() }).expect("ranks");
        let text = answer(question, &hits);
        if expected.is_empty() {
            tally.unanswerable += 1;
            tally.made_up += usize::from(!hits.is_empty());
            continue;
        }
        // Languages without spaces have no words to compare.
        let holds = |text: &str| words(text).contains(&words(expected)) || text.contains(expected);
        assert!(holds(&page.full_text), "{question}: not on the page");
        tally.asked += 1;
        if holds(&text) {
            tally.answered += 1;
        } else {
            missed.push(format!("######## {question}\n{text}\n"));
        }
        tally.tokens += u64::from(Encoding::O200kBase.count(&text).0);
        tally.of += u64::from(Encoding::O200kBase.count(&page.full_text).0);
    }
    tally
}

fn pages() -> HashMap<(&'static str, u32), Extraction> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut pages = HashMap::new();
    for (name, step, ..) in QUESTIONS {
        pages.entry((*name, *step)).or_insert_with(|| {
            let trace = Trace::open(folder.join(format!("{name}.trace"))).expect("a bundled trace");
            extract(&trace.page(StepIndex(*step)).expect("a page").0, Cut::default())
        });
    }
    pages
}

#[test]
fn what_is_found_answers_most_questions_at_a_part_of_the_cost() {
    let pages = pages();
    let measured = |by| {
        let mut missed = Vec::new();
        let tally = tally(by, &pages, &mut missed);
        println!("{by:?} {tally:?} {:.1}% of tokens", 100.0 * tally.tokens as f64 / tally.of as f64);
        if std::env::var("SHOW").is_ok_and(|show| show == format!("{by:?}")) {
            println!("{}", missed.join("\n"));
        }
        tally
    };
    let (words, vectors, fused) = (measured(By::Bm25), measured(By::Vectors), measured(By::Fused));
    assert!(words.answered * 100 >= words.asked * 90 && vectors.answered * 100 >= vectors.asked * 75);
    assert!(fused.answered * 100 >= fused.asked * 90, "{fused:?}");
    assert!(fused.tokens * 100 <= fused.of * 15, "{fused:?}");
}

#[test]
fn a_page_in_memory_and_in_a_file_give_the_same_answers() {
    for ((name, step), page) in pages() {
        let mut index = Index::in_memory(Arc::new(Lexical::default())).expect("opens");
        index.add(&page.url, &page.sections, &[]).expect("adds");
        for (_, _, question, _) in QUESTIONS.iter().filter(|(trace, at, ..)| (*trace, *at) == (name, step)) {
            for by in [By::Bm25, By::Vectors, By::Fused] {
                let options = SearchOptions { by, ..SearchOptions::default() };
                let filed = index.search(question, &for_page(&page, &options)).expect("searches");
                let mine = rank(&page, question, &options).expect("ranks");
                assert_eq!(answer(question, &mine), answer(question, &filed), "{name} {step} {question} {by:?}");
            }
        }
    }
}
