//! `agents tasks` and `agents run`: what agents are given to do, and playing it.
//!
//! In: tasks as files, a tool, an agent. Out: lists, records, and which checks lie.

use super::agents::{IMAGES, free_path, paths, records, secrets};
use super::key_of_user;
use super::model::Asked;
use crate::args::{AgentArg, AgentsRunArgs, AgentsTasksArgs, AgentsWhichArgs, ContextArg};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_core::sync::locked;
use browserlens_core::tokens::Encoding;
use browserlens_report::{AgentsBy, agents_table, measured_runs};
use browserlens_tasks::{
    Agent, Context, Environment, Folders, McpTool, ModelAgent, ModelOptions, PATIENCE, PROMPT_VERSION, Played,
    Scripted, ServedTask, StdioAgent, Task, TasksError, Tool, ToolCommand, play,
};
use browserlens_trace::agents::{EndReason, RunRecord};
use browserlens_trace::{RedactionOptions, Redactor};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Where `scripts/install-peers`, `scripts/wild/run --apps` and `scripts/install-miniwob` put what
/// they make.
const PEERS: &str = ".tools/peers";
const WILD: &str = ".tools/wild/sites";
const MINIWOB: &str = ".tools/miniwob/miniwob/html";
/// Plays the ways of MiniWoB++.
const MINIWOB_SCRIPT: &str = "scripts/miniwob";
/// Answers that a model is shown whole with `--context last`.
const KEPT_ANSWERS: u32 = 3;
/// Tokens of answers above which a model writes a summary.
const SUMMARY_ABOVE: u32 = 30_000;
/// How long a page has to become what the task wants when nobody did anything.
const EMPTY_PATIENCE: Duration = Duration::from_millis(600);
/// After a wrong way: long enough for what it sent to be answered.
const WRONG_PATIENCE: Duration = Duration::from_millis(2_500);

fn chosen(which: &AgentsWhichArgs) -> Result<Vec<Task>, Failure> {
    let all = Task::load_all(&which.tasks_dir)?;
    if let Some(unknown) = which.tasks.iter().find(|id| !all.iter().any(|task| task.id == **id)) {
        let near = unknown.split('-').next().unwrap_or_default();
        let like: Vec<&str> =
            all.iter().map(|task| task.id.as_str()).filter(|id| id.starts_with(near)).take(8).collect();
        let hint = if like.is_empty() { "list them: browserlens agents tasks".to_owned() } else { like.join(", ") };
        return Err(Failure::usage(format!("no task is called {unknown:?}"), hint));
    }
    let named = all.into_iter().filter(|task| which.tasks.is_empty() || which.tasks.contains(&task.id));
    let (chosen, others): (Vec<Task>, Vec<Task>) =
        named.partition(|task| which.level.is_empty() || which.level.contains(&task.level));
    if chosen.is_empty() {
        let levels: Vec<String> =
            others.iter().take(3).map(|task| format!("{} has level {}", task.id, task.level)).collect();
        return Err(Failure::usage("none of these tasks has such a level", levels.join(", ")));
    }
    Ok(chosen)
}

fn folders(which: &AgentsWhichArgs) -> Folders {
    Folders { sites: which.sites_dir.clone(), wild: PathBuf::from(WILD), miniwob: PathBuf::from(MINIWOB) }
}

fn tool_of(given: &str, skill: Option<&Path>, which: &AgentsWhichArgs) -> Result<ToolCommand, Failure> {
    let chrome = browserlens_recorder::find_chrome(which.chrome.as_deref())?;
    ToolCommand::of(given, skill, crate::program(), Path::new(PEERS), Some(&chrome)).map_err(Failure::from)
}

pub(super) fn tasks(args: &AgentsTasksArgs) -> Ended {
    let tasks = chosen(&args.which)?;
    if args.check {
        return check(args, &tasks);
    }
    if args.json {
        let listed: Vec<serde_json::Value> = tasks
            .iter()
            .map(|task| {
                let start = match &task.place {
                    Environment::Site(site) => site.start.clone(),
                    Environment::Miniwob { page } => format!("/miniwob/{page}.html"),
                };
                serde_json::json!({
                    "id": task.id, "level": task.level, "site": task.place_name(), "start": start,
                    "goal": task.goal, "limit": task.limit,
                })
            })
            .collect();
        return output::pretty(&listed);
    }
    let widest = tasks.iter().map(|task| task.id.len()).max().unwrap_or_default();
    for task in &tasks {
        let line = format!("{} {:<widest$} {:<8} {}", task.level, task.id, task.place_name(), task.goal);
        output::data(&format!("{}\n", escaped_line(&line)))?;
    }
    output::status(&format!("{} tasks", tasks.len()));
    Ok(Exit::Success)
}

/// What was found about one task: nothing if its check tells the truth.
type Lies = Vec<String>;

fn check(args: &AgentsTasksArgs, tasks: &[Task]) -> Ended {
    let command = tool_of("browserlens", None, &args.which)?;
    let is_of_miniwob = |task: &&Task| matches!(task.place, Environment::Miniwob { .. });
    let of_miniwob: Vec<Task> = tasks.iter().filter(is_of_miniwob).cloned().collect();
    let folders = folders(&args.which);
    let lies = Arc::<Mutex<BTreeMap<String, Lies>>>::default();
    let queue = Arc::new(Mutex::new(tasks.iter().cloned().collect::<VecDeque<Task>>()));
    super::runtime()?.block_on(async {
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..usize::from(args.jobs).min(tasks.len()) {
            let (queue, lies) = (Arc::clone(&queue), Arc::clone(&lies));
            let (folders, command) = (folders.clone(), command.clone());
            workers.spawn(async move {
                // One tool for many tasks: each has an origin of its own, so nothing is left.
                let mut tool = McpTool::start(&command).await?;
                loop {
                    let next = locked(&queue).pop_front();
                    let Some(task) = next else { break };
                    let found = checked(&task, &folders, &mut tool).await?;
                    let word = if found.is_empty() { "true" } else { "lies" };
                    output::status(&format!("{}: {word}", task.id));
                    locked(&lies).insert(task.id.clone(), found);
                }
                Box::new(tool).close().await;
                Ok::<_, TasksError>(())
            });
        }
        while let Some(ended) = workers.join_next().await {
            ended.map_err(|error| TasksError::Agent(error.to_string()))??;
        }
        Ok::<_, TasksError>(())
    })?;
    let mut lies = locked(&lies).clone();
    if !of_miniwob.is_empty() {
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::input(format!("no folder for records: {error}"), "free some space for temporary files")
        })?;
        play_miniwob(&of_miniwob, 1, folder.path())?;
        let records = records(&[folder.path().to_owned()])?;
        for task in &of_miniwob {
            let is_done = records.iter().any(|run| run.header.task == task.id && run.is_success() == Some(true));
            if !is_done {
                lies.entry(task.id.clone()).or_default().push("its way does not do it".to_owned());
            }
        }
    }
    let lying: Vec<(&String, &Lies)> = lies.iter().filter(|(_, lies)| !lies.is_empty()).collect();
    for (id, lies) in &lying {
        for lie in *lies {
            output::data(&format!("{}\n", escaped_line(&format!("{id}: {lie}"))))?;
        }
    }
    let said = format!(
        "{} of {} checks tell the truth: {} played empty, done and wrong, {} of MiniWoB++ empty and done",
        tasks.len() - lying.len(),
        tasks.len(),
        tasks.len() - of_miniwob.len(),
        of_miniwob.len()
    );
    output::data(&format!("{said}\n"))?;
    Ok(if lying.is_empty() { Exit::Success } else { Exit::Regression })
}

/// Plays a task empty, by its way and by its wrong way.
async fn checked(task: &Task, folders: &Folders, tool: &mut McpTool) -> Result<Lies, TasksError> {
    let mut lies = Lies::new();
    let stage = ServedTask::set(task, folders, 1).await?;
    // Nothing but the start is opened.
    let mut start = Scripted::way(Vec::new(), stage.url_of("/"), None);
    if play(task, &stage, tool, &mut start, None, EMPTY_PATIENCE).await?.verdict.is_done() {
        lies.push("passes though nothing was done".to_owned());
    }
    let Environment::Site(site) = &task.place else { return Ok(lies) };
    // On the same pages: there nothing was done.
    let files = stage.files().map(Path::to_owned);
    let mut way = Scripted::way_from_here(site.way.clone(), stage.url_of("/"), files);
    let played = play(task, &stage, tool, &mut way, None, PATIENCE).await?;
    if !played.verdict.is_done() {
        lies.push(format!("fails though all was done: {} ({})", played.verdict.unmet.join("; "), told(&played)));
    } else if let Some(stopped) = stopped(&played) {
        lies.push(format!("its way passes, but {stopped}"));
    }
    let stage = ServedTask::set(task, folders, 1).await?;
    let files = stage.files().map(Path::to_owned);
    let mut wrong = Scripted::way(site.wrong.clone(), stage.url_of("/"), files);
    let played = play(task, &stage, tool, &mut wrong, None, WRONG_PATIENCE).await?;
    if played.verdict.is_done() {
        lies.push(format!("passes though it was done wrongly: {}", site.wrong_is));
    } else if let Some(stopped) = stopped(&played) {
        lies.push(format!("its wrong way {stopped}"));
    }
    Ok(lies)
}

fn told(played: &Played) -> String {
    played.said.clone().unwrap_or_else(|| format!("{} calls", played.calls))
}

/// Returns how a way ended before its last step, in words.
fn stopped(played: &Played) -> Option<String> {
    match (played.end, &played.said) {
        (EndReason::Stopped, Some(said)) if said.starts_with("gave up") => Some(said.clone()),
        (EndReason::Stopped, _) => None,
        (EndReason::Limit, _) => Some(format!("needs more than the limit of {} calls", played.calls)),
        (EndReason::Failed | EndReason::Unknown, said) => Some(format!("failed: {}", said.as_deref().unwrap_or(""))),
    }
}

type Model = (ModelOptions, Arc<Mutex<Asked>>);

/// Returns the model that acts; none where a script does.
fn model(args: &AgentsRunArgs) -> Result<Option<Model>, Failure> {
    if args.agent == AgentArg::Stdio {
        return Ok(None);
    }
    if args.agent != AgentArg::Model {
        return match &args.model.model {
            Some(_) => Err(Failure::usage("--model: a script acts", "take --agent model")),
            None => Ok(None),
        };
    }
    let Some((name, answers)) = args.model.asked(args.timeout, PROMPT_VERSION)? else {
        let hint = "name it: --model NAME --base-url URL";
        return Err(Failure::usage("--agent model: no model is named", hint));
    };
    if args.keep.is_some() && args.context == ContextArg::All {
        let hint = "take --context last or --context summary, or leave --keep out";
        return Err(Failure::usage("--keep: everything is kept", hint));
    }
    let options = ModelOptions {
        context: match args.context {
            ContextArg::All => Context::All,
            ContextArg::Last => Context::Last(args.keep.unwrap_or(KEPT_ANSWERS) as usize),
            ContextArg::Summary => Context::Summary(args.keep.unwrap_or(SUMMARY_ABOVE)),
        },
        temperature: args.temperature,
        seed: args.seed,
        max_tokens: args.max_tokens,
        response_format: args.response_format,
        images: !args.no_images,
        ..ModelOptions::new(name)
    };
    Ok(Some((options, Arc::new(Mutex::new(answers)))))
}

pub(super) fn run(args: &AgentsRunArgs) -> Ended {
    let model = model(args)?;
    let tasks = chosen(&args.which)?;
    if args.agent == AgentArg::Stdio && (tasks.len() != 1 || args.runs != 1) {
        let hint = "name the task, and leave --runs out: each has a process of its own";
        let said = format!("--agent stdio plays one task once, not {} tasks {} times", tasks.len(), args.runs);
        return Err(Failure::usage(said, hint));
    }
    let command = tool_of(&args.tool, args.skill.as_deref(), &args.which)?;
    let known = secrets(&args.secret)?;
    let options = RedactionOptions { key: key_of_user()?, known, ..RedactionOptions::default() };
    let hint = format!("name a folder that can be written, not {}", args.out.display());
    std::fs::create_dir_all(&args.out).map_err(|error| Failure::new(Exit::Input, &error, hint))?;
    // A folder without records is none to `paths`.
    let before = paths(std::slice::from_ref(&args.out)).unwrap_or_default();
    let by_script = |task: &&Task| args.agent == AgentArg::Way && matches!(task.place, Environment::Miniwob { .. });
    let of_miniwob: Vec<Task> = tasks.iter().filter(by_script).cloned().collect();
    if !of_miniwob.is_empty() && args.tool != "browserlens" {
        let message = format!("the ways of MiniWoB++ speak to browserlens alone, not to {}", args.tool);
        return Err(Failure::usage(message, "name tasks of sites, or take --agent explore"));
    }
    if args.record && (args.tool != "browserlens" || !of_miniwob.is_empty()) {
        let who = if of_miniwob.is_empty() { args.tool.as_str() } else { "the script of MiniWoB++" };
        let hint = "leave it out, or name tasks of sites and take --tool browserlens";
        return Err(Failure::usage(format!("--record: {who} records no trace"), hint));
    }
    let folders = folders(&args.which);
    super::runtime()?.block_on(async {
        for task in tasks.iter().filter(|task| !by_script(task)) {
            for seed in 1..=u64::from(args.runs) {
                let stage = ServedTask::set(task, &folders, seed).await?;
                let path = free_path(&args.out, &task.id, &command.name);
                let trace = args.record.then(|| path.with_extension("trace"));
                let mut command = command.clone();
                if let Some(trace) = &trace {
                    // The tool is started in a folder of its own.
                    let trace = std::path::absolute(trace).unwrap_or_else(|_| trace.clone());
                    command.command.extend(["--record".to_owned(), trace.to_string_lossy().into_owned()]);
                }
                let mut tool = command.start().await?;
                let mut agent: Box<dyn Agent> = match (&task.place, &model) {
                    (_, Some((options, asked))) => Box::new(ModelAgent::new(Arc::clone(asked), options.clone())),
                    (_, None) if args.agent == AgentArg::Stdio => {
                        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
                        let name = args.model.model.clone();
                        Box::new(StdioAgent::new(tokio::io::BufReader::new(input), output, name))
                    }
                    (Environment::Site(site), None) if args.agent == AgentArg::Way => {
                        let files = stage.files().map(Path::to_owned);
                        Box::new(Scripted::way(site.way.clone(), stage.url_of("/"), files))
                    }
                    _ => Box::new(Scripted::explore()),
                };
                let redactor = Redactor::new(options.clone());
                let played = play(task, &stage, tool.as_mut(), agent.as_mut(), Some((&path, redactor)), PATIENCE).await;
                tool.close().await;
                let played = played?;
                if let Some(trace) = trace.filter(|_| played.calls > 0)
                    && let Err(failure) = linked(&path, &trace, Redactor::new(options.clone()))
                {
                    // The record is whole without its trace, and so are the runs to come.
                    output::status(&escaped_line(&format!("{}: not linked: {}", task.id, failure.message)));
                }
                if model.is_some() && played.end == EndReason::Failed && played.calls == 0 {
                    // The next task would wait in vain too.
                    let hint = "check --base-url, the model's name and --key-env; what was played before is recorded";
                    return Err(Failure::input(format!("{}: {}", task.id, told(&played)), hint));
                }
                let reward = played.verdict.reward;
                let seconds = played.ms as f64 / 1000.0;
                let mut line = format!("{}: {reward}, {} calls, {seconds:.1} s", task.id, played.calls);
                if !played.verdict.is_done() {
                    line.push_str(&format!("; {}; {}", played.verdict.unmet.join("; "), told(&played)));
                }
                output::status(&escaped_line(&line));
            }
        }
        Ok::<_, Failure>(())
    })?;
    if !of_miniwob.is_empty() {
        play_miniwob(&of_miniwob, args.runs, &args.out)?;
    }
    // What comes of it is a line more, for whoever reads lines.
    let is_table = args.agent != AgentArg::Stdio;
    // Of what was played now, not of what lay there.
    let played: Vec<PathBuf> =
        paths(std::slice::from_ref(&args.out))?.into_iter().filter(|path| !before.contains(path)).collect();
    let records = records(&played)?;
    let by = [AgentsBy::Level];
    let runs = measured_runs(&records, &by, Encoding::O200kBase, IMAGES, None);
    if is_table {
        output::data(&agents_table(&runs, &by, false))?;
    }
    for (run, path) in records.iter().zip(&played).filter(|_| !is_table) {
        let reward = run.end.as_ref().and_then(|end| end.reward);
        output::data(&format!("{}\n", serde_json::json!({ "reward": reward, "record": path })))?;
    }
    Ok(Exit::Success)
}

/// Names the trace of a run's pages in its record.
fn linked(path: &Path, trace: &Path, redactor: Redactor) -> Result<(), Failure> {
    let mut run = RunRecord::read(path)?;
    browserlens_trace::agents::link(&mut run, trace)?;
    // The record is there until the new one is.
    let new = path.with_extension("run.new");
    run.write(&new, redactor)?;
    std::fs::rename(&new, path).map_err(Failure::file("replaced", path, "check the folder"))
}

/// Plays tasks of MiniWoB++ by their scripts, a level at a time, and has the records written.
fn play_miniwob(tasks: &[Task], runs: u32, out: &Path) -> Result<(), Failure> {
    let script = Path::new(MINIWOB_SCRIPT);
    if !script.is_file() {
        let message = format!("{MINIWOB_SCRIPT} is not here");
        let hint = "start this in the folder of the repository: it plays the ways of MiniWoB++";
        return Err(Failure::usage(message, hint));
    }
    let mut levels: BTreeMap<u8, Vec<&str>> = BTreeMap::new();
    for task in tasks {
        if let Environment::Miniwob { page } = &task.place {
            levels.entry(task.level).or_default().push(page);
        }
    }
    for (level, pages) in levels {
        let mut command = std::process::Command::new("python3");
        command.arg(script).arg("--program").arg(crate::program()).arg("--out").arg(out);
        command.args(["--tasks", &pages.join(","), "--seeds", &runs.to_string(), "--level", &level.to_string()]);
        // How many succeeded is in the records.
        let ended = command.args(["--at-least", "0"]).stdout(std::process::Stdio::null()).status();
        let failed = |why: String| Failure::browser(format!("{MINIWOB_SCRIPT}: {why}"), "start it by hand");
        let ended = ended.map_err(|error| failed(format!("python3 does not start: {error}")))?;
        if !ended.success() {
            return Err(failed(format!("ended with {ended}")));
        }
    }
    Ok(())
}
