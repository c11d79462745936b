use super::*;
use crate::extract::urls::{QueryNeeds, patterns};
use crate::model::{ContentType, StateSignature};
use proptest::prelude::*;

fn text(value: &str) -> Indicator {
    Indicator {
        kind: IndicatorKind::DomContains,
        value: Some(value.to_owned()),
        pattern: None,
        selector: Some("body".to_owned()),
        reason: String::new(),
    }
}

fn screen(id: &str, pattern: &str, values: &[&str]) -> ScreenDefinition {
    ScreenDefinition {
        screen_id: id.into(),
        name: id.to_owned(),
        content_type: ContentType::WebUi,
        is_actionable: true,
        url_patterns: vec![pattern.to_owned()],
        state_signature: StateSignature { required_indicators: values.iter().map(|value| text(value)).collect() },
        ..ScreenDefinition::default()
    }
}

fn knowledge(screens: &[ScreenDefinition]) -> Knowledge {
    let mut knowledge = Knowledge::new("k");
    for screen in screens {
        knowledge.screens.insert(screen.screen_id.clone(), screen.clone());
    }
    knowledge
}

#[test]
fn the_url_counts_four_tenths_and_indicators_six() {
    let known = knowledge(&[screen("dashboard", r"^https://app\.test/dashboard$", &["Call Performance", "Today"])]);
    let recogniser = Recogniser::new(&known).unwrap();
    let score = |url: &str, summary: &str| recogniser.summary(url, summary).confidence;
    let url = "https://app.test/dashboard";
    assert_eq!(score(url, "CALL performance, today"), 1.0);
    assert_eq!(score(url, "call performance"), 0.7);
    assert_eq!(score(url, "nothing"), 0.4);
    assert_eq!(score("https://app.test/x", "call performance today"), 0.6);
    assert_eq!(score("https://app.test/x", ""), 0.0);
    // Seven tenths are not over the threshold.
    assert_eq!(recogniser.summary(url, "call performance").screen_id, None);
    let found = recogniser.summary(url, "call performance of today");
    assert_eq!(found.screen_id, Some("dashboard".into()));
    assert_eq!(found.matched_indicators.len(), 2);
}

#[test]
fn a_tie_goes_to_the_more_specific_screen_and_is_said() {
    let open = screen("any", r"^https://a\.test/[^/]+$", &["Title"]);
    let literal = screen("literal", r"^https://a\.test/page$", &["Title"]);
    let richer = screen("richer", r"^https://a\.test/[^/]+$", &["Title", "More"]);
    let state = ScreenDefinition {
        parent_screen_id: Some("any".into()),
        ..screen("state", r"^https://a\.test/[^/]+$", &["Title"])
    };
    let ask = |screens: &[ScreenDefinition]| {
        Recogniser::new(&knowledge(screens)).unwrap().summary("https://a.test/page", "title more")
    };
    for (screens, wins, by) in [
        (vec![open.clone(), literal.clone()], "literal", "the longer URL pattern"),
        (vec![open.clone(), literal.clone(), richer.clone()], "richer", "more indicators"),
        (vec![open.clone(), literal, richer, state], "state", "a state rather than the page below it"),
        (vec![open.clone(), screen("also", r"^https://a\.test/[^/]+$", &["Title"])], "also", "the order of ids"),
    ] {
        let found = ask(&screens);
        assert_eq!(found.screen_id, Some(wins.into()));
        assert!(found.tie.as_ref().unwrap().contains(by), "{found:?}");
    }
    assert_eq!(ask(&[open]).tie, None);
}

#[test]
fn what_cannot_be_used_is_an_error_that_names_the_screen() {
    let error = Recogniser::new(&knowledge(&[screen("broken", "(?<=a)b", &[])])).unwrap_err();
    assert!(error.to_string().contains("screen \"broken\"") && error.hint().contains("look-around"), "{error}");
    let huge = Recogniser::new(&knowledge(&[screen("huge", "((a{100}){100}){100}", &[])])).unwrap_err();
    assert!(matches!(huge, KnowledgeError::InvalidPattern { .. }));
    let bare = ScreenDefinition { url_patterns: Vec::new(), ..screen("bare", "", &[]) };
    let error = Recogniser::new(&knowledge(&[bare])).unwrap_err();
    assert!(matches!(&error, KnowledgeError::NoSignature { screen } if screen == "bare"), "{error}");
    let nothing = knowledge(&[]);
    let found = Recogniser::new(&nothing).unwrap().summary("https://a.test/", "x");
    assert_eq!(found.message.as_deref(), Some("no screen is known: build knowledge first"));
}

#[test]
fn documents_and_rows_of_the_old_shape_are_never_recognised() {
    let text = ScreenDefinition {
        content_type: ContentType::Documentation,
        is_actionable: false,
        ..screen("text", "^https?://", &["a"])
    };
    let old = ScreenDefinition { content_type: ContentType::Unknown, ..screen("old", "(", &["a"]) };
    let known = knowledge(&[text, old]);
    let recogniser = Recogniser::new(&known).unwrap();
    assert!(recogniser.is_empty());
    assert_eq!(recogniser.summary("https://a.test/", "a").screen_id, None);
}

#[test]
fn hostile_patterns_and_urls_take_linear_time() {
    let known = knowledge(&[screen("a", "^https?://a\\.test/(?:a+)+$", &[]), screen("b", "^(?:a|a)*b", &[])]);
    let recogniser = Recogniser::new(&known).unwrap();
    let url = format!("https://a.test/{}!", "a".repeat(100_000));
    assert_eq!(recogniser.summary(&url, &"a".repeat(1 << 20)).screen_id, None);
}

#[test]
fn a_parent_in_a_circle_does_not_hang() {
    let one = ScreenDefinition { parent_screen_id: Some("two".into()), ..screen("one", "^https://a", &["x"]) };
    let two = ScreenDefinition { parent_screen_id: Some("one".into()), ..screen("two", "^https://b", &["x"]) };
    let known = knowledge(&[one, two]);
    assert_eq!(Recogniser::new(&known).unwrap().summary("https://a", "x").screen_id, Some("one".into()));
}

#[test]
fn a_screen_is_found_by_what_it_is_called_or_for() {
    let mut cart = screen("cart", "^https://a/cart", &["Proceed to checkout"]);
    cart.name = "Your cart".to_owned();
    let mut checkout = screen("checkout", "^https://a/checkout", &["Place order"]);
    checkout.name = "Checkout".to_owned();
    checkout.business_functions = vec!["pay for an order".to_owned()];
    let known = knowledge(&[cart, checkout]);
    let recogniser = Recogniser::new(&known).unwrap();
    assert_eq!(recogniser.description("the checkout page").screen_id, Some("checkout".into()));
    assert_eq!(recogniser.description("where to pay for the order").nearest[0].screen_id, "checkout".into());
    assert_eq!(recogniser.description("volcano").screen_id, None);
    assert!(recogniser.description("").nearest.is_empty());
}

proptest! {
    /// The index by literal beginnings may pass over no pattern that matches.
    #[test]
    fn no_pattern_that_matches_is_passed_over(
        pattern in r"(\^?https?\??://|\^|)(a|b|\\.|\.|/|a\?|b\*|\(a\|b\)|a\|b|\[ab\]|\\d|\\\\){0,8}\$?",
        url in "(https?://)?[ab./d\\\\1]{0,10}",
    ) {
        prop_assume!(regex::Regex::new(&pattern).is_ok());
        let known = knowledge(&[screen("s", &pattern, &[])]);
        let plain = regex::Regex::new(&format!("^(?:{pattern})")).unwrap().is_match(&url);
        let found = Recogniser::new(&known).unwrap().summary(&url, "");
        prop_assert_eq!(plain, found.confidence > 0.0, "{} {}", pattern, url);
    }

    #[test]
    fn a_pattern_made_of_a_url_matches_that_url(
        path in prop::collection::vec("[a-z0-9.()+*%-]{1,8}", 0..4),
        query in prop::option::of("[a-z]{1,3}=[a-z.*+]{0,5}"),
    ) {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let url = format!("https://a.test/{}{query}", path.join("/"));
        // A browser's URLs are normal ones.
        let url = url::Url::parse(&url).unwrap().to_string();
        for pattern in patterns(&[(url.clone(), String::new())].into(), &QueryNeeds::new()) {
            prop_assert!(regex::Regex::new(&pattern).unwrap().is_match(&url), "{} {}", pattern, url);
        }
    }
}
