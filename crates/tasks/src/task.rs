//! Tasks as files: what is to be done, where, and how it is seen that it was.
//!
//! In: `tasks/*.toml`. Out: [`Task`]s, in the order of the files. Invariants: a task that loads is
//! well formed, its id its own; an error names file, line and what is wrong. The crate of agents
//! says in its README how a task is written.

use crate::check::{Condition, RawCondition};
use crate::error::TasksError;
use browserlens_trace::scenario::{Action, Step, Value};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name: runs of the same name are compared.
    pub id: String,
    /// From 1: one action, a form, several pages, long with traps.
    pub level: u8,
    /// What is to be done, in words.
    pub goal: String,
    /// Where.
    pub place: Environment,
    /// Most calls of a tool.
    pub limit: u32,
}

/// Where a task is done, and what judges it.
#[derive(Clone, Debug, PartialEq)]
pub enum Environment {
    /// A bundled site; its state is checked.
    Site(SiteTask),
    /// A page of MiniWoB++, which judges itself; its way is a script of `scripts/miniwob_tasks.py`.
    Miniwob {
        /// Name of the page.
        page: String,
    },
}

/// What belongs to a task on a bundled site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteTask {
    /// Folder name of the site; `wild/NAME` is an application made with a library that is installed
    /// apart.
    pub site: String,
    /// Path that the task begins at.
    pub start: String,
    /// JavaScript expressions that tell state which lies only in the page's memory, by name; read by
    /// the checker alone, at `/told`.
    pub tell: BTreeMap<String, String>,
    /// What must be true at the end.
    pub check: Vec<Condition>,
    /// Steps that do it.
    pub way: Vec<Step>,
    /// Steps that look right and do it wrongly.
    pub wrong: Vec<Step>,
    /// What is wrong about these.
    pub wrong_is: String,
    /// The file, for paths of uploads and for errors.
    pub file: PathBuf,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawFile {
    /// The site of all tasks of the file that name none: a bundled one, or `wild/NAME`
    site: Option<String>,
    #[serde(default)]
    #[schemars(with = "Vec<RawTask>")]
    task: Vec<Spanned<RawTask>>,
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    miniwob: BTreeMap<String, Spanned<Vec<String>>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawTask {
    /// The site, where it is not that of the file
    site: Option<String>,
    /// Its name
    id: String,
    /// How hard it is: 1 to 4
    level: u8,
    /// What the agent is told to do
    goal: String,
    /// Path of the first page
    #[serde(default = "slash")]
    start: String,
    /// Most actions
    #[serde(default = "twenty")]
    limit: u32,
    /// What the agent is told besides, name by name
    #[serde(default)]
    tell: BTreeMap<String, String>,
    /// What must hold of the site in the end
    check: Vec<RawCondition>,
    /// Steps that do it
    way: Vec<Step>,
    /// Steps that look right and do it wrongly
    wrong: Vec<Step>,
    /// What is wrong about these
    wrong_is: String,
}

fn slash() -> String {
    "/".to_owned()
}

fn twenty() -> u32 {
    20
}

/// Tells whether a name is made of small letters, digits and `-`.
fn is_slug(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// What a page of MiniWoB++ asks for stands on the page.
const MINIWOB_GOAL: &str = "Do what the page asks for in its upper part, once; it judges by itself.";
const MINIWOB_LIMIT: u32 = 40;
const LEVELS: std::ops::RangeInclusive<u8> = 1..=4;

/// Returns the JSON Schema of a file of tasks.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(RawFile)
}

impl Task {
    /// Loads every task of a folder, files in the order of their names.
    ///
    /// # Errors
    /// [`TasksError::Unreadable`] or [`TasksError::Malformed`]; also if the folder holds no task or
    /// two tasks have one id.
    pub fn load_all(folder: &Path) -> Result<Vec<Self>, TasksError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| TasksError::Unreadable { path, source }
        };
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let is_toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
        let mut files: Vec<PathBuf> =
            entries.map_err(unreadable(folder))?.into_iter().map(|entry| entry.path()).filter(is_toml).collect();
        files.sort_unstable();
        let mut tasks: Vec<Self> = Vec::new();
        for file in &files {
            let text = std::fs::read_to_string(file).map_err(unreadable(file))?;
            for (line, task) in Self::parse(&text, file)? {
                if tasks.iter().any(|known| known.id == task.id) {
                    let what = format!("a second task {:?}", task.id);
                    return Err(TasksError::Malformed { path: file.clone(), line, what });
                }
                tasks.push(task);
            }
        }
        if tasks.is_empty() {
            let source = std::io::Error::new(std::io::ErrorKind::NotFound, "no task in any *.toml file");
            return Err(TasksError::Unreadable { path: folder.to_owned(), source });
        }
        Ok(tasks)
    }

    /// Reads the tasks of a file's text, with the lines that they begin at; the path is for errors.
    ///
    /// # Errors
    /// [`TasksError::Malformed`].
    pub fn parse(text: &str, file: &Path) -> Result<Vec<(usize, Self)>, TasksError> {
        let line_at = |offset: usize| text.get(..offset).unwrap_or(text).matches('\n').count() + 1;
        let wrong = |line: usize, what: String| TasksError::Malformed { path: file.to_owned(), line, what };
        let raw: RawFile = toml::from_str(text)
            .map_err(|error| wrong(error.span().map_or(1, |span| line_at(span.start)), error.message().to_owned()))?;
        let mut tasks = Vec::new();
        for task in raw.task {
            let line = line_at(task.span().start);
            let task = task.into_inner();
            let site = task.site.clone().or_else(|| raw.site.clone());
            let site = site.ok_or_else(|| wrong(line, "neither the task nor the file names a site".to_owned()))?;
            let id = task.id.clone();
            let task = task.of_site(site, file).map_err(|what| wrong(line, format!("task {id:?}: {what}")))?;
            tasks.push((line, task));
        }
        for (level, pages) in raw.miniwob {
            let line = line_at(pages.span().start);
            let level = level.parse().ok().filter(|level| LEVELS.contains(level));
            let level = level.ok_or_else(|| wrong(line, "a key of [miniwob] is a level from 1 to 4".to_owned()))?;
            for page in pages.into_inner() {
                if !is_slug(&page) {
                    return Err(wrong(line, format!("{page:?} is no name of a page of MiniWoB++")));
                }
                let task = Self {
                    id: format!("miniwob-{page}"),
                    level,
                    goal: MINIWOB_GOAL.to_owned(),
                    place: Environment::Miniwob { page },
                    limit: MINIWOB_LIMIT,
                };
                tasks.push((line, task));
            }
        }
        Ok(tasks)
    }

    /// Returns where the task is done, in a word: the site, `wild/NAME`, or `miniwob`.
    pub fn place_name(&self) -> &str {
        match &self.place {
            Environment::Site(site) => &site.site,
            Environment::Miniwob { .. } => "miniwob",
        }
    }
}

impl RawTask {
    fn of_site(self, site: String, file: &Path) -> Result<Task, String> {
        let Self { id, level, goal, start, limit, tell, check, way, wrong, wrong_is, .. } = self;
        if !is_slug(&id) {
            return Err("an id is made of small letters, digits and -".to_owned());
        }
        if !LEVELS.contains(&level) {
            return Err(format!("level {level} is not from 1 to 4"));
        }
        if goal.trim().is_empty() || wrong_is.trim().is_empty() {
            return Err("goal and wrong_is must say something".to_owned());
        }
        if !start.starts_with('/') {
            return Err(format!("start {start:?} is no path: it begins with /"));
        }
        if check.is_empty() || way.is_empty() || wrong.is_empty() {
            return Err("check, way and wrong must not be empty".to_owned());
        }
        if limit == 0 {
            return Err("limit 0 allows nothing".to_owned());
        }
        for step in way.iter().chain(&wrong) {
            if matches!(step.action.text(), Value::Env(_)) {
                return Err("a step's text is written out: tasks run everywhere alike".to_owned());
            }
            if matches!(&step.action, Action::Goto { url } if !url.starts_with('/')) {
                return Err("goto takes a path of the site".to_owned());
            }
        }
        let check = check.into_iter().map(Condition::try_from).collect::<Result<_, _>>()?;
        let file = file.to_owned();
        let place = Environment::Site(SiteTask { site, start, tell, check, way, wrong, wrong_is, file });
        Ok(Task { id, level, goal, place, limit })
    }
}

impl SiteTask {
    /// Returns what is not as it must be; nothing if the task is done.
    pub fn unmet(&self, state: &serde_json::Value) -> Vec<String> {
        self.check.iter().filter_map(|condition| condition.unmet(state)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"site = "tiny"
[[task]]
id = "a"
level = 2
goal = "Do it."
check = [{ at = "/path", is = "/done" }]
way = [{ click = { role = "button", name = "Go" } }]
wrong = [{ click = { role = "button", name = "No" } }]
wrong_is = "it says no"
"#;

    fn parse(text: &str) -> Result<Vec<(usize, Task)>, TasksError> {
        Task::parse(text, Path::new("t.toml"))
    }

    #[test]
    fn a_task_is_read_with_what_it_leaves_out() {
        let (line, task) = parse(GOOD).expect("well formed").pop().expect("one");
        assert_eq!((line, task.id.as_str(), task.level, task.limit), (2, "a", 2, 20));
        let Environment::Site(site) = &task.place else { panic!("of a site") };
        assert_eq!((site.start.as_str(), site.check.len(), site.way.len()), ("/", 1, 1));
        let pages = parse("[miniwob]\n1 = [\"click-test\"]").expect("well formed");
        assert_eq!((pages[0].1.id.as_str(), pages[0].1.place_name()), ("miniwob-click-test", "miniwob"));
    }

    #[test]
    fn what_is_no_task_is_refused_with_its_line() {
        for (from, to, said) in [
            ("id = \"a\"", "id = \"A b\"", "t.toml, line 2: task \"A b\": an id is made of"),
            ("level = 2", "level = 5", "level 5 is not from 1 to 4"),
            ("goal = \"Do it.\"", "goal = \" \"", "must say something"),
            ("goal = \"Do it.\"", "goal = \"Do it.\"\nstart = \"x\"", "start \"x\" is no path"),
            ("goal = \"Do it.\"", "goal = \"Do it.\"\nlimit = 0", "allows nothing"),
            ("goal = \"Do it.\"", "goal = \"Do it.\"\ngaol = 1", "unknown field `gaol`"),
            ("site = \"tiny\"", "", "names a site"),
            ("is = \"/done\"", "", "says nothing"),
            ("check = [{ at = \"/path\", is = \"/done\" }]", "check = []", "must not be empty"),
            ("way = [{ click", "way = [{ press", "invalid type"),
            (
                "name = \"Go\" } }",
                "name = \"Go\" }, text = \"x\" }",
                "the key text does not belong to the action click",
            ),
            (
                "way = [{ click = { role = \"button\", name = \"Go\" } }]",
                "way = [{ goto = \"http://x.test/\" }]",
                "goto takes a path",
            ),
            (
                "way = [{ click = { role = \"button\", name = \"Go\" } }]",
                "way = [{ fill = { role = \"textbox\" }, text = { env = \"X\" } }]",
                "text is written out",
            ),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = parse(&GOOD.replacen(from, to, 1)).expect_err(to);
            assert!(error.to_string().contains(said) && !error.hint().is_empty(), "{to}: {error}");
        }
        for (text, said) in [
            ("[miniwob]\n7 = [\"click-test\"]", "t.toml, line 2: a key of [miniwob] is a level"),
            ("[miniwob]\n1 = [\"../core\"]", "is no name of a page"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn the_tasks_of_the_repository_load_and_have_ids_of_their_own() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks");
        let tasks = Task::load_all(&folder).expect("well formed");
        let of_level = |level| tasks.iter().filter(|task| task.level == level).count();
        assert!(tasks.len() >= 80 && LEVELS.clone().all(|level| of_level(level) >= 10), "{} tasks", tasks.len());
        let sites: std::collections::BTreeSet<&str> = tasks.iter().map(Task::place_name).collect();
        assert_eq!(sites.len(), 21, "{sites:?}");
        let twice = tempfile::tempdir().expect("a folder");
        for name in ["a.toml", "b.toml"] {
            std::fs::write(twice.path().join(name), GOOD).expect("writes");
        }
        let error = Task::load_all(twice.path()).expect_err("twice");
        assert!(error.to_string().contains("b.toml, line 2: a second task \"a\""), "{error}");
    }
}
