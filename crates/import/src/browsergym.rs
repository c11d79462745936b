//! Actions as BrowserGym's agents write them: `click('a51')`, `fill("12", "lamp")`.
//!
//! In: one call. Out: what it does, and the element it names. Invariant: a call that is not
//! understood whole is none.

use crate::plan::PlannedAction;
use browserlens_core::strategy::ActionKind;

/// Returns an action and its element.
pub(crate) fn action(call: &str) -> Option<(PlannedAction, Option<String>)> {
    let (name, arguments) = parts(call.trim())?;
    let text = |index: usize| arguments.get(index).cloned().unwrap_or_default();
    let element = || arguments.first().cloned();
    let (kind, said, on) = match name {
        "click" => (ActionKind::Click, String::new(), element()),
        "dblclick" => (ActionKind::DoubleClick, String::new(), element()),
        "hover" => (ActionKind::Hover, String::new(), element()),
        "fill" => (ActionKind::Fill, text(1), element()),
        "press" => (ActionKind::Press, text(1), element()),
        "keyboard_press" => (ActionKind::Press, text(0), None),
        "keyboard_type" | "keyboard_insert_text" => (ActionKind::Type, text(0), None),
        "select_option" => (ActionKind::Select, text(1), element()),
        "upload_file" => (ActionKind::Upload, text(1), element()),
        "drag_and_drop" => (ActionKind::Drag, String::new(), element()),
        "scroll" => (ActionKind::Scroll, format!("{},{}", text(0), text(1)), None),
        "goto" => (ActionKind::Goto, text(0), None),
        "go_back" => (ActionKind::Back, String::new(), None),
        "go_forward" => (ActionKind::Forward, String::new(), None),
        "tab_focus" => (ActionKind::SwitchTab, text(0), None),
        "tab_close" => (ActionKind::CloseTab, String::new(), None),
        "noop" => (ActionKind::WaitFor, String::new(), None),
        _ => return None,
    };
    Some((PlannedAction::new(kind, said), on))
}

/// Returns the name of a call and its positional arguments; named ones are passed over.
fn parts(call: &str) -> Option<(&str, Vec<String>)> {
    let (name, rest) = call.split_once('(')?;
    let inner = rest.trim_end().strip_suffix(')')?;
    let mut arguments = Vec::new();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let (argument, after) = argument(rest)?;
        arguments.extend(argument);
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some((name.trim(), arguments))
}

/// Reads one argument; none of a named one.
fn argument(text: &str) -> Option<(Option<String>, &str)> {
    let quote = text.chars().next()?;
    if quote != '\'' && quote != '"' {
        let end = text.find(',').unwrap_or(text.len());
        let (plain, after) = text.split_at(end);
        if plain.contains('=') {
            return Some((None, after));
        }
        let is_number = plain.trim().parse::<f64>().is_ok() || ["True", "False", "None"].contains(&plain.trim());
        return is_number.then(|| (Some(plain.trim().to_owned()), after));
    }
    let mut out = String::new();
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match (escaped, character) {
            (true, 'n') => out.push('\n'),
            (true, 't') => out.push('\t'),
            (true, other) => out.push(other),
            (false, '\\') => {}
            (false, end) if end == quote => return Some((Some(out), &text[at + end.len_utf8()..])),
            (false, other) => out.push(other),
        }
        escaped = !escaped && character == '\\';
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_whole_or_not_at_all() {
        let read =
            |call: &str| action(call).map(|(action, on)| (action.kind.name(), action.text, on.unwrap_or_default()));
        let is = |kind: &'static str, text: &str, on: &str| Some((kind, text.to_owned(), on.to_owned()));
        assert_eq!(read("click('a51')"), is("click", "", "a51"));
        assert_eq!(
            read("fill(\"12\", 'it\\'s, (ok)', enable_autocomplete_menu=False)"),
            is("fill", "it's, (ok)", "12")
        );
        assert_eq!(read("scroll(0, -200)"), is("scroll", "0,-200", ""));
        assert_eq!(read("noop()"), is("wait_for", "", ""));
        for odd in ["", "click", "click('a", "click(a b)", "send_msg_to_user('x')", "click('a') or 1", "click('a' 'b')"]
        {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
