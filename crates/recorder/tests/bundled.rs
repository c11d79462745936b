//! The bundled scenarios: each records, with every fact readable, and twice alike.

mod common;

use browserlens_recorder::{RecordOptions, record};
use browserlens_scenario::Scenario;
use browserlens_trace::Trace;
use common::sites;

async fn twice_alike(name: &str) {
    let path = sites().join("../scenarios").join(format!("{name}.toml"));
    let scenario = Scenario::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut traces = Vec::new();
    for round in 0..2 {
        let out = folder.path().join(format!("{round}.trace"));
        let report = record(&scenario, &RecordOptions::new(sites(), &out)).await;
        let report = report.unwrap_or_else(|error| panic!("{error}\nhint: {}", error.hint()));
        assert_eq!(report.steps.len(), scenario.steps.len() + 1);
        assert!(report.steps.iter().all(|step| step.settled.quiet && step.torn_retries == 0), "{:?}", report.steps);
        traces.push(Trace::open(&out).expect("opens"));
    }
    common::assert_same(&traces[0], &traces[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn login_records_twice_alike() {
    twice_alike("login/wrong-then-right").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shop_records_twice_alike() {
    twice_alike("shop/laptop-to-cart").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn docs_record_twice_alike() {
    twice_alike("docs/combine-three-documents").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sheet_records_twice_alike() {
    twice_alike("sheet/budget-and-dashboard").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn live_records_twice_alike() {
    twice_alike("live/last-minute-ticket").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tiny_records_twice_alike() {
    twice_alike("tiny/newsletter-signup").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_in_the_spa_records_twice_alike() {
    twice_alike("spa/plan-a-release").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_off_in_the_spa_records_twice_alike() {
    twice_alike("spa/sign-off-a-release").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn table_records_twice_alike() {
    twice_alike("table/correct-an-entry").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_appointment_in_the_portal_records_twice_alike() {
    twice_alike("portal/move-a-patient-appointment").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_in_the_portal_records_twice_alike() {
    twice_alike("portal/offer-for-a-shift").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_record_twice_alike() {
    twice_alike("results/find-the-archive-entry").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn intl_records_twice_alike() {
    twice_alike("intl/book-a-room").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn board_records_twice_alike() {
    twice_alike("board/reserve-a-desk").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_pages_record_twice_alike() {
    twice_alike("hostile/moderate-a-post").await;
}

/// A scenario that is added must be recorded here too.
#[test]
fn every_bundled_scenario_is_among_them() {
    let this = include_str!("bundled.rs");
    for scenario in Scenario::load_all(&sites().join("../scenarios")).expect("scenarios") {
        assert!(this.contains(&format!("twice_alike(\"{}\")", scenario.name)), "{} is missing", scenario.name);
    }
}
