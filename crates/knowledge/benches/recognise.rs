//! Recognition among 10,000 screens: by a page, by a summary, and where every pattern has to be
//! tried.

use browserlens_core::page::{Page, PageBuilder};
use browserlens_knowledge::{
    ContentType, Indicator, IndicatorKind, Knowledge, Recogniser, ScreenDefinition, StateSignature,
};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const SCREENS: usize = 10_000;

fn indicator(kind: IndicatorKind, text: String, selector: &str) -> Indicator {
    let is_url = kind == IndicatorKind::UrlMatches;
    Indicator {
        kind,
        value: (!is_url).then(|| text.clone()),
        pattern: is_url.then_some(text),
        selector: (!is_url).then(|| selector.to_owned()),
        reason: String::new(),
    }
}

/// One website of 10,000 screens; some names stand on all of them, as navigation does.
fn knowledge(pattern: impl Fn(usize) -> String) -> Knowledge {
    let mut knowledge = Knowledge::new("k");
    for at in 0..SCREENS {
        let id = format!("screen_{at:05}");
        let mut required: Vec<Indicator> = (0..5)
            .map(|nth| {
                let name = format!("Button {nth} of screen {at:05}");
                indicator(IndicatorKind::DomContains, name, "button, .btn, [role=\"button\"]")
            })
            .collect();
        required.push(indicator(
            IndicatorKind::DomContains,
            format!("Group {}", at % 50),
            "h1, h2, h3, .page-title, .screen-title",
        ));
        required.push(indicator(IndicatorKind::DomContains, "Home".to_owned(), "a, [role=\"link\"]"));
        required.push(indicator(IndicatorKind::UrlMatches, pattern(at), ""));
        let screen = ScreenDefinition {
            screen_id: id.as_str().into(),
            name: format!("Screen {at}"),
            content_type: ContentType::WebUi,
            is_actionable: true,
            url_patterns: vec![pattern(at)],
            state_signature: StateSignature { required_indicators: required },
            ..ScreenDefinition::default()
        };
        knowledge.screens.insert(id.into(), screen);
    }
    knowledge
}

fn page(at: usize) -> Page {
    let mut outline = String::from("main tag=main box=0,0,900,900\n  link \"Home\" tag=a href=\"/\" box=0,0,50,20\n");
    outline.push_str(&format!("  heading \"Group {}\" tag=h1 level=1 box=0,0,50,20\n", at % 50));
    for nth in 0..5 {
        outline.push_str(&format!("  button \"Button {nth} of screen {at:05}\" tag=button box=0,0,50,20\n"));
    }
    for nth in 0..200 {
        outline.push_str(&format!("  link \"Something else {nth}\" tag=a href=\"/x/{nth}\" box=0,0,50,20\n"));
    }
    let mut builder = PageBuilder::new(&format!("https://a.test/area/{at}/edit"), "Edit");
    builder.add_outline(&outline);
    builder.finish()
}

fn bench(criterion: &mut Criterion) {
    let literal = knowledge(|at| format!("^https?://a\\.test/area/{at}/edit/?(?:[?#].*)?$"));
    let recogniser = Recogniser::new(&literal).expect("the knowledge makes sense");
    let page = page(7_123);
    let expected = Some("screen_07123".into());
    assert_eq!(recogniser.page(&page).screen_id, expected);
    let mut group = criterion.benchmark_group("10000-screens");
    group.sample_size(30);
    group.bench_function("page", |bencher| bencher.iter(|| black_box(recogniser.page(black_box(&page)))));
    let mut summary: String =
        (0..5).map(|nth| format!("[{nth}]<button>Button {nth} of screen 07123</button>\n")).collect();
    summary.push_str("Home\nGroup 23\n");
    summary.extend((0..600).map(|nth| format!("[{nth}]<a>Something else {nth} that a page says</a>\n")));
    let url = "https://a.test/area/7123/edit";
    assert_eq!(recogniser.summary(url, &summary).screen_id, expected);
    group.bench_function("summary-of-30-kB", |bencher| {
        bencher.iter(|| black_box(recogniser.summary(url, black_box(&summary))))
    });
    // The worst for an index: every pattern begins alike, and every one matches.
    let open = knowledge(|at| format!("^https?://a\\.test/[a-z]+/[^/?#]+/(?:edit|view{at})$"));
    let recogniser = Recogniser::new(&open).expect("the knowledge makes sense");
    assert_eq!(recogniser.page(&page).screen_id, expected);
    group.bench_function("page-every-pattern-matches", |bencher| {
        bencher.iter(|| black_box(recogniser.page(black_box(&page))))
    });
    // Nothing on the page tells anything, so that as many patterns are run as there are; and none
    // of them matches.
    let elsewhere = "https://a.test/area/7123/show";
    assert_eq!(recogniser.summary(elsewhere, "").confidence, 0.0);
    group.bench_function("url-no-pattern-of-10000-matches", |bencher| {
        bencher.iter(|| black_box(recogniser.summary(black_box(elsewhere), "")))
    });
    // The worst for what patterns need: the URL has the text that all of them do with, and still
    // none of them matches.
    let nearly = "https://a.test/area/7123/edited";
    assert_eq!(recogniser.summary(nearly, "").confidence, 0.0);
    group.bench_function("url-with-the-text-of-10000-patterns-none-matches", |bencher| {
        bencher.iter(|| black_box(recogniser.summary(black_box(nearly), "")))
    });
    group.bench_function("url-with-the-text-of-10000-patterns-all-match", |bencher| {
        bencher.iter(|| black_box(recogniser.summary(black_box("https://a.test/area/7123/edit"), "")))
    });
    // The same, at a URL that was never asked before: what an automaton remembers of others is of
    // little use.
    let mut at = 0;
    group.bench_function("url-with-the-text-of-10000-patterns-none-matches-new-urls", |bencher| {
        bencher.iter(|| {
            at += 1;
            black_box(
                recogniser.summary(&format!("https://a.test/{}/{at:x}/editx{at}", "qwertyuiop".repeat(1 + at % 4)), ""),
            )
        })
    });
    group.finish();
    let mut build = criterion.benchmark_group("build");
    build.sample_size(10);
    build.bench_function("index-of-10000-screens", |bencher| {
        bencher.iter(|| black_box(Recogniser::new(black_box(&literal)).map(|it| it.len())))
    });
    build.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
