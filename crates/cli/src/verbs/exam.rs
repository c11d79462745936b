//! `lab exam`: questions about pages, put to whoever reads the observations of a stored run.
//!
//! In: a run, and a model or none. Out: without a model, how many answers are told, and told beside
//! their owner, and what the simple reader makes of the steps; with one, how many of its answers
//! are right.

use super::llm::{answers, cassette, load, may_ask, options, truth};
use crate::args::ExamArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_replay::llm::{Exam, ExamResults, ExamRow, LlmRun, Prompt};
use browserlens_replay::{RunResult, strategies};
use browserlens_report::{exam_answers_table, exam_table};
use browserlens_trace::scenario::Scenario;
use std::collections::BTreeMap;

pub(crate) fn run(args: &ExamArgs) -> Ended {
    let run = load(&args.run, &args.endpoint)?;
    let chosen = options(&args.endpoint, "", &args.run, &run)?.strategies;
    let Some(model) = &args.model else {
        let asked = run.tasks.iter().map(|task| task.scores.exam.asked).sum::<u32>();
        if asked == 0 {
            let message = format!("{}: no question of an exam was put in this run", args.run.display());
            return Err(Failure::usage(message, "write name.exam.toml beside a scenario and replay again"));
        }
        output::data(&exam_table(&run, &chosen))?;
        return missed(args, &run, &chosen, None);
    };
    let prompt = Prompt::exam();
    let options = options(&args.endpoint, model, &args.run, &run)?;
    let configured = strategies::load(&args.endpoint.strategies_file)?;
    let plan = LlmRun::plan(&run, &configured, &prompt, &options)?;
    let strategies: Vec<String> = plan.strategies().into_iter().map(str::to_owned).collect();
    let exam = Exam::new(plan, &args.endpoint.scenarios_dir)?;
    let (cassette, path) = cassette(&args.endpoint, &run, &prompt, "exam-cassette.jsonl")?;
    let estimate = exam.estimate(&cassette)?;
    if !may_ask(&args.endpoint, &options, &estimate, "questions")? {
        return Ok(Exit::Success);
    }
    let truth = truth(&args.endpoint, &run, &strategies)?;
    let mut answers = answers(&args.endpoint, cassette)?;
    let bar = Bar::over(model, usize::try_from(estimate.steps).unwrap_or(usize::MAX), "questions");
    let sat = exam.sit(&truth, &mut answers, &mut |done| bar.position(done));
    bar.finish();
    let reader = sat?;
    let rows = reader.rows.clone();
    let results = ExamResults::add(&run.folder, reader)?;
    output::data(&exam_answers_table(&results))?;
    output::status(&format!("cassette: {} ({} answers)", path.display(), answers.cassette().len()));
    output::status(&format!("results: {}", run.folder.join("exam.json").display()));
    missed(args, &run, &chosen, Some(&rows))
}

/// Lists what was missed, where that was asked for.
fn missed(args: &ExamArgs, run: &RunResult, chosen: &[String], rows: Option<&[ExamRow]>) -> Ended {
    if !args.missed {
        return Ok(Exit::Success);
    }
    let mut asked: BTreeMap<(String, String), (String, String)> = BTreeMap::new();
    for trace in &run.header.traces {
        let path = args.endpoint.scenarios_dir.join(format!("{}.toml", trace.scenario));
        for question in Scenario::load(&path).map(|scenario| scenario.exam).unwrap_or_default() {
            let about = question.about.unwrap_or_default();
            asked.insert((trace.id.clone(), question.id), (question.ask, about));
        }
    }
    let is_chosen = |strategy: &String| chosen.is_empty() || chosen.contains(strategy);
    let mut lines = String::new();
    let mut list = |strategy: &str, trace: &str, step: u32, id: &str, answer: Option<&str>| {
        let (ask, about) = asked.get(&(trace.to_owned(), id.to_owned())).cloned().unwrap_or_default();
        let about = if about.is_empty() { String::new() } else { format!(" (about {about:?})") };
        let said = answer.map(|answer| format!(": answered {answer:?}")).unwrap_or_default();
        lines.push_str(&format!("{strategy} | {trace} step {step} | {id}: {ask}{about}{said}\n"));
    };
    match rows {
        Some(rows) => {
            for row in rows.iter().filter(|row| !row.right) {
                let answer = row.answer.as_deref().unwrap_or_default();
                list(&row.strategy, &row.trace, row.step, &row.question, Some(answer));
            }
        }
        None => {
            for row in run.measurements.iter().filter(|row| is_chosen(&row.strategy)) {
                for id in row.numbers().iter().flat_map(|numbers| &numbers.exam_missed) {
                    list(&row.strategy, &row.trace, row.step, id, None);
                }
            }
        }
    }
    output::data(&lines)
}
