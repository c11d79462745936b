//! The knowledge that clients ask: loaded when first asked for, and again when its file changed.
//!
//! In: instructions. Out: what `browserlens_knowledge` answers. Invariant: nothing here changes the
//! knowledge.

use crate::error::ToolError;
use browserlens_knowledge::gaps::{ExtrapolationRequest, ExtrapolationResult, fill_gaps};
use browserlens_knowledge::protocol::{Agent, AgentInstruction, AgentResponse, Environment};
use browserlens_knowledge::{Knowledge, KnowledgeId, Store};
use browserlens_page::Page;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The body of knowledge that is asked where none is named.
const DEFAULT: &str = "default";
/// Most bodies of knowledge that are held.
const MOST: usize = 8;

type Loaded = HashMap<String, (Option<SystemTime>, Arc<Knowledge>)>;

/// A store of knowledge, shared by all clients.
#[derive(Debug, Default)]
pub struct KnowledgeBase {
    store: Option<PathBuf>,
    loaded: Mutex<Loaded>,
}

impl KnowledgeBase {
    /// Takes the file of a store; without one every question is answered with what to do.
    pub fn new(store: Option<PathBuf>) -> Self {
        Self { store, loaded: Mutex::default() }
    }

    fn load(&self, id: &str) -> Result<Arc<Knowledge>, ToolError> {
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

    /// Answers an instruction, with the page that is open if there is one.
    ///
    /// # Errors
    /// [`ToolError`] if there is no such knowledge or it cannot be read.
    pub fn query(
        &self,
        id: &str,
        instruction: &AgentInstruction,
        page: Option<&Page>,
    ) -> Result<AgentResponse, ToolError> {
        let knowledge = self.load(id)?;
        let agent = Agent::new(&knowledge)?;
        Ok(agent.answer(instruction, &Environment { page, ..Environment::default() }))
    }

    /// Infers what is in the gaps, from recordings alone.
    ///
    /// # Errors
    /// As [`KnowledgeBase::query`].
    pub fn gaps(&self, request: &ExtrapolationRequest) -> Result<ExtrapolationResult, ToolError> {
        let knowledge = self.load(request.knowledge_id.as_str())?;
        Ok(fill_gaps(&knowledge, request, None))
    }
}
