// What the recorder reads of one frame, in an isolated world: the page's own script cannot see or change it, and it keeps real time.
(() => {
  'use strict';
  if (globalThis.browserLens) return;
  const LAYOUT = new Set(['class', 'style', 'hidden', 'src', 'srcset', 'width', 'height', 'open', 'rows', 'cols', 'value']);
  let mutations = 0;
  let lastLayout = performance.now();
  let hear = null;
  const count = (records) => {
    mutations += records.length;
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
  globalThis.browserLens = { begin, end, probe, quiet, css, hear: tell };
})()
