//! What answers about console and requests cost, and whether they tell what they must.
//!
//! In: a trace, what other tools said beside it, the facts of its scenario. Out: one [`AnswerInfo`]
//! a kind of answer. Invariants: a pass of its own, outside of the measured runs, cached by trace,
//! scenario, peers and the versions of all three; every kind is asked at the same steps, after each
//! step as an agent would; the same facts are looked for in all of them.
//!
//! Tokens of the unfiltered answer are counted row by row: a trace repeats its rows from step to
//! step, and each is counted once.

use crate::cache::Cache;
use crate::error::ReplayError;
use crate::info::AnswerInfo;
use crate::measure::Tokenizer;
use crate::steps::TracePlan;
use browserlens_core::strategy::{EventFilter, PageSource, RequestParts, SourceError, StepIndex};
use browserlens_core::tokens::Encoding;
use browserlens_inspect::{
    ConsoleQuery, CursorKey, Inspector, Limits, NetworkQuery, SummaryQuery, UnixMillis, compact,
};
use browserlens_trace::scenario::EventPlace;
use browserlens_trace::{PeerText, PeersFile, TracePages};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Version of what is computed here; part of the key.
const VERSION: u32 = 4;

/// Everything, uncut.
pub const UNFILTERED: &str = "unfiltered";
/// Everything but bodies, uncut.
pub const WITHOUT_BODIES: &str = "unfiltered, without bodies";
/// What the tools answer to an empty query.
pub const DEFAULT: &str = "default";

/// One answer, of console and of network: its tokens, and its texts, line by line as far as facts
/// are concerned.
#[derive(Clone, Default)]
struct AnswerTexts {
    tokens: [u64; 2],
    lines: [Vec<String>; 2],
}

/// Returns the answers of a trace, from the cache where they are there.
pub(crate) fn run(
    plan: &TracePlan,
    cache: &Cache,
    encoding: Encoding,
    tokenizer: Tokenizer,
) -> Result<Vec<AnswerInfo>, ReplayError> {
    let key = Cache::beside_key(plan, VERSION, encoding, tokenizer);
    cache.measured("beside", &key, || measure(plan, encoding, tokenizer))
}

fn measure(plan: &TracePlan, encoding: Encoding, tokenizer: Tokenizer) -> Result<Vec<AnswerInfo>, ReplayError> {
    let count = |text: &str| tokenizer.count(encoding, text);
    let mut pages = TracePages::open(&plan.path)?;
    let peers = plan.peers.as_ref().map(|peers| PeersFile::open(&peers.path)).transpose()?;
    let inspector = Inspector::new(Limits::default(), CursorKey::new(b"bench"));
    let mut found: Vec<AnswerInfo> = Vec::new();
    let mut rows = Vec::new();
    for row in &plan.rows {
        let step = row.index;
        pages.set_step(step)?;
        let mut add = |name: &str, said: &AnswerTexts| {
            let at = found.iter().position(|info| info.answers == name).unwrap_or_else(|| {
                found.push(AnswerInfo { answers: name.to_owned(), ..AnswerInfo::default() });
                found.len() - 1
            });
            let info = &mut found[at];
            info.console += said.tokens[0];
            info.network += said.tokens[1];
            for fact in plan.scenario.events.iter().filter(|fact| fact.step == plan.scenario_step(step.0)) {
                let lines = match fact.place {
                    EventPlace::Console => &said.lines[0],
                    EventPlace::Network => &said.lines[1],
                };
                info.facts += 1;
                info.told += u32::from(lines.iter().any(|line| fact.is_told_by(line)));
            }
        };
        let whole = unfiltered(&mut pages, &mut rows, step, &count).map_err(ReplayError::damaged(&plan.path))?;
        add(UNFILTERED, &whole[0]);
        add(WITHOUT_BODIES, &whole[1]);
        let answer = ReplayError::damaged(&plan.path);
        let mut ask = |preset: Option<&str>| -> Result<(Value, Value), browserlens_inspect::InspectError> {
            let preset = preset.map(str::to_owned);
            let now = UnixMillis(0);
            let console = ConsoleQuery { preset: preset.clone(), ..ConsoleQuery::default() };
            let network = NetworkQuery { preset, ..NetworkQuery::default() };
            let console = serde_json::to_value(inspector.console(&mut pages, &console, now)?)?;
            let network = serde_json::to_value(inspector.network(&mut pages, &network, now)?)?;
            Ok((console, network))
        };
        let (console, network) = ask(None).map_err(&answer)?;
        let lines = [told(&console), told(&network)];
        let of = |answers: [&Value; 2], lines: [Vec<String>; 2]| {
            let tokens = answers.map(|answer| count(&answer.to_string()));
            AnswerTexts { tokens, lines }
        };
        add(DEFAULT, &of([&console, &network], lines.clone()));
        add("default, compact", &of([&compact(console), &compact(network)], lines));
        let (console, network) = ask(Some("debug")).map_err(&answer)?;
        add("preset debug", &of([&console, &network], [told(&console), told(&network)]));
        let summary = inspector.summary(&mut pages, &SummaryQuery::default()).map_err(&answer)?;
        add("summary", &of_summary(&summary.data, &count));
        if let Some(peers) = &peers {
            add_peers(peers, step, &count, &mut add)?;
        }
    }
    Ok(found)
}

/// What a summary says: its console part stands for the console answer.
fn of_summary(summary: &browserlens_inspect::Summary, count: &dyn Fn(&str) -> u64) -> AnswerTexts {
    let line = |counted: &browserlens_inspect::Counted| format!("{} {}", counted.what, counted.n);
    let console = json!({ "console": summary.console, "errors": summary.errors });
    let mut network = serde_json::to_value(summary).unwrap_or_default();
    if let Value::Object(fields) = &mut network {
        fields.remove("console");
        fields.remove("errors");
    }
    let requests = [&summary.failed, &summary.slowest, &summary.largest].into_iter().flatten();
    AnswerTexts {
        tokens: [console, network].map(|answer| count(&answer.to_string())),
        lines: [summary.errors.iter().map(line).collect(), requests.map(line).collect()],
    }
}

/// The rows of an answer, one a line.
fn told(answer: &Value) -> Vec<String> {
    answer["data"].as_array().map_or_else(Vec::new, |rows| rows.iter().map(Value::to_string).collect())
}

/// A row of the unfiltered answer, and what it costs.
struct WholeRow {
    /// 0 for console, 1 for network.
    of: usize,
    json: String,
    tokens: u64,
    /// Without bodies.
    light: (String, u64),
}

/// Every message and request up to a step, whole; `rows` holds those of the steps before.
fn unfiltered(
    pages: &mut TracePages,
    rows: &mut Vec<WholeRow>,
    step: StepIndex,
    count: &dyn Fn(&str) -> u64,
) -> Result<[AnswerTexts; 2], SourceError> {
    let kinds = ["console", "request"].map(str::to_owned).to_vec();
    let filter = EventFilter { kinds, from_step: Some(step.0), to_step: Some(step.0), ..EventFilter::default() };
    for event in pages.events(&filter, None, usize::MAX)? {
        let json = serde_json::to_string(&event.kind).unwrap_or_default();
        let tokens = count(&json);
        let light = serde_json::to_string(&RequestParts::Headers.of(&event).kind).unwrap_or_default();
        let light_tokens = if light == json { tokens } else { count(&light) };
        rows.push(WholeRow {
            of: usize::from(event.kind.name() == "request"),
            json,
            tokens,
            light: (light, light_tokens),
        });
    }
    // A comma between rows, and the brackets around them.
    let said = |tokens: fn(&WholeRow) -> u64, text: fn(&WholeRow) -> &String| {
        let of = |of: usize| rows.iter().filter(move |row| row.of == of);
        let sum = |at| of(at).map(|row| tokens(row) + 1).sum::<u64>() + 1;
        let lines = |at| of(at).map(|row| text(row).clone()).collect();
        AnswerTexts { tokens: [sum(0), sum(1)], lines: [lines(0), lines(1)] }
    };
    Ok([said(|row| row.tokens, |row| &row.json), said(|row| row.light.1, |row| &row.light.0)])
}

fn add_peers(
    peers: &PeersFile,
    step: StepIndex,
    count: &dyn Fn(&str) -> u64,
    add: &mut dyn FnMut(&str, &AnswerTexts),
) -> Result<(), ReplayError> {
    let mut said: BTreeMap<String, AnswerTexts> = BTreeMap::new();
    for (peer, row) in peers.outputs(step.0)? {
        let at = match row.kind {
            PeerText::Console => 0,
            PeerText::Network => 1,
            PeerText::Observation => continue,
        };
        let said = said.entry(peer.to_owned()).or_default();
        said.tokens[at] += count(&row.text);
        said.lines[at].extend(row.text.lines().map(str::to_owned));
    }
    said.iter().for_each(|(peer, said)| add(peer, said));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn default_answers_tell_every_fact_about_errors_and_requests_and_cost_less_than_everything() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for name in [
            "live-last-minute-ticket",
            "portal-move-a-patient-appointment",
            "spa-plan-a-release",
            "spa-sign-off-a-release",
        ] {
            let trace = root.join(format!("traces/{name}.trace"));
            let plan = TracePlan::open(&trace, &root.join("traces/scenarios")).expect("opens");
            let answers = measure(&plan, Encoding::O200kBase, Tokenizer::Fast).expect("measures");
            let of = |kind: &str| answers.iter().find(|info| info.answers == kind).expect(kind);
            let (all, default) = (of(UNFILTERED), of(DEFAULT));
            assert!(all.facts >= 3, "{name} has facts");
            for kind in [UNFILTERED, DEFAULT, "default, compact"] {
                assert_eq!(of(kind).told, all.facts, "{name}: {kind}");
            }
            assert!(default.network < all.network, "{name}");
            assert!(of("default, compact").network < default.network, "{name}");
            let tools: Vec<_> = answers.iter().filter(|info| info.answers.contains("mcp@")).collect();
            assert!(tools.len() >= 2 && tools.iter().all(|tool| tool.network > 0), "{name}: what tools said is there");
            println!("{name}");
            answers.iter().for_each(|info| println!("  {info:?}"));
        }
    }
}
