use super::*;
use crate::engine::plan;
use browserlens_knowledge::gaps::HoleCount;

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces")
}

fn tiny() -> Vec<TracePlan> {
    plan(&[traces().join("tiny-newsletter-signup.trace")], &traces().join("scenarios")).expect("opens")
}

/// The smallest site with its variants, copied, so that it can be spoiled.
fn copied(spoil: impl FnOnce(&Path)) -> Result<BTreeMap<String, KnownInfo>, ReplayError> {
    let folder = tempfile::tempdir().expect("a folder");
    let variants = folder.path().join(VARIANTS);
    std::fs::create_dir(&variants).expect("made");
    for name in ["tiny-newsletter-signup.trace", LABELS] {
        std::fs::copy(traces().join(name), folder.path().join(name)).expect("copied");
    }
    for entry in std::fs::read_dir(traces().join(VARIANTS)).expect("variants").flatten() {
        if entry.file_name().to_string_lossy().starts_with("tiny-") {
            std::fs::copy(entry.path(), variants.join(entry.file_name())).expect("copied");
        }
    }
    spoil(folder.path());
    let plans =
        plan(&[folder.path().join("tiny-newsletter-signup.trace")], &traces().join("scenarios")).expect("opens");
    let cache = folder.path().join("cache");
    let measured = run(&plans, &cache, &Cache::open(&cache))?;
    let again = run(&plans, &cache, &Cache::open(&cache))?;
    assert_eq!(measured, again, "the cache says the same");
    Ok(measured)
}

#[test]
fn a_scenario_is_measured_with_its_variants_and_without_labels_not_at_all() {
    let found = copied(|_| {}).expect("measures");
    let info = &found["tiny/newsletter-signup"];
    assert_eq!(info.recordings, 4);
    assert_eq!((info.whole.pages, info.steps.pages), (24, 24));
    // The page of thanks, whose heading ends with the reader's name, is known by the words that
    // begin it; nothing is taken for another.
    assert_eq!((info.whole.asked, info.whole.right, info.whole.wrong), (24, 23, 0));
    assert!(info.gaps.holes > 10 && info.gaps.recovered > 0, "{info:?}");
    assert_eq!(info.translated.actions, info.translated.browser_use);
    assert_eq!(
        copied(|folder| std::fs::remove_file(folder.join(LABELS)).expect("removed")).expect("nothing"),
        BTreeMap::new()
    );
    let alone = copied(|folder| std::fs::remove_dir_all(folder.join(VARIANTS)).expect("removed")).expect("measures");
    assert_eq!(alone["tiny/newsletter-signup"].recordings, 1);
    assert_eq!(alone["tiny/newsletter-signup"].gaps, HoleCount::default());
    assert_eq!(scenario("a/b/c"), "a/b");
    assert_eq!(scenario("a/b"), "a/b");
    assert_eq!(tiny().len(), 1);
}

#[test]
fn a_variant_that_is_damaged_newer_or_without_labels_is_an_error_that_names_it() {
    let name = "tiny-newsletter-signup-other-order.trace";
    let change = |change: &dyn Fn(&mut Vec<u8>)| {
        copied(|folder| {
            let path = folder.join(VARIANTS).join(name);
            let mut bytes = std::fs::read(&path).expect("read");
            change(&mut bytes);
            std::fs::write(path, bytes).expect("written");
        })
        .expect_err("spoiled")
    };
    let half = change(&|bytes| bytes.truncate(bytes.len() / 2));
    assert!(half.to_string().contains(name), "{half}");
    let newer = change(&|bytes| bytes[60..64].copy_from_slice(&99_u32.to_be_bytes()));
    assert!(newer.to_string().contains(name) && newer.to_string().contains("99"), "{newer}");
    let unlabelled = copied(|folder| {
        let path = folder.join(LABELS);
        let text = std::fs::read_to_string(&path).expect("read");
        std::fs::write(path, text.replace("newsletter-signup/other-order", "newsletter-signup/other"))
            .expect("written");
    })
    .expect_err("a recording without labels");
    assert!(unlabelled.to_string().contains(LABELS), "{unlabelled}");
    assert!(unlabelled.to_string().contains("other-order"), "{unlabelled}");
}
