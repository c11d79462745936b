//! Splits a corpus into traces to train on and traces held back, by site.
//!
//! In: traces, a share, a seed. Out: two lists. Invariants: no site is on both sides; the same
//! traces, share and seed give the same lists, whatever the order of the traces; where there are
//! two sites, neither side is empty.
//!
//! Why by site: copies of one page on both sides would let what is trained on the one be measured
//! on the other.

use crate::corpus::error::CorpusError;
use crate::corpus::random::draws;
use crate::corpus::site::site_of;
use crate::corpus::stats::Failed;
use crate::{Trace, whole};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name of the list, or folder, to train on.
pub const TRAIN: &str = "train";

/// Name of the list, or folder, that is held back.
pub const HELD_BACK: &str = "held-back";

/// A corpus in two parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// To train on.
    pub train: Part,
    /// Held back.
    pub held_back: Part,
    /// Traces that could not be read, and are in neither.
    pub failures: Vec<Failed>,
}

/// One part of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its sites, sorted.
    pub sites: Vec<String>,
    /// Its traces, sorted.
    pub traces: Vec<PathBuf>,
}

/// Splits traces so that about a share of them is held back.
///
/// # Errors
/// [`CorpusError::Share`] for a share that is not between 0 and 1, [`CorpusError::OneSite`] where
/// there are not two sites.
pub fn split(folder: &Path, traces: &[PathBuf], share: f64, seed: u64) -> Result<Split, CorpusError> {
    if !(share > 0.0 && share < 1.0) {
        return Err(CorpusError::Share(share));
    }
    let read: Vec<_> = traces
        .par_iter()
        .map(|path| Trace::open(path).and_then(|trace| site_of(&trace)).map_err(|error| Failed::of(path, &error)))
        .collect();
    let (mut by_site, mut failures): (BTreeMap<String, Vec<PathBuf>>, _) = (BTreeMap::new(), Vec::new());
    for (path, site) in traces.iter().zip(read) {
        match site {
            Ok(site) => by_site.entry(site).or_default().push(path.clone()),
            Err(failed) => failures.push(failed),
        }
    }
    failures.sort();
    if by_site.is_empty() {
        return Err(CorpusError::NoTraces(folder.to_owned()));
    }
    if let (1, Some((site, _))) = (by_site.len(), by_site.first_key_value()) {
        return Err(CorpusError::OneSite { path: folder.to_owned(), site: site.clone() });
    }
    let sizes: Vec<(&str, usize)> = by_site.iter().map(|(site, traces)| (site.as_str(), traces.len())).collect();
    let held: Vec<String> = held_back(&sizes, share, seed).into_iter().map(str::to_owned).collect();
    let mut parts = Split { train: Part::default(), held_back: Part::default(), failures };
    for (site, traces) in by_site {
        let part = if held.contains(&site) { &mut parts.held_back } else { &mut parts.train };
        part.sites.push(site);
        part.traces.extend(traces);
    }
    parts.train.traces.sort();
    parts.held_back.traces.sort();
    Ok(parts)
}

/// Chooses the sites to hold back, of sorted ones: in a drawn order, each that brings the share
/// nearer. At least one, and never all.
fn held_back<'s>(sites: &[(&'s str, usize)], share: f64, seed: u64) -> Vec<&'s str> {
    let mut order = sites.to_vec();
    draws(seed, "sites held back").shuffle(&mut order);
    let wanted = share * sites.iter().map(|(_, traces)| *traces as f64).sum::<f64>();
    let (mut held, mut so_far) = (Vec::new(), 0.0);
    for (site, traces) in &order {
        let with = so_far + *traces as f64;
        if held.len() + 1 < sites.len() && (wanted - with).abs() < (wanted - so_far).abs() {
            held.push(*site);
            so_far = with;
        }
    }
    if held.is_empty() {
        // Every site is larger than twice the share: the smallest is the nearest.
        held.extend(order.iter().min_by_key(|(_, traces)| *traces).map(|(site, _)| *site));
    }
    held
}

/// Writes the parts as two lists, one path a line, into a folder; returns the files.
///
/// # Errors
/// [`CorpusError::Io`] if they cannot be written.
pub fn write_lists(split: &Split, out: &Path) -> Result<[PathBuf; 2], CorpusError> {
    write_parts(split, out, |name, part| {
        let path = out.join(format!("{name}.txt"));
        let lines: String = part.traces.iter().map(|trace| format!("{}\n", trace.display())).collect();
        whole::write(&path, lines.as_bytes()).map_err(CorpusError::io(&path, "write the file"))?;
        Ok(path)
    })
}

/// Writes both parts. They are of one split, whoever else writes there: two halves of two splits would have a site on
/// both sides.
fn write_parts(
    split: &Split,
    out: &Path,
    write: impl Fn(&str, &Part) -> Result<PathBuf, CorpusError>,
) -> Result<[PathBuf; 2], CorpusError> {
    std::fs::create_dir_all(out).map_err(CorpusError::io(out, "make the folder"))?;
    let _turn = whole::locked(out).map_err(CorpusError::io(out, "lock the folder"))?;
    Ok([write(TRAIN, &split.train)?, write(HELD_BACK, &split.held_back)?])
}

/// Writes the parts as two folders of links, with a link to the scenarios in each, so that each can
/// be replayed; returns the folders.
///
/// # Errors
/// [`CorpusError::Other`] if a folder is there and not empty, [`CorpusError::Io`] if it cannot be
/// written.
pub fn write_links(split: &Split, from: &Path, out: &Path) -> Result<[PathBuf; 2], CorpusError> {
    write_parts(split, out, |name, part| {
        let folder = out.join(name);
        std::fs::create_dir_all(&folder).map_err(CorpusError::io(&folder, "make the folder"))?;
        if std::fs::read_dir(&folder).map_err(CorpusError::io(&folder, "list the folder"))?.next().is_some() {
            return Err(CorpusError::Other { path: folder, reason: "the folder is not empty".to_owned() });
        }
        for trace in &part.traces {
            // Files of one name in two folders keep their folders' names.
            let below = trace.strip_prefix(from).unwrap_or(trace);
            let name: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            link(trace, &folder.join(name.join("-")))?;
        }
        let scenarios = from.join(crate::corpus::SCENARIOS);
        if scenarios.is_dir() {
            link(&scenarios, &folder.join(crate::corpus::SCENARIOS))?;
        }
        Ok(folder)
    })
}

fn link(to: &Path, at: &Path) -> Result<(), CorpusError> {
    let to = std::fs::canonicalize(to).map_err(CorpusError::io(to, "find the file"))?;
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(&to, at);
    #[cfg(windows)]
    let linked = if to.is_dir() {
        std::os::windows::fs::symlink_dir(&to, at)
    } else {
        std::os::windows::fs::symlink_file(&to, at)
    };
    linked.map_err(CorpusError::io(at, "make the link"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_that_are_written_at_once_are_of_one_split() {
        let part = |site: &str| Part {
            sites: vec![site.to_owned()],
            traces: (0..5_000).map(|number| PathBuf::from(format!("{site}/{number}.trace"))).collect(),
        };
        let splits = [("a", "b"), ("b", "a")].map(|(train, held_back)| Split {
            train: part(train),
            held_back: part(held_back),
            failures: Vec::new(),
        });
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..10 {
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for at in 0..8 {
                    let (split, start, out) = (&splits[at % 2], &start, folder.path());
                    scope.spawn(move || {
                        start.wait();
                        write_lists(split, out).unwrap();
                    });
                }
            });
            let first = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap()[..1].to_owned();
            assert_ne!(first("train.txt"), first("held-back.txt"));
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside the lists");
        }
    }

    proptest! {
        #[test]
        fn no_side_is_empty_and_the_share_is_as_near_as_sites_allow(
            sizes in prop::collection::btree_map("[a-z]{1,6}", 1usize..40, 2..20),
            share in 0.01f64..0.99,
            seed in 0u64..100,
        ) {
            let sites: Vec<(&str, usize)> = sizes.iter().map(|(site, traces)| (site.as_str(), *traces)).collect();
            let held = held_back(&sites, share, seed);
            prop_assert!(!held.is_empty() && held.len() < sites.len());
            prop_assert_eq!(&held, &held_back(&sites, share, seed));
            let all: usize = sizes.values().sum();
            let largest = sizes.values().max().copied().unwrap_or(0);
            let taken: usize = held.iter().map(|site| sizes[*site]).sum();
            prop_assert!((taken as f64 - share * all as f64).abs() <= largest as f64, "{taken} of {all}, {share}");
        }
    }
}
