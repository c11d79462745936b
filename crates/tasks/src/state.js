// Tells the state of a bundled site to whoever checks a task, over a socket that is no request of the page. It stands
// before every script of the page and takes itself away: no look at the page shows it. SETTINGS is put in by the
// server.
(() => {
  'use strict';
  const { port, shift, tell } = SETTINGS;
  document.currentScript.remove();

  // The sites' day is that of their recordings.
  const Clock = Date;
  const now = () => Clock.now() + shift;
  window.Date = new Proxy(Clock, {
    construct: (of, given, as) => Reflect.construct(of, given.length ? given : [now()], as),
    apply: () => new Clock(now()).toString(),
    get: (of, key, as) => (key === 'now' ? now : Reflect.get(of, key, as)),
  });

  // Lists, objects and texts in quotes are read; a bare word or number is a text, whatever JSON would make of it.
  const valueOf = (text) => { try { return /^[[{"]/.test(text) ? JSON.parse(text) : text; } catch { return text; } };
  const stored = (store) => {
    try { return Object.fromEntries(Object.entries(store).map(([key, text]) => [key, valueOf(text)])); } catch {
      return {};
    }
  };
  const words = (element) => (element ? element.textContent.replace(/\s+/g, ' ').trim() : '');
  const roots = (root) =>
    [root, ...[...root.querySelectorAll('*')].filter((each) => each.shadowRoot)
      .flatMap((each) => roots(each.shadowRoot))];
  const named = (field) => field.getAttribute('aria-label')
    || (field.getAttribute('aria-labelledby') || '').split(/\s+/)
      .map((id) => words(id && field.getRootNode().getElementById(id))).join(' ').trim()
    || words(field.labels && field.labels[0]) || field.placeholder || field.name || field.id;
  const held = (field) => {
    if (field.type === 'checkbox' || field.type === 'radio') return field.checked;
    if (field.tagName === 'SELECT') {
      const chosen = [...field.selectedOptions].map(words);
      return field.multiple ? chosen : chosen[0] ?? '';
    }
    return field.type === 'password' ? (field.value ? 'filled' : '') : field.isContentEditable ? words(field)
      : field.value;
  };
  const fields = () => {
    const found = {};
    for (const root of roots(document))
      for (const field of root.querySelectorAll('input:not([type=hidden]), select, textarea'))
        found[named(field)] ??= held(field);
    return found;
  };
  const told = () => Object.fromEntries(Object.entries(tell).map(([name, code]) => {
    try { return [name, (0, eval)(code) ?? null]; } catch { return [name, null]; }
  }));
  const text = () => roots(document)
    .map((root) =>
      (root === document ? document.body?.innerText
        : [...root.children].map((each) => each.innerText ?? '').join('\n'))).join('\n');
  const state = (asked) => JSON.stringify({
    asked, top: window.top === window, seen: document.visibilityState === 'visible',
      path: location.pathname + location.search + location.hash,
    title: document.title, fields: fields(), text: text(), local: stored(localStorage), session: stored(sessionStorage),
      told: told(),
  });

  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  const send = (asked) => { if (socket.readyState === 1) socket.send(state(asked)); };
  let due = 0;
  const soon = () => { due ||= setTimeout(() => { due = 0; send(0); }, 60); };
  socket.addEventListener('open', () => send(0));
  socket.addEventListener('message', (event) => send(Number(event.data)));
  addEventListener('pagehide', () => send(0));
  for (const kind of ['load', 'input', 'change', 'click', 'keyup', 'drop', 'popstate', 'hashchange'])
    addEventListener(kind, soon, true);
})();
