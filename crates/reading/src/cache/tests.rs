//! Hits, life, space, several users at once, and files that are not as they should be.

use super::*;
use browserlens_core::page::{NodeSpec, PageBuilder};
use proptest::prelude::*;
use tempfile::TempDir;

const NOW: u64 = 1_000_000;
const MINUTE: u64 = 60_000;

fn page(url: &str, text: &str) -> Page {
    let mut builder = PageBuilder::new(url, "Test");
    builder.open(NodeSpec { tag: "h1", ..NodeSpec::default() });
    builder.text("Title");
    builder.close();
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.text(text);
    builder.finish()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pages.cache");
    (folder, path)
}

fn open(path: &Path) -> Cache {
    Cache::open(path, CacheOptions::default()).expect("opens")
}

fn outcome(cache: &mut Cache, page: &Page, now_ms: u64) -> Outcome {
    let reading = cache.read(page, Cut::All, now_ms).expect("reads");
    assert_eq!(reading.extraction, crate::extract(page, Cut::All));
    reading.outcome
}

#[test]
fn the_second_reading_is_a_hit_and_another_content_is_not() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let (first, other) = (page("https://a.test/x", "one"), page("https://a.test/x", "two"));
    assert_eq!(outcome(&mut cache, &first, NOW), Outcome::Miss);
    assert_eq!(outcome(&mut cache, &first, NOW + 1), Outcome::Hit);
    assert_eq!(outcome(&mut cache, &other, NOW + 2), Outcome::Changed);
    assert_eq!(outcome(&mut cache, &first, NOW + 3), Outcome::Hit, "both contents are kept");
    let reading = cache.read_anew(&first, Cut::All, NOW + 4).expect("reads");
    assert_eq!(reading.outcome, Outcome::Bypassed);
    assert_eq!(cache.size().expect("a size").0, 2);
    // It outlives the process.
    drop(cache);
    assert_eq!(outcome(&mut open(&path), &first, NOW + 5), Outcome::Hit);
}

#[test]
fn an_address_that_only_differs_in_where_one_came_from_is_the_same_page() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    assert_eq!(outcome(&mut cache, &page("https://a.test/x", "one"), NOW), Outcome::Miss);
    // The extraction bears the address that was asked for: `outcome` compares it.
    assert_eq!(outcome(&mut cache, &page("https://a.test/x?utm_source=y#part", "one"), NOW), Outcome::Hit);
    assert_eq!(outcome(&mut cache, &page("https://a.test/x?part=2", "one"), NOW), Outcome::Miss);
}

#[test]
fn a_hit_gives_the_sections_that_were_asked_for() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let page = PageBuilder::outline("heading \"a\" level=1\n  text \"a\"\nheading \"b\" level=4 tag=h4\n  text \"b\"");
    assert_eq!(cache.read(&page, Cut::All, NOW).expect("reads").extraction.sections.len(), 2);
    let reading = cache.read(&page, Cut::H3, NOW).expect("reads");
    assert_eq!(reading.extraction, crate::extract(&page, Cut::H3));
    assert_eq!((reading.outcome, reading.extraction.sections.len()), (Outcome::Hit, 1));
}

#[test]
fn past_its_life_an_entry_is_good_only_if_the_page_still_reads_alike() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let page = page("https://a.test/x", "one");
    outcome(&mut cache, &page, NOW);
    assert_eq!(outcome(&mut cache, &page, NOW + 5 * MINUTE), Outcome::Hit);
    assert_eq!(outcome(&mut cache, &page, NOW + 10 * MINUTE + 1), Outcome::Revalidated);
    assert_eq!(outcome(&mut cache, &page, NOW + 15 * MINUTE), Outcome::Hit, "for another life");
}

#[test]
fn by_the_url_alone_an_entry_is_given_for_its_life() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let mut go = |address: &str, text: &str, now| {
        let reading = cache.read(&page("https://a.test/x", text), Cut::All, now).expect("reads");
        cache.visit(address, &reading, now).expect("notes");
    };
    go("https://a.test/x?utm_source=y#top", "one", NOW);
    go("https://a.test/x", "two", NOW + 1);
    // It leads to the same page, and another fragment to another one.
    go("https://a.test/", "two", NOW + 1);
    go("https://a.test/#/cart", "three", NOW + 1);
    let mut latest = |url: &str, now| {
        let found = cache.latest(url, Cut::All, now).expect("asks");
        found.map(|(found, ago)| (found.sections[0].content.clone(), ago))
    };
    assert_eq!(latest("https://A.test:443/x?gclid=1", NOW + 2), Some(("two".to_owned(), 1)));
    assert_eq!(latest("https://a.test/", NOW + 3), Some(("two".to_owned(), 2)));
    assert_eq!(latest("https://a.test/#/cart", NOW + 3), Some(("three".to_owned(), 2)));
    assert_eq!(latest("https://a.test/x", NOW + 1 + 5 * MINUTE + 1), None);
    assert_eq!(latest("https://a.test/y", NOW + 2), None);
    // A page that was read, and that no address led to: that of a trace.
    cache.read(&page("https://a.test/z", "of a trace"), Cut::All, NOW).expect("reads");
    assert_eq!(cache.latest("https://a.test/z", Cut::All, NOW).expect("asks"), None);
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let (_folder, path) = folder();
    let text = "word ".repeat(200);
    let pages: Vec<Page> = (0..4).map(|at| page(&format!("https://a.test/{at}"), &format!("{text}{at}"))).collect();
    let size = Body::of(&crate::extract(&pages[0], Cut::All)).encode().len() as u64;
    let options = CacheOptions { max_bytes: 3 * size + 10, ..CacheOptions::default() };
    let mut cache = Cache::open(&path, options).expect("opens");
    pages[..3].iter().for_each(|page| assert_eq!(outcome(&mut cache, page, NOW), Outcome::Miss));
    assert_eq!(outcome(&mut cache, &pages[0], NOW), Outcome::Hit);
    assert_eq!(outcome(&mut cache, &pages[3], NOW), Outcome::Miss);
    let (entries, bytes) = cache.size().expect("a size");
    assert!(entries == 3 && bytes <= options.max_bytes);
    assert_eq!(outcome(&mut cache, &pages[0], NOW), Outcome::Hit, "it was used");
    assert_eq!(outcome(&mut cache, &pages[1], NOW), Outcome::Miss, "it was not");
    // What is larger than all the space is read, and not kept.
    let large = page("https://a.test/large", &text.repeat(4));
    assert_eq!(outcome(&mut cache, &large, NOW), Outcome::Miss);
    assert_eq!(outcome(&mut cache, &large, NOW), Outcome::Miss);
    assert_eq!(cache.size().expect("a size").0, 3);
}

#[test]
fn several_write_and_read_at_once_and_nothing_is_lost() {
    let (_folder, path) = folder();
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let path = path.clone();
            std::thread::spawn(move || {
                // Each opens the file itself, also the first time: one of them makes the tables.
                let mut cache = open(&path);
                for at in 0..40 {
                    let own = page(&format!("https://a.test/{worker}/{at}"), &format!("text {worker} {at}"));
                    let shared = page(&format!("https://a.test/shared/{at}"), &format!("shared {at}"));
                    assert_eq!(outcome(&mut cache, &own, NOW), Outcome::Miss);
                    outcome(&mut cache, &shared, NOW);
                    assert!(outcome(&mut cache, &shared, NOW).is_hit());
                }
                assert!(cache.rebuilt().is_none());
            })
        })
        .collect();
    workers.into_iter().for_each(|worker| worker.join().expect("no worker fails"));
    let mut cache = open(&path);
    assert_eq!(cache.size().expect("a size").0, 5 * 40);
    let total: i64 = cache.connection.query_row("SELECT total FROM clock", [], |row| row.get(0)).expect("a total");
    assert_eq!(total as u64, cache.size().expect("a size").1);
}

#[test]
fn a_locked_file_is_waited_for_and_then_named() {
    let (_folder, path) = folder();
    open(&path);
    let mut other = Connection::open(&path).expect("opens");
    let held = other.transaction_with_behavior(TransactionBehavior::Exclusive).expect("locks");
    let timeout = Duration::from_millis(120);
    let options = CacheOptions { timeout, ..CacheOptions::default() };
    let before = std::time::Instant::now();
    let page = page("https://a.test/x", "one");
    let error = Cache::open(&path, options).and_then(|mut cache| cache.read(&page, Cut::All, NOW)).expect_err("locked");
    assert!(before.elapsed() >= timeout, "it waits");
    assert!(matches!(&error, CacheError::Locked { waited, .. } if *waited == timeout), "{error}");
    assert!(error.to_string().ends_with("pages.cache: locked by another process for over 120 ms"), "{error}");
    assert!(error.hint().contains("nocache"));
    drop(held);
    assert_eq!(outcome(&mut Cache::open(&path, options).expect("opens"), &page, NOW), Outcome::Miss);
}

#[test]
fn a_hit_does_not_wait_for_one_who_writes() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let page = page("https://a.test/x", "one");
    outcome(&mut cache, &page, NOW);
    let mut other = Connection::open(&path).expect("opens");
    let held = other.transaction_with_behavior(TransactionBehavior::Immediate).expect("locks");
    let before = std::time::Instant::now();
    assert_eq!(outcome(&mut cache, &page, NOW), Outcome::Hit);
    assert!(before.elapsed() < Duration::from_secs(2));
    drop(held);
}

#[test]
fn a_corrupt_file_is_moved_away_and_made_anew_and_that_is_said() {
    let (_folder, path) = folder();
    let one = page("https://a.test/x", "one");
    for garbage in [&b"no database at all, but some text of a fair length"[..], &[0x53; 40_000]] {
        std::fs::write(&path, garbage).expect("writes");
        let mut cache = open(&path);
        let said = cache.rebuilt().expect("it is said").to_owned();
        assert!(said.contains("pages.cache: damaged") && said.contains("pages.cache.damaged and made anew"), "{said}");
        assert_eq!(std::fs::read(beside_damaged(&path)).expect("kept"), garbage);
        assert_eq!(outcome(&mut cache, &one, NOW), Outcome::Miss);
        assert_eq!(outcome(&mut cache, &one, NOW), Outcome::Hit);
        assert!(open(&path).rebuilt().is_none());
    }
}

fn beside_damaged(path: &Path) -> PathBuf {
    path.with_file_name("pages.cache.damaged")
}

#[test]
fn damage_that_shows_only_while_reading_is_mended_too() {
    let (_folder, path) = folder();
    let pages: Vec<Page> =
        (0..50).map(|at| page(&format!("https://a.test/{at}"), &format!("{} {at}", "word ".repeat(500)))).collect();
    {
        let mut cache = open(&path);
        for page in &pages {
            outcome(&mut cache, page, NOW);
        }
        cache.connection.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(())).expect("written");
    }
    let mut bytes = std::fs::read(&path).expect("reads");
    // The first page says what is in the file; everything behind it is overwritten.
    bytes[4096..].fill(0xA5);
    std::fs::write(&path, bytes).expect("writes");
    let mut cache = open(&path);
    for page in &pages {
        outcome(&mut cache, page, NOW);
    }
    assert!(cache.rebuilt().expect("it is said").contains("damaged"));
    assert!(outcome(&mut cache, &pages[0], NOW).is_hit());
}

#[test]
fn a_body_that_cannot_be_read_is_read_anew() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let page = page("https://a.test/x", "one");
    outcome(&mut cache, &page, NOW);
    cache.connection.execute("UPDATE pages SET body = x'ff'", []).expect("changes");
    assert_eq!(outcome(&mut cache, &page, NOW), Outcome::Miss);
    assert_eq!(outcome(&mut cache, &page, NOW), Outcome::Hit);
}

#[test]
fn a_file_of_a_later_version_and_one_of_another_program_are_left_alone() {
    let (_folder, path) = folder();
    open(&path).connection.pragma_update(None, "user_version", 9).expect("changes");
    let before = std::fs::read(&path).expect("reads");
    let error = Cache::open(&path, CacheOptions::default()).expect_err("too new");
    assert!(error.to_string().ends_with("pages.cache: a cache of version 9, this build reads up to 3"), "{error}");
    assert!(error.hint().contains("remove this one"));
    assert_eq!(std::fs::read(&path).expect("reads"), before);
    let other = path.with_file_name("other.db");
    Connection::open(&other).expect("opens").execute_batch("CREATE TABLE mine (x)").expect("makes");
    let error = Cache::open(&other, CacheOptions::default()).expect_err("not ours");
    assert!(matches!(error, CacheError::Foreign { .. }), "{error}");
    let nowhere = path.with_file_name("no folder").join("pages.cache");
    assert!(matches!(Cache::open(&nowhere, CacheOptions::default()), Err(CacheError::Failed { .. })));
}

#[test]
fn all_who_find_a_damaged_file_end_up_with_one_new_one() {
    for round in 0..100 {
        let (_folder, path) = folder();
        std::fs::write(&path, "not a database, whoever opens it ............................").expect("writes");
        let start = std::sync::Barrier::new(8);
        let rebuilt: usize = std::thread::scope(|scope| {
            let work = |worker: usize| {
                let (path, start) = (&path, &start);
                scope.spawn(move || {
                    start.wait();
                    let mut cache = open(path);
                    let page = page(&format!("https://a.test/{worker}"), "text");
                    assert_eq!(outcome(&mut cache, &page, NOW), Outcome::Miss);
                    usize::from(cache.rebuilt().is_some())
                })
            };
            let workers: Vec<_> = (0..8).map(work).collect();
            workers.into_iter().map(|worker| worker.join().expect("no worker fails")).sum()
        });
        assert_eq!((rebuilt, open(&path).size().expect("a size").0), (1, 8), "round {round}");
    }
}

/// Characters of texts, and how many of them stand in a line or sentence that stood before.
fn repeated<'t>(texts: impl Iterator<Item = &'t str>) -> (usize, usize) {
    let mut seen = FxHashSet::default();
    let (mut all, mut again) = (0, 0);
    for part in texts.flat_map(str::lines).flat_map(|line| line.split_inclusive(". ")) {
        let normal = part.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let length = normal.chars().count();
        all += length;
        again += if seen.insert(normal) { 0 } else { length };
    }
    (all, again)
}

#[test]
fn under_five_percent_of_what_is_kept_of_the_documentation_site_is_kept_twice() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/docs-combine-three-documents.trace");
    let trace = browserlens_trace::Trace::open(trace).expect("opens");
    let pages: Vec<Page> = (0..trace.len())
        .map(|step| trace.page(browserlens_core::strategy::StepIndex(step)).expect("a page").0)
        .collect();
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let mut read: Vec<String> = Vec::new();
    for page in &pages {
        let reading = cache.read(page, Cut::All, NOW).expect("reads");
        if reading.outcome != Outcome::Hit {
            read.push(reading.extraction.full_text);
        }
    }
    let strings = |sql: &str| -> Vec<String> {
        let mut select = cache.connection.prepare(sql).expect("asks");
        let rows = select.query_map([], |row| row.get(0)).expect("asks");
        rows.collect::<Result<_, _>>().expect("texts")
    };
    let mut stored = strings("SELECT text FROM texts");
    let (texts, all) = (stored.len(), strings("SELECT hex(body) FROM pages").len());
    let mut select = cache.connection.prepare("SELECT body FROM pages").expect("asks");
    let bodies = select.query_map([], |row| row.get::<_, Vec<u8>>(0)).expect("asks");
    for body in bodies {
        let body = Body::decode(&body.expect("a body")).expect("is read");
        stored.extend(body.texts().map(str::to_owned));
    }
    let percent = |(all, again): (usize, usize)| 100.0 * again as f64 / all as f64;
    let (before, after) = (repeated(read.iter().map(String::as_str)), repeated(stored.iter().map(String::as_str)));
    println!(
        "{all} pages: {:.1} % of {} repeated; kept: {:.2} % of {}, {texts} texts",
        percent(before),
        before.0,
        percent(after),
        after.0
    );
    assert!(percent(before) > 10.0, "the site repeats itself, or this shows nothing");
    assert!(percent(after) < 5.0, "{:.2} %", percent(after));
    drop(select);
    // Nothing is lost, and each page can go.
    for page in &pages {
        assert!(outcome(&mut cache, page, NOW).is_hit());
    }
    let small = CacheOptions { max_bytes: 1, ..CacheOptions::default() };
    drop(cache);
    let mut cache = Cache::open(&path, small).expect("opens");
    cache.connection.execute("UPDATE clock SET used = used", []).expect("writes");
    let transaction = cache.connection.transaction().expect("begins");
    let ids: Vec<i64> = {
        let mut select = transaction.prepare("SELECT id FROM pages").expect("asks");
        select.query_map([], |row| row.get(0)).expect("asks").collect::<Result<_, _>>().expect("ids")
    };
    ids.into_iter().for_each(|id| forget(&transaction, id).expect("forgets"));
    transaction.commit().expect("ends");
    assert_eq!(cache.size().expect("a size"), (0, 0));
}

#[test]
fn a_text_goes_with_the_last_page_that_has_it() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let notice = "A notice that stands on every page of this site.";
    let pages: Vec<Page> = (0..3).map(|at| page(&format!("https://a.test/{at}"), notice)).collect();
    let elsewhere = page("https://b.test/", notice);
    let uses = |cache: &Cache| -> Vec<i64> {
        let mut select = cache.connection.prepare("SELECT uses FROM texts WHERE bytes > 20").expect("asks");
        select.query_map([], |row| row.get(0)).expect("asks").collect::<Result<_, _>>().expect("counts")
    };
    outcome(&mut cache, &elsewhere, NOW);
    outcome(&mut cache, &pages[0], NOW);
    assert!(uses(&cache).is_empty(), "another site is another site");
    outcome(&mut cache, &pages[1], NOW);
    outcome(&mut cache, &pages[2], NOW);
    assert_eq!(uses(&cache), [3]);
    cache.read_anew(&pages[2], Cut::All, NOW).expect("reads");
    assert_eq!(uses(&cache), [3], "kept anew is kept once");
    pages.iter().for_each(|page| assert_eq!(outcome(&mut cache, page, NOW), Outcome::Hit));
    let ids: Vec<i64> = (0..3)
        .map(|at| {
            let sql = "SELECT id FROM pages WHERE url = ?1";
            cache.connection.query_row(sql, [format!("https://a.test/{at}")], |row| row.get(0)).expect("is there")
        })
        .collect();
    for (id, left) in ids.into_iter().zip([vec![2], vec![1], vec![]]) {
        forget_alone(&mut cache.connection, id).expect("forgets");
        assert_eq!(uses(&cache), left);
    }
    assert_eq!(outcome(&mut cache, &elsewhere, NOW), Outcome::Hit);
}

#[test]
fn a_page_whose_shared_text_is_gone_is_read_anew() {
    let (_folder, path) = folder();
    let mut cache = open(&path);
    let notice = "A notice that stands on every page of this site.";
    let pages: Vec<Page> = (0..2).map(|at| page(&format!("https://a.test/{at}"), notice)).collect();
    pages.iter().for_each(|page| assert_eq!(outcome(&mut cache, page, NOW), Outcome::Miss));
    cache.connection.execute("DELETE FROM texts", []).expect("changes");
    assert_eq!(outcome(&mut cache, &pages[0], NOW), Outcome::Miss);
    assert_eq!(outcome(&mut cache, &pages[0], NOW), Outcome::Hit);
    assert_eq!(cache.latest("https://a.test/1", Cut::All, NOW).expect("asks"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_given_is_what_the_page_says_and_space_is_kept(
        reads in prop::collection::vec((0usize..6, 0usize..3, 0u64..400_000), 1..40),
        max_bytes in 200u64..4_000,
    ) {
        let (_folder, path) = folder();
        let mut cache = Cache::open(&path, CacheOptions { max_bytes, ..CacheOptions::default() }).expect("opens");
        let mut now = NOW;
        let mut read: Vec<(usize, usize)> = Vec::new();
        for (at, content, later) in reads {
            now += later;
            let page = page(&format!("https://a.test/{at}"), &format!("{content} {}", "word ".repeat(content * 30)));
            let outcome = outcome(&mut cache, &page, now);
            prop_assert!(!outcome.is_hit() || read.contains(&(at, content)), "nobody read that");
            read.push((at, content));
            prop_assert!(cache.size().expect("a size").1 <= max_bytes);
        }
    }
}
