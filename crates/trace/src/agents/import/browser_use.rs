//! Saved histories of browser-use (`AgentHistoryList.save_to_file`).
//!
//! They name neither task nor model, and count no tokens but, in old versions, those read. What the
//! agent says of its own success is no reward; a judge's verdict is.

use super::{Builder, Runs, Values, count_at, list_at, ms_of, text_at};
use crate::agents::record::{EndReason, Usage};
use browserlens_core::tokens::ImageSize;
use serde_json::Value;

pub(super) fn is_it(values: &Values) -> bool {
    let first = &values[0].1;
    let step = &first["history"][0];
    step.get("model_output").is_some() && step.get("result").is_some()
}

pub(super) fn read(values: &Values) -> Runs {
    values.iter().map(|(number, history)| run(history).map_err(|what| (*number, what))).collect()
}

fn run(history: &Value) -> Result<crate::agents::RunRecord, String> {
    let steps = history["history"].as_array().ok_or("no list called history")?;
    let mut run = Builder::default();
    run.run.header.tool = "browser-use".to_owned();
    let (mut reward, mut reason, mut last_words) = (None, EndReason::Unknown, None);
    for step in steps {
        run.begin_turn();
        let (output, metadata) = (&step["model_output"], &step["metadata"]);
        run.turn().usage = count_at(metadata, "input_tokens").map(|input| Usage { input, cached: 0, output: 0 });
        for key in ["thinking", "evaluation_previous_goal", "memory", "next_goal"] {
            let words = output[key].as_str().unwrap_or_else(|| text_at(&output["current_state"], key));
            run.say(words);
        }
        // Actions behind the last result were not carried out.
        for (action, result) in list_at(output, "action").iter().zip(list_at(step, "result")) {
            if let Some(verdict) = result["judgement"]["verdict"].as_bool() {
                reward = Some(f64::from(u8::from(verdict)));
            }
            let Some((name, arguments)) = action.as_object().and_then(|action| action.iter().next()) else { continue };
            if name == "done" {
                reason = EndReason::Stopped;
                last_words = Some(text_at(arguments, "text").to_owned());
                continue;
            }
            let call = run.call("", name, arguments.clone());
            let error = result["error"].as_str();
            call.is_error = error.is_some();
            call.answer = error.unwrap_or_else(|| text_at(result, "extracted_content")).to_owned();
            call.images = vec![ImageSize { width: 0, height: 0 }; list_at(result, "images").len()];
        }
    }
    let time = |step: Option<&Value>, key| step.and_then(|step| step["metadata"][key].as_f64());
    let whole = time(steps.last(), "step_end_time").zip(time(steps.first(), "step_start_time"));
    let mut run = run.end(reason);
    if let Some(end) = &mut run.end {
        end.reward = reward;
        end.ms = whole.and_then(|(to, from)| ms_of((to - from).max(0.0)));
        end.said = last_words.or(end.said.take());
    }
    Ok(run)
}
