// One change to a page, drawn by a number; the value is what was done.
((seed) => {
  let state = Math.imul(seed ^ (seed >>> 15), 2246822519) >>> 0;
  state = Math.imul(state ^ (state >>> 13), 3266489917) >>> 0;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 4294967296 * below);
  };
  const one = (selector) => { const all = [...document.querySelectorAll(selector)]; return all[random(all.length)]; };
  const texts = () => {
    const all = []; const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode())
      if (walk.currentNode.data.trim() && !walk.currentNode.parentElement.closest('script, style, svg'))
        all.push(walk.currentNode);
    return all;
  };
  const kinds = {
    text() { const all = texts(); all[random(all.length)].data = 'Changed ' + random(1e6); },
    words() { const e = one('h1, h2, h3, p, li, td, button'); if (e) e.textContent = 'Words '.repeat(1 + random(30)); },
    title() { one('body *').title = 'Title ' + random(100); },
    named() { one('a, button, input, nav, section, div')?.setAttribute('aria-label', 'Name ' + random(100)); },
    classed() {
      const e = one('main *, body > *'); const other = one('[class]'); if (e && other) e.className = other.className;
    },
    colour() { one('main p, main span, p, span, div').style.color = 'rgb(1, 2, ' + random(200) + ')'; },
    insert() {
      const p = document.createElement('p'); p.textContent = 'News ' + random(1e6);
      one('main, main div, main section, form, body').append(p);
    },
    insertControls() {
      const d = document.createElement('div');
      d.innerHTML = 'Say <b>it</b> <button onclick=go()>Go ' + random(100)
        + '</button> <label>Name <input value=x></label>';
      const e = one('main > *, section, form, body > *'); e.before(d);
    },
    repeat() {
      const e = one('main li, li, article, tr, .card, label'); if (e) e.parentElement.append(e.cloneNode(true));
    },
    repeatBehind() {
      const e = one('main li, li, article, section > *'); if (e) e.after(e.cloneNode(true), e.cloneNode(true));
    },
    remove() { const e = one('main p, main li, main span, main button, p, li, button'); e?.remove(); },
    move() { const e = one('main li, main p, li, p, a'); e?.parentElement.append(e); },
    scroll() { scrollTo(0, random(1200)); },
    check() { const e = one('input[type=checkbox], input[type=radio]'); if (e) e.checked = !e.checked; },
    type() {
      const e = one('input[type=text], input[type=search], input:not([type]), textarea');
      if (e) e.value = 'typed ' + random(1000);
    },
    select() { const e = one('select'); if (e) e.selectedIndex = random(e.options.length); },
    disable() { const e = one('button, input, select, textarea, fieldset'); if (e) e.disabled = !e.disabled; },
    details() { const e = one('details'); if (e) e.open = !e.open; },
    hide() { const e = one('main > *, main div, p, li, section'); if (e) e.hidden = !e.hidden; },
    ariaHidden() { one('main > *, li, p, section')?.setAttribute('aria-hidden', ['true', 'false'][random(2)]); },
    focus() { one('a, button, input, select')?.focus(); },
    dialog() {
      const d = document.querySelector('dialog.ours')
        ?? document.body.appendChild(Object.assign(document.createElement('dialog'), {
          className: 'ours', innerHTML: '<p>Sure?</p><button>Yes</button>'
        }));
      d.open ? d.close() : random(2) ? d.showModal() : d.show();
    },
    pressed() { const e = one('button'); e?.setAttribute('aria-pressed', ['true', 'false', 'mixed'][random(3)]); },
    expanded() { const e = one('button, a, summary'); e?.setAttribute('aria-expanded', String(random(2) === 1)); },
    inert() { const e = one('main > *, section, form'); if (e) e.inert = !e.inert; },
    rename() { const e = one('label'); if (e?.firstChild) e.firstChild.textContent = 'Label ' + random(100); },
    rerender() {
      const e = one('ul, ol, main section, main div, form, nav');
      if (e && !e.querySelector('script')) e.innerHTML = e.innerHTML;
    },
    rerenderBack() {
      const e = one('ul, ol, main section, main div');
      e?.append(...[...e.children].reverse().map((c) => { const n = c.cloneNode(true); c.remove(); return n; }));
    },
    rerenderOther() {
      const e = one('ul, ol, main section'); if (!e) return; const all = [...e.children].map((c) => c.cloneNode(true));
      all.splice(random(all.length), 1); const t = all[random(all.length)]; if (t) t.title = 'Other ' + random(100);
      e.replaceChildren(...all);
    },
    putAway() {
      const e = one('li, p, td, label'); if (!e) return; const [up, next] = [e.parentElement, e.nextSibling];
      e.remove(); e.append(' more ' + random(100)); up.insertBefore(e, next);
    },
    scrollInside() {
      const all = [...document.querySelectorAll('body *')]
        .filter((e) => e.scrollHeight > e.clientHeight + 20 && getComputedStyle(e).overflowY !== 'visible');
      const e = all[random(all.length)]; if (e) e.scrollTop = random(200);
    },
    float() { one('main p, main span, li, p').style.float = ['left', 'right', 'none'][random(3)]; },
    size() { one('img, li, p, section, div').style.height = 10 + random(90) + 'px'; },
    absolute() {
      const e = one('main p, main span, li, p'); e.style.position = ['absolute', 'sticky', 'relative'][random(3)];
      e.style.bottom = '4px';
    },
    rule() {
      const all = [...document.styleSheets].flatMap((s) => [...s.cssRules]).filter((r) => r.style);
      const r = all[random(all.length)]; if (r) r.style.color = 'rgb(3, 2, ' + random(200) + ')';
    },
    none() {},
  };
  const names = Object.keys(kinds);
  const name = names[random(names.length)];
  kinds[name]();
  return name;
})
