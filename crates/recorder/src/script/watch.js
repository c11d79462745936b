// Tells the recorder what is done to one document, from a world of its own: the page's scripts can neither see it nor
// speak in its place. Only trusted events count by themselves; an untrusted one is told with the stack of whoever sent
// it, and the recorder judges.
(() => {
  'use strict';
  const say = globalThis.__SAY__;
  if (globalThis.browserLensWatch) return;
  const own = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).get;
  // A form's fields may carry the names of its properties, so these are read through their prototypes.
  const last = own(Element.prototype, 'lastElementChild'), before = own(Element.prototype, 'previousElementSibling');
  const shadow = own(Element.prototype, 'shadowRoot'), nameOf = own(Node.prototype, 'nodeName'),
    textOf = own(Node.prototype, 'textContent');
  const numbers = new WeakMap(), known = new WeakMap(), secret = new WeakSet(), stood = new WeakMap();
  const held = new Map(), ids = new WeakMap();
  const MOST_HELD = 64, MOST_TEXT = 10000, UNTRUSTED_A_SECOND = 10;
  // What follows from an event of one document is not taken for what follows from another's.
  let serial = Math.floor(Math.random() * 2 ** 42) * 1024;
  let cause = 0, clicked = 0, pressed = null, wheel = null, untrusted = 0, dragged = null;
  let pointer = { x: -100, y: -100, at: 0 }, hover = 0, jumps = [], moves = 0;

  // Numbers every element in document order, open shadow trees before an element's own children.
  // Where the page has moved on since, the elements keep the numbers that they have.
  const number = (epoch, count, expected) => {
    let hash = 2166136261;
    const walked = [];
    const open = [document.documentElement];
    while (open.length) {
      const at = open.pop();
      if (!at) continue;
      walked.push(at);
      const name = nameOf.call(at).toLowerCase();
      for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
      hash = Math.imul(hash ^ 32, 16777619);
      for (let c = last.call(at); c; c = before.call(c)) open.push(c);
      const root = shadow.call(at);
      if (root) for (let c = root.lastElementChild; c; c = before.call(c)) open.push(c);
    }
    const seen = [];
    hash >>>= 0;
    if (walked.length !== count || hash !== expected) return JSON.stringify({ count: walked.length, hash, held: seen });
    walked.forEach((element, ordinal) => numbers.set(element, [epoch, ordinal]));
    for (const [key, element] of held) {
      const n = numbers.get(element); if (n && n[0] === epoch) { seen.push([key, n[1]]); held.delete(key); }
    }
    return JSON.stringify({ count, hash, held: seen });
  };
  // What an element is and where it stands, so that a capture that was taken before or comes too late can be searched
  // for it.
  const [MOST_CHARS, MOST_STEPS, MOST_BELOW] = [__LIMITS__];
  // The control that was meant, by its markup: what a capture would say of it.
  const ROLES = {
    button: 'button', checkbox: 'checkbox', image: 'button', number: 'spinbutton', radio: 'radio', range: 'slider',
    reset: 'button', search: 'searchbox', submit: 'button'
  };
  const roleOf = (el) => {
    const said = Element.prototype.getAttribute.call(el, 'role')?.trim().split(/\s+/)[0];
    if (said) return said;
    if (el instanceof HTMLInputElement) return ROLES[el.type] ?? (el.list ? 'combobox' : 'textbox');
    if (el instanceof HTMLSelectElement) return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    if (el instanceof HTMLTextAreaElement || el instanceof HTMLElement && el.isContentEditable) return 'textbox';
    if (el instanceof HTMLButtonElement) return 'button';
    return el instanceof HTMLAnchorElement && el.href ? 'link' : '';
  };
  const calledBy = (el) => {
    const text = (of) => (textOf.call(of) ?? '').trim().replace(/\s+/g, ' ');
    const attribute = (name) => Element.prototype.getAttribute.call(el, name)?.trim();
    const by = (attribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean)
      .map((id) => document.getElementById(id)).filter(Boolean);
    if (by.length) return by.map(text).join(' ');
    if (attribute('aria-label')) return attribute('aria-label');
    const field = el instanceof HTMLInputElement || el instanceof HTMLSelectElement
      || el instanceof HTMLTextAreaElement;
    if (field && el.labels?.length) return [...el.labels].map(text).join(' ');
    if (el instanceof HTMLInputElement && ROLES[el.type] === 'button')
      return attribute('value') ?? attribute('alt') ?? '';
    return (field ? '' : text(el)) || attribute('title') || attribute('placeholder') || '';
  };
  const describe = (elements) => {
    const first = elements[0], steps = [];
    for (const at of elements.slice(0, MOST_STEPS)) {
      let same = 0;
      for (let other = before.call(at); other; other = before.call(other))
        if (nameOf.call(other) === nameOf.call(at)) same++;
      steps.push([nameOf.call(at).toLowerCase(), same]);
    }
    const small = Element.prototype.getElementsByTagName.call(first, '*').length <= MOST_BELOW;
    const text = small ? (textOf.call(first) ?? '').replace(/\s+/g, '') : '';
    const control = elements.slice(0, 8).find((el) => roleOf(el)), role = control ? roleOf(control) : '';
    return {
      r: role, m: role && [...calledBy(control).slice(0, 4 * MOST_CHARS)].slice(0, MOST_CHARS).join(''),
      u: document.URL.split('#')[0], p: steps,
      a: ['id', 'name', 'href'].map((name) => Element.prototype.getAttribute.call(first, name)),
      w: [...text.slice(0, 4 * MOST_CHARS)].slice(0, MOST_CHARS).join('')
    };
  };
  const place = (path) => {
    const elements = path.filter((node) => node instanceof Element);
    if (!elements.length) return null;
    const first = elements[0], n = numbers.get(first);
    const told = { tag: nameOf.call(first).toLowerCase() };
    if (n) { told.n = n; return told; }
    // One element has one number here, however often it is told of.
    told.h = ids.get(first) ?? ++serial;
    ids.set(first, told.h);
    held.set(told.h, first);
    if (held.size > MOST_HELD) held.delete(held.keys().next().value);
    const numbered = elements.find((element) => numbers.has(element));
    if (numbered) told.near = numbers.get(numbered);
    told.d = describe(elements);
    return told;
  };
  const pathTo = (element) => {
    const path = []; for (let at = element; at; at = at.assignedSlot ?? at.parentNode ?? at.host) path.push(at);
    return path;
  };
  const UNTYPED = ['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image', 'hidden'];
  const kindOf = (el) => {
    if (el instanceof HTMLSelectElement) return 'select';
    if (el instanceof HTMLTextAreaElement) return 'text';
    if (el instanceof HTMLInputElement) {
      if (el.type === 'checkbox' || el.type === 'radio' || el.type === 'file') return el.type;
      return UNTYPED.includes(el.type) ? '' : 'text';
    }
    return el instanceof HTMLElement && el.isContentEditable ? 'text' : '';
  };
  const isSecret = (el) => {
    if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return false;
    if (el.type === 'password' || /password|one-time-code|cc-(number|csc)/.test(el.autocomplete ?? '')) secret.add(el);
    return secret.has(el);
  };
  const squeezed = (text) => text.trim().replace(/\s+/g, ' ');
  const valueOf = (el, kind) => {
    switch (kind) {
      case 'select': return [...el.selectedOptions].map((option) => squeezed(option.label)).join(', ');
      case 'checkbox': case 'radio': return String(el.checked);
      case 'file': return [...el.files].map((file) => file.name).join(', ');
      default: return String((el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement ? el.value
        : el.textContent) ?? '').slice(0, MOST_TEXT);
    }
  };
  const valueBefore = (el, kind) => {
    if (known.has(el)) return known.get(el);
    switch (kind) {
      case 'select': {
        const chosen = [...el.options].filter((option) => option.defaultSelected);
        return squeezed((chosen[0] ?? el.options[0])?.label ?? '');
      }
      case 'checkbox': case 'radio': return String(el.defaultChecked);
      case 'file': return '';
      default: return el.defaultValue ?? null;
    }
  };
  const tell = (kind, path, more) => {
    const n = ++serial;
    say(JSON.stringify({ s: n, t: Date.now(), k: kind, n: path && place(path), by: cause || undefined, ...more }));
    return n;
  };
  // A driver that finds its target covered takes its own events back before the page gets them (Playwright does), and
  // tries again: whether the page got a click is told behind it.
  const undecided = new WeakMap();
  const decide = (e, kind) => {
    const by = undecided.get(e);
    if (undecided.delete(e)) tell(kind, null, { by });
  };
  const unlessHeld = (kind, path, e, more) => {
    const n = tell(kind, path, { ...more, undecided: true });
    undecided.set(e, n);
    setTimeout(() => decide(e, e.defaultPrevented ? 'held' : 'reached'), 0);
    causing(n);
    return n;
  };
  const causing = (n) => { cause = n; setTimeout(() => { if (cause === n) cause = 0; }, 0); };
  stood.set(document, [globalThis.scrollX, globalThis.scrollY]);
  // Scrolls are told when they have ended, and before whatever comes next.
  const scrolled = (at) => (at === document ? [globalThis.scrollX, globalThis.scrollY] : [at.scrollLeft, at.scrollTop]);
  const endWheel = (early = true) => {
    if (!wheel) return;
    clearTimeout(wheel.timer);
    const { at, from, turned } = wheel;
    wheel = null;
    const to = scrolled(at);
    stood.set(at, to);
    // What comes at once after a wheel may come before the browser has scrolled.
    const moved = to[0] !== from[0] || to[1] !== from[1];
    const by = moved || !early ? [Math.round(to[0] - from[0]), Math.round(to[1] - from[1])] : turned.map(Math.round);
    if (by[0] || by[1]) tell('scroll', at === document ? null : pathTo(at), { v: `${by[0]}, ${by[1]}` });
  };
  const wheelOf = (at) => {
    // The browser may have scrolled already when it tells of the wheel.
    if (wheel?.at !== at) { endWheel(); wheel = { at, from: stood.get(at) ?? [0, 0], turned: [0, 0], timer: 0 }; }
    clearTimeout(wheel.timer);
    wheel.timer = setTimeout(endWheel, 250, false);
  };
  const canScroll = (at, event) => {
    const style = getComputedStyle(at), able = (v) => v === 'auto' || v === 'scroll';
    return ((event.deltaY || event.touch) && able(style.overflowY) && at.scrollHeight > at.clientHeight)
      || ((event.deltaX || event.touch) && able(style.overflowX) && at.scrollWidth > at.clientWidth);
  };
  // A person's pointer travels; an agent's jumps. Where it jumped to and went from without pressing, it was meant to
  // be; `used` leaves out where it is now.
  const endHover = (used = true) => {
    clearTimeout(hover);
    hover = 0;
    const meant = used ? jumps.slice(0, -1) : jumps;
    jumps = [];
    moves = 0;
    for (const path of meant) if (path[0] instanceof Element && path[0].isConnected) tell('hover', path);
  };
  // A wheel may move what is under the pointer; a script's own scrolling is no action.
  const on = {
    wheel(e, path) {
      if (e.ctrlKey) return;
      endHover();
      const root = document.scrollingElement;
      wheelOf(path.find((at) => at instanceof Element && at !== root && at !== document.body && canScroll(at, e))
        ?? document);
      wheel.turned = [wheel.turned[0] + e.deltaX, wheel.turned[1] + e.deltaY];
    },
    touchmove(e, path) { on.wheel({ deltaX: 0, deltaY: 0, ctrlKey: false, touch: true }, path); },
    scroll(e, path) {
      if (wheel && path[0] === wheel.at) wheelOf(wheel.at); else if (path[0]) stood.set(path[0], scrolled(path[0]));
    },
    mousemove(e, path) {
      const from = pointer;
      // The browser makes moves of its own where the page moves below a pointer that rests.
      if (!e.movementX && !e.movementY || e.clientX === from.x && e.clientY === from.y) return;
      pointer = { x: e.clientX, y: e.clientY, at: e.timeStamp };
      if (e.timeStamp - from.at > 80) endHover(false);
      clearTimeout(hover);
      moves++;
      if (e.buttons || moves > 3 || Math.hypot(e.clientX - from.x, e.clientY - from.y) < 12) { jumps = []; return; }
      jumps.push(path);
      hover = setTimeout(endHover, 700, false);
    },
    mousedown(e, path) {
      endHover(); endWheel();
      pressed = { x: e.clientX, y: e.clientY, place: place(path), button: e.button };
      // What has no number yet is looked at before the click that may come.
      if (pressed.place?.h) tell('aim', path);
      causing(++serial);
    },
    mouseup(e, path) {
      const from = pressed;
      pressed = null;
      causing(++serial);
      if (!from || from.button !== 0 || dragged) return;
      if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > 8)
        causing(clicked = tell('drag', null, {
          n: from.place, to: place(path), at: [from.x + scrollX, from.y + scrollY]
        }));
    },
    dragstart(e, path) { dragged = place(path); },
    drop(e, path) { if (dragged) causing(tell('drag', null, { n: dragged, to: place(path) })); dragged = null; },
    dragend() { dragged = null; },
    click(e, path) {
      // What the browser itself clicks (a label's control, a form's button) comes in the same task as what it follows
      // from.
      endHover(); endWheel();
      if (cause && (e.detail === 0 || cause === clicked)) { tell('click', path, { follows: true }); return; }
      cause = 0;
      clicked = unlessHeld('click', path, e,
        { detail: e.detail, at: e.detail > 0 ? [e.clientX + scrollX, e.clientY + scrollY] : undefined });
    },
    auxclick(e, path) { if (e.button === 1) { cause = 0; causing(tell('click', path, { detail: 1 })); } },
    dblclick(e, path) { cause = 0; unlessHeld('dblclick', path, e); },
    contextmenu(e, path) { cause = 0; unlessHeld('contextmenu', path, e); },
    keydown(e, path) {
      if (e.isComposing
        || ['Shift', 'Control', 'Alt', 'Meta', 'CapsLock', 'Dead', 'Process', 'Unidentified', 'AltGraph']
        .includes(e.key)) return;
      endHover(false); endWheel();
      const typed = path[0] instanceof Element && kindOf(path[0]) === 'text';
      const held = e.ctrlKey || e.altKey || e.metaKey;
      causing(++serial);
      if (e.repeat || (typed && e.key.length === 1 && (!held || e.ctrlKey && e.altKey))) return;
      const key = [e.ctrlKey && 'Control', e.altKey && 'Alt', e.metaKey && 'Meta',
        e.shiftKey && (held || e.key.length > 1) && 'Shift', e.key === ' ' ? 'Space' : e.key].filter(Boolean).join('+');
      cause = 0;
      causing(tell('key', path, { v: key, typed, sec: typed && isSecret(path[0]) || undefined }));
    },
    keyup() { causing(cause || ++serial); },
    input(e, path) { changed(e, path); },
    change(e, path) { changed(e, path); },
  };
  const changed = (e, path) => {
    const el = path[0];
    if (!(el instanceof Element)) return;
    let kind = kindOf(el);
    const host = kind === 'text' && !('value' in el)
      ? (path.findLast((at) => at instanceof HTMLElement && at.isContentEditable) ?? el) : el;
    if (!kind) return;
    const value = valueOf(host, kind), same = valueBefore(host, kind) === value;
    if (same && (e.type === 'change' || !e.isTrusted)) return;
    known.set(host, value);
    endHover(false); endWheel();
    const told = { v: value, c: kind, sec: isSecret(host) || undefined, follows: cause ? true : undefined };
    if (e.isTrusted) tell('value', host === el ? path : pathTo(host), told);
    else asked('value', path, told);
  };
  // Whoever sent an untrusted event stands on the stack that comes with the next console message of this world.
  const asked = (kind, path, more) => {
    if (cause && more.follows) return;
    if (++untrusted > UNTRUSTED_A_SECOND) return;
    if (untrusted === 1) setTimeout(() => { untrusted = 0; }, 1000);
    tell(kind, path, { ...more, u: true });
    console.groupEnd();
  };
  const listen = (e) => {
    const path = e.composedPath();
    if (e.isTrusted) on[e.type](e, path);
    else if (e.type === 'input' || e.type === 'change') changed(e, path);
    else if (e.type === 'click' && !cause && path[0] instanceof Element) asked('click', path, { detail: 1 });
  };
  const leave = () => { endHover(false); endWheel(); };
  const reach = (e) => decide(e, 'reached');
  const arm = () => {
    for (const type of ['click', 'dblclick', 'contextmenu'])
      document.addEventListener(type, reach, { capture: true, passive: true });
     for (const type of Object.keys(on)) globalThis.addEventListener(type, listen, { capture: true, passive: true });
     globalThis.addEventListener('pagehide', leave, true); };
  arm();
  // A document that can be acted on may be left at once.
  if (document.readyState === 'loading' && globalThis === globalThis.top)
    document.addEventListener('DOMContentLoaded', () => tell('ready', null), { once: true });
  // `document.open()` takes every listener off the window, but no observer off the document.
  new MutationObserver(arm).observe(document, { childList: true });
  globalThis.browserLensWatch = { number };
})()
