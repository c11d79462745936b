//! Ways of the knowledge carried out in real Chromium on the bundled sites.
//!
//! For each pair of connected screens of a site the agent protocol is asked for the way, its
//! browser-use calls are carried out, and the page where they end is recognised. Each pair begins
//! with an empty storage and the way to its first screen, so none depends on another. Pages are
//! looked at as a live agent looks at them, without pictures. All pairs take a minute or two: the
//! test that always runs takes one in ten of each site, drawn by a fixed seed; `just ways` runs all
//! of them.
#![allow(clippy::print_stdout, reason = "the figures are what one runs it for")]

mod common;
#[path = "common/known.rs"]
mod known;

use browserlens_core::page::{NodeKey, Page};
use browserlens_core::random::SplitMix64;
use browserlens_core::strategy::{ActionKind, Actor, PageSource, TakenAction};
use browserlens_knowledge::protocol::{Agent, AgentInstruction, AgentResponse, Environment};
use browserlens_knowledge::{BrowserUseAction, Knowledge, Recogniser, Recording, ScreenId, extract};
use browserlens_recorder::{LiveBrowser, LiveOptions};
use browserlens_trace::Trace;
use common::sites;
use known::{pairs, secret, traces};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Of so many pairs of each site the test that always runs takes one.
const ONE_OF: usize = 10;

/// The knowledge of each site.
fn knowledge() -> BTreeMap<String, Knowledge> {
    let mut recordings: BTreeMap<String, Vec<Recording>> = BTreeMap::new();
    for path in traces() {
        let trace = Trace::open(&path).expect("opens");
        let site = trace.meta().site.clone().expect("of a bundled site");
        recordings.entry(site).or_default().push(Recording::read(&trace).expect("is read"));
    }
    recordings.into_iter().map(|(site, recordings)| (site, extract("ways", &recordings))).collect()
}

/// A few of many, drawn by a fixed seed.
fn sample<T: Clone>(all: &[T], count: usize, seed: &str) -> Vec<T> {
    let seed = seed.bytes().fold(0x9e37_79b9_7f4a_7c15_u64, |seed, byte| seed.rotate_left(8) ^ u64::from(byte));
    let mut random = SplitMix64::new(seed);
    let mut left = all.to_vec();
    (0..count.min(all.len())).map(|_| left.swap_remove((random.bits() % left.len() as u64) as usize)).collect()
}

struct Walker<'k> {
    agent: Agent<'k>,
    recogniser: Recogniser<'k>,
    live: LiveBrowser,
    secret: Option<&'static str>,
    /// Files of the agent.
    files: TempDir,
    /// What was done since the beginning of the pair, for whoever looks into a miss.
    steps: Vec<String>,
}

impl Walker<'_> {
    fn instruction(&self, from: Option<&ScreenId>, to: &ScreenId) -> AgentInstruction {
        let mut context = json!({});
        if let Some(from) = from {
            context["current_screen_id"] = json!(from);
        }
        if let Some(secret) = self.secret {
            context["values"] = json!({ "Password": secret });
        }
        let instruction = json!({ "instruction_type": "navigate_to_screen", "target": to, "context": context });
        serde_json::from_value(instruction).expect("an instruction")
    }

    fn ask(&mut self, instruction: &AgentInstruction, is_there: bool) -> Result<AgentResponse, String> {
        let page = if is_there { Some(self.page()?) } else { None };
        let environment = Environment { page: page.as_deref(), ..Environment::default() };
        let answer = self.agent.answer(instruction, &environment);
        match &answer.error {
            None if answer.success => Ok(answer),
            error => {
                let steps: Vec<_> = answer.steps.iter().filter_map(|step| step.error.as_deref()).collect();
                Err(format!("no way: {} {}", error.as_deref().unwrap_or(""), steps.join("; ")))
            }
        }
    }

    fn page(&mut self) -> Result<Arc<Page>, String> {
        self.live.look().map_err(|error| told(&error))
    }

    fn walk(&mut self, from: Option<&ScreenId>, to: &ScreenId) -> Result<(), String> {
        let instruction = self.instruction(from, to);
        let way = self.ask(&instruction, from.is_some())?;
        for (number, step) in way.steps.iter().enumerate() {
            if let Some(error) = &step.error {
                return Err(format!("step {number}: {error}"));
            }
            // As the protocol has it: once the page of a step is there, the step is translated for
            // it; else its script looks for the element.
            let page = if number == 0 { None } else { Some(self.page()?) };
            let environment = Environment { page: page.as_deref(), ..Environment::default() };
            let anew = page.as_ref().and_then(|_| self.agent.anew(step, &instruction, &environment).ok());
            self.steps.push(format!(
                "{number}. {}{}",
                step.description,
                if step.optional { " (optional)" } else { "" }
            ));
            for call in anew.as_ref().unwrap_or(&step.actions) {
                match self.call(call) {
                    // What only prepares is passed over where its element is not there.
                    Err(error) if step.optional && error.starts_with("Error: ") => {
                        self.steps.push(format!("   passed over: {error}"));
                        break;
                    }
                    done => done.map_err(|error| format!("step {number}, {}: {error}", step.description))?,
                }
            }
        }
        let page = self.page()?;
        let found = self.recogniser.page(&page);
        match &found.screen_id {
            Some(screen) if screen == to => Ok(()),
            Some(screen) => Err(format!("arrived at {screen} ({})", page.url())),
            None => Err(format!("arrived at no known screen ({}, {found:?})", page.url())),
        }
    }

    /// Carries out one call as a browser-use agent would.
    fn call(&mut self, call: &BrowserUseAction) -> Result<(), String> {
        let text = |key: &str| call.parameters.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = match call.tool_name.as_str() {
            "evaluate" => {
                let told = self.live.evaluate(&text("code")).map_err(|error| error.to_string())?;
                self.live.settle().map_err(|error| error.to_string())?;
                // A script whose page goes away while it runs has nothing to say.
                return match told.as_str() {
                    Some(told) if told.starts_with("Error") => Err(told.to_owned()),
                    _ => Ok(()),
                };
            }
            "wait" => return self.live.settle().map_err(|error| error.to_string()),
            "navigate" => (ActionKind::Goto, text("url")),
            "click" => (ActionKind::Click, String::new()),
            "input" => (ActionKind::Fill, text("text")),
            "select_dropdown" => (ActionKind::Select, text("text")),
            "send_keys" => (ActionKind::Press, text("keys")),
            "scroll" => {
                let down = call.parameters.get("down").and_then(Value::as_bool).unwrap_or(true);
                let pages = call.parameters.get("pages").and_then(Value::as_f64).unwrap_or(1.0);
                (ActionKind::Scroll, format!("0, {}", pages * if down { 720.0 } else { -720.0 }))
            }
            // Files of the agent.
            "write_file" => {
                return std::fs::write(self.files.path().join(text("file_name")), text("content"))
                    .map_err(|error| error.to_string());
            }
            "upload_file" => (ActionKind::Upload, self.files.path().join(text("path")).to_string_lossy().into_owned()),
            "go_back" => (ActionKind::Back, String::new()),
            other => return Err(format!("the test does not know {other}")),
        };
        let index = call.parameters.get("index").and_then(Value::as_u64);
        let key = match index {
            None => None,
            Some(index) => Some(self.node(index)?),
        };
        let action = TakenAction { kind: kind.0, node: None, text: kind.1, error: None };
        self.live.act(&action, key).map_err(|error| error.to_string())
    }

    fn node(&mut self, index: u64) -> Result<NodeKey, String> {
        let page = self.page()?;
        let node = page.nodes().find(|node| u64::from(node.key().backend) == index);
        node.map(|node| node.key()).ok_or_else(|| format!("no node {index}"))
    }

    fn forget(&mut self) -> Result<(), String> {
        let script = "sessionStorage.clear(); localStorage.clear(); for (const one of document.cookie.split(';')) \
            document.cookie = one.split('=')[0] + '=; max-age=0'";
        self.live.evaluate(script).map(drop).map_err(|error| error.to_string())
    }

    fn pair(&mut self, from: &ScreenId, to: &ScreenId) -> Result<(), String> {
        self.forget()?;
        self.walk(None, from).map_err(|error| format!("to the beginning: {error}"))?;
        self.walk(Some(from), to)
    }
}

/// An error with its causes.
fn told(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect::<Vec<_>>().join(": ")
}

/// Walks pairs of every site, two sites at a time; returns how many there are, how many were
/// walked, and what failed.
fn walk(one_of: usize) -> (usize, usize, Vec<String>) {
    let sites_known: Vec<(String, Knowledge)> = knowledge().into_iter().collect();
    let next = Mutex::new(0);
    let told = Mutex::new((0, 0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = {
                        let mut next = next.lock().expect("not poisoned");
                        *next += 1;
                        *next - 1
                    };
                    let Some((site, knowledge)) = sites_known.get(at) else { return };
                    let (all, walked, failed) = walk_site(site, knowledge, one_of);
                    println!("{site}: {} of {walked} ways arrived, of {all} pairs", walked - failed.len());
                    let mut told = told.lock().expect("not poisoned");
                    (told.0, told.1) = (told.0 + all, told.1 + walked);
                    told.2.extend(failed);
                }
            });
        }
    });
    let (all, walked, mut failed) = told.into_inner().expect("not poisoned");
    failed.sort();
    (all, walked, failed)
}

fn walk_site(site: &str, knowledge: &Knowledge, one_of: usize) -> (usize, usize, Vec<String>) {
    let all = pairs(knowledge);
    let wanted = sample(&all, all.len().div_ceil(one_of), site);
    if wanted.is_empty() {
        return (0, 0, Vec::new());
    }
    let live = LiveBrowser::open_site(&sites(), site, "/", &LiveOptions::default());
    let mut walker = Walker {
        agent: Agent::new(knowledge).expect("an agent"),
        recogniser: Recogniser::new(knowledge).expect("a recogniser"),
        live: live.unwrap_or_else(|error| panic!("{site}: {error}")),
        secret: secret(site),
        files: tempfile::tempdir().expect("a folder"),
        steps: Vec::new(),
    };
    let mut failed = Vec::new();
    for (from, to) in &wanted {
        if let Err(error) = walker.pair(from, to) {
            println!("{site}: {from} -> {to}: {error}\n  {}", walker.steps.join("\n  "));
            failed.push(format!("{site}: {from} -> {to}: {error}"));
        }
    }
    (all.len(), wanted.len(), failed)
}

fn assert_all_arrive((all, walked, failed): (usize, usize, Vec<String>)) {
    println!("{all} pairs of connected screens");
    assert!(all > 80, "{all} pairs");
    known::assert_bar(walked, &failed, 0);
}

#[test]
fn a_few_ways_of_each_site_arrive_and_are_recognised() {
    assert_all_arrive(walk(ONE_OF));
}

#[test]
#[ignore = "all pairs take minutes: `just ways`"]
fn every_way_arrives_and_is_recognised() {
    assert_all_arrive(walk(1));
}
