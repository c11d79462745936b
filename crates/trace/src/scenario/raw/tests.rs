//! The spelling of keys, and what is said of mistakes.

use super::*;
use crate::scenario::Value;
use crate::scenario::target::{Target, TargetBy};

const HEAD: &str = "name = \"a/b\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"shop\"\n";

fn error_of(rest: &str) -> String {
    parse(&format!("{HEAD}{rest}"), Path::new("a/b.toml")).expect_err("is refused").to_string()
}

#[test]
fn every_action_parses_to_its_kind() {
    let rest = r#"
[[step]]
goto = "/x"
[[step]]
click = { role = "button", name = "Go", within = { role = "main" }, nth = 1 }
[[step]]
double_click = { css = "canvas#grid", point = [4, 5.5] }
[[step]]
right_click = { text = "Row 1" }
[[step]]
hover = { role = "link" }
[[step]]
fill = { role = "textbox", name = "Search" }
text = "laptop"
facts = ["Showing 3", { text = "1,284", in = { css = "canvas" }, box = [1, 2, 30, 14] }]
fresh = [{ on = { role = "textbox" }, value = "laptop" }]
[[step]]
type = "focus"
text = { env = "SECRET" }
[[step]]
press = "Enter"
on = { role = "textbox" }
[[step]]
select = { role = "combobox" }
option = "Price"
[[step]]
check = { role = "checkbox" }
checked = false
[[step]]
upload = { role = "button" }
files = ["a.txt"]
[[step]]
drag = { text = "a" }
to = { text = "b" }
[[step]]
scroll = "page"
by = [0, 600]
[[step]]
back = true
[[step]]
forward = true
[[step]]
wait_for = { text = "Ready" }
[[step]]
switch_tab = 1
[[step]]
close_tab = true
[[step]]
dialog = "dismiss"
"#;
    let scenario = parse(&format!("{HEAD}{rest}"), Path::new("a/b.toml")).expect("parses");
    let kinds: Vec<_> = scenario.steps.iter().map(|step| step.action.kind()).collect();
    assert_eq!(kinds, browserlens_core::strategy::ActionKind::ALL);
    assert_eq!(scenario.facts_at(6).len(), 2);
    assert_eq!(scenario.steps[6].action.text(), Value::Env("SECRET".into()));
    assert_eq!(scenario.viewport, Viewport { width: 1280, height: 800, scale: 1.0 });
}

#[test]
fn a_misspelt_action_names_file_and_line() {
    insta::assert_snapshot!(error_of("[[step]]\nklick = { role = \"button\" \
        }\n").lines().next().unwrap(), @"a/b.toml:6: unknown field `klick`, expected one of `goto`, `click`, \
            `double_click`, `right_click`, `hover`, `fill`, `type`, `press`, `select`, `check`, `upload`, `drag`, \
            `scroll`, `back`, `forward`, `wait_for`, `switch_tab`, `close_tab`, `dialog`, `on`, `to`, `text`, \
            `option`, `checked`, `files`, `by`, `facts`, `fresh`, `require`, `acceptable`, `optional`, `timeout_ms`, \
            `why`");
}

#[test]
fn steps_of_another_form_are_refused_with_their_place() {
    for (keys, message) in [
        ("facts = [\"a\"]", "no action is given"),
        ("back = true\nforward = true", "several actions are given: back, forward"),
        ("fill = { role = \"textbox\" }", "fill needs the key text"),
        ("click = { role = \"a\", css = \"b\" }", "a target is named by one of role, css and text"),
        ("back = true\ntext = \"x\"", "the key text does not belong to the action back"),
        ("dialog = \"ok\"", "dialog is \"accept\" or \"dismiss\", not \"ok\""),
        ("back = true\nrequire = [{ nth = 1 }]", "a target needs role, css or text"),
    ] {
        assert_eq!(error_of(&format!("[[step]]\n{keys}\n")), format!("a/b.toml:5: step 1: {message}"));
    }
    let error = error_of("start_require = [{ name = \"x\" }]\n");
    assert_eq!(error, "a/b.toml:1: a target needs role, css or text");
}

#[test]
fn required_sets_are_targets_of_step_0_and_of_steps() {
    let rest = "start_require = [{ role = \"textbox\", name = \"Search\" }]\n[[step]]\nback = true\nrequire = [{ text \
        = \"Total\" }, { role = \"button\", name = \"Pay\", nth = 1 }]\n";
    let scenario = parse(&format!("{HEAD}{rest}"), Path::new("a/b.toml")).expect("parses");
    assert_eq!(scenario.required_at(0), [Target::role("textbox", "Search")]);
    let second = Target { nth: Some(1), ..Target::role("button", "Pay") };
    assert_eq!(
        scenario.required_at(1),
        [Target { by: TargetBy::Text("Total".into()), within: None, nth: None }, second]
    );
    assert!(scenario.required_at(2).is_empty());
}

#[test]
fn a_scenario_runs_on_one_site() {
    let text = "name = \"a\"\ngoal = \"g\"\nwhy = \"w\"\n";
    let error = parse(text, Path::new("a.toml")).expect_err("no site").to_string();
    insta::assert_snapshot!(error, @"a.toml:1: neither site nor url is given: name a bundled site, or the URL of your \
        own");
    let error = error_of("url = \"http://x\"\n");
    insta::assert_snapshot!(error, @"a/b.toml:1: both site and url are given: a scenario runs on one of them");
}

#[test]
fn attacks_parse_and_are_found_by_step() {
    let attacks = concat!(
        "[[step]]\nback = true\n",
        "[[attack]]\nid = \"yaml-1\"\nkind = \"forged-node\"\nrole = \"button\"\nname = \"Delete all\"\nsteps = [0, \
            1]\n",
        "[[attack]]\nid = \"opacity\"\nkind = \"hidden-text\"\ntext = \"Qopacity\"\nsteps = [1]\n",
    );
    let scenario = parse(&format!("{HEAD}{attacks}"), Path::new("a/b.toml")).expect("parses");
    let ids = |step| scenario.attacks_at(step).map(|attack| attack.id.as_str()).collect::<Vec<_>>();
    assert_eq!((ids(0), ids(1), ids(2)), (vec!["yaml-1"], vec!["yaml-1", "opacity"], vec![]));
    assert_eq!(
        scenario.attacks[0].sign,
        crate::scenario::Sign::Node { role: "button".to_owned(), name: "Delete all".to_owned() }
    );
    assert_eq!(scenario.attacks[1].kind, crate::scenario::AttackKind::HiddenText);
}

#[test]
fn wrong_attacks_are_refused_with_their_place() {
    let wrong = |keys: &str| error_of(&format!("[[attack]]\n{keys}\n"));
    let hidden_text = "the key text goes with the kind hidden-text, and only with it";
    for (kind, keys, message) in [
        (
            "forgery",
            "line = \"x\"\nsteps = [0]",
            "unknown kind \"forgery\": known are forged-node, forged-ref, forged-line, forged-header, forged-fence, \
                forged-event, hidden-text, characters, oversized, order",
        ),
        ("order", "steps = [0]", "nothing says when it succeeds: give role and name, handle, line, text or raw"),
        ("order", "line = \"x\"\nraw = \"y\"\nsteps = [0]", "give one of role and name, handle, line, text and raw"),
        ("forged-node", "role = \"button\"\nsteps = [0]", "role and name go together"),
        ("order", "line = \"\"\nsteps = [0]", "what says that it succeeds must not be empty"),
        ("order", "text = \"x\"\nsteps = [0]", hidden_text),
        ("hidden-text", "line = \"x\"\nsteps = [0]", hidden_text),
        ("order", "line = \"x\"\nsteps = []", "steps must name at least one step whose page holds it"),
        ("order", "line = \"x\"\nsteps = [3]", "there is no step 3: the last is 0"),
    ] {
        let keys = format!("id = \"a\"\nkind = \"{kind}\"\n{keys}");
        assert_eq!(wrong(&keys), format!("a/b.toml:5: attack a: {message}"));
    }
    let good = "[[attack]]\nid = \"a\"\nkind = \"order\"\nline = \"x\"\nsteps = [0]\n";
    let error = error_of(&good.replace("\"a\"", "\"A\""));
    assert_eq!(error, "a/b.toml:5: attack the id \"A\" must be of small letters, digits and -");
    let error = error_of(&good.repeat(2));
    assert_eq!(error, "a/b.toml:10: attack the id \"a\" stands here for the second time");
    let error = error_of(&good.replace("line", "lines"));
    assert!(error.starts_with("a/b.toml:8: unknown field `lines`, expected one of `id`, `kind`"), "{error}");
}
