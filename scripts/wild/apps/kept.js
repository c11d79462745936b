// What the small applications share: state that stays in the page's storage, where a task's check reads it.

/** Returns a value of the storage; `first` where nothing was kept yet. */
export const kept = (name, first) => JSON.parse(localStorage.getItem(name) ?? JSON.stringify(first));

/** Keeps a value. */
export const keep = (name, value) => localStorage.setItem(name, JSON.stringify(value));
