//! Tables beside the measurements: what the other numbers of a report are made of.
//!
//! In: what the traces, their questions and their knowledge came to. Out: one data frame a table.
//! Invariant: as for the measurements, the same rows give the same bytes. They are not columns of
//! `measurements`, because no row of theirs is of a strategy and a step; but every number that
//! `summary.md` and `index.html` show is made of these rows and those alone (a test of the command
//! makes them all again).

use super::Format;
use crate::agents::measured_bundle;
use crate::{AgentRun, MeasuredRun, ReportInput, ScenarioInfo, StrategyInfo};
use browserlens_core::tokens::Encoding;
use browserlens_knowledge::{Knowledge, ScreenDefinition, TransitionDefinition};
use browserlens_replay::llm::{LlmReader, LlmResults, LlmRow, ResolvedBy, RowOutcome};
use browserlens_replay::table::{Columns, Table};
use browserlens_replay::{
    ASKED_DEPTH, AnswerInfo, AskedInfo, AttackInfo, KnownInfo, ReadInfo, RecordedPeer, SeenCount, SweepPoint, Wording,
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
    table.text("model", "", "the model; null of a script, and where it is not known", |(run, _)| {
        run.record.header.agent.model.as_deref()
    });
    table.text("script", "", "the script in a model's place; null without", |(run, _)| {
        run.record.header.agent.script.as_deref()
    });
    table.small("level", "1 to 4", "how hard the task is; null where it is not said", |(run, _)| {
        run.record.header.level.map(u32::from)
    });
    table
        .real("reward", "", "what page, site or judge gave; 1 is all; null where nobody judged", |(_, run)| run.reward);
    table.text("cut", "", "where a record ends early; null of a whole one", |(run, _)| run.record.cut.as_deref());
    table.small("calls", "calls", "calls of the tool", |(_, run)| Some(run.costs.calls));
    table.small("turns", "turns", "turns of the model that made calls", |(_, run)| Some(run.costs.turns));
    table.large("answered", "tokens", "the tool's answers, images included", |(_, run)| Some(run.costs.answered));
    table.large("image_tokens", "tokens", "of that, images", |(_, run)| Some(run.costs.image_tokens));
    table.large("read", "tokens", "the context summed over the turns", |(_, run)| Some(run.costs.read));
    table.large("new", "tokens", "of that, read for the first time", |(_, run)| Some(run.costs.new));
    table.large("own", "tokens", "the model's own words and calls", |(_, run)| Some(run.costs.own));
    table.truth("own_assumed", "the words were not kept, and a number a call stands for them", |(_, run)| {
        Some(run.costs.is_own_assumed)
    });
    table.truth("bare", "instructions and list of functions are not in the record, and in no column", |(_, run)| {
        Some(run.is_bare)
    });
    table.truth("failed", "the run ended because the tool or the endpoint failed", |(_, run)| Some(run.has_failed));
    table.large("tool_ms", "ms", "what the tool took; null where a call does not say", |(_, run)| run.costs.tool_ms);
    table.large("ms", "ms", "what the whole run took; null where it is not known", |(_, run)| run.costs.ms);
    for kind in ErrorKind::ALL {
        let name = kind.name().replace(' ', "_");
        let meaning = match kind {
            ErrorKind::NotFound => "refused: the element is not there",
            ErrorKind::NotActionable => "refused: covered, hidden or disabled",
            ErrorKind::Timeout => "refused: it took too long",
            ErrorKind::BadCall => "refused: the call itself is wrong",
            ErrorKind::Other => "refused for another reason",
        };
        table.small(&name, "calls", meaning, |(_, run)| Some(run.costs.errors.get(&kind).copied().unwrap_or(0)));
    }
    table.small("repeated", "calls", "looks whose answer was that of the look before", |(_, run)| {
        Some(run.costs.repeated)
    });
    table.small("no_effect", "calls", "actions that changed nothing", |(_, run)| Some(run.costs.no_effect));
    table.small(
        "images_without_size",
        "images",
        "images whose size is not known: they count as nothing",
        |(_, run)| Some(run.images_without_size),
    );
    table.text("trace", "", "file name of the trace of the run's pages; null without", |(run, _)| {
        run.record.header.trace.as_deref()
    });
    table.finish()
}

fn calls(input: &ReportInput<'_>) -> Table {
    let of = |run: &'_ AgentRun| -> Vec<(String, Call, CallCost)> {
        let costs = CallCosts::of(&run.record, Encoding::O200kBase, input.formula).calls;
        let calls = run.record.calls.iter().zip(costs);
        calls.map(|(call, cost)| (run.name.clone(), call.clone(), cost)).collect()
    };
    let rows: Vec<(String, Call, CallCost)> = input.agents.iter().flat_map(of).collect();
    let mut table = Columns::of(&rows);
    table.text("run", "", "as in `runs`", |(run, _, _)| Some(run));
    table.small("call", "", "number of the call, from 1", |(_, call, _)| Some(call.call));
    table.small("turn", "", "the model's turn in which it was made, from 1", |(_, call, _)| Some(call.turn));
    table.text("name", "", "the tool's function", |(_, call, _)| Some(&call.name));
    table.large("answered", "tokens", "its answer, images included", |(_, _, cost)| Some(cost.answered));
    table.large("image_tokens", "tokens", "of that, images", |(_, _, cost)| Some(cost.image_tokens));
    table.large("own", "tokens", "the model's words before it, name and arguments", |(_, _, cost)| Some(cost.own));
    table.large("read", "tokens", "the context of the turn, on its first call; 0 on the others", |(_, _, cost)| {
        Some(cost.read)
    });
    table.small("turns_behind", "turns", "turns that read the call and its answer again", |(_, _, cost)| {
        Some(cost.turns_behind)
    });
    table.large("ms", "ms", "what the tool took; null where it is not said", |(_, call, _)| call.ms);
    table.owned_text("waste", "", "why the call brought nothing; null if it brought something", |(_, _, cost)| {
        cost.waste.map(Waste::words)
    });
    table.small(
        "step",
        "index",
        "the step of the run's trace that the answer tells of; null of none",
        |(_, call, _)| call.step,
    );
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
    let scenarios = input.scenarios;
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
        beside("traces", "", "one trace", traces(scenarios)),
        beside("recorded", any, "one trace × recorded output of another tool", recorded(scenarios)),
        beside("attacks", any, "one trace × attack × step whose page holds it", attacks(scenarios)),
        beside("answers", any, "one trace × kind of answer about console and requests", answers(scenarios)),
        beside("questions", any, "one trace × question × way of reading", questions(scenarios)),
        beside("knowledge", "where other recordings are there", "one trace", knowledge(scenarios)),
        beside("screens", traced, "one screen of the site maps", screens(known)),
        beside("ways", traced, "one way between screens", ways(known)),
        beside("llm", "where a model read the run", "one asked step of a model", asked_models(llm.unwrap_or(&unasked))),
        beside("runs", records, "one record of what an agent did", runs(input)),
        beside("calls", records, "one call of a run", calls(input)),
    ]
}

fn traces(scenarios: &[ScenarioInfo]) -> Table {
    let mut table = Columns::of(scenarios);
    table.text("trace", "", "id; key", |info| Some(&info.trace));
    table.text("goal", "", "the goal of the scenario", |info| Some(&info.goal));
    table.text("browser", "", "the browser that was recorded", |info| Some(&info.browser));
    table.text("hash", "BLAKE3", "the trace file", |info| Some(&info.hash));
    table.small("steps", "steps", "its steps, the first navigation included", |info| {
        u32::try_from(info.steps.len()).ok()
    });
    table.truth("complete", "the recording reached its end; else no task succeeds", |info| Some(info.complete));
    table.finish()
}

fn strategies(strategies: &[StrategyInfo]) -> Table {
    let mut table = Columns::of(strategies);
    table.text("strategy", "", "name; key", |info| Some(&info.name));
    table.text("version", "", "version of what it writes", |info| Some(&info.version));
    table.text("why", "", "why it is in the bench", |info| Some(&info.why));
    table.text(
        "channel",
        "",
        "how an agent acts on what it shows: `ref`, `selector`, `role+name`, `point`, `none`",
        |info| Some(info.channel.as_str()).filter(|channel| !channel.is_empty()),
    );
    table.text("format", "", "how its texts are parsed", |info| {
        Some(info.format.as_str()).filter(|format| !format.is_empty())
    });
    table.text("options", "JSON", "its options; of a command what its cache key holds", |info| {
        Some(info.options.as_str()).filter(|options| !options.is_empty())
    });
    table.owned_text("tier", "", "the class of models that its option `tier` names; null without", StrategyInfo::tier);
    table.text("sweep", "", "the family that it is a member of; null where nothing was swept", |info| {
        info.sweep.as_ref().map(|point| point.family.as_str())
    });
    table.owned_text(
        "sweep_values",
        "",
        "the swept numbers, such as `budget=500`; several are joined by `:`",
        |info| info.sweep.as_ref().map(SweepPoint::values),
    );
    table.real("sweep_value", "the parameter's", "the swept number, where there is one", |info| {
        let parameters = &info.sweep.as_ref()?.parameters;
        parameters.values().next().filter(|_| parameters.len() == 1)?.as_f64()
    });
    table.finish()
}

fn attacks(scenarios: &[ScenarioInfo]) -> Table {
    let of = |info: &'_ ScenarioInfo| -> Vec<(String, AttackInfo, u32)> {
        let steps = info.attacks.iter().flat_map(|attack| attack.steps.iter().map(move |step| (attack, *step)));
        steps.map(|(attack, step)| (info.trace.clone(), attack.clone(), step)).collect()
    };
    let rows: Vec<(String, AttackInfo, u32)> = scenarios.iter().flat_map(of).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _, _)| Some(trace));
    table.text("attack", "", "name of the attack in its scenario", |(_, attack, _)| Some(&attack.id));
    table.text("kind", "", "its kind in short", |(_, attack, _)| Some(attack.kind.short_name()));
    table.text("kind_name", "", "its kind", |(_, attack, _)| Some(attack.kind.name()));
    table.small("step", "index", "a step whose page holds it", |(_, _, step)| Some(*step));
    table.finish()
}

fn answers(scenarios: &[ScenarioInfo]) -> Table {
    let of = |info: &'_ ScenarioInfo| -> Vec<(String, AnswerInfo)> {
        info.answers.iter().map(|answers| (info.trace.clone(), answers.clone())).collect()
    };
    let rows: Vec<(String, AnswerInfo)> = scenarios.iter().flat_map(of).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _)| Some(trace));
    table.text("answers", "", "kind of answer about console and requests", |(_, info)| Some(&info.answers));
    table.large("console", "tokens", "its console answers, over all steps, by the encoding of the run", |(_, info)| {
        Some(info.console)
    });
    table.large("network", "tokens", "its network answers, likewise", |(_, info)| Some(info.network));
    table.small("told", "facts", "facts that they tell", |(_, info)| Some(info.told));
    table.small("facts", "facts", "facts that there are", |(_, info)| Some(info.facts));
    table.finish()
}

/// A question and what one way of reading gave for it.
type Asked<'a> = (&'a str, &'a AskedInfo, &'a ReadInfo);

fn questions(scenarios: &[ScenarioInfo]) -> Table {
    let mut rows: Vec<Asked<'_>> = Vec::new();
    for info in scenarios {
        for asked in &info.asked {
            rows.extend(asked.ways.iter().map(|read| (info.trace.as_str(), asked, read)));
        }
    }
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _, _)| Some(trace));
    table.text("question", "", "id of the question", |(_, asked, _)| Some(&asked.id));
    table.small("step", "index", "the step whose page is asked", |(_, asked, _)| Some(asked.step));
    table.text("words", "", "whose words it uses: `page` or `other`", |(_, asked, _)| {
        Some(match asked.words {
            Wording::Page => "page",
            Wording::Other => "other",
        })
    });
    table.truth("answerable", "whether the page answers it", |(_, asked, _)| Some(asked.answerable));
    table.truth("held_out", "whether it is counted apart, as one that nothing may be tuned by", |(_, asked, _)| {
        Some(asked.held_out)
    });
    table.large("page_o200k", "tokens", "the page's whole text, by the encoding of the run", |(_, asked, _)| {
        Some(asked.page)
    });
    table.text("way", "", "way of reading", |(_, _, read)| Some(&read.way));
    table.truth("found", "whether the way finds anything, right or wrong", |(_, _, read)| Some(read.found));
    for depth in 0..ASKED_DEPTH {
        let sections = depth + 1;
        let told = format!("the answer is there with {sections} sections");
        table.truth(&format!("told_{sections}"), &told, |(_, _, read)| read.told.get(depth).copied());
        let got = format!("what an agent gets for {sections} sections, by the encoding of the run");
        table.large(&format!("tokens_{sections}"), "tokens", &got, |(_, _, read)| read.tokens.get(depth).copied());
    }
    table.finish()
}

/// One of the counts of screens that were held back.
type SeenOf = fn(&KnownInfo) -> SeenCount;

/// One of the counts of what is known of a trace.
type CountOf = fn(&KnownInfo) -> u32;

fn knowledge(scenarios: &[ScenarioInfo]) -> Table {
    let rows: Vec<(&str, KnownInfo)> =
        scenarios.iter().filter_map(|info| Some((info.trace.as_str(), info.known?))).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _)| Some(trace));
    table.small("recordings", "recordings", "recordings of the scenario, variants included", |(_, known)| {
        Some(known.recordings)
    });
    let held: [(&str, &str, SeenOf); 2] = [
        ("steps", "every second step held back", |known| known.steps),
        ("whole", "whole recordings held back", |known| known.whole),
    ];
    for (prefix, of, counts) in held {
        let mut add = |end: &str, meaning: &str, cell: fn(SeenCount) -> u32| {
            table.small(&format!("{prefix}_{end}"), "pages", &format!("{of}: {meaning}"), |(_, known)| {
                Some(cell(counts(known)))
            });
        };
        add("pages", "pages held back", |counts| counts.pages);
        add("asked", "of those, the ones whose screen is known from elsewhere", |counts| counts.asked);
        add("right", "of those, the ones for which that screen was recognised", |counts| counts.right);
        add("wrong", "of all, the ones that were taken for another screen", |counts| counts.wrong);
    }
    let counts: [(&str, &str, &str, CountOf); 8] = [
        ("actions", "actions", "actions of the recording", |known| known.translated.actions),
        ("actions_seed", "actions", "of those, the ones that can be said in the tools that were proposed", |known| {
            known.translated.seed
        }),
        (
            "actions_browser_use",
            "actions",
            "of those, the ones that can be said in the tools of browser-use",
            |known| known.translated.browser_use,
        ),
        ("holes", "holes", "gaps that were made by taking actions out", |known| known.gaps.holes),
        ("removed", "actions", "actions taken out", |known| known.gaps.removed),
        ("known", "actions", "of those, the ones that other recordings know", |known| known.gaps.known),
        ("recovered", "actions", "of those, the ones that were filled in again", |known| known.gaps.recovered),
        ("made_up", "actions", "actions filled in that were never there", |known| known.gaps.made_up),
    ];
    for (name, unit, meaning, cell) in counts {
        table.small(name, unit, meaning, |(_, known)| Some(cell(known)));
    }
    table.finish()
}

fn recorded(scenarios: &[ScenarioInfo]) -> Table {
    let rows: Vec<(&str, &RecordedPeer)> =
        scenarios.iter().flat_map(|info| info.peers.iter().map(move |peer| (info.trace.as_str(), peer))).collect();
    let mut table = Columns::of(&rows);
    table.text("trace", "", "id of the trace", |(trace, _)| Some(trace));
    table.text("output", "", "name of the recorded output; the tool alone where its pass gave none", |(_, peer)| {
        Some(&peer.output)
    });
    table.small("kept", "steps", "steps with a text that counts", |(_, peer)| Some(peer.kept));
    table.small(
        "dropped",
        "steps",
        "steps whose text was dropped, because the tool's page was another",
        |(_, peer)| u32::try_from(peer.dropped.len()).ok(),
    );
    table.owned_text("dropped_steps", "index", "those steps, joined by a blank; null without any", |(_, peer)| {
        let steps: Vec<String> = peer.dropped.iter().map(|(step, _)| step.to_string()).collect();
        (!steps.is_empty()).then(|| steps.join(" "))
    });
    table.text("failure", "", "why the pass ended early; null where it did not", |(_, peer)| peer.failure.as_deref());
    table.finish()
}

fn screens(knowledge: &Knowledge) -> Table {
    let rows: Vec<&ScreenDefinition> = knowledge.navigable_screens().collect();
    let mut table = Columns::of(&rows);
    table.text("website", "", "id of the website", |screen| Some(screen.website_id.as_str()));
    table.text("screen", "", "id of the screen", |screen| Some(screen.screen_id.as_str()));
    table.text("name", "", "its name", |screen| Some(&screen.name));
    table.text("parent", "", "the screen above it; null without", |screen| {
        screen.parent_screen_id.as_ref().map(|parent| parent.as_str())
    });
    table.small("pages", "pages", "pages it was made of", |screen| u32::try_from(screen.provenance.len()).ok());
    table.truth("inferred", "whether it was inferred, not seen", |screen| Some(screen.metadata.inferred));
    table.finish()
}

fn ways(knowledge: &Knowledge) -> Table {
    let rows: Vec<&TransitionDefinition> = knowledge.transitions.values().collect();
    let mut table = Columns::of(&rows);
    table.text("website", "", "id of the website", |way| Some(way.website_id.as_str()));
    table.text("way", "", "id of the way", |way| Some(way.transition_id.as_str()));
    table.text("from", "", "screen that it begins at", |way| Some(way.from_screen_id.as_str()));
    table.text("to", "", "screen that it leads to", |way| Some(way.to_screen_id.as_str()));
    table.small("count", "times", "how often it was observed", |way| Some(way.count));
    table.real("confidence", "0 to 1", "how sure it is", |way| Some(way.metadata.confidence));
    table.truth("inferred", "whether it was inferred, not seen", |way| Some(way.metadata.inferred));
    table.finish()
}

fn asked_models(llm: &LlmResults) -> Table {
    let rows: Vec<(&LlmReader, &LlmRow)> =
        llm.readers.iter().flat_map(|reader| reader.rows.iter().map(move |row| (reader, row))).collect();
    let mut table = Columns::of(&rows);
    table.text("model", "", "the model", |(reader, _)| Some(&reader.model));
    table.text(
        "tier",
        "",
        "the class of models that it stands for, as `lab llm --tier` said; null without",
        |(reader, _)| reader.tier.as_deref(),
    );
    table.text("prompt", "", "version of the prompt", |(reader, _)| Some(&reader.prompt));
    table.text("trace", "", "id of the trace", |(_, row)| Some(&row.trace));
    table.text("strategy", "", "name of the strategy", |(_, row)| Some(&row.strategy));
    table.small("step", "index", "the step", |(_, row)| Some(row.step));
    table.text("outcome", "", "`answered`, `no_answer`, `refused`, `failed`, `not_observed`", |(_, row)| {
        Some(match row.outcome {
            RowOutcome::Answered(_) => "answered",
            RowOutcome::NoAnswer(_) => "no_answer",
            RowOutcome::Refused { .. } => "refused",
            RowOutcome::Failed { .. } => "failed",
            RowOutcome::NotObserved { .. } => "not_observed",
        })
    });
    table.truth("element_right", "the node that it named is acceptable", |(_, row)| Some(row.element.right));
    table.truth("by_words", "that was judged by words, because the map of handles is not known", |(_, row)| {
        Some(row.element.by == ResolvedBy::Words)
    });
    table.small("operation_shared", "words", "words of its operation that are expected (for F1)", |(_, row)| {
        Some(row.operation.shared)
    });
    table.small("operation_predicted", "words", "words of its operation", |(_, row)| Some(row.operation.predicted));
    table.small("operation_expected", "words", "words that are expected", |(_, row)| Some(row.operation.expected));
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
        run.scenarios[0].attacks =
            vec![AttackInfo { id: "yaml".into(), kind: AttackKind::ForgedNode, steps: vec![1, 3] }];
        let table = attacks(&run.scenarios);
        assert_eq!(table.rows, 2);
        assert_eq!(table.columns.last().map(|column| &column.cells), Some(&Cells::Small(vec![Some(1), Some(3)])));
    }
}
