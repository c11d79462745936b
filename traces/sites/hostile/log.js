// Draws the log: one entry a decision, the newest first, and above it an appeal as long as a book.
(() => {
  'use strict';
  const { made, names, appeal } = window.Words;
  const COUNT = 2400;
  const VERBS = ['kept', 'removed', 'sent back', 'merged'];
  document.title = 'Log | Quayside Market';
  document.getElementById('status').textContent = COUNT.toLocaleString('en-US') + ' decisions, newest first; yesterday 31 of 44 were appealed';
  document.getElementById('appeal').textContent = appeal();
  const log = document.getElementById('log');
  for (let at = 0; at < COUNT; at += 1) {
    const entry = made('li', (4416 - at) + ' ' + VERBS[(at * 7) % VERBS.length] + ' by ' + names[(at * 5) % names.length]);
    entry.dataset.key = String(4416 - at);
    log.append(entry);
  }
})();
