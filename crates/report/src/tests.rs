//! The made-up run's aggregates, worked by hand, and the whole report on disk.

use crate::*;
use browserlens_replay::{Measurement, Origin};

fn strategy<'s>(summary: &'s Summary, name: &str) -> &'s StrategySummary {
    summary.strategies.iter().find(|row| row.strategy == name).unwrap()
}

fn close(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value - expected).abs() < 1e-9)
}

fn value(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|estimate| estimate.value)
}

#[test]
fn costs_use_only_scenarios_that_all_ranked_strategies_finished() {
    let run = made_up::run();
    let summary = Summary::of(&run.input());
    assert_eq!(summary.scenarios, ["docs/answer", "login/wrong-password", "shop/cart"]);
    assert_eq!(summary.ranked_scenarios, ["login/wrong-password", "shop/cart"]);
    assert_eq!(summary.left_out, [LeftOut { scenario: "docs/answer".into(), unfinished_by: vec!["raw/html".into()] }]);
    assert_eq!(summary.steps, 2 + 2 + 3);
    // lens/delta: (100 + 400 + 100) and (100 + 900 + 60 + 40); playwright-mcp/full: 1,500 and
    // 5,500.
    let delta = strategy(&summary, "lens/delta");
    assert!(close(delta.tokens_per_task, (600.0 + 1_100.0) / 2.0));
    assert!(close(value(delta.ratio), (0.4_f64 * 0.2).sqrt()));
    assert!(close(value(strategy(&summary, "playwright-mcp/full").ratio), 1.0));
    assert!(close(strategy(&summary, "raw/html").tokens_per_task, (5_000.0 + 27_000.0) / 2.0));
    // lens/vision: 4 text and 1,196 image tokens a step, 2 and 3 steps.
    assert!(close(strategy(&summary, "lens/vision").tokens_per_task, 1_200.0 * 2.5));
}

#[test]
fn quality_counts_every_step_and_a_failed_one_as_a_miss() {
    let run = made_up::run();
    let summary = Summary::of(&run.input());
    let html = strategy(&summary, "raw/html");
    assert_eq!(html.tasks, Share { part: 1, whole: 3 });
    assert_eq!(html.steps, Share { part: 5, whole: 7 });
    // Steps 0 of docs and login, 0 and 1 of shop need a node; the failed step is the last one,
    // which needs none.
    assert_eq!(html.quality.total(Metric::Target), Share { part: 3, whole: 4 });
    assert_eq!(html.quality.total(Metric::Facts), Share { part: 12, whole: 14 });
    let vision = strategy(&summary, "lens/vision");
    let total = |metric| vision.quality.total(metric);
    assert_eq!(
        (total(Metric::Target), total(Metric::Addressable)),
        (Share { part: 4, whole: 4 }, Share { part: 0, whole: 4 })
    );
    assert_eq!(total(Metric::Facts), Share { part: 7, whole: 14 });
    assert_eq!(
        html.cells,
        [
            Cell::Failed,
            Cell::Finished { tokens: 5_000, success: true },
            Cell::Finished { tokens: 27_000, success: false }
        ]
    );
    assert_eq!(summary.errors.len(), 1);
}

#[test]
fn averages_weigh_scenarios_alike_and_say_how_many_they_are() {
    let run = made_up::run();
    let summary = Summary::of(&run.input());
    let html = strategy(&summary, "raw/html");
    // Facts: docs 2 of 4 (the failed step's are missed), login 4 of 4, shop 6 of 6. Over all steps
    // it would be 12 of 14.
    let facts = html.quality.average(Metric::Facts).unwrap();
    assert!(close(Some(facts.value), (0.5 + 1.0 + 1.0) / 3.0) && facts.n == 3);
    assert!(facts.interval.is_some_and(|(low, high)| low < facts.value && facts.value < high));
    // Target: docs 1 of 1, login 1 of 1, shop 1 of 2. Probes: docs 20 of 60, else 20 of 30 each.
    assert!(close(value(html.quality.average(Metric::Target)), 2.5 / 3.0));
    assert!(close(value(html.quality.average(Metric::Probes)), (1.0 / 3.0 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0));
    assert!(close(value(html.quality.average(Metric::Tasks)), 1.0 / 3.0));
    // Only one scenario has a required set, at one step.
    assert_eq!(html.quality.average(Metric::Required), Some(Estimate { value: 0.0, interval: None, n: 1 }));
    let delta = strategy(&summary, "lens/delta");
    assert_eq!(delta.quality.average(Metric::Required), Some(Estimate { value: 1.0, interval: None, n: 1 }));
    // Against it, paired: 0.5, 0 and 0 of the facts.
    let difference = delta.quality.difference(&html.quality, Metric::Facts).unwrap();
    assert!(close(Some(difference.value), 0.5 / 3.0) && difference.n == 3);
    assert_eq!(delta.elided_and_volatile(), [70, 28].map(|part| Share { part, whole: 280 }));
}

#[test]
fn scrolls_contexts_and_definitions_match_hand_worked_numbers() {
    let run = made_up::run();
    let summary = Summary::of(&run.input());
    // The third step of shop/cart misses what lies two scrolls away: twice 9,000 tokens on one of
    // two ranked tasks.
    let html = strategy(&summary, "raw/html");
    let costs = html.costs.unwrap();
    assert!(close(Some(costs.scrolls), 1.0) && close(Some(costs.scroll_tokens), 9_000.0));
    assert_eq!(
        (html.tasks_with_scrolls, html.steps_with_scrolls),
        (Share { part: 2, whole: 3 }, Share { part: 6, whole: 7 })
    );
    let full = strategy(&summary, "playwright-mcp/full").costs.unwrap();
    assert!(close(Some(full.definitions), 4_000.0));
    // lens/delta, login: 500, 600 read, 500 of it prefix; shop: 1,000, 1,060, 1,100, prefix 1,000 +
    // 1,060.
    let costs = strategy(&summary, "lens/delta").costs.unwrap();
    assert!(close(Some(costs.keep_all), (1_100.0 + 3_160.0) / 2.0));
    assert!(close(Some(costs.keep_all_discounted), (1_100.0 - 450.0 + 3_160.0 - 1_854.0) / 2.0));
    assert!(close(Some(costs.keep_last_full), costs.keep_all), "there is no second full observation");
    // playwright-mcp/full keeps no prefix when only the last full observation is kept: 1,500 and
    // 5,500.
    assert!(close(Some(full.keep_last_full), 3_500.0) && close(Some(full.keep_last_full_discounted), 3_500.0));
}

#[test]
fn calls_and_latency_match_hand_worked_numbers() {
    let run = made_up::run();
    let mut input = run.input();
    let summary = Summary::of(&input);
    // The only request is made on docs/answer, which rankings leave out.
    assert!(close(strategy(&summary, "lens/delta").costs.map(|costs| costs.calls), 0.0));
    // Seven steps of 400, 400, 400, 500, 500, 500, 600 µs; raw/html lacks one of 500.
    assert!(close(strategy(&summary, "lens/delta").median_micros, 500.0));
    assert!(close(strategy(&summary, "raw/html").median_micros, 450.0));
    let times = strategy(&summary, "lens/delta").stage_times.clone().unwrap();
    let by_stage: Vec<f64> = times.stages.iter().map(|(_, micros)| *micros).collect();
    // Of 3,300 µs in all, the stages have 140, 1,400, 0 and 700; the median is divided alike.
    let divided = [140.0, 1_400.0, 0.0, 700.0].map(|micros| micros * 500.0 / 3_300.0);
    assert!(by_stage.iter().zip(divided).all(|(found, wanted)| close(Some(*found), wanted)), "{by_stage:?}");
    assert!(close(Some(times.total), 500.0) && close(Some(times.other), 1_060.0 * 500.0 / 3_300.0));
    // Without the strategy that failed, every scenario counts: one request on three tasks.
    let kept: Vec<Measurement> = run.measurements.iter().filter(|row| row.strategy != "raw/html").cloned().collect();
    let tasks: Vec<_> = run.tasks.iter().filter(|task| task.strategy != "raw/html").cloned().collect();
    (input.measurements, input.tasks) = (&kept, &tasks);
    let summary = Summary::of(&input);
    assert!(summary.left_out.is_empty());
    assert!(close(strategy(&summary, "lens/delta").costs.map(|costs| costs.calls), 1.0 / 3.0));
    assert!(close(value(strategy(&summary, "lens/delta").ratio), (0.4_f64 * 0.2 * 0.4).cbrt()));
}

#[test]
fn more_tasks_come_first_and_fewer_tokens_break_ties() {
    let run = made_up::run();
    let summary = Summary::of(&run.input());
    let order: Vec<&str> = summary.strategies.iter().map(|row| row.strategy.as_str()).collect();
    assert_eq!(order, ["lens/delta", "playwright-mcp/full", "raw/html", "lens/vision"]);
}

#[test]
fn a_strategy_that_finished_less_than_half_is_not_ranked_and_spoils_no_scenario() {
    let mut run = made_up::run();
    for row in run.measurements.iter_mut().filter(|row| row.strategy == "raw/html" && row.step == 1) {
        row.outcome = browserlens_replay::Outcome::Failed { error: "out of memory".into() };
    }
    run.sum_up();
    let summary = Summary::of(&run.input());
    assert_eq!(summary.ranked_scenarios.len(), 3);
    let html = strategy(&summary, "raw/html");
    assert!(!html.ranked && html.tokens_per_task.is_none() && html.ratio.is_none());
    assert_eq!(summary.strategies.last().unwrap().strategy, "raw/html");
    assert!(summary_markdown(&run.input(), &summary).contains("Not ranked"));
}

#[test]
fn summary_md_reads_well() {
    let run = made_up::run();
    insta::assert_snapshot!(summary_markdown(&run.input(), &Summary::of(&run.input())));
}

#[test]
fn the_terminal_table_fits_100_columns() {
    let mut run = made_up::run();
    let table = terminal_table(&run.input(), &Summary::of(&run.input()));
    insta::assert_snapshot!(table);
    for row in &mut run.measurements {
        row.strategy = format!("{}-with-a-name-that-goes-on", row.strategy);
        row.trace = format!("{}-and-a-long-name-too", row.trace);
    }
    run.sum_up();
    let wide = terminal_table(&run.input(), &Summary::of(&run.input()));
    for line in table.lines().chain(wide.lines()) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn an_empty_run_makes_a_report() {
    let root = tempfile::tempdir().unwrap();
    let (run, about) = (made_up::run(), About::default());
    let rows = ReportInput { measurements: &[], tasks: &[], timings: &[], ..run.input() };
    let input = ReportInput { traces: &[], steps: &[], strategies: &[], about: &about, ..rows };
    let paths = write_report(&input, &root.path().join("r")).unwrap();
    assert!(std::fs::read_to_string(paths.folder.join("summary.md")).unwrap().contains("No strategy finished"));
}

#[test]
fn a_report_is_one_fresh_folder_and_its_measurements_are_the_same_bytes_each_time() {
    let root = tempfile::tempdir().unwrap();
    let run = made_up::run();
    let first = write_report(&run.input(), &root.path().join("one")).unwrap();
    let mut later = made_up::run();
    later.timings.iter_mut().for_each(|timing| timing.observe.0 += 17);
    let second = write_report(&later.input(), &root.path().join("two")).unwrap();
    for name in ["measurements.parquet", "measurements.csv", "tasks.csv", "tokens-per-step.svg", "pareto.svg"] {
        let read = |paths: &ReportPaths| std::fs::read(paths.folder.join(name)).unwrap();
        assert_eq!(read(&first), read(&second), "{name}");
    }
    assert_ne!(
        std::fs::read(first.folder.join("timings.csv")).unwrap(),
        std::fs::read(second.folder.join("timings.csv")).unwrap()
    );
    assert!(first.files.iter().all(|path| path.is_file()));
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 2);
    let again = write_report(&run.input(), &root.path().join("one"));
    assert!(matches!(again, Err(ReportError::Exists(path)) if path == first.folder));
}

#[test]
fn names_that_are_too_long_keep_the_tool_apart_from_its_variant() {
    use crate::labels::strategy_label;
    assert_eq!(strategy_label("lens/delta", 20), "lens/delta");
    assert_eq!(strategy_label("playwright-mcp@0.0.83/full:recorded", 40), "playwright-mcp@0.0.83/full*");
    assert_eq!(strategy_label("playwright-mcp@0.0.83/full:recorded", 20), "playwright-mcp/full*");
    assert_eq!(strategy_label("agent-browser@0.41.2/interactive-delta:recorded", 25), "agent-browse…ctive-delta*");
    assert_eq!(strategy_label("agent-browser@0.41.2/interactive-delta:recorded", 25).chars().count(), 25);
    assert_eq!(strategy_label("a/bcdef", 3), "a…f");
}

#[test]
fn routers_are_set_against_hindsight_where_every_representation_was_run_alone() {
    let mut run = made_up::run();
    assert_eq!(Summary::of(&run.input()).routers, None, "lens/a11y and others were not run");
    // The tree costs 100 and fails on step 1, the DOM 150, the hybrid 400; a router that always
    // takes the hybrid.
    for (strategy, representation, tokens) in [
        ("lens/a11y", "a11y", 100),
        ("lens/dom", "dom", 150),
        ("lens/hybrid", "hybrid", 400),
        ("lens/vision", "vision", 4),
        ("lens/always-the-hybrid-and-a-long-name", "hybrid", 30),
    ] {
        for step in 0..2 {
            run.measurements.retain(|row| row.strategy != strategy || row.step != step || row.trace != "shop/cart");
            run.measurements.push(made_up::observed("shop/cart", strategy, step, tokens, |numbers| {
                numbers.representation = Some(representation.to_owned());
                numbers.success = representation != "a11y" || step == 0;
            }));
        }
    }
    run.sum_up();
    let summary = Summary::of(&run.input());
    let table = summary.routers.as_ref().unwrap();
    let router = table.rows.iter().find(|row| row.name.starts_with("lens/always")).unwrap();
    assert_eq!((router.steps, router.tokens, router.extra_tokens), (2, 800, 300 + 250));
    assert_eq!((router.missed, router.agreed, router.tasks_done), (0, 0, 1));
    let tree = table.rows.iter().find(|row| row.name == "lens/a11y").unwrap();
    assert_eq!((tree.missed, tree.agreed, tree.tasks_done), (1, 1, 0));
    let hindsight = table.rows.iter().find(|row| row.name == "hindsight, by refs").unwrap();
    assert_eq!((hindsight.chosen, hindsight.tokens, hindsight.extra_tokens), ([1, 1, 0, 0], 250, 0));
    let markdown = summary_markdown(&run.input(), &summary);
    assert!(markdown.contains("## Routers against hindsight") && markdown.contains("(n = 2 steps)"), "{markdown}");
    let terminal = terminal_table(&run.input(), &summary);
    assert!(terminal.contains("hindsight, by refs"), "{terminal}");
    for line in terminal.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let root = tempfile::tempdir().unwrap();
    let paths = write_report(&run.input(), &root.path().join("r")).unwrap();
    assert!(std::fs::read_to_string(paths.index).unwrap().contains("Routers against hindsight"));
}

#[test]
fn imported_traces_name_their_source_and_licence_and_how_peers_are_compared() {
    let mut run = made_up::run();
    assert!(!summary_markdown(&run.input(), &Summary::of(&run.input())).contains("Imported traces"));
    run.traces[0].origin = Some(Origin {
        format: "mind2web".to_owned(),
        source: "osunlp/Mind2Web, Travel".to_owned(),
        licence: "CC-BY-4.0".to_owned(),
        importer: "browserlens-import 0.1.0".to_owned(),
        rendered: true,
        gaps: Vec::new(),
    });
    run.traces[1].origin = Some(Origin { format: "playwright-trace 8".to_owned(), ..Origin::default() });
    let summary = summary_markdown(&run.input(), &Summary::of(&run.input()));
    let section = summary.split("## Imported traces").nth(1).unwrap().split("\n## ").next().unwrap();
    let line = |trace: &str| section.lines().find(|line| line.contains(trace)).unwrap();
    let first = line(&run.traces[0].id);
    assert!(
        first.contains("osunlp/Mind2Web, Travel") && first.contains("CC-BY-4.0") && first.contains("rendered anew")
    );
    assert!(line(&run.traces[1].id).contains("not known"));
    assert!(section.contains("re-implementations"));
}
