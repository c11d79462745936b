//! Traces of real Playwright releases, made here on the bundled sites, import as what our own
//! recorder records of the same scenario.

#![expect(clippy::print_stdout, reason = "how alike the pages are, for those who run it by hand")]

mod common;

use browserlens_core::strategy::EventFilter;
use browserlens_trace::scenario::Scenario;
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
    let requests =
        theirs.events(&EventFilter { kinds: vec!["request".to_owned()], ..EventFilter::default() }, None, 10_000);
    assert!(!requests.expect("events").is_empty());
    assert_alike(&recorded(&scenario, folder.path()), &theirs);
}

#[test]
fn the_newest_release_imports_as_we_would_record_it() {
    shop_with(&newest(), 10);
}

#[test]
#[ignore = "needs older releases: ./just playwrights"]
fn older_releases_import_as_we_would_record_it() {
    for (release, version) in
        [("1.63.0", 9), ("1.58.0", 8), ("1.50.1", 7), ("1.40.1", 6), ("1.39.0", 5), ("1.33.0", 4), ("1.30.0", 3)]
    {
        println!("release {release}, version {version}");
        shop_with(&older(release), version);
    }
}

#[test]
fn frames_shadow_trees_and_state_come_through() {
    let start = "/harbour/releases/4-1-4";
    let text = format!(
        "name = \"spa/part\"\ngoal = \"write the notes\"\nwhy = \"frames and shadow trees\"\nsite = \"spa\"\nstart = \
            \"{start}\"\n\
         [[step]]\nclick = {{ role = \"tab\", name = \"Rollout\" }}\n\
         [[step]]\ncheck = {{ role = \"switch\", name = \"Staged rollout\" }}\nchecked = true\n\
         [[step]]\nclick = {{ role = \"tab\", name = \"Notes\" }}\n\
         [[step]]\nfill = {{ role = \"textbox\", name = \"Release notes\" }}\ntext = \"Fixes the anchor alarm.\"\n\
         [[step]]\nclick = {{ role = \"tab\", name = \"Overview\" }}\n"
    );
    let scenario = Scenario::parse(&text, Path::new("part.toml")).expect("a scenario");
    let mut given = said(&scenario, &format!("http://spa.test{start}"));
    // The driver has to be told which frame the field is in.
    given["steps"][3]["frame"] = serde_json::json!("iframe");
    given["aria"] = serde_json::json!(true);
    let folder = tempfile::tempdir().expect("folder");
    let zip = folder.path().join("spa.zip");
    driven(&newest(), "spa", &given, &zip);
    let (made, theirs) = imported(&zip, &folder.path().join("out"));
    assert_eq!((made.steps, made.with_node), (6, 5), "{:?}", made.origin.gaps);
    let ours = recorded(&scenario, folder.path());
    // What Playwright's own accessibility trees have, the rendered pages have: some names of it are
    // painted in capitals.
    let lacking: Vec<_> = made.origin.gaps.iter().filter(|gap| gap.contains("accessibility tree")).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
    let painted = |trace| common::page(trace, 0).nodes().any(|node| node.name() == "SAVED FILTERS");
    assert!(painted(&ours) && painted(&theirs));
    assert_alike(&ours, &theirs);
}
