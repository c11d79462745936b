//! The page of a scenario: its map of boxes, and what its viewer says step by step.

use super::*;

pub(super) fn check_maps(page: &Page, run: &Run<'_>) -> usize {
    let (Some(screens), Some(ways)) = (run.files.table("screens"), run.files.table("ways")) else {
        assert!(page.maps.is_empty(), "maps without screens");
        return 0;
    };
    let plural = |count: u64, noun: &str| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    let mut compared = 0;
    for map in &page.maps {
        let own = |site: &str| site == map.name || (site.is_empty() && map.name == "no website");
        let screens: Vec<_> = screens.rows().filter(|row| own(row.text("website"))).collect();
        let ways: Vec<_> = ways.rows().filter(|row| own(row.text("website"))).collect();
        let inferred = ways.iter().filter(|row| row.is("inferred")).count() as u64;
        let mut summary =
            format!("{}: {}, {}", map.name, plural(screens.len() as u64, "screen"), plural(ways.len() as u64, "way"));
        if inferred > 0 {
            summary.push_str(&format!(", {inferred} of them inferred"));
        }
        assert_eq!(map.summary, summary);
        // Ways between two screens are one line: its actions, the best of their confidence, how
        // often.
        let drawn = |id: &str| screens.iter().find(|row| row.text("screen") == id).copied();
        let mut lines: BTreeMap<(&str, &str), (u64, u64, f64, bool)> = BTreeMap::new();
        for way in &ways {
            let (from, to) = (way.text("from"), way.text("to"));
            if drawn(from).is_some() && drawn(to).is_some() {
                let line = lines.entry((from, to)).or_insert((0, 0, 0.0, true));
                line.0 += 1;
                line.1 += way.sum(&["count"]);
                line.2 = line.2.max(way.real("confidence"));
                line.3 &= way.is("inferred");
            }
        }
        let mut expected: Vec<String> = Vec::new();
        let mut certain: Vec<String> = Vec::new();
        for ((from, to), (actions, count, confidence, inferred)) in lines.iter().filter(|((from, to), _)| from != to) {
            let name = |id: &str| drawn(id).map_or("", |row| row.text("name"));
            let how = if *inferred { "inferred" } else { "observed" };
            expected.push(words(&format!(
                "{} to {}: {}, {how}, confidence {confidence:.2}, {}",
                name(from),
                name(to),
                plural(*actions, "action"),
                plural(*count, "time")
            )));
            if *inferred || *confidence < 0.995 {
                certain.push(format!("{confidence:.2}"));
            }
        }
        let told = |line: &&String| line.contains(", confidence ");
        let mut found: Vec<String> = map.lines.iter().filter(told).map(|line| words(line)).collect();
        let mut numbers = map.numbers.clone();
        [&mut expected, &mut found, &mut certain, &mut numbers].into_iter().for_each(|list| list.sort());
        assert_eq!(found, expected, "lines of {}", map.name);
        assert_eq!(numbers, certain, "numbers beside the lines of {}", map.name);
        let mut nodes: Vec<String> = screens
            .iter()
            .map(|row| {
                let id = row.text("screen");
                let itself = lines
                    .get(&(id, id))
                    .map_or(String::new(), |(actions, ..)| format!(", {} on it", plural(*actions, "action")));
                format!("{}{itself}", plural(row.sum(&["pages"]), "page"))
            })
            .collect();
        let mut shown: Vec<String> = map.screens.iter().filter_map(|texts| texts.last().cloned()).collect();
        nodes.sort();
        shown.sort();
        assert_eq!(shown, nodes, "screens of {}", map.name);
        compared += expected.len() + nodes.len() + 1;
    }
    compared
}

/// What the step viewer says of every observation.
pub(super) fn check_viewer(page: &Page, run: &Run<'_>) -> usize {
    let mut compared = 0;
    for (at, block) in page.scenarios.iter().enumerate() {
        for text in &block.texts {
            let lines = text.text.split_inclusive('\n').map(|line| Encoding::O200kBase.count(line).0);
            let lines: Vec<u32> = lines.collect();
            assert_eq!(text.heat.len(), lines.len(), "a number a line");
            // What nobody sees was counted as it was shown, and stands here as escapes.
            assert!(text.unseen > 0 || text.heat == lines, "tokens of each line: {:?}", text.text);
        }
        for step in &block.steps {
            for (row, shown) in run.strategies.iter().zip(&step.rows) {
                let rows = row.by_trace[at].as_ref().map(|task| &task.rows);
                let own = rows.and_then(|rows| rows.iter().find(|one| one.count("step") == Some(step.step)));
                let Some(own) = own else {
                    assert!(shown.is_null(), "{} was not run", row.name);
                    continue;
                };
                if !own.lacks("error") {
                    assert!(shown.get("tokens").is_none() && shown.get("error").is_some());
                    continue;
                }
                let what = format!("{} on {} step {}", row.name, run.traces[at], step.step);
                let count = |column: &str| own.sum(&[column]);
                let numbers = [
                    ("tokens", step_tokens(own).unwrap_or(0)),
                    ("image_tokens", own.sum(&["image_claude28", "request_claude28"])),
                    ("legend_tokens", count("legend_o200k")),
                    ("scrolls", count("scrolls")),
                ];
                for (name, expected) in numbers {
                    assert_eq!(shown[name], expected, "{what}: {name}");
                }
                let lists = [
                    ("fresh", vec![count("fresh_right"), count("fresh_wrong"), count("fresh_missing")]),
                    ("facts", vec![count("facts_total"), count("facts_read"), count("facts_by_pixels")]),
                    (
                        "probes",
                        vec![
                            own.sum(&["probe_nodes_found", "probe_texts_found"]),
                            own.sum(&["probe_nodes", "probe_texts"]),
                        ],
                    ),
                ];
                for (name, expected) in lists {
                    assert_eq!(shown[name], serde_json::json!(expected), "{what}: {name}");
                }
                assert_eq!(shown["success"], own.is("success"), "{what}");
                assert_eq!(shown["success_with_scrolls"], own.is("success_with_scrolls"), "{what}");
                let read: Vec<bool> = own.text("facts_read_each").chars().map(|bit| bit == '1').collect();
                assert_eq!(shown["facts_read"], serde_json::json!(read), "{what}");
                let needed = own.is("target_needed");
                let target = ["target_recall", "target_addressable", "target_discriminable"].map(|name| own.is(name));
                assert_eq!(shown["target"], if needed { serde_json::json!(target) } else { Value::Null }, "{what}");
                let required = [count("required_shown"), count("required_total")];
                assert_eq!(
                    shown["required"],
                    if required[1] > 0 { serde_json::json!(required) } else { Value::Null },
                    "{what}"
                );
                let answers: Vec<u64> = shown["requests"]
                    .as_array()
                    .expect("requests")
                    .iter()
                    .filter_map(|asked| asked["tokens"].as_u64())
                    .collect();
                let each = |column: &str| -> Vec<u64> {
                    own.text(column).split_whitespace().map(|tokens| tokens.parse().expect("a count")).collect()
                };
                let expected: Vec<u64> = each("request_each_o200k")
                    .iter()
                    .zip(each("request_each_claude28"))
                    .map(|(text, images)| text + images)
                    .collect();
                assert_eq!(answers, expected, "{what}: answers");
                compared += 16;
            }
        }
    }
    compared
}
