//! Who acts: given a goal, a tool's functions and all that was answered so far, says what to call
//! next, or stops.
//!
//! In: a [`Situation`]. Out: a [`Turn`]. Invariants: an agent sees what a model would see, and no
//! more; what it says of its success is kept and never counts. Models and scripts stand behind the
//! same trait; [`crate::scripted`] holds the scripts.

use crate::error::TasksError;
use crate::tool::{Asking, Function, Picture};
use browserlens_trace::agents::{Call, Usage};
use futures::future::BoxFuture;
use serde_json::Value;

/// One call with everything that was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The call as records have it.
    pub call: Call,
    /// The images of the answer, for models that look at them.
    pub images: Vec<Picture>,
}

/// What an agent knows when it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'s> {
    /// What is to be done, in words.
    pub goal: &'s str,
    /// URL that the task begins at; nobody has opened it.
    pub start: &'s str,
    /// What the tool says of itself.
    pub instructions: &'s str,
    /// The tool's functions with their schemas.
    pub functions: &'s [Function],
    /// Every call so far, in order.
    pub history: &'s [Answered],
    /// Calls that are left.
    pub left: u32,
    /// What the tool's own loop asks, if it has one.
    pub asking: Option<&'s Asking>,
}

impl Situation<'_> {
    /// Checks that the tool has a function; says to the agent which there are, where it has not.
    pub(crate) fn knows(&self, name: &str) -> Result<(), String> {
        let names: Vec<&str> = self.functions.iter().map(|function| function.name.as_str()).collect();
        let wrong = || format!("there is no function {name:?}; there are {}", names.join(", "));
        if names.contains(&name) { Ok(()) } else { Err(wrong()) }
    }
}

/// A call that an agent wants to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Name of the function.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// What an agent does next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// What it said; none where words are not kept.
    pub said: Option<String>,
    /// What the endpoint counted for the turn.
    pub usage: Option<Usage>,
    /// The calls, made in this order; none to stop.
    pub calls: Vec<Wanted>,
}

/// Who acts, for one run.
pub trait Agent: Send {
    /// Returns who that is, as records have it.
    fn who(&self) -> browserlens_trace::agents::Agent;

    /// Returns what the agent is told before the goal, beside the tool's own instructions.
    fn prompt(&self) -> String {
        String::new()
    }

    /// Returns what it does next.
    ///
    /// # Errors
    /// [`TasksError::Agent`] if it cannot go on: the run ends as failed.
    fn next<'a>(&'a mut self, situation: Situation<'a>) -> BoxFuture<'a, Result<Turn, TasksError>>;
}
