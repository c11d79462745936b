use super::*;
use crate::extract::extract;
use browserlens_core::page::PageBuilder;
use std::cell::RefCell;

/// A website in memory: pages by URL; each takes 100 ms.
struct Fake {
    pages: BTreeMap<String, Arc<Page>>,
    opened: RefCell<Vec<String>>,
}

impl Fake {
    fn new(pages: &[(&str, &str)]) -> Self {
        let pages = pages.iter().map(|(url, outline)| {
            let mut builder = PageBuilder::new(url, url);
            builder.add_outline(outline);
            ((*url).to_owned(), Arc::new(builder.finish()))
        });
        Self { pages: pages.collect(), opened: RefCell::default() }
    }

    fn crawled(&self, start: &str, limits: CrawlLimits) -> Result<(Recording, CrawlReport), KnowledgeError> {
        let open = |url: &str| {
            self.opened.borrow_mut().push(url.to_owned());
            let gone = || SourceError::Gone { reason: "no such page".to_owned() };
            self.pages.get(url).cloned().ok_or_else(gone)
        };
        crawl(open, || 100 * self.opened.borrow().len() as u64, start, limits)
    }
}

const HOME: &str = r##"
main tag=main box=0,0,900,900
  heading "Shop" tag=h1 level=1 box=0,0,100,20
  link "Cart" tag=a href="/cart" box=0,20,100,20
  link "Other" tag=a href="https://elsewhere.test/" box=0,40,100,20
  link "Top" tag=a href="#top" box=0,60,100,20
  link "Mail" tag=a href="mailto:a@b.test" box=0,80,100,20
  link "Sign out" tag=a href="/session/end" box=0,100,100,20
  link "Gone" tag=a href="/gone" box=0,120,100,20
  link "One" tag=a href="/p/one" box=0,140,100,20
  link "Two" tag=a href="/p/two" box=0,160,100,20
  link "Three" tag=a href="/p/three" box=0,180,100,20
"##;
const CART: &str = r#"
main tag=main box=0,0,900,900
  heading "Cart" tag=h1 level=1 box=0,0,100,20
  button "Buy" tag=button box=0,20,100,20
  link "Deep" tag=a href="/cart/deep" box=0,40,100,20
"#;
const PRODUCT: &str = r#"
main tag=main box=0,0,900,900
  heading "A product" tag=h1 level=1 box=0,0,100,20
  button "Add" tag=button box=0,20,100,20
  spinbutton "Quantity" tag=input box=0,40,100,20
"#;

fn site() -> Fake {
    Fake::new(&[
        ("https://shop.test/", HOME),
        ("https://shop.test/cart", CART),
        ("https://shop.test/cart/deep", CART),
        ("https://shop.test/p/one", PRODUCT),
        ("https://shop.test/p/two", PRODUCT),
        ("https://shop.test/p/three", PRODUCT),
    ])
}

#[test]
fn a_crawl_stays_on_its_website_and_touches_nothing_harmful() {
    let browser = site();
    let (recording, report) = browser.crawled("https://shop.test/", CrawlLimits::default()).unwrap();
    assert_eq!(report.end, CrawlEnd::Done);
    assert_eq!(report.failed.len(), 1, "{report:?}");
    assert_eq!(report.failed[0].0, "https://shop.test/gone");
    assert!(
        browser.opened.borrow().iter().all(|url| url.starts_with("https://shop.test/") && !url.contains("session"))
    );
    assert_eq!(report.opened.len(), 6);
    assert_eq!(recording.website_id.as_str(), "shop.test");
}

#[test]
fn what_was_crawled_is_knowledge_with_ways_that_links_make() {
    let (recording, _) = site().crawled("https://shop.test/", CrawlLimits::default()).unwrap();
    let knowledge = extract("k", &[recording]);
    let products: Vec<_> = knowledge.screens.values().filter(|screen| screen.url_patterns[0].contains("/p/")).collect();
    assert_eq!(products.len(), 1, "three products are one screen");
    assert_eq!(products[0].example_urls.len(), 3);
    let from_home = knowledge.screens.values().find(|screen| screen.name == "Shop").unwrap();
    let leads = |to: &crate::model::ScreenId| {
        knowledge.transitions.values().any(|way| way.from_screen_id == from_home.screen_id && way.to_screen_id == *to)
    };
    assert!(leads(&products[0].screen_id));
    assert!(
        knowledge.actions.values().any(|action| action.name == "Click link \"Cart\"" && action.action_type == "click")
    );
    assert!(knowledge.tasks.is_empty());
    let all = knowledge.screens.values().flat_map(|screen| &screen.provenance);
    assert!(all.into_iter().all(|known| matches!(known, crate::model::Provenance::Crawl { .. })));
}

#[test]
fn pages_depth_time_and_pages_of_one_form_are_limits_that_are_told() {
    let run = |limits| site().crawled("https://shop.test/", limits).unwrap().1;
    let few = run(CrawlLimits { pages: 2, ..CrawlLimits::default() });
    assert_eq!((few.opened.len(), few.end), (2, CrawlEnd::Pages));
    assert!(few.left_out >= 3, "{few:?}");
    let flat = run(CrawlLimits { depth: 1, ..CrawlLimits::default() });
    assert_eq!(flat.end, CrawlEnd::Done);
    assert!(!flat.opened.iter().any(|url| url.ends_with("deep")) && flat.left_out > 0);
    // Three are tried, of which one is gone.
    let short = run(CrawlLimits { time_ms: 250, ..CrawlLimits::default() });
    assert_eq!((short.opened.len(), short.failed.len(), short.end), (2, 1, CrawlEnd::Time), "{short:?}");
    let thin = run(CrawlLimits { pages_of_one_form: 1, ..CrawlLimits::default() });
    assert_eq!(thin.opened.iter().filter(|url| url.contains("/p/")).count(), 1);
}

#[test]
fn a_start_that_is_no_website_or_does_not_open_is_an_error() {
    let local = Fake::new(&[("file:///etc/hosts", CART)]);
    let error = local.crawled("file:///etc/hosts", CrawlLimits::default()).unwrap_err();
    assert!(error.to_string().contains("no page of a website"), "{error}");
    let error = site().crawled("https://shop.test/nowhere", CrawlLimits::default()).unwrap_err();
    assert!(matches!(error, KnowledgeError::Source(_)), "{error}");
}
