use super::*;
use crate::extract::urls::{QueryNeeds, patterns};
use crate::model::{ContentType, StateSignature};
use proptest::prelude::*;

fn text(value: &str) -> Indicator {
    Indicator::text(value.to_owned(), "body", "")
}

fn screen(id: &str, pattern: &str, values: &[&str]) -> ScreenDefinition {
    let state_signature = StateSignature { required_indicators: values.iter().map(|value| text(value)).collect() };
    let (url_patterns, example_urls) = (vec![pattern.to_owned()], Vec::new());
    ScreenDefinition { url_patterns, example_urls, state_signature, ..ScreenDefinition::example(id) }
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
    // Within the brackets that are put around it this would be a pattern, one that matches
    // anywhere.
    let error = Recogniser::new(&knowledge(&[screen("broken", "a)|(?:b", &[])])).unwrap_err();
    assert!(matches!(error, KnowledgeError::InvalidPattern { .. }), "{error}");
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

/// The slow way: every pattern and every text of every screen.
fn slowly(knowledge: &Knowledge, url: &str, summary: &str) -> Recognition {
    let built = Recogniser::new(knowledge).unwrap();
    let summary = fold(summary);
    let is_match = |pattern: &str| regex::Regex::new(&format!("^(?:{pattern})")).unwrap().is_match(url);
    type Found = (f64, (u32, u32, u32), u32, Vec<Indicator>);
    let mut found: Vec<Found> = Vec::new();
    for (at, entry) in built.entries.iter().enumerate() {
        let screen = &knowledge.screens[&entry.id];
        let is_url = screen.url_patterns.iter().any(|pattern| is_match(pattern));
        let all = &screen.state_signature.required_indicators;
        let there: Vec<Indicator> = all
            .iter()
            .filter(|indicator| match (&indicator.value, &indicator.pattern) {
                (Some(value), _) => summary.contains(&fold(value)),
                (_, Some(pattern)) => is_match(pattern),
                _ => false,
            })
            .cloned()
            .collect();
        if !is_url && there.is_empty() {
            continue;
        }
        let share = if all.is_empty() { 0.0 } else { f64::from(there.len() as u32) / f64::from(all.len() as u32) };
        let mut score = if is_url { URL_WEIGHT } else { 0.0 } + share * INDICATOR_WEIGHT;
        if all.iter().any(makes_state) && !there.iter().any(makes_state) {
            score = score.min(THRESHOLD);
        }
        let specific = (entry.depth, there.len() as u32, entry.literal);
        found.push(((score * 1e9).round() / 1e9, specific, at as u32, there));
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)).then(one.2.cmp(&other.2)));
    let ranked: Vec<(f64, u32)> = found.iter().map(|it| (it.0, it.2)).collect();
    let tie = is_tie(&ranked).then(|| told_apart_by(found[0].1, found[1].1));
    let mut told = built.told(&ranked, &BTreeSet::new(), tie);
    if told.screen_id.is_some() {
        told.matched_indicators = found.remove(0).3;
    }
    told
}

/// A screen of a few patterns and texts, so that many are alike.
fn any_screen() -> impl Strategy<Value = ScreenDefinition> {
    let pattern = prop_oneof![
        Just(r"^https?://a\.test/"),
        Just(r"^https?://a\.test/[a-z]+$"),
        Just(r"^https?://a\.test/(?:x|y)"),
        Just(r"^https?://a\.test/x/?(?:[?#].*)?$"),
        Just(r"^https?://a\.test/[^/?#]+/y$"),
        Just(r"https://a\.test/x"),
        Just(r"https?://a\.test/(?:xx?|[^/]+)/y"),
        Just(r"^https?://a\.test/(?i:X)/?"),
        Just(r"x"),
        Just(r".*/y"),
    ];
    let text = prop_oneof![Just("Save"), Just("Cart"), Just("Sign in"), Just("Total")];
    let selector =
        prop_oneof![Just("body"), Just("button, .btn, [role=\"button\"]"), Just(ElementKind::Tab.selector())];
    let indicator = prop_oneof![
        3 => (text, selector).prop_map(|(value, selector)| Indicator::text(value.to_owned(), selector, "")),
        1 => pattern.clone().prop_map(Indicator::url),
    ];
    (prop::collection::vec(pattern, 1..3), prop::collection::vec(indicator, 0..4)).prop_map(|(patterns, indicators)| {
        let mut screen = screen("s", "", &[]);
        screen.url_patterns = patterns.into_iter().map(str::to_owned).collect();
        let mut seen = BTreeSet::new();
        screen.state_signature.required_indicators = indicators;
        // A signature says nothing twice.
        screen.state_signature.required_indicators.retain(|it| seen.insert((it.value.clone(), it.pattern.clone())));
        screen
    })
}

proptest! {
    /// What is never run would have changed nothing.
    #[test]
    fn the_answer_is_that_of_running_everything(
        screens in prop::collection::vec((any_screen(), prop::option::of(0..12_usize)), 1..14),
        path in prop_oneof![Just("x"), Just("y"), Just("x/y"), Just(""), Just("x?a#b"), Just("zz")],
        summary in "(Save|Cart|Sign in|Total|[a-z ]){0,3}",
        alone in 0..3_u32,
        set_from in prop_oneof![Just(1_usize), Just(3), Just(1000)],
        bare in prop_oneof![Just(0_usize), Just(2), Just(1000)],
    ) {
        let mut known = Knowledge::new("k");
        let count = screens.len();
        for (at, (mut screen, parent)) in screens.into_iter().enumerate() {
            screen.screen_id = format!("s{at:02}").into();
            let parent = parent.filter(|parent| *parent < at && at < count);
            screen.parent_screen_id = parent.map(|parent| format!("s{parent:02}").into());
            known.screens.insert(screen.screen_id.clone(), screen);
        }
        let url = format!("https://a.test/{path}");
        let quick = Recogniser::with_limits(&known, Limits { set_from, alone, bare }).unwrap().summary(&url, &summary);
        prop_assert_eq!(quick, slowly(&known, &url, &summary));
    }

    /// The index by literal beginnings may pass over no pattern that matches.
    #[test]
    fn no_pattern_that_matches_is_passed_over(
        pattern in concat!(
            r"(\^?https?\??://|\^|)(a|b|\\.|\.|/|a\?|b\*|\(ab\)\+|\(\?:ab\|ba\)|\(\?i:AB\)|\(\?:ab\)\{0,",
            r"2\}|\(a\|b\)|a\|b|\[ab\]|\\d|\\\\){0,8}\$?"
        ),
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
