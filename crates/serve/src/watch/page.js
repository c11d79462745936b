// Shows the sessions. Text of pages and agents is set as text alone.
'use strict';
const MOST_TOLD = 100;
const at = (id) => document.getElementById(id);
const made = (tag, text = '', name = '') => {
  const it = document.createElement(tag); it.textContent = text; it.className = name; return it;
};
const count = new Intl.NumberFormat('en');
let sessions = [], told = new Map(), chosen = null, looking = false, again = false, shown = '';

const one = () => sessions.find((session) => session.id === chosen);

const drawSessions = () => {
  at('state').textContent = sessions.length ? `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}`
    : 'No session is open: begin with `browserlens page open URL`, or `browserlens serve --watch`';
  const focused = document.activeElement?.dataset?.id;
  at('sessions').replaceChildren(...sessions.map((session) => {
    const item = made('li'), button = made('button', session.name);
    button.type = 'button';
    button.dataset.id = session.id;
    button.setAttribute('aria-current', String(session.id === chosen));
    button.append(made('small', session.source),
      made('small',
        `${count.format(session.calls)} calls, ${count.format(session.tokens)} ` +
        `tokens${session.is_held ? ', paused' : session.is_busy ? ', at work' : ''}`));
    button.onclick = () => choose(session.id);
    item.append(button);
    return item;
  }));
  for (const button of at('sessions').querySelectorAll('button')) if (button.dataset.id === focused) button.focus();
};

const entry = (call, isOpen) => {
  const item = made('li'), details = made('details'), summary = made('summary');
  summary.append(made('code', `${call.tool} ${call.arguments}`),
    made('span',
      ` ${count.format(call.tokens)} tokens, ${count.format(call.ms)} ms${call.by_person ? ', by hand' : ''}`,
      call.is_error ? 'wrong' : 'cost'));
  const text = made('pre', call.text);
  // What scrolls is reached by the keyboard too.
  text.tabIndex = 0;
  details.append(summary, text);
  details.open = isOpen;
  item.value = call.number;
  item.append(details);
  return item;
};

const drawTold = () => {
  const list = at('told'), calls = told.get(chosen) ?? [];
  const known = shown === chosen ? Number(list.firstChild?.value ?? 0) : 0;
  if (shown !== chosen) list.replaceChildren();
  shown = chosen;
  for (const call of calls) {
    if (call.number <= known) continue;
    const before = list.querySelector('details');
    if (before && !before.dataset.kept) before.open = false;
    list.prepend(entry(call, true));
    list.querySelector('summary').onclick = (event) => { event.currentTarget.parentNode.dataset.kept = 'by hand'; };
  }
  while (list.childElementCount > MOST_TOLD) list.lastChild.remove();
};

const drawPage = () => {
  const session = one();
  at('page').hidden = at('said').hidden = !session;
  if (!session) return;
  at('hold').setAttribute('aria-pressed', String(session.is_held));
  at('hold').textContent = session.is_held ? 'Go on' : 'Pause';
  at('by-hand').hidden = !session.is_held;
  for (const button of at('refs').children) button.disabled = !session.is_held;
  drawTold();
};

// One picture at a time; what changes meanwhile asks for another.
const look = async () => {
  if (looking) { again = true; return; }
  const session = one();
  if (!session) return;
  looking = true;
  again = false;
  try {
    const answer = await fetch(`view/${encodeURIComponent(session.id)}`), view = await answer.json();
    if (chosen !== session.id) { again = true; return; }
    if (view.error) { at('where').textContent = view.error; return; }
    at('where').textContent = view.title ? `${view.title}, ${view.url}` : view.url;
    if (view.picture) at('picture').src = `data:image/png;base64,${view.picture}`;
    at('refs').replaceChildren(...view.refs.map((ref) => {
      const button = made('button'), [x, y, width, height] = ref.at;
      button.type = 'button';
      button.disabled = !one()?.is_held;
      button.title = `${ref.handle} ${ref.words}`;
      button.setAttribute('aria-label', `Click ${ref.handle} ${ref.words}`);
      Object.assign(button.style, {
        left: `${100 * x / view.width}%`, top: `${100 * y / view.height}%`, width: `${100 * width / view.width}%`,
        height: `${100 * height / view.height}%`
      });
      button.append(made('span', ref.handle));
      button.onclick = () => step({ tool: 'click', arguments: { ref: ref.handle } });
      return button;
    }));
  } catch { /* It ends, or begins again: the events say which. */ } finally {
    looking = false;
    if (again) setTimeout(look, 100);
  }
};

const step = async (what) => {
  const session = one();
  if (!session) return;
  at('refused').textContent = '';
  const body = JSON.stringify({ id: session.id, ...what });
  const answer = await fetch('do', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const said = await answer.json();
  if (said.error) at('refused').textContent = `${said.error}: ${said.hint ?? ''}`;
};

const choose = (id) => {
  chosen = id; at('refs').replaceChildren(); at('picture').removeAttribute('src'); drawSessions(); drawPage(); look();
};

const heard = (event) => {
  sessions = JSON.parse(event.data);
  const news = new Set();
  for (const session of sessions) {
    if (session.told.length) news.add(session.id);
    told.set(session.id, [...(told.get(session.id) ?? []), ...session.told].slice(-MOST_TOLD));
    delete session.told;
  }
  for (const id of [...told.keys()]) if (!sessions.some((session) => session.id === id)) told.delete(id);
  if (!one()) { chosen = sessions[0]?.id ?? null; news.add(chosen); at('refs').replaceChildren(); }
  drawSessions();
  drawPage();
  if (news.has(chosen) && chosen) look();
};

at('hold').onclick = () => step({ hold: !one()?.is_held });
at('enter').onclick = () => step({ tool: 'press', arguments: { key: 'Enter' } });
at('by-hand').onsubmit = (event) => {
  event.preventDefault(); step({ tool: 'type', arguments: { text: at('text').value } }); at('text').value = '';
};
// A page may change by itself.
setInterval(() => { if (!document.hidden && one()?.is_live) look(); }, 2000);
const listen = () => {
  const events = new EventSource('events');
  // Whoever connects anew is told all again.
  events.onopen = () => { told = new Map(); shown = ''; };
  events.onmessage = heard;
  events.onerror = () => {
    at('state').textContent = 'The connection was lost: is `browserlens watch` still running?';
  };
};
listen();
