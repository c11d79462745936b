// What the recorder reads of one frame, in an isolated world: the page's own script cannot see or change it, and it keeps real time.
(() => {
  'use strict';
  if (globalThis.browserLens) return;
  const LAYOUT = new Set(['class', 'style', 'hidden', 'src', 'srcset', 'width', 'height', 'open', 'rows', 'cols', 'value']);
  let mutations = 0;
  let lastLayout = performance.now();
  let hear = null;
  // Texts that came for a while: of live regions, and of what was added over the page (fixed, or in the top layer) and offers nothing to choose.
  const LIVE = '[role=alert], [role=status], [role=alertdialog], [aria-live=polite], [aria-live=assertive], output';
  const CHOICES = '[role=listbox], [role=menu], [role=tooltip], [role=grid], [role=tree], [role=dialog], dialog, form';
  const LONGEST = 300, MOST_RECORDS = 100, MOST_SHOWN = 50;
  const shown = new Map();
  const fresh = new Set();
  // A form whose fields are named like what is asked for answers with the fields; a drawn element has no inner text.
  const tried = (what, otherwise) => { try { return what(); } catch { return otherwise; } };
  const words = (element) => tried(() =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ? (element.innerText ?? element.textContent).replace(/\s+/g, ' ').trim() : '', '');
  const floats = (element) => {
    for (let at = element, up = 0; at instanceof Element && up < 5; at = at.parentElement, up++) {
      if (getComputedStyle(at).position === 'fixed' || at.matches(':popover-open')) return true;
    }
    return false;
  };
  const see = () => {
    for (const element of fresh) {
      if (!element.isConnected || element.textContent.length > LONGEST || shown.size >= MOST_SHOWN) continue;
      const text = words(element);
      const tells = () => element.matches(LIVE) || floats(element) && !element.closest(CHOICES) && !element.querySelector(CHOICES);
      if (text && tried(tells, false)) shown.set(element, text);
    }
    fresh.clear();
  };
  const freshen = (records) => {
    const before = fresh.size;
    const add = (element) => { if (element && fresh.size < MOST_SHOWN) fresh.add(element); };
    for (const record of records.slice(0, MOST_RECORDS)) {
      const at = record.target instanceof Element ? record.target : record.target.parentElement;
      add(at?.closest(LIVE));
      for (const node of record.addedNodes) if (node instanceof Element) add(node.querySelector(LIVE) ?? node);
    }
    if (!before && fresh.size) requestAnimationFrame(see);
  };
  const notices = () => {
    end();
    const pattern = (text) => text.replace(/\d+/g, '0');
    const gone = [...shown].filter(([element, text]) => pattern(element.isConnected ? words(element) : '') !== pattern(text));
    shown.clear();
    return [...new Set(gone.map(([, text]) => text))];
  };
  const count = (records) => {
    mutations += records.length;
    tried(() => freshen(records));
    hear?.(records);
    for (const r of records) if (r.type !== 'attributes' || LAYOUT.has(r.attributeName)) { lastLayout = performance.now(); break; }
  };
  const observer = new MutationObserver(count);
  const watched = new WeakSet();
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  };
  // Every element, open shadow trees in place.
  const visit = (root, each) => {
    const open = [root];
    while (open.length) {
      const all = open.pop().querySelectorAll('*');
      for (let at = 0; at < all.length; at++) {
        const element = all[at];
        each(element);
        if (element.shadowRoot) open.push(element.shadowRoot);
      }
    }
  };
  const pathOf = (element) => {
    const steps = [];
    for (let at = element; at && at !== document.documentElement;) {
      const parent = at.parentNode;
      if (!parent) return null;
      steps.push(Array.prototype.indexOf.call(parent.children, at));
      if (parent instanceof ShadowRoot) { steps.push('s'); at = parent.host; } else at = parent;
    }
    return steps.reverse().join('/');
  };
  const active = () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element && element !== document.body && element !== document.documentElement ? pathOf(element) : null;
  };
  const begin = () => {
    watch(document);
    visit(document, (element) => { if (element.shadowRoot) watch(element.shadowRoot); });
    return end();
  };
  const end = () => { count(observer.takeRecords()); return mutations; };
  const probe = (began) => {
    let elements = 0;
    const indeterminate = [];
    visit(document, (element) => {
      elements++;
      if (element.indeterminate === true && element.type === 'checkbox') indeterminate.push(pathOf(element));
    });
    return {
      text: document.body?.innerText ?? '', active: active(), focused: document.hasFocus(),
      scroll: [globalThis.scrollX, globalThis.scrollY], indeterminate, elements,
      ready_state: document.readyState, lang: document.documentElement?.lang ?? '', mutations: [0, end() - began],
    };
  };
  const quiet = () => { begin(); return performance.now() - lastLayout; };
  const css = (selector) => {
    const found = [];
    const roots = [document];
    visit(document, (element) => { if (element.shadowRoot) roots.push(element.shadowRoot); });
    for (const root of roots) found.push(...root.querySelectorAll(selector));
    return found;
  };
  // Who else is told of every mutation.
  const tell = (listener) => { hear = listener; };
  globalThis.browserLens = { begin, end, probe, quiet, notices, css, hear: tell };
})()
