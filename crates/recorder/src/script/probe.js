// What the recorder reads of one frame, in an isolated world: the page's own script cannot see or change it, and it
// keeps real time.
(() => {
  'use strict';
  if (globalThis.browserLens) return;
  const LAYOUT =
    new Set(['class', 'style', 'hidden', 'src', 'srcset', 'width', 'height', 'open', 'rows', 'cols', 'value']);
  let mutations = 0;
  let lastLayout = performance.now();
  let hear = null;
  // A form whose fields are named like what is asked for answers with the fields; a drawn element has no inner text.
  const tried = (what, otherwise) => { try { return what(); } catch { return otherwise; } };
  const elementOf = (node) => (node instanceof Element ? node : node.parentElement);

  // ---- texts that came for a while
  // ------------------------------------------------------------------------------------------------ Those of live
  // regions, of what was added over the page (fixed, or in the top layer) and offers nothing to choose, and of what is
  // called a toast and was made visible.
  const LIVE = '[role=alert], [role=status], [role=alertdialog], [aria-live=polite], [aria-live=assertive], output';
  const CHOICES = '[role=listbox], [role=menu], [role=tooltip], [role=grid], [role=tree], [role=dialog], dialog, form';
  const TOASTS = ['toast', 'snack', 'notif', 'alert', 'flash', 'message', 'growl']
    .flatMap((name) => [`[class*=${name} i]`, `[id*=${name} i]`]).join(', ') + ', body > *';
  const LONGEST = 300, MOST_RECORDS = 100, MOST_SHOWN = 50, MOST_TEXTS = 4, MOST_STANDING = 200;
  const shown = new Map();
  // What may be one: whether it was there already, and only its looks changed.
  const fresh = new Map();
  let standing = new WeakMap();
  const words = (element) => tried(() =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      ? (element.innerText ?? element.textContent).replace(/\s+/g, ' ').trim() : '', '');
  const pattern = (text) => text.replace(/\d+/g, '0');
  const floats = (element) => {
    for (let at = element, up = 0; at instanceof Element && up < 5; at = at.parentElement, up++) {
      if (getComputedStyle(at).position === 'fixed' || at.matches(':popover-open')) return true;
    }
    return false;
  };
  const small = (element) => element.textContent.length <= LONGEST;
  const see = () => {
    for (const [element, restyled] of fresh) {
      if (!element.isConnected || !small(element)) continue;
      const text = words(element), known = shown.get(element) ?? [];
      if (!text || known.some((other) => pattern(other) === pattern(text)) || !known.length && shown.size >= MOST_SHOWN)
        continue;
      // What stood there before is no news, though it moves as it goes.
      if (pattern(standing.get(element) ?? '') === pattern(text)) continue;
      const tells = () => element.matches(LIVE)
        || (restyled ? !element.querySelector('a[href], input, select, textarea')
          && (floats(element) || !element.matches('body > *')) : floats(element))
        && !element.closest(CHOICES) && !element.querySelector(CHOICES);
      if (!tried(tells, false)) continue;
      shown.set(element, [...known, text].slice(-MOST_TEXTS));
      // Should the document go away, nobody can be asked any more.
      globalThis.browserLensShown?.(text);
    }
    fresh.clear();
  };
  const freshen = (records) => {
    const before = fresh.size;
    const add = (element, restyled) => {
      if (element && fresh.size < 2 * MOST_SHOWN && !(restyled && fresh.has(element))) fresh.set(element, restyled);
    };
    const read = (record) => {
      const at = elementOf(record.target);
      add(at?.closest(LIVE), false);
      if (record.type === 'attributes') {
        if (LOOKS.has(record.attributeName) && at?.matches(TOASTS) && small(at)) add(at, true); return;
      }
      for (const node of record.addedNodes) if (node instanceof Element) add(node.querySelector(LIVE) ?? node, false);
    };
    // What is laid over a page is mostly put at the end of its body; of a large change the first and the last are read.
    const at = records.length <= 2 * MOST_RECORDS ? records
      : [...records.slice(0, MOST_RECORDS), ...records.slice(-MOST_RECORDS)];
    if (at !== records)
      for (const record of records) if (record.addedNodes.length && record.target === document.body) read(record);
    for (let end = at.length - 1; end >= 0; end--) read(at[end]);
    if (!before && fresh.size) requestAnimationFrame(see);
  };
  const stand = () => {
    standing = new WeakMap();
    for (const element of [...document.querySelectorAll(`${LIVE}, ${TOASTS}`)].slice(0, MOST_STANDING)) {
      const text = small(element) && words(element);
      if (text) standing.set(element, text);
    }
  };
  const notices = () => {
    end();
    const gone = [];
    for (const [element, texts] of shown) {
      const here = pattern(element.isConnected ? words(element) : '');
      gone.push(...texts.filter((text) => pattern(text) !== here));
    }
    shown.clear();
    return [...new Set([...gone, ...tried(unsent, [])])];
  };
  // A form that the browser itself does not send: it says so in a bubble that is no part of the page, and puts the
  // focus there. A page that shows its own words takes the event back.
  let refused = [];
  const unsent = () => {
    const first = refused.find((event) => !event.defaultPrevented)?.target,
      others = new Set(refused.map((event) => event.target)).size - 1;
    refused = [];
    if (!first || document.activeElement !== first || !first.validationMessage) return [];
    const called = [first.labels?.[0]?.textContent, first.ariaLabel, first.placeholder, first.name]
      .map((text) => text?.replace(/\s+/g, ' ').trim()).find(Boolean);
    return [`not sent: ${called ? `${called}: ` : ''}${first.validationMessage}${others ? ` (and ${
      others} more)` : ''}`];
  };

  // ---- what an action changes, and what changes by itself
  // ---------------------------------------------------------------------------
  const STILL_FOR = 300, BATCHES = 6, RECENT = 30000, MOST_LEFT = 1200, MOST_TARGETS = 2000;
  const LOOKS = new Set(['class', 'style', 'hidden', 'open', 'popover']);
  const TOLD =
    new Set(['checked', 'selected', 'disabled', 'readonly', 'role', 'title', 'alt', 'href', 'placeholder',
      'data-state']);
  let attentive = false, acting = false, turns = new Map(), moved = -Infinity, restless = -Infinity, changes = 0,
    telling = 0, stood = new WeakSet(), pressed = -Infinity, pressedIn = [];
  // What changed while nothing was done: how often, and when last.
  const idle = new WeakMap();
  const habit = (element, now, often) => {
    const known = idle.get(element); return known && known.times >= often && now - known.at < RECENT;
  };
  const byItself = (element, now) => {
    if (habit(element, now, 2)) return true;
    for (let at = element.parentElement, up = 0; at && at !== document.body && up < 2; at = at.parentElement, up++)
      if (habit(at, now, 3)) return true;
    return false;
  };
  const CONTENT = 'input, button, select, textarea, a, img, svg, canvas, video, [role]';
  const shows = (element) => element.childElementCount > 20 || element.textContent.trim() !== ''
    || element.matches(CONTENT) || element.querySelector(CONTENT) !== null;
  const tells = (record) => {
    if (record.type === 'characterData') return true;
    if (record.type === 'attributes') return !LOOKS.has(record.attributeName) || shows(record.target);
    return [...record.addedNodes, ...record.removedNodes].slice(0, 5)
      .some((node) => (node instanceof Element ? shows(node) : node.textContent.trim() !== ''));
  };
  // Says that something changed at an element; whether an action can have done it.
  const changed = (element, now) => {
    if (!acting) {
      const known = idle.get(element);
      if (!known || now - known.at > RECENT) idle.set(element, { times: 1, at: now });
      else if (now - known.at > 40) { known.times++; known.at = now; }
      return false;
    }
    if (byItself(element, now)) return false;
    const turn = turns.get(element) ?? { times: 0, first: now, at: now };
    if (turn.at !== now || !turn.times) turn.times++;
    turn.at = now;
    turns.set(element, turn);
    if (turn.times > BATCHES && now - turn.first > STILL_FOR) { restless = now; return false; }
    moved = now;
    return true;
  };
  const weigh = (records) => {
    const now = performance.now(), seen = new Set();
    for (const record of records) {
      const name = record.attributeName;
      if (record.type === 'attributes' && !LAYOUT.has(name) && !TOLD.has(name) && !name.startsWith('aria-')) continue;
      const element = elementOf(record.target) ?? document.documentElement;
      if (!element || seen.has(element)) continue;
      if (seen.size >= MOST_TARGETS) { if (acting) { moved = now; changes++; telling++; } return; }
      seen.add(element);
      if (!changed(element, now)) continue;
      changes++;
      if (seen.size > 20 || tried(() => tells(record), true)) telling++;
    }
  };
  const editable = (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
    || element instanceof HTMLSelectElement || element?.isContentEditable === true;
  const hearEvents = () => {
    const on = (type, heard) =>
      addEventListener(type, (event) => { if (acting) heard(event.composedPath()[0], performance.now()); }, {
        capture: true, passive: true
      });
    for (const type of ['input', 'change', 'toggle']) on(type, (at, now) => { moved = now; changes++; telling++; });
    addEventListener('invalid', (event) => { if (acting) refused.push(event); }, { capture: true, passive: true });
    on('scroll', (at, now) => changed(at instanceof Element ? at : document.documentElement, now));
    addEventListener('pointerdown', (event) => { [pressed, pressedIn] = [performance.now(), event.composedPath()]; },
      { capture: true, passive: true });
    // A button that is pressed has the focus besides; that alone is no outcome.
    on('focusin', (at, now) => { if (editable(at) || now - pressed > 50) { moved = now; changes++; } });
  };
  // Nobody waits for colours.
  const DECOR = new RegExp('^(color|background|border|box-?shadow|outline|fill|stroke|filter|backdrop|text|caret|'
    + 'accent|offset$|easing|composite|computed)', 'i');
  const PLACES = /^(transform|translate|scale|rotate)$/;
  const propertiesOf = (animation) => animation.transitionProperty ? [animation.transitionProperty]
    : animation.effect.getKeyframes().flatMap((frame) => Object.keys(frame));
  // A document knows only of what moves outside of shadow trees.
  const animations = () => {
    for (const root of shadows) if (!root.host.isConnected) shadows.delete(root);
    return [document, ...shadows].flatMap((root) => root.getAnimations().slice(0, 200));
  };
  // Whether the pointer over it may be all that moves it: not where a script does, nor where it began after the press
  // of something in it, as a sheet that slides away.
  const isHovering = (animation, target) => target.matches(':hover')
    && (animation instanceof CSSTransition || animation instanceof CSSAnimation)
    && !((animation.startTime ?? Infinity) > pressed && pressedIn.indexOf(target) > 0);
  // In how many ms what moves, shows or hides something comes to its end.
  const moving = () => {
    let most = 0;
    for (const animation of animations()) {
      if (stood.has(animation) || animation.playState !== 'running') continue;
      const effect = animation.effect, target = effect?.target;
      const left =
        (effect?.getComputedTiming().endTime - animation.currentTime) / Math.abs(animation.playbackRate || 1);
      if (!(left > most && left <= MOST_LEFT) || !target || !shows(target)) continue;
      const hovers = isHovering(animation, target);
      if (propertiesOf(animation).some((name) => !DECOR.test(name) && !(hovers && PLACES.test(name)))) most = left;
    }
    return most;
  };
  let visited = -1;
  const heed = () => { if (!attentive) { attentive = true; hearEvents(); } };
  const attend = () => {
    heed();
    begin();
    [turns, moved, restless, changes, telling, acting, refused] = [new Map(), -Infinity, -Infinity, 0, 0, true, []];
    stood = new WeakSet(tried(animations, []));
    tried(stand);
  };
  const frames = () => new Promise((done) => {
    setTimeout(done, 100); requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
  });
  // After two frames: for how long nothing has changed that the action can have changed, for how long nothing that was
  // new and turned out to go on, how much changed in all, how much of it says something, and how long what moves goes
  // on.
  const rest = async () => {
    if (!acting) { attend(); moved = performance.now(); changes = telling = 1; }
    if (!document.hidden) await frames();
    if (visited !== mutations) begin(); else end();
    visited = mutations;
    const now = performance.now(), long = (since) => Math.min(now - since, 1e6);
    return [long(moved), long(restless), changes, telling, tried(moving, 0)];
  };
  // The action is over; returns what was shown meanwhile.
  const over = () => {
    const told = notices(), now = performance.now();
    for (const [element, turn] of turns)
      if (turn.times > BATCHES && now - turn.at < 150) idle.set(element, { times: 3, at: now });
    [acting, turns] = [false, new Map()];
    return told;
  };

  const count = (records) => {
    if (!records.length) return;
    mutations += records.length;
    if (attentive) { tried(() => freshen(records)); tried(() => weigh(records)); }
    hear?.(records);
    for (const r of records)
      if (r.type !== 'attributes' || LAYOUT.has(r.attributeName)) { lastLayout = performance.now(); break; }
  };
  const observer = new MutationObserver(count);
  const watched = new WeakSet(), shadows = new Set();
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    if (root !== document) shadows.add(root);
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
  const quiet = () => { heed(); begin(); return performance.now() - lastLayout; };
  const css = (selector) => {
    const found = [];
    const roots = [document];
    visit(document, (element) => { if (element.shadowRoot) roots.push(element.shadowRoot); });
    for (const root of roots) found.push(...root.querySelectorAll(selector));
    return found;
  };
  // Who else is told of every mutation.
  const tell = (listener) => { hear = listener; };
  globalThis.browserLens = { begin, end, probe, quiet, css, attend, rest, over, hear: tell };
})()
