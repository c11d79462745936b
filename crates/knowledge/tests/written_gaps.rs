//! Gaps of written tasks and of forms, from stores of recordings and texts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use browserlens_knowledge::gaps::{ExtrapolationRequest, ExtrapolationResult, fill_gaps, identify, store};
use browserlens_knowledge::{
    Document, Knowledge, KnowledgeId, Provenance, Recording, Store, WebsiteId, extract, ingest,
};
use common::{Walk, page};

/// Saves knowledge in a file, and reads it from there.
fn stored(knowledge: &Knowledge) -> Knowledge {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path().join("k.sqlite")).unwrap();
    store.save(knowledge).unwrap();
    store.load(&knowledge.knowledge_id).unwrap()
}

/// Knowledge of the bundled recordings of a website, and of a text.
fn bundled(website: &str, text: &str) -> Knowledge {
    let mut recordings = common::recordings(&[common::traces(), common::variants()].concat());
    recordings.retain(|recording| recording.website_id.as_str() == website);
    let mut knowledge = extract(KnowledgeId::from("k"), &recordings);
    read(&mut knowledge, website, text);
    stored(&knowledge)
}

fn read(knowledge: &mut Knowledge, website: &str, text: &str) {
    let (name, text) = ("manual.md".to_owned(), text.to_owned());
    ingest(knowledge, &Document { name, website_id: website.into(), text, content_type: None });
}

fn filled(knowledge: &Knowledge) -> ExtrapolationResult {
    fill_gaps(knowledge, &ExtrapolationRequest::all("k"), None)
}

fn done(result: &ExtrapolationResult) -> Vec<&str> {
    result.inferred_actions.iter().map(|action| action.description.as_str()).collect()
}

#[test]
fn a_written_task_that_jumps_over_what_recordings_do_has_a_gap_and_they_fill_it() {
    let text = "# Order\n\n1. Open the cart\n2. Confirm the order\n";
    let knowledge = bundled("shop", text);
    let task = knowledge.tasks.values().find(|task| task.name == "Order").unwrap();
    let gaps = identify(&knowledge, &WebsiteId::from("shop"));
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!(gaps[0].context["task_id"], task.task_id.as_str());
    assert_eq!(gaps[0].context["position"], 1);
    assert_eq!(identify(&knowledge, &WebsiteId::from("docs")), []);
    let result = filled(&knowledge);
    assert_eq!((result.gaps_filled, result.errors.as_slice()), (1, &[][..]));
    let done = done(&result);
    assert!(done.contains(&"Click link \"Proceed to checkout\""), "{done:?}");
    assert!(!done.iter().any(|it| it.contains("Place order") || it.contains("Cart")), "{done:?}");
    assert!(result.inferred_actions.iter().all(|it| it.action_id.is_some()), "{result:?}");
    // What recordings do is known: nothing is added.
    let mut same = knowledge.clone();
    store(&mut same, &result);
    assert_eq!(same, knowledge);
}

#[test]
fn a_written_task_that_does_what_recordings_do_has_no_gap() {
    for text in [
        "1. Open the cart\n2. Click \"Proceed to checkout\"\n3. Check \"Express courier\"\n4. Type \"0400\" into \
         \"Mobile phone\"\n5. Confirm the order\n",
        "1. Click \"Cart\"\n2. Wait 2 seconds\n3. Click \"Proceed to checkout\"\n",
        "1. Dance\n2. Click \"Something that nobody pressed\"\n3. Open the cart\n",
        "1. Open http://shop.test/\n2. Type \"x\" into \"Search\"\n3. Press the \"Go\" button\n",
    ] {
        let gaps = identify(&bundled("shop", &format!("# Order\n\n{text}")), &WebsiteId::default());
        assert_eq!(gaps, [], "{text}");
    }
}

#[test]
fn a_text_that_fills_a_form_by_halves_lacks_what_the_page_asks_for() {
    let text = "# Sign in\n\n1. Open http://login.test/\n2. Type \"mara\" into \"Email address\"\n3. Submit the form\n";
    let knowledge = bundled("login", text);
    let gaps = identify(&knowledge, &WebsiteId::default());
    let missing: Vec<_> = gaps.iter().filter_map(|gap| gap.context.get("missing_fields")).collect();
    assert_eq!(missing, [&serde_json::json!(["Password"])], "{gaps:?}");
    let result = filled(&knowledge);
    assert_eq!(done(&result), ["Fill textbox \"Password\""], "{result:?}");
}

/// A form as its page shows it at first: what it asks for, with the state of each field.
fn form(fields: &str) -> browserlens_core::page::Page {
    let outline = format!(
        "form \"Booking\" tag=form id=\"f\" box=0,0,400,400\n{fields}  button \"Book\" tag=button box=0,90,50,20\n"
    );
    page("https://desk.test/book", "Book", &format!("heading \"Book a desk\" level=1 tag=h1 box=0,0,90,20\n{outline}"))
}

const ASKED: &str = "  textbox \"Name\" required tag=input id=\"name\" box=0,10,90,20\n";

/// What is missing in a form that is sent with its name filled in.
fn missing(fields: &str) -> Vec<String> {
    let first = form(&format!("{ASKED}{fields}"));
    let filled = form(&format!("{}{fields}", ASKED.replace("required", "required value=\"Ada\"")));
    let sent = page("https://desk.test/done", "Booked", "heading \"Thank you\" level=1 tag=h1 box=0,0,90,20\n");
    let recording = Walk::new("desk", "book", &first).fill("Name", "Ada", &filled).click("Book", &sent).end();
    let knowledge = stored(&extract(KnowledgeId::from("k"), &[recording]));
    let gaps = identify(&knowledge, &WebsiteId::default());
    let fields = gaps.iter().filter_map(|gap| gap.context["missing_fields"].as_array()).flatten();
    fields.map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_the_page_has_filled_itself_and_what_is_optional_is_no_gap() {
    let list = |value: &str, of: &str| {
        format!(
            "  combobox \"Floor\" required value=\"{value}\" tag=select id=\"floor\" box=0,20,90,20\n    option \
                \"{value}\" selected tag=option @value=\"{of}\"\n    option \"Second\" unselected tag=option \
                @value=\"2\"\n"
        )
    };
    let radios = |one: &str| {
        format!(
            "  radio \"Morning\" required {one} tag=input type=\"radio\" name=\"when\" box=0,30,90,20\n  radio \
                \"Evening\" required unchecked tag=input type=\"radio\" name=\"when\" box=0,40,90,20\n"
        )
    };
    let date = |value: &str| format!("  textbox \"Day\" required {value} tag=input id=\"day\" box=0,50,90,20\n");
    let terms = |state: &str| {
        format!("  checkbox \"Terms\" required {state} tag=input type=\"checkbox\" id=\"t\" box=0,60,90,20\n")
    };
    for (fields, lacking) in [
        (date("value=\"4 March\""), &[][..]),
        (date(""), &["Day"][..]),
        (date("").replace("required", ""), &[]),
        (list("First", "1"), &[]),
        (list("Choose…", ""), &["Floor"]),
        (radios("checked"), &[]),
        (radios("unchecked"), &["Morning", "Evening"]),
        (terms("checked"), &[]),
        (terms("unchecked"), &["Terms"]),
    ] {
        assert_eq!(missing(&fields), lacking, "{fields}");
    }
}

#[test]
fn a_field_that_was_typed_into_is_not_one_that_the_page_filled() {
    let first = form(ASKED);
    let filled = form(&ASKED.replace("required", "required value=\"Ada\""));
    let recording = Walk::new("desk", "book", &first).fill("Name", "Ada", &filled).click("Book", &filled).end();
    let mut knowledge = extract(KnowledgeId::from("k"), &[recording]);
    read(&mut knowledge, "desk", "# Book\n\n1. Open https://desk.test/book\n2. Press the \"Book\" button\n");
    let knowledge = stored(&knowledge);
    assert!(knowledge.screens.values().flat_map(|it| &it.forms).flat_map(|it| &it.fields).all(|it| !it.prefilled));
    let gaps = identify(&knowledge, &WebsiteId::default());
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!(gaps[0].context["missing_fields"], serde_json::json!(["Name"]));
}

#[test]
fn what_no_recording_shows_is_never_kept() {
    // One recording presses the button twice: that the other did so too is invented.
    let first = form(ASKED);
    let filled = form(&ASKED.replace("required", "required value=\"Ada\""));
    let sent = page("https://desk.test/done", "Booked", "heading \"Thank you\" level=1 tag=h1 box=0,0,90,20\n");
    let walk = |name: &str| Walk::new("desk", name, &first).fill("Name", "Ada", &filled);
    let recordings = [walk("one").click("Book", &sent).end(), walk("two").click("Book", &sent).end()];
    let knowledge = stored(&extract(KnowledgeId::from("k"), &recordings));
    let task = knowledge.tasks.values().next().unwrap();
    let gap = browserlens_knowledge::gaps::ActionGap {
        from_action_id: task.steps[1].action_id.clone().unwrap(),
        to_action_id: task.steps[2].action_id.clone().unwrap(),
        from_screen_id: task.steps[1].expected_screen_id.clone(),
        to_screen_id: task.steps[2].screen_id.clone(),
        context: [("task_id".to_owned(), task.task_id.as_str().into()), ("position".to_owned(), 2.into())].into(),
    };
    let request = ExtrapolationRequest { gaps: vec![gap], ..ExtrapolationRequest::all("k") };
    let result = fill_gaps(&knowledge, &request, None);
    assert_eq!(result.gaps_filled, 1, "{result:?}");
    assert!(result.inferred_actions.iter().all(|it| it.confidence < 0.6), "{result:?}");
    let mut more = knowledge.clone();
    let kept = store(&mut more, &result);
    assert!(kept.actions.is_empty() && kept.transitions.is_empty(), "{kept:?}");
    assert_eq!(more, knowledge);
}

/// A shop that hands over to the site of a payment service, and gets people back.
fn paid() -> Recording {
    let heading = |name: &str| format!("heading \"{name}\" level=1 tag=h1 box=0,0,90,20\n");
    let button = |name: &str| format!("button \"{name}\" tag=button box=0,40,50,20\n");
    let row = "table \"Goods\" tag=table box=0,50,90,20\n  row tag=tr box=0,50,90,20\n    cell \"Lamp\" tag=td \
               box=0,50,90,20\ntextbox \"Coupon\" tag=input id=\"coupon\" box=0,80,90,20\n";
    let cart = page("https://shop.test/cart", "Cart", &format!("{}{row}{}", heading("Your cart"), button("Pay")));
    let card = page("https://pay.test/card", "Pay", &format!("{}{}", heading("Your card"), button("Confirm")));
    let done = page("https://shop.test/done", "Done", &format!("{}{}", heading("Thank you"), button("Track")));
    Walk::new("shop", "buy", &cart).click("Pay", &card).click("Confirm", &done).click("Track", &cart).end()
}

fn websites_of(knowledge: &Knowledge) -> Vec<(&str, &str)> {
    knowledge.screens.values().map(|it| (it.name.as_str(), it.website_id.as_str())).collect()
}

#[test]
fn a_recording_over_two_websites_belongs_to_both() {
    use browserlens_knowledge::protocol::{Agent, Environment};
    let knowledge = stored(&extract(KnowledgeId::from("k"), &[paid()]));
    assert_eq!(websites_of(&knowledge), [("Thank you", "shop"), ("Your card", "pay.test"), ("Your cart", "shop")]);
    let on = |name: &str| {
        let action = knowledge.actions.values().find(|action| action.name.contains(name)).unwrap();
        let screen = action.screen_id().map(|id| knowledge.screens[id].website_id.as_str());
        assert_eq!(screen.unwrap_or("shop"), action.website_id.as_str());
        action.website_id.as_str()
    };
    assert_eq!([on("Pay"), on("Confirm"), on("Open")], ["shop", "pay.test", "shop"]);
    let mut ways: Vec<(&str, &str)> = knowledge
        .transitions
        .values()
        .map(|way| (way.from_screen_id.as_str(), way.to_screen_id.as_str()))
        .map(|(from, to)| (knowledge.screens[from].website_id.as_str(), knowledge.screens[to].website_id.as_str()))
        .collect();
    ways.sort_unstable();
    assert_eq!(ways, [("pay.test", "shop"), ("shop", "pay.test"), ("shop", "shop")]);
    let agent = Agent::new(&knowledge).unwrap();
    let ask = |website: &str| {
        let asked = serde_json::json!({ "instruction_type": "explore_website", "target": website });
        let response = agent.answer_json(&asked.to_string(), &Environment::default()).once();
        assert!(response.success, "{response:?}");
        let count = |what: &str| response.metadata[what].as_array().unwrap().len();
        (count("screens"), count("tasks"), response.metadata["transitions"].as_u64().unwrap())
    };
    assert_eq!((ask("shop"), ask("pay.test")), ((2, 1, 3), (1, 1, 2)));
    // Recordings that begin there say what that website is called, if they agree.
    let card = page("https://pay.test/card", "Pay", "heading \"Your card\" level=1 tag=h1 box=0,0,90,20\n");
    let begun = |site: &str| Walk::new(site, site, &card).end();
    let both = extract(KnowledgeId::from("k"), &[paid(), begun("pay")]);
    assert!(websites_of(&both).iter().all(|(_, website)| ["pay", "shop"].contains(website)), "{both:?}");
    let three = extract(KnowledgeId::from("k"), &[paid(), begun("pay"), begun("till")]);
    assert!(websites_of(&three).contains(&("Your card", "pay.test")), "{:?}", websites_of(&three));
}

#[test]
fn a_gap_is_one_of_the_website_on_which_it_is() {
    let mut knowledge = extract(KnowledgeId::from("k"), &[paid()]);
    // Somebody paid without being seen to go there.
    let way = knowledge.transitions.values_mut().find(|way| way.website_id.as_str() == "pay.test").unwrap();
    way.action_id = None;
    way.provenance = vec![Provenance::Document { name: "walkthrough".to_owned(), line: 1 }];
    let knowledge = stored(&knowledge);
    let gaps = |website: &str| identify(&knowledge, &WebsiteId::from(website)).len();
    assert_eq!([gaps("pay.test"), gaps("shop"), gaps("docs")], [1, 1, 0]);
}
