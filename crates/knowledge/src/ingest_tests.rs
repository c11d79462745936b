use super::*;
use crate::model::Statistics;
use crate::validate::validate;

fn document(text: &str) -> Document {
    Document { name: "guide.md".to_owned(), website_id: "app".into(), text: text.to_owned(), content_type: None }
}

const GUIDE: &str = r#"# Manual

## Dashboard

Open https://app.example.co/dashboard to see it. It has the heading
"Call Performance", a button "Export", and the "Reports" link.
A button "1. Core" is none, nor is what isn't in quotation marks.

## Core Goal<br />

Your primary goal is to be an empathetic listener in a phone call.
Click the "Next" button on https://app.example.co/next.

## About buttons

Every page has a button and a menu.

## Sign in

1. Open <https://app.example.co/login>.
2. Type "ada" into the "Name" field.
3. Click the "Sign in" button.
4. That was it.
"#;

#[test]
fn sections_become_screens_of_the_website_or_documentation_with_statistics() {
    let mut knowledge = Knowledge::new("k");
    let ingested = ingest(&mut knowledge, &document(GUIDE));
    assert_eq!(ingested.content_type, ContentType::Documentation);
    assert_eq!(ingested.screens.len(), 4);
    let by_name = |name: &str| knowledge.screens.values().find(|screen| screen.name == name).unwrap();
    let dashboard = by_name("Dashboard");
    assert!(dashboard.is_navigable());
    assert_eq!(dashboard.url_patterns, [r"^https?://app\.example\.co/dashboard/?(?:[?#].*)?$"]);
    let values: Vec<&str> = dashboard
        .state_signature
        .required_indicators
        .iter()
        .filter_map(|indicator| indicator.value.as_deref())
        .collect();
    assert_eq!(values, ["Call Performance", "Export", "Reports"]);
    assert_eq!(by_name("Core Goal").content_type, ContentType::Documentation);
    assert!(!by_name("Core Goal").is_actionable && by_name("Core Goal").url_patterns.is_empty());
    assert!(by_name("About buttons").metadata.reasoning.contains("no URL leads there"));
    assert_eq!(by_name("Dashboard").provenance, [Provenance::Document { name: "guide.md".to_owned(), line: 3 }]);
    let expected =
        Statistics { web_ui_screens: 2, documentation_screens: 2, actionable_screens: 2, non_actionable_screens: 2 };
    assert_eq!(knowledge.statistics(), expected);
    validate(&knowledge, &BTreeSet::new()).unwrap();
}

#[test]
fn a_numbered_list_of_doings_is_a_task() {
    let mut knowledge = Knowledge::new("k");
    let ingested = ingest(&mut knowledge, &document(GUIDE));
    let task = &knowledge.tasks[&ingested.tasks[0]];
    let told: Vec<(&str, &str)> =
        task.steps.iter().map(|step| (step.action.action_type.as_str(), step.action.target.as_str())).collect();
    assert_eq!(told, [("navigate", "https://app.example.co/login"), ("input", "Name"), ("click", "Sign in")]);
    assert_eq!(task.steps[1].action.parameters["text"], "ada");
    assert_eq!(task.steps[2].order, 2);
    assert_eq!(ingested.tasks.len(), 1);
    assert_eq!(ingested.not_taken, [(23, "That was it.".to_owned())]);
}

#[test]
fn the_same_text_twice_changes_nothing() {
    let mut once = Knowledge::new("k");
    ingest(&mut once, &document(GUIDE));
    let mut twice = once.clone();
    ingest(&mut twice, &document(GUIDE));
    assert_eq!(once, twice);
}

#[test]
fn the_content_type_is_what_the_text_is() {
    let transcript = "[00:01] Now we open the page\n[00:07] and click on Login.\n[00:12] Then we type.";
    let subtitles = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nHello there";
    let speech =
        "Agent: how can I help you today?\nCaller: I want to book a room.\nAgent: for which day would that be?";
    let api = "# Orders\n\n`GET /v1/orders` lists orders.\n\n`POST /v1/orders` makes one.";
    let specification = "openapi: 3.1.0\ninfo:\n  title: Orders";
    let prose = "# Manual\n\nThe shop opens at 10:30. To get help, write to us.\n\nNote: this is old news by \
        now.\n\nMore text here.\n\nAnd here.\n\nAnd.";
    for text in [transcript, subtitles, speech] {
        assert_eq!(content_type_of(text), ContentType::VideoTranscript, "{text}");
    }
    for text in [api, specification] {
        assert_eq!(content_type_of(text), ContentType::ApiDocs, "{text}");
    }
    for text in [prose, "", GUIDE] {
        assert_eq!(content_type_of(text), ContentType::Documentation, "{text}");
    }
    let mut knowledge = Knowledge::new("k");
    ingest(&mut knowledge, &document(api));
    let screen = knowledge.screens.values().next().unwrap();
    assert_eq!((screen.content_type, screen.is_actionable), (ContentType::ApiDocs, false));
}

proptest::proptest! {
    #[test]
    fn any_text_gives_knowledge_that_can_be_stored(text in "[ -~\n“”é\u{202e}]{0,400}", kind in 0..5usize) {
        let mut knowledge = Knowledge::new("k");
        let kind = Some(ContentType::ALL[kind]).filter(|kind| !matches!(kind,
            ContentType::Unknown | ContentType::WebUi));
        ingest(&mut knowledge, &Document { content_type: kind, ..document(&text) });
        proptest::prop_assert!(validate(&knowledge, &BTreeSet::new()).is_ok());
    }
}
