//! How a general agent asks, and what it is answered.
//!
//! In: an [`AgentInstruction`], and if there is one the page that is open. Out: an
//! [`AgentResponse`]: calls of tools in order, what to expect after each, or an error with the
//! nearest candidates. Invariants: an answer that is a success holds only calls that validate;
//! navigation leads only over screens that are navigable; no instruction changes the knowledge.

mod agent;
mod graph;
mod messages;

pub use agent::{Agent, Environment};
pub use graph::{NavigationGraph, Path, STEP_COST};
pub use messages::{
    AgentInstruction, AgentResponse, Candidate, ExpectedResult, ExpectedScreen, InstructionContext, InstructionType,
    PlanStep, Verification,
};
