//! `truncate/bottom`: the plain baseline of the papers: an observation, cut at its end.
//!
//! In: what another strategy shows (option `of`, by default BrowserGym's tree). Out: as much of its
//! beginning as fits into `budget` tokens (o200k_base). Invariants: nothing is said about the cut;
//! handles that it took are not known; requests are not answered.

use crate::browsergym;
use crate::tool::PeerStrategy;
use browserlens_core::strategy::{
    Observation, OptionsError, OptionsReader, RefTarget, Run, StepInput, StrategyError, Task,
};
use browserlens_core::tokens::{Encoding, Tokens};
use serde_json::{Value, json};
use std::collections::HashSet;

pub(crate) const NAME: &str = "truncate/bottom";
/// Tokens that are shown unless an option says otherwise.
pub(crate) const BUDGET: usize = 2_000;

/// Options: `budget`, the most tokens that are shown, and `of`, the name of another strategy of this
/// crate.
pub(super) fn strategy(options: &Value) -> Result<PeerStrategy, OptionsError> {
    let (name, rest) = take_name(options)?;
    let mut reader = OptionsReader::new(&rest)?;
    reader.flag("of", true)?;
    let budget = read_budget(&mut reader)?;
    reader.finish()?;
    let of = (name != NAME).then(|| crate::build(&name, &json!({}))).flatten().ok_or_else(|| {
        let known: Vec<&str> = crate::names().filter(|known| *known != NAME).collect();
        let reason = format!("names no strategy to cut: is {name:?}, known are {}", known.join(", "));
        OptionsError { option: "of".to_owned(), reason }
    })??;
    let (channel, format) = (of.channel(), of.format());
    let run = move |task: &Task| TruncateRun { budget, of: of.start(task) };
    Ok(PeerStrategy { channel, format, ..PeerStrategy::new(NAME, "1", &browsergym::TREE, run) })
}

/// Takes the name out of the options, so that a reader without texts can read the rest.
fn take_name(options: &Value) -> Result<(String, Value), OptionsError> {
    let mut rest = options.clone();
    let given = rest.as_object_mut().and_then(|options| options.remove("of"));
    let name = match given {
        None => browsergym::NAME.to_owned(),
        Some(Value::String(name)) => name,
        Some(other) => {
            let reason = format!("is {other}, expected the name of a strategy");
            return Err(OptionsError { option: "of".to_owned(), reason });
        }
    };
    Ok((name, rest))
}

/// Reads `budget`.
pub(crate) fn read_budget(reader: &mut OptionsReader<'_>) -> Result<Tokens, OptionsError> {
    let budget = reader.number("budget", BUDGET)?;
    Ok(Tokens(u32::try_from(budget).unwrap_or(u32::MAX)))
}

struct TruncateRun {
    budget: Tokens,
    of: Box<dyn Run>,
}

impl Run for TruncateRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let mut observation = self.of.observe(input)?;
        let shown = Encoding::O200kBase.prefix_within(&observation.text, self.budget).len();
        observation.text.truncate(shown);
        observation.refs = still_shown(&observation.text, observation.refs);
        Ok(observation)
    }
}

/// The handles that a text still holds, each as a word of its own.
pub(crate) fn still_shown(text: &str, refs: Vec<RefTarget>) -> Vec<RefTarget> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let words: HashSet<&str> = text.split(|c| !is_part(c)).collect();
    refs.into_iter().filter(|target| words.contains(target.handle.trim_start_matches(|c| !is_part(c)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Step, outline};
    use browserlens_core::page::Viewport;
    use browserlens_core::strategy::{ActionChannel, Strategy};

    fn observe(options: &Value, step: &Step) -> Observation {
        let task = Task { goal: String::new(), viewport: Viewport::default(), locale: "en-US".to_owned() };
        step.observe(&mut *strategy(options).unwrap_or_else(|error| panic!("{error}")).start(&task))
    }

    #[test]
    fn the_text_is_cut_at_the_budget_and_nothing_else_is_said() {
        let step = crate::browsergym::example();
        let whole = observe(&json!({}), &step);
        let cut = observe(&json!({ "budget": 40 }), &step);
        assert!(whole.text.starts_with(&cut.text) && cut.text.len() < whole.text.len());
        assert_eq!(Encoding::O200kBase.count(&cut.text), Tokens(40));
        assert!(!cut.refs.is_empty() && cut.refs.len() < whole.refs.len());
        insta::assert_snapshot!(cut.text, @r"
        RootWebArea 'Test', focused, url='https://test.test/'
        	[2] heading 'Newsletter', visible
        		InlineTextBox 'Newsletter'
        	[3] paragraph '', visible
        ");
        assert_eq!(observe(&json!({ "budget": 0 }), &step).text, "");
    }

    #[test]
    fn another_strategy_can_be_cut() {
        let options = json!({ "of": "browser-use@0.13.14/dom", "budget": 9 });
        let known = strategy(&options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((known.channel, known.format), (ActionChannel::Ref, crate::browser_use::ELEMENTS.text_format()));
        let step = Step::new(outline("button \"Go\"\n  text \"Go\""));
        let cut = observe(&options, &step);
        assert!(Encoding::O200kBase.count(&cut.text) <= Tokens(9));
        assert!(cut.refs.is_empty());
    }

    #[test]
    fn options_that_mean_nothing_are_named() {
        let error = |options: Value| strategy(&options).err().expect("is refused").to_string();
        assert_eq!(error(json!({ "size": 1 })), "option \"size\": is not known; known are \"of\", \"budget\"");
        assert_eq!(error(json!({ "of": 1 })), "option \"of\": is 1, expected the name of a strategy");
        assert!(error(json!({ "of": NAME })).starts_with("option \"of\": names no strategy to cut"));
        assert!(error(json!({ "of": "x/y" })).contains("raw/html"));
    }

    #[test]
    fn handles_are_kept_where_they_stand_as_words() {
        let target = |handle: &str| RefTarget { handle: handle.to_owned(), key: "1.1.1".parse().expect("a key") };
        let kept =
            still_shown("[12] link '7'\n- button [ref=e5] @e6", ["12", "1", "a7", "e5", "@e6"].map(target).to_vec());
        let handles: Vec<&str> = kept.iter().map(|target| target.handle.as_str()).collect();
        assert_eq!(handles, ["12", "e5", "@e6"]);
    }
}
