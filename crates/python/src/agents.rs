//! Records of what agents did, as rows.

use crate::errors::{Raised, Result};
use crate::replay::encoding_of;
use browserlens_core::tokens::ImageFormula;
use browserlens_trace::agents::{AgentsError, RunCosts, RunRecord};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

impl From<AgentsError> for Raised {
    fn from(error: AgentsError) -> Self {
        Self::new("TraceError", error.to_string(), &error.hint())
    }
}

/// Reads run records: a dict each, with what the run cost under an encoding.
#[pyfunction]
#[pyo3(signature = (files, encoding = "o200k_base"))]
pub fn agent_runs<'py>(py: Python<'py>, files: Vec<PathBuf>, encoding: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let encoding = encoding_of(encoding)?;
    let row = |path: &Path| -> Result<Value> {
        let record = RunRecord::read(path)?;
        let header = &record.header;
        let costs = RunCosts::of(&record, encoding, ImageFormula::Claude28);
        let mut row = json!({
            "file": path.display().to_string(),
            "task": header.task,
            "level": header.level,
            "goal": header.goal,
            "tool": header.tool,
            "model": header.agent.model,
            "script": header.agent.script,
            "reward": record.end.as_ref().and_then(|end| end.reward),
            "success": record.is_success(),
            "cut": record.cut,
            "trace": header.trace,
        });
        let costs = serde_json::to_value(&costs).unwrap_or_default();
        if let (Value::Object(row), Value::Object(costs)) = (&mut row, costs) {
            row.extend(costs);
        }
        Ok(row)
    };
    let rows = py.detach(|| files.iter().map(|path| row(path)).collect::<Result<Vec<Value>>>())?;
    rows.iter().map(|row| crate::json::object(py, row)).collect()
}
