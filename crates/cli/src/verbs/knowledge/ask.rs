//! `knowledge query` and `knowledge gaps`: what an agent would ask, and what was not recorded.

use super::place::{StoreArgs, load, page_of, read};
use crate::exit::{Exit, Failure};
use crate::verbs::ModelArgs;
use crate::{Ended, output};
use browserlens_knowledge::gaps::{Ask, ExtrapolationRequest, PROMPT_VERSION, fill_gaps, store};
use browserlens_knowledge::protocol::{Agent, Environment};
use browserlens_knowledge::translate::Profile;
use browserlens_knowledge::{Store, WebsiteId};
use clap::Args;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::str::FromStr as _;

#[derive(Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    place: StoreArgs,
    /// What is wanted: `navigate_to_screen`, `execute_task`, `find_screen`, `get_actions`,
    /// `get_screen_context`, `find_element` or `explore_website`
    #[arg(value_name = "TYPE", required_unless_present = "instruction")]
    kind: Option<String>,
    /// Id of a screen or task, a URL, or a description
    #[arg(value_name = "TARGET", default_value = "")]
    target: String,
    /// The screen that is shown
    #[arg(long, value_name = "ID")]
    screen: Option<String>,
    /// The URL that is open
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A file with a summary of the page at the URL
    #[arg(long, value_name = "FILE", requires = "url")]
    summary: Option<PathBuf>,
    /// A trace with the page that is open
    #[arg(long, value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// The step of the trace
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: u32,
    /// Which tools the agent has: `browserlens`, `browser-use-0.13` or `seed`
    #[arg(long, value_name = "NAME", default_value = "browser-use-0.13")]
    profile: String,
    /// Read the whole instruction from this file, as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kind", "target", "screen", "url", "summary"])]
    instruction: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct GapsArgs {
    #[command(flatten)]
    place: StoreArgs,
    /// Only this website
    #[arg(long, value_name = "ID", default_value = "")]
    website: String,
    /// Most actions between two known ones
    #[arg(long, value_name = "N", default_value_t = 5)]
    max_steps: usize,
    /// Infer no transitions
    #[arg(long)]
    no_screens: bool,
    #[command(flatten)]
    model: ModelArgs,
    /// Wait at most this long for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u32,
    /// Keep what is surer than 0.6, marked as inferred
    #[arg(long)]
    keep: bool,
}

pub(super) fn query(args: &QueryArgs) -> Ended {
    let profile = Profile::from_str(&args.profile);
    let profile = profile.map_err(|error| Failure::new(Exit::Usage, &error, error.hint()))?;
    let knowledge = load(&args.place)?;
    let instruction = match &args.instruction {
        Some(path) => read(path)?,
        None => {
            let summary = args.summary.as_ref().map(read).transpose()?;
            let known = [
                ("current_screen_id", args.screen.clone()),
                ("current_url", args.url.clone()),
                ("dom_summary", summary),
            ];
            let context: Map<String, Value> =
                known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect();
            json!({ "instruction_type": args.kind, "target": args.target, "context": context }).to_string()
        }
    };
    let page = args.trace.as_ref().map(|trace| page_of(trace, args.step)).transpose()?;
    let agent = Agent::new(&knowledge)?;
    let environment = Environment { page: page.as_ref(), profile, ..Environment::default() };
    let response = agent.answer_json(&instruction, &environment).once();
    output::pretty(&response)?;
    if response.success {
        return Ok(Exit::Success);
    }
    let message = response.error.unwrap_or_else(|| "there is no answer".to_owned());
    Err(Failure::usage(message, response.hint.unwrap_or_else(|| "see the answer".to_owned())))
}

pub(super) fn gaps(args: &GapsArgs) -> Ended {
    let mut knowledge = load(&args.place)?;
    let request = ExtrapolationRequest {
        website_id: WebsiteId::from(args.website.as_str()),
        max_intermediate_steps: args.max_steps,
        include_screens: !args.no_screens,
        ..ExtrapolationRequest::all(knowledge.knowledge_id.clone())
    };
    let mut asked = args.model.asked(args.timeout, PROMPT_VERSION)?;
    let model = asked.as_mut().map(|(name, asked)| (asked.as_mut() as &mut dyn Ask, name.as_str()));
    let result = fill_gaps(&knowledge, &request, model);
    let mut shown = serde_json::to_value(&result)?;
    if args.keep {
        let stored = store(&mut knowledge, &result);
        let mut file = Store::open(&args.place.store)?;
        file.save(&knowledge)?;
        if let Value::Object(map) = &mut shown {
            map.insert("stored".to_owned(), serde_json::to_value(&stored)?);
        }
    }
    output::pretty(&shown)
}
