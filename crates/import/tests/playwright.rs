//! Traces of real Playwright releases, made here on the bundled sites, import as what our own recorder records of the same scenario.

mod common;

use browserlens_scenario::Scenario;
use browserlens_strategy::EventFilter;
use common::{assert_alike, driven, imported, newest, older, recorded, root, said};
use std::path::Path;

fn scenario(name: &str) -> Scenario {
    Scenario::load(&root().join("traces/scenarios").join(name)).expect("a bundled scenario")
}

/// The shop's scenario under one release.
fn shop_with(core: &Path, version: u64) {
    let scenario = scenario("shop/laptop-to-cart.toml");
    let folder = tempfile::tempdir().expect("folder");
    let zip = folder.path().join("shop.zip");
    driven(core, "shop", &said(&scenario, "http://shop.test/"), &zip);
    let began = std::time::Instant::now();
    let (made, theirs) = imported(&zip, &folder.path().join("out"));
    println!("{} pages rendered in {:?}", made.steps, began.elapsed());
    assert_eq!(made.origin.format, format!("playwright-trace {version}"));
    assert_eq!((made.steps, made.with_node), (13, 12), "{:?}", made.origin.gaps);
    assert_eq!(theirs.origin().expect("reads").expect("is imported").licence, "CC0-1.0");
    let requests = theirs.events(&EventFilter { kinds: vec!["request".to_owned()], ..EventFilter::default() }, None, 10_000);
    assert!(!requests.expect("events").is_empty());
    assert_alike(&recorded(&scenario, folder.path()), &theirs);
}

#[test]
fn the_newest_release_imports_as_we_would_record_it() {
    shop_with(&newest(), 10);
}

#[test]
#[ignore = "needs older releases: ./just playwrights"]
fn version_8_imports_as_we_would_record_it() {
    shop_with(&older("1.58.0"), 8);
}

#[test]
#[ignore = "needs older releases: ./just playwrights"]
fn version_7_imports_as_we_would_record_it() {
    shop_with(&older("1.50.1"), 7);
}

#[test]
#[ignore = "needs older releases: ./just playwrights"]
fn version_6_imports_as_we_would_record_it() {
    shop_with(&older("1.40.1"), 6);
}

#[test]
#[ignore = "needs older releases: ./just playwrights"]
fn version_4_imports_as_we_would_record_it() {
    shop_with(&older("1.33.0"), 4);
}

#[test]
#[ignore = "needs older releases: ./just playwrights"]
fn version_3_imports_as_we_would_record_it() {
    shop_with(&older("1.30.0"), 3);
}
