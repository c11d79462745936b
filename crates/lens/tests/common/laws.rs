//! Promises of the lens that one page or a few are enough to check.
//!
//! In: nothing, or the sizes of a page. Out: an error in words where a promise is broken. Tests
//! call these as they are, and again with a deliberate bug.

use super::{a11y, observe, page, try_observe};
use browserlens_core::page::capture::ChangedAlone;
use browserlens_core::page::{NodeKey, Page, SecondLook};
use browserlens_core::strategy::{
    DialogEvent, DialogKind, Event, EventKind, Observation, PageAlone, Request, Run, StepInput,
};
use browserlens_core::tokens::Encoding;
use browserlens_lens::differ::{FilterPass, SemanticFilter};
use browserlens_lens::extract::Grade;
use browserlens_lens::reference::{Reference, unmarked_differences};
use browserlens_lens::router::{SignalCache, Signals};
use browserlens_lens::{Lens, LensOptions, Representation, ShownState};
use std::collections::BTreeSet;
use std::sync::Arc;

pub type Holds = Result<(), String>;

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Holds {
    if holds { Ok(()) } else { Err(why()) }
}

const CART: &str = r#"
main
  heading "Cart"
  button "Pay" disabled
  text "Total 42.00"
  list "Items"
    listitem
      link "Lamp"
      text "12.00"
    listitem
      link "Desk"
      text "30.00"
"#;

/// What a reader of a text owes to the cart.
pub fn differences(text: &str) -> u32 {
    let page = page("https://a.test/", "Shop", 1, CART);
    let mut shown = ShownState::default();
    shown.apply(text).unwrap();
    unmarked_differences(&shown, &Reference::of(&page, Representation::A11y, Grade::All, 0))
}

pub const TOLD: &str = r#"[FULL PAGE STATE] Shop | https://a.test/
- main: heading "Cart", button "Pay" @e1 disabled, "Total 42.00"
  - list "Items":
    - listitem: link "Lamp" @e2 "12.00"
    - listitem: link "Desk" @e3 "30.00""#;

pub fn every_kind_of_lie_is_counted() -> Holds {
    for (truth, lie) in [
        ("Shop |", "Shops |"),
        ("a.test/", "b.test/"),
        ("\"Cart\"", "\"Basket\""),
        (" disabled", ""),
        (" disabled", " disabled focused"),
        ("42.00", "41.00"),
        ("\"Pay\" @e1", "\"Pay\""),
        ("\"Pay\" @e1 disabled", "\"Pay\" @e1 disabled value: \"1\""),
        ("link \"Lamp\" @e2 \"12.00\"", "link \"Lamp\" @e2"),
        (", \"Total 42.00\"", ""),
        (", \"Total 42.00\"", ", \"Total 42.00\", \"extra\""),
        ("\n    - listitem: link \"Desk\" @e3 \"30.00\"", ""),
        ("\n    - listitem: link \"Desk\" @e3 \"30.00\"", "\n    - … 2 more items @m1"),
        ("\"Total 42.00\"", "\"Tot\"… +7 chars @m1"),
        ("button \"Pay\" @e1 disabled", "button \"Pay\" @e1 volatile"),
    ] {
        let text = TOLD.replacen(truth, lie, 1);
        assert_ne!(text, TOLD, "{truth}");
        ensure(differences(&text) > 0, || format!("not counted: {truth} → {lie}"))?;
    }
    Ok(())
}

/// A list of which each item says its number, under a budget, and the first mark of it.
fn list(items: u32, budget: u32) -> (Lens, ShownState, Arc<Page>) {
    let mut outline = String::from("main\n  heading \"Results\"\n  list \"All\"\n");
    for item in 1..=items {
        outline += &format!("    listitem\n      link \"Product {item}\"\n      text \"${item}.99\"\n");
    }
    let page = page("https://shop.test/", "Shop", 1, &outline);
    let mut lens = Lens::new(LensOptions { budget: Some(budget), ..a11y() });
    let mut shown = ShownState::default();
    shown.apply(&observe(&mut lens, 0, &page).text).unwrap();
    (lens, shown, page)
}

fn products(shown: &ShownState) -> BTreeSet<u32> {
    let links = shown.nodes().filter(|node| node.role() == "link");
    links.filter_map(|node| node.name().strip_prefix("Product ")?.parse().ok()).collect()
}

/// `more @m1 31-142` brings these items and no others: all of them, or the first of them where the
/// budget is too small for all, and never none while there is room for one.
pub fn more_brings_what_was_asked_for(items: u32, budget: u32, from: u32, to: u32) -> Holds {
    let (mut lens, mut shown, page) = list(items, budget);
    let before = products(&shown);
    let marks: Vec<_> = shown.elided().into_iter().filter(|mark| mark.count.is_some_and(|count| count > 1)).collect();
    let [mark] = marks.as_slice() else { return Ok(()) };
    let (handle, count) = (mark.handle.unwrap().to_string(), mark.count.unwrap());
    // Items are cut from the end.
    let first = items - count + 1;
    ensure(before == (1..first).collect(), || format!("shown before: {before:?}"))?;
    let (from, to) = (from.min(count), to.min(count));
    let request = Request::More { handle, from, to };
    let answer = lens.request(&request).map_err(|error| error.to_string())?;
    let text = &answer.text;
    ensure(Encoding::O200kBase.count(text).0 <= budget, || format!("over a budget of {budget}:\n{text}"))?;
    shown.apply(text).map_err(|error| format!("{error}:\n{text}"))?;
    let owed = unmarked_differences(&shown, &Reference::of(&page, Representation::A11y, Grade::All, 0));
    ensure(owed == 0, || format!("{owed} differences after\n{text}"))?;
    let brought: Vec<u32> = products(&shown).difference(&before).copied().collect();
    let asked: Vec<u32> = (first + from - 1..first + to).collect();
    ensure(!brought.is_empty() && asked.starts_with(&brought), || {
        format!("asked for {asked:?}, brought {brought:?}:\n{text}")
    })?;
    let refs: BTreeSet<String> = answer.refs.iter().map(|target| target.handle.clone()).collect();
    let all_act = shown.nodes().filter_map(|node| node.reference()).all(|shown| refs.contains(&shown.to_string()));
    ensure(all_act, || format!("a ref that leads nowhere:\n{text}"))
}

/// `expand @m1`, again and again, brings everything; each answer keeps to the budget.
pub fn expanding_brings_everything(items: u32, budget: u32) -> Holds {
    let (mut lens, mut shown, _) = list(items, budget);
    for _ in 0..=items {
        let Some(handle) = shown.elided().first().and_then(|mark| mark.handle) else { break };
        let answer =
            lens.request(&Request::Expand { handle: handle.to_string() }).map_err(|error| error.to_string())?;
        let text = &answer.text;
        ensure(Encoding::O200kBase.count(text).0 <= budget, || format!("over a budget of {budget}:\n{text}"))?;
        shown.apply(text).map_err(|error| format!("{error}:\n{text}"))?;
    }
    ensure(products(&shown) == (1..=items).collect() && shown.elided().is_empty(), || {
        format!("shown at last: {:?}, elided: {:?}", products(&shown), shown.elided())
    })
}

/// What must not be missed is shown where there is room for a part of the page alone.
pub fn an_alert_comes_before_the_rest() -> Holds {
    let links: String = (0..80).map(|n| format!("  link \"Topic number {n}\"\n")).collect();
    for urgent in
        ["alert\n  text \"The card was refused\"\n", "dialog \"The card was refused\" modal\n  button \"OK\"\n"]
    {
        let page = page("https://a.test/", "Pay", 1, &format!("main\n{links}{urgent}"));
        let mut lens = Lens::new(LensOptions { budget: Some(100), ..a11y() });
        let told = observe(&mut lens, 0, &page).text;
        let shown = told.contains("The card was refused") && told.contains("more item");
        ensure(shown, || told)?;
    }
    Ok(())
}

/// One kind of noise: the pass that knows it, and a page on which only it changes.
pub struct Noise {
    pub pass: FilterPass,
    /// What is on the page, given what changes, what an alert in it says and the states of a button
    /// in it.
    around: fn(&str, &str, &str) -> String,
    /// What changes by itself.
    values: [&'static str; 4],
}

pub const NOISE: [Noise; 6] = [
    Noise {
        pass: FilterPass::Evidence,
        around: |says, alert, button| format!("group \"Room\" #50\n  text \"{says}\" #51\n{alert}{button}"),
        values: ["Ada is here", "Ben is here", "Cleo is here", "Dora is here"],
    },
    Noise {
        pass: FilterPass::Timers,
        around: |says, alert, button| format!("timer #50\n  text \"{says}\" #51\n{alert}{button}"),
        values: ["Ends in 0:59", "Ends in 0:47", "Ends in 0:12", "Ends in 0:05"],
    },
    Noise {
        pass: FilterPass::Onlookers,
        around: |says, alert, button| format!("group \"Visitors\" #50\n  text \"{says}\" #51\n{alert}{button}"),
        values: ["998 people are here", "1,004 people are here", "999 people are here", "31 people are here"],
    },
    Noise {
        pass: FilterPass::Carousels,
        around: |says, alert, button| {
            format!("group \"Deals\" aria-roledescription=carousel #50\n  text \"{says}\" #51\n{alert}{button}")
        },
        values: ["Summer sale", "New shoes", "Free delivery", "Last chance"],
    },
    Noise {
        pass: FilterPass::Ads,
        around: |says, alert, button| {
            format!("group \"Partner\" class=\"ad slot\" #50\n  text \"{says}\" #51\n{alert}{button}")
        },
        values: ["Buy a car", "Drink more water", "Sleep better", "Fly away"],
    },
    Noise {
        pass: FilterPass::Scroll,
        around: |says, alert, button| {
            format!("group \"Article\" #50\n  progressbar \"Reading progress\" value=\"{says}\" #51\n{alert}{button}")
        },
        values: ["1", "35", "80", "95"],
    },
];

impl Noise {
    fn page(&self, step: usize, alert: &str, button: &str) -> Arc<Page> {
        let alert = if alert.is_empty() { String::new() } else { format!("  alert #52\n    text \"{alert}\" #53\n") };
        let button = format!("  button \"Bid\" {button}#54\n");
        let links: String = (0..20).map(|n| format!("link \"Topic number {n}\" #{}\n", 100 + n)).collect();
        let around = (self.around)(self.values[step], &alert, &button);
        page("https://a.test/", "Noise", 1, &format!("heading \"Auction\" #2\n{links}{around}"))
    }

    /// Looks that saw it change, for the pass that asks for evidence.
    fn look(&self) -> SecondLook {
        let changed = |backend| ChangedAlone {
            key: NodeKey { frame: 1, loader: 1, backend },
            fields: vec!["text".to_owned(), "value".to_owned()],
        };
        let changed =
            if self.pass == FilterPass::Evidence { vec![changed(51), changed(53), changed(54)] } else { Vec::new() };
        SecondLook { waited_ms: 10_000, changed, ..SecondLook::default() }
    }

    /// The texts of four steps in which it changed, under a filter.
    pub fn told(&self, filter: SemanticFilter, alerts: [&str; 4], buttons: [&str; 4]) -> Vec<String> {
        let mut lens = Lens::new(LensOptions { filter, ..a11y() });
        let mut tell = |step: usize| {
            let page = self.page(step, alerts[step], buttons[step]);
            let told = try_observe(&mut lens, step as u32, &page, Some(&self.look())).unwrap();
            assert_eq!(told.unmarked_differences, Some(0), "{}", told.text);
            told.text
        };
        (0..4).map(&mut tell).collect()
    }

    fn all_but(&self) -> SemanticFilter {
        SemanticFilter { passes: FilterPass::ALL.into_iter().filter(|pass| *pass != self.pass).collect() }
    }
}

/// Back on a page that it knows, a reader is told what changed there since.
pub fn a_known_page_is_told_from_what_was_shown_of_it() -> Holds {
    let listing = |last: &str| {
        let rows: String = (0..30).map(|n| format!("  link \"Topic number {n}\" #{}\n", 100 + n)).collect();
        page("https://a.test/list", "Topics", 1, &format!("main #2\n{rows}  text \"{last}\" #90\n"))
    };
    let topic = page("https://a.test/topic", "Topic", 2, "main #2\n  text \"All there is to say of it.\" #3\n");
    let pages = [listing("30 topics"), topic, listing("31 topics, one of them new")];
    let mut lens = Lens::new(a11y());
    let mut shown = ShownState::default();
    for (step, page) in pages.iter().enumerate() {
        let told = try_observe(&mut lens, step as u32, page, None).map_err(|error| error.to_string())?;
        shown.apply(&told.text).map_err(|error| format!("{error}\n{}", told.text))?;
        let reference = Reference::of(page, Representation::A11y, Grade::All, 0);
        ensure(unmarked_differences(&shown, &reference) == 0, || told.text.clone())?;
        ensure(step < 2 || told.text.starts_with("[DELTA 0→2, "), || told.text.clone())?;
    }
    Ok(())
}

/// Each pass alone hides its noise, counts it and marks it once.
pub fn a_pass_hides_counts_and_marks_its_noise(noise: &Noise) -> Holds {
    let told = noise.told(SemanticFilter { passes: vec![noise.pass] }, [""; 4], [""; 4]);
    ensure(told[3] == "[DELTA 2→3, 1 volatile hidden]", || told.join("\n\n"))?;
    let marked = told.iter().filter(|text| text.contains("\nVOLATILE: ")).count();
    ensure(marked == 1, || told.join("\n\n"))
}

/// Without its pass the noise is told, with or without the others.
pub fn a_pass_that_is_off_hides_nothing() -> Holds {
    for noise in &NOISE {
        for filter in [noise.all_but(), SemanticFilter::default()] {
            let told = noise.told(filter, [""; 4], [""; 4]);
            // What a timer, a carousel or an advertisement says changed in front of nobody's second
            // look.
            for (step, text) in told.iter().enumerate().skip(1) {
                let new = noise.values[step];
                ensure(text.contains(new) && !text.contains("hidden"), || format!("{:?}: {text}", noise.pass))?;
            }
        }
    }
    Ok(())
}

/// An error in the noise, and the button that it disables, are told; so are states of what says
/// something else each time.
pub fn noise_that_matters_survives() -> Holds {
    for noise in &NOISE {
        let name = noise.pass.name();
        let alerts = ["", "", "You were outbid", "The auction is closed"];
        let buttons = ["", "", "disabled ", ""];
        let told = noise.told(SemanticFilter::all(), alerts, buttons);
        for (step, says) in [(2, "You were outbid"), (3, "The auction is closed")] {
            ensure(told[step].contains(says), || format!("{name}: {}", told[step]))?;
        }
        let mut shown = ShownState::default();
        for (step, text) in told.iter().enumerate() {
            shown.apply(text).map_err(|error| error.to_string())?;
            let button = shown.nodes().find(|node| node.name() == "Bid").unwrap();
            ensure(button.has_state("disabled") != buttons[step].is_empty() && !button.is_volatile(), || text.clone())?;
        }
    }
    // A state that changes together with what a pass knows is told.
    let bar = |value: u32, disabled: bool| {
        let links: String = (0..20).map(|n| format!("link \"Topic number {n}\" #{}\n", 100 + n)).collect();
        let state = if disabled { "disabled " } else { "" };
        let row = format!("progressbar \"Reading progress\" {state}value=\"{value}\" #51\n");
        page("https://a.test/", "Noise", 1, &format!("{links}{row}"))
    };
    let mut lens = Lens::new(a11y());
    observe(&mut lens, 0, &bar(1, false));
    observe(&mut lens, 1, &bar(2, false));
    let told = try_observe(&mut lens, 2, &bar(3, true), None).map_err(|error| error.to_string())?.text;
    ensure(told.contains("+disabled"), || told)
}

fn with_event(lens: &mut Lens, page: &Arc<Page>, events: &[Event]) -> Observation {
    let alone = PageAlone::default();
    let input = StepInput { events, ..alone.input(0, page) };
    lens.observe(&input).unwrap()
}

pub fn what_happened_beside_the_page_is_told() -> Holds {
    let dialog = DialogEvent {
        kind: DialogKind::Confirm,
        message: "Delete it?".to_owned(),
        accepted: None,
        typed: String::new(),
    };
    let event = Event { position: 0, step: 0, tab: 0, at_ms: 0, kind: EventKind::Dialog(dialog) };
    let page = page("https://a.test/", "Shop", 1, CART);
    for budget in [None, Some(60), Some(1_500)] {
        let text =
            with_event(&mut Lens::new(LensOptions { budget, ..a11y() }), &page, std::slice::from_ref(&event)).text;
        let mut shown = ShownState::default();
        shown.apply(&text).map_err(|error| error.to_string())?;
        ensure(shown.find_text("Delete it?"), || text)?;
    }
    Ok(())
}

pub fn another_document_is_read_again() -> Holds {
    let mut cache = SignalCache::default();
    let of = |loader, role: &str| page("https://a.test/", "", loader, &format!("{role}\n").repeat(40));
    let (first, second) = (of(1, "button \"b\""), of(2, "generic clickable"));
    cache.signals(&first, None);
    ensure(cache.signals(&second, None) == Signals::of(&second, None), || "signals of another document".to_owned())
}
