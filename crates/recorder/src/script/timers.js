// Watches which timers an action sets, from its first event to the answer. The page's own functions are wrapped for
// that time only, and do what they always do; what watches is held by the recorder alone, so that no script of the page
// can reach it.
(() => {
  'use strict';
  const page = globalThis, now = performance.now.bind(performance), PageError = Error;
  // Longer timers are for later: polls, timeouts, toasts that go away.
  const LONGEST = 1100, MOST = 300, MOMENT = 50, BEFORE_ANSWER = 60, AFTER_ANSWER = 120, UNKNOWN = 250, LATE = 8,
    DEEPEST = 3, VAIN = 2;
  const INPUTS =
    new Set(['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu',
      'keydown', 'keyup', 'keypress', 'beforeinput', 'input', 'change',
    'focus', 'focusin', 'blur', 'focusout', 'submit', 'reset', 'select', 'wheel', 'dragstart', 'dragenter', 'dragover',
      'drop', 'dragend', 'toggle', 'close',
    'mousemove', 'mouseover', 'mouseenter', 'mouseout', 'mouseleave', 'pointermove', 'pointerover', 'pointerenter',
      'pointerout', 'pointerleave']);
  // By where a timer is set and for how long: those that the page sets by itself, and how often one was waited for and
  // nothing came of it.
  const byItself = new Set(), vain = new Map();
  let set = null, clear = null, realSet, realClear, timers = [], asked;
  const keyOf = (delay) => {
    // A page that reads stacks would see that one is made.
    const stack = typeof PageError.prepareStackTrace === 'function' ? '' : new PageError().stack;
    return delay + '|' + String(stack).slice(0, 1500);
  };
  const note = (id, args) => {
    const delay = Math.max(0, +args[1] || 0), at = now();
    if (timers.length >= MOST || delay > LONGEST) return;
    timers.push({ id, at, due: at + delay, input: INPUTS.has(page.event?.type), key: keyOf(delay), depth: 0 });
  };
  const arm = () => {
    [timers, asked] = [[], undefined];
    if (set && page.setTimeout === set) return;
    if (typeof page.setTimeout !== 'function' || typeof page.clearTimeout !== 'function') return;
    [realSet, realClear] = [page.setTimeout, page.clearTimeout];
    set = new Proxy(realSet, { apply(target, self, args) {
      const id = Reflect.apply(target, self, args);
      try { if (page.setTimeout === set) note(id, args); } catch { /* what cannot be noted is not waited for */ }
      return id;
    } });
    clear = new Proxy(realClear, { apply(target, self, args) {
      try { for (const timer of timers) if (timer.id === args[0]) timer.gone = true; } catch { /* the same */ }
      return Reflect.apply(target, self, args);
    } });
    try { page.setTimeout = set; page.clearTimeout = clear; } catch { set = clear = null; }
  };
  const disarm = () => {
    if (set && page.setTimeout === set) page.setTimeout = realSet;
    if (clear && page.clearTimeout === clear) page.clearTimeout = realClear;
    [set, clear, timers] = [null, null, []];
  };
  // Whether a timer was set by the action: in the handler of its events, a moment after them, after an answer that it
  // asked for, or by such a timer.
  const isSetOff = (timer, from, answer) => {
    if ((vain.get(timer.key) ?? 0) >= VAIN) return false;
    if (timer.input) return true;
    if (timer.at < from) { byItself.add(timer.key); return false; }
    if (byItself.has(timer.key)) return false;
    if (timer.at <= asked + MOMENT || timer.at >= answer - BEFORE_ANSWER && timer.at <= answer + AFTER_ANSWER)
      return true;
    const cause =
      timers.find((other) => other.ours && other.key !== timer.key && other.depth < DEEPEST
        && timer.at >= other.due - 2 && timer.at <= other.due + LATE + 4);
    if (cause) { timer.depth = cause.depth + 1; return true; }
    // The page may have had the answer before it was told of here.
    if (now() - timer.at < UNKNOWN) return undefined;
    byItself.add(timer.key);
    return false;
  };
  // In how many ms the last timer of the action will have run; the arguments: how long ago the action began and an
  // answer came (less than 0: none).
  const state = (since, answered) => {
    const at = now();
    asked ??= at;
    let wait = 0;
    for (const timer of timers) {
      timer.ours ??= isSetOff(timer, at - since - 5, answered < 0 ? Infinity : at - answered);
      if (timer.ours && !timer.gone) wait = Math.max(wait, timer.due + LATE - at);
    }
    return wait;
  };
  // Those that have just run brought nothing.
  const inVain = () => {
    for (const timer of timers) {
      if (!timer.ours || timer.gone || timer.vain || timer.due > now()) continue;
      timer.vain = true;
      vain.set(timer.key, (vain.get(timer.key) ?? 0) + 1);
    }
  };
  arm();
  return { arm, disarm, state, inVain };
})()
