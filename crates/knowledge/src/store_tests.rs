use super::*;
use crate::model::{ActionDefinition, ActionId, Indicator, TaskDefinition, TransitionDefinition, TransitionId};

fn screen(id: &str) -> ScreenDefinition {
    ScreenDefinition { website_id: "shop".into(), ..ScreenDefinition::example(id) }
}

fn knowledge() -> Knowledge {
    let mut knowledge = Knowledge::new("k");
    for id in ["cart", "home"] {
        knowledge.screens.insert(id.into(), screen(id));
    }
    let dialog = ScreenDefinition { parent_screen_id: Some("cart".into()), ..screen("ask") };
    knowledge.screens.insert("ask".into(), dialog);
    let action = ActionDefinition {
        action_id: "go".into(),
        name: "Go".to_owned(),
        action_type: "click".to_owned(),
        screen_ids: vec!["home".into()],
        ..ActionDefinition::default()
    };
    knowledge.actions.insert("go".into(), action);
    let transition = TransitionDefinition {
        transition_id: "t".into(),
        from_screen_id: "home".into(),
        to_screen_id: "cart".into(),
        action_id: Some("go".into()),
        count: 2,
        ..TransitionDefinition::default()
    };
    knowledge.transitions.insert("t".into(), transition);
    let task = TaskDefinition { task_id: "buy".into(), name: "Buy".to_owned(), ..TaskDefinition::default() };
    knowledge.tasks.insert("buy".into(), task);
    knowledge
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn what_is_saved_is_what_is_loaded_also_from_a_file_opened_again() {
    let folder = folder();
    let path = folder.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.knowledge_ids().unwrap(), []);
    store.save(&knowledge()).unwrap();
    store.save(&knowledge()).unwrap();
    drop(store);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.load(&"k".into()).unwrap(), knowledge());
    // What is saved again takes the place of what was there, with all that belongs to it.
    store.save(&Knowledge::new("k")).unwrap();
    let rows: i64 = store.connection.query_row("SELECT count(*) FROM action_screen", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn an_empty_store_says_that_it_holds_nothing() {
    let store = Store::in_memory().unwrap();
    let error = store.load(&"k".into()).unwrap_err();
    assert!(error.to_string().ends_with("it holds nothing"), "{error}");
    assert!(error.hint().contains("build"));
}

#[test]
fn rows_of_the_old_shape_read_as_unknown_and_none_is_added() {
    let folder = folder();
    let path = folder.path().join("old.sqlite");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(V1).unwrap();
    old.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1;")).unwrap();
    let body = concat!(
        r#"{"screen_id": "core_goal", "name": "1. Core Goal","#,
        r#" "state_signature": {"required_indicators":"#,
        r#" [{"value": "Your primary goal is to conduct a Baseline Emotional Profile..."}]},"#,
        r#" "url_patterns": [".*/div.*", "("]}"#
    );
    old.execute_batch("INSERT INTO knowledge VALUES ('k')").unwrap();
    old.execute("INSERT INTO screen (knowledge, id, website, body) VALUES ('k', 'core_goal', 'w', ?1)", [body])
        .unwrap();
    drop(old);
    let mut store = Store::open(&path).unwrap();
    let mut known = store.load(&"k".into()).unwrap();
    assert_eq!(known.screens["core_goal"].content_type, ContentType::Unknown);
    assert!(!known.screens["core_goal"].is_navigable());
    store.save(&known).unwrap();
    known.screens.insert("new".into(), ScreenDefinition { content_type: ContentType::Unknown, ..screen("new") });
    let error = store.save(&known).unwrap_err();
    assert!(error.to_string().contains("\"new\": content_type is unknown"), "{error}");
}

#[test]
fn a_store_of_a_newer_version_is_refused_and_not_touched() {
    let folder = folder();
    let path = folder.path().join("new.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.save(&knowledge()).unwrap();
    store.connection.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(store);
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, KnowledgeError::TooNew { found: 99, supported: STORE_VERSION, .. }), "{error}");
    assert!(error.hint().contains("update this tool"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_no_store_and_what_is_damaged_is_said() {
    let folder = folder();
    let text = folder.path().join("text");
    std::fs::write(&text, "this is a long enough text that is certainly no database at all").unwrap();
    assert!(matches!(Store::open(&text), Err(KnowledgeError::NotAStore { .. })));
    let other = folder.path().join("other");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    assert!(matches!(Store::open(&other), Err(KnowledgeError::NotAStore { .. })));

    let path = folder.path().join("damaged");
    let mut store = Store::open(&path).unwrap();
    store.save(&knowledge()).unwrap();
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    for cut in [whole.len() / 2, whole.len() - 4096] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let found = Store::open(&path).and_then(|store| store.load(&"k".into()));
        assert!(matches!(found, Err(KnowledgeError::Damaged { .. } | KnowledgeError::NotAStore { .. })), "{found:?}");
    }
    let mut changed = whole.clone();
    changed[4096..].iter_mut().step_by(3).for_each(|byte| *byte ^= 0x55);
    std::fs::write(&path, &changed).unwrap();
    assert!(Store::open(&path).and_then(|store| store.load(&"k".into())).is_err());
}

#[test]
fn a_row_that_refers_to_nothing_or_is_no_json_is_damage() {
    let folder = folder();
    let path = folder.path().join("store");
    let mut store = Store::open(&path).unwrap();
    store.save(&knowledge()).unwrap();
    store.connection.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM screen WHERE id = 'cart'").unwrap();
    drop(store);
    let error = Store::open(&path).unwrap_err();
    assert!(error.to_string().contains("refers to nothing"), "{error}");

    let mut store = Store::in_memory().unwrap();
    store.save(&knowledge()).unwrap();
    store.connection.execute_batch(r#"UPDATE action SET body = '{"action_id": 4}'"#).unwrap();
    let error = store.load(&"k".into()).unwrap_err();
    assert!(error.to_string().contains("action \"go\" cannot be read: action_id"), "{error}");
}

#[test]
fn what_does_not_make_sense_is_refused_and_what_was_there_stays() {
    let mut store = Store::in_memory().unwrap();
    store.save(&knowledge()).unwrap();
    type Change = fn(&mut Knowledge);
    fn cart(k: &mut Knowledge) -> &mut ScreenDefinition {
        k.screens.get_mut("cart").unwrap()
    }
    fn way(k: &mut Knowledge) -> &mut TransitionDefinition {
        k.transitions.get_mut("t").unwrap()
    }
    let cases: [(Change, &str); 13] = [
        (|k| cart(k).parent_screen_id = Some("ask".into()), "form a cycle"),
        (|k| cart(k).parent_screen_id = Some("no".into()), "parent \"no\" is not known"),
        (|k| cart(k).url_patterns = vec!["(".to_owned()], "screen \"cart\": pattern \"(\" cannot be used"),
        (|k| cart(k).url_patterns = vec!["(?=a)".to_owned()], "look-around"),
        (|k| cart(k).url_patterns = vec!["(a{1000}){1000}".to_owned()], "larger than"),
        (|k| cart(k).url_patterns.clear(), "has no signature"),
        (|k| cart(k).metadata.confidence = f64::NAN, "confidence NaN"),
        (|k| cart(k).content_type = ContentType::ApiDocs, "actionable, yet of content type api_docs"),
        (
            |k| cart(k).state_signature.required_indicators = vec![Indicator::text("x".repeat(51), "body", "")],
            "longer than 50 characters",
        ),
        (|k| k.actions.get_mut("go").unwrap().screen_ids.push("no".into()), "screen \"no\", which is not known"),
        (|k| way(k).action_id = Some(ActionId::from("no")), "action \"no\", which is not known"),
        (|k| way(k).transition_id = TransitionId::from("u"), "calls itself \"u\""),
        (|k| way(k).metadata.inferred = true, "marked inferred, yet was observed"),
    ];
    for (change, said) in cases {
        let mut changed = knowledge();
        change(&mut changed);
        let error = store.save(&changed).unwrap_err();
        assert!(error.to_string().contains(said), "{error} should say {said:?}");
        assert_eq!(store.load(&"k".into()).unwrap(), knowledge());
    }
}

#[test]
fn many_open_a_store_that_is_not_there_at_once() {
    for _ in 0..20 {
        let folder = folder();
        let path = folder.path().join("store.sqlite");
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    Store::open(&path).unwrap().save(&knowledge()).unwrap();
                });
            }
        });
        assert_eq!(Store::open(&path).unwrap().load(&"k".into()).unwrap(), knowledge());
    }
}

#[test]
fn a_store_that_another_writes_to_for_long_is_waited_for() {
    let folder = folder();
    let path = folder.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(6));
            other.execute_batch("COMMIT").unwrap();
        });
        store.save(&knowledge()).unwrap();
    });
    assert_eq!(store.load(&"k".into()).unwrap(), knowledge());
}
