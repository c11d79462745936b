//! `skill`: what a coding agent reads once to drive pages by `page`.

use crate::args::SkillArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where agents look for skills, in a project and in a home: `.agents` is the place that the open
/// standard names for all, `.claude` that of Claude Code, which others read as well.
const FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];

const TEXT: &str = include_str!("../../skill.md");
const LEGEND: &str = include_str!("../../../lens/legend.txt");

fn text() -> String {
    TEXT.replace("LEGEND\n", &format!("{}\n", LEGEND.trim_end()))
}

/// Writes the file whole, and never through a link that lies there.
fn write(folder: &Path, file: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let readable = std::fs::Permissions::from_mode(0o644);
    let mut new = tempfile::Builder::new().permissions(readable).tempfile_in(folder)?;
    new.write_all(text().as_bytes())?;
    new.persist(file).map(drop).map_err(|error| error.error)
}

pub(crate) fn run(args: &SkillArgs) -> Ended {
    let Some(root) = &args.install else {
        let text = if args.snapshots { browserlens_snapshot::PROMPT.to_owned() } else { text() };
        return output::data(&text);
    };
    if !root.is_dir() {
        let message = format!("{} is no folder", root.display());
        return Err(Failure::input(message, "name your project's folder, or your home for every project"));
    }
    for folder in FOLDERS {
        let folder: PathBuf = root.join(folder).join("browserlens");
        let file = folder.join("SKILL.md");
        if std::fs::read_to_string(&file).is_ok_and(|there| !there.contains("\nname: browserlens\n")) {
            let message = format!("{} is another skill", file.display());
            return Err(Failure::input(message, "move it away"));
        }
        let unwritable = Failure::file("written", &file, "name a folder that you can write to");
        write(&folder, &file).map_err(unwritable)?;
        output::data(&format!("{}\n", file.display()))?;
    }
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::tokens::Encoding;

    #[test]
    fn it_costs_at_most_900_tokens_and_holds_the_legend_once() {
        let tokens = Encoding::O200kBase.count(&text()).0;
        assert!(tokens <= 900, "{tokens}");
        assert_eq!(text().matches(LEGEND.trim_end()).count(), 1);
    }
}
