//! Every action of a scenario, on its fixture page: the page itself says what happened, and the
//! facts are read from it.

mod common;

use browserlens_core::strategy::{ActionKind, EventKind, StepIndex};
use browserlens_recorder::RecordError;
use common::{acted, fixture, recorded, refused, try_record};

#[tokio::test(flavor = "multi_thread")]
async fn goto_opens_path_query_and_fragment() {
    let recorded = acted(
        "/action-goto.html?a=1#x",
        "start_facts = [\"goto /action-goto.html?a=1#x on fixtures.test\"]\n[[step]]\ngoto = \
            \"/action-goto.html?b=2\"\nfacts = [\"goto /action-goto.html?b=2 on fixtures.test\"]",
    )
    .await;
    let steps = recorded.trace.steps().expect("steps");
    assert!(steps[0].action.is_none());
    assert_eq!(steps[1].action.as_ref().expect("an action").taken.kind, ActionKind::Goto);
}

#[tokio::test(flavor = "multi_thread")]
async fn click_reaches_buttons_ambiguous_ones_within_canvases_and_what_lies_far_below() {
    let recorded = acted(
        "/action-click.html",
        r##"
[[step]]
click = { role = "button", name = "Go" }
facts = ["click Go detail=1 trusted=true"]
[[step]]
click = { role = "button", name = "Same", within = { role = "region", name = "Right" } }
facts = ["click Same in Right detail=1 trusted=true"]
[[step]]
click = { role = "link", name = "Not a button" }
facts = ["click Not a button"]
[[step]]
click = { css = "canvas#board", point = [30, 40] }
facts = ["click canvas 30,40"]
[[step]]
click = { text = "Far below" }
facts = ["click Far below detail=1 trusted=true"]
"##,
    )
    .await;
    let steps = recorded.trace.steps().expect("steps");
    let action = steps[2].action.as_ref().expect("an action");
    assert_eq!(action.resolved_in, StepIndex(1));
    assert_eq!(action.acceptable, [action.target.expect("a target")]);
    let hint = action.intent.node.as_ref().expect("a node");
    assert_eq!((hint.role.as_str(), hint.name.as_str()), ("button", "Same"));
    assert_eq!(hint.within.as_ref().expect("within").name, "Right");
    // The target is a node of the capture before.
    let target = action.target.expect("a target");
    assert_eq!(recorded.page(1).find(target).expect("in the capture").name(), "Same");
    let canvas = steps[4].action.as_ref().expect("an action");
    let bounds = recorded.page(3).find(canvas.target.expect("a target")).expect("in the capture").bounds();
    assert_eq!(canvas.point, Some((bounds.x + 30.0, bounds.y + 40.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn double_click_and_right_click_are_real() {
    acted(
        "/action-double-click.html",
        "[[step]]\ndouble_click = { role = \"button\", name = \"Go\" }\nfacts = [\"click 1 | click 2 | dblclick \
            2\"]\n[[step]]\ndouble_click = { css = \"#words\" }\nfacts = [\"dblclick words\"]",
    )
    .await;
    acted(
        "/action-right-click.html",
        "[[step]]\nright_click = { role = \"button\", name = \"Go\" }\nfacts = [\"contextmenu \
            button=2\"]\n[[step]]\nclick = { role = \"menuitem\", name = \"Copy\" }\nfacts = [\"contextmenu button=2 | \
            copy\"]",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hover_shows_what_style_and_script_show() {
    acted(
        "/action-hover.html",
        "[[step]]\nhover = { role = \"button\", name = \"Menu\" }\nfacts = [\"enter\", \"Shown \
        by style only\", \"First entry\"]\n[[step]]\nhover = { role = \"link\", name = \"First entry\" }\nfacts = \
        [\"enter | leave\"]",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fill_sets_every_kind_of_field() {
    let fields = [
        ("Name", "textbox", "name", "new Ünï 字", "false"),
        ("Search", "searchbox", "search", "oak", "false"),
        ("Amount", "spinbutton", "amount", "42", "false"),
        ("Mail", "textbox", "mail", "ada@mail.test", "false"),
        ("Secret", "textbox", "secret", "pass word", "false"),
        ("Day", "Date", "day", "2025-03-14", "true"),
        ("Level", "slider", "level", "7", "true"),
        ("Notes", "textbox", "notes", "two words", "false"),
        ("Rich", "textbox", "rich", "new rich", "false"),
        ("Name", "textbox", "name", "", "true"),
    ];
    let mut steps = "public = [\"pass word\"]\n".to_owned();
    for (name, role, id, text, change) in fields {
        steps += &format!(
            "[[step]]\nfill = {{ role = \"{role}\", name = \"{name}\" }}\ntext = \"{text}\"\nfacts = [\"{id}={text} \
                focused=true input=true change={change}\"]\n"
        );
    }
    acted("/action-fill.html", &steps).await;
    let fixed = "[[step]]\nfill = { role = \"textbox\", name = \"Fixed\" }\ntext = \"x\"";
    let error = refused("/action-fill.html", fixed).await;
    assert!(
        matches!(&error, RecordError::NotActionable { step: 1, .. }) && error.to_string().contains("read-only"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn type_and_press_send_keys() {
    acted(
        "/action-type.html",
        "[[step]]\ntype = { role = \"textbox\", name = \"Name\" }\ntext = \"aB1\"\nfacts = [\"keys=a,B,1 ups=3 \
            inputs=3 value=aB1\"]\n[[step]]\ntype = { role = \"textbox\", name = \"Notes\" }\ntext = \"é\\nx\"\nfacts \
            = [\"keys=a,B,1,Enter,x ups=5 inputs=6 value=é\\\\nx\"]",
    )
    .await;
    acted(
        "/action-press.html",
        "[[step]]\npress = \"Enter\"\non = { role = \"textbox\", name = \"Find\" }\nfacts = [\"press Enter on find | \
            submit shoes\"]\n[[step]]\npress = \"Control+Shift+K\"\non = { role = \"group\", name = \"Box\" }\nfacts = \
            [\"press Control on box | press Control+Shift on box | press Control+Shift+K on box\"]",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn select_and_check_change_what_they_name_and_nothing_that_is_so_already() {
    acted(
        "/action-select.html",
        "[[step]]\nselect = { role = \"combobox\", name = \"Colour\" }\noption = \"Green\"\nfacts = [\"input \
            colour=g/Green | change colour=g/Green\"]\n[[step]]\nselect = { role = \"combobox\", name = \"City\" \
            }\noption = \"Rome\"\nfacts = [\"change city=Rome/Rome\"]\n[[step]]\nselect = { role = \"listbox\", name = \
            \"Sizes\" }\noption = \"Large\"\nfacts = [\"change sizes=Large/Large\"]",
    )
    .await;
    let step = |role: &str, name: &str, on: bool, fact: &str| {
        format!("[[step]]\ncheck = {{ role = \"{role}\", name = \"{name}\" }}\nchecked = {on}\nfacts = [{fact}]\n")
    };
    let steps = [
        step("checkbox", "News", true, ""),
        step("checkbox", "Agree", true, "\"agree=true\""),
        step("checkbox", "News", false, "\"news=false\""),
        step("radio", "Full", true, "\"full=true\""),
        step("checkbox", "Aria box", true, "\"aria=true\""),
        step("switch", "Aria switch", false, "\"switch=false\""),
    ];
    let recorded = acted("/action-check.html", &steps.concat()).await;
    assert_eq!(common::log_of(&recorded.page(1)), "");
    let pink = "[[step]]\nselect = { role = \"combobox\", name = \"Colour\" }\noption = \"Pink\"";
    let error = refused("/action-select.html", pink).await.to_string();
    assert!(error.contains("Pink") && error.contains("Green"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_hands_files_to_inputs_and_to_the_chooser_of_a_button() {
    acted(
        "/action-upload.html",
        "[[step]]\nupload = { css = \"#one\" }\nfiles = [\"files/a.txt\"]\nfacts = [\"one: a.txt 3 \
            abc\"]\n[[step]]\nupload = { css = \"#many\" }\nfiles = [\"files/a.txt\", \"files/b.txt\"]\nfacts = \
            [\"many: a.txt 3 abc, b.txt 5 hello\"]\n[[step]]\nupload = { role = \"button\", name = \"Choose picture\" \
            }\nfiles = [\"files/a.txt\"]\nfacts = [\"hidden: a.txt 3 abc\"]",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drag_works_for_html_drag_and_drop_for_pointers_and_on_canvases() {
    acted(
        "/action-drag.html",
        "[[step]]\ndrag = { role = \"button\", name = \"Card\" }\nto = { role = \"region\", name = \"Bin\" }\nfacts = \
            [\"drop Card on Bin\"]\n[[step]]\ndrag = { css = \"#knob\", point = [10, 10] }\nto = { css = \"#knob\", \
            point = [70, 10] }\nfacts = [\"knob 60\"]\n[[step]]\ndrag = { css = \"#board\", point = [10, 10] }\nto = { \
            css = \"#board\", point = [100, 50] }\nfacts = [\"board 10,10 to 100,50 moved=true\"]",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scroll_moves_the_page_and_a_scroller_by_what_is_said() {
    let recorded = acted(
        "/action-scroll.html",
        "[[step]]\nscroll = { role = \"region\", name = \"Box\" }\nby = [50, 300]\nfacts = [\"page=0,0 box=50,300 \
            mark=false\"]\n[[step]]\nscroll = \"page\"\nby = [0, 900]\nfacts = [\"page=0,900 box=50,300 mark=true\"]",
    )
    .await;
    assert!((recorded.page(2).scroll().y - 900.0).abs() < f32::EPSILON);
}

#[tokio::test(flavor = "multi_thread")]
async fn back_and_forward_walk_through_pages_and_pushed_states() {
    acted(
        "/action-history.html",
        "[[step]]\nclick = { role = \"link\", name = \"Next page\" }\nfacts = [\"page two visit 1\"]\n[[step]]\nback = \
            true\nfacts = [\"page one visit 2\"]\n[[step]]\nforward = true\nfacts = [\"page two visit \
            2\"]\n[[step]]\nback = true\n[[step]]\nclick = { role = \"button\", name = \"Push a view\" }\nfacts = \
            [\"pushed ?view=b\"]\n[[step]]\nback = true\nfacts = [\"pushed ?view=b | popstate none\"]",
    )
    .await;
    let error = refused("/action-history.html", "[[step]]\nback = true").await;
    assert!(error.to_string().contains("no page to go back to"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_for_gives_the_page_time_until_the_node_is_there() {
    let recorded = acted(
        "/action-wait-for.html",
        "start_facts = [\"Loading\"]\n[[step]]\nwait_for = { role = \"button\", name = \"Late arrival\" }\nfacts = \
            [\"appeared\"]\n[[step]]\nclick = { role = \"button\", name = \"Late arrival\" }\nfacts = [\"appeared | \
            late clicked\"]",
    )
    .await;
    assert!(!recorded.page(0).root().visible_text().contains("Late arrival"));
    let never = "[[step]]\nwait_for = { text = \"never\" }\ntimeout_ms = 1000";
    let error = refused("/action-wait-for.html", never).await;
    assert!(matches!(error, RecordError::TimedOut { step: 1, timeout_ms: 1000, .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_are_opened_switched_to_and_closed() {
    let recorded = acted(
        "/action-tabs.html",
        r#"
[[step]]
click = { role = "link", name = "Open by link" }
facts = ["child from link loaded"]
[[step]]
switch_tab = 1
facts = ["child from link opener=false"]
[[step]]
close_tab = true
[[step]]
click = { role = "button", name = "Open by script" }
facts = ["opened true", "child from script loaded"]
[[step]]
switch_tab = 2
facts = ["child from script opener=true"]
[[step]]
click = { role = "button", name = "Close me" }
facts = ["child from script closing"]
[[step]]
click = { role = "button", name = "Is it closed?" }
facts = ["closed true"]
[[step]]
click = { role = "button", name = "Open by script" }
[[step]]
switch_tab = 3
[[step]]
click = { role = "button", name = "Close as I am pressed" }
[[step]]
click = { role = "button", name = "Is it closed?" }
"#,
    )
    .await;
    let told: Vec<(String, u32, String)> = recorded
        .events("tab")
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Tab(tab) => Some((tab.what, event.tab, tab.url.rsplit('/').next().unwrap_or("").to_owned())),
            _ => None,
        })
        .collect();
    let expected = [
        ("opened", 1, "link"),
        ("switched", 1, "link"),
        ("closed", 1, "link"),
        ("opened", 2, "script"),
        ("switched", 2, "script"),
        ("closed", 2, "script"),
        ("opened", 3, "script"),
        ("switched", 3, "script"),
        ("closed", 3, "script"),
    ]
    .map(|(what, tab, from)| (what.to_owned(), tab, format!("action-tabs-child.html?from={from}")));
    assert_eq!(told, expected);
    let tabs: Vec<u32> = recorded.trace.steps().expect("steps").iter().map(|step| step.tab).collect();
    assert_eq!(tabs, [0, 0, 1, 0, 0, 2, 0, 0, 0, 3, 0, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_answered_by_their_step_and_dismissed_without_one() {
    let recorded = recorded(&fixture(
        "/action-dialog.html",
        r#"
[[step]]
click = { role = "button", name = "Confirm" }
facts = ["Delete the draft?"]
[[step]]
dialog = "accept"
facts = ["confirm true"]
[[step]]
click = { role = "button", name = "Prompt" }
[[step]]
dialog = "accept"
text = "Ada"
facts = ['confirm true | prompt "Ada"']
[[step]]
click = { role = "button", name = "Both" }
facts = ["Cancel it?"]
[[step]]
dialog = "accept"
facts = ["Why?"]
[[step]]
dialog = "accept"
text = "Rain"
facts = ["reason Rain"]
[[step]]
click = { role = "button", name = "Confirm" }
facts = ["confirm false"]
[[step]]
click = { role = "button", name = "Alert" }
facts = ["alert done"]
[[step]]
check = { role = "checkbox", name = "Ask before leaving" }
checked = true
[[step]]
click = { role = "link", name = "Leave" }
[[step]]
dialog = "accept"
facts = ["Arrived"]
"#,
    ))
    .await;
    let told = recorded.events("dialog");
    let dialogs = told.iter().filter_map(|event| match &event.kind {
        EventKind::Dialog(dialog) => {
            Some((event.step, dialog.message.as_str(), dialog.accepted, dialog.typed.as_str()))
        }
        _ => None,
    });
    let expected = [
        (1, "Delete the draft?", None, ""),
        (2, "Delete the draft?", Some(true), ""),
        (3, "Your name?", None, ""),
        (4, "Your name?", Some(true), "Ada"),
        (5, "Cancel it?", None, ""),
        (6, "Cancel it?", Some(true), ""),
        (6, "Why?", None, ""),
        (7, "Why?", Some(true), "Rain"),
        (8, "Delete the draft?", Some(false), ""),
        (9, "Stock is low", Some(false), ""),
        (11, "", None, ""),
        (12, "", Some(true), ""),
    ];
    assert_eq!(dialogs.collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_matches_none_or_several_lists_the_candidates_and_keeps_finished_steps() {
    let click = |name: &str| format!("[[step]]\nclick = {{ role = \"button\", name = \"{name}\" }}");
    let (_folder, path, result) = try_record(&fixture("/action-click.html", &click("Same")), |_| {}).await;
    let error = result.expect_err("two of them");
    assert!(
        matches!(&error, RecordError::Target { step: 1, found: 2, candidates, .. } if candidates.len() == 2),
        "{error}"
    );
    assert_eq!(error.exit_code(), 2);
    let trace = browserlens_trace::Trace::open(&path).expect("opens");
    assert!(!trace.is_complete());
    assert_eq!(trace.len(), 1);
    let error = refused("/action-click.html", &click("Gone")).await.to_string();
    assert!(error.contains("matches 0 nodes") && error.contains("button \"Go\""), "{error}");
    let error = refused("/action-click.html", &click("Off")).await.to_string();
    assert!(error.contains("disabled"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fact_that_cannot_be_read_names_step_and_fact() {
    let twice = "[[step]]\nclick = { role = \"button\", name = \"Go\" }\nfacts = [\"click Go twice\"]";
    let error = refused("/action-click.html", twice).await;
    let RecordError::FactMissing { step: 1, fact, read, .. } = &error else { panic!("{error}") };
    assert_eq!((fact.as_str(), read.as_str()), ("click Go twice", "click Go"));
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_reach_into_frames_of_other_processes() {
    acted(
        "/capture-frames.html",
        "[[step]]\nclick = { role = \"button\", name = \"Inside cross\" }\nfacts = [\"Clicked in \
            cross\"]\n[[step]]\nclick = { role = \"button\", name = \"Inside same\" }\nfacts = [\"Clicked in \
            same\"]\n[[step]]\nclick = { role = \"button\", name = \"Inside sandboxed\" }\nfacts = [\"Clicked in \
            sandboxed\"]",
    )
    .await;
}
