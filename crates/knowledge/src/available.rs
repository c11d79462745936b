//! What can be done on each screen, said as browser-use actions.
//!
//! In: a [`Knowledge`] and a profile. Out: the same, with `available_browser_use_actions` of its
//! screens. Invariants: every action is valid by the schema of its tool; nothing holds the number
//! of a node, since that is true of one page only: nodes are looked for by selector or by role and
//! name when the action is done.

use crate::model::{BrowserUseAction, Knowledge, ScreenId};
use crate::translate::{Context, Profile, translate};
use std::collections::BTreeMap;

/// Fills in what can be done on each screen; returns how many actions the profile cannot say
/// without a page.
pub fn fill_available_actions(knowledge: &mut Knowledge, profile: Profile) -> u32 {
    let context = Context { late: true, ..Context::default() };
    let mut by_screen: BTreeMap<&ScreenId, Vec<BrowserUseAction>> = BTreeMap::new();
    let mut unsaid = 0;
    for action in knowledge.actions.values().filter(|action| !action.screen_ids.is_empty()) {
        match translate(action, profile, &context) {
            Ok(calls) => {
                for screen in &action.screen_ids {
                    let here =
                        calls.iter().map(|call| BrowserUseAction { screen_id: Some(screen.clone()), ..call.clone() });
                    by_screen.entry(screen).or_default().extend(here);
                }
            }
            Err(_) => unsaid += 1,
        }
    }
    let mut by_screen: BTreeMap<ScreenId, Vec<BrowserUseAction>> =
        by_screen.into_iter().map(|(screen, actions)| (screen.clone(), actions)).collect();
    for (id, screen) in &mut knowledge.screens {
        screen.available_browser_use_actions = by_screen.remove(id).unwrap_or_default();
    }
    unsaid
}
