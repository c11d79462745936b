//! Sets aside what was told while a page is looked at in another way, as a search does that must
//! see all of it.
//!
//! In: other options. Out: what was told, to be taken up again. Invariants: what is observed in
//! between changes nothing of what was told before, nor what its handles mean; refs are shared, and
//! what was given in between is good afterwards.

use super::{Lens, LensOptions, Memory, router_of};
use crate::budget::Handles;
use crate::refs::Acting;
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::Ref;
use std::sync::Arc;

/// What was told, while something else is looked at.
pub struct Aside {
    options: LensOptions,
    memory: Memory,
    handles: Handles,
}

browserlens_core::opaque_debug!(self: Aside { options: self.options });

impl Lens {
    /// Sets aside what was told, and works by other options until [`Lens::take_up`].
    pub fn set_aside(&mut self, options: LensOptions) -> Aside {
        self.router = router_of(&options);
        let options = std::mem::replace(&mut self.options, options);
        Aside { options, memory: std::mem::take(&mut self.memory), handles: self.handles.clone() }
    }

    /// Goes on from what was set aside.
    pub fn take_up(&mut self, aside: Aside) {
        let Aside { options, memory, mut handles } = aside;
        self.router = router_of(&options);
        let looked = std::mem::replace(&mut self.memory, memory).current;
        // A number that was used in between is not used again.
        handles.after(&self.handles);
        (self.options, self.handles) = (options, handles);
        let Some(current) = &self.memory.current else { return };
        if looked.is_some_and(|looked| Arc::ptr_eq(&looked.view, &current.view)) {
            return;
        }
        let acting = Acting::of(&current.page, &current.view, self.options.style.heading_refs);
        self.refs.meet(&current.view, &acting);
    }

    /// Returns the node that a ref means on the page observed last, also of what was left out
    /// there.
    pub fn node(&self, reference: Ref) -> Option<NodeKey> {
        let view = &self.memory.current.as_ref()?.view;
        let item = (0..view.tree.len() as u32).find(|id| self.refs.get(*id) == Some(reference))?;
        Some(view.meta[item as usize].key)
    }
}
