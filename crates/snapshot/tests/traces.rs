//! Over the bundled traces: outlines are whole and cheap, paths lead back.

use browserlens_core::page::{NodeId, NodeKey, Page};
use browserlens_core::strategy::StepIndex;
use browserlens_core::tokens::Encoding;
use browserlens_snapshot::content::{self, ContentOptions};
use browserlens_snapshot::outline::{self, Meta, OutlineOptions};
use browserlens_snapshot::path::{Path, Paths};
use browserlens_trace::Trace;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Every bundled trace with its pages.
fn traces() -> Vec<(String, Vec<Page>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the traces are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "trace"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let trace = Trace::open(path).expect("opens");
            let page = |step| Page::parse(&trace.capture(StepIndex(step)).expect("a capture")).expect("a page");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, (0..trace.len()).map(page).collect())
        })
        .collect()
}

fn is_heading(page: &Page, node: NodeId) -> bool {
    let node = page.node(node);
    node.role() == "heading"
        && node.is_visible()
        && node.subtree().any(|below| below.is_visible() && !below.text().trim().is_empty())
}

fn is_landmark(page: &Page, node: NodeId) -> bool {
    let node = page.node(node);
    browserlens_core::page::role::is_landmark(node.role()) && node.is_visible()
}

#[test]
fn every_landmark_and_heading_has_a_line_or_is_counted_and_lines_are_cheap() {
    let (mut lines, mut tokens, mut dear, mut most) = (0_u32, 0_u32, Vec::new(), 0);
    let mut table = String::new();
    let mut nameless = 0;
    for (name, pages) in traces() {
        let (mut own_tokens, mut own_lines) = (0, 0);
        for (step, page) in pages.iter().enumerate() {
            let paths = Paths::of(page);
            let built = outline::build(page, &paths, &OutlineOptions::default());
            let text = outline::write(&built.outline);
            assert_eq!(text.lines().skip(3).count(), built.outline.lines.len(), "{name} {step}");
            let mut said: HashSet<NodeId> = HashSet::new();
            let mut folded: Vec<NodeId> = Vec::new();
            for (line, nodes) in built.outline.lines.iter().zip(&built.nodes) {
                if line.path.is_some() {
                    said.extend(nodes);
                } else {
                    folded.extend(nodes);
                }
            }
            for node in page.nodes().map(|node| node.id()) {
                if is_landmark(page, node) || is_heading(page, node) {
                    let counted = folded.iter().any(|root| page.node(*root).holds(node));
                    let in_heading = page
                        .node(node)
                        .ancestors()
                        .any(|above| said.contains(&above.id()) && above.role() == "heading");
                    assert!(
                        said.contains(&node) || counted || in_heading,
                        "{name} {step}: {:?} is missing\n{text}",
                        page.node(node)
                    );
                    assert!(!counted || !is_landmark(page, node), "{name} {step}: a landmark is folded");
                }
            }
            for line in text.lines().skip(3) {
                let cost = Encoding::O200kBase.count(line).0;
                most = most.max(cost);
                if cost > outline::MOST_TOKENS && !line.trim_start().starts_with("HEADING ") {
                    dear.push(format!("{cost} {name} {step}: {line}"));
                }
                nameless += u32::from(line.contains("HEADING level=") && !line.contains('"'));
                lines += 1;
                own_lines += 1;
            }
            own_tokens += Encoding::O200kBase.count(&text).0;
        }
        tokens += own_tokens;
        table.push_str(&format!("{name}: {} steps, {own_lines} lines, {own_tokens} tokens\n", pages.len()));
    }
    eprintln!(
        "{table}{lines} lines, {tokens} tokens, most {most}, {} over the limit, {nameless} headings without words",
        dear.len()
    );
    assert!(dear.is_empty(), "{}", dear[..dear.len().min(20)].join("\n"));
}

#[test]
fn every_path_leads_back_and_mostly_to_the_same_entity_on_the_next_step() {
    let mut counts: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    let mut outlined = [0_u32; 3];
    for (name, pages) in traces() {
        let mut before: Option<(HashMap<NodeKey, Path>, HashSet<NodeKey>)> = None;
        for page in &pages {
            let paths = Paths::of(page);
            let mut now = HashMap::new();
            for node in paths.named() {
                let path = paths.path(node).expect("a named node has a path");
                assert_eq!(paths.resolve(&path), Some(node), "{name}: {path}");
                assert_eq!(path.to_string().parse(), Ok(path.clone()), "{name}: {path}");
                now.insert(page.node(node).key(), path);
            }
            let built = outline::build(page, &paths, &OutlineOptions::default());
            let lines = built.outline.lines.iter().zip(&built.nodes).filter(|(line, _)| line.path.is_some());
            let told: HashSet<NodeKey> =
                lines.flat_map(|(_, nodes)| nodes).map(|node| page.node(*node).key()).collect();
            if let Some((old, old_told)) = before {
                for (key, path) in &old {
                    if !now.contains_key(key) {
                        continue;
                    }
                    let found = paths.resolve(path).map(|node| page.node(node).key());
                    let which = match found {
                        Some(found) if found == *key => 0,
                        None => 1,
                        Some(_) => 2,
                    };
                    counts.entry(name.clone()).or_default()[which] += 1;
                    if old_told.contains(key) {
                        outlined[which] += 1;
                    }
                }
            }
            before = Some((now, told));
        }
    }
    let mut total = [0_u32; 3];
    for (name, [same, gone, other]) in &counts {
        eprintln!("{name}: same {same}, nothing {gone}, another {other}");
        for (sum, n) in total.iter_mut().zip([same, gone, other]) {
            *sum += n;
        }
    }
    eprintln!("all {total:?}; of outline lines {outlined:?}");
    let share = |[same, gone, other]: [u32; 3]| f64::from(same) / f64::from(same + gone + other);
    assert!(share(total) >= 0.9 && share(outlined) >= 0.9, "{total:?} {outlined:?}");
}

#[test]
fn words_of_a_region_are_the_same_in_outline_and_content() {
    let counted = |page: &Page, node: NodeId| -> usize {
        let options = ContentOptions::default();
        content::sections(page, &[node], &options, |_| "/x".to_owned()).iter().map(|section| section.words).sum()
    };
    let (mut different, mut compared) = (Vec::new(), 0);
    for (name, pages) in traces() {
        for (step, page) in pages.iter().enumerate() {
            let built = outline::build(page, &Paths::of(page), &OutlineOptions::default());
            let all = counted(page, NodeId::ROOT);
            if built.outline.totals.words as usize != all {
                different.push(format!("{name} {step}: {} words against {all}", built.outline.totals.words));
            }
            for (line, nodes) in built.outline.lines.iter().zip(&built.nodes) {
                let words = line.meta.iter().find_map(|meta| match meta {
                    Meta::Words(words) if line.role.is_part() => Some(*words as usize),
                    _ => None,
                });
                let Some(words) = words else { continue };
                compared += 1;
                let content = counted(page, nodes[0]);
                if content != words {
                    let role = line.role.name();
                    different.push(format!("{name} {step}: {role} {:?} {words} against {content}", line.name));
                }
            }
        }
    }
    assert!(different.is_empty(), "{} of {compared}:\n{}", different.len(), different.join("\n"));
    assert!(compared > 100, "{compared}");
}
