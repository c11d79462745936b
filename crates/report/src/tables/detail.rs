//! Tables beside the measurements: what the other numbers of a report are made of.
//!
//! In: what the traces, their questions and their knowledge came to. Out: one data frame a table.
//! Invariant: as for the measurements, the same rows give the same bytes. They are not columns of
//! `measurements`, because no row of theirs is of a strategy and a step; but every number that
//! `summary.md` and `index.html` show is made of these rows and those alone (a test of the command
//! makes them all again).

use super::Format;
use crate::agents::measured_bundle;
use crate::input::of_each;
use crate::tiers::tier_of;
use crate::{AgentRun, MeasuredRun, ReportInput};
use browserlens_core::tokens::Encoding;
use browserlens_knowledge::{Knowledge, ScreenDefinition, TransitionDefinition};
use browserlens_replay::llm::{LlmReader, LlmResults, LlmRow, ResolvedBy, RowOutcome};
use browserlens_replay::table::{Columns, Table, joined};
use browserlens_replay::{
    ASKED_DEPTH, AskedInfo, AttackInfo, KnownInfo, ReadInfo, SeenCount, StrategyInfo, SweepPoint, TraceInfo, Wording,
};
use browserlens_trace::agents::{Call, CallCost, CallCosts, ErrorKind, Waste};

/// A record and what was counted of it.
type Ran<'a> = (&'a AgentRun, MeasuredRun);

fn runs(input: &ReportInput<'_>) -> Table {
    let rows: Vec<Ran<'_>> = input.agents.iter().zip(measured_bundle(input)).collect();
    let mut table = Columns::of(&rows);
    table.text("run", "", "name of the record's file", |(run, _)| Some(&run.name));
    table.text("task", "", "the task", |(run, _)| Some(&run.record.header.task));
    table.text("tool", "", "the tool that the agent reached pages through", |(run, _)| Some(&run.record.header.tool));
    let model = "the model; null of a script, and where it is not known";
    table.text("model", "", model, |(run, _)| run.record.header.agent.model.as_ref());
    let script = "the script in a model's place; null without";
    table.text("script", "", script, |(run, _)| run.record.header.agent.script.as_ref());
    let level = "how hard the task is; null where it is not said";
    table.small("level", "1 to 4", level, |(run, _)| run.record.header.level.map(u32::from));
    let reward = "what page, site or judge gave; 1 is all; null where nobody judged";
    table.real("reward", "", reward, |(_, run)| run.reward);
    table.text("cut", "", "where a record ends early; null of a whole one", |(run, _)| run.record.cut.as_ref());
    table.small("calls", "calls", "calls of the tool", |(_, run)| run.costs.calls);
    table.small("turns", "turns", "turns of the model that made calls", |(_, run)| run.costs.turns);
    table.large("answered", "tokens", "the tool's answers, images included", |(_, run)| run.costs.answered);
    table.large("image_tokens", "tokens", "of that, images", |(_, run)| run.costs.image_tokens);
    table.large("read", "tokens", "the context summed over the turns", |(_, run)| run.costs.read);
    table.large("new", "tokens", "of that, read for the first time", |(_, run)| run.costs.new);
    table.large("own", "tokens", "the model's own words and calls", |(_, run)| run.costs.own);
    let assumed = "the words were not kept, and a number a call stands for them";
    table.truth("own_assumed", assumed, |(_, run)| run.costs.is_own_assumed);
    let bare = "instructions and list of functions are not in the record, and in no column";
    table.truth("bare", bare, |(_, run)| run.is_bare);
    table.truth("failed", "the run ended because the tool or the endpoint failed", |(_, run)| run.has_failed);
    table.large("tool_ms", "ms", "what the tool took; null where a call does not say", |(_, run)| run.costs.tool_ms);
    table.large("ms", "ms", "what the whole run took; null where it is not known", |(_, run)| run.costs.ms);
    for kind in ErrorKind::ALL {
        let meaning = match kind {
            ErrorKind::NotFound => "refused: the element is not there",
            ErrorKind::NotActionable => "refused: covered, hidden or disabled",
            ErrorKind::Timeout => "refused: it took too long",
            ErrorKind::BadCall => "refused: the call itself is wrong",
            ErrorKind::Other => "refused for another reason",
        };
        let count = |run: &MeasuredRun| run.costs.errors.get(&kind).copied().unwrap_or(0);
        table.small(&kind.name().replace(' ', "_"), "calls", meaning, |(_, run)| count(run));
    }
    let repeated = "looks whose answer was that of the look before";
    table.small("repeated", "calls", repeated, |(_, run)| run.costs.repeated);
    table.small("no_effect", "calls", "actions that changed nothing", |(_, run)| run.costs.no_effect);
    let without_size = "images whose size is not known: they count as nothing";
    table.small("images_without_size", "images", without_size, |(_, run)| run.images_without_size);
    let trace = "file name of the trace of the run's pages; null without";
    table.text("trace", "", trace, |(run, _)| run.record.header.trace.as_ref());
    table.finish()
}

fn calls(input: &ReportInput<'_>) -> Table {
    let mut rows: Vec<(&str, &Call, CallCost)> = Vec::new();
    for run in input.agents {
        let costs = CallCosts::of(&run.record, Encoding::O200kBase, input.formula).calls;
        rows.extend(run.record.calls.iter().zip(costs).map(|(call, cost)| (run.name.as_str(), call, cost)));
    }
    let mut table = Columns::of(&rows);
    table.text("run", "", "as in `runs`", |(run, _, _)| Some(run));
    table.small("call", "", "number of the call, from 1", |(_, call, _)| call.call);
    table.small("turn", "", "the model's turn in which it was made, from 1", |(_, call, _)| call.turn);
    table.text("name", "", "the tool's function", |(_, call, _)| Some(&call.name));
    table.large("answered", "tokens", "its answer, images included", |(_, _, cost)| cost.answered);
    table.large("image_tokens", "tokens", "of that, images", |(_, _, cost)| cost.image_tokens);
    table.large("own", "tokens", "the model's words before it, name and arguments", |(_, _, cost)| cost.own);
    let read = "the context of the turn, on its first call; 0 on the others";
    table.large("read", "tokens", read, |(_, _, cost)| cost.read);
    let behind = "turns that read the call and its answer again";
    table.small("turns_behind", "turns", behind, |(_, _, cost)| cost.turns_behind);
    table.large("ms", "ms", "what the tool took; null where it is not said", |(_, call, _)| call.ms);
    let waste = "why the call brought nothing; null if it brought something";
    table.text("waste", "", waste, |(_, _, cost)| cost.waste.map(Waste::words));
    let step = "the step of the run's trace that the answer tells of; null of none";
    table.small("step", "index", step, |(_, call, _)| call.step);
    table.finish()
}

/// A table, and what is said of it.
pub(crate) struct Described {
    pub name: &'static str,
    pub formats: &'static [Format],
    /// When there is a file; empty if always.
    pub when: &'static str,
    /// What a row is, for `reports/SCHEMA.md`.
    #[cfg_attr(not(test), expect(dead_code, reason = "the document is written by a test"))]
    pub row: &'static str,
    pub table: Table,
}

/// Returns every table of a report, those without rows included.
pub(crate) fn every(input: &ReportInput<'_>, llm: Option<&LlmResults>) -> Vec<Described> {
    const BOTH: &[Format] = &[Format::Parquet, Format::Csv];
    const PARQUET: &[Format] = &[Format::Parquet];
    let step = "one trace × strategy × step";
    let (unknown, unasked) = (Knowledge::default(), LlmResults::default());
    let known = input.knowledge.unwrap_or(&unknown);
    let of = |name, formats, when, row, table| Described { name, formats, when, row, table };
    let beside = |name, when, row, table| of(name, PARQUET, when, row, table);
    let (any, traced, records) = ("where there are any", "where the traces are there", "where there are records");
    vec![
        of("measurements", BOTH, "", step, browserlens_replay::table::measurements(input.measurements)),
        of("timings", BOTH, "", step, browserlens_replay::table::timings(input.timings)),
        of("tasks", &[Format::Csv], "", "one trace × strategy", super::tasks(input.tasks, input.cache_discount)),
        beside("strategies", "", "one strategy", strategies(input.strategies)),
        beside("traces", "", "one trace", traces(input.traces)),
        beside("recorded", any, "one trace × recorded output of another tool", recorded(input.traces)),
        beside("attacks", any, "one trace × attack × step whose page holds it", attacks(input.traces)),
        beside("answers", any, "one trace × kind of answer about console and requests", answers(input.traces)),
        beside("questions", any, "one trace × question × way of reading", questions(input.traces)),
        beside("knowledge", "where other recordings are there", "one trace", knowledge(input.traces)),
        beside("screens", traced, "one screen of the site maps", screens(known)),
        beside("ways", traced, "one way between screens", ways(known)),
        beside("llm", "where a model read the run", "one asked step of a model", asked_models(llm.unwrap_or(&unasked))),
        beside("runs", records, "one record of what an agent did", runs(input)),
        beside("calls", records, "one call of a run", calls(input)),
    ]
}

fn traces(traces: &[TraceInfo]) -> Table {
    let mut table = Columns::of(traces);
    table.text("trace", "", "id; key", |info| Some(&info.id));
    table.text("goal", "", "the goal of the scenario", |info| Some(&info.goal));
    table.text("browser", "", "the browser that was recorded", |info| Some(&info.browser));
    table.text("hash", "BLAKE3", "the trace file", |info| Some(&info.hash));
    table.small("steps", "steps", "its steps, the first navigation included", |info| info.steps);
    table.truth("complete", "the recording reached its end; else no task succeeds", |info| info.complete);
    table.finish()
}

fn strategies(strategies: &[StrategyInfo]) -> Table {
    let mut table = Columns::of(strategies);
    table.text("strategy", "", "name; key", |info| Some(&info.name));
    table.text("version", "", "version of what it writes", |info| Some(&info.version));
    table.text("why", "", "why it is in the bench", |info| Some(&info.why));
    let channel = "how an agent acts on what it shows: `ref`, `selector`, `role+name`, `point`, `none`";
    table.text("channel", "", channel, |info| Some(info.channel.name()));
    table.text("format", "", "how its texts are parsed", |info| Some(info.format.as_str()));
    let options = "its options; of a command what its cache key holds";
    table.text("options", "JSON", options, |info| Some(info.options.to_string()));
    table.text("tier", "", "the class of models that its option `tier` names; null without", tier_of);
    let family = "the family that it is a member of; null where nothing was swept";
    table.text("sweep", "", family, |info| info.sweep.as_ref().map(|point| &point.family));
    let values = "the swept numbers, such as `budget=500`; several are joined by `:`";
    table.text("sweep_values", "", values, |info| info.sweep.as_ref().map(SweepPoint::values));
    table.real("sweep_value", "the parameter's", "the swept number, where there is one", |info| {
        let parameters = &info.sweep.as_ref()?.parameters;
        parameters.values().next().filter(|_| parameters.len() == 1)?.as_f64()
    });
    table.finish()
}

fn attacks(traces: &[TraceInfo]) -> Table {
    let mut rows: Vec<(&str, &AttackInfo, u32)> = Vec::new();
    for (trace, attack) in of_each(traces, |info| &info.attacks) {
        rows.extend(attack.steps.iter().map(|step| (trace, attack, *step)));
    }
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _, _)| Some(trace));
    table.text("attack", "", "name of the attack in its scenario", |(_, attack, _)| Some(&attack.id));
    table.text("kind", "", "its kind in short", |(_, attack, _)| Some(attack.kind.short_name()));
    table.text("kind_name", "", "its kind", |(_, attack, _)| Some(attack.kind.name()));
    table.small("step", "index", "a step whose page holds it", |(_, _, step)| *step);
    table.finish()
}

fn answers(traces: &[TraceInfo]) -> Table {
    let rows = of_each(traces, |info| &info.answers);
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _)| Some(trace));
    table.text("answers", "", "kind of answer about console and requests", |(_, info)| Some(&info.answers));
    let console = "its console answers, over all steps, by the encoding of the run";
    table.large("console", "tokens", console, |(_, info)| info.console);
    table.large("network", "tokens", "its network answers, likewise", |(_, info)| info.network);
    table.small("told", "facts", "facts that they tell", |(_, info)| info.told);
    table.small("facts", "facts", "facts that there are", |(_, info)| info.facts);
    table.finish()
}

fn questions(traces: &[TraceInfo]) -> Table {
    let mut rows: Vec<(&str, &AskedInfo, &ReadInfo)> = Vec::new();
    for (trace, asked) in of_each(traces, |info| &info.asked) {
        rows.extend(asked.ways.iter().map(|read| (trace, asked, read)));
    }
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _, _)| Some(trace));
    table.text("question", "", "id of the question", |(_, asked, _)| Some(&asked.id));
    table.small("step", "index", "the step whose page is asked", |(_, asked, _)| asked.step);
    table.text("words", "", "whose words it uses: `page` or `other`", |(_, asked, _)| {
        Some(match asked.words {
            Wording::Page => "page",
            Wording::Other => "other",
        })
    });
    table.truth("answerable", "whether the page answers it", |(_, asked, _)| asked.answerable);
    let held_out = "whether it is counted apart, as one that nothing may be tuned by";
    table.truth("held_out", held_out, |(_, asked, _)| asked.held_out);
    let page = "the page's whole text, by the encoding of the run";
    table.large("page_o200k", "tokens", page, |(_, asked, _)| asked.page);
    table.text("way", "", "way of reading", |(_, _, read)| Some(&read.way));
    table.truth("found", "whether the way finds anything, right or wrong", |(_, _, read)| read.found);
    for depth in 0..ASKED_DEPTH {
        let sections = depth + 1;
        let told = format!("the answer is there with {sections} sections");
        table.truth(&format!("told_{sections}"), &told, |(_, _, read)| read.told[depth]);
        let got = format!("what an agent gets for {sections} sections, by the encoding of the run");
        table.large(&format!("tokens_{sections}"), "tokens", &got, |(_, _, read)| read.tokens[depth]);
    }
    table.finish()
}

/// One of the counts of screens that were held back.
type SeenOf = fn(&KnownInfo) -> SeenCount;

fn knowledge(traces: &[TraceInfo]) -> Table {
    let rows: Vec<(&str, KnownInfo)> = traces.iter().filter_map(|info| Some((info.id.as_str(), info.known?))).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _)| Some(trace));
    let mut table = table.within(|(_, known)| Some(known));
    table.small("recordings", "recordings", "recordings of the scenario, variants included", |known| known.recordings);
    let held: [(&str, &str, SeenOf); 2] = [
        ("steps", "every second step held back", |known| known.steps),
        ("whole", "whole recordings held back", |known| known.whole),
    ];
    for (prefix, of, counts) in held {
        let mut add = |end: &str, meaning: &str, cell: fn(SeenCount) -> u32| {
            let (name, meaning) = (format!("{prefix}_{end}"), format!("{of}: {meaning}"));
            table.small(&name, "pages", &meaning, |known| cell(counts(known)));
        };
        add("pages", "pages held back", |counts| counts.pages);
        add("asked", "of those, the ones whose screen is known from elsewhere", |counts| counts.asked);
        add("right", "of those, the ones for which that screen was recognised", |counts| counts.right);
        add("wrong", "of all, the ones that were taken for another screen", |counts| counts.wrong);
    }
    table.small("actions", "actions", "actions of the recording", |known| known.translated.actions);
    let seed = "of those, the ones that can be said in the tools that were proposed";
    table.small("actions_seed", "actions", seed, |known| known.translated.seed);
    let browser_use = "of those, the ones that can be said in the tools of browser-use";
    table.small("actions_browser_use", "actions", browser_use, |known| known.translated.browser_use);
    table.small("holes", "holes", "gaps that were made by taking actions out", |known| known.gaps.holes);
    table.small("removed", "actions", "actions taken out", |known| known.gaps.removed);
    table.small("known", "actions", "of those, the ones that other recordings know", |known| known.gaps.known);
    table.small("recovered", "actions", "of those, the ones that were filled in again", |known| known.gaps.recovered);
    table.small("made_up", "actions", "actions filled in that were never there", |known| known.gaps.made_up);
    table.finish()
}

fn recorded(traces: &[TraceInfo]) -> Table {
    let rows = of_each(traces, |info| &info.peers);
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _)| Some(trace));
    let output = "name of the recorded output; the tool alone where its pass gave none";
    table.text("output", "", output, |(_, peer)| Some(&peer.output));
    table.small("kept", "steps", "steps with a text that counts", |(_, peer)| peer.kept);
    let dropped = "steps whose text was dropped, because the tool's page was another";
    table.small("dropped", "steps", dropped, |(_, peer)| peer.dropped.len() as u32);
    table.text("dropped_steps", "index", "those steps, joined by a blank; null without any", |(_, peer)| {
        joined(peer.dropped.iter().map(|(step, _)| step), " ")
    });
    table.text("failure", "", "why the pass ended early; null where it did not", |(_, peer)| peer.failure.as_ref());
    table.finish()
}

fn screens(knowledge: &Knowledge) -> Table {
    let rows: Vec<&ScreenDefinition> = knowledge.navigable_screens().collect();
    let mut table = Columns::of(&rows);
    table.text("website", "", "id of the website", |screen| Some(screen.website_id.as_str()));
    table.text("screen", "", "id of the screen", |screen| Some(screen.screen_id.as_str()));
    table.text("name", "", "its name", |screen| Some(&screen.name));
    let parent = "the screen above it; null without";
    table.text("parent", "", parent, |screen| screen.parent_screen_id.as_ref().map(|parent| parent.as_str()));
    table.small("pages", "pages", "pages it was made of", |screen| screen.provenance.len() as u32);
    table.truth("inferred", "whether it was inferred, not seen", |screen| screen.metadata.inferred);
    table.finish()
}

fn ways(knowledge: &Knowledge) -> Table {
    let rows: Vec<&TransitionDefinition> = knowledge.transitions.values().collect();
    let mut table = Columns::of(&rows);
    table.text("website", "", "id of the website", |way| Some(way.website_id.as_str()));
    table.text("way", "", "id of the way", |way| Some(way.transition_id.as_str()));
    table.text("from", "", "screen that it begins at", |way| Some(way.from_screen_id.as_str()));
    table.text("to", "", "screen that it leads to", |way| Some(way.to_screen_id.as_str()));
    table.small("count", "times", "how often it was observed", |way| way.count);
    table.real("confidence", "0 to 1", "how sure it is", |way| way.metadata.confidence);
    table.truth("inferred", "whether it was inferred, not seen", |way| way.metadata.inferred);
    table.finish()
}

fn asked_models(llm: &LlmResults) -> Table {
    let rows: Vec<(&LlmReader, &LlmRow)> =
        llm.readers.iter().flat_map(|reader| reader.rows.iter().map(move |row| (reader, row))).collect();
    let mut table = Columns::of(&rows);
    table.text("model", "", "the model", |(reader, _)| Some(&reader.model));
    let tier = "the class of models that it stands for, as `lab llm --tier` said; null without";
    table.text("tier", "", tier, |(reader, _)| reader.tier.as_ref());
    table.text("prompt", "", "version of the prompt", |(reader, _)| Some(&reader.prompt));
    let mut table = table.within(|(_, row)| Some(*row));
    table.text("trace", "", "id of the trace", |row| Some(&row.trace));
    table.text("strategy", "", "name of the strategy", |row| Some(&row.strategy));
    table.small("step", "index", "the step", |row| row.step);
    table.text("outcome", "", "`answered`, `no_answer`, `refused`, `failed`, `not_observed`", |row| {
        Some(match row.outcome {
            RowOutcome::Answered(_) => "answered",
            RowOutcome::NoAnswer(_) => "no_answer",
            RowOutcome::Refused { .. } => "refused",
            RowOutcome::Failed { .. } => "failed",
            RowOutcome::NotObserved { .. } => "not_observed",
        })
    });
    table.truth("element_right", "the node that it named is acceptable", |row| row.element.right);
    let by_words = "that was judged by words, because the map of handles is not known";
    table.truth("by_words", by_words, |row| row.element.by == ResolvedBy::Words);
    let shared = "words of its operation that are expected (for F1)";
    table.small("operation_shared", "words", shared, |row| row.operation.shared);
    table.small("operation_predicted", "words", "words of its operation", |row| row.operation.predicted);
    table.small("operation_expected", "words", "words that are expected", |row| row.operation.expected);
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::AttackKind;
    use browserlens_replay::table::Cells;

    #[test]
    fn an_attack_has_a_row_for_every_step_that_holds_it() {
        let mut run = made_up::run();
        run.traces[0].attacks = vec![AttackInfo { id: "yaml".into(), kind: AttackKind::ForgedNode, steps: vec![1, 3] }];
        let table = attacks(&run.traces);
        assert_eq!(table.rows, 2);
        assert_eq!(table.columns.last().map(|column| &column.cells), Some(&Cells::Small(vec![Some(1), Some(3)])));
    }
}
