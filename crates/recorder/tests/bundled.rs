//! The bundled scenarios: each records, with every fact readable, and twice alike; their variants
//! record as they were kept.

mod common;

use browserlens_core::strategy::{EventFilter, EventKind, StepIndex};
use browserlens_recorder::{LeaveOut, RecordOptions, record};
use browserlens_trace::Trace;
use browserlens_trace::scenario::Scenario;
use common::sites;
use std::panic::AssertUnwindSafe;

/// The script that numbers entities has grown since most were recorded, and does what it did.
fn without_the_script(event: &mut EventKind) {
    if let EventKind::Request(request) = event
        && request.url.ends_with("/_shared/entity.js")
    {
        request.response_bytes = 0;
        request.response_body = None;
        request.response_headers.retain(|(name, _)| name != "content-length");
    }
}

/// Records a scenario once more: what is kept was recorded alike, or, if another Chromium writes it
/// in another way, what is recorded next.
async fn twice_alike(name: &str) {
    let path = sites().join("../scenarios").join(format!("{name}.toml"));
    let scenario = Scenario::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().expect("temporary folder");
    let recorded = async |file: &str| {
        let out = folder.path().join(file);
        let report = record(&scenario, &RecordOptions::new(sites(), &out)).await;
        let report = report.unwrap_or_else(|error| panic!("{error}\nhint: {}", error.hint()));
        assert_eq!(report.steps.len(), scenario.steps.len() + 1);
        assert!(report.steps.iter().all(|step| step.settled.quiet && step.torn_retries == 0), "{:?}", report.steps);
        Trace::open(&out).expect("opens")
    };
    let now = recorded("now.trace").await;
    let kept = Trace::open(sites().join("..").join(format!("{}.trace", name.replace('/', "-")))).expect("is bundled");
    let compare = || common::assert_same_but(&kept, &now, without_the_script);
    if kept.meta().browser == now.meta().browser {
        compare();
        return;
    }
    // Another Chromium most often writes the same; where it does not, it is its own measure.
    if std::panic::catch_unwind(AssertUnwindSafe(compare)).is_err() {
        common::assert_same(&recorded("next.trace").await, &now);
    }
}

/// One test a scenario, or a site.
macro_rules! tests {
    ($all:ident, $record:ident: $($test:ident => $name:literal),+ $(,)?) => {
        const $all: &[&str] = &[$($name),+];
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $test() {
            $record($name).await;
        })+
    };
}

tests!(SCENARIOS, twice_alike:
    login_records_twice_alike => "login/wrong-then-right",
    shop_records_twice_alike => "shop/laptop-to-cart",
    docs_record_twice_alike => "docs/combine-three-documents",
    sheet_records_twice_alike => "sheet/budget-and-dashboard",
    live_records_twice_alike => "live/last-minute-ticket",
    tiny_records_twice_alike => "tiny/newsletter-signup",
    a_plan_in_the_spa_records_twice_alike => "spa/plan-a-release",
    a_sign_off_in_the_spa_records_twice_alike => "spa/sign-off-a-release",
    table_records_twice_alike => "table/correct-an-entry",
    an_appointment_in_the_portal_records_twice_alike => "portal/move-a-patient-appointment",
    an_offer_in_the_portal_records_twice_alike => "portal/offer-for-a-shift",
    results_record_twice_alike => "results/find-the-archive-entry",
    intl_records_twice_alike => "intl/book-a-room",
    board_records_twice_alike => "board/reserve-a-desk",
    hostile_pages_record_twice_alike => "hostile/moderate-a-post",
);

/// Records the variants of a scenario once more: as small as they were kept, and alike.
async fn as_kept(site: &str) {
    let folder = sites().join("../variants");
    let scenarios = Scenario::load_all(&folder.join("scenarios").join(site)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenarios.len(), 3, "other product, other order, an error on the way");
    for scenario in scenarios {
        let temporary = tempfile::tempdir().expect("temporary folder");
        let out = temporary.path().join("again.trace");
        let mut options = RecordOptions::new(sites(), &out);
        options.leave_out = LeaveOut { pictures: true, bodies: true };
        let report = record(&scenario, &options).await;
        report.unwrap_or_else(|error| panic!("{}: {error}\nhint: {}", scenario.name, error.hint()));
        let kept = Trace::open(folder.join(format!("{}.trace", scenario.name.replace('/', "-")))).expect("was kept");
        let again = Trace::open(&out).expect("opens");
        assert_eq!(
            (kept.meta().scenario.as_str(), kept.len()),
            (scenario.name.as_str(), scenario.steps.len() as u32 + 1)
        );
        assert!(kept.is_complete() && again.is_complete());
        let kinds = |trace: &Trace| -> Vec<_> {
            let capture = trace.capture(StepIndex(0)).expect("a capture");
            capture.payloads.iter().map(|payload| payload.kind).collect()
        };
        assert!(kinds(&again).iter().all(|kind| kind.is_text()), "no pictures");
        let requests = EventFilter { kinds: vec!["request".to_owned()], ..EventFilter::default() };
        for event in again.events(&requests, None, 10_000).expect("events") {
            let EventKind::Request(request) = event.kind else { panic!("{event:?}") };
            assert_eq!((request.request_body, request.response_body), (None, None));
        }
        // Another Chromium writes other payloads of the same pages.
        if kept.meta().browser == again.meta().browser {
            common::assert_same(&kept, &again);
        }
    }
}

tests!(SITES, as_kept:
    variants_in_the_shop_record_as_they_were_kept => "shop",
    variants_in_the_portal_record_as_they_were_kept => "portal",
    variants_in_the_docs_record_as_they_were_kept => "docs",
    variants_in_the_spa_record_as_they_were_kept => "spa",
    tiny_variants_record_as_they_were_kept => "tiny",
);

/// A site whose variants are kept must be recorded here too.
#[test]
fn every_site_with_variants_is_among_them() {
    for entry in std::fs::read_dir(sites().join("../variants/scenarios")).expect("lists").flatten() {
        let site = entry.file_name().to_string_lossy().into_owned();
        assert!(SITES.contains(&site.as_str()), "{site} is missing");
    }
}

/// A scenario that is added must be recorded here too.
#[test]
fn every_bundled_scenario_is_among_them() {
    for scenario in Scenario::load_all(&sites().join("../scenarios")).expect("scenarios") {
        assert!(SCENARIOS.contains(&scenario.name.as_str()), "{} is missing", scenario.name);
    }
}
