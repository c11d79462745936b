use super::*;
use crate::reader::reading_of;

const CART: &str = "- navigation \"Main\":\n  - link \"Cart\" [ref=e1]\n- main:\n  - link \"Cart\" [ref=e2]\n  - \
    button \"Go\" [ref=e3]";

fn key(backend: u32) -> NodeKey {
    NodeKey { frame: 1, loader: 1, backend }
}

fn score(channel: ActionChannel, has_map: bool, hint: NodeHint, target: Option<&str>) -> ElementScore {
    let reading = reading_of("playwright-aria", CART);
    let handles: BTreeMap<String, NodeKey> =
        [("e1", 10), ("e2", 20), ("e3", 30)].map(|(handle, backend)| (handle.to_owned(), key(backend))).into();
    let acceptable = [key(20)];
    let intent = Intent { action: ActionKind::Click, node: Some(hint), text: String::new() };
    let step = Step {
        channel,
        intent: &intent,
        reading: &reading,
        truth: has_map.then_some((&handles, &acceptable[..])),
        targets: &[BoxInViewport { x: 10.0, y: 20.0, width: 30.0, height: 5.0 }],
    };
    step.element(&NextAction { action: ActionKind::Click, target: target.map(Into::into), text: None })
}

fn cart_in_main() -> NodeHint {
    let main = NodeHint { role: "main".into(), ..NodeHint::default() };
    NodeHint { role: "link".into(), name: "Cart".into(), within: Some(Box::new(main)), nth: None }
}

fn right(by: ResolvedBy) -> ElementScore {
    ElementScore { right: true, by }
}

fn wrong(by: ResolvedBy) -> ElementScore {
    ElementScore { right: false, by }
}

#[test]
fn a_handle_is_right_if_it_means_an_acceptable_node() {
    for written in ["e2", "[e2]", "ref=e2", "[ref=e2]", "@e2", " `e2` "] {
        assert_eq!(
            score(ActionChannel::Ref, true, cart_in_main(), Some(written)),
            right(ResolvedBy::Handle),
            "{written}"
        );
    }
    assert_eq!(score(ActionChannel::Ref, true, cart_in_main(), Some("e1")), wrong(ResolvedBy::Handle));
}

#[test]
fn an_unknown_handle_or_none_is_wrong() {
    for target in [Some("e99"), Some("2"), Some(""), Some("link \"Cart\""), None] {
        assert_eq!(score(ActionChannel::Ref, true, cart_in_main(), target), ElementScore::NONE, "{target:?}");
        assert_eq!(score(ActionChannel::Ref, false, cart_in_main(), target), ElementScore::NONE, "{target:?}");
    }
}

#[test]
fn without_a_map_the_text_decides_where_it_singles_out() {
    assert_eq!(score(ActionChannel::Ref, false, cart_in_main(), Some("e2")), right(ResolvedBy::Words));
    assert_eq!(score(ActionChannel::Ref, false, cart_in_main(), Some("e1")), wrong(ResolvedBy::Words));
    let ambiguous = NodeHint { within: None, ..cart_in_main() };
    assert_eq!(score(ActionChannel::Ref, false, ambiguous, Some("e2")), wrong(ResolvedBy::Words), "two are called so");
}

#[test]
fn words_must_single_out_the_same_node() {
    let by_words = |target| score(ActionChannel::RoleName, true, cart_in_main(), Some(target));
    assert_eq!(by_words("link \"Cart\" in main \"\""), right(ResolvedBy::Words));
    assert_eq!(by_words("link \"Cart\" in navigation \"Main\""), wrong(ResolvedBy::Words));
    assert_eq!(by_words("link \"Cart\""), wrong(ResolvedBy::Words), "two are called so");
    assert_eq!(by_words("button \"Go\""), wrong(ResolvedBy::Words));
    assert_eq!(by_words("button \"Stop\""), ElementScore::NONE);
    assert_eq!(by_words("button \"Sto"), ElementScore::NONE);
}

#[test]
fn a_point_is_right_inside_a_box() {
    for (target, expected) in [
        ("10,20", right(ResolvedBy::Point)),
        ("(39.9, 24.9)", right(ResolvedBy::Point)),
        ("40,20", wrong(ResolvedBy::Point)),
        ("@e2", ElementScore::NONE),
        ("NaN,20", wrong(ResolvedBy::Point)),
    ] {
        assert_eq!(score(ActionChannel::Point, true, cart_in_main(), Some(target)), expected, "{target}");
    }
}

#[test]
fn operation_f1_as_worked_by_hand() {
    // Said {type, standard, record}, recorded {type, standard, plan, assembled, record}: precision
    // 3/3, recall 3/5, F1 = 2·1·0.6/1.6 = 0.75.
    let score = OperationScore::of(
        Some((ActionKind::Type, "standard record")),
        (ActionKind::Fill, "standard plan assembled record"),
    );
    assert_eq!((score.shared, score.predicted, score.expected), (3, 3, 5));
    assert!((score.f1() - 0.75).abs() < 1e-12 && !score.is_exact());
    // Said {click}, recorded {type, laptop}: nothing shared.
    assert_eq!(OperationScore::of(Some((ActionKind::Click, "laptop")), (ActionKind::Fill, "laptop")).f1(), 0.0);
    // Right operation, wrong value: said {select, low}, recorded {select, high}: 2·1/4.
    assert_eq!(OperationScore::of(Some((ActionKind::Select, "low")), (ActionKind::Select, "high")).f1(), 0.5);
    assert_eq!(OperationScore::of(None, (ActionKind::Click, "")).f1(), 0.0);
}

#[test]
fn for_clicks_operation_f1_is_accuracy() {
    let exact = OperationScore::of(Some((ActionKind::Click, "Add to cart")), (ActionKind::Check, "true"));
    assert!(exact.is_exact() && exact.f1() == 1.0, "a click has no value, and a check is a click");
    assert_eq!(OperationScore::of(Some((ActionKind::Hover, "")), (ActionKind::Click, "")).f1(), 0.0);
}
