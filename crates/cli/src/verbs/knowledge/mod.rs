//! `knowledge`: build it from traces and texts, recognise a screen, export it and its site map.

mod ask;
mod build;
mod place;

use crate::exit::Failure;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_knowledge::{
    MapOptions, Recogniser, Recognition, WebsiteId, schema, site_map_dot, site_map_svg, to_json,
};
use clap::{Subcommand, ValueEnum};
use place::{StoreArgs, load, page_of, read};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum KnowledgeVerb {
    /// Make knowledge of traces and texts; give all traces, those of earlier builds too
    Build(Box<build::BuildArgs>),
    /// Say which known screen a page is
    Recognise {
        #[command(flatten)]
        place: StoreArgs,
        /// A trace with the page in it
        #[arg(value_name = "TRACE")]
        trace: Option<PathBuf>,
        /// The step of the trace
        #[arg(long, value_name = "N", default_value_t = 0)]
        step: u32,
        /// The URL of the page, in place of a trace
        #[arg(long, conflicts_with = "trace")]
        url: Option<String>,
        /// A file with a summary of the page at the URL, in any form
        #[arg(long, value_name = "FILE", requires = "url")]
        summary: Option<PathBuf>,
        /// What the screen is called or for, in place of a page
        #[arg(long, value_name = "WORDS", conflicts_with_all = ["trace", "url"])]
        description: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask as an agent would: the way to a screen, the steps of a task, what can be done
    Query(ask::QueryArgs),
    /// Infer what was done between known actions where no recording tells it
    Gaps(ask::GapsArgs),
    /// Write the knowledge or its site map
    Export {
        #[command(flatten)]
        place: StoreArgs,
        /// What to write
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// Draw only this website
        #[arg(long, value_name = "ID")]
        website: Option<String>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Everything
    Json,
    /// The site map as a picture
    Svg,
    /// The site map for Graphviz
    Dot,
    /// The JSON schema of `json`
    Schema,
}

pub(crate) fn run(verb: &KnowledgeVerb) -> Ended {
    match verb {
        KnowledgeVerb::Build(args) => build::run(args),
        KnowledgeVerb::Recognise { place, trace, step, url, summary, description, json } => {
            let knowledge = load(place)?;
            let recogniser = Recogniser::new(&knowledge)?;
            let found = match (trace, url, description) {
                (Some(trace), _, _) => recogniser.page(&page_of(trace, *step)?),
                (_, Some(url), _) => {
                    recogniser.summary(url, &summary.as_deref().map(read).transpose()?.unwrap_or_default())
                }
                (_, _, Some(words)) => recogniser.description(words),
                _ => {
                    let hint = "give a trace with --step, --url with --summary, or --description";
                    return Err(Failure::usage("nothing to recognise was given", hint));
                }
            };
            output::json_or(*json, &found, || in_words(&found))
        }
        KnowledgeVerb::Query(args) => ask::query(args),
        KnowledgeVerb::Gaps(args) => ask::gaps(args),
        KnowledgeVerb::Export { format: Format::Schema, .. } => output::pretty(&schema()),
        KnowledgeVerb::Export { place, format, website } => {
            let knowledge = load(place)?;
            let options = MapOptions {
                website_id: website.as_deref().map(WebsiteId::from),
                title: website.clone().unwrap_or_else(|| format!("Site map of {}", place.id)),
            };
            match format {
                Format::Svg => output::data(&site_map_svg(&knowledge, &options)),
                Format::Dot => output::data(&site_map_dot(&knowledge, &options)),
                Format::Json | Format::Schema => output::json(&to_json(&knowledge)?),
            }
        }
    }
}

fn in_words(found: &Recognition) -> String {
    let mut text = match (&found.screen_name, &found.screen_id) {
        (Some(name), Some(id)) => format!("{name} ({id}), confidence {:.2}\n", found.confidence),
        _ => format!("{}, best {:.2}\n", found.message.as_deref().unwrap_or("nothing"), found.confidence),
    };
    for indicator in &found.matched_indicators {
        let told = indicator.value.as_deref().or(indicator.pattern.as_deref()).unwrap_or("");
        text.push_str(&format!("  there: {told:?}\n"));
    }
    for action in &found.available_actions {
        text.push_str(&format!("  can: {} [{}]\n", escaped_line(&action.description), action.tool_name));
    }
    if let Some(tie) = &found.tie {
        text.push_str(&format!("  tie: {tie}\n"));
    }
    if found.screen_id.is_none() {
        for near in &found.nearest {
            text.push_str(&format!("  near: {} ({}) {:.2}\n", near.screen_name, near.screen_id, near.confidence));
        }
    }
    text
}
