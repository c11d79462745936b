//! The knowledge that sessions ask: loaded when first asked for, and again when its file changed.
//!
//! In: instructions. Out: what `browserlens_knowledge` answers. Invariant: nothing here changes the
//! knowledge.

use crate::error::ToolError;
use browserlens_knowledge::gaps::{Ask, ExtrapolationRequest, ExtrapolationResult, fill_gaps};
use browserlens_knowledge::protocol::{Agent, AgentInstruction, AgentResponse, Environment};
use browserlens_knowledge::{Knowledge, KnowledgeId, Store};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The body of knowledge that is asked where none is named.
const DEFAULT: &str = "default";
/// Most bodies of knowledge that are held.
const MOST: usize = 8;

type Loaded = HashMap<String, (Option<SystemTime>, Arc<Knowledge>)>;

/// A store of knowledge, shared by all sessions.
#[derive(Default)]
pub struct KnowledgeBase {
    store: Option<PathBuf>,
    loaded: Mutex<Loaded>,
    /// Name and answers of the model that is asked where no recording tells.
    model: Option<(String, Mutex<Box<dyn Ask + Send>>)>,
}

browserlens_core::opaque_debug!(self: KnowledgeBase { store: self.store });

impl KnowledgeBase {
    /// Takes the file of a store; without one every question is answered with what to do.
    pub fn new(store: Option<PathBuf>) -> Self {
        Self { store, ..Self::default() }
    }

    /// Takes a model that is asked where no recording tells: its name, and what answers for it.
    #[must_use]
    pub fn with_model(self, model: Option<(String, Box<dyn Ask + Send>)>) -> Self {
        Self { model: model.map(|(name, answers)| (name, Mutex::new(answers))), ..self }
    }

    pub(crate) fn load(&self, id: &str) -> Result<Arc<Knowledge>, ToolError> {
        let id = if id.is_empty() { DEFAULT } else { id };
        let missing = |message: String| ToolError::NotThere {
            message,
            hint: "build it with `browserlens knowledge build` and serve with --knowledge FILE",
        };
        let path = self.store.as_ref().ok_or_else(|| missing("no knowledge is served".to_owned()))?;
        if !path.exists() {
            return Err(missing("there is no such knowledge store".to_owned()));
        }
        let changed = std::fs::metadata(path).and_then(|data| data.modified()).ok();
        let held = {
            let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            loaded.get(id).filter(|(at, _)| *at == changed).map(|(_, knowledge)| Arc::clone(knowledge))
        };
        if let Some(knowledge) = held {
            return Ok(knowledge);
        }
        let store = Store::open(path)?;
        let wanted = KnowledgeId::from(id);
        if !store.knowledge_ids()?.contains(&wanted) {
            return Err(missing(format!("knowledge {id:?} is not in the store")));
        }
        let knowledge = Arc::new(store.load(&wanted)?);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= MOST {
            loaded.clear();
        }
        loaded.insert(id.to_owned(), (changed, Arc::clone(&knowledge)));
        Ok(knowledge)
    }

    /// Answers an instruction of somebody who has no page open here.
    ///
    /// # Errors
    /// [`ToolError`] if there is no such knowledge or it cannot be read.
    pub fn query(&self, id: &str, instruction: &AgentInstruction) -> Result<AgentResponse, ToolError> {
        let knowledge = self.load(id)?;
        let agent = Agent::new(&knowledge)?;
        Ok(agent.answer(instruction, &Environment::default()).once())
    }

    /// Infers what is in the gaps: from recordings, and from the model if there is one.
    ///
    /// # Errors
    /// As [`KnowledgeBase::query`].
    pub fn gaps(&self, request: &ExtrapolationRequest) -> Result<ExtrapolationResult, ToolError> {
        let knowledge = self.load(request.knowledge_id.as_str())?;
        let Some((name, answers)) = &self.model else { return Ok(fill_gaps(&knowledge, request, None)) };
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(fill_gaps(&knowledge, request, Some((answers.as_mut(), name))))
    }
}
