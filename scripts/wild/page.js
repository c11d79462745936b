// The page of one pattern: builds it, says what its controls are, and says which of them was used. All of it goes to
// the server that gave the page, never into the page itself: nothing that is not the pattern's own may change what is
// observed.
const [library, pattern] = location.pathname.split('/').slice(2).map(decodeURIComponent);
const load = new URLSearchParams(location.search).get('load');
let number = 0;
const say = (what, said) =>
  fetch('/say', { method: 'POST', keepalive: true, body: JSON.stringify({ load, number: number++, what, ...said }) })
    .catch(() => {});

// What listens where, for the reports: no page can ask that of itself afterwards.
const listens = new WeakMap();
const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, ...rest) {
  if (this instanceof Node) listens.set(this, (listens.get(this) || new Set()).add(type));
  return add.call(this, type, ...rest);
};

function described(element) {
  if (!(element instanceof Element)) return { there: false };
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const html = element.outerHTML.replace(/\s+/g, ' ');
  const chain = [];
  for (let at = element; at && at !== document.documentElement && chain.length < 5; at = at.parentElement) {
    const role = at.getAttribute('role');
    const types = [...(listens.get(at) || [])];
    const seen = at.className && typeof at.className === 'string'
      ? `.${at.className.trim().split(/\s+/).slice(0, 2).join('.')}` : '';
    chain.push(at.localName + seen + (role ? `[role=${role}]` : '') + (types.length ? `{${types.join(' ')}}` : ''));
  }
  return {
    there: true,
    html: html.length > 220 ? `${html.slice(0, 220)}…` : html,
    chain: chain.join(' < '),
    cursor: style.cursor,
    tabindex: element.getAttribute('tabindex'),
    draggable: element.getAttribute('draggable'),
    box: [box.left, box.top, box.width, box.height].map(Math.round),
    painted: box.width > 0 && box.height > 0 && style.visibility === 'visible' && style.opacity !== '0',
  };
}

const named = (at) => {
  try {
    return typeof at === 'function' ? at() : at;
  } catch {
    return null;
  }
};

let controls = [];
// What was hit, for the reports: the window is above every element, so no element listens because of this.
for (const type of ['click', 'drop']) {
  add.call(
    window,
    type,
    (event) => {
      if (!event.isTrusted) return;
      const [target, ...above] = event.composedPath();
      const under = controls.filter((control) => [target, ...above].includes(named(control.at)))
        .map((control) => control.name);
      say('hit', { type, html: target.outerHTML?.replace(/\s+/g, ' ').slice(0, 160), under });
    },
    true,
  );
}
add.call(window, 'error', (event) => say('error', { text: String(event.message) }));
add.call(window, 'unhandledrejection', (event) => say('error', { text: String(event.reason) }));

const log = (name) => say('used', { name: String(name) });
try {
  const { patterns } = await import(`/lib/${library}.js`);
  const root = document.getElementById('root');
  controls = (await patterns[pattern](root, log)) || [];
  // Components draw themselves a little later.
  await new Promise((done) => setTimeout(done, 250));
  controls = typeof controls === 'function' ? controls() : controls;
  const said = controls.map(({ at, name, ...control }) => ({
    name: String(name), ...control, ...described(named(at))
  }));
  await say('controls', { controls: said });
} catch (error) {
  await say('error', { text: `${error.stack || error}` });
}
