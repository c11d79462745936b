//! The page's bytes: nothing that a page, a scenario or a strategy says is ever markup.

use super::*;
use crate::made_up::{self, Run};
use crate::{AgentPage, AgentRun, EventInfo, FactInfo, StrategyRefs};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browserlens_core::page::text::{escaped, is_unseen};
use browserlens_replay::{AnswerInfo, Origin, Outcome, StrategyInfo};
use browserlens_trace::agents::{Agent, Call, End, Header, RunRecord};
use std::collections::BTreeMap;

/// Ends what it may stand in: an element, an attribute, a comment, a script, JSON, CDATA, Markdown.
const HOSTILE: &str = "x\"'><img src=x onerror=alert(1)></script></ScRiPt \
    ><!--<script>alert(2)</script>]]>\u{2028}</title></style></svg>\u{202e}\u{0}";

fn made(run: &Run) -> String {
    let input = run.input();
    let summary = Summary::of(&input);
    page(&input, &summary, &Charts::draw(&input, &summary).unwrap(), None).unwrap()
}

/// Returns the data block of an id.
fn block<'h>(html: &'h str, id: &str) -> &'h str {
    let opening = html.find(&format!("id=\"{id}\">")).unwrap_or_else(|| panic!("no block {id}"));
    let start = opening + html[opening..].find('>').unwrap() + 1;
    &html[start..start + html[start..].find('<').unwrap()]
}

/// Returns what the script unpacks for a scenario.
fn unpacked(html: &str, scenario: usize) -> serde_json::Value {
    unpacked_block(html, &format!("scenario-{scenario}"))
}

fn unpacked_block(html: &str, id: &str) -> serde_json::Value {
    let bytes = STANDARD.decode(block(html, id)).unwrap();
    serde_json::from_reader(flate2::read::ZlibDecoder::new(&bytes[..])).unwrap()
}

/// A record whose every word is hostile, and whose page's picture is none.
fn hostile_agent() -> AgentRun {
    let hostile = || HOSTILE.to_owned();
    let header = Header {
        task: hostile(),
        goal: hostile(),
        tool: hostile(),
        agent: Agent { model: Some(hostile()), ..Agent::default() },
        trace: Some(hostile()),
        ..Header::default()
    };
    let call = Call {
        call: 1,
        turn: 1,
        name: hostile(),
        arguments: serde_json::json!({ HOSTILE: HOSTILE }),
        answer: HOSTILE.repeat(3),
        is_error: true,
        said: Some(hostile()),
        ms: Some(7),
        step: Some(0),
        ..Call::default()
    };
    let end = End { reward: Some(1.0), said: Some(hostile()), ..End::default() };
    let page =
        AgentPage { step: 0, action: hostile(), url: hostile(), title: hostile(), picture: Some(HOSTILE.into()) };
    let record = RunRecord { header, calls: vec![call], end: Some(end), cut: Some(hostile()) };
    AgentRun { name: hostile(), record, pages: vec![page] }
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
                    asked.request = browserlens_core::strategy::Request::Query { text: HOSTILE.to_owned() };
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
    let strategy = run.measurements[0].strategy.clone();
    for trace in &mut run.traces {
        (trace.hash, trace.browser) = (HOSTILE.to_owned(), HOSTILE.to_owned());
        trace.id = format!("{HOSTILE}{}", trace.id);
        (trace.goal, trace.why) = (HOSTILE.to_owned(), HOSTILE.to_owned());
        trace.origin = Some(Origin {
            format: HOSTILE.to_owned(),
            source: HOSTILE.to_owned(),
            licence: HOSTILE.to_owned(),
            importer: HOSTILE.to_owned(),
            ..Origin::default()
        });
        trace.answers = vec![AnswerInfo { answers: HOSTILE.to_owned(), console: 1, network: 2, told: 1, facts: 1 }];
    }
    for step in &mut run.steps {
        step.trace = format!("{HOSTILE}{}", step.trace);
        for text in [&mut step.action, &mut step.next, &mut step.url, &mut step.title] {
            *text = format!("javascript:{HOSTILE}");
        }
        step.facts = vec![FactInfo { text: HOSTILE.to_owned(), pixels: true }];
        step.screenshot = Some(HOSTILE.to_owned());
        let bounds = step.targets[0];
        step.refs = vec![StrategyRefs { strategy: strategy.clone(), boxes: vec![(HOSTILE.to_owned(), bounds)] }];
        let hostile = || HOSTILE.to_owned();
        step.events = vec![EventInfo { kind: hostile(), label: hostile(), text: hostile(), is_error: true }];
    }
    run.strategies = vec![StrategyInfo {
        version: HOSTILE.to_owned(),
        why: HOSTILE.to_owned(),
        options: serde_json::json!({ "tier": HOSTILE }),
        ..made_up::strategy(HOSTILE)
    }];
    let about = &mut run.about;
    for text in [
        &mut about.tool, &mut about.command, &mut about.date, &mut about.machine, &mut about.store,
        &mut about.revision, &mut about.tokenizer,
    ] {
        *text = HOSTILE.to_owned();
    }
    run.agents = vec![hostile_agent()];
    about.fidelity = format!("## Per tool\n\n| {HOSTILE} | b |\n| :- | -: |\n| {HOSTILE} | 1 |\n");
    run
}

fn read_back(parquet: Vec<u8>) -> polars::prelude::DataFrame {
    use polars::prelude::SerReader;
    polars::prelude::ParquetReader::new(std::io::Cursor::new(parquet)).finish().unwrap()
}

/// Returns the start tags of the page outside its script and style, as names with their attributes'
/// text.
fn tags(html: &str) -> Vec<String> {
    let markup = html.replace(STYLE, "").replace(SCRIPT, "");
    let parts = markup.split('<').skip(1);
    parts
        .filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!'))
        .map(|part| part[..part.find('>').unwrap()].to_owned())
        .collect()
}

/// Every element and attribute that the page is made of.
const ELEMENTS: &str = "!doctype html head meta title link style body a header div h1 h2 h3 nav p main section table \
    thead tbody tr th td \
    small span strong figure figcaption code details summary noscript label input button output select option ol ul li \
    dl dt dd wbr kbd dialog script";
const ATTRIBUTES: &str = "html lang charset http-equiv content name rel href class id aria-labelledby aria-label \
    aria-live aria-hidden \
    aria-pressed aria-keyshortcuts role tabindex scope hidden open for type placeholder autocomplete data-label";

#[test]
fn hostile_strings_in_every_field_add_no_element_and_no_attribute() {
    let html = made(&hostile_run());
    for section in ["agents", "inspect", "fidelity", "run", "scenarios", "steps"] {
        assert!(html.contains(&format!("<section id=\"{section}\"")), "{section} is there");
    }
    let (elements, attributes): (Vec<&str>, Vec<&str>) =
        (ELEMENTS.split_whitespace().collect(), ATTRIBUTES.split_whitespace().collect());
    let all = tags(&html);
    assert!(all.len() > 300);
    for tag in &all {
        // Attribute values stand between double quotes, which escaped text does not hold: what is
        // outside are names.
        let outside: String = tag.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let mut names = outside.split([' ', '=', '/', '\n']).filter(|name| !name.is_empty());
        assert!(names.next().is_some_and(|name| elements.contains(&name)), "{tag}");
        assert!(names.all(|name| attributes.contains(&name)), "{tag}");
    }
    // One style sheet, one script; the other script elements are data by their type.
    let scripts: Vec<&String> = all.iter().filter(|tag| tag.starts_with("script")).collect();
    assert_eq!(all.iter().filter(|tag| tag.starts_with("style")).count(), 1);
    assert_eq!(scripts.iter().filter(|tag| tag.as_str() == "script").count(), 1);
    assert!(scripts.iter().all(|tag| {
        let data = ["script type=\"application/json\"", "script type=\"text/plain\""];
        *tag == "script" || data.iter().any(|opening| tag.starts_with(opening))
    }));
    let links: Vec<&str> = all.iter().filter_map(|tag| tag.split("href=\"").nth(1)?.split('"').next()).collect();
    assert!(links.iter().all(|link| link.starts_with('#') || *link == "data:,"), "{links:?}");
}

#[test]
fn hostile_strings_reach_no_file_of_the_report_as_markup_or_unseen_characters() {
    let run = hostile_run();
    let root = tempfile::tempdir().unwrap();
    let paths = crate::write_report(&run.input(), &root.path().join("r")).unwrap();
    let mut kinds = std::collections::BTreeSet::new();
    for path in &paths.files {
        let bytes = std::fs::read(path).unwrap();
        let kind = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let text = match kind {
            "png" => continue,
            // Its cells, as a reader takes them out.
            "parquet" => crate::tables::Format::Csv.bytes("read back", &read_back(bytes)).unwrap(),
            _ => bytes,
        };
        kinds.insert(kind.to_owned());
        let text = String::from_utf8(text).unwrap();
        let is_markup = !matches!(kind, "csv" | "parquet");
        assert!(
            !is_markup || !text.contains("<img") && !text.contains("<!--") && !text.contains("</ScRiPt"),
            "{}",
            path.display()
        );
        assert!(text.chars().all(|c| !is_unseen(c) || c == '\n' || c == '\t'), "{}", path.display());
    }
    assert!(["csv", "html", "md", "parquet", "svg"].iter().all(|kind| kinds.contains(*kind)), "{kinds:?}");
    let table = crate::terminal_table(&run.input(), &Summary::of(&run.input()));
    assert!(!table.contains('\u{202e}') && !table.contains('\u{0}'));
}

#[test]
fn the_data_blocks_cannot_be_left_and_read_back() {
    let html = made(&hostile_run());
    let overview: serde_json::Value = serde_json::from_str(block(&html, "data")).unwrap();
    let seen = escaped(HOSTILE);
    assert_eq!(overview["scenarios"][0]["goal"], *seen);
    let scenario = unpacked(&html, 0);
    // What strategies showed is there too, and how much of it nobody would see.
    assert_eq!(scenario["texts"][0]["text"], seen.repeat(3));
    assert_eq!(scenario["texts"][0]["unseen"], 9);
    // JSON spells controls by their codes.
    let all = scenario.to_string();
    assert!(!all.contains(is_unseen) && !all.contains("\\u00"), "{all}");
    assert_eq!(scenario["steps"][0]["events"][0][2], *seen);
    assert_eq!(scenario["steps"][0]["title"], format!("javascript:{seen}"));
    // A screenshot that is no PNG is not embedded.
    assert!(!html.contains("id=\"picture-"));
}

#[test]
fn a_run_of_an_agent_is_text_with_the_share_of_each_call() {
    let html = made(&hostile_run());
    let seen = escaped(HOSTILE);
    let overview: serde_json::Value = serde_json::from_str(block(&html, "data")).unwrap();
    assert_eq!(overview["runs"][0]["goal"], *seen);
    assert_eq!(overview["agents"][0]["runs"], serde_json::json!([1, 1, 1]));
    let run = unpacked_block(&html, "run-0");
    let call = &run["calls"][0];
    assert_eq!((&call["answer"]["text"], &call["name"]), (&seen.repeat(3).into(), &(*seen).into()));
    assert_eq!((&call["waste"], &call["refused"]), (&"refused: other".into(), &true.into()));
    assert_eq!(call["shares"][0], 1.0, "all the time of the run");
    assert!(call["shares"][1].as_f64().unwrap() > 0.0);
    assert_eq!(run["pages"][0]["url"], *seen);
    assert!(
        run["pages"][0]["picture"].is_null() && !html.contains("id=\"run-picture-"),
        "what is no picture is left out"
    );
    assert!(!run.to_string().contains(is_unseen), "{run}");
}

#[test]
fn long_answers_of_many_runs_are_cut_and_the_page_says_so() {
    let mut run = made_up::run();
    let mut random = browserlens_replay::SplitMix64::new(3);
    let mut agent = hostile_agent();
    agent.pages.clear();
    run.agents = (0..40)
        .map(|_| {
            let line = |_| format!("{:x}\n", random.bits());
            agent.record.calls[0].answer = (0..5_000).map(line).collect();
            agent.clone()
        })
        .collect();
    let html = made(&run);
    let blocks: usize = (0..40).map(|at| block(&html, &format!("run-{at}")).len()).sum();
    assert!(blocks > 200_000 && blocks < LARGEST_RUNS, "{blocks}");
    assert!(html.contains("Answers to agents: 40 are cut in the viewer of runs"));
    let first = unpacked_block(&html, "run-0");
    assert_eq!(first["calls"][0]["answer"]["cut"], run.agents[0].record.calls[0].answer.len());
    // Pictures take no more than their part, and what is not there is said.
    let picture = [&[0xff, 0xd8, 0xff][..], &[7; 300_000]].concat();
    let page = AgentPage { picture: Some(picture), ..AgentPage::default() };
    run.agents.iter_mut().for_each(|agent| agent.pages = vec![page.clone()]);
    let html = made(&run);
    assert!(html.contains("id=\"run-picture-0\"") && html.contains("pictures are not in the page, to keep it small"));
}

#[test]
fn a_step_brings_its_picture_its_boxes_its_events_and_what_each_line_costs() {
    let mut run = made_up::run();
    run.images.insert("shot".to_owned(), made_up::png(1_280, 800));
    run.steps.iter_mut().for_each(|step| step.screenshot = Some("shot".to_owned()));
    let html = made(&run);
    assert!(STANDARD.decode(block(&html, "picture-0")).unwrap().starts_with(crate::preview::JPEG));
    let overview: serde_json::Value = serde_json::from_str(block(&html, "data")).unwrap();
    let lens = overview["strategies"].as_array().unwrap().iter().position(|name| name == "lens/delta").unwrap();
    let scenario = unpacked(&html, 0);
    let step = &scenario["steps"][0];
    assert_eq!(step["picture"], 0);
    assert_eq!(step["viewport"], serde_json::json!([1_280, 800]));
    assert_eq!(step["targets"], serde_json::json!([[10, 20, 90, 30]]));
    assert_eq!(step["refs"][lens.to_string()], serde_json::json!([["@e1", [10, 20, 90, 30]]]));
    assert_eq!(step["events"], serde_json::json!([["console", "error", "it broke", "error"]]));
    let text = &scenario["texts"][step["rows"][lens]["text"].as_u64().unwrap() as usize];
    let lines = text["text"].as_str().unwrap().split_inclusive('\n').count();
    assert_eq!(text["heat"].as_array().unwrap().len(), lines);
}

#[test]
fn the_policy_lets_only_the_pages_own_script_run_and_only_its_own_style_apply() {
    let html = made(&made_up::run());
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(html.find("Content-Security-Policy").unwrap() < html.find("<style").unwrap());
    let script = html.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    let style = html.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    assert!(policy.starts_with("default-src 'none'; img-src data:; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.contains(&format!("script-src {};", escape::source_of(script))), "{policy}");
    assert!(policy.contains(&format!("style-src {};", escape::source_of(style))), "{policy}");
    for own in [script, style] {
        assert!(!own.contains('\r'), "the parser would change it, and its hash would not match");
    }
}

#[test]
fn the_script_puts_data_into_the_page_as_text_only() {
    for way in [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "setTimeout(",
        ".srcdoc", "setAttribute(\"on", "fetch(", "XMLHttpRequest", "import(",
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
    let mut random = browserlens_replay::SplitMix64::new(7);
    let wide =
        std::iter::repeat_with(|| format!("<div class=\"{:x}\">\n", random.bits())).take(10_000).collect::<String>();
    let template = run.measurements.clone();
    for copy in 0..24 {
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
    assert!(!html.contains("scenarios are not in the step viewer"));
}
