//! Multimodal-Mind2Web: small Parquet files of our own in the published layout, and damaged ones.

#[path = "common/table.rs"]
mod table;

use browserlens_core::page::{Page, PayloadKind};
use browserlens_core::strategy::StepIndex;
use browserlens_import::{Format, ImportError, ImportOptions, ImportReport, Limits, fuzzing, import};
use browserlens_trace::{Trace, verify};
use parquet::basic::Compression;
use std::path::PathBuf;
use table::{Row, SCHEMA, table, table_of};

/// A page with a button and a link; the button is what was acted on.
fn html(label: &str) -> String {
    format!(
        "<html><head><title>{label}</title></head><body backend_node_id=\"1\"><button backend_node_id=\"7\" \
            data_pw_testid_buckeye_candidate=\"1\" \
         bounding_box_rect=\"1,2,3,4\">Go {label}</button><a backend_node_id=\"8\" href=\"/x\">More</a></body></html>"
    )
}

/// Two tasks of two actions each, in two groups, the second's first action after its second.
fn rows() -> Vec<Vec<Row>> {
    vec![
        vec![
            Row::click("a", 0, &html("a0"), "7"),
            Row::click("a", 1, &html("a1"), "7"),
            Row::click("b", 1, &html("b1"), "8"),
        ],
        vec![Row::click("b", 0, &html("b0"), "7")],
    ]
}

fn tried(
    files: &[Vec<u8>],
    change: impl FnOnce(&mut ImportOptions),
) -> (tempfile::TempDir, Result<ImportReport, ImportError>) {
    let folder = tempfile::tempdir().expect("folder");
    let paths: Vec<PathBuf> = files
        .iter()
        .enumerate()
        .map(|(number, bytes)| {
            let path = folder.path().join(format!("train-{number:05}.parquet"));
            std::fs::write(&path, bytes).expect("writes");
            path
        })
        .collect();
    let mut options = ImportOptions { render: false, pages: 1, ..ImportOptions::new(folder.path().join("out")) };
    change(&mut options);
    let report = import(Format::Mind2web, &paths, &options);
    (folder, report)
}

fn imported(files: &[Vec<u8>], change: impl FnOnce(&mut ImportOptions)) -> (tempfile::TempDir, ImportReport) {
    let (folder, report) = tried(files, change);
    (folder, report.unwrap_or_else(|error| panic!("{error}")))
}

fn error(bytes: Vec<u8>) -> String {
    tried(&[bytes], |_| {}).1.expect_err("it cannot be read").to_string()
}

fn page(trace: &Trace, step: u32) -> Page {
    Page::parse(&trace.capture(StepIndex(step)).expect("capture")).expect("parses")
}

#[test]
fn tasks_are_put_together_from_all_files() {
    let [first, second] = &rows()[..] else { panic!("two groups") };
    for (dictionary, files) in [
        (true, vec![table(&rows())]),
        (true, vec![table(std::slice::from_ref(first)), table(std::slice::from_ref(second))]),
        (false, vec![table_of(SCHEMA, &rows(), Compression::UNCOMPRESSED, false)]),
    ] {
        let (_folder, report) = imported(&files, |_| {});
        assert_eq!(report.traces.len(), 2, "{dictionary}");
        for (made, task) in report.traces.iter().zip(["a", "b"]) {
            assert_eq!((made.steps, made.with_node), (3, 2), "{:?}", made.origin.gaps);
            assert!(verify(&made.path).expect("verifies").is_ok());
            let trace = Trace::open(&made.path).expect("opens");
            assert_eq!(trace.meta().goal, format!("do {task}"));
            let titles: Vec<String> = (0..3).map(|step| page(&trace, step).title().to_owned()).collect();
            assert_eq!(titles, [format!("{task}0"), format!("{task}1"), format!("{task}1")]);
            let names: Vec<String> = (1..3)
                .map(|step| {
                    let target =
                        trace.step(StepIndex(step)).expect("row").action.expect("action").target.expect("node");
                    page(&trace, step - 1).find(target).expect("is there").tag().to_owned()
                })
                .collect();
            assert_eq!(names, ["button", if task == "a" { "button" } else { "a" }]);
        }
        let origin = &report.traces[0].origin;
        assert_eq!((origin.format.as_str(), origin.rendered), ("multimodal-mind2web", false));
        assert_eq!(origin.source, "osunlp/Multimodal-Mind2Web, Travel, Airlines, united, a");
        assert!(origin.licence.starts_with("OpenRAIL"), "{}", origin.licence);
    }
}

#[test]
fn a_folder_of_parquet_is_read_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("folder");
    std::fs::write(data.join("b.parquet"), table(&rows()[1..])).expect("writes");
    std::fs::write(data.join("a.parquet"), table(&rows()[..1])).expect("writes");
    std::fs::write(data.join("README.md"), "x").expect("writes");
    let options = ImportOptions { render: false, ..ImportOptions::new(folder.path().join("out")) };
    let report =
        import(Format::Mind2web, std::slice::from_ref(&data), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.traces.iter().map(|made| made.steps).collect::<Vec<_>>(), [3, 3]);
    let empty = folder.path().join("out/none");
    std::fs::create_dir(&empty).expect("folder");
    let error = import(Format::Mind2web, &[empty], &options).expect_err("empty");
    assert!(error.to_string().contains("no *.parquet"), "{error}");
}

#[test]
fn pages_are_rendered_and_the_recorded_picture_is_the_viewports() {
    let picture = |width: u32, height: u32, format: image::ImageFormat| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 30]))
            .write_to(&mut bytes, format)
            .expect("a picture");
        bytes.into_inner()
    };
    let mut rows = rows();
    rows[0][0].screenshot = Some(picture(1280, 1500, image::ImageFormat::Png));
    rows[0][1].screenshot = Some(picture(640, 480, image::ImageFormat::Jpeg));
    rows[0][2].screenshot = Some(b"no picture".to_vec());
    let (_folder, report) = imported(&[table(&rows)], |options| options.render = true);
    let trace = Trace::open(&report.traces[0].path).expect("opens");
    assert_eq!(
        page(&trace, 0).nodes().find(|node| node.role() == "button").map(|node| node.name().to_owned()),
        Some("Go a0".to_owned())
    );
    let shown = |step| {
        let capture = trace.capture(StepIndex(step)).expect("capture");
        let png = capture.screenshot().expect("a picture").to_vec();
        let shown = image::load_from_memory(&png).expect("decodes").into_rgb8();
        (shown.dimensions(), shown.get_pixel(640, 400).0)
    };
    assert_eq!(shown(0), ((1280, 720), [200, 30, 30]));
    assert_eq!(shown(1), ((1280, 720), [255, 255, 255]));
    let gaps: Vec<String> = report.traces.iter().flat_map(|made| made.origin.gaps.clone()).collect();
    let said = gaps.join("\n");
    assert!(
        said.contains("step 1: its screenshot is not used: it is 640 x 480, and the viewport 1280 x 720"),
        "{said}"
    );
    assert!(said.contains("its screenshot is not used"), "{said}");
}

#[test]
fn without_rendering_there_is_the_dom_and_nothing_else() {
    let (_folder, report) = imported(&[table(&rows())], |_| {});
    let trace = Trace::open(&report.traces[0].path).expect("opens");
    let capture = trace.capture(StepIndex(0)).expect("capture");
    let kinds: Vec<PayloadKind> = capture.payloads.iter().map(|payload| payload.kind).collect();
    assert_eq!(kinds, [PayloadKind::Frames, PayloadKind::Snapshot]);
    let page = page(&trace, 0);
    assert!(page.nodes().any(|node| node.tag() == "a" && node.attribute("href") == Some("/x")));
    let is_note =
        |name: &str| name.contains("backend_node_id") || name.contains("buckeye") || name.contains("browserlens");
    assert!(!page.nodes().any(|node| node.attributes().any(|(name, _)| is_note(name) || name == "bounding_box_rect")));
    assert!(report.traces[0].origin.gaps.iter().any(|gap| gap.contains("not rendered")));
}

#[test]
fn rows_that_cannot_be_read_are_passed_over_and_said() {
    let good = || Row::click("a", 0, &html("a0"), "7");
    let with = |index: usize, change: &dyn Fn(&mut Row)| {
        let mut row = Row::click("a", index, &html(&format!("a{index}")), "7");
        change(&mut row);
        row
    };
    let big = format!("<p>{}</p>", "x".repeat(9_000));
    let group = vec![
        good(),
        with(1, &|row| row.html = None),
        with(2, &|row| row.html = Some(b"<p>\xff</p>".to_vec())),
        with(3, &|row| row.operation = "{".to_owned()),
        with(4, &|row| row.operation = "{\"op\":\"FLY\"}".to_owned()),
        with(5, &|row| row.html = Some(big.clone().into_bytes())),
        with(6, &|row| row.candidates = vec!["no JSON".to_owned()]),
        with(7, &|row| row.candidates.clear()),
        with(8, &|row| row.candidates = vec!["{\"backend_node_id\":99}".to_owned()]),
        with(9, &|row| row.index = "x".to_owned()),
        with(10, &|row| row.goal = "another".to_owned()),
        with(10, &|row| row.uid = "odd".to_owned()),
    ];
    let limits = Limits { page_bytes: 5_000, ..Limits::default() };
    let (_folder, report) = imported(&[table(&[group])], |options| options.limits = limits);
    let made = &report.traces[0];
    assert_eq!((made.steps, made.with_node), (8, 4), "{:?}", made.origin.gaps);
    let gaps = made.origin.gaps.join("\n");
    for said in [
        "action 2 has no page: passed over: it is empty",
        "action 3 has no page: passed over: byte 3 is not UTF-8",
        "action 4 has no page: passed over: its operation cannot be read: EOF",
        "action 5: \"FLY\" is no operation",
        "action 6 has no page: passed over: it has 9007 bytes, and 5000 is the limit",
        "row 7, column \"pos_candidates\": a candidate cannot be read",
        "action 8: no acceptable node is on its page",
        "action 9: no acceptable node is on its page",
        "row 10, column \"target_action_index\": \"x\" is no number",
        "its rows tell different goals",
        "1 actions have the number of another one",
    ] {
        assert!(gaps.contains(said), "{said}: {gaps}");
    }
}

#[test]
fn a_page_of_a_column_that_is_too_large_costs_its_rows_only() {
    let rows: Vec<Row> = (0..6)
        .map(|index| {
            let filler = if index == 3 { "x".repeat(60_000) } else { String::new() };
            Row::click("a", index, &format!("{}{filler}", html(&format!("a{index}"))), "7")
        })
        .collect();
    let limits = Limits { column_page_bytes: 20_000, ..Limits::default() };
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let bytes = table_of(SCHEMA, std::slice::from_ref(&rows), compression, false);
        let (_folder, report) = imported(&[bytes], |options| options.limits = limits);
        let made = &report.traces[0];
        let trace = Trace::open(&made.path).expect("opens");
        let titles: Vec<String> = (0..trace.len()).map(|step| page(&trace, step).title().to_owned()).collect();
        assert_eq!(titles.first().map(String::as_str), Some("a0"), "{titles:?}");
        assert_eq!(titles.last().map(String::as_str), Some("a5"), "{titles:?}");
        assert!(!titles.contains(&"a3".to_owned()) && (4..=6).contains(&titles.len()), "{titles:?}");
        let gaps = made.origin.gaps.join("\n");
        assert!(
            gaps.contains("action 4 has no page: passed over: it lies in a page of more than 20000 bytes"),
            "{gaps}"
        );
    }
    // A dictionary that is too large costs the column.
    let bytes = table_of(SCHEMA, &[rows], Compression::SNAPPY, true);
    let error = tried(&[bytes], |options| options.limits = limits).1.map(|report| report.traces);
    assert!(error.is_ok_and(|made| made.is_empty() || made[0].steps < 7));
}

#[test]
fn files_of_another_layout_say_what_is_missing() {
    let rows = vec![vec![Row::click("a", 0, &html("a0"), "7")]];
    let of = |schema: &str| table_of(schema, &rows, Compression::SNAPPY, true);
    let without = |column: &str| error(of(&SCHEMA.replace(&format!("optional binary {column} (STRING);"), "")));
    for column in ["raw_html", "operation", "annotation_id"] {
        assert!(without(column).contains(&format!("column \"{column}\": it is not there")), "{}", without(column));
    }
    let number = SCHEMA.replace("optional binary raw_html (STRING)", "optional int64 raw_html");
    assert!(error(of(&number)).contains("it is of type INT64, and text was expected"), "{}", error(of(&number)));
    let flat = SCHEMA.replace(
        "optional group pos_candidates (LIST) { repeated group list { optional binary element (STRING); } }",
        "optional binary pos_candidates (STRING);",
    );
    assert!(error(of(&flat)).contains("\"pos_candidates\": it is no list"), "{}", error(of(&flat)));
    let nested =
        SCHEMA.replace("optional binary website (STRING);", "optional group website { optional binary x (STRING); }");
    assert!(error(of(&nested)).contains("\"website\": it is no text: it has parts"), "{}", error(of(&nested)));
    // What a task can do without is a gap.
    let lean = SCHEMA
        .replace("optional binary confirmed_task (STRING);", "")
        .replace("optional binary target_action_index (STRING);", "");
    let (_folder, report) = imported(&[of(&lean)], |_| {});
    let gaps = report.traces[0].origin.gaps.join("\n");
    assert!(
        gaps.contains("no column \"confirmed_task\"") && gaps.contains("no column \"target_action_index\""),
        "{gaps}"
    );
    assert!(gaps.contains("1 of the task's 2 actions are in these files"), "{gaps}");
    let mut nobody = rows.clone();
    nobody[0][0].task = None;
    assert!(error(table(&nobody)).contains("row 1, column \"annotation_id\": a row has no task"));
    nobody[0][0].task = Some(vec![0xff]);
    assert!(error(table(&nobody)).contains("row 1, column \"annotation_id\": byte 0 is not UTF-8"));
    assert!(error(table(&[])).contains("it has no rows"));
    let limits = Limits { entries: 3, ..Limits::default() };
    let many = tried(&[table(&self::rows())], |options| options.limits = limits).1.expect_err("too many");
    assert!(many.to_string().contains("its number of rows is over the limit of 3"), "{many}");
}

#[test]
fn a_truncated_file_is_an_error_wherever_it_ends() {
    let whole = table(&rows());
    for end in (4..whole.len()).step_by(97) {
        let said = error(whole[..end].to_vec());
        assert!(said.contains("train-00000.parquet: the footer: "), "{said}");
    }
    let mut large = whole;
    let at = large.len() - 8;
    large[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(error(large).contains("its size is over the limit"));
}

#[test]
fn no_changed_byte_makes_it_panic() {
    for dictionary in [true, false] {
        let whole = table_of(SCHEMA, &rows()[1..], Compression::SNAPPY, dictionary);
        for at in 0..whole.len() {
            for byte in [0, 0xff, whole[at] ^ 1] {
                let mut changed = whole.clone();
                changed[at] = byte;
                fuzzing::mind2web_rows(&changed);
            }
        }
    }
}
