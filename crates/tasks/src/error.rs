//! What can go wrong with tasks, their pages and tools.
//!
//! Invariant: every error names what it is about, and what to do next.

use std::path::PathBuf;

/// A task could not be read, its pages not be served, or a tool not be driven.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A file of tasks is not what it must be.
    #[error("{}, line {line}: {what}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A site cannot be served.
    #[error("{site}: cannot be served: {why}")]
    Site {
        /// The site.
        site: String,
        /// Why not.
        why: String,
    },
    /// The pages of MiniWoB++ are not there.
    #[error("{}: MiniWoB++ is not installed", .0.display())]
    NoMiniwob(PathBuf),
    /// An application made with a component library is not there.
    #[error("{}: the application is not there", .0.display())]
    NoApplication(PathBuf),
    /// A tool did not start or went away.
    #[error("{tool}: {why}")]
    Tool {
        /// The tool, as it was named.
        tool: String,
        /// What happened.
        why: String,
    },
    /// A preset's program is not installed.
    #[error("{tool}: not installed: {} is not there", .path.display())]
    NotInstalled {
        /// The preset.
        tool: String,
        /// What was looked for.
        path: PathBuf,
    },
    /// An agent failed, not the tool.
    #[error("the agent failed: {0}")]
    Agent(String),
    /// A record could not be written.
    #[error(transparent)]
    Record(#[from] browserlens_trace::agents::AgentsError),
}

impl TasksError {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => "check the path: --tasks-dir names the folder of tasks".into(),
            Self::Malformed { .. } => "mend the file; docs/agent-runs.md says how a task is written".into(),
            Self::Site { .. } => "check --sites-dir, and that a loopback port is free".into(),
            Self::NoMiniwob(_) => "run scripts/install-miniwob".into(),
            Self::NoApplication(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("run scripts/install-wild esbuild {name}, then scripts/wild/run --apps")
            }
            Self::Tool { .. } => format!(
                "start the command by hand and see what it says on standard error; tools known by name: {}",
                crate::PRESETS.join(", ")
            ),
            Self::NotInstalled { tool, .. } => {
                format!("run scripts/install-peers, or name a command in place of {tool}")
            }
            Self::Agent(_) => "see the run's record for its last call".into(),
            Self::Record(error) => error.hint(),
        }
    }
}
