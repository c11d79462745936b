//! The gate's findings as JUnit XML: a suite a strategy, a case a scenario.
//!
//! In: a [`GateReport`] and what was compared. Out: XML. Invariants: text is escaped by the XML
//! writer, and characters that XML cannot hold are replaced; a case fails exactly where the gate
//! found a regression of its own; what belongs to no case fails in one of its own.

use crate::error::ReportError;
use crate::text_table::one_line;
use browserlens_replay::GateReport;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::collections::{BTreeMap, BTreeSet};

/// The suite of what belongs to no strategy.
const GATE: &str = "gate";

/// Returns the findings as JUnit XML; `cases` are the pairs of strategy and scenario that were
/// compared.
///
/// # Errors
/// [`ReportError::Table`] if the XML cannot be written.
pub fn gate_junit(gate: &GateReport, cases: &BTreeSet<(String, String)>) -> Result<String, ReportError> {
    write(gate, cases).map_err(|cause| ReportError::table("gate", cause))
}

fn write(gate: &GateReport, cases: &BTreeSet<(String, String)>) -> std::io::Result<String> {
    let mut suites: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for (strategy, trace) in cases {
        suites.entry(strategy).or_default().entry(trace).or_default();
    }
    let mut loose: Vec<(&str, String)> = Vec::new();
    for finding in &gate.regressions {
        let cases = suites.get_mut(finding.strategy.as_str());
        match cases.and_then(|cases| cases.get_mut(finding.trace.as_str())) {
            Some(failures) => failures.push(finding.to_string()),
            None => loose.push(("regression", finding.to_string())),
        }
    }
    loose.extend(gate.slower.iter().map(|slower| ("latency", slower.to_string())));
    loose.extend(
        gate.removed_rows.iter().map(|(trace, strategy, step)| ("row gone", format!("{trace} {strategy} step {step}"))),
    );
    loose.extend(gate.incomparable.iter().map(|why| ("comparison", why.clone())));
    let gate_suite = suites.entry(GATE).or_default();
    for (case, what) in loose {
        gate_suite.entry(case).or_default().push(what);
    }
    gate_suite.entry("comparison").or_default();

    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = |suites: &BTreeMap<&str, BTreeMap<&str, Vec<String>>>| suites.values().map(BTreeMap::len).sum::<usize>();
    let failed = |cases: &BTreeMap<&str, Vec<String>>| cases.values().filter(|failures| !failures.is_empty()).count();
    let failures: usize = suites.values().map(failed).sum();
    let (total, failures) = (all(&suites).to_string(), failures.to_string());
    let top = [("name", "browserlens bench --check"), ("tests", total.as_str()), ("failures", failures.as_str())];
    writer.create_element("testsuites").with_attributes(top).write_inner_content(|writer| {
        for (suite, cases) in &suites {
            let (tests, failures) = (cases.len().to_string(), failed(cases).to_string());
            let suite = one_line(suite);
            let suite = [("name", suite.as_str()), ("tests", tests.as_str()), ("failures", failures.as_str())];
            writer.create_element("testsuite").with_attributes(suite).write_inner_content(|writer| {
                for (case, failures) in cases {
                    let name = one_line(case);
                    let element = writer
                        .create_element("testcase")
                        .with_attributes([("name", name.as_str()), ("classname", suite[0].1)]);
                    if failures.is_empty() {
                        element.write_empty()?;
                        continue;
                    }
                    let lines: Vec<String> = failures.iter().map(|line| one_line(line)).collect();
                    let message = format!("{} findings: {}", lines.len(), lines[0]);
                    element.write_inner_content(|writer| {
                        writer
                            .create_element("failure")
                            .with_attribute(("message", message.as_str()))
                            .write_text_content(BytesText::new(&lines.join("\n")))?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    let mut xml = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    xml.push('\n');
    Ok(xml)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::tests::found;
    use browserlens_core::page::text::is_unseen;

    #[test]
    fn each_case_fails_with_its_own_findings_and_hostile_names_stay_text() {
        let found = found();
        let cases: BTreeSet<_> =
            [("lens/full", "shop/lamp"), ("lens/full", "shop/cart"), ("raw/html", "shop/</testcase>|\u{1b}[31m")]
                .map(|(strategy, trace)| (strategy.to_owned(), trace.to_owned()))
                .into();
        let mut hostile = cases.clone();
        hostile.insert(("forged/\u{202e}\u{e0041}\u{200b}".to_owned(), "shop/\u{2066}cart".to_owned()));
        let xml = gate_junit(&found, &hostile).expect("written");
        assert!(!xml.contains(|c| is_unseen(c) && c != '\n'), "{xml}");
        let xml = gate_junit(&found, &cases).expect("written");
        insta::assert_snapshot!(xml);
        let mut reader = quick_xml::Reader::from_str(&xml);
        let mut elements = Vec::new();
        loop {
            match reader.read_event().expect("well-formed") {
                Event::Start(element) | Event::Empty(element) => elements.push(element.name().as_ref().to_vec()),
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(elements.iter().filter(|name| *name == b"failure").count(), 3);
    }
}
