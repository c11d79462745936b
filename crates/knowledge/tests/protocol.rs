//! What agents ask, and what they are answered.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;
#[path = "protocol/fixtures.rs"]
mod fixtures;

use browserlens_core::page::PageBuilder;
use browserlens_core::strategy::StepIndex;
use browserlens_knowledge::protocol::{
    Agent, AgentInstruction, AgentResponse, Environment, InstructionType, NavigationGraph,
};
use browserlens_knowledge::translate::Profile;
use browserlens_knowledge::{Document, Knowledge, ScreenId, extract, ingest};
use browserlens_trace::Trace;
use common::action;
use fixtures::knowledge;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn ask(knowledge: &Knowledge, instruction: Value) -> AgentResponse {
    Agent::new(knowledge).unwrap().answer_json(&instruction.to_string(), &Environment::default())
}

/// Asks what an instruction of a type says of a target.
fn ask_for(knowledge: &Knowledge, kind: &str, target: &str, context: Value) -> AgentResponse {
    ask(knowledge, json!({ "instruction_type": kind, "target": target, "context": context }))
}

fn navigate(target: &str, from: Option<&str>) -> Value {
    let context = from.map_or_else(|| json!({}), |from| json!({ "current_screen_id": from }));
    json!({ "instruction_type": "navigate_to_screen", "target": target, "knowledge_id": "k", "context": context })
}

fn actions(response: &AgentResponse) -> Vec<&str> {
    response.steps.iter().map(|step| step.action_id.as_ref().map_or("", |id| id.as_str())).collect()
}

#[test]
fn the_surest_way_wins_over_the_shortest_and_every_step_can_be_checked() {
    let knowledge = knowledge();
    let response = ask(&knowledge, navigate("item", Some("home")));
    assert_eq!((response.success, response.error.as_deref()), (true, None));
    assert_eq!(actions(&response), ["to_list", "to_item"]);
    for (step, screen) in response.steps.iter().zip(["list", "item"]) {
        let expected = step.expected_screen.as_ref().unwrap();
        assert_eq!(expected.screen_id.as_str(), screen);
        assert!(!expected.verification.dom_contains.is_empty() && expected.verification.url_matches.is_some());
        assert_eq!(step.actions.len(), 1);
    }
    assert_eq!(response.expected_result.unwrap().screen_id.unwrap().as_str(), "item");
    // A step of 0.97 each is worth less than one of 0.96.
    let mut other = knowledge.clone();
    other.transitions.get_mut("home_item_shortcut").unwrap().metadata.confidence = 0.9;
    assert_eq!(actions(&ask(&other, navigate("item", Some("home")))), ["shortcut"]);
}

#[test]
fn a_ring_has_an_end_and_history_is_the_last_resort() {
    let mut knowledge = knowledge();
    assert_eq!(actions(&ask(&knowledge, navigate("home", Some("list")))), ["to_item", "to_home"]);
    assert_eq!(actions(&ask(&knowledge, navigate("home", Some("home")))), Vec::<&str>::new());
    assert_eq!(actions(&ask(&knowledge, navigate("list", Some("item")))), ["to_home", "to_list"]);
    // Without a way round, the step back is taken.
    knowledge.transitions.remove("item_home_to_home");
    knowledge.tasks.clear();
    assert_eq!(actions(&ask(&knowledge, navigate("list", Some("item")))), ["back"]);
}

#[test]
fn a_way_through_a_form_takes_its_fields_along_with_the_agents_values() {
    let knowledge = knowledge();
    let mut instruction = navigate("inside", Some("home"));
    let response = ask(&knowledge, instruction.clone());
    assert_eq!(actions(&response), ["to_login", "type_user", "log_in"]);
    let code = |response: &AgentResponse| response.actions[1].parameters["code"].as_str().unwrap().to_owned();
    assert!(code(&response).contains("\"text\":\"bob\""), "as the task does it");
    instruction["context"]["values"] = json!({ "Username": "\"carl\"" });
    let given = code(&ask(&knowledge, instruction));
    assert!(given.contains(r#""text":"\u0022carl\u0022""#), "{given}");
}

#[test]
fn a_way_hands_over_a_file_made_for_the_purpose_or_the_one_that_is_given() {
    let mut known = serde_json::to_value(knowledge()).unwrap();
    let mut attach = action("attach", "login", "upload_file", "button", "Attach");
    attach["parameters"] = json!({ "path": "files/plan.txt" });
    known["actions"]["attach"] = attach;
    let done = json!({ "order": 3,
        "action": { "action_type": "upload_file", "parameters": { "path": "files/plan.txt" } }, "action_id": "attach",
        "screen_id": "login", "expected_screen_id": "login" });
    let steps = known["tasks"]["enter"]["steps"].as_array_mut().unwrap();
    steps.insert(3, done);
    steps[4]["order"] = json!(4);
    let knowledge: Knowledge = serde_json::from_value(known).unwrap();
    let response = ask(&knowledge, navigate("inside", Some("home")));
    assert_eq!(actions(&response), ["to_login", "type_user", "attach", "log_in"]);
    let [call] = response.steps[2].actions.as_slice() else { panic!("{response:?}") };
    let code = call.parameters["code"].as_str().unwrap();
    assert!(response.steps[2].optional && code.contains(r#""name":"plan\u002etxt""#), "{code}");
    // Once its page is there, the agent's own tools do it.
    let page = PageBuilder::outline(
        "button \"Attach\" tag=button box=0,0,100,20 #5\nbutton \"Log in\" tag=button disabled box=0,30,100,20 \
            #6\nbutton \"File\" tag=input type=\"file\" hidden #7",
    );
    let agent = Agent::new(&knowledge).unwrap();
    let environment = Environment { page: Some(&page), ..Environment::default() };
    let anew = |values: Value| -> Vec<(String, Value)> {
        let mut instruction = navigate("inside", Some("home"));
        instruction["context"]["values"] = values;
        let instruction: AgentInstruction = serde_json::from_value(instruction).unwrap();
        let calls = agent.anew(&response.steps[2], &instruction, &environment).unwrap();
        calls.into_iter().map(|call| (call.tool_name, json!(call.parameters))).collect()
    };
    let made = json!({ "file_name": "plan.txt", "content": "Placeholder of plan.txt\n" });
    let handed = |path: &str| ("upload_file".to_owned(), json!({ "index": 7, "path": path }));
    assert_eq!(anew(json!({})), [("write_file".to_owned(), made), handed("plan.txt")]);
    assert_eq!(anew(json!({ "Attach": "/home/ann/real.txt" })), [handed("/home/ann/real.txt")]);
    let other: AgentInstruction = serde_json::from_value(navigate("inside", None)).unwrap();
    assert!(agent.anew(&response.steps[1], &other, &environment).is_err());
}

#[test]
fn where_the_current_screen_is_not_known_the_way_begins_by_opening_a_url() {
    let knowledge = knowledge();
    let response = ask(&knowledge, navigate("list", None));
    assert_eq!(actions(&response), ["open_home", "to_list"]);
    assert_eq!(response.actions[0].tool_name, "navigate");
    assert_eq!(response.actions[0].parameters["url"], "https://app.test/");
}

#[test]
fn the_current_screen_is_recognised_by_url_and_summary_or_by_the_page() {
    let knowledge = knowledge();
    let instruction = json!({ "query_type": "navigate_to", "target": "item",
        "context": { "current_url": "https://app.test/list", "dom_summary": "Here are all items for \
            you", "step": 3 } });
    let response = ask(&knowledge, instruction.clone());
    assert_eq!(response.metadata["from_screen_id"], "list");
    assert_eq!(actions(&response), ["to_item"]);
    // On a page, the first step gets the index of its node, and later ones a script.
    let page = PageBuilder::outline(
        "heading \"Welcome\" level=1 tag=h1 box=0,0,200,20\nlink \"List\" tag=a href=\"/list\" #41 \
            box=0,30,100,20\nlink \"Login\" tag=a href=\"/login\" #42 box=0,60,100,20",
    );
    let instruction: AgentInstruction = serde_json::from_value(navigate("item", Some("home"))).unwrap();
    let agent = Agent::new(&knowledge).unwrap();
    let environment = Environment { page: Some(&page), ..Environment::default() };
    let response = agent.answer(&instruction, &environment);
    let tools: Vec<&str> = response.actions.iter().map(|action| action.tool_name.as_str()).collect();
    assert_eq!(tools, ["click", "evaluate"]);
    assert_eq!(response.actions[0].parameters["index"], 41);
    assert!(response.actions[1].confidence < response.actions[0].confidence);
    let seed = agent.answer(&instruction, &Environment { profile: Profile::Seed, ..environment });
    assert_eq!(seed.actions[0].parameters["index"], 41);
}

#[test]
fn what_is_not_known_is_answered_with_what_is_nearest_and_what_to_do() {
    let knowledge = knowledge();
    let response = ask(&knowledge, navigate("the lst screen", Some("home")));
    assert!(!response.success && response.actions.is_empty());
    assert_eq!(response.candidates[0].id, "list");
    assert!(response.error.unwrap().contains("is not known") && response.hint.unwrap().contains("candidates"));
    let response = ask(&knowledge, navigate("island", Some("home")));
    assert!(response.error.unwrap().contains("no known way leads from screen \"home\" to \"island\""));
    assert!(response.hint.unwrap().contains("knowledge gaps"));
    let response = ask(&knowledge, navigate("manual", Some("home")));
    assert!(response.error.unwrap().contains("documentation"), "no browser is led to a document");
    assert!(response.candidates.iter().all(|candidate| candidate.id != "manual"));
    let response = ask(&knowledge, navigate("list", Some("nowhere")));
    assert!(response.error.unwrap().contains("\"nowhere\"") && response.hint.unwrap().contains("current_url"));
    let response = ask_for(&knowledge, "execute_task", "entr", Value::Null);
    assert_eq!(response.candidates[0].id, "enter");
    let mut of_other = navigate("list", None);
    of_other["knowledge_id"] = json!("other");
    let response = ask(&knowledge, of_other);
    assert!(response.error.unwrap().contains("\"other\""));
    let response = ask_for(&knowledge, "fly", "list", Value::Null);
    assert!(response.error.unwrap().contains("instruction_type") && response.hint.unwrap().contains("execute_task"));
    let response = ask(&Knowledge::new("k"), navigate("list", None));
    assert!(response.hint.unwrap().contains("knowledge build"));
    let mut bare = knowledge.clone();
    let island = bare.screens.get_mut(&ScreenId::from("island")).unwrap();
    (island.url_patterns, island.state_signature) = Default::default();
    let error = Agent::new(&bare).unwrap_err();
    assert!(error.to_string().contains("island") && error.hint().contains("URL pattern"), "{error}");
}

#[test]
fn tasks_screens_actions_and_contexts_are_answered() {
    let knowledge = knowledge();
    let ask = |kind: &str, target: &str, context: Value| ask_for(&knowledge, kind, target, context);
    let response = ask("execute_task", "enter", Value::Null);
    assert!(response.success, "{:?}", response.error);
    assert_eq!(actions(&response), ["open_home", "to_login", "type_user", "log_in"]);
    assert_eq!(response.expected_result.unwrap().success_criteria.unwrap().screen_id.unwrap().as_str(), "inside");
    let by_goal = ask("execute_task", "log in as Bob", Value::Null);
    assert_eq!(actions(&by_goal), ["open_home", "to_login", "type_user", "log_in"], "{:?}", by_goal.error);

    let here = json!({ "current_url": "https://app.test/login", "dom_summary": "Sign in" });
    assert_eq!(ask("find_screen", "", here).expected_screen.unwrap().screen_id.as_str(), "login");
    let none = ask("find_screen", "https://else.test/", Value::Null);
    assert!(!none.success && none.hint.is_some());

    let response = ask("get_actions", "home", json!({ "profile": "seed" }));
    assert!(response.success);
    assert_eq!(response.steps.len(), 4);
    let to_list = response.steps.iter().find(|step| step.action_id.as_ref().unwrap().as_str() == "to_list").unwrap();
    assert_eq!(to_list.expected_screen.as_ref().unwrap().screen_id.as_str(), "list");

    let at_home = json!({ "current_screen_id": "home" });
    assert_eq!(actions(&ask("find_element", "the login link", at_home.clone()))[0], "to_login");
    let response = ask("find_element", "xyzzy", at_home);
    assert!(!response.success && response.error.unwrap().contains("xyzzy"));

    let response = ask("get_screen_context", "list", Value::Null);
    assert_eq!(response.metadata["screen"]["name"], "The list screen");
    assert_eq!(response.metadata["leads_to"][0]["screen_id"], "item");
    assert_eq!(response.metadata["reached_from"].as_array().unwrap().len(), 2);

    let all = ask("explore_website", "w", Value::Null);
    assert_eq!(all.metadata["screens"].as_array().unwrap().len(), 7);
    assert_eq!(all.actions[0].tool_name, "navigate");
    let web = ask("explore_website", "", json!({ "actionable_only": true }));
    assert_eq!(web.metadata["screens"].as_array().unwrap().len(), 6);
    let texts = ask("explore_website", "", json!({ "content_type": "documentation" }));
    assert_eq!(texts.metadata["screens"][0]["screen_id"], "manual");

    let response = ask("agent_query", "enter", json!({ "query_type": "execute_task" }));
    assert_eq!((response.success, response.steps.len()), (true, 4));
}

#[test]
fn names_are_those_that_agents_know() {
    let own = InstructionType::ALL.map(|kind| (kind.name(), kind));
    for (name, meant) in own.into_iter().chain([("navigate_to", InstructionType::NavigateToScreen)]) {
        let read: AgentInstruction = serde_json::from_value(json!({ "query_type": name, "target": "x" })).unwrap();
        assert_eq!(read.instruction_type, meant);
    }
    let response = serde_json::to_value(ask(&knowledge(), navigate("list", Some("home")))).unwrap();
    assert_eq!(response["success"], true);
    for field in ["tool_name", "parameters", "description", "confidence", "screen_id"] {
        assert!(response["actions"][0].get(field).is_some(), "{field}");
    }
    for field in ["expected_result", "expected_screen", "metadata", "steps"] {
        assert!(response.get(field).is_some(), "{field}");
    }
    let schema = serde_json::to_value(schemars::schema_for!(AgentInstruction)).unwrap();
    assert!(schema["properties"].get("instruction_type").is_some());
    let read: AgentResponse = serde_json::from_value(response.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), response);
}

#[test]
fn hostile_words_in_questions_are_only_words() {
    let knowledge = knowledge();
    let long = "x".repeat(100_000);
    let said =
        ["(a+)+$", "');alert(1)//", "\u{202e}list", "{{secret:x}}", "javascript:alert(1)", "../../etc", "", &long];
    for target in said {
        for kind in InstructionType::ALL {
            let response = ask_for(&knowledge, kind.name(), target, json!({ "current_screen_id": "home" }));
            assert!(response.success || response.hint.is_some(), "{kind:?} {target}");
            assert!(response.error.is_none_or(|error| error.len() < 1000));
        }
    }
}

fn bundled() -> Knowledge {
    extract("bundled", &common::recordings(&common::traces()))
}

#[test]
fn every_pair_of_connected_screens_of_the_bundled_sites_has_a_way_that_can_be_said() {
    let knowledge = bundled();
    let agent = Agent::new(&knowledge).unwrap();
    let graph = NavigationGraph::new(&knowledge);
    let mut unsaid: BTreeMap<String, usize> = BTreeMap::new();
    let (mut pairs, mut said) = (0, 0);
    for from in knowledge.navigable_screens() {
        for to in graph.reachable(&from.screen_id).into_iter().filter(|to| **to != from.screen_id) {
            let instruction: AgentInstruction =
                serde_json::from_value(json!({ "instruction_type": "navigate_to_screen", "target": to,
                    "context": { "current_screen_id": from.screen_id } }))
                .unwrap();
            for profile in Profile::ALL {
                pairs += 1;
                let response = agent.answer(&instruction, &Environment { profile, ..Environment::default() });
                if !response.success {
                    *unsaid.entry(response.error.unwrap()).or_default() += 1;
                    continue;
                }
                said += 1;
                assert_eq!(&response.steps.last().unwrap().expected_screen.as_ref().unwrap().screen_id, to);
                assert!(response.actions.iter().all(|action| profile.validate(action).is_ok()));
            }
        }
    }
    println!("{said} of {pairs} ways (both profiles); not said: {unsaid:#?}");
    assert!(pairs > 100, "{pairs}");
    assert_eq!(said, pairs);
}

#[test]
fn a_recorded_page_gets_actions_with_the_indices_of_its_nodes() {
    let knowledge = bundled();
    let agent = Agent::new(&knowledge).unwrap();
    let mut asked = 0;
    let mut translated = 0;
    for path in common::traces() {
        let trace = Trace::open(&path).unwrap();
        let (page, _) = trace.page(StepIndex(0)).unwrap();
        let instruction: AgentInstruction =
            serde_json::from_value(json!({ "instruction_type": "get_actions" })).unwrap();
        let response = agent.answer(&instruction, &Environment { page: Some(&page), ..Environment::default() });
        assert!(response.success, "{}: {:?}", path.display(), response.error);
        asked += response.steps.len();
        translated += response.steps.iter().filter(|step| step.error.is_none()).count();
        for action in &response.actions {
            if let Some(index) = action.parameters.get("index").and_then(Value::as_u64) {
                assert!(page.nodes().any(|node| u64::from(node.key().backend) == index));
            }
        }
    }
    println!("{translated} of {asked} known actions are on the first page");
    assert!(translated > 0 && asked > 20);
}

#[test]
fn a_task_of_a_text_is_said_and_its_sections_are_found_by_what_they_say() {
    let mut knowledge = Knowledge::new("k");
    let text = "# Refund policy\n\nMoney comes back within ten days.\n\n# Return a parcel\n\n1. Go to \
        https://shop.test/returns\n2. Type \"A-17\" into the \"Order\" field\n3. Click the \"Send back\" button\n";
    let document =
        Document { name: "m.md".to_owned(), website_id: "shop".into(), text: text.to_owned(), content_type: None };
    let task = ingest(&mut knowledge, &document).tasks.remove(0);
    for profile in ["seed", "browser-use-0.13"] {
        let asked = json!({ "instruction_type": "execute_task", "target": task, "context": { "profile": profile } });
        let response = ask(&knowledge, asked);
        assert!(response.success, "{:?}", response.error);
        let tools: Vec<&str> = response.actions.iter().map(|action| action.tool_name.as_str()).collect();
        assert_eq!(tools, ["navigate", "evaluate", "evaluate"]);
        assert_eq!(response.actions[0].parameters["url"], "https://shop.test/returns");
    }
    let page = common::page(
        "https://shop.test/returns",
        "Returns",
        "main tag=main box=0,0,800,600\n  textbox \"Order\" tag=input #7 box=0,0,90,20\n  button \
        \"Send back\" tag=button #8 box=0,30,90,20\n",
    );
    let agent = Agent::new(&knowledge).unwrap();
    let asked = json!({ "instruction_type": "execute_task", "target": task }).to_string();
    // The page is that of the first step: it is left by it, and what comes later looks for its
    // nodes.
    let response = agent.answer_json(&asked, &Environment { page: Some(&page), ..Environment::default() });
    assert!(response.success && response.actions.len() == 3, "{response:?}");

    let find = |words: &str, kind: Value| ask_for(&knowledge, "find_screen", words, json!({ "content_type": kind }));
    let found = find("the refund policy", json!("documentation"));
    assert!(found.success, "{:?}", found.error);
    assert_eq!(found.metadata["screen_name"], "Refund policy");
    assert!(found.metadata["text"].as_str().unwrap().contains("ten days") && found.actions.is_empty());
    let none = find("the refund policy", json!("api_docs"));
    assert!(!none.success && none.candidates.is_empty(), "{none:?}");
    assert!(!find("the refund policy", Value::Null).success, "texts are no screens of a browser");
}

#[test]
fn what_is_null_is_left_out() {
    let asked = r#"{"instruction_type": "explore_website", "target": null, "knowledge_id": null, "context": null}"#;
    let knowledge = knowledge();
    let agent = Agent::new(&knowledge).unwrap();
    assert!(agent.answer_json(asked, &Environment::default()).success);
}

/// Later steps are scripts: agents pay for every character of them. The longest drags one element
/// to another, both told in words.
#[test]
fn scripts_of_the_bundled_sites_are_short() {
    let mut knowledge = bundled();
    browserlens_knowledge::fill_available_actions(&mut knowledge, Profile::BrowserUse013);
    let mut lengths: Vec<usize> = knowledge
        .screens
        .values()
        .flat_map(|screen| &screen.available_browser_use_actions)
        .filter_map(|action| Some(action.parameters.get("code")?.as_str()?.len()))
        .collect();
    lengths.sort_unstable();
    let (median, most) = (lengths[lengths.len() / 2], lengths[lengths.len() - 1]);
    println!("{} scripts, median {median}, longest {most} characters", lengths.len());
    assert!(median <= 1_200 && most <= 2_850, "median {median}, longest {most}");
}
