//! From a target in words to the one node that it means.
//!
//! In: a [`Target`] and what was seen. Out: the node, or an error that lists the candidates. Role,
//! name and text are matched on the parsed page, CSS by the browser (open shadow roots included).
//! Invariant: a target that matches none or several is an error.

use crate::capture::{LookedFrame, ParsedCapture};
use crate::driver::Driver;
use crate::error::RecordError;
use crate::socket::CallError;
use browserlens_core::page::{NodeId, NodeKey, NodeKind, Page};
use browserlens_trace::Canonicalizer;
use browserlens_trace::scenario::{Target, TargetBy};
use serde_json::{Value, json};

const MOST_CANDIDATES: usize = 10;

impl Driver {
    /// Returns every node that a target matches, in document order, `nth` applied.
    pub(crate) async fn matches(
        &self,
        target: &Target,
        seen: &ParsedCapture,
        canonicalizer: &Canonicalizer,
    ) -> Result<Vec<NodeId>, CallError> {
        // Innermost last: scopes are narrowed from the outermost `within` inwards.
        let mut chain = vec![target];
        while let Some(within) = chain.last().and_then(|target| target.within.as_deref()) {
            chain.push(within);
        }
        let mut scopes: Option<Vec<NodeId>> = None;
        for target in chain.into_iter().rev() {
            let mut found = match &target.by {
                TargetBy::Css { selector, .. } => self.by_css(selector, seen, canonicalizer).await?,
                _ => Target { by: target.by.clone(), within: None, nth: None }.matches(&seen.page),
            };
            if let Some(scopes) = &scopes {
                found.retain(|node| scopes.iter().any(|scope| scope != node && seen.page.node(*scope).holds(*node)));
            }
            if let Some(nth) = target.nth {
                found = found.get(nth as usize).copied().into_iter().collect();
            }
            scopes = Some(found);
        }
        Ok(scopes.unwrap_or_default())
    }

    async fn by_css(
        &self,
        selector: &str,
        seen: &ParsedCapture,
        canonicalizer: &Canonicalizer,
    ) -> Result<Vec<NodeId>, CallError> {
        let mut found = Vec::new();
        for frame in &seen.frames {
            let Some(number) = canonicalizer.known_frame(&frame.frame) else { continue };
            let expression = format!("browserLens.css({})", Value::from(selector));
            let params =
                json!({ "expression": expression, "contextId": frame.own_world, "objectGroup": "browserlens" });
            let reply = self.call(&frame.session, "Runtime.evaluate", &params).await?.value();
            if let Some(thrown) = reply.get("exceptionDetails") {
                let text = thrown["exception"]["description"].as_str().unwrap_or("the selector is not valid");
                return Err(CallError::Refused { message: text.lines().next().unwrap_or("").to_owned() });
            }
            let Some(list) = reply["result"]["objectId"].as_str() else { continue };
            let own = json!({ "objectId": list, "ownProperties": true });
            let properties = self.call(&frame.session, "Runtime.getProperties", &own).await?.value();
            for property in properties["result"].as_array().into_iter().flatten() {
                let object = &property["value"]["objectId"];
                let is_item = property["name"].as_str().is_some_and(|name| name.parse::<u32>().is_ok());
                if !is_item || object.is_null() {
                    continue;
                }
                let backend = self.backend_of(&frame.session, object).await?.unwrap_or(0);
                let node = canonicalizer.key(number, backend).and_then(|key| seen.page.find(key));
                found.extend(node.map(|node| node.id()));
            }
        }
        found.sort_unstable();
        found.dedup();
        let visible = |node: &NodeId| seen.page.node(*node).subtree().any(|below| below.is_visible());
        // A node that cannot be seen only counts where nothing that can be seen matches: file
        // inputs are often hidden.
        if found.iter().any(&visible) {
            found.retain(visible);
        }
        Ok(found)
    }

    /// Returns the one node that a target matches.
    pub(crate) async fn resolve(
        &self,
        action: &str,
        target: &Target,
        seen: &ParsedCapture,
        canonicalizer: &Canonicalizer,
    ) -> Result<NodeId, RecordError> {
        let (step, action, words) = (self.step, action.to_owned(), target.to_string());
        let found = match self.matches(target, seen, canonicalizer).await {
            Err(CallError::Refused { message: reason }) => {
                return Err(RecordError::NotActionable { step, action, target: words, reason });
            }
            found => found.map_err(self.failed("finding the action node"))?,
        };
        if let [node] = found[..] {
            return Ok(node);
        }
        let candidates = candidates(target, &found, &seen.page);
        Err(RecordError::Target { step, action, target: words, found: found.len(), candidates })
    }

    /// Returns the frame and the raw backend node id of a node that was seen, if its document is
    /// still shown.
    pub(crate) fn place_of<'s>(
        &self,
        key: NodeKey,
        seen: &'s ParsedCapture,
        canonicalizer: &Canonicalizer,
    ) -> Option<(&'s LookedFrame, i64)> {
        if canonicalizer.current_loader(key.frame) != Some(key.loader) {
            return None;
        }
        let (frame, backend) = canonicalizer.raw_backend(key)?;
        Some((seen.frames.iter().find(|known| known.frame == frame)?, backend))
    }
}

/// Returns up to ten nodes in words: those that match, or those that come near.
fn candidates(target: &Target, found: &[NodeId], page: &Page) -> Vec<String> {
    let words = |node: NodeId| {
        let node = page.node(node);
        let short: String = node.name().chars().take(60).collect();
        if node.role().is_empty() { format!("<{}>", node.tag()) } else { format!("{} {short:?}", node.role()) }
    };
    if !found.is_empty() {
        return found.iter().take(MOST_CANDIDATES).map(|node| words(*node)).collect();
    }
    let TargetBy::Role { role, name } = &target.by else { return Vec::new() };
    let wanted = name.as_deref().unwrap_or("").to_lowercase();
    let near = |name: &str| {
        let name = name.to_lowercase();
        !wanted.is_empty() && !name.is_empty() && (name.contains(&wanted) || wanted.contains(&name))
    };
    let mut scored: Vec<(u8, NodeId)> = page
        .nodes()
        .filter(|node| node.kind() == NodeKind::Element && !node.role().is_empty() && node.is_visible())
        .filter_map(|node| match (node.role() == role, near(node.name())) {
            (true, true) => Some((0, node.id())),
            (false, true) => Some((1, node.id())),
            (true, false) => Some((2, node.id())),
            (false, false) => None,
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(MOST_CANDIDATES).map(|(_, node)| words(node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    #[test]
    fn candidates_of_a_target_without_match_are_those_that_come_near() {
        let page = PageBuilder::outline(
            "link \"Add to cart now\"\nbutton \"Save\"\nbutton \"Add to cart\"\nbutton \"Cancel\"",
        );
        let near = candidates(&Target::role("button", "Add to cart now"), &[], &page);
        assert_eq!(
            near,
            ["button \"Add to cart\"", "link \"Add to cart now\"", "button \"Save\"", "button \"Cancel\""]
        );
    }
}
