//! Which screen an instruction means, and which is shown.
//!
//! In: ids, URLs, descriptions, pages. Out: a screen, or an error with the nearest ones. Invariant:
//! a filter keeps candidates too.

use super::super::messages::{AgentResponse, Candidate, ExpectedScreen, InstructionContext, Verification};
use super::{Agent, Environment, MOST, MOST_TEXTS, refused};
use crate::model::{IndicatorKind, ScreenDefinition, ScreenId};
use crate::recognise::Recognition;
use crate::translate::nearest::likeness;
use crate::translate::shown;

/// Returns what a text is most like, best first; each is told by its id, its name and other words.
pub(super) fn most_alike<'w, W: IntoIterator<Item = &'w str>>(
    text: &str,
    known: impl Iterator<Item = W>,
) -> Vec<Candidate> {
    let candidate = |words: W| {
        let words: Vec<&str> = words.into_iter().collect();
        let score = words.iter().map(|word| likeness(text, word)).fold(0.0, f64::max);
        Candidate { id: words[0].to_owned(), name: words[1].to_owned(), score }
    };
    let mut scored: Vec<Candidate> = known.map(candidate).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    scored.truncate(MOST);
    scored
}

impl<'k> Agent<'k> {
    pub(super) fn passes(&self, screen: &ScreenDefinition, context: &InstructionContext) -> bool {
        context.content_type.is_none_or(|kind| screen.content_type == kind)
            && (!context.actionable_only.unwrap_or(false) || screen.is_actionable)
            && context.website_id.as_ref().is_none_or(|website| screen.website_id == *website)
    }

    /// The screens that are nearest to a text.
    pub(super) fn near(&self, text: &str, context: &InstructionContext) -> Vec<Candidate> {
        let known = self.knowledge.screens.values().filter(|screen| self.passes(screen, context));
        let words = known.map(|screen| {
            let own = [screen.screen_id.as_str(), &screen.name, &screen.description];
            own.into_iter().chain(screen.example_urls.iter().map(String::as_str))
        });
        most_alike(text, words)
    }

    pub(super) fn recognised(
        &self,
        context: &InstructionContext,
        environment: &Environment<'_>,
    ) -> Option<Recognition> {
        match (environment.page, &context.current_url) {
            (Some(page), _) => Some(self.recogniser.page(page)),
            (None, Some(url)) => Some(self.recogniser.summary(url, context.dom_summary.as_deref().unwrap_or_default())),
            (None, None) => None,
        }
    }

    /// The screen that is shown, as far as it is known.
    pub(super) fn current(
        &self,
        context: &InstructionContext,
        environment: &Environment<'_>,
    ) -> Result<Option<ScreenId>, Box<AgentResponse>> {
        if let Some(id) = &context.current_screen_id {
            if self.knowledge.screens.contains_key(id) {
                return Ok(Some(id.clone()));
            }
            let error = format!("screen {:?}, said to be the current one, is not known", shown(id.as_str()));
            let hint =
                "leave `current_screen_id` out and give `current_url` and `dom_summary`: the screen is recognised then";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(id.as_str(), context))));
        }
        Ok(self.recognised(context, environment).and_then(|recognition| recognition.screen_id))
    }

    /// The screen that a target means: by id, by URL, or by a description that means one.
    pub(super) fn meant(
        &self,
        target: &str,
        context: &InstructionContext,
    ) -> Result<&'k ScreenDefinition, Box<AgentResponse>> {
        if target.is_empty() {
            let error = "`target` is empty".to_owned();
            return Err(refused(error, "give the id of a screen, a URL, or a description"));
        }
        if let Some(screen) = self.knowledge.screens.get(target) {
            return Ok(screen);
        }
        let screens = || self.knowledge.screens.values();
        let seen = || screens().find(|screen| screen.example_urls.iter().any(|url| url == target));
        let by_url = || {
            let recognition = self.recogniser.summary(target, "");
            let best = recognition.nearest.first().filter(|_| target.contains("://"))?;
            let is_alone = recognition.nearest.get(1).is_none_or(|next| next.confidence < best.confidence);
            // A URL alone is 40 % of a screen: enough to mean it where no other screen has as much.
            self.knowledge.screens.get(&best.screen_id).filter(|_| is_alone && best.confidence > 0.39)
        };
        let by_name = || {
            let is_named = |it: &&ScreenDefinition| it.name.eq_ignore_ascii_case(target) && self.passes(it, context);
            let mut named = screens().filter(is_named);
            named.next().filter(|_| named.next().is_none())
        };
        let by_words = || self.knowledge.screens.get(&self.recogniser.description(target).screen_id?);
        seen().or_else(by_url).or_else(by_name).or_else(by_words).ok_or_else(|| {
            let error = format!("screen {:?} is not known", shown(target));
            let hint = "use the id of one of the candidates, or look for the screen with `find_screen`";
            Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(target, context)))
        })
    }

    pub(super) fn expected(&self, id: &ScreenId) -> Option<ExpectedScreen> {
        let screen = self.knowledge.screens.get(id)?;
        let indicators = screen.state_signature.required_indicators.iter();
        let texts = indicators.filter(|it| it.kind == IndicatorKind::DomContains).filter_map(|it| it.value.clone());
        let verification = Verification {
            dom_contains: texts.take(MOST_TEXTS).collect(),
            url_matches: screen.url_patterns.first().cloned(),
        };
        Some(ExpectedScreen {
            screen_id: screen.screen_id.clone(),
            name: screen.name.clone(),
            url_patterns: screen.url_patterns.clone(),
            verification,
        })
    }
}
