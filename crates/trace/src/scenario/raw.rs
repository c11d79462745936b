//! TOML to types: the only place that knows the spelling of keys.
//!
//! In: TOML text. Out: a [`Scenario`]. Invariant: every error carries the line of the table it is
//! about.

mod steps;

pub(crate) use steps::target_of;

use crate::scenario::error::{Part, Source};
use crate::scenario::{Attack, EventFact, Fact, PixelFact, Scenario, ScenarioError, StateFact, Step};
use browserlens_core::page::Viewport;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use steps::STATES;
use toml::Spanned;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawScenario {
    /// The path below the folder of scenarios, without its ending
    name: String,
    /// What is to be done, in the words of who asks for it
    goal: String,
    /// Why this task is worth measuring
    why: String,
    /// A bundled site; or `url`
    site: Option<String>,
    /// The page of a site of your own; or `site`
    url: Option<String>,
    /// Path of the first page of a bundled site
    #[serde(default = "slash")]
    start: String,
    /// What can be read on the first page
    #[serde(default)]
    start_facts: Vec<RawFact>,
    /// Nodes that the first page cannot do without
    #[serde(default)]
    start_require: Vec<RawTarget>,
    /// Texts that look secret and are not
    #[serde(default)]
    public: Vec<String>,
    /// Width and height of the window, in CSS px
    #[serde(default)]
    #[schemars(with = "RawViewport")]
    viewport: Viewport,
    /// Language of the browser
    #[serde(default = "english")]
    locale: String,
    /// Time zone of the browser
    #[serde(default = "utc")]
    timezone: String,
    /// Seed of what pages take for chance
    #[serde(default = "one")]
    seed: u64,
    /// File with cookies and storage, as Playwright writes it
    storage_state: Option<PathBuf>,
    /// Longest time of a step, in milliseconds
    #[serde(default = "half_minute")]
    timeout_ms: u64,
    /// Steps that are not measured
    #[serde(default)]
    #[schemars(with = "Vec<RawStep>")]
    setup: Vec<Spanned<RawStep>>,
    /// The steps
    #[serde(default)]
    #[schemars(with = "Vec<RawStep>")]
    step: Vec<Spanned<RawStep>>,
    /// What the text of the pages tries on readers
    #[serde(default)]
    #[schemars(with = "Vec<RawAttack>")]
    attack: Vec<Spanned<RawAttack>>,
    /// What happens beside the page
    #[serde(default)]
    event: Vec<EventFact>,
}

/// As [`Viewport`] is written.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RawViewport {
    /// CSS px
    #[expect(dead_code, reason = "only the form counts")]
    width: u32,
    /// CSS px
    #[expect(dead_code, reason = "only the form counts")]
    height: u32,
    /// Device pixels per CSS px
    #[expect(dead_code, reason = "only the form counts")]
    scale: Option<f32>,
}

fn slash() -> String {
    "/".to_owned()
}
fn english() -> String {
    "en-US".to_owned()
}
fn utc() -> String {
    "UTC".to_owned()
}
fn one() -> u64 {
    1
}
fn half_minute() -> u64 {
    30_000
}

#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RawStep {
    /// Open a URL
    goto: Option<String>,
    /// Click a node
    click: Option<RawTarget>,
    /// Click it twice
    double_click: Option<RawTarget>,
    /// Click it with the secondary button
    right_click: Option<RawTarget>,
    /// Move the pointer over it
    hover: Option<RawTarget>,
    /// Set the value of a field to `text`
    fill: Option<RawTarget>,
    /// Type `text` key by key into a node, or into what has the `focus`
    r#type: Option<RawTypeTarget>,
    /// Press a key, such as Enter or Control+A; `on` a node, or in what has the focus
    press: Option<String>,
    /// Choose `option`
    select: Option<RawTarget>,
    /// Check it, or with `checked = false` uncheck it
    check: Option<RawTarget>,
    /// Hand `files` to it
    upload: Option<RawTarget>,
    /// Drag it `to` another
    drag: Option<RawTarget>,
    /// Scroll a node, or the `page`, `by` so many CSS px
    scroll: Option<RawTypeTarget>,
    /// Go back
    back: Option<bool>,
    /// Go forward
    forward: Option<bool>,
    /// Wait until a node is there
    wait_for: Option<RawTarget>,
    /// Go to a tab, counted from 0
    switch_tab: Option<u32>,
    /// Close the tab
    close_tab: Option<bool>,
    /// Answer a dialog: accept, dismiss, or the text of a prompt
    dialog: Option<String>,

    on: Option<RawTarget>,
    to: Option<RawTarget>,
    text: Option<RawValue>,
    option: Option<RawValue>,
    checked: Option<bool>,
    files: Option<Vec<String>>,
    by: Option<(f32, f32)>,

    /// What can be read after the step
    facts: Vec<RawFact>,
    /// States and values that must be shown right after the step
    fresh: Vec<RawStateFact>,
    /// Nodes that the step cannot do without
    require: Vec<RawTarget>,
    /// Other nodes that would do as well
    acceptable: Vec<RawTarget>,
    /// Whether the step may fail
    optional: bool,
    timeout_ms: Option<u64>,
    /// Why the step is there
    #[serde(rename = "why")]
    _why: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTarget {
    /// Its role; goes with `name`
    role: Option<String>,
    /// Its accessible name, whole
    name: Option<String>,
    /// A CSS selector
    css: Option<String>,
    /// All of its visible text
    text: Option<String>,
    /// Where on it, in CSS px from its left upper corner
    point: Option<(f32, f32)>,
    /// What it lies in
    within: Option<Box<RawTarget>>,
    /// Which one of several, counted from 0
    nth: Option<u32>,
}

/// A target, or the word `page` or `focus` in its place.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum RawTypeTarget {
    Word(String),
    Target(RawTarget),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum RawValue {
    Literal(String),
    Env(RawEnv),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawEnv {
    env: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum RawFact {
    Text(String),
    Pixels(RawPixelFact),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawPixelFact {
    text: String,
    #[serde(rename = "in")]
    within: RawTarget,
    r#box: [f32; 4],
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawStateFact {
    on: RawTarget,
    value: Option<String>,
    state: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAttack {
    pub id: String,
    pub kind: String,
    pub role: Option<String>,
    pub name: Option<String>,
    pub handle: Option<String>,
    pub line: Option<String>,
    pub text: Option<String>,
    pub raw: Option<String>,
    pub steps: Vec<u32>,
}

pub(crate) fn parse(text: &str, path: &Path) -> Result<Scenario, ScenarioError> {
    let source = Source { text, path };
    let raw: RawScenario = source.read(Part::Whole)?;
    let malformed = |message: &str| source.error(0, Part::Whole, message.to_owned());
    if raw.name.trim().is_empty() || raw.goal.trim().is_empty() {
        return Err(malformed("name and goal must not be empty"));
    }
    match (&raw.site, &raw.url) {
        (None, None) => {
            return Err(malformed("neither site nor url is given: name a bundled site, or the URL of your own"));
        }
        (Some(_), Some(_)) => return Err(malformed("both site and url are given: a scenario runs on one of them")),
        (Some(site), None) if !site.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') => {
            return Err(malformed("site is a folder name below traces/sites: letters, digits, - and _ only"));
        }
        _ => {}
    }
    if ![raw.viewport.width, raw.viewport.height].iter().all(|size| (1..=16_384).contains(size)) {
        return Err(malformed("viewport width and height must lie between 1 and 16384"));
    }
    let start_facts = all(raw.start_facts, fact_of).map_err(|message| malformed(&message))?;
    let start_require = all(raw.start_require, target_of).map_err(|message| malformed(&message))?;
    let last = raw.step.len();
    let attacks = source.each(raw.attack, |_| Part::Attack, |attack, known| Attack::of(attack, last, known))?;
    raw.event.iter().try_for_each(|event| event.check(last)).map_err(|message| malformed(&message))?;
    let steps = |list| source.each(list, Part::Step, |step, _: &[Step]| Step::try_from(step));
    Ok(Scenario {
        attacks,
        events: raw.event,
        name: raw.name,
        goal: raw.goal,
        why: raw.why,
        site: raw.site,
        url: raw.url,
        start: raw.start,
        start_facts,
        start_require,
        public: raw.public,
        viewport: raw.viewport,
        locale: raw.locale,
        timezone: raw.timezone,
        seed: raw.seed,
        storage_state: raw.storage_state,
        timeout_ms: raw.timeout_ms,
        setup: steps(raw.setup)?,
        steps: steps(raw.step)?,
        path: path.to_owned(),
        hash: *blake3::hash(text.as_bytes()).as_bytes(),
        ..Scenario::default()
    })
}

/// Makes something of each of a list, up to the first that is wrong.
fn all<R, T>(list: Vec<R>, make: impl Fn(R) -> Result<T, String>) -> Result<Vec<T>, String> {
    list.into_iter().map(make).collect()
}

impl JsonSchema for Step {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        RawStep::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RawStep::json_schema(generator)
    }
}

fn fact_of(raw: RawFact) -> Result<Fact, String> {
    let fact = match raw {
        RawFact::Text(text) => Fact { text, pixels: None },
        RawFact::Pixels(pixels) => Fact {
            text: pixels.text,
            pixels: Some(PixelFact { within: target_of(pixels.within)?, bounds: pixels.r#box }),
        },
    };
    if fact.text.trim().is_empty() { Err("a fact must not be empty".to_owned()) } else { Ok(fact) }
}

fn state_fact_of(raw: RawStateFact) -> Result<StateFact, String> {
    if raw.value.is_none() && raw.state.is_none() {
        return Err("a fresh entry needs value or state".to_owned());
    }
    if let Some(state) = &raw.state
        && !STATES.contains(&state.as_str())
    {
        return Err(format!("unknown state {state:?}: known are {}", STATES.join(", ")));
    }
    Ok(StateFact { on: target_of(raw.on)?, value: raw.value, state: raw.state })
}

#[cfg(test)]
mod tests;
