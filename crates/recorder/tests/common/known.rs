//! What tests of known ways share: the bundled recordings, and the secrets that those do not hold.

use browserlens_knowledge::protocol::NavigationGraph;
use browserlens_knowledge::{Knowledge, ScreenId};
use std::path::{Path, PathBuf};

/// What has to arrive, in percent.
const LEAST: usize = 95;

/// The password of a site, which is a placeholder in the knowledge; an agent is given it.
pub fn secret(site: &str) -> Option<&'static str> {
    let secrets = [("portal", "quiet-lantern-83"), ("login", "river-otter-58")];
    secrets.into_iter().find(|(of, _)| *of == site).map(|(_, secret)| secret)
}

/// The bundled recordings with their variants.
pub fn traces() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("variants")] {
        let files = std::fs::read_dir(folder).expect("traces").map(|entry| entry.expect("a file").path());
        found.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "trace")));
    }
    found.sort();
    found
}

/// Every ordered pair of screens of which the second can be reached from the first without opening
/// an address.
pub fn pairs(knowledge: &Knowledge) -> Vec<(ScreenId, ScreenId)> {
    let graph = NavigationGraph::new(knowledge);
    let screens: Vec<&ScreenId> = knowledge.navigable_screens().map(|screen| &screen.screen_id).collect();
    let of = |from: &ScreenId| {
        let reachable = graph.reachable(from);
        let to = screens.iter().filter(move |to| **to != from && reachable.contains(**to));
        to.map(|to| (from.clone(), (*to).clone())).collect::<Vec<_>>()
    };
    screens.iter().flat_map(|from| of(from)).collect()
}

/// `spared` may fail of a few, where one is more than the bar allows.
pub fn assert_bar(walked: usize, failed: &[String], spared: usize) {
    let arrived = walked - failed.len();
    println!("{arrived} of {walked} ways arrived");
    assert!(
        failed.len() <= spared || arrived * 100 >= walked * LEAST,
        "{} of {walked} failed (at least {LEAST} % have to arrive):\n{}",
        failed.len(),
        failed.join("\n")
    );
}
