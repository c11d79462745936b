//! The page's bytes: nothing that a page, a scenario or a strategy says is ever markup.

use super::*;
use crate::made_up::{self, Run};
use crate::{FactInfo, StrategyInfo};
use browserlens_replay::{AnswerInfo, Outcome};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ends what it may stand in: an element, an attribute, a comment, a script, JSON, CDATA, Markdown.
const HOSTILE: &str = "x\"'><img src=x onerror=alert(1)></script></ScRiPt ><!--<script>alert(2)</script>]]>\u{2028}</title></style></svg>\u{202e}\u{0}";

fn made(run: &Run) -> String {
    let input = run.input();
    let summary = Summary::of(&input);
    page(&input, &summary, &Charts::draw(&input, &summary).unwrap()).unwrap()
}

fn hostile_run() -> Run {
    let mut run = made_up::run();
    for row in &mut run.measurements {
        row.trace = format!("{HOSTILE}{}", row.trace);
        row.strategy = format!("{HOSTILE}{}", row.strategy);
        match &mut row.outcome {
            Outcome::Failed { error } => error.push_str(HOSTILE),
            Outcome::Observed(numbers) => {
                numbers.reason = HOSTILE.to_owned();
                numbers.representation = Some(HOSTILE.to_owned());
                numbers.text = format!("{HOSTILE}{}", numbers.text);
                numbers.images = vec![HOSTILE.to_owned()];
                for asked in &mut numbers.requests {
                    asked.request = browserlens_strategy::Request::Query { text: HOSTILE.to_owned() };
                    asked.text = HOSTILE.to_owned();
                }
            }
        }
    }
    run.sum_up();
    let texts = run
        .measurements
        .iter()
        .filter_map(|row| row.numbers())
        .map(|numbers| (numbers.text.clone(), HOSTILE.repeat(3)));
    run.texts = texts.collect::<BTreeMap<_, _>>();
    run.images = BTreeMap::from([(HOSTILE.to_owned(), HOSTILE.as_bytes().to_vec())]);
    for timing in &mut run.timings {
        timing.trace = format!("{HOSTILE}{}", timing.trace);
        timing.strategy = format!("{HOSTILE}{}", timing.strategy);
        timing.machine = HOSTILE.to_owned();
    }
    for scenario in &mut run.scenarios {
        scenario.trace = format!("{HOSTILE}{}", scenario.trace);
        (scenario.goal, scenario.why) = (HOSTILE.to_owned(), HOSTILE.to_owned());
        scenario.answers = vec![AnswerInfo { answers: HOSTILE.to_owned(), console: 1, network: 2, told: 1, facts: 1 }];
        for step in &mut scenario.steps {
            for text in [&mut step.action, &mut step.next, &mut step.url, &mut step.title] {
                *text = format!("javascript:{HOSTILE}");
            }
            step.facts = vec![FactInfo { text: HOSTILE.to_owned(), pixels: true }];
            step.screenshot = Some(Arc::from(HOSTILE.as_bytes()));
        }
    }
    run.strategies =
        vec![StrategyInfo { name: HOSTILE.to_owned(), version: HOSTILE.to_owned(), why: HOSTILE.to_owned() }];
    let about = &mut run.about;
    for text in [&mut about.tool, &mut about.command, &mut about.date, &mut about.machine, &mut about.store] {
        *text = HOSTILE.to_owned();
    }
    run
}

/// Returns the start tags of the page outside its data block (without that block's own), as names with their attributes' text.
fn tags(html: &str) -> Vec<String> {
    let start = html.find("<script type=\"application/json\" id=\"data\">").unwrap();
    let end = start + html[start..].find("</script>").unwrap();
    let markup = [&html[..start], &html[end..]].concat().replace(STYLE, "").replace(SCRIPT, "");
    let parts = markup.split('<').skip(1);
    parts
        .filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!'))
        .map(|part| part[..part.find('>').unwrap()].to_owned())
        .collect()
}

/// Every element and attribute that the page is made of.
const ELEMENTS: &str = "!doctype html head meta title link style body a header div h1 h2 h3 nav p main section table thead tbody tr th td \
    small span strong figure figcaption code details summary svg desc text rect line polyline polygon circle noscript label select button output ol ul li \
    dl dt dd wbr script";
const ATTRIBUTES: &str = "html lang charset http-equiv content name rel href class id aria-labelledby aria-label aria-live aria-hidden role \
    tabindex scope title hidden open for type width height viewBox xmlns x y x1 y1 x2 y2 dy r cx cy points fill stroke stroke-width opacity \
    text-anchor font-family font-size font-weight transform";

#[test]
fn hostile_strings_in_every_field_add_no_element_and_no_attribute() {
    let html = made(&hostile_run());
    assert!(html.contains("id=\"inspect\""), "every section is there");
    let (elements, attributes): (Vec<&str>, Vec<&str>) =
        (ELEMENTS.split_whitespace().collect(), ATTRIBUTES.split_whitespace().collect());
    let all = tags(&html);
    assert!(all.len() > 300);
    for tag in &all {
        // Attribute values stand between double quotes, which escaped text does not hold: what is outside are names.
        let outside: String = tag.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let mut names = outside.split([' ', '=', '/', '\n']).filter(|name| !name.is_empty());
        assert!(names.next().is_some_and(|name| elements.contains(&name)), "{tag}");
        assert!(names.all(|name| attributes.contains(&name)), "{tag}");
    }
    assert_eq!(all.iter().filter(|tag| tag.starts_with("script") || tag.starts_with("style")).count(), 2);
    let links: Vec<&str> = all.iter().filter_map(|tag| tag.split("href=\"").nth(1)?.split('"').next()).collect();
    assert!(links.iter().all(|link| link.starts_with('#') || *link == "data:,"), "{links:?}");
}

#[test]
fn hostile_strings_reach_no_file_of_the_report_as_markup_or_control_characters() {
    let run = hostile_run();
    let root = tempfile::tempdir().unwrap();
    let paths = crate::write_report(&run.input(), &root.path().join("r")).unwrap();
    for path in &paths.files {
        let bytes = std::fs::read(path).unwrap();
        let is_svg = path.extension().is_some_and(|extension| extension == "svg");
        if is_svg || path.ends_with("summary.md") || path.ends_with("index.html") {
            let text = String::from_utf8(bytes).unwrap();
            assert!(
                !text.contains("<img") && !text.contains("<!--") && !text.contains("</ScRiPt"),
                "{}",
                path.display()
            );
            assert!(text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{}", path.display());
        }
    }
    let table = crate::terminal_table(&run.input(), &Summary::of(&run.input()));
    assert!(!table.contains('\u{202e}') && !table.contains('\u{0}'));
}

#[test]
fn the_data_block_cannot_be_left_and_reads_back() {
    let html = made(&hostile_run());
    let opening = "<script type=\"application/json\" id=\"data\">";
    let start = html.find(opening).unwrap() + opening.len();
    let block = &html[start..start + html[start..].find('<').unwrap()];
    assert!(html[start + block.len()..].starts_with("</script>\n<script>"));
    let data: serde_json::Value = serde_json::from_str(block).unwrap();
    assert_eq!(data["texts"][0]["text"], HOSTILE.repeat(3));
    assert_eq!(data["scenarios"][0]["goal"], HOSTILE);
    // A screenshot that is no PNG is not embedded.
    assert!(data["images"].as_array().unwrap().iter().all(serde_json::Value::is_null));
}

#[test]
fn the_policy_lets_only_the_pages_own_script_run() {
    let html = made(&made_up::run());
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(html.find("Content-Security-Policy").unwrap() < html.find("<style").unwrap());
    let script = html.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    assert_eq!(html.matches("<script").count(), 2);
    assert!(policy.starts_with("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-"));
    assert!(policy.contains(&escape::script_source(script)), "{policy}");
    assert!(!script.contains('\r'), "the parser would change the script, and its hash would not match");
}

#[test]
fn the_script_puts_data_into_the_page_as_text_only() {
    for way in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "setTimeout(",
        ".srcdoc",
        "setAttribute(\"on",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ] {
        assert!(!SCRIPT.contains(way), "{way}");
    }
    assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
    for way in ["url(", "@import", "expression("] {
        assert!(!STYLE.contains(way), "{way}");
    }
}

#[test]
fn the_page_names_no_address() {
    let html = made(&made_up::run()).replace("http://www.w3.org/2000/svg", "").replace("https://site.test", "");
    assert!(!html.contains("http://") && !html.contains("https://"));
}

#[test]
fn a_large_run_stays_below_15_megabytes_and_says_what_is_missing() {
    let mut run = made_up::run();
    let mut texts = BTreeMap::new();
    let wide = "<div class=\"x\">".repeat(20_000);
    let template = run.measurements.clone();
    for copy in 0..60 {
        for row in &template {
            let mut row = row.clone();
            row.trace = format!("{}-{copy}", row.trace);
            if let Outcome::Observed(numbers) = &mut row.outcome {
                numbers.text = format!("{}-{copy}", numbers.text);
                texts.insert(numbers.text.clone(), wide.clone());
            }
            run.measurements.push(row);
        }
    }
    run.texts.extend(texts);
    run.sum_up();
    let html = made(&run);
    assert!(html.len() < 15_000_000, "{}", html.len());
    assert!(html.contains("texts are cut after") && html.contains("the full texts lie in observations/"));
}
