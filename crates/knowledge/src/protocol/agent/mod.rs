//! Answers instructions out of a body of knowledge.
//!
//! In: a [`Knowledge`], an [`AgentInstruction`], an [`Environment`]. Out: an [`AgentResponse`],
//! always: what is wrong is said in it. Invariants: only the first step that is still to be done is
//! translated for the page that is open; later ones name their nodes by scripts that look for them,
//! since an index of a page that is not open yet does not exist.
//!
//! A way that leaves a form by its button takes along what was done on that screen before the same
//! action in the recording: fields, files, what was dragged, waited for or scrolled to. A file that
//! a recording handed over is one of that name that the agent has, or one made for the purpose
//! (`translate::placeholder`).

mod explore;
mod plan;
mod screens;
mod tasks;
mod way;
mod which;

use super::graph::NavigationGraph;
use super::messages::{AgentInstruction, AgentResponse, InstructionType};
use crate::described::Described;
use crate::error::KnowledgeError;
use crate::model::{Knowledge, ScreenDefinition};
use crate::recognise::Recogniser;
use crate::translate::{Profile, Refs, shown};
use browserlens_core::page::Page;
use serde_json::json;

/// Most candidates of an answer.
const MOST: usize = 5;
/// Most texts by which a screen is to be checked.
const MOST_TEXTS: usize = 8;

/// What the agent has in front of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment<'a> {
    /// The page that is open.
    pub page: Option<&'a Page>,
    /// What gives the refs of the page's nodes, for our own tools.
    pub refs: Option<Refs<'a>>,
    /// Which tools it has, where the instruction does not say.
    pub profile: Profile,
}

/// Answers instructions.
#[derive(Debug)]
pub struct Agent<'k> {
    knowledge: &'k Knowledge,
    graph: NavigationGraph,
    recogniser: Recogniser<'k>,
    /// What no browser can be led to, by its words.
    texts: Vec<&'k ScreenDefinition>,
    described: Described,
}

/// An answer, or why there is none.
type Answer = Result<AgentResponse, Box<AgentResponse>>;

fn refused(error: impl Into<String>, hint: &str) -> Box<AgentResponse> {
    Box::new(AgentResponse::failed(error, hint))
}

impl<'k> Agent<'k> {
    /// Makes an agent's partner of a body of knowledge.
    ///
    /// # Errors
    /// [`KnowledgeError`] if a screen cannot be recognised: it has no signature, or a pattern that
    /// is none.
    pub fn new(knowledge: &'k Knowledge) -> Result<Self, KnowledgeError> {
        let texts: Vec<&ScreenDefinition> =
            knowledge.screens.values().filter(|screen| !screen.is_navigable()).collect();
        let mut described = Described::default();
        for (at, text) in (0..).zip(&texts) {
            described.add(at, text);
        }
        let (graph, recogniser) = (NavigationGraph::new(knowledge), Recogniser::new(knowledge)?);
        Ok(Self { knowledge, graph, recogniser, texts, described })
    }

    /// Answers an instruction.
    pub fn answer(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> AgentResponse {
        let answer = self.checked(instruction).and_then(|()| self.answered(instruction, environment));
        let mut response = answer.unwrap_or_else(|refused| *refused);
        response.tell("instruction_type", json!(instruction.instruction_type.name()));
        response.tell("profile", json!(profile(instruction, environment).name()));
        response
    }

    /// Answers an instruction as JSON.
    pub fn answer_json(&self, instruction: &str, environment: &Environment<'_>) -> AgentResponse {
        let mut reader = serde_json::Deserializer::from_str(instruction);
        match serde_path_to_error::deserialize::<_, AgentInstruction>(&mut reader) {
            Ok(instruction) => self.answer(&instruction, environment),
            Err(error) => {
                let types = InstructionType::ALL.map(InstructionType::name).join(", ");
                let error = format!("no instruction: at {}: {}", error.path(), shown(&error.inner().to_string()));
                AgentResponse::failed(
                    error,
                    &format!("give {{instruction_type, target, knowledge_id, context}}; types are {types}"),
                )
            }
        }
    }

    fn checked(&self, instruction: &AgentInstruction) -> Result<(), Box<AgentResponse>> {
        let (asked, own) = (&instruction.knowledge_id, &self.knowledge.knowledge_id);
        if !asked.as_str().is_empty() && asked != own {
            let error =
                format!("knowledge {:?} is not the one that is asked ({:?})", shown(asked.as_str()), own.as_str());
            return Err(refused(error, "leave `knowledge_id` out, or open the knowledge of that id"));
        }
        if self.knowledge.is_empty() {
            return Err(refused("nothing is known yet", "build knowledge first: `browserlens knowledge build`"));
        }
        Ok(())
    }

    fn answered(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let target = instruction.target.trim();
        match instruction.instruction_type {
            InstructionType::NavigateToScreen => self.navigate(instruction, environment),
            InstructionType::ExecuteTask => self.execute(instruction, environment),
            InstructionType::FindScreen => self.find_screen(instruction, environment),
            InstructionType::GetActions => self.actions(instruction, environment, ""),
            InstructionType::FindElement if target.is_empty() => {
                Err(refused("`target` is empty", "say in words which element is looked for"))
            }
            InstructionType::FindElement => self.actions(instruction, environment, target),
            InstructionType::GetScreenContext => self.screen_context(instruction, environment),
            InstructionType::ExploreWebsite => self.explore(instruction, environment),
            InstructionType::AgentQuery => {
                let meant = instruction.context.query_type.unwrap_or(InstructionType::FindScreen);
                if meant == InstructionType::AgentQuery {
                    return Err(refused(
                        "an `agent_query` of type `agent_query` means nothing",
                        "say what is wanted in `context.query_type`",
                    ));
                }
                self.answered(&AgentInstruction { instruction_type: meant, ..instruction.clone() }, environment)
            }
        }
    }
}

fn profile(instruction: &AgentInstruction, environment: &Environment<'_>) -> Profile {
    instruction.context.profile.unwrap_or(environment.profile)
}
