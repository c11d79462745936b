//! The bundled recordings as knowledge, and how well their screens are recognised.

use browserlens_knowledge::score::{Given, HeldBack, Labels, score};
use browserlens_knowledge::{Recording, extract};
use browserlens_trace::Trace;
use std::path::{Path, PathBuf};

fn traces() -> Vec<Trace> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "trace"));
    paths.sort();
    assert!(paths.len() >= 15);
    paths.iter().map(|path| Trace::open(path).unwrap()).collect()
}

fn labels() -> Labels {
    toml::from_str(include_str!("screens.toml")).unwrap()
}

#[test]
fn screens_are_recognised_on_pages_that_were_held_back() {
    let recordings: Vec<Recording> = traces().iter().map(|trace| Recording::read(trace).unwrap()).collect();
    let scores = score(&recordings, &labels()).unwrap();
    for score in &scores {
        println!("{:?} {:?}: accuracy {:.3} of {} asked, wrong {:.3} of {}", score.held_back, score.given, score.accuracy(), score.asked(), score.wrong(), score.rows.len());
        for row in &score.rows {
            if !row.is_right() {
                println!("  {} {} {:?} known {} -> {:?} {:?} {:.2} {:?}", row.scenario, row.step, row.label, row.known, row.recognised, row.screen_id, row.confidence, row.tie);
            }
        }
    }
    let _ = (HeldBack::Steps, Given::Page);
}

#[test]
fn list() {
    let recordings: Vec<Recording> = traces().iter().map(|trace| Recording::read(trace).unwrap()).collect();
    let knowledge = extract("bundled", &recordings);
    for s in knowledge.screens.values() {
        println!("{} {:?} {} parent {:?}\n   {:?}", s.screen_id, s.name, s.website_id, s.parent_screen_id, s.url_patterns);
        for i in &s.state_signature.required_indicators { println!("      {:?} {:?}", i.value, i.reason); }
    }
    println!("{} screens {} actions {} transitions", knowledge.screens.len(), knowledge.actions.len(), knowledge.transitions.len());
    for a in knowledge.actions.values() { println!("{} {:?} {:?} {:?} {:?} n={}", a.action_id, a.name, a.action_type, a.target_selector, a.parameters, a.count); }
}
