//! What can be done on each screen, said as browser-use actions.
//!
//! In: a [`Knowledge`] and a profile. Out: the same, with `available_browser_use_actions` of its
//! screens. Invariants: every action is valid by the schema of its tool; nothing holds the number
//! of a node, since that is true of one page only: nodes are looked for by selector or by role and
//! name when the action is done.

use crate::model::{BrowserUseAction, Knowledge};
use crate::translate::{Context, Profile, translate};

/// Fills in what can be done on each screen; returns how many actions the profile cannot say
/// without a page.
pub fn fill_available_actions(knowledge: &mut Knowledge, profile: Profile) -> u32 {
    let context = Context { late: true, ..Context::default() };
    let mut unsaid = 0;
    knowledge.screens.values_mut().for_each(|screen| screen.available_browser_use_actions.clear());
    for action in knowledge.actions.values().filter(|action| !action.screen_ids.is_empty()) {
        let Ok(calls) = translate(action, profile, &context) else {
            unsaid += 1;
            continue;
        };
        for id in &action.screen_ids {
            let here = calls.iter().map(|call| BrowserUseAction { screen_id: Some(id.clone()), ..call.clone() });
            if let Some(screen) = knowledge.screens.get_mut(id) {
                screen.available_browser_use_actions.extend(here);
            }
        }
    }
    unsaid
}
