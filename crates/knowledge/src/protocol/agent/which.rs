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

impl<'k> Agent<'k> {
    pub(super) fn passes(&self, screen: &ScreenDefinition, context: &InstructionContext) -> bool {
        context.content_type.is_none_or(|kind| screen.content_type == kind)
            && (!context.actionable_only.unwrap_or(false) || screen.is_actionable)
            && context.website_id.as_ref().is_none_or(|website| screen.website_id == *website)
    }

    /// The screens that are nearest to a text.
    pub(super) fn near(&self, text: &str, context: &InstructionContext) -> Vec<Candidate> {
        let mut scored: Vec<Candidate> = self
            .knowledge
            .screens
            .values()
            .filter(|screen| self.passes(screen, context))
            .map(|screen| {
                let score = [screen.screen_id.as_str(), &screen.name, &screen.description]
                    .into_iter()
                    .chain(screen.example_urls.iter().map(String::as_str))
                    .map(|known| likeness(text, known))
                    .fold(0.0, f64::max);
                Candidate { id: screen.screen_id.to_string(), name: screen.name.clone(), score }
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        scored.truncate(MOST);
        scored
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
        let by_url = || {
            self.knowledge.screens.values().find(|screen| screen.example_urls.iter().any(|url| url == target)).or_else(
                || {
                    let recognition = self.recogniser.summary(target, "");
                    let best = recognition.nearest.first().filter(|_| target.contains("://"))?;
                    let is_alone = recognition.nearest.get(1).is_none_or(|next| next.confidence < best.confidence);
                    // A URL alone is 40 % of a screen: enough to mean it where no other screen has
                    // as much.
                    (is_alone && best.confidence > 0.39).then(|| self.knowledge.screens.get(&best.screen_id)).flatten()
                },
            )
        };
        let by_name = || {
            let mut named = self
                .knowledge
                .screens
                .values()
                .filter(|screen| screen.name.eq_ignore_ascii_case(target) && self.passes(screen, context));
            named.next().filter(|_| named.next().is_none())
        };
        let by_words = || {
            let found = self.recogniser.description(target);
            found.screen_id.and_then(|id| self.knowledge.screens.get(&id))
        };
        by_url().or_else(by_name).or_else(by_words).ok_or_else(|| {
            let error = format!("screen {:?} is not known", shown(target));
            let hint = "use the id of one of the candidates, or look for the screen with `find_screen`";
            Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(target, context)))
        })
    }

    pub(super) fn expected(&self, id: &ScreenId) -> Option<ExpectedScreen> {
        let screen = self.knowledge.screens.get(id)?;
        let mut verification =
            Verification { url_matches: screen.url_patterns.first().cloned(), ..Verification::default() };
        for indicator in &screen.state_signature.required_indicators {
            if let (IndicatorKind::DomContains, Some(value)) = (indicator.kind, &indicator.value)
                && verification.dom_contains.len() < MOST_TEXTS
            {
                verification.dom_contains.push(value.clone());
            }
        }
        Some(ExpectedScreen {
            screen_id: screen.screen_id.clone(),
            name: screen.name.clone(),
            url_patterns: screen.url_patterns.clone(),
            verification,
        })
    }
}
