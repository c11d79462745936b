//! Histories of browser-use.
//!
//! In: `{history: [{model_output: {action: […]}, result, state: {url, interacted_element: […]}}]}`,
//! of old and new releases. Out: a [`Script`]. Invariant: an element is named by what its author
//! gave it (id, test id, name, label), and by its path only where there is nothing else.

use super::devtools::looks_secret;
use super::{Script, list, selector};
use crate::error::ImportError;
use crate::json::text;
use crate::plan::stem;
use serde_json::Value;
use std::path::Path;
use toml::Table;

pub(crate) fn scripts(path: &Path, file: &Value) -> Result<Vec<Script>, ImportError> {
    let history = list(path, file, "history")?;
    let mut script = Script::new(&stem(path, "imported"), "a history of browser-use");
    script.gaps.push("the task itself is not in a history: the goal is the file's name".to_owned());
    for (at, turn) in history.iter().enumerate() {
        let state = &turn["state"];
        let failed = turn["result"].as_array().into_iter().flatten().any(|result| !text(result, "error").is_empty());
        for (number, action) in turn["model_output"]["action"].as_array().into_iter().flatten().enumerate() {
            let named = action.as_object().and_then(|action| action.iter().find(|(_, params)| !params.is_null()));
            let Some((name, params)) = named else { continue };
            if failed {
                script.gap(at, name, "it failed");
                continue;
            }
            // A history that begins on a page begins there.
            if script.url.is_empty() && !opens(name) {
                let url = text(state, "url");
                if url.starts_with("http") {
                    script.open(url);
                }
            }
            let element = state["interacted_element"].get(number).unwrap_or(&Value::Null);
            one(&mut script, at, name, params, element);
        }
    }
    Ok(vec![script])
}

fn opens(name: &str) -> bool {
    matches!(name, "go_to_url" | "navigate" | "open_tab" | "search" | "search_google")
}

fn one(script: &mut Script, at: usize, name: &str, params: &Value, element: &Value) {
    let words = element.to_string().to_ascii_lowercase();
    let direction = if params["down"] == Value::Bool(false) || name == "scroll_up" { -1.0 } else { 1.0 };
    match name {
        "go_to_url" | "navigate" | "open_tab" => {
            script.open(text(params, "url"));
            if name == "open_tab" || params["new_tab"] == Value::Bool(true) {
                script.gap(at, name, "the page is opened in the same tab");
            }
        }
        "go_back" => script.step("back", true),
        "send_keys" => script.step("press", text(params, "keys")),
        "scroll" | "scroll_down" | "scroll_up" => {
            let pages = params["pages"].as_f64().or(params["num_pages"].as_f64()).unwrap_or(1.0);
            script.scroll("page", 0.0, params["amount"].as_f64().unwrap_or(pages * 800.0) * direction);
        }
        "close_tab" | "close" => script.step("close_tab", true),
        "wait" | "done" | "extract" | "extract_content" | "extract_page_content" | "find_text" | "screenshot" => {}
        "click_element_by_index"
        | "click_element"
        | "click"
        | "input_text"
        | "input"
        | "select_dropdown_option"
        | "select_dropdown"
        | "upload_file" => {
            let Some(target) = target(element) else {
                let why = "its element is not in the history, or only by a path that cannot be said here";
                return script.gap(at, name, why);
            };
            let value = text(params, "text");
            match name {
                "input_text" | "input" => script.enter("fill", at, target, value, looks_secret(&words)),
                "select_dropdown_option" | "select_dropdown" => script.step_with("select", target, "option", value),
                "upload_file" => script.step_with("upload", target, "files", vec![text(params, "path")]),
                _ => script.step("click", target),
            }
        }
        other => script.gap(at, other, "a scenario has no such step"),
    }
}

fn target(element: &Value) -> Option<Table> {
    let attributes = &element["attributes"];
    let tag = [text(element, "node_name"), text(element, "tag_name")]
        .into_iter()
        .find(|tag| !tag.is_empty())
        .unwrap_or("*")
        .to_ascii_lowercase();
    let tag = if tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') { tag } else { String::new() };
    let (role, name) = (text(attributes, "role"), text(element, "ax_name"));
    if !role.is_empty() && !name.is_empty() {
        return Some(selector::role(role, name));
    }
    for key in ["id", "data-testid", "data-test", "name", "aria-label"] {
        let value = text(attributes, key);
        // Ids that a framework counts up mean something else on the next load.
        let counted = key == "id" && value.contains([':', '«']);
        if !value.is_empty() && !counted {
            return Some(selector::attribute(&tag, key, value));
        }
    }
    let path = [text(element, "x_path"), text(element, "xpath")].into_iter().find(|path| !path.is_empty())?;
    selector::xpath(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{read_text, scenario};

    #[test]
    fn a_history_of_old_and_new_names_becomes_a_scenario() {
        let json = r#"{"history":[
            {"model_output":{"action":[{"navigate":{"url":"http://a.test/","new_tab":false}}]},"result":[{}],
                "state":{"url":"about:blank","interacted_element":[null]}},
            {"model_output":{"action":[{"input":{"index":3,"text":"lamp","clear":true}},{"click":{"index":4}}]},
                "result":[{},{}],"state":{"url":"http://a.test/","interacted_element":[
                {"node_name":"INPUT","attributes":{"id":"q"},"x_path":"html/body/input"},{"node_name":"BUTTON",
                    "attributes":{},"x_path":"html/body/form/button[2]"}]}},
            {"model_output":{"action":[{"click_element_by_index":{"index":9}}]},"result":[{"error":"no such element"}],
                "state":{"interacted_element":[null]}},
            {"model_output":{"action":[{"input_text":{"index":1,"text":"hunter2"}},{"scroll":{"down":true,
                "pages":0.5}}]},"result":[{}],"state":{"interacted_element":[{"node_name":"INPUT",
                "attributes":{"name":"password","type":"password"}},null]}},
            {"model_output":null,"result":[{}],"state":{}},
            {"model_output":{"action":[{"done":{"text":"ok","success":true}}]},"result":[{"is_done":true}],
                "state":{}}]}"#;
        let script = read_text(scripts, json).expect("reads").remove(0);
        let (_, toml, kinds) = scenario(&script);
        assert_eq!(kinds, ["fill", "click", "fill", "scroll"]);
        assert!(toml.contains("button:nth-of-type(2)") && !toml.contains("hunter2"), "{toml}");
        assert!(script.gaps.iter().any(|gap| gap.contains("it failed")));
    }
}
