use super::svg::{GAP_Y, HEAD, HEIGHT, MARGIN, ROWS};
use super::*;
use crate::json::{from_json, to_json};
use crate::model::{Knowledge, Metadata, ScreenDefinition, ScreenId, TransitionDefinition};
use std::collections::BTreeSet;

fn knowledge() -> Knowledge {
    let mut knowledge = Knowledge::new("k");
    for (id, name) in [("a", "Home <script>alert(1)</script>"), ("b", "Cart \"&\" more"), ("c", "Ask")] {
        let parent_screen_id = (id == "c").then(|| "b".into());
        let screen = ScreenDefinition { name: name.to_owned(), parent_screen_id, ..ScreenDefinition::example(id) };
        knowledge.screens.insert(id.into(), screen);
    }
    for (id, from, to, inferred) in
        [("1", "a", "b", false), ("2", "b", "c", true), ("3", "b", "a", false), ("4", "a", "a", false)]
    {
        let transition = TransitionDefinition {
            transition_id: id.into(),
            from_screen_id: from.into(),
            to_screen_id: to.into(),
            count: u32::from(!inferred),
            metadata: Metadata { inferred, confidence: 0.75, reasoning: String::new() },
            ..TransitionDefinition::default()
        };
        knowledge.transitions.insert(id.into(), transition);
    }
    knowledge
}

#[test]
fn names_of_pages_never_become_markup() {
    let svg = site_map_svg(&knowledge(), &MapOptions { title: "</title><b>".to_owned(), ..MapOptions::default() });
    assert!(!svg.contains("<script>") && !svg.contains("<b>"));
    assert!(svg.contains("Home &lt;script&gt;alert(1)"), "{svg}");
    let dot = site_map_dot(&knowledge(), &MapOptions::default());
    assert!(dot.contains(r#""b" [label="Cart \"&\" more"];"#), "{dot}");
}

#[test]
fn inferred_ways_are_dashed_and_others_are_not() {
    let svg = site_map_svg(&knowledge(), &MapOptions::default());
    let ways: Vec<&str> = svg.lines().filter(|line| line.starts_with("<g ") && line.contains("confidence")).collect();
    let (dashed, solid): (Vec<&str>, Vec<&str>) = ways.iter().partition(|line| line.contains("stroke-dasharray"));
    assert_eq!((dashed.len(), solid.len()), (1, 2));
    assert!(dashed[0].contains("to Ask: 1 action, inferred, confidence 0.75"));
    assert_eq!(svg.matches(">0.75</text>").count(), 3);
    let dot = site_map_dot(&knowledge(), &MapOptions::default());
    assert!(
        dot.contains(r#""b" -> "c" [label="0.75", style=dashed];"#)
            && dot.contains(r#""a" -> "b" [label="0.75 · 1"];"#),
        "{dot}"
    );
}

/// Every text and attribute of it in order, or what is wrong with the markup.
fn tags(svg: &str) -> Result<Vec<String>, String> {
    let (mut open, mut seen) = (Vec::new(), Vec::new());
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').ok_or_else(|| format!("no end: {part}"))?;
        if text.contains('>') || tag.matches('"').count() % 2 != 0 {
            return Err(format!("stray mark: {part}"));
        }
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("").to_owned();
        if tag.starts_with('/') {
            let last = open.pop();
            if last.as_ref() != Some(&name) {
                return Err(format!("{last:?} is ended by {name}"));
            }
        } else if !tag.ends_with('/') {
            open.push(name.clone());
        }
        seen.push(name);
    }
    if open.is_empty() { Ok(seen) } else { Err(format!("left open: {open:?}")) }
}

proptest::proptest! {
    #[test]
    fn any_name_stays_text(name in "\\PC{0,40}|[<>&\"'/= a-z!\\[\\]-]{0,40}", title in "[<>&\"'/ a-z-]{0,20}") {
        let mut known = knowledge();
        for screen in known.screens.values_mut() {
            screen.name.clone_from(&name);
            screen.url_patterns = vec![name.clone()];
        }
        let options = MapOptions { title, ..MapOptions::default() };
        for svg in [site_map_svg(&known, &options), site_map_figure(&known, &options)] {
            let tags = tags(&svg).map_err(proptest::test_runner::TestCaseError::fail)?;
            let known = ["svg", "style", "rect", "text", "line", "g", "title", "path"];
            proptest::prop_assert!(tags.iter().all(|tag| known.contains(&tag.as_str())), "{:?}", tags);
        }
    }
}

#[test]
fn a_figure_brings_no_styles_and_sixty_screens_have_a_place_each() {
    let mut known = Knowledge::new("k");
    let base = knowledge().screens[&ScreenId::from("a")].clone();
    for at in 0..60 {
        let id = ScreenId::from(format!("s{at:02}"));
        known.screens.insert(
            id.clone(),
            ScreenDefinition {
                screen_id: id, name: "予約の変更と取り消しをする画面".repeat(2), ..base.clone()
            },
        );
    }
    for at in 1..60 {
        let transition = TransitionDefinition {
            transition_id: format!("t{at}").into(),
            from_screen_id: format!("s{:02}", at / 9).into(),
            to_screen_id: format!("s{at:02}").into(),
            count: 1,
            ..TransitionDefinition::default()
        };
        known.transitions.insert(transition.transition_id.clone(), transition);
    }
    let svg = site_map_figure(&known, &MapOptions::default());
    assert_eq!(svg, site_map_figure(&known.clone(), &MapOptions::default()));
    for forbidden in ["<style", "style=", "class=", "id=", "url("] {
        assert!(!svg.contains(forbidden), "{forbidden}");
    }
    let boxes: BTreeSet<&str> = svg.match_indices("<rect ").map(|(at, _)| &svg[at..at + 24]).collect();
    assert_eq!(boxes.len(), 60);
    let height: usize = svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    assert!(height <= 2 * MARGIN + 2 * HEAD + ROWS * (HEIGHT + GAP_Y), "{height}");
}

#[test]
fn a_map_of_nothing_says_so() {
    assert!(site_map_svg(&Knowledge::new("k"), &MapOptions::default()).contains("No screens are known yet"));
}

#[test]
fn json_comes_back_as_it_was_and_what_is_none_names_the_place() {
    let known = knowledge();
    assert_eq!(from_json("x", &to_json(&known).unwrap()).unwrap(), known);
    let error =
        from_json("a.json", r#"{"knowledge_id": "k", "screens": {"a": {"screen_id": "a", "name": 4}}}"#).unwrap_err();
    assert!(error.to_string().starts_with("a.json: not knowledge: screens.a.name: invalid type"), "{error}");
}
