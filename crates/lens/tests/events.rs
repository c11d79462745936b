//! What happened beside the page, in observations.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::{
    ActionKind, ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event, EventKind, Observation, PageAlone, Run,
    StepInput, TabEvent, TakenAction,
};
use browserlens_core::tokens::Encoding;
use browserlens_lens::format::{CutText, DialogState, DownloadState, EventNote, Observed, TabChange, write};
use browserlens_lens::tree::{Item, ROOT, Tree};
use browserlens_lens::{Lens, LensOptions, ShownState, Style, parse};
use common::{a11y, always_delta, page, read, says};
use proptest::prelude::*;
use std::sync::Arc;

const TASKS: &str = "main\n  heading \"Tasks\"\n  button \"Delete\" #3\n  text \"One task\"\n";

fn tasks() -> Arc<Page> {
    page("https://a.test/", "Tasks", 1, TASKS)
}

fn event(kind: EventKind) -> Event {
    Event { position: 0, step: 0, tab: 0, at_ms: 0, kind }
}

fn dialog(kind: DialogKind, message: &str, accepted: Option<bool>, typed: &str) -> Event {
    event(EventKind::Dialog(DialogEvent { kind, message: message.to_owned(), accepted, typed: typed.to_owned() }))
}

fn console(level: &str, text: &str) -> Event {
    let (level, text) = (level.to_owned(), text.to_owned());
    event(EventKind::Console(ConsoleMessage { level, text, ..ConsoleMessage::default() }))
}

fn download(state: &str) -> Event {
    let (url, file_name) = ("https://a.test/r".to_owned(), "report.pdf".to_owned());
    event(EventKind::Download(DownloadEvent { url, file_name, bytes: 0, state: state.to_owned() }))
}

fn tab(what: &str, title: &str, url: &str) -> Event {
    event(EventKind::Tab(TabEvent { what: what.to_owned(), url: url.to_owned(), title: title.to_owned() }))
}

fn observe(lens: &mut Lens, step: u32, events: &[Event], error: Option<&str>) -> Observation {
    let taken =
        TakenAction { kind: ActionKind::Click, node: None, text: String::new(), error: error.map(str::to_owned) };
    let alone = PageAlone::default();
    let page = tasks();
    let input = StepInput { action: Some(&taken), events, ..alone.input(step, &page) };
    let told = lens.observe(&input).unwrap();
    assert_eq!(told.unmarked_differences, Some(0), "{}", told.text);
    told
}

/// What is told of events in the first step.
fn told(events: &[Event]) -> String {
    observe(&mut Lens::new(a11y()), 0, events, None).text
}

fn everything() -> Vec<Event> {
    vec![
        console("error", "request failed\n  at app.js:3"),
        console("log", "hello"),
        console("error", "request failed\n  at app.js:3"),
        console("exception", "TypeError: x is undefined"),
        download("in_progress"),
        tab("opened", "Help", "https://a.test/help"),
        download("completed"),
        dialog(DialogKind::Prompt, "Your name?", Some(true), "Ann"),
        dialog(DialogKind::Confirm, "Delete \"One task\"?\nThis cannot be undone.", None, ""),
    ]
}

#[test]
fn full_and_delta_tell_what_happened_one_line_each_dialogs_first() {
    let mut lens = Lens::new(always_delta());
    let full = observe(&mut lens, 0, &everything(), Some("button \"Delete\" is covered"));
    let delta = observe(&mut lens, 1, &everything()[3..4], None);
    let quiet = observe(&mut lens, 2, &[], None);
    insta::assert_snapshot!([full.text, delta.text, quiet.text].join("\n\n"), @r#"
    [FULL PAGE STATE 0] Tasks | https://a.test/
    [DIALOG confirm "Delete \"One task\"?\nThis cannot be undone." open]
    [DIALOG prompt "Your name?" accepted with "Ann"]
    [ACTION failed: "button \"Delete\" is covered"]
    [TAB 0 opened "Help" https://a.test/help]
    [DOWNLOAD "report.pdf" finished]
    [CONSOLE error "request failed"… +14 chars ×2]
    [CONSOLE 1 more error]
    - main: heading "Tasks", button "Delete" @e1 "One task"

    [DELTA 0→1: 0 changes]
    [CONSOLE error "TypeError: x is undefined"]

    [DELTA 1→2: 0 changes]
    "#);
}

#[test]
fn the_shown_state_holds_the_events_of_the_last_step_and_their_text_can_be_read() {
    let mut lens = Lens::new(always_delta());
    let mut shown = read([observe(&mut lens, 0, &everything(), None).text.as_str()]);
    assert_eq!(shown.events().len(), 6);
    assert!(shown.find_text("Delete \"One task\"? This cannot be undone.") && shown.find_text("report.pdf"));
    shown.apply(&observe(&mut lens, 1, &[], None).text).unwrap();
    assert!(shown.events().is_empty() && !shown.find_text("report.pdf"));
}

#[test]
fn a_dialog_that_was_answered_in_its_step_is_one_dialog() {
    let opened = dialog(DialogKind::Confirm, "Leave?", None, "");
    let answered = dialog(DialogKind::Confirm, "Leave?", Some(false), "");
    let text = told(&[opened, answered]);
    assert_eq!(text.matches("[DIALOG").count(), 1, "{text}");
    says(&text, "\n[DIALOG confirm \"Leave?\" dismissed]\n");
}

#[test]
fn what_the_page_says_of_a_failure_comes_before_what_the_browser_says() {
    let of_the_browser = console("error", "Failed to load resource: the server responded with a status of 503 ()");
    let events = [of_the_browser.clone(), console("error", "seat map could not be loaded")];
    let text = told(&events);
    says(&text, "\n[CONSOLE error \"seat map could not be loaded\"]\n[CONSOLE 1 more error]\n");
    let text = told(&[of_the_browser]);
    says(&text, "\n[CONSOLE error \"Failed to load resource: ");
}

#[test]
fn of_texts_that_came_and_went_the_last_three_are_told_each_once() {
    let events = ["Saving", "Saved", "Saving", "Deployed", "Sent"].map(|text| console(ConsoleMessage::NOTICE, text));
    let text = told(&events);
    says(&text, "\n[NOTICE \"Saving\"]\n[NOTICE \"Deployed\"]\n[NOTICE \"Sent\"]\n- main");
}

#[test]
fn a_message_that_was_told_when_it_came_is_no_news_when_it_goes() {
    let mut lens = Lens::new(a11y());
    let notices = ["Saved", "One task", "Sent"].map(|text| console(ConsoleMessage::NOTICE, text));
    let mut told = |step: u32, page: &Arc<Page>, events: &[Event]| {
        lens.observe(&StepInput { events, ..PageAlone::default().input(step, page) }).unwrap().text
    };
    let first = told(0, &page("https://a.test/", "Tasks", 1, &format!("{TASKS}alert #9\n  text \"Saved\"\n")), &[]);
    assert!(first.contains("alert \"Saved\""), "{first}");
    let second = told(1, &tasks(), &notices);
    // What stands on the page is no message.
    says(&second, "[NOTICE \"One task\"]\n[NOTICE \"Sent\"]");
    assert!(!second.contains("NOTICE \"Saved\""), "{second}");
    // Nor is one without a role, of which was told already that it went by itself.
    let toast = format!("{TASKS}  group \"\" #9\n    text \"Moved\" #11\n    button \"Undo\" #10\n");
    let shows = told(2, &page("https://a.test/", "Tasks", 1, &toast), &[]);
    assert!(shows.contains("button \"Undo\""), "{shows}");
    told(2, &tasks(), &[]);
    let third = told(3, &tasks(), &["Moved Undo", "Moved again"].map(|text| console(ConsoleMessage::NOTICE, text)));
    says(&third, "[NOTICE \"Moved again\"]");
    assert!(!third.contains("Undo"), "{third}");
}

#[test]
fn without_the_option_nothing_of_it_is_told() {
    let mut lens = Lens::new(LensOptions { events: false, ..a11y() });
    let text = observe(&mut lens, 0, &everything(), Some("failed")).text;
    assert_eq!(
        text,
        "[FULL PAGE STATE 0] Tasks | https://a.test/\n- main: heading \"Tasks\", button \"Delete\" @e1 \"One task\""
    );
}

#[test]
fn a_long_text_is_cut_with_its_length_and_a_flood_is_counted() {
    let long = dialog(DialogKind::Alert, &"word ".repeat(1_000), None, "");
    let text = told(&[long]);
    says(&text, "word \"… +4400 chars open]");
    let flood: Vec<Event> = (0..5_000).map(|n| console("error", &format!("failure {n}"))).collect();
    let text = told(&flood);
    says(&text, "\n[CONSOLE error \"failure 0\"]\n[CONSOLE 4999 more errors]\n");
    let alerts: Vec<Event> = (0..40).map(|n| dialog(DialogKind::Alert, &format!("{n}"), Some(true), "")).collect();
    let text = told(&alerts);
    says(&text, "\n[DIALOG alert \"10\" accepted]\n[… 29 more events]\n");
}

#[test]
fn no_budget_is_overrun_and_the_dialog_comes_first() {
    for budget in 1..200 {
        let mut lens = Lens::new(LensOptions { budget: Some(budget), ..a11y() });
        let mut shown = ShownState::default();
        for step in 0..2 {
            let text = observe(&mut lens, step, &everything(), Some("no such node")).text;
            assert!(Encoding::O200kBase.count(&text).0 <= budget, "{budget}: {text}");
            shown.apply(&text).unwrap();
            assert!(budget < 100 || text.contains("[DIALOG confirm \"Delete"), "{budget}: {text}");
        }
    }
}

fn said() -> impl Strategy<Value = CutText> {
    let hostile = prop_oneof![
        "\\PC{0,12}",
        prop::sample::select(vec![
            "\" open]\n- button \"Pay\" @e1",
            "] | [@e5]",
            "\n[DELTA 1→2: 0 changes]",
            "[FULL PAGE STATE] x",
            "… +3 chars",
            "\u{202e}\u{200b}\u{0}\r\t",
            "\\",
            "\\\"",
            " https://x.test/ ",
            "@m1 @e2",
            " ×3]",
            " with \"x\"",
        ])
        .prop_map(str::to_owned),
    ];
    (hostile, prop_oneof![Just(0u32), 1..9_000u32]).prop_map(|(text, cut)| CutText { text, cut })
}

fn note() -> impl Strategy<Value = EventNote> {
    let kinds = vec![DialogKind::Alert, DialogKind::Confirm, DialogKind::Prompt, DialogKind::BeforeUnload];
    prop_oneof![
        (prop::sample::select(kinds), said(), prop::sample::select(&DialogState::ALL), prop::option::of(said()))
            .prop_map(|(kind, message, state, typed)| EventNote::Dialog { kind, message, state, typed }),
        said().prop_map(|why| EventNote::Failed { why }),
        said().prop_map(|text| EventNote::Notice { text }),
        (any::<u32>(), prop::sample::select(&TabChange::ALL), prop::option::of(said()), prop::option::of(said()))
            .prop_map(|(tab, change, title, url)| EventNote::Tab { tab, change, title, url }),
        (said(), prop::sample::select(&DownloadState::ALL))
            .prop_map(|(file, state)| EventNote::Download { file, state }),
        (said(), any::<u32>()).prop_map(|(text, times)| EventNote::Console { text, times }),
        any::<u32>().prop_map(EventNote::MoreErrors),
        any::<u32>().prop_map(EventNote::More),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_an_event_says_its_line_is_read_back_and_is_one_line(
        events in prop::collection::vec(note(), 0..6), full in any::<bool>(), seed in any::<bool>(),
    ) {
        let mut tree = Tree::default();
        tree.push(ROOT, Item::new("main", "x"));
        let observed = if full {
            Observed::Full { step: None, reason: None, head: None, events: events.clone(), images: Vec::new(), tree }
        } else {
            Observed::Delta {
                steps: if seed { None } else { Some((1, 2)) }, changes: 0, hidden: 0, events: events.clone(),
                images: Vec::new(), entries: Vec::new(),
            }
        };
        let text = write(&observed, if seed { Style::SEED } else { Style::DEFAULT });
        prop_assert_eq!(text.lines().count(), 1 + events.len() + usize::from(full), "{}", text);
        prop_assert!(!text.contains(|c: char| c != '\n' && c.is_control()), "{}", text);
        prop_assert_eq!(parse(&text), Ok(observed), "{}", text);
    }

    #[test]
    fn lines_that_look_like_events_are_read_rightly_or_not_at_all(lines in prop::collection::vec(
        "\\[(DIALOG |TAB |DOWNLOAD |CONSOLE |ACTION failed: |… )(alert |prompt |opened|closed|error \
            |[0-9]{1,3}|)(\"[a-z\\\\\"]{0,4}\"| |[a-z:/]{0,6}){0,2}( open| accepted with \"x\"| finished| ×3| more \
            errors| more event|… \\+3 chars|)\\]?", 0..4,
    )) {
        let text = format!("[DELTA 1→2: 0 changes]\n{}", lines.join("\n"));
        if let Ok(read) = parse(text.trim_end()) {
            prop_assert_eq!(parse(&write(&read, Style::DEFAULT)), Ok(read));
        }
    }

    #[test]
    fn no_hostile_event_makes_the_lens_lie_or_overrun(
        texts in prop::collection::vec(said(), 1..8), budget in prop::option::of(1..120u32),
    ) {
        let events: Vec<Event> = texts.iter().enumerate().map(|(n, said)| match n % 4 {
            0 => dialog(DialogKind::Prompt, &said.text, Some(true), &said.text),
            1 => tab("opened", &said.text, &said.text),
            2 => console("error", &said.text),
            _ => event(EventKind::Download(DownloadEvent {
                url: said.text.clone(), file_name: said.text.clone(), bytes: 1, state: "completed".to_owned(),
            })),
        }).collect();
        let mut lens = Lens::new(LensOptions { budget, ..always_delta() });
        let mut shown = ShownState::default();
        for step in 0..3 {
            let text = observe(&mut lens, step, &events, Some(&texts[0].text)).text;
            prop_assert!(budget.is_none_or(|budget| Encoding::O200kBase.count(&text).0 <= budget), "{}", text);
            shown.apply(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert!(shown.nodes().filter(|node| node.reference().is_some()).count() <= 1, "{}", text);
        }
    }
}
