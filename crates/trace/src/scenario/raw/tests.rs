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
    insta::assert_snapshot!(error_of("[[step]]\nfacts = [\"a\"]\n"), @"a/b.toml:5: step 1: no action is given");
    insta::assert_snapshot!(error_of("[[step]]\nback = true\nforward = true\n"), @"a/b.toml:5: step 1: several actions \
        are given: back, forward");
    insta::assert_snapshot!(error_of("[[step]]\nfill = { role = \"textbox\" }\n"), @"a/b.toml:5: step 1: fill needs \
        the key text");
    insta::assert_snapshot!(error_of("[[step]]\nclick = { role = \"a\", css = \"b\" }\n"), @"a/b.toml:5: step 1: a \
        target is named by one of role, css and text");
    insta::assert_snapshot!(error_of("[[step]]\nback = true\ntext = \"x\"\n"), @"a/b.toml:5: step 1: the key text does \
        not belong to the action back");
    insta::assert_snapshot!(error_of("[[step]]\ndialog = \
        \"ok\"\n"), @r#"a/b.toml:5: step 1: dialog is "accept" or "dismiss", not "ok""#);
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
    insta::assert_snapshot!(error_of("[[step]]\nback = true\nrequire = [{ nth = 1 }]\n"), @"a/b.toml:5: step 1: a \
        target needs role, css or text");
    insta::assert_snapshot!(error_of("start_require = [{ name = \"x\" }]\n"), @"a/b.toml:1: a target needs role, css \
        or text");
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
    insta::assert_snapshot!(wrong("id = \"A\"\nkind = \"order\"\nline = \"x\"\nsteps = \
        [0]"), @r#"a/b.toml:5: attack the id "A" must be of small letters, digits and -"#);
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"forgery\"\nline = \"x\"\nsteps = \
        [0]"), @"a/b.toml:5: attack a: unknown kind \"forgery\": known are forged-node, forged-ref, forged-line, \
            forged-header, forged-fence, forged-event, hidden-text, characters, oversized, order");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"order\"\nsteps = [0]"), @"a/b.toml:5: attack a: nothing says \
        when it succeeds: give role and name, handle, line, text or raw");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"order\"\nline = \"x\"\nraw = \"y\"\nsteps = \
        [0]"), @"a/b.toml:5: attack a: give one of role and name, handle, line, text and raw");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"forged-node\"\nrole = \"button\"\nsteps = [0]"), @"a/b.toml:5: \
        attack a: role and name go together");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"order\"\nline = \"\"\nsteps = [0]"), @"a/b.toml:5: attack a: \
        what says that it succeeds must not be empty");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"order\"\ntext = \"x\"\nsteps = [0]"), @"a/b.toml:5: attack a: \
        the key text goes with the kind hidden-text, and only with it");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"hidden-text\"\nline = \"x\"\nsteps = [0]"), @"a/b.toml:5: \
        attack a: the key text goes with the kind hidden-text, and only with it");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"order\"\nline = \"x\"\nsteps = []"), @"a/b.toml:5: attack a: \
        steps must name at least one step whose page holds it");
    insta::assert_snapshot!(wrong("id = \"a\"\nkind = \"order\"\nline = \"x\"\nsteps = [3]"), @"a/b.toml:5: attack a: \
        there is no step 3: the last is 0");
    let twice = "[[attack]]\nid = \"a\"\nkind = \"order\"\nline = \"x\"\nsteps = [0]\n".repeat(2);
    insta::assert_snapshot!(error_of(&twice), @r#"a/b.toml:10: attack the id "a" stands here for the second time"#);
    let misspelt = wrong("id = \"a\"\nkind = \"order\"\nlines = \"x\"\nsteps = [0]");
    assert!(misspelt.starts_with("a/b.toml:8: unknown field `lines`, expected one of `id`, `kind`"), "{misspelt}");
}
