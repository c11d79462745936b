//! The section of site maps: for each website, its screens and the ways between them as a picture.
//!
//! In: the knowledge that was made of the run's traces, if any. Out: HTML, nothing without it.
//! Invariants: every text of a page was escaped by what draws the picture, which brings no style
//! sheet, no script and no id, so that pictures do not disturb each other and any content security
//! policy holds them; equal knowledge is equal text.

use super::escape;
use crate::aggregate::grouped;
use browserlens_knowledge::{Knowledge, MapOptions, site_map_figure};
use std::fmt::Write;

/// Writes what stands below the section's heading.
pub(super) fn content(knowledge: Option<&Knowledge>) -> Option<String> {
    let knowledge = knowledge?;
    let websites = grouped(knowledge.navigable_screens(), |screen| &screen.website_id);
    if websites.is_empty() {
        return None;
    }
    let mut out = String::from(
        "<p class=\"hint\">Screens and the ways between them, mined from the recordings: pages of one structure are \
            one screen, a dialog is a state of the screen it lies over.</p>\n",
    );
    for (at, (website, screens)) in websites.iter().enumerate() {
        let ways = knowledge.transitions.values().filter(|way| way.website_id == **website);
        let (all, inferred) =
            ways.fold((0, 0), |(all, inferred), way| (all + 1, inferred + u32::from(way.metadata.inferred)));
        let name = if website.as_str().is_empty() { "no website" } else { website.as_str() };
        let options = MapOptions { website_id: Some((*website).clone()), title: name.to_owned() };
        let told = format!(
            "{name}: {}, {}{}",
            count(screens.len(), "screen"),
            count(all, "way"),
            if inferred > 0 { format!(", {inferred} of them inferred") } else { String::new() }
        );
        let open = if at == 0 { " open" } else { "" };
        let _ = write!(
            out,
            "<details{open}>\n<summary>{}</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
                aria-label=\"Site map of {}\">\n{}</div>\n</details>\n",
            escape(&told),
            escape(name),
            site_map_figure(knowledge, &options)
        );
    }
    Some(out)
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_knowledge::{ContentType, ScreenDefinition, TransitionDefinition};

    fn knowledge(name: &str, website: &str) -> Knowledge {
        let mut knowledge = Knowledge::new("k");
        for id in ["a", "b"] {
            let screen = ScreenDefinition {
                screen_id: id.into(),
                website_id: website.into(),
                name: name.to_owned(),
                content_type: ContentType::WebUi,
                is_actionable: true,
                ..ScreenDefinition::default()
            };
            knowledge.screens.insert(id.into(), screen);
        }
        let way = TransitionDefinition {
            transition_id: "t".into(),
            website_id: website.into(),
            from_screen_id: "a".into(),
            to_screen_id: "b".into(),
            ..TransitionDefinition::default()
        };
        knowledge.transitions.insert("t".into(), way);
        knowledge
    }

    #[test]
    fn hostile_names_stay_text() {
        let hostile = "</svg></details><script>alert(1)</script>\"onload=\"x";
        let html = content(Some(&knowledge(hostile, hostile))).unwrap();
        assert!(!html.contains("<script") && !html.contains("\"onload"), "{html}");
        assert_eq!(html.matches("</svg>").count(), 1);
        assert_eq!(html.matches("</details>").count(), 1);
        assert!(html.contains("2 screens, 1 way<"), "{html}");
    }

    #[test]
    fn there_is_no_section_without_knowledge_and_no_style_in_it() {
        assert_eq!(content(None), None);
        assert_eq!(content(Some(&Knowledge::new("k"))), None);
        let html = content(Some(&knowledge("Home", "shop"))).unwrap();
        assert!(html.contains("<svg") && !html.contains("<style") && !html.contains("style="), "{html}");
    }
}
