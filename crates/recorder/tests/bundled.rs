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
