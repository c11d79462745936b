use super::*;
use browserlens_core::strategy::ActionKind;

fn row(trace: &str, step: u32, element: bool, shared: u32, predicted: u32, expected: u32) -> LlmRow {
    LlmRow {
        trace: trace.into(),
        strategy: "lens/delta".into(),
        step,
        outcome: RowOutcome::Answered(NextAction { action: ActionKind::Click, target: Some("@e1".into()), text: None }),
        element: ElementScore { right: element, by: ResolvedBy::Handle },
        operation: OperationScore { shared, predicted, expected },
        prompt_tokens: Some(100),
        completion_tokens: None,
    }
}

fn reader(model: &str, rows: Vec<LlmRow>) -> LlmReader {
    let settings = Settings {
        context: "keep-last-full".into(),
        images: false,
        response_format: ResponseFormat::JsonSchema,
        max_tokens: 512,
        temperature: 0.0,
        extra: serde_json::Map::new(),
    };
    LlmReader { model: model.into(), tier: Some("small".into()), prompt: "p".into(), settings, rows, left_out: vec![] }
}

#[test]
fn the_four_numbers_as_worked_by_hand() {
    // Task a: four steps. Elements right, right, wrong, right = 3/4. F1 1, 3/4, 1, 0 = 2.75/4.
    // Steps: only the first = 1/4. Task b: one step, all right. Macro: element (0.75 + 1)/2, F1
    // (0.6875 + 1)/2, step (0.25 + 1)/2; tasks 1 of 2.
    let mut rows = vec![
        row("a", 0, true, 1, 1, 1),
        row("a", 1, true, 3, 3, 5),
        row("a", 2, false, 1, 1, 1),
        row("a", 3, true, 0, 1, 1),
        row("b", 0, true, 2, 2, 2),
    ];
    rows[3].outcome = RowOutcome::NoAnswer(NoAnswer::NoObject);
    rows[2].element.by = ResolvedBy::Words;
    let summaries = summarise(&reader("m", rows));
    assert_eq!(summaries.len(), 1);
    let summary = &summaries[0];
    let near = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-12, "{value} is not {wanted}");
    near(summary.element_accuracy, 0.875);
    near(summary.operation_f1, 0.84375);
    near(summary.step_success, 0.625);
    assert_eq!((summary.successful_tasks, summary.tasks, summary.steps), (1, 2, 5));
    assert_eq!((summary.no_answer, summary.failed, summary.by_words), (1, 0, 1));
}

#[test]
fn macro_is_not_micro() {
    // Micro would be 1/3.
    let rows = vec![row("a", 0, false, 1, 1, 1), row("a", 1, false, 1, 1, 1), row("b", 0, true, 1, 1, 1)];
    assert!((summarise(&reader("m", rows))[0].step_success - 0.5).abs() < 1e-12);
}

#[test]
fn reading_again_replaces_rows_of_the_same_reader_only() {
    let mut results = LlmResults::default();
    results.add(reader("m", vec![row("a", 0, false, 0, 1, 1), row("b", 0, true, 1, 1, 1)]));
    results.add(reader("n", vec![row("a", 0, false, 0, 1, 1)]));
    results.add(reader("m", vec![row("a", 0, true, 1, 1, 1)]));
    assert_eq!(results.readers.len(), 2);
    assert_eq!(results.readers[0].rows, [row("a", 0, true, 1, 1, 1), row("b", 0, true, 1, 1, 1)]);
    assert!(!results.readers[1].rows[0].is_success());
}

#[test]
fn results_come_back_from_the_folder_and_a_newer_form_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(LlmResults::load(folder.path()).expect("nothing there"), None);
    let mut results = LlmResults::default();
    results.add(reader("m", vec![row("a", 0, true, 1, 1, 1)]));
    results.save(folder.path()).expect("saved");
    assert_eq!(LlmResults::load(folder.path()).expect("loads"), Some(results));
    std::fs::write(folder.path().join("llm.json"), "{\"format\": 9, \"other\": []}").expect("written");
    let error = LlmResults::load(folder.path()).expect_err("refused").to_string();
    assert!(error.ends_with("llm.json: format 9, this build reads up to 1"), "{error}");
    std::fs::write(folder.path().join("llm.json"), "{").expect("written");
    assert!(LlmResults::load(folder.path()).expect_err("refused").to_string().contains("llm.json: "));
}
