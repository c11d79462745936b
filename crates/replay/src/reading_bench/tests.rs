//! Recall over a ranking that is made up, and the bundled questions over the recorded pages.

use super::*;
use browserlens_core::page::{PageBuilder, visible_text};
use browserlens_reading::{Cut, extract};
use browserlens_trace::scenario::Wording;

/// Finds always the same sections in the same order.
struct MadeUp {
    sections: Vec<&'static str>,
}

impl Way for MadeUp {
    fn name(&self) -> &str {
        "made up"
    }

    fn replies(&self, _page: &AskedPage<'_>, _question: &str) -> Result<[Reply; DEPTH], String> {
        Ok(std::array::from_fn(|at| Reply {
            text: self.sections.iter().take(at + 1).copied().collect::<Vec<_>>().join("\n---\n"),
            found: !self.sections.is_empty(),
        }))
    }
}

fn question(id: &str, text: Option<&str>) -> Question {
    Question {
        id: id.to_owned(),
        step: 3,
        ask: "What is it?".to_owned(),
        words: Wording::Other,
        text: text.map(str::to_owned),
        held_out: false,
        near: false,
        relevance: false,
    }
}

fn prepared(page: &Page) -> AskedPage<'_> {
    ways::prepare(page, ways::read(page), &BoilerplateIndex::default()).expect("prepares")
}

fn ask_made_up(sections: &[&'static str], answer: Option<&str>) -> ReadInfo {
    let page = PageBuilder::outline("main\n  text \"one\"");
    let way = MadeUp { sections: sections.to_vec() };
    let question = question("q", answer);
    let words = |text: &str| text.split_whitespace().count() as u64;
    let mut infos = ask(&[&way], 3, &prepared(&page), &[&question], &words).expect("asks");
    assert_eq!((infos.len(), infos[0].ways.len(), infos[0].step), (1, 1, 3));
    assert_eq!(infos[0].answerable, answer.is_some());
    infos.remove(0).ways.remove(0)
}

const SECTIONS: [&str; 6] =
    ["Weight 2 kg", "Up to 9 hours", "Ports | two", "Camera none at all", "fifth of them", "sixth of them"];

/// The depths, from 1, at which an answer was there.
fn told_at(read: &ReadInfo) -> Vec<usize> {
    read.told.iter().enumerate().filter(|(_, told)| **told).map(|(at, _)| at + 1).collect()
}

#[test]
fn an_answer_is_there_from_the_depth_of_its_section_on() {
    let depths = |answer: &str| told_at(&ask_made_up(&SECTIONS, Some(answer)));
    assert_eq!(depths("Weight 2 kg"), [1, 2, 3, 4, 5]);
    assert_eq!(depths("Camera none at"), [4, 5]);
    assert_eq!(depths("fifth of them"), [5]);
    assert_eq!(depths("sixth of them"), [0; 0], "what is beyond the depth is not read");
    assert_eq!(depths("none of these"), [0; 0]);
}

/// Shows less of each section the more there are.
struct Shares;

impl Way for Shares {
    fn name(&self) -> &str {
        "shares"
    }

    fn replies(&self, _page: &AskedPage<'_>, _question: &str) -> Result<[Reply; DEPTH], String> {
        let texts = ["Up to 9 hours of use", "Up to 9 | Weight", "Up to | Weight 2 kg", "Up | W", ""];
        Ok(texts.map(|text| Reply { text: text.to_owned(), found: !text.is_empty() }))
    }
}

#[test]
fn an_answer_that_more_sections_push_out_is_there_only_before() {
    let page = PageBuilder::outline("main\n  text \"one\"");
    let questions = [question("hours", Some("9 hours of")), question("weight", Some("Weight 2 kg"))];
    let infos = ask(&[&Shares], 3, &prepared(&page), &questions.each_ref(), &|_| 1).expect("asks");
    assert_eq!(told_at(&infos[0].ways[0]), [1]);
    assert_eq!(told_at(&infos[1].ways[0]), [3]);
    assert!(!infos[0].ways[0].found, "told of the deepest answer");
}

#[test]
fn tokens_are_those_of_the_answer_at_each_depth_and_nothing_found_is_said_so() {
    let read = ask_made_up(&SECTIONS, Some("Weight 2 kg"));
    // Three words, then four more and the line between, and so on.
    assert_eq!((read.tokens, read.found), ([3, 8, 12, 17, 21], true));
    let nothing = ask_made_up(&[], Some("Weight 2 kg"));
    assert_eq!((nothing.told, nothing.tokens, nothing.found), ([false; DEPTH], [0; DEPTH], false));
}

#[test]
fn a_question_that_the_page_does_not_answer_is_never_told_whatever_is_found() {
    let read = ask_made_up(&SECTIONS, None);
    assert_eq!((read.told, read.found), ([false; DEPTH], true));
}

#[test]
fn an_answer_is_told_however_its_parts_are_joined_but_not_by_parts_of_words() {
    let told = |text: &str, answer: &str| Words::of(text).tell(&Words::of(answer));
    assert!(told("| Storage | 1 TB |\n+ $110.00 more", "1 TB + $110.00"));
    assert!(told("the producer gets\nTRN-2110\nfor anything", "gets TRN-2110 for"));
    assert!(!told("11 TB + $110.00", "1 TB + $110.00"));
    assert!(!told("1 TB of it + $110.00", "1 TB + $110.00"));
    assert!(!told("weight 1.82 kg", "Weight 1.82 kg"));
}

#[test]
fn every_answer_stands_on_its_recorded_page_and_in_at_most_three_sections() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut asked, mut wrong) = (0, Vec::new());
    for path in crate::find_traces(&root.join("traces")).expect("lists") {
        let plan = TracePlan::open(&path, &root.join("traces/scenarios")).expect("opens");
        let of_trace = asked;
        pages(&plan, folder.path(), |step, page, questions| {
            if questions.is_empty() {
                return Ok(());
            }
            let text = visible_text(page).split_whitespace().collect::<Vec<_>>().join(" ");
            let extraction = extract(page, Cut::default());
            for question in questions {
                asked += 1;
                let Some(answer) = &question.text else { continue };
                let places = text.matches(answer.as_str()).count();
                let words = Words::of(answer);
                let sections = extraction.sections.iter();
                let sections = sections.filter(|section| Words::of(&section.text()).tell(&words)).count();
                if !(1..=3).contains(&places) || !(1..=3).contains(&sections) {
                    let id = &question.id;
                    wrong.push(format!(
                        "{} step {step}, {id}: {places} times, {sections} sections: {answer:?}",
                        plan.id
                    ));
                }
            }
            Ok(())
        })
        .expect("loads");
        assert_eq!(asked - of_trace, plan.scenario.questions.len(), "{}: every question is asked", plan.id);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(asked >= 66 + 8, "{asked}");
}

/// Prints what the report's table is made of.
#[test]
fn most_bundled_questions_are_answered_and_the_cache_gives_what_was_measured() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::open(folder.path());
    let mut all = Vec::new();
    for path in crate::find_traces(&root.join("traces")).expect("lists") {
        let plan = TracePlan::open(&path, &root.join("traces/scenarios")).expect("opens");
        let ask = || run(&plan, folder.path(), &cache, Encoding::O200kBase, Tokenizer::Fast).expect("asks");
        let infos = ask();
        assert_eq!(infos, ask(), "{}: the same from the cache", plan.id);
        all.extend(infos.into_iter().map(|info| (plan.id.clone(), info)));
    }
    let of_site = |site: &str| -> Vec<_> {
        let asked = all.iter().filter(|(_, info)| info.answerable);
        asked.filter(|(trace, info)| if info.held_out { site == "held out" } else { trace.starts_with(site) }).collect()
    };
    let found = |site: &str, way: usize, depth: usize| {
        of_site(site).iter().filter(|(_, info)| info.ways[way].told[depth - 1]).count()
    };
    for (at, way) in all[0].1.ways.iter().enumerate() {
        for site in ["", "docs", "portal", "shop", "held out"] {
            let tokens: u64 = of_site(site).iter().map(|(_, info)| info.ways[at].tokens[2]).sum();
            let pages: u64 = of_site(site).iter().map(|(_, info)| info.page).sum();
            let counts = [1, 3, 5].map(|depth| found(site, at, depth));
            println!("{} {site}: {counts:?} of {}; {tokens} of {pages} tokens", way.way, of_site(site).len());
        }
    }
    for (trace, info) in of_site("").iter().filter(|(_, info)| !info.ways[0].told[2]) {
        println!("missed {trace}#{} {:?}", info.id, info.ways.iter().map(told_at).collect::<Vec<_>>());
    }
    let made_up = all.iter().filter(|(_, info)| !info.answerable);
    made_up.for_each(|(trace, info)| println!("made up {trace}#{}: {}", info.id, info.ways[0].found));
    assert_eq!(all[0].1.ways[0].way, FUSED);
    assert!(found("", 0, 3) > found("", 0, 1), "three sections answer more than one");
    assert!(found("", 0, 3) * 2 > of_site("").len(), "most are answered");
}
