//! Routers inside a lens: what they are told, and what a change of representation costs.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::strategy::{ObservationKind, Request, Run};
use browserlens_lens::extract::Grade;
use browserlens_lens::router::{Route, Router, Signals, Tier};
use browserlens_lens::{Lens, LensOptions, Representation, RouterKind};
use common::{observe, page, says};
use std::sync::{Arc, Mutex};

/// Remembers what it was told, and takes turns.
struct TakesTurns(Arc<Mutex<Vec<Option<Representation>>>>);

impl Router for TakesTurns {
    fn route(&self, _signals: &Signals, shown: Option<Representation>) -> Route {
        let mut told = self.0.lock().unwrap();
        told.push(shown);
        let representation = if told.len() % 2 == 1 { Representation::A11y } else { Representation::Dom };
        Route::new(representation, "its turn")
    }
}

fn told_over_three_steps(delta: bool) -> (Vec<Option<Representation>>, Vec<String>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let options = LensOptions { delta, ..LensOptions::default() };
    let mut lens = Lens::with_router(options, Box::new(TakesTurns(Arc::clone(&told))));
    let page = page("https://a.test/", "A", 1, "main\n  button \"Go\"\n  text \"Hello\"");
    let kinds = (0..3)
        .map(|step| match observe(&mut lens, step, &page).kind {
            ObservationKind::Full { reason } => reason,
            _ => "delta".to_owned(),
        })
        .collect();
    let told = told.lock().unwrap().clone();
    (told, kinds)
}

#[test]
fn a_router_of_ones_own_is_told_what_was_shown_where_a_delta_could_follow_it() {
    let (told, kinds) = told_over_three_steps(true);
    assert_eq!(told, [None, Some(Representation::A11y), Some(Representation::Dom)]);
    assert_eq!(kinds, ["first observation", "delta", "delta"]);
    let (told, _) = told_over_three_steps(false);
    assert_eq!(told, [None, None, None], "without deltas a change costs nothing");
}

/// A page whose dialog makes everything behind it inert to the accessibility tree.
fn with_dialog(open: bool) -> Arc<browserlens_core::page::Page> {
    use browserlens_core::page::{Clickability, Flags, NodeSpec, PageBuilder};
    let mut builder = PageBuilder::new("https://a.test/board", "Board");
    builder.document(1, 1);
    for (at, name) in ["One", "Two", "Three", "Four"].into_iter().enumerate() {
        let backend = at as u32 + 10;
        let inert = NodeSpec { flags: Flags::AX_IGNORED, clickability: Clickability::POINTER, ..NodeSpec::default() };
        builder.open(NodeSpec { backend, ..if open { inert } else { NodeSpec::with_role("button", name) } });
        builder.text(name);
        builder.close();
    }
    if open {
        builder.open(NodeSpec { backend: 50, ..NodeSpec::with_role("dialog", "Sure?") });
        builder.leaf(NodeSpec { backend: 51, ..NodeSpec::with_role("button", "Yes") });
        builder.close();
    }
    Arc::new(builder.finish())
}

fn representations(router: RouterKind) -> Vec<String> {
    let mut lens = Lens::new(LensOptions { router, ..LensOptions::default() });
    [false, true, false]
        .into_iter()
        .enumerate()
        .map(|(step, open)| observe(&mut lens, step as u32, &with_dialog(open)).representation.unwrap())
        .collect()
}

#[test]
fn a_dialog_makes_the_seeds_rule_change_twice_and_the_cost_router_never() {
    assert_eq!(representations(RouterKind::Heuristic), ["a11y", "hybrid", "a11y"]);
    assert_eq!(representations(RouterKind::Cost), ["a11y", "a11y", "a11y"]);
}

#[test]
fn a_tier_bends_the_router_and_leaves_a_fixed_representation_alone() {
    let page = page("https://a.test/", "A", 1, "main\n  button \"Go\"");
    let shown = |options: LensOptions| observe(&mut Lens::new(options), 0, &page).representation.unwrap();
    let tiered = |tier| shown(LensOptions { tier: Some(tier), ..LensOptions::default() });
    assert_eq!((tiered(Tier::Small).as_str(), tiered(Tier::Large).as_str()), ("a11y", "dom"));
    let fixed = LensOptions { tier: Some(Tier::Large), ..common::a11y() };
    assert_eq!(shown(fixed), "a11y");
}

/// Reads pages without a control as an accessibility tree, all others as distilled DOM.
struct ByControls;

impl Router for ByControls {
    fn route(&self, signals: &Signals, _: Option<Representation>) -> Route {
        let representation = if signals.interactive == 0 { Representation::A11y } else { Representation::Dom };
        Route::new(representation, "by its controls")
    }
}

#[test]
fn another_document_ends_what_was_widened_in_whatever_way_it_is_shown() {
    let options = LensOptions { grade: Grade::Text, delta: false, ..LensOptions::default() };
    let mut lens = Lens::with_router(options, Box::new(ByControls));
    let form = page("https://a.test/", "A", 1, "main\n  text \"Hello\"\n  textbox \"Name\"");
    let other = page("https://b.test/", "B", 2, "main\n  text \"Nothing to fill\"");
    let first = observe(&mut lens, 0, &form).text;
    let (_, mark) = first.split_once("@m").unwrap_or_else(|| panic!("nothing is left out:\n{first}"));
    let handle = format!("@m{}", mark.split(|c: char| !c.is_ascii_digit()).next().unwrap());
    let whole = lens.request(&Request::Expand { handle }).unwrap().text;
    says(&whole, "textbox \"Name\"");
    says(&observe(&mut lens, 1, &form).text, "textbox \"Name\"");
    assert_eq!(observe(&mut lens, 2, &other).representation.as_deref(), Some("a11y"));
    let again = observe(&mut lens, 3, &form).text;
    assert!(!again.contains("textbox") && again.contains("@m"), "{again}");
}
