//! Scenarios: scripted tasks in TOML, as the recorder acts them out and replay scores them.
//!
//! In: TOML text. Out: a [`Scenario`] with typed actions, targets and facts. Invariants: a scenario
//! that loads is well formed (one action a step, known keys only, targets that say something); an
//! error names file, line and remedy. A crate of its own, above `recorder` and `replay`, because
//! the bench reads facts without a browser.

mod ask;
mod attack;
mod error;
mod event_fact;
mod exam;
mod raw;
mod schema;
mod target;

pub use ask::{Question, Wording};
pub use attack::{Attack, AttackKind, Sign};
pub use error::{Part, ScenarioError};
pub use event_fact::{EventFact, EventPlace};
pub use exam::{ExamAnswer, ExamQuestion};
pub use schema::{Written, schema};
pub use target::{Target, TargetBy, called, in_words};

use crate::files_below;
use browserlens_core::page::Viewport;
use browserlens_core::strategy::ActionKind;
use std::path::{Path, PathBuf};

/// A scripted task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Name, the path below the scenarios' folder without extension.
    pub name: String,
    /// What a user would ask for.
    pub goal: String,
    /// What the scenario is there to measure.
    pub why: String,
    /// Bundled site that it runs on; none for a site of the user's own.
    pub site: Option<String>,
    /// Where a site of the user's own begins.
    pub url: Option<String>,
    /// Path (or URL) of step 0.
    pub start: String,
    /// Facts of step 0.
    pub start_facts: Vec<Fact>,
    /// Nodes that step 0 cannot do without, all or nothing.
    pub start_require: Vec<Target>,
    /// Made-up secrets that may stay readable.
    pub public: Vec<String>,
    /// Viewport of the browser.
    pub viewport: Viewport,
    /// Locale of the browser.
    pub locale: String,
    /// Time zone of the browser.
    pub timezone: String,
    /// Seed of the page's random numbers.
    pub seed: u64,
    /// Storage state (cookies, local storage) to begin with.
    pub storage_state: Option<PathBuf>,
    /// Longest time for an action and for settling, in milliseconds.
    pub timeout_ms: u64,
    /// Steps before step 0 that are not measured.
    pub setup: Vec<Step>,
    /// Steps 1, 2, …
    pub steps: Vec<Step>,
    /// What the page's text tries on its readers.
    pub attacks: Vec<Attack>,
    /// Console messages and requests that an agent must be able to find.
    pub events: Vec<EventFact>,
    /// Questions about its pages, from the file beside it.
    pub questions: Vec<Question>,
    /// Those of that file that are there for fitting how sure an answer is; no table counts them.
    pub relevance: Vec<Question>,
    /// Questions to whoever read its observations in order, from the other file beside it.
    pub exam: Vec<ExamQuestion>,
    /// File that it came from.
    pub path: PathBuf,
    hash: [u8; 32],
}

/// One step: an action, and what must be readable after it.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(try_from = "raw::RawStep")]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// What an agent must be able to read afterwards.
    pub facts: Vec<Fact>,
    /// States that must be shown right afterwards.
    pub fresh: Vec<StateFact>,
    /// Nodes that an agent cannot do without afterwards, for the facts and for the next action: all
    /// of them, or the set is not shown.
    pub require: Vec<Target>,
    /// Other nodes that would do as well.
    pub acceptable: Vec<Target>,
    /// Whether the step is passed over when its node is not there.
    pub optional: bool,
    /// Longest time for this step, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// A text that is typed or chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// As written.
    Literal(String),
    /// Read from an environment variable when recording; a secret.
    Env(String),
}

impl Value {
    /// Returns the text; `env` looks up environment variables.
    ///
    /// # Errors
    /// [`ScenarioError::MissingEnv`] if the variable is not set.
    pub fn resolve(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<String, ScenarioError> {
        match self {
            Self::Literal(text) => Ok(text.clone()),
            Self::Env(name) => env(name).ok_or_else(|| ScenarioError::MissingEnv(name.clone())),
        }
    }

    /// Returns whether the text is a secret.
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Env(_))
    }
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Opens a path of the site, or a URL.
    Goto {
        /// Path or URL.
        url: String,
    },
    /// Clicks with the main button.
    Click {
        /// The node.
        on: Target,
    },
    /// Clicks twice.
    DoubleClick {
        /// The node.
        on: Target,
    },
    /// Clicks with the secondary button.
    RightClick {
        /// The node.
        on: Target,
    },
    /// Moves the pointer over a node.
    Hover {
        /// The node.
        on: Target,
    },
    /// Sets the value of a field at once.
    Fill {
        /// The field.
        on: Target,
        /// The value.
        text: Value,
    },
    /// Types key by key.
    Type {
        /// The field; the focused node if not said.
        on: Option<Target>,
        /// What is typed.
        text: Value,
    },
    /// Presses a key or a chord such as `Control+A`.
    Press {
        /// The key.
        key: String,
        /// The node that gets the focus first.
        on: Option<Target>,
    },
    /// Chooses an option of a select by its label.
    Select {
        /// The select.
        on: Target,
        /// Label of the option.
        option: Value,
    },
    /// Checks or unchecks.
    Check {
        /// The checkbox, radio or switch.
        on: Target,
        /// Whether it is to be checked.
        checked: bool,
    },
    /// Hands files to a file input.
    Upload {
        /// The input.
        on: Target,
        /// Files, relative to the scenario.
        files: Vec<String>,
    },
    /// Drags one node to another.
    Drag {
        /// What is dragged.
        on: Target,
        /// Where to.
        to: Target,
    },
    /// Scrolls.
    Scroll {
        /// The scroller; the page if not said.
        on: Option<Target>,
        /// How far, in CSS px right and down.
        by: (f32, f32),
    },
    /// Goes back in history.
    Back,
    /// Goes forward in history.
    Forward,
    /// Waits until something is there.
    WaitFor {
        /// What.
        on: Target,
    },
    /// Goes to another tab.
    SwitchTab {
        /// Its number in order of opening, from 0.
        index: u32,
    },
    /// Closes the current tab.
    CloseTab,
    /// Answers the browser's dialog.
    Dialog {
        /// Whether it is accepted.
        accept: bool,
        /// What is typed into a prompt.
        text: Option<String>,
    },
}

impl Action {
    /// Returns what kind of action it is.
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::Goto { .. } => ActionKind::Goto,
            Self::Click { .. } => ActionKind::Click,
            Self::DoubleClick { .. } => ActionKind::DoubleClick,
            Self::RightClick { .. } => ActionKind::RightClick,
            Self::Hover { .. } => ActionKind::Hover,
            Self::Fill { .. } => ActionKind::Fill,
            Self::Type { .. } => ActionKind::Type,
            Self::Press { .. } => ActionKind::Press,
            Self::Select { .. } => ActionKind::Select,
            Self::Check { .. } => ActionKind::Check,
            Self::Upload { .. } => ActionKind::Upload,
            Self::Drag { .. } => ActionKind::Drag,
            Self::Scroll { .. } => ActionKind::Scroll,
            Self::Back => ActionKind::Back,
            Self::Forward => ActionKind::Forward,
            Self::WaitFor { .. } => ActionKind::WaitFor,
            Self::SwitchTab { .. } => ActionKind::SwitchTab,
            Self::CloseTab => ActionKind::CloseTab,
            Self::Dialog { .. } => ActionKind::Dialog,
        }
    }

    /// Returns the node that the action acts on; a `wait_for` acts on none.
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::Click { on }
            | Self::DoubleClick { on }
            | Self::RightClick { on }
            | Self::Hover { on }
            | Self::Fill { on, .. }
            | Self::Select { on, .. }
            | Self::Check { on, .. }
            | Self::Upload { on, .. }
            | Self::Drag { on, .. } => Some(on),
            Self::Type { on, .. } | Self::Press { on, .. } | Self::Scroll { on, .. } => on.as_ref(),
            _ => None,
        }
    }

    /// Returns the text that is typed, chosen or pressed.
    pub fn text(&self) -> Value {
        match self {
            Self::Fill { text, .. } | Self::Type { text, .. } => text.clone(),
            Self::Select { option, .. } => option.clone(),
            Self::Press { key, .. } => Value::Literal(key.clone()),
            Self::Goto { url } => Value::Literal(url.clone()),
            Self::Check { checked, .. } => Value::Literal(checked.to_string()),
            Self::Upload { files, .. } => Value::Literal(files.join(", ")),
            Self::Dialog { accept, text } => {
                Value::Literal(text.clone().unwrap_or_else(|| if *accept { "accept" } else { "dismiss" }.to_owned()))
            }
            _ => Value::Literal(String::new()),
        }
    }
}

/// Something that an agent must be able to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The text; whitespace is normalised before it is compared.
    pub text: String,
    /// Where it is drawn, if it exists only as pixels.
    pub pixels: Option<PixelFact>,
}

/// Where a fact is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelFact {
    /// The node (a canvas, an image) that shows it.
    pub within: Target,
    /// x, y, width, height in CSS px from that node's top left corner.
    pub bounds: [f32; 4],
}

/// A state that must be shown right.
#[derive(Clone, Debug, PartialEq)]
pub struct StateFact {
    /// The node.
    pub on: Target,
    /// Its value; for secret fields `filled` or `empty`.
    pub value: Option<String>,
    /// Its state: `checked`, `unchecked`, `expanded`, `collapsed`, `selected`, `disabled`,
    /// `enabled`, `invalid`, `focused`, …
    pub state: Option<String>,
}

impl Scenario {
    /// Loads a scenario, and the questions beside it (`name.ask.toml`, `name.exam.toml`) where
    /// there are any.
    ///
    /// # Errors
    /// [`ScenarioError`] naming file, line and remedy.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|source| ScenarioError::Unreadable { path: path.to_owned(), source })
        };
        let mut scenario = Self::parse(&read(path)?, path)?;
        let questions = path.with_extension(ask::ENDING);
        if questions.is_file() {
            let all = ask::parse(&read(&questions)?, &questions, scenario.steps.len())?;
            (scenario.relevance, scenario.questions) = all.into_iter().partition(|question| question.relevance);
        }
        let exam = path.with_extension(exam::ENDING);
        if exam.is_file() {
            scenario.exam = exam::parse(&read(&exam)?, &exam, scenario.steps.len())?;
        }
        Ok(scenario)
    }

    /// Parses a scenario, which has no questions then; `path` is only for messages and for files
    /// that the scenario names.
    ///
    /// # Errors
    /// [`ScenarioError`] naming file, line and remedy.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ScenarioError> {
        raw::parse(text, path)
    }

    /// Returns the scenario of a recording that none stands behind (an agent's own run): its goal,
    /// and nothing that must be readable.
    pub fn of_recording(name: &str, goal: &str, viewport: Viewport) -> Self {
        let hash = *blake3::hash(format!("{name}\n{goal}").as_bytes()).as_bytes();
        Self {
            name: name.to_owned(),
            goal: goal.to_owned(),
            why: "An agent's own run, recorded as it went.".to_owned(),
            start: "/".to_owned(),
            viewport,
            hash,
            ..Self::default()
        }
    }

    /// Loads every scenario below a folder, sorted by name.
    ///
    /// # Errors
    /// [`ScenarioError`] of the first file that does not load; [`ScenarioError::NoScenarios`] if
    /// there is none; [`ScenarioError::NoScenarioFor`] if questions stand beside none.
    pub fn load_all(folder: &Path) -> Result<Vec<Self>, ScenarioError> {
        let mut files = files_below(folder, "toml", |_| true)
            .map_err(|(path, source)| ScenarioError::Unreadable { path, source })?;
        for path in &files {
            if let Some(scenario) = asked_about(path).filter(|scenario| !scenario.is_file()) {
                return Err(ScenarioError::NoScenarioFor { path: path.clone(), scenario });
            }
        }
        files.retain(|path| asked_about(path).is_none());
        if files.is_empty() {
            return Err(ScenarioError::NoScenarios(folder.to_owned()));
        }
        let mut scenarios = files.iter().map(|path| Self::load(path)).collect::<Result<Vec<_>, _>>()?;
        scenarios.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(scenarios)
    }

    /// Returns the hash of the scenario's text: part of the key under which results are cached.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Returns a step after the first navigation.
    fn step(&self, step: u32) -> Option<&Step> {
        self.steps.get((step as usize).checked_sub(1)?)
    }

    /// Returns the facts that must be readable at a step; step 0 is the first navigation.
    pub fn facts_at(&self, step: u32) -> &[Fact] {
        if step == 0 { &self.start_facts } else { self.step(step).map_or(&[], |step| &step.facts) }
    }

    /// Returns the attacks that the page of a step holds; step 0 is the first navigation.
    pub fn attacks_at(&self, step: u32) -> impl Iterator<Item = &Attack> {
        self.attacks.iter().filter(move |attack| attack.steps.contains(&step))
    }

    /// Returns the questions about the page of a step; step 0 is the first navigation.
    pub fn questions_at(&self, step: u32) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(move |question| question.step == step)
    }

    /// Returns the questions of the exam that are put after a step; step 0 is the first navigation.
    pub fn exam_at(&self, step: u32) -> impl Iterator<Item = &ExamQuestion> {
        self.exam.iter().filter(move |question| question.step == step)
    }

    /// Returns the nodes that a step cannot do without; step 0 is the first navigation.
    pub fn required_at(&self, step: u32) -> &[Target] {
        if step == 0 { &self.start_require } else { self.step(step).map_or(&[], |step| &step.require) }
    }

    /// Returns the states that must be shown right at a step.
    pub fn states_at(&self, step: u32) -> &[StateFact] {
        self.step(step).map_or(&[], |step| &step.fresh)
    }
}

/// Returns the scenario that a file of questions or an exam belongs to, if a file is one.
fn asked_about(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let name =
        [ask::ENDING, exam::ENDING].into_iter().find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'))?;
    Some(path.with_file_name(format!("{name}.toml")))
}
