//! Agents without a model: one follows a task's way, one explores by simple rules.
//!
//! In: what an agent is told, and for the first the way. Out: calls. Invariants: a script acts only
//! on refs that it found in answers; it reads nothing else of the page; the same answers lead to the
//! same calls. Each script is an `async` function that calls through its [`Hand`] and reads like
//! what it does; the agent passes calls out and answers in.

use crate::agent::{Agent, Answered, Situation, Turn, Wanted};
use crate::error::TasksError;
use crate::reading::Seen;
use crate::speech::{self, Places, Speech};
use crate::tool::Asking;
use browserlens_trace::scenario::{Action, Step, Target};
use futures::future::BoxFuture;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;

mod explore;
mod way;

/// How many looks a target is given to appear.
const LOOKS: u32 = 4;
/// How long is waited between them, in milliseconds; asked of the tool, as an agent would.
const BETWEEN_MS: u32 = 1_500;

/// What a script does next.
enum Move {
    Call(Wanted),
    /// It is through, or cannot go on; why, in words.
    Stop(String),
}

/// A script's hold on the tool.
struct Hand {
    speech: Box<dyn Speech>,
    /// What the tool lists; what it does not list is not called, as a model would not.
    functions: Vec<String>,
    moves: mpsc::Sender<Move>,
    answers: mpsc::Receiver<Answered>,
    /// What was answered last.
    last: String,
}

/// The run ended while the script was at work, or the script gives up with words.
struct GaveUp(String);

impl Hand {
    async fn call(&mut self, wanted: Wanted) -> Result<Answered, GaveUp> {
        if !self.functions.contains(&wanted.name) {
            return Err(GaveUp(format!("the tool lists no function {}", wanted.name)));
        }
        let ended = |_| GaveUp("the run ended".to_owned());
        self.moves.send(Move::Call(wanted)).await.map_err(ended)?;
        let answered = self.answers.recv().await.ok_or_else(|| GaveUp("the run ended".to_owned()))?;
        self.last.clone_from(&answered.call.answer);
        Ok(answered)
    }

    /// Opens the page that the task begins at.
    async fn open(&mut self, told: &Briefing) -> Result<(), GaveUp> {
        if !told.is_open {
            let open = self.speech.open(&told.start);
            self.call(open).await?;
        }
        Ok(())
    }

    /// Looks at what can be acted on, or for a target, and reads it.
    async fn look(&mut self, target: Option<&Target>, again: bool) -> Result<Vec<Seen>, GaveUp> {
        if !self.speech.tells_always() {
            let look = target.map_or_else(|| self.speech.look(), |target| self.speech.look_for(target, again));
            self.call(look).await?;
        }
        Ok(self.speech.read(&self.last))
    }

    /// Looks until an element with a ref is there that the target names.
    async fn find(&mut self, target: &Target) -> Result<Seen, GaveUp> {
        self.look_until(target, true, BETWEEN_MS).await
    }

    /// Looks until an element is there that the target names, one to act on or not.
    async fn wait_for(&mut self, target: &Target, ms: Option<u64>) -> Result<Seen, GaveUp> {
        let ms = ms.and_then(|ms| u32::try_from(ms).ok()).unwrap_or(BETWEEN_MS);
        self.look_until(target, false, ms).await
    }

    async fn look_until(&mut self, target: &Target, needs_ref: bool, between_ms: u32) -> Result<Seen, GaveUp> {
        let mut last = String::new();
        let mut early = Duration::ZERO;
        for look in 0..LOOKS {
            if look > 0 {
                // Words that stand elsewhere end a wait too soon: the script takes the rest itself.
                tokio::time::sleep(early).await;
                let wait = self.speech.wait_for(target, between_ms);
                let waited = self.call(wait).await?;
                let asked = Duration::from_millis(u64::from(between_ms));
                early = asked.saturating_sub(Duration::from_millis(waited.call.ms.unwrap_or(0)));
            }
            let all = self.look(Some(target), look > 0).await?;
            let fitting: Vec<Seen> =
                all.into_iter().filter(|seen| (!needs_ref || seen.reference.is_some()) && seen.is(target)).collect();
            if let Some(seen) = fitting.get(target.nth.unwrap_or(0) as usize) {
                return Ok(seen.clone());
            }
            last = self.last.chars().take(200).collect();
        }
        let what = if needs_ref { "nothing with a ref" } else { "nothing" };
        Err(GaveUp(format!("{what} is {target}; the last look said: {last}")))
    }
}

type Script = Box<dyn FnOnce(Hand, Briefing) -> BoxFuture<'static, Result<(), GaveUp>> + Send>;

/// What a script is told when the run begins.
struct Briefing {
    goal: String,
    start: String,
    /// Whether the tool's own loop has opened the start.
    is_open: bool,
}

/// An agent that is a script.
pub struct Scripted {
    name: &'static str,
    script: Option<Script>,
    running: Option<(mpsc::Receiver<Move>, mpsc::Sender<Answered>)>,
}

impl Scripted {
    fn new(name: &'static str, script: Script) -> Self {
        Self { name, script: Some(script), running: None }
    }

    /// Returns an agent that takes the steps of a task, and stops where one cannot be taken.
    ///
    /// `base` is the URL of the path `/` of the task's pages, `files` the folder of uploads.
    pub fn way(steps: Vec<Step>, base: String, files: Option<PathBuf>) -> Self {
        let open_first = |mut hand: Hand, told: Briefing| {
            let followed = async move {
                hand.open(&told).await?;
                way::follow(hand, steps, base, files).await
            };
            Box::pin(followed) as BoxFuture<'_, _>
        };
        Self::new("way", Box::new(open_first))
    }

    /// As [`Scripted::way`], on pages whose start is open already.
    pub fn way_from_here(steps: Vec<Step>, base: String, files: Option<PathBuf>) -> Self {
        Self::new("way", Box::new(|hand, _| Box::pin(way::follow(hand, steps, base, files))))
    }

    /// Returns an agent that looks for the goal's words, acts on what has most of them, and looks
    /// again.
    pub fn explore() -> Self {
        Self::new("explore", Box::new(|hand, told| Box::pin(explore::explore(hand, told))))
    }
}

impl Agent for Scripted {
    fn who(&self) -> browserlens_trace::agents::Agent {
        browserlens_trace::agents::Agent {
            script: Some(self.name.to_owned()),
            ..browserlens_trace::agents::Agent::default()
        }
    }

    fn next<'a>(&'a mut self, situation: Situation<'a>) -> BoxFuture<'a, Result<Turn, TasksError>> {
        Box::pin(async move {
            if let Some(script) = self.script.take() {
                let speech = speech::of(situation.functions).ok_or_else(|| {
                    let names: Vec<&str> =
                        situation.functions.iter().take(8).map(|function| function.name.as_str()).collect();
                    TasksError::Agent(format!("scripts do not know how to speak to a tool with {}", names.join(", ")))
                })?;
                let (moves, moved) = mpsc::channel(1);
                let (answer, answers) = mpsc::channel(1);
                let question = situation.asking.map(Asking::text).unwrap_or_default();
                let told = Briefing {
                    goal: situation.goal.to_owned(),
                    start: situation.start.to_owned(),
                    is_open: speech.tells_always() && question.contains(situation.start),
                };
                let functions = situation.functions.iter().map(|function| function.name.clone()).collect();
                let hand = Hand { speech, functions, moves: moves.clone(), answers, last: question };
                tokio::spawn(async move {
                    let words = match script(hand, told).await {
                        Ok(()) => "through".to_owned(),
                        Err(GaveUp(why)) => format!("gave up: {why}"),
                    };
                    // Nobody may listen any more.
                    drop(moves.send(Move::Stop(words)).await);
                });
                self.running = Some((moved, answer));
            } else if let (Some((_, answer)), Some(last)) = (&self.running, situation.history.last()) {
                // A script that is through listens no more.
                drop(answer.send(last.clone()).await);
            }
            let Some((moved, _)) = &mut self.running else {
                return Err(TasksError::Agent("it was asked before it began".to_owned()));
            };
            Ok(match moved.recv().await {
                Some(Move::Call(wanted)) => Turn { calls: vec![wanted], ..Turn::default() },
                Some(Move::Stop(words)) => Turn { said: Some(words), ..Turn::default() },
                None => return Err(TasksError::Agent("the script ended without a word".to_owned())),
            })
        })
    }
}
