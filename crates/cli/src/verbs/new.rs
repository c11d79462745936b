//! `new`: small files that work, to begin with.
//!
//! In: a kind and a place. Out: files. Invariant: nothing that is there is replaced.

use super::file_url;
use crate::args::{NewArgs, NewOf};
use crate::exit::Failure;
use crate::{Ended, output};
use browserlens_trace::whole;
use std::path::Path;

const SCENARIO: &str = include_str!("new/scenario.toml");
const PAGE: &str = include_str!("new/page.html");
const STRATEGIES: &str = include_str!("new/strategies.toml");
const LISTER: &str = include_str!("../../../replay/examples/lister.py");
/// Where the bench looks for strategies if it is not told.
const STRATEGIES_FILE: &str = "traces/strategies.toml";

/// Strategies to begin with, where there are none.
const FEW: &str = include_str!("new/few.toml");
const TASKS: &str = include_str!("new/tasks.toml");

pub(crate) fn run(args: &NewArgs) -> Ended {
    let (path, shown) = (&args.path, args.path.display());
    let is_folder = matches!(args.of, NewOf::Strategy);
    let folder = if is_folder { Some(&**path) } else { path.parent() }.unwrap_or(Path::new(""));
    if !folder.as_os_str().is_empty() {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::input(format!("{}: {error}", folder.display()), "name another"))?;
    }
    let shown_folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !is_folder
        && (stem.is_empty() || !stem.chars().all(is_plain) || path.extension().is_none_or(|end| end != "toml"))
    {
        let message = format!("{shown} is no name such as first-task.toml");
        return Err(Failure::usage(message, "letters, digits, - and _, and the ending .toml"));
    }
    let next = match args.of {
        NewOf::Scenario => {
            let page = path.with_extension("html");
            write(&page, PAGE)?;
            let url = file_url(&page).unwrap_or_default();
            write(path, &SCENARIO.replace("NAME", stem).replace("URL", &url))?;
            // Outside of the project there are no strategies yet, unless `ci init` wrote them.
            let mut with = String::new();
            if !Path::new(STRATEGIES_FILE).exists() {
                let above = folder.parent().map(|above| above.join("strategies.toml"));
                let file = above.filter(|file| file.exists()).unwrap_or_else(|| shown_folder.join("strategies.toml"));
                if !file.exists() {
                    write(&file, FEW)?;
                }
                with = format!(" --strategies-file {}", file.display());
            }
            let out = shown_folder.display();
            format!("browserlens record {shown} --out {out}\nbrowserlens bench {out} --scenarios-dir {out}{with}\n")
        }
        NewOf::Strategy => {
            let file = path.join("strategies.toml");
            write(&file, STRATEGIES)?;
            write(&path.join("lister.py"), LISTER)?;
            format!("browserlens bench --strategies-file {}\n", file.display())
        }
        NewOf::Tasks => {
            write(path, &TASKS.replace("NAME", stem))?;
            format!("browserlens agents tasks --tasks-dir {}\n", shown_folder.display())
        }
    };
    output::status("next:");
    output::data(&next)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    whole::write_new(path, text.as_bytes()).map_err(|error| {
        let hint = "nothing is replaced: give another name, or move it away";
        Failure::input(format!("{}: {error}", path.display()), hint)
    })?;
    output::status(&format!("wrote {}", path.display()));
    Ok(())
}
