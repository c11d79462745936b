// The page's time: Date, timers, animation frames, idle callbacks, performance and chance, in the main world.
// It stands still until the recorder advances it. __EPOCH__, __NOW__ and __SEED__ are put in by the recorder.
(() => {
  'use strict';
  const key = Symbol.for('browserlens.clock');
  if (globalThis[key]) return;
  const epoch = __EPOCH__;
  const origin = __NOW__;
  let now = origin;

  const real = {
    setTimeout: globalThis.setTimeout.bind(globalThis), frame: globalThis.requestAnimationFrame?.bind(globalThis),
    report: globalThis.reportError?.bind(globalThis)
  };
  const RealDate = Date;
  const define = (on, name, value) => Object.defineProperty(on, name, {
    value, writable: true, configurable: true,
    enumerable: Object.getOwnPropertyDescriptor(on, name)?.enumerable ?? false
  });
  const getter = (on, name, get) => {
    const old = Object.getOwnPropertyDescriptor(on, name); if (old) Object.defineProperty(on, name, { ...old, get });
  };
  const wall = () => Math.floor(epoch + now);

  // ---- Date -------------------------------------------------------------------------------------------------
  const FakeDate = new Proxy(RealDate, {
    apply: () => new RealDate(wall()).toString(),
    construct: (target, args, made) =>
      Reflect.construct(target, args.length ? args : [wall()], made === FakeDate ? target : made),
  });
  define(RealDate, 'now', function now() { return wall(); });
  define(RealDate.prototype, 'constructor', FakeDate);
  define(globalThis, 'Date', FakeDate);
  const formatter = Intl.DateTimeFormat.prototype;
  const realFormat = Object.getOwnPropertyDescriptor(formatter, 'format').get;
  getter(formatter, 'format', function format() {
    const bound = realFormat.call(this); return (date) => bound(date === undefined ? wall() : date);
  });
  const realParts = formatter.formatToParts;
  define(formatter, 'formatToParts', function formatToParts(date) {
    return realParts.call(this, date === undefined ? wall() : date);
  });
  if (globalThis.Temporal?.Now) {
    const T = globalThis.Temporal;
    const instant = () => T.Instant.fromEpochMilliseconds(wall());
    const zoned = (zone = T.Now.timeZoneId()) => instant().toZonedDateTimeISO(zone);
    define(T.Now, 'instant', instant);
    define(T.Now, 'zonedDateTimeISO', zoned);
    define(T.Now, 'plainDateTimeISO', (zone) => zoned(zone).toPlainDateTime());
    define(T.Now, 'plainDateISO', (zone) => zoned(zone).toPlainDate());
    define(T.Now, 'plainTimeISO', (zone) => zoned(zone).toPlainTime());
  }
  define(Performance.prototype, 'now', function now_() { return now - origin; });
  getter(Performance.prototype, 'timeOrigin', () => epoch + origin);
  const stamps = new WeakMap();
  getter(Event.prototype, 'timeStamp', function timeStamp() {
    if (!stamps.has(this)) stamps.set(this, now - origin); return stamps.get(this);
  });

  // ---- timers -----------------------------------------------------------------------------------------------
  const timers = new Map();
  let lastId = 0;
  let nesting = 0;
  const add = (run, delay, args, every) => {
    const wanted = Number(delay);
    const least = nesting >= 5 ? 4 : every ? 1 : 0;
    const wait = Math.max(least, wanted > 0 && wanted < 2147483648 ? Math.floor(wanted) : 0);
    const id = ++lastId;
    timers.set(id, { id, due: now + wait, run, args, every: every ? Math.max(1, wait) : 0, depth: nesting + 1 });
    return id;
  };
  define(globalThis, 'setTimeout', function setTimeout(run, delay, ...args) { return add(run, delay, args, false); });
  define(globalThis, 'setInterval', function setInterval(run, delay, ...args) { return add(run, delay, args, true); });
  define(globalThis, 'clearTimeout', function clearTimeout(id) { timers.delete(Number(id)); });
  define(globalThis, 'clearInterval', function clearInterval(id) { timers.delete(Number(id)); });
  if (globalThis.scheduler?.postTask) {
    const post = Scheduler.prototype.postTask;
    define(Scheduler.prototype, 'postTask', function postTask(run, options = {}) {
      const { delay, ...rest } = options;
      if (!(delay > 0)) return post.call(this, run, options);
      return new Promise((done, fail) => { add(() => post.call(this, run, rest).then(done, fail), delay, [], false); });
    });
  }
  define(AbortSignal, 'timeout', function timeout(delay) {
    const controller = new AbortController();
    add(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), delay, [], false);
    return controller.signal;
  });

  // ---- frames and idle times --------------------------------------------------------------------------------
  const FRAME = 1000 / 60;
  let frames = new Map();
  let idle = new Map();
  define(globalThis, 'requestAnimationFrame', function requestAnimationFrame(run) {
    frames.set(++lastId, run); return lastId;
  });
  define(globalThis, 'cancelAnimationFrame', function cancelAnimationFrame(id) { frames.delete(id); });
  define(globalThis, 'requestIdleCallback', function requestIdleCallback(run) {
    idle.set(++lastId, { run, due: now + 1 }); return lastId;
  });
  define(globalThis, 'cancelIdleCallback', function cancelIdleCallback(id) { idle.delete(id); });

  // ---- chance -----------------------------------------------------------------------------------------------
  let state = 2166136261;
  for (const c of `__SEED__|${origin}|${globalThis.location?.href ?? ''}`)
    state = Math.imul(state ^ c.codePointAt(0), 16777619) >>> 0;
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  define(Math, 'random', function random() {
    return (word() >>> 5) * 67108864 / 9007199254740992 + (word() >>> 6) / 9007199254740992;
  });
  const fill = (bytes) => { for (let i = 0; i < bytes.length; i++) bytes[i] = word() & 255; };
  define(Crypto.prototype, 'getRandomValues', function getRandomValues(array) {
    fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)); return array;
  });
  if (Crypto.prototype.randomUUID) {
    define(Crypto.prototype, 'randomUUID', function randomUUID() {
      const b = new Uint8Array(16);
      fill(b);
      b[6] = (b[6] & 15) | 64;
      b[8] = (b[8] & 63) | 128;
      const hex = [...b].map((x) => x.toString(16).padStart(2, '0')).join('');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    });
  }

  // ---- requests in flight, until their reactions have run ----------------------------------------------------
  let pending = 0;
  const landed = () => real.setTimeout(() => { pending--; }, 0);
  const tracked = (promise) => {
    pending++; return promise.then((value) => { landed(); return value; }, (error) => { landed(); throw error; });
  };
  if (globalThis.fetch) {
    const realFetch = globalThis.fetch;
    define(globalThis, 'fetch', function fetch(...args) { return tracked(realFetch.apply(globalThis, args)); });
    for (const name of ['text', 'json', 'arrayBuffer', 'blob', 'formData', 'bytes']) {
      const read = Response.prototype[name];
      if (read) define(Response.prototype, name, { [name](...args) { return tracked(read.apply(this, args)); } }[name]);
    }
  }
  if (globalThis.XMLHttpRequest) {
    const send = XMLHttpRequest.prototype.send;
    define(XMLHttpRequest.prototype, 'send', function send_(...args) {
      pending++;
      this.addEventListener('loadend', landed, { once: true });
      try { return send.apply(this, args); } catch (error) { landed(); throw error; }
    });
  }

  // ---- what the recorder calls ------------------------------------------------------------------------------
  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  const hop = () => new Promise((done) => { waiting.push(done); channel.port2.postMessage(0); });
  const call = (run, args) => {
    try {
      if (typeof run === 'function') run.apply(globalThis, args); else (0, eval)(String(run));
    } catch (error) {
      if (real.report) real.report(error);
    }
  };
  const next = () => {
    let first = null;
    for (const timer of timers.values()) if (!first || timer.due < first.due) first = timer;
    if (frames.size) {
      const due = (Math.floor((now - origin) / FRAME + 1e-6) + 1) * FRAME + origin;
      if (!first || due <= first.due) first = { due, frame: true };
    }
    for (const [id, entry] of idle) if (!first || entry.due < first.due) first = { due: entry.due, idle: id };
    return first;
  };
  // Animations are held and set to their time, which is ours: a time reckoned from the timeline's would carry its
  // rounding.
  const held = new Map();
  const moving = () => {
    const all = new Set(document.getAnimations());
    for (const animation of held.keys()) if (!all.has(animation)) held.delete(animation);
    for (const animation of all) {
      if (animation.timeline !== document.timeline || animation.playState !== 'running') continue;
      // What is seen first begins at 0, however long its document's timeline ran before the recorder stopped it.
      const at = held.get(animation) ?? 0;
      try { animation.pause(); animation.currentTime = at; held.set(animation, at); } catch {
        /* an effect without a time */
      }
    }
    return held.size;
  };
  const step = (by) => {
    moving();
    for (const [animation, before] of held) {
      const at = before + by * animation.playbackRate;
      const end = animation.effect ? animation.effect.getComputedTiming().endTime : 0;
      try {
        if (animation.playbackRate < 0 ? at <= 0 : at >= end) { held.delete(animation); animation.finish(); }
        else { held.set(animation, at); animation.currentTime = at; }
      } catch { held.delete(animation); }
    }
    const clips =
      new Set([...document.querySelectorAll('animate, animateTransform, animateMotion, set')]
        .map((x) => x.ownerSVGElement).filter(Boolean));
    for (const svg of clips) { svg.pauseAnimations(); svg.setCurrentTime(svg.getCurrentTime() + by / 1000); }
  };
  const paint = () => new Promise((done) => {
    if (!real.frame) return done();
    real.setTimeout(done, 60);
    real.frame(() => real.setTimeout(done, 0));
  });
  async function advance(to, wantsPaint) {
    const from = now;
    for (;;) {
      const first = next();
      if (!first || first.due > to) break;
      if (first.due > now) now = first.due;
      if (first.frame) {
        const due = frames;
        frames = new Map();
        for (const run of due.values()) { call(run, [now - origin]); await hop(); }
      } else if (first.idle) {
        const { run } = idle.get(first.idle);
        idle.delete(first.idle);
        call(run, [{ didTimeout: false, timeRemaining: () => 49 }]);
        await hop();
      } else {
        if (first.every) first.due += first.every; else timers.delete(first.id);
        nesting = first.depth;
        call(first.run, first.args);
        await hop();
        nesting = 0;
      }
    }
    if (to > now) now = to;
    if (now > from) step(now - from);
    if (wantsPaint) await paint();
    await turn();
    return ahead();
  }
  async function turn() {
    for (let i = 0; i < 3; i++) { await hop(); await new Promise((done) => real.setTimeout(done, 0)); }
    moving();
    return pending;
  }
  // When something is due next (page time), -1 if nothing is; whether an animation runs; requests in flight.
  const ahead = () => {
    const first = next();
    const moves = moving() > 0 || !!document.querySelector('animate, animateTransform, animateMotion');
    return [first ? first.due : -1, moves ? 1 : 0, pending];
  };
  Object.defineProperty(globalThis, key, { value: Object.freeze({ advance, turn, ahead }) });
})();
