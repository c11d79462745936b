//! A model over a stored run, played by the test: what it is told, and what comes of its answers.
#![allow(missing_docs, reason = "a test has no readers")]

mod common;

use browserlens_llm::{
    Answer, Answers, Ask, Cassette, CassetteError, ChatRequest, Completion, EndpointError, LlmError, Part,
};
use browserlens_replay::llm::{
    Exam, ExamResults, LlmReadError, LlmReader, LlmResults, LlmRun, Prompt, ReaderOptions, ResolvedBy, RowOutcome,
    Truth, TruthSource, summarise,
};
use browserlens_replay::{ConfiguredStrategy, RunResult};
use common::{Behaviour, Request, World, configured, configured_version, pages};
use std::path::PathBuf;

/// A model that says what it is told to, in order, and remembers what it was asked.
#[derive(Default)]
struct Model {
    says: Vec<Result<&'static str, &'static str>>,
    asked: Vec<String>,
}

impl Model {
    fn new(says: &[&'static str]) -> Self {
        Self { says: says.iter().map(|text| Ok(*text)).collect(), asked: Vec::new() }
    }
}

impl Ask for Model {
    fn ask(&mut self, request: &ChatRequest) -> Result<Answer, LlmError> {
        let texts = request.messages.iter().flat_map(|message| &message.parts).map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Png(_) => "(image)",
        });
        self.asked.push(texts.collect::<Vec<_>>().join("\n=====\n"));
        match self.says.remove(0) {
            Ok(content) => Ok(Answer::Said(Completion { content: content.to_owned(), ..Completion::default() })),
            Err(last) => {
                Err(EndpointError::NoAnswer { url: "http://here".into(), attempts: 5, last: last.to_owned() }.into())
            }
        }
    }
}

struct Setup {
    world: World,
    trace: PathBuf,
    run: RunResult,
    strategies: Vec<ConfiguredStrategy>,
}

fn setup(behaviour: Behaviour) -> Setup {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let strategies = vec![configured("test/list", behaviour)];
    let run = world.replay(Request::new(std::slice::from_ref(&trace), &strategies)).expect("replays");
    Setup { world, trace, run, strategies }
}

impl Setup {
    fn truth(&self) -> Truth {
        let scratch = self.world.path("scratch");
        self.world.pack(&self.trace, "scratch/cache", &pages());
        let strategies = [configured("test/list", Behaviour::Good)];
        let source = TruthSource {
            traces: &self.world.path("traces"),
            scenarios_dir: &self.world.path("scenarios"),
            scratch: &scratch,
        };
        Truth::find(&self.run, &strategies, &source).expect("found")
    }

    fn read(&self, truth: &Truth, asked: &mut dyn Ask) -> Result<LlmReader, LlmReadError> {
        let (prompt, options) = (Prompt::default(), ReaderOptions::new("m"));
        LlmRun::plan(&self.run, &self.strategies, &prompt, &options)?.read(truth, asked, &mut |_| ())
    }
}

const FILL: &str = r#"{"action":"fill","target":"e1","text":""}"#;
const CLICK: &str = r#"{"action":"click","target":"[ref=e2]","text":null}"#;

#[test]
fn right_answers_are_right_by_the_true_map() {
    let setup = setup(Behaviour::Good);
    let mut model = Model::new(&[FILL, CLICK]);
    let reader = setup.read(&setup.truth(), &mut model).expect("read");
    assert_eq!(reader.rows.len(), 2, "the last step has no next action");
    assert!(reader.rows.iter().all(|row| row.is_success() && row.element.by == ResolvedBy::Handle), "{reader:?}");
    let summary = &summarise(&reader)[0];
    assert_eq!((summary.tasks, summary.steps, summary.successful_tasks, summary.by_words), (1, 2, 1, 0));
}

#[test]
fn the_model_is_told_goal_legend_and_the_past_but_never_the_next_action() {
    let setup = setup(Behaviour::Good);
    let mut model = Model::new(&[FILL, CLICK]);
    setup.read(&Truth::default(), &mut model).expect("read");
    assert!(model.asked[0].contains(
        "refs act\n=====\nGoal: Find the oak lamp\n\nActions so far:\nnone\n\n## Observation now\n\n- searchbox"
    ));
    assert!(!model.asked[0].contains("1. fill") && !model.asked[0].contains("lamp\"\n\n##"), "{}", model.asked[0]);
    assert!(model.asked[1].contains("1. fill searchbox \"Search\"\n\n## Observation now"), "{}", model.asked[1]);
    assert_eq!(model.asked[1].matches("## Observation").count(), 1, "a full observation replaces what was before");
    assert!(!model.asked[1].contains("Oak lamp\""), "the next page is not shown");
}

#[test]
fn without_the_trace_the_text_decides() {
    let setup = setup(Behaviour::Good);
    let reader = setup.read(&Truth::default(), &mut Model::new(&[FILL, CLICK])).expect("read");
    assert!(reader.rows.iter().all(|row| row.is_success() && row.element.by == ResolvedBy::Words), "{reader:?}");
}

#[test]
fn a_text_that_is_not_the_runs_proves_nothing() {
    let setup = setup(Behaviour::Verbose);
    let reader = setup.read(&setup.truth(), &mut Model::new(&[FILL, CLICK])).expect("read");
    assert!(reader.rows.iter().all(|row| row.element.by == ResolvedBy::Words), "{reader:?}");
}

#[test]
fn unknown_handles_prose_and_failed_steps_are_wrong_steps() {
    let setup = setup(Behaviour::Good);
    let says = [r#"{"action":"fill","target":"e77","text":""}"#, "I would press Go."];
    let reader = setup.read(&setup.truth(), &mut Model::new(&says)).expect("read");
    assert!(
        reader.rows[0].element == browserlens_replay::llm::ElementScore::NONE && reader.rows[0].operation.is_exact()
    );
    assert!(matches!(reader.rows[1].outcome, RowOutcome::NoAnswer(_)) && reader.rows[1].operation.predicted == 0);
    let failing = self::setup(Behaviour::FailsAtOne);
    let reader = failing.read(&Truth::default(), &mut Model::new(&[FILL])).expect("read");
    assert!(matches!(&reader.rows[1].outcome, RowOutcome::NotObserved { error } if error.contains("cannot")));
    assert_eq!(summarise(&reader)[0].not_observed, 1);
}

#[test]
fn one_failure_is_a_row_and_wrong_settings_end_the_reading() {
    let setup = setup(Behaviour::Good);
    let mut model = Model { says: vec![Err("timeout"), Ok(CLICK)], asked: Vec::new() };
    let reader = setup.read(&Truth::default(), &mut model).expect("read");
    assert!(matches!(&reader.rows[0].outcome, RowOutcome::Failed { error } if error.ends_with("the last: timeout")));
    assert_eq!(summarise(&reader)[0].failed, 1);
}

#[test]
fn a_replay_equals_the_live_run_and_what_is_missing_is_named() {
    let setup = setup(Behaviour::Good);
    let path = setup.world.path("a.jsonl");
    let (prompt, options) = (Prompt::default(), ReaderOptions::new("m"));
    let plan = LlmRun::plan(&setup.run, &setup.strategies, &prompt, &options).expect("planned");
    let open = || Cassette::open(&path, prompt.version()).expect("opens");
    let estimate = plan.estimate(&open()).expect("counted");
    assert_eq!((estimate.steps, estimate.requests, estimate.answer_tokens_at_most), (2, 2, 1024));
    assert!(estimate.text_tokens > 400 && estimate.image_tokens == 0);
    let mut replayed = Answers::replayed(open());
    let error = plan.read(&Truth::default(), &mut replayed, &mut |_| ()).expect_err("nothing there");
    assert!(matches!(error, LlmReadError::Llm(LlmError::Cassette(CassetteError::Missing { .. }))));

    let model = Model::new(&[FILL, CLICK]);
    let mut live = Answers::live(open(), Box::new(model));
    let first = plan.read(&Truth::default(), &mut live, &mut |_| ()).expect("read");
    let estimate = plan.estimate(&open()).expect("counted");
    assert_eq!((estimate.requests, estimate.in_cassette, estimate.text_tokens), (0, 2, 0));
    let second = plan.read(&Truth::default(), &mut Answers::replayed(open()), &mut |_| ()).expect("read");
    assert_eq!(first, second);
    let mut results = LlmResults::default();
    results.add(first);
    results.save(&setup.run.folder).expect("saved");
    assert_eq!(LlmResults::load(&setup.run.folder).expect("loads"), Some(results));
    RunResult::load(&setup.run.folder).expect("the run is as before");
}

#[test]
fn a_cost_as_worked_by_hand() {
    // 2,000,000 tokens in at 0.15, 100,000 out at 0.60 a million: 0.30 + 0.06.
    let estimate = browserlens_replay::llm::Estimate {
        text_tokens: 1_500_000,
        image_tokens: 500_000,
        answer_tokens_at_most: 100_000,
        ..Default::default()
    };
    assert!((estimate.cost_at_most(0.15, 0.60) - 0.36).abs() < 1e-12);
}

#[test]
fn strategies_that_changed_are_unknown_or_missing_are_refused_with_a_remedy() {
    let setup = setup(Behaviour::Good);
    let prompt = Prompt::default();
    let refused = |configured: &[ConfiguredStrategy], strategies: &[&str]| {
        let names = strategies.iter().map(|name| (*name).to_owned()).collect();
        let options = ReaderOptions { strategies: names, ..ReaderOptions::new("m") };
        let error = LlmRun::plan(&setup.run, configured, &prompt, &options).expect_err("refused");
        (error.to_string(), error.hint())
    };
    let (text, hint) = refused(&[configured_version("test/list", "2", Behaviour::Good)], &[]);
    assert!(text.contains("the run has test/list in version \"1\", configured is version \"2\""), "{text}");
    assert!(hint.contains("replay the traces again"));
    assert!(refused(&[], &[]).0.contains("configured is none of that name"));
    assert!(
        refused(&setup.strategies, &["lens/none"])
            .0
            .contains("the run has no strategy \"lens/none\": it has test/list")
    );
}

const EXAM: &str = r#"
[[exam]]
id     = "count"
step   = 2
ask    = "How many results are shown?"
answer = "3"
accept = ["three"]

[[exam]]
id     = "go"
step   = 1
ask    = "Which ref starts the search?"
target = { role = "button", name = "Go" }
"#;

#[test]
fn an_exam_is_put_with_what_was_seen_and_scored_by_words_and_by_what_refs_mean() {
    let setup = setup(Behaviour::Good);
    let scenarios = setup.world.path("scenarios");
    let options = ReaderOptions::new("m");
    let prompt = Prompt::exam();
    let plan = || LlmRun::plan(&setup.run, &setup.strategies, &prompt, &options).expect("a plan");
    let error = Exam::new(plan(), &scenarios).expect_err("no exam").to_string();
    assert!(error.contains("no scenario of this run has an exam"), "{error}");
    std::fs::write(scenarios.join("shop/lamp.exam.toml"), EXAM).expect("writes");
    let exam = Exam::new(plan(), &scenarios).expect("an exam");
    let cassette = Cassette::open(&setup.world.path("exam.jsonl"), prompt.version()).expect("opens");
    let estimate = exam.estimate(&cassette).expect("counted");
    assert_eq!((estimate.steps, estimate.requests), (2, 2));
    let truth = setup.truth();
    let sit = |says: &[&'static str]| {
        let mut model = Model::new(says);
        let reader = exam.sit(&truth, &mut model, &mut |_| ()).expect("sat");
        (reader.rows.iter().map(|row| row.right).collect::<Vec<_>>(), model.asked, reader)
    };
    let (right, asked, reader) = sit(&[r#"{"answer": "Three of them"}"#, r#"{"answer": "[ref=e2]"}"#]);
    assert_eq!(right, [true, true]);
    assert!(
        asked[0].contains("refs act\n=====\n## Observation 2\n") && !asked[1].contains("Observation 2"),
        "{}",
        asked[0]
    );
    assert!(asked[0].contains("How many results are shown?") && !asked[0].contains("three"), "{}", asked[0]);
    let (right, ..) = sit(&[r#"{"answer": "142 of 300"}"#, r#"{"answer": "e1"}"#]);
    assert_eq!(right, [false, false]);
    let (right, ..) = sit(&["no JSON", r#"{"answer": 2}"#]);
    assert_eq!(right, [false, false]);
    // Sat again, it takes the place of what was there.
    let folder = &setup.run.folder;
    assert_eq!(ExamResults::add(folder, reader.clone()).expect("kept").readers[0].rows.len(), 2);
    let again = ExamResults::add(folder, reader).expect("kept");
    assert_eq!((again.readers.len(), again.readers[0].rows.len()), (1, 2));
    std::fs::write(folder.join("exam.json"), "{").expect("writes");
    let error = ExamResults::add(folder, again.readers[0].clone()).expect_err("damaged").to_string();
    assert!(error.contains("exam.json"), "{error}");
}
