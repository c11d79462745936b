#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use browserlens_reading::retrieval::{By, SearchOptions, answer, rank};
use browserlens_reading::{Cut, extract};
use browserlens_strategy::StepIndex;
use browserlens_tokens::Encoding;
use browserlens_trace::Trace;
use std::collections::{BTreeMap, HashMap};
fn words(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}
fn main() {
    let file = std::env::args().nth(1).unwrap();
    let mut pages = HashMap::new();
    for by in [By::Bm25, By::Vectors, By::Fused] {
        let mut t: BTreeMap<String, [u64; 6]> = BTreeMap::new();
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let f: Vec<&str> = line.split('\x1f').collect();
            let step: u32 = f[1].parse().unwrap();
            let page = pages.entry((f[0].to_owned(), step)).or_insert_with(|| {
                let trace = Trace::open(format!("traces/{}.trace", f[0])).unwrap();
                extract(&trace.page(StepIndex(step)).unwrap().0, Cut::default())
            });
            let hits = rank(page, f[2], &SearchOptions { by, min_similarity: std::env::var("MIN").map_or(0.5, |m| m.parse().unwrap()), max_bytes: std::env::var("MAXB").map_or(2000, |m| m.parse().unwrap()), ..Default::default() }).unwrap();
            let text = answer(f[2], &hits);
            let n = |s: &str| u64::from(Encoding::O200kBase.count(s).0);
            let site = f[0].split('-').next().unwrap().to_owned();
            for key in ["all".to_owned(), format!("site {site}"), format!("words {}", f[4])] {
                let e = t.entry(key).or_default();
                if f[3].is_empty() { e[2] += u64::from(!hits.is_empty()); e[3] += 1; continue; }
                e[1] += 1;
                e[0] += u64::from(words(&text).contains(&words(f[3])));
                e[4] += n(&text);
                e[5] += n(&page.full_text);
            }
        }
        println!("{by:?}");
        for (k, e) in t {
            println!("  {k:14} recall {}/{} = {:.1}%  made up {}/{}  tokens {:.1}% ({} per answer, page {})", e[0], e[1], 100.0 * e[0] as f64 / e[1].max(1) as f64, e[2], e[3], 100.0 * e[4] as f64 / e[5].max(1) as f64, e[4] / e[1].max(1), e[5] / e[1].max(1));
        }
    }
}
