#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use browserlens_reading::*;
use browserlens_reading::graph::*;
use browserlens_strategy::StepIndex;
use std::sync::Arc;
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let trace = browserlens_trace::Trace::open(&name).unwrap();
    let store = GraphStore::in_memory().unwrap();
    let mut pg = PageGraph::new(store, Arc::new(embed::Lexical::default()));
    let t = std::time::Instant::now();
    for step in 0..trace.len() {
        let page = browserlens_page::Page::parse(&trace.capture(StepIndex(step)).unwrap()).unwrap();
        let t = std::time::Instant::now();
        let a = pg.add_page(&page, SeenAt(step as i64)).unwrap();
        println!("{} {:?} {:?}", page.url(), a, t.elapsed());
    }
    println!("{:?}", t.elapsed());
    let index = pg.store().boilerplate(BoilerplateRule::default()).unwrap();
    for p in pg.store().pages().unwrap() {
        let g = pg.store().load(&p.url).unwrap().unwrap();
        let origin = PagePlace::of(&p.url).origin;
        let kept = index.kept(&origin, g.nodes().map(|n| Repeatable { heading: n.level, text: &n.text, by_lines: matches!(n.kind.name(), "list" | "table") }));
        println!("=== {} pages {}", p.url, index.pages(&origin));
        for (n, k) in g.nodes().zip(kept) { println!("{} {} {:?} [{}]", if k {"+"} else {"-"}, n.kind.name(), n.text.chars().take(90).collect::<String>(), index.references(&origin, &n.text)); }
    }
    for q in std::env::args().skip(2) {
        println!("--- {q}");
        for h in pg.find_concepts(&q, 0.3, 8).unwrap() { println!("{:.2} {} ({})", h.similarity, h.concept, h.mentions.len()); }
        println!("{}", pg.about(&q, 1200).unwrap().to_text());
    }
}
