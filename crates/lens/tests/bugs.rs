//! That the tests bite: with a deliberate bug in the lens the property that guards against it
//! fails, and without it the same cases pass.
#![cfg(deliberate_bugs)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_lens::bugs::{Bug, with};
use common::attack::{hostile, observe_all, options};
use common::laws;
use common::witness::{self, budget, lines, story};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Most cases that a bug may hide from.
const CASES: u32 = 64;

/// A property, run over cases that are the same each time; the error is the first case that breaks
/// it, in words.
type Property = fn(u32) -> Result<(), String>;

fn run<S: Strategy>(
    cases: u32,
    cases_of: S,
    holds: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), String> {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng).run(&cases_of, holds).map_err(|error| error.to_string())
}

fn reference(cases: u32) -> Result<(), String> {
    run(cases, (story(), any::<bool>()), witness::is_the_reference)
}

fn budgets(cases: u32) -> Result<(), String> {
    run(cases, (story(), budget(), 0..8usize, any::<bool>()), witness::holds_under_budgets)
}

fn filters(cases: u32) -> Result<(), String> {
    run(cases, (story(), 0..8usize), witness::holds_under_filters)
}

fn names(cases: u32) -> Result<(), String> {
    run(cases, (story(), 3..40usize, 0..8usize), witness::cuts_names_and_brings_them_back)
}

fn again(cases: u32) -> Result<(), String> {
    run(cases, (story(), budget()), witness::says_nothing_twice)
}

fn parser(cases: u32) -> Result<(), String> {
    run(cases * 16, lines(), witness::refuses_without_a_trace)
}

fn attacks(cases: u32) -> Result<(), String> {
    let cases_of = (prop::collection::vec(hostile(), 10..14), prop::sample::select(options()));
    run(cases, cases_of, |(texts, options)| observe_all(&texts, &options))
}

fn lies(_: u32) -> Result<(), String> {
    laws::every_kind_of_lie_is_counted()
}

fn requests(cases: u32) -> Result<(), String> {
    run(cases, (10..60u32, 90..200u32, 1..40u32, 0..6u32), |(items, budget, from, more)| {
        laws::more_brings_what_was_asked_for(items, budget, from, from + more).map_err(TestCaseError::fail)
    })
}

fn bases(_: u32) -> Result<(), String> {
    laws::a_known_page_is_told_from_what_was_shown_of_it()
}

fn ranks(_: u32) -> Result<(), String> {
    laws::an_alert_comes_before_the_rest()
}

fn noise(_: u32) -> Result<(), String> {
    laws::noise_that_matters_survives()
}

fn switches(_: u32) -> Result<(), String> {
    laws::a_pass_that_is_off_hides_nothing()
}

fn events(_: u32) -> Result<(), String> {
    laws::what_happened_beside_the_page_is_told()
}

fn signals(_: u32) -> Result<(), String> {
    laws::another_document_is_read_again()
}

/// Where a bug must be seen.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    /// In the lens as it is: its own check of a text does not see such bugs, or says so.
    AsItIs,
    /// Where the lens does not check its texts: else it sends another right text instead.
    PastTheCheck,
    /// In both.
    Both,
}
use Seen::{AsItIs, Both, PastTheCheck};

/// Every bug, the property that must see it, and where.
const GUARDS: &[(Bug, Property, Seen)] = &[
    (Bug::BlindReference, lies, AsItIs),
    (Bug::ShowsHidden, reference, Both),
    (Bug::DropsText, reference, Both),
    (Bug::LosesRefs, reference, Both),
    (Bug::HidesUnmarked, budgets, Both),
    (Bug::CountsOneMore, budgets, Both),
    (Bug::CutsOneShort, names, Both),
    (Bug::DropsChange, reference, Both),
    (Bug::DropsOff, reference, Both),
    (Bug::DropsRemoved, reference, Both),
    (Bug::MisplacesMoved, reference, Both),
    (Bug::Misorders, reference, Both),
    (Bug::DropsFocus, reference, Both),
    (Bug::DropsPage, reference, Both),
    (Bug::WrongBase, bases, Both),
    (Bug::FoldsWrongRow, reference, Both),
    (Bug::LeavesQuotes, attacks, Both),
    (Bug::LeavesRefs, attacks, Both),
    (Bug::LeavesLineEnds, attacks, Both),
    (Bug::LeavesUnseen, attacks, Both),
    (Bug::LeavesBrackets, attacks, Both),
    (Bug::OverBudget, budgets, Both),
    (Bug::Rebinds, reference, Both),
    (Bug::TrustsAlike, reference, Both),
    (Bug::DuplicateRef, reference, Both),
    (Bug::ReusesNumbers, reference, Both),
    (Bug::WrongTarget, reference, Both),
    (Bug::ReusesHandles, budgets, Both),
    (Bug::ForgetsHandles, again, Both),
    (Bug::HidesSilently, filters, Both),
    (Bug::HidesUrgent, filters, Both),
    (Bug::HidesStates, noise, AsItIs),
    (Bug::IgnoresSwitches, switches, AsItIs),
    (Bug::RanksUrgentLast, ranks, AsItIs),
    (Bug::BringsOthers, requests, Both),
    (Bug::DropsEvents, events, Both),
    (Bug::AppliesHalf, parser, AsItIs),
    (Bug::StaleSignals, signals, AsItIs),
];

/// Whether a property fails under bugs; a panic is a failure too.
fn sees(bugs: &[Bug], property: Property) -> bool {
    with(bugs, || std::panic::catch_unwind(|| property(CASES)).map_or(true, |seen| seen.is_err()))
}

fn check(part: usize, parts: usize) {
    let mut unseen = Vec::new();
    for (bug, property, seen) in GUARDS.iter().skip(part).step_by(parts) {
        if *seen != PastTheCheck && !sees(&[*bug], *property) {
            unseen.push(format!("{bug:?}"));
        }
        if *seen != AsItIs && !sees(&[*bug, Bug::BlindCheck], *property) {
            unseen.push(format!("{bug:?} past the check"));
        }
    }
    assert_eq!(unseen, Vec::<String>::new(), "bugs that no test sees");
}

#[test]
fn every_bug_is_seen_one() {
    check(0, 2);
}

#[test]
fn every_bug_is_seen_two() {
    check(1, 2);
}

#[test]
fn every_bug_has_a_guard() {
    let guarded: std::collections::HashSet<Bug> = GUARDS.iter().map(|(bug, ..)| *bug).collect();
    let known: std::collections::HashSet<Bug> = Bug::all().filter(|bug| *bug != Bug::BlindCheck).collect();
    assert_eq!(guarded, known);
}

#[test]
fn without_bugs_the_same_cases_pass() {
    let mut known: Vec<Property> = Vec::new();
    for (_, property, _) in GUARDS {
        if !known.iter().any(|known| std::ptr::fn_addr_eq(*known, *property)) {
            known.push(*property);
            assert_eq!(property(CASES), Ok(()));
        }
    }
}

/// With a blind check and no bug all is well: what the properties see above is the bug, not the
/// blindness.
#[test]
fn the_blind_check_alone_breaks_nothing() {
    for property in [reference, budgets, filters, names, again, attacks] {
        assert_eq!(with(&[Bug::BlindCheck], || property(16)), Ok(()));
    }
}

/// The check of the lens itself turns a wrong delta into a full observation, or says that it cannot
/// be sent.
#[test]
fn the_lens_itself_sees_a_wrong_text_before_it_is_sent() {
    for bug in
        [Bug::DropsChange, Bug::DropsOff, Bug::DropsRemoved, Bug::MisplacesMoved, Bug::DropsFocus, Bug::DropsPage]
    {
        let seen = with(&[bug], || reference(CASES)).unwrap_err();
        assert!(seen.contains("a delta did not pass the check before"), "{bug:?}: {seen}");
    }
}
