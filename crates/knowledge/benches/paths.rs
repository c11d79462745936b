//! A path among 10,000 screens and 50,000 transitions; the aim is 10 ms.

use browserlens_knowledge::protocol::NavigationGraph;
use browserlens_knowledge::{
    ActionDefinition, ContentType, Knowledge, Metadata, ScreenDefinition, ScreenId, TransitionDefinition,
};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const SCREENS: u64 = 10_000;
const TRANSITIONS: u64 = 50_000;

/// A fixed sequence of numbers that look random.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn screen(number: u64) -> ScreenId {
    ScreenId(format!("screen_{number:05}"))
}

fn knowledge() -> Knowledge {
    let mut knowledge = Knowledge::new("bench");
    for number in 0..SCREENS {
        let id = screen(number);
        let definition = ScreenDefinition {
            screen_id: id.clone(),
            name: id.to_string(),
            content_type: ContentType::WebUi,
            is_actionable: true,
            ..ScreenDefinition::default()
        };
        knowledge.screens.insert(id, definition);
    }
    let action =
        ActionDefinition { action_id: "a".into(), action_type: "click".to_owned(), ..ActionDefinition::default() };
    knowledge.actions.insert(action.action_id.clone(), action);
    for number in 0..TRANSITIONS {
        // Most ways lead nearby, as on a website, and one in ten far away.
        let from = number % SCREENS;
        let step = if number % 10 == 9 { mixed(number) % SCREENS } else { 1 + mixed(number) % 40 };
        let transition = TransitionDefinition {
            transition_id: format!("t{number:05}").into(),
            from_screen_id: screen(from),
            to_screen_id: screen((from + step) % SCREENS),
            action_id: Some("a".into()),
            metadata: Metadata { confidence: 0.5 + (mixed(number * 7) % 50) as f64 / 100.0, ..Metadata::default() },
            ..TransitionDefinition::default()
        };
        knowledge.transitions.insert(transition.transition_id.clone(), transition);
    }
    knowledge
}

fn paths(criterion: &mut Criterion) {
    let knowledge = knowledge();
    let graph = NavigationGraph::new(&knowledge);
    assert_eq!(graph.size().0, SCREENS as usize);
    let mut group = criterion.benchmark_group("paths");
    group.sample_size(20);
    let far = graph.path(Some(&screen(0)), &screen(SCREENS - 1)).expect("connected");
    assert!(far.steps.len() > 3);
    group.bench_function("among 10,000 screens and 50,000 transitions", |bencher| {
        let mut at = 0;
        bencher.iter(|| {
            at += 1;
            graph.path(Some(&screen(mixed(at) % SCREENS)), black_box(&screen(mixed(at + 99_991) % SCREENS)))
        });
    });
    group.bench_function("making the graph", |bencher| bencher.iter(|| NavigationGraph::new(black_box(&knowledge))));
    group.finish();
}

criterion_group!(benches, paths);
criterion_main!(benches);
