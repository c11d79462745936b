//! Tables beside the measurements: what the other numbers of a report are made of.
//!
//! In: what the traces, their questions and their knowledge came to. Out: one data frame a table.
//! Invariant: as for the measurements, the same rows give the same bytes. They are not columns of
//! `measurements`, because no row of theirs is of a strategy and a step; but every number that
//! `summary.md` and `index.html` show is made of these rows and those alone (a test of the command
//! makes them all again).
//!
//! `traces`, one row a trace: `trace`, `goal`, `browser`, `hash` (string), `steps` (u32, those that
//! the report knows), `complete` (bool: the recording reached its end; else no task succeeds).
//!
//! `strategies`, one row a strategy: `strategy`, `version`, `why`, `channel`, `format`, `options`
//! (JSON), `tier` (of the options), `sweep` (its family), `sweep_values` (such as `budget=500`; all
//! string) and `sweep_value` (f64, where one parameter is swept).
//!
//! `attacks`, one row per trace × attack × step whose page holds it: `trace`, `attack`, `kind`,
//! `kind_name` (string; the kind's short name and its whole), `step` (u32). Which of them succeeded
//! stands in the column `attacks_succeeded` of `measurements`.
//!
//! `answers`, one row per trace × kind of answer about console and requests: `trace`, `answers`
//! (string), `console`, `network` (u64, tokens over all steps), `told`, `facts` (u32).
//!
//! `questions`, one row per trace × question × way of reading: `trace`, `question`, `words` (`page`
//! or `other`), `way` (string), `step` (u32), `answerable`, `held_out`, `found` (bool),
//! `page_o200k` (u64, tokens of the page's text), and for k from 1 to 5 sections `told_k` (bool)
//! and `tokens_k` (u64).
//!
//! `knowledge`, one row per trace: `trace` (string), `recordings`; `steps_` and `whole_` (every
//! second step, whole recordings held back): `pages`, `asked`, `right`, `wrong`; `actions`,
//! `actions_seed`, `actions_browser_use`; `holes`, `removed`, `known`, `recovered`, `made_up` (all
//! u32).
//!
//! `screens`, one row a screen of the site maps: `website`, `screen`, `name`, `parent` (string),
//! `pages` (u32, pages it was made of), `inferred` (bool). `ways`, one row a way: `website`, `way`,
//! `from`, `to` (string), `count` (u32, times it was observed), `confidence` (f64), `inferred`
//! (bool).
//!
//! `recorded`, one row per trace × recorded output of another tool: `trace`, `output` (string; the
//! tool alone where its pass gave none), `kept`, `dropped` (u32, steps with a text that counts, and
//! without because the tool's page was another), `dropped_steps` (string, joined by a space),
//! `failure` (string).
//!
//! `llm`, one row an asked step of a model: `model`, `tier`, `prompt`, `trace`, `strategy`
//! (string), `step` (u32), `outcome` (`answered`, `no_answer`, `refused`, `failed`,
//! `not_observed`), `element_right`, `by_words` (bool), `operation_shared`, `operation_predicted`,
//! `operation_expected` (u32). Only where a model read the run.
//!
//! `runs`, one row a record of what an agent did: `run` (name of its file), `task`, `tool`, `model`,
//! `script` (string), `level` (u32), `reward` (f64), `cut` (string), `calls`, `turns` (u32),
//! `answered`, `image_tokens`, `read`, `new`, `own`, `tool_ms`, `ms` (u64), `own_assumed`, `bare`,
//! `failed` (bool), `not_found`, `not_actionable`, `timeout`, `bad_call`, `other`, `repeated`, `no_effect`,
//! `images_without_size` (u32), `trace` (string). `calls`, one row a call of a run: `run` (string),
//! `call`, `turn` (u32), `name` (string), `answered`, `image_tokens`, `own`, `read` (u64),
//! `turns_behind` (u32), `ms` (u64), `waste` (string), `step` (u32). Only where there are records.

use super::Columns;
use crate::agents::measured_bundle;
use crate::{AgentRun, MeasuredRun, ReportInput, ScenarioInfo, StrategyInfo};
use browserlens_agents::{Call, CallCost, CallCosts, ErrorKind, Waste};
use browserlens_knowledge::{Knowledge, ScreenDefinition, TransitionDefinition};
use browserlens_replay::llm::{LlmReader, LlmResults, LlmRow, ResolvedBy, RowOutcome};
use browserlens_replay::{
    ASKED_DEPTH, AnswerInfo, AskedInfo, AttackInfo, KnownInfo, ReadInfo, RecordedPeer, SweepPoint, Wording,
};
use browserlens_tokens::Encoding;
use polars::prelude::{DataFrame, PolarsError};

/// A record and what was counted of it.
type Ran<'a> = (&'a AgentRun, MeasuredRun);

fn runs(input: &ReportInput<'_>) -> Result<DataFrame, PolarsError> {
    let rows: Vec<Ran<'_>> = input.agents.iter().zip(measured_bundle(input)).collect();
    let mut table = Columns::of(&rows);
    table.text("run", |(run, _)| Some(&run.name));
    table.text("task", |(run, _)| Some(&run.record.header.task));
    table.text("tool", |(run, _)| Some(&run.record.header.tool));
    table.text("model", |(run, _)| run.record.header.agent.model.as_deref());
    table.text("script", |(run, _)| run.record.header.agent.script.as_deref());
    table.small("level", |(run, _)| run.record.header.level.map(u32::from));
    table.real("reward", |(_, run)| run.reward);
    table.text("cut", |(run, _)| run.record.cut.as_deref());
    table.small("calls", |(_, run)| Some(run.costs.calls));
    table.small("turns", |(_, run)| Some(run.costs.turns));
    table.large("answered", |(_, run)| Some(run.costs.answered));
    table.large("image_tokens", |(_, run)| Some(run.costs.image_tokens));
    table.large("read", |(_, run)| Some(run.costs.read));
    table.large("new", |(_, run)| Some(run.costs.new));
    table.large("own", |(_, run)| Some(run.costs.own));
    table.truth("own_assumed", |(_, run)| Some(run.costs.is_own_assumed));
    table.truth("bare", |(_, run)| Some(run.is_bare));
    table.truth("failed", |(_, run)| Some(run.has_failed));
    table.large("tool_ms", |(_, run)| run.costs.tool_ms);
    table.large("ms", |(_, run)| run.costs.ms);
    for kind in ErrorKind::ALL {
        let name = kind.name().replace(' ', "_");
        table.small(&name, |(_, run)| Some(run.costs.errors.get(&kind).copied().unwrap_or(0)));
    }
    table.small("repeated", |(_, run)| Some(run.costs.repeated));
    table.small("no_effect", |(_, run)| Some(run.costs.no_effect));
    table.small("images_without_size", |(_, run)| Some(run.images_without_size));
    table.text("trace", |(run, _)| run.record.header.trace.as_deref());
    table.finish()
}

fn calls(input: &ReportInput<'_>) -> Result<DataFrame, PolarsError> {
    let of = |run: &'_ AgentRun| -> Vec<(String, Call, CallCost)> {
        let costs = CallCosts::of(&run.record, Encoding::O200kBase, input.formula).calls;
        let calls = run.record.calls.iter().zip(costs);
        calls.map(|(call, cost)| (run.name.clone(), call.clone(), cost)).collect()
    };
    let rows: Vec<(String, Call, CallCost)> = input.agents.iter().flat_map(of).collect();
    let mut table = Columns::of(&rows);
    table.text("run", |(run, _, _)| Some(run));
    table.small("call", |(_, call, _)| Some(call.call));
    table.small("turn", |(_, call, _)| Some(call.turn));
    table.text("name", |(_, call, _)| Some(&call.name));
    table.large("answered", |(_, _, cost)| Some(cost.answered));
    table.large("image_tokens", |(_, _, cost)| Some(cost.image_tokens));
    table.large("own", |(_, _, cost)| Some(cost.own));
    table.large("read", |(_, _, cost)| Some(cost.read));
    table.small("turns_behind", |(_, _, cost)| Some(cost.turns_behind));
    table.large("ms", |(_, call, _)| call.ms);
    table.owned_text("waste", |(_, _, cost)| cost.waste.map(Waste::words));
    table.small("step", |(_, call, _)| call.step);
    table.finish()
}

/// Names of files, and their tables.
pub(crate) type Named = Vec<(&'static str, DataFrame)>;

/// Makes every table that has rows, and that of the traces.
pub(crate) fn beside(input: &ReportInput<'_>, llm: Option<&LlmResults>) -> Result<Named, PolarsError> {
    let mut made = vec![("traces.parquet", traces(input.scenarios)?)];
    made.push(("strategies.parquet", strategies(input.strategies)?));
    made.push(("attacks.parquet", attacks(input.scenarios)?));
    made.push(("answers.parquet", answers(input.scenarios)?));
    made.push(("questions.parquet", questions(input.scenarios)?));
    made.push(("knowledge.parquet", knowledge(input.scenarios)?));
    made.push(("recorded.parquet", recorded(input.scenarios)?));
    if let Some(knowledge) = input.knowledge {
        made.push(("screens.parquet", screens(knowledge)?));
        made.push(("ways.parquet", ways(knowledge)?));
    }
    if let Some(llm) = llm {
        made.push(("llm.parquet", asked_models(llm)?));
    }
    made.push(("runs.parquet", runs(input)?));
    made.push(("calls.parquet", calls(input)?));
    made.retain(|(name, frame)| *name == "traces.parquet" || frame.height() > 0);
    Ok(made)
}

fn traces(scenarios: &[ScenarioInfo]) -> Result<DataFrame, PolarsError> {
    let mut table = Columns::of(scenarios);
    table.text("trace", |info| Some(&info.trace));
    table.text("goal", |info| Some(&info.goal));
    table.text("browser", |info| Some(&info.browser));
    table.text("hash", |info| Some(&info.hash));
    table.small("steps", |info| u32::try_from(info.steps.len()).ok());
    table.truth("complete", |info| Some(info.complete));
    table.finish()
}

fn strategies(strategies: &[StrategyInfo]) -> Result<DataFrame, PolarsError> {
    let mut table = Columns::of(strategies);
    table.text("strategy", |info| Some(&info.name));
    table.text("version", |info| Some(&info.version));
    table.text("why", |info| Some(&info.why));
    table.text("channel", |info| Some(info.channel.as_str()).filter(|channel| !channel.is_empty()));
    table.text("format", |info| Some(info.format.as_str()).filter(|format| !format.is_empty()));
    table.text("options", |info| Some(info.options.as_str()).filter(|options| !options.is_empty()));
    table.owned_text("tier", StrategyInfo::tier);
    table.text("sweep", |info| info.sweep.as_ref().map(|point| point.family.as_str()));
    table.owned_text("sweep_values", |info| info.sweep.as_ref().map(SweepPoint::values));
    table.real("sweep_value", |info| {
        let parameters = &info.sweep.as_ref()?.parameters;
        parameters.values().next().filter(|_| parameters.len() == 1)?.as_f64()
    });
    table.finish()
}

fn attacks(scenarios: &[ScenarioInfo]) -> Result<DataFrame, PolarsError> {
    let of = |info: &'_ ScenarioInfo| -> Vec<(String, AttackInfo, u32)> {
        let steps = info.attacks.iter().flat_map(|attack| attack.steps.iter().map(move |step| (attack, *step)));
        steps.map(|(attack, step)| (info.trace.clone(), attack.clone(), step)).collect()
    };
    let rows: Vec<(String, AttackInfo, u32)> = scenarios.iter().flat_map(of).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", |(trace, _, _)| Some(trace));
    table.text("attack", |(_, attack, _)| Some(&attack.id));
    table.text("kind", |(_, attack, _)| Some(attack.kind.short_name()));
    table.text("kind_name", |(_, attack, _)| Some(attack.kind.name()));
    table.small("step", |(_, _, step)| Some(*step));
    table.finish()
}

fn answers(scenarios: &[ScenarioInfo]) -> Result<DataFrame, PolarsError> {
    let of = |info: &'_ ScenarioInfo| -> Vec<(String, AnswerInfo)> {
        info.answers.iter().map(|answers| (info.trace.clone(), answers.clone())).collect()
    };
    let rows: Vec<(String, AnswerInfo)> = scenarios.iter().flat_map(of).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", |(trace, _)| Some(trace));
    table.text("answers", |(_, info)| Some(&info.answers));
    table.large("console", |(_, info)| Some(info.console));
    table.large("network", |(_, info)| Some(info.network));
    table.small("told", |(_, info)| Some(info.told));
    table.small("facts", |(_, info)| Some(info.facts));
    table.finish()
}

/// A question and what one way of reading gave for it.
type Asked<'a> = (&'a str, &'a AskedInfo, &'a ReadInfo);

fn questions(scenarios: &[ScenarioInfo]) -> Result<DataFrame, PolarsError> {
    let mut rows: Vec<Asked<'_>> = Vec::new();
    for info in scenarios {
        for asked in &info.asked {
            rows.extend(asked.ways.iter().map(|read| (info.trace.as_str(), asked, read)));
        }
    }
    let mut table = Columns::of(&rows);
    table.text("trace", |(trace, _, _)| Some(trace));
    table.text("question", |(_, asked, _)| Some(&asked.id));
    table.small("step", |(_, asked, _)| Some(asked.step));
    table.text("words", |(_, asked, _)| {
        Some(match asked.words {
            Wording::Page => "page",
            Wording::Other => "other",
        })
    });
    table.truth("answerable", |(_, asked, _)| Some(asked.answerable));
    table.truth("held_out", |(_, asked, _)| Some(asked.held_out));
    table.large("page_o200k", |(_, asked, _)| Some(asked.page));
    table.text("way", |(_, _, read)| Some(&read.way));
    table.truth("found", |(_, _, read)| Some(read.found));
    for depth in 0..ASKED_DEPTH {
        table.truth(&format!("told_{}", depth + 1), |(_, _, read)| read.told.get(depth).copied());
        table.large(&format!("tokens_{}", depth + 1), |(_, _, read)| read.tokens.get(depth).copied());
    }
    table.finish()
}

/// One of the counts of what is known of a trace.
type CountOf = fn(&KnownInfo) -> u32;

fn knowledge(scenarios: &[ScenarioInfo]) -> Result<DataFrame, PolarsError> {
    let rows: Vec<(&str, KnownInfo)> =
        scenarios.iter().filter_map(|info| Some((info.trace.as_str(), info.known?))).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", |(trace, _)| Some(trace));
    let counts: [(&str, CountOf); 17] = [
        ("recordings", |known| known.recordings),
        ("steps_pages", |known| known.steps.pages),
        ("steps_asked", |known| known.steps.asked),
        ("steps_right", |known| known.steps.right),
        ("steps_wrong", |known| known.steps.wrong),
        ("whole_pages", |known| known.whole.pages),
        ("whole_asked", |known| known.whole.asked),
        ("whole_right", |known| known.whole.right),
        ("whole_wrong", |known| known.whole.wrong),
        ("actions", |known| known.translated.actions),
        ("actions_seed", |known| known.translated.seed),
        ("actions_browser_use", |known| known.translated.browser_use),
        ("holes", |known| known.gaps.holes),
        ("removed", |known| known.gaps.removed),
        ("known", |known| known.gaps.known),
        ("recovered", |known| known.gaps.recovered),
        ("made_up", |known| known.gaps.made_up),
    ];
    for (name, count) in counts {
        table.small(name, |(_, known)| Some(count(known)));
    }
    table.finish()
}

fn recorded(scenarios: &[ScenarioInfo]) -> Result<DataFrame, PolarsError> {
    let rows: Vec<(&str, &RecordedPeer)> =
        scenarios.iter().flat_map(|info| info.peers.iter().map(move |peer| (info.trace.as_str(), peer))).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", |(trace, _)| Some(trace));
    table.text("output", |(_, peer)| Some(&peer.output));
    table.small("kept", |(_, peer)| Some(peer.kept));
    table.small("dropped", |(_, peer)| u32::try_from(peer.dropped.len()).ok());
    table.owned_text("dropped_steps", |(_, peer)| {
        let steps: Vec<String> = peer.dropped.iter().map(|(step, _)| step.to_string()).collect();
        (!steps.is_empty()).then(|| steps.join(" "))
    });
    table.text("failure", |(_, peer)| peer.failure.as_deref());
    table.finish()
}

fn screens(knowledge: &Knowledge) -> Result<DataFrame, PolarsError> {
    let rows: Vec<&ScreenDefinition> = knowledge.navigable_screens().collect();
    let mut table = Columns::of(&rows);
    table.text("website", |screen| Some(screen.website_id.as_str()));
    table.text("screen", |screen| Some(screen.screen_id.as_str()));
    table.text("name", |screen| Some(&screen.name));
    table.text("parent", |screen| screen.parent_screen_id.as_ref().map(|parent| parent.as_str()));
    table.small("pages", |screen| u32::try_from(screen.provenance.len()).ok());
    table.truth("inferred", |screen| Some(screen.metadata.inferred));
    table.finish()
}

fn ways(knowledge: &Knowledge) -> Result<DataFrame, PolarsError> {
    let rows: Vec<&TransitionDefinition> = knowledge.transitions.values().collect();
    let mut table = Columns::of(&rows);
    table.text("website", |way| Some(way.website_id.as_str()));
    table.text("way", |way| Some(way.transition_id.as_str()));
    table.text("from", |way| Some(way.from_screen_id.as_str()));
    table.text("to", |way| Some(way.to_screen_id.as_str()));
    table.small("count", |way| Some(way.count));
    table.real("confidence", |way| Some(way.metadata.confidence));
    table.truth("inferred", |way| Some(way.metadata.inferred));
    table.finish()
}

fn asked_models(llm: &LlmResults) -> Result<DataFrame, PolarsError> {
    let rows: Vec<(&LlmReader, &LlmRow)> =
        llm.readers.iter().flat_map(|reader| reader.rows.iter().map(move |row| (reader, row))).collect();
    let mut table = Columns::of(&rows);
    table.text("model", |(reader, _)| Some(&reader.model));
    table.text("tier", |(reader, _)| reader.tier.as_deref());
    table.text("prompt", |(reader, _)| Some(&reader.prompt));
    table.text("trace", |(_, row)| Some(&row.trace));
    table.text("strategy", |(_, row)| Some(&row.strategy));
    table.small("step", |(_, row)| Some(row.step));
    table.text("outcome", |(_, row)| {
        Some(match row.outcome {
            RowOutcome::Answered(_) => "answered",
            RowOutcome::NoAnswer(_) => "no_answer",
            RowOutcome::Refused { .. } => "refused",
            RowOutcome::Failed { .. } => "failed",
            RowOutcome::NotObserved { .. } => "not_observed",
        })
    });
    table.truth("element_right", |(_, row)| Some(row.element.right));
    table.truth("by_words", |(_, row)| Some(row.element.by == ResolvedBy::Words));
    table.small("operation_shared", |(_, row)| Some(row.operation.shared));
    table.small("operation_predicted", |(_, row)| Some(row.operation.predicted));
    table.small("operation_expected", |(_, row)| Some(row.operation.expected));
    table.finish()
}

/// Makes every table, those without rows included.
#[cfg(test)]
pub(super) fn every(input: &ReportInput<'_>) -> Named {
    vec![
        ("strategies", strategies(input.strategies).unwrap()),
        ("traces", traces(input.scenarios).unwrap()),
        ("recorded", recorded(input.scenarios).unwrap()),
        ("attacks", attacks(input.scenarios).unwrap()),
        ("answers", answers(input.scenarios).unwrap()),
        ("questions", questions(input.scenarios).unwrap()),
        ("knowledge", knowledge(input.scenarios).unwrap()),
        ("screens", screens(&Knowledge::default()).unwrap()),
        ("ways", ways(&Knowledge::default()).unwrap()),
        ("llm", asked_models(&LlmResults::default()).unwrap()),
        ("runs", runs(input).unwrap()),
        ("calls", calls(input).unwrap()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::AttackKind;

    #[test]
    fn a_table_without_rows_is_not_there_but_for_that_of_the_traces() {
        let mut run = made_up::run();
        let names = |run: &made_up::Run| -> Vec<&str> {
            beside(&run.input(), None).unwrap().into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&run), ["traces.parquet"]);
        run.scenarios[0].answers = vec![AnswerInfo { answers: "default".into(), ..AnswerInfo::default() }];
        run.scenarios[1].known = Some(KnownInfo::default());
        assert_eq!(names(&run), ["traces.parquet", "answers.parquet", "knowledge.parquet"]);
    }

    #[test]
    fn an_attack_has_a_row_for_every_step_that_holds_it() {
        let mut run = made_up::run();
        run.scenarios[0].attacks =
            vec![AttackInfo { id: "yaml".into(), kind: AttackKind::ForgedNode, steps: vec![1, 3] }];
        let frame = attacks(&run.scenarios).unwrap();
        assert_eq!(frame.height(), 2);
        assert_eq!(frame.column("step").unwrap().get(1).unwrap().to_string(), "3");
    }
}
