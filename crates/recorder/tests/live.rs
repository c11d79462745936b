//! The live page source and actor, on a fixture served on its loopback port.

mod common;

use browserlens_core::strategy::{ActError, ActionKind, Actor, EventFilter, PageSource, StepIndex, TakenAction};
use browserlens_recorder::{LiveBrowser, LiveOptions, Wait};
use common::{serve, sites};
use std::time::Duration;

fn action(kind: ActionKind, text: &str) -> TakenAction {
    TakenAction { kind, node: None, text: text.to_owned(), error: None }
}

#[test]
fn a_live_page_is_looked_at_acted_on_and_asked_for_its_events() {
    let server = serve("fixtures");
    let url = |page: &str| server.url(page);
    let mut live = LiveBrowser::open(&url("action-click.html"), &LiveOptions::default()).expect("opens");
    // On a thread without a runtime.
    let began = std::time::Instant::now();
    assert!(live.wait(&Wait::Time(Duration::from_millis(50))).expect("waits"));
    assert!(began.elapsed() >= Duration::from_millis(50));
    let (page, capture) = live.page().expect("a page");
    assert!(capture.screenshot().is_some());
    let go = page.nodes().find(|node| node.name() == "Go" && node.role() == "button").expect("the button").key();
    live.act(&action(ActionKind::Click, ""), Some(go)).expect("clicked");
    assert_eq!(live.step(), StepIndex(1));
    let (page, _) = live.page().expect("a page");
    assert!(common::log_of(&page).contains("click Go detail=1 trusted=true"));
    let off = page.nodes().find(|node| node.name() == "Off").expect("the disabled button").key();
    let error = live.act(&action(ActionKind::Click, ""), Some(off)).expect_err("disabled");
    assert!(matches!(&error, ActError::NotActionable { reason, .. } if reason.contains("disabled")), "{error}");
    let crop = live.crop(common::by_id(&page, "log").bounds()).expect("a crop");
    assert!(image::load_from_memory(&crop.png).is_ok());

    live.act(&action(ActionKind::Goto, &url("capture-events.html?all")), None).expect("went");
    let error = live.act(&action(ActionKind::Click, ""), Some(go)).expect_err("of another document");
    assert!(matches!(error, ActError::NodeGone { .. }), "{error}");
    let filter =
        EventFilter { kinds: vec!["request".to_owned()], statuses: vec![(500, u16::MAX)], ..EventFilter::default() };
    let failed = live.events(&filter, None, 10).expect("events");
    assert_eq!(failed.len(), 1, "{failed:?}");
    let filter = EventFilter { contains: Some("WARNING LINE".to_owned()), ..EventFilter::default() };
    assert_eq!(live.events(&filter, None, 10).expect("events").len(), 1);
}

#[test]
fn a_fast_look_outlives_the_frames_of_the_page_before() {
    let mut live =
        LiveBrowser::open_site(&sites(), "spa", "/harbour/releases/4-1-4", &LiveOptions::default()).expect("opens");
    for tab in ["Notes", "Sign-off", "Notes"] {
        let page = live.look().expect("a look");
        let key = page.nodes().find(|node| node.role() == "tab" && node.name() == tab).expect("the tab").key();
        live.act(&action(ActionKind::Click, ""), Some(key)).expect("clicked");
        assert!(live.look().expect("a look").frames().len() > 1, "{tab}");
    }
    for _ in 0..2 {
        live.act(&action(ActionKind::Goto, "http://spa.test/"), None).expect("went");
        let page = live.look().expect("a look at the next page");
        assert!(page.nodes().any(|node| node.name() == "Board actions"), "{}", page.url());
    }
}

/// The browser's kept tree goes on saying that they cannot.
#[test]
fn options_of_a_list_that_a_script_enabled_can_be_chosen() {
    let mut live =
        LiveBrowser::open_site(&sites(), "fixtures", "/action-select.html", &LiveOptions::default()).expect("opens");
    let chosen = |page: &browserlens_core::page::Page| {
        let found = page.nodes().find(|node| node.role() == "option" && node.name() == "Red");
        found.expect("the option").selected()
    };
    // In a closed shadow tree, scripts do not see what the browser's tree has: it is asked for by
    // fast looks too.
    for shadow in [
        "0",
        "document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' }).innerHTML = \
            '<b>x</b>'",
    ] {
        live.evaluate(shadow).expect("runs");
        for (disabled, expected) in [(true, None), (false, Some(true)), (true, None), (false, Some(true))] {
            live.evaluate(&format!("document.querySelector('#colour').disabled = {disabled}; 0")).expect("runs");
            assert_eq!(chosen(&live.look().expect("a look")), expected, "fast, disabled {disabled}, {shadow}");
            assert_eq!(chosen(&live.page().expect("a page").0), expected, "whole, disabled {disabled}, {shadow}");
        }
    }
}
