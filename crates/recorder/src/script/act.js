// What the recorder asks of one element before and while it acts on it, in an isolated world.
(() => {
  'use strict';
  if (globalThis.browserLensAct) return;
  const up = (node) => node.assignedSlot ?? node.parentNode ?? node.host ?? null;
  const belongs = (hit, element) => {
    for (let at = hit; at; at = up(at)) {
      if (at === element) return true;
      if (at instanceof HTMLLabelElement && at.control === element) return true;
    }
    return false;
  };
  // An area of an image map has no box: it is a part of the image that uses the map.
  const areaRect = (area) => {
    const map = area.closest('map'), image = map && [...document.images].find((img) => img.useMap === '#' + map.name && img.getClientRects().length);
    if (!image) return [];
    const box = image.getBoundingClientRect(), c = area.coords.split(/[\s,]+/).map(Number);
    const shape = area.shape.toLowerCase();
    const at = (x, y, r = 1) => [new DOMRect(box.left + image.clientLeft + x - r, box.top + image.clientTop + y - r, 2 * r, 2 * r)];
    if (shape === 'default') return [box];
    if (shape.startsWith('circ')) return at(c[0], c[1], c[2] / 2);
    if (shape.startsWith('poly')) { const n = c.length >> 1; let x = 0, y = 0; for (let i = 0; i < n; i++) { x += c[2 * i] / n; y += c[2 * i + 1] / n; } return at(x, y); }
    return [new DOMRect(box.left + image.clientLeft + Math.min(c[0], c[2]), box.top + image.clientTop + Math.min(c[1], c[3]), Math.abs(c[2] - c[0]), Math.abs(c[3] - c[1]))];
  };
  const rectsOf = (element) => {
    if (element instanceof HTMLAreaElement) return areaRect(element);
    const shown = (list) => [...list].filter((r) => r.width > 0 && r.height > 0);
    let rects = shown(element.getClientRects());
    if (!rects.length) for (const label of element.labels ?? []) rects.push(...shown(label.getClientRects()));
    if (!rects.length) {
      const range = document.createRange();
      range.selectNodeContents(element);
      rects = shown(range.getClientRects());
    }
    return rects;
  };
  const named = (element) => {
    const text = (element.innerText ?? '').trim().replace(/\s+/g, ' ').slice(0, 40);
    return `<${element.localName}${element.id ? ' id="' + element.id + '"' : ''}>${text ? ' "' + text + '"' : ''}`;
  };
  // A point of the element that a pointer reaches, in CSS px of the frame's viewport; or the reason why there is none.
  const point = (element, at, aim) => {
    if (!element.isConnected) return { reason: 'it is not in the document any more' };
    if (aim === 'act' && element.matches?.(':disabled')) return { reason: 'it is disabled' };
    const rects = rectsOf(element);
    if (!rects.length) return { reason: 'it has no box' };
    const box = element instanceof HTMLAreaElement ? rects[0] : element.getBoundingClientRect();
    const inside = (f, g) => rects.slice(0, 8).map((r) => [r.left + r.width * f, r.top + r.height * g]);
    const points = at ? [[box.left + at[0], box.top + at[1]]] : [...inside(0.5, 0.5), ...inside(0.25, 0.5), ...inside(0.75, 0.5), ...inside(0.5, 0.25), ...inside(0.5, 0.75), ...inside(0.1, 0.1)];
    let cover = null;
    for (const [x, y] of points) {
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      const root = element.getRootNode();
      const hit = (root.elementFromPoint ? root : document).elementFromPoint(x, y);
      if (at && aim === 'place') return { x, y };
      if (hit && belongs(hit, element)) return { x, y };
      cover = hit ?? cover;
    }
    return { reason: cover ? `it is covered by ${named(cover)}` : 'it cannot be scrolled into view' };
  };
  const center = (element) => { (rectsOf(element).length && element.getClientRects().length ? element : element.labels?.[0] ?? element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }); };
  const painted = () => new Promise((done) => { setTimeout(done, 60); requestAnimationFrame(() => setTimeout(done, 0)); });
  const changed = (element) => { for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true, composed: name === 'input' })); };
  // How values are written that are set at once, whatever the page shows them as.
  const WRITTEN = { date: 'a date as 2026-11-24', time: 'a time as 14:30', 'datetime-local': 'both as 2026-11-24T14:30', month: 'a month as 2026-11', week: 'a week as 2026-W48', color: 'a colour as #1a2b3c' };
  // Makes a field ready for its new text: 'type' if it is to be typed, 'done' if the value was set at once.
  const gone = 'it is not in the document any more';
  const takes = (element) => { element.focus(); return element.getRootNode().activeElement === element; };
  const ready = (element, text) => {
    if (!element.isConnected) return gone;
    if (element instanceof HTMLLabelElement && element.control) element = element.control;
    if (element.matches(':disabled')) return 'it is disabled';
    if (element.readOnly) return 'it is read-only';
    if (element instanceof HTMLInputElement && ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(element.type)) {
      element.focus();
      element.value = text;
      if (element.value !== text) return `its value cannot be ${JSON.stringify(text)}; it takes ${WRITTEN[element.type] ?? `a number from ${element.min || 0} to ${element.max || 100}`}`;
      changed(element);
      return 'done';
    }
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      if (['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image'].includes(element.type)) return `an input of type ${element.type} takes no text`;
      // What is typed goes to what has the focus: never to another field.
      if (!takes(element)) return 'it cannot take the focus';
      element.select();
      return 'type';
    }
    if (element.isContentEditable) {
      element.focus();
      const range = document.createRange();
      range.selectNodeContents(element);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      return 'type';
    }
    return 'it takes no text';
  };
  const valueOf = (element) => (element.isContentEditable ? element.textContent : element.value) ?? '';
  const squeezed = (text) => (text ?? '').trim().replace(/\s+/g, ' ');
  const listed = (names) => { const some = names.slice(0, 20).map((name) => JSON.stringify(name)).join(', '); return names.length > 20 ? `${some} and ${names.length - 20} more` : some; };
  // Which of some names is meant: the one that is equal, or the only one that is but for case, or the only one that begins so.
  const meant = (names, label) => {
    const low = label.toLowerCase();
    for (const fits of [(n) => n === label, (n) => n.toLowerCase() === low, (n) => n.toLowerCase().startsWith(low)]) {
      const found = names.map((n, at) => (fits(n) ? at : -1)).filter((at) => at >= 0);
      if (found.length) return found;
    }
    return [];
  };
  const choose = (element, labels) => {
    if (!element.isConnected) return { reason: gone };
    if (element instanceof HTMLLabelElement && element.control) element = element.control;
    if (!(element instanceof HTMLSelectElement)) return { other: true };
    if (element.matches(':disabled')) return { reason: 'it is disabled' };
    if (labels.length > 1 && !element.multiple) return { reason: 'it takes one option, not several' };
    const names = [...element.options].map((option) => squeezed(option.label)), chosen = [];
    for (const label of labels) {
      const found = meant(names, squeezed(label));
      if (found.length !== 1) return { reason: `${found.length} of its options are ${JSON.stringify(label)}; it has ${listed(names)}` };
      const option = element.options[found[0]];
      if (option.disabled || option.closest('optgroup')?.disabled) return { reason: `its option ${JSON.stringify(label)} is disabled` };
      chosen.push(option);
    }
    element.focus();
    if (element.multiple) for (const option of element.options) option.selected = chosen.includes(option);
    else chosen[0].selected = true;
    changed(element);
    return {};
  };
  // ---- lists of options that a page makes itself ----------------------------------------------------------------------------------
  const shownNow = (element) => element.getClientRects().length > 0 && element.checkVisibility?.({ visibilityProperty: true, opacityProperty: false }) !== false;
  const everywhere = (selector) => {
    const found = [], open = [document];
    while (open.length) {
      const root = open.pop();
      found.push(...root.querySelectorAll(selector));
      for (const e of root.querySelectorAll('*')) if (e.shadowRoot) open.push(e.shadowRoot);
    }
    return found;
  };
  const OPTION = '[role=option], [role=menuitemradio], [role=menuitemcheckbox], [role=menuitem], [role=treeitem]';
  let before = new Set();
  const leaves = () => everywhere('li, a, div, span, td, button').filter((e) => shownNow(e) && squeezed(e.innerText).length > 0 && squeezed(e.innerText).length < 200);
  // What can be seen before the list is opened is not in the list.
  const opening = (element) => { before = new Set([...everywhere(OPTION), ...leaves()].filter(shownNow)); return comboOf(element).getAttribute('aria-expanded'); };
  const comboOf = (element) => element.matches('[role=combobox], [role=listbox], [aria-haspopup]') ? element : element.querySelector('[role=combobox], [role=listbox], [aria-haspopup]') ?? element.closest('[role=combobox], [aria-haspopup]') ?? element;
  const lastOptions = { list: [], names: [] };
  const options = (element) => {
    const combo = comboOf(element), root = combo.getRootNode();
    const ids = ['aria-controls', 'aria-owns'].flatMap((name) => [combo, element].flatMap((e) => (e.getAttribute(name) ?? '').split(/\s+/))).filter(Boolean);
    const within = [...new Set(ids)].map((id) => root.getElementById?.(id) ?? document.getElementById(id));
    if (combo.matches('[role=listbox], [role=radiogroup], [role=menu], [role=tree]')) within.push(combo);
    let list = [...new Set(within.filter(Boolean).flatMap((e) => [...e.querySelectorAll(OPTION + ', [role=radio]')]))].filter(shownNow);
    if (!list.length) list = everywhere(OPTION).filter((e) => shownNow(e) && !before.has(e));
    if (!list.length) list = [...element.querySelectorAll(OPTION)].filter(shownNow);
    if (!list.length) { const fresh = leaves().filter((e) => !before.has(e)); list = fresh.filter((e) => !fresh.some((other) => other !== e && e.contains(other))); }
    lastOptions.list = list;
    lastOptions.names = list.map((e) => squeezed(e.getAttribute('aria-label') || e.innerText || e.textContent));
    return { names: lastOptions.names, more: list.some((e) => Number(e.getAttribute('aria-setsize')) > list.length) };
  };
  const option = (element, label) => {
    const { names } = options(element), found = meant(names, squeezed(label));
    const off = found.length && lastOptions.list[found[0]].getAttribute('aria-disabled') === 'true';
    return { count: found.length, off, listed: listed(names), any: names.length > 0 };
  };
  const optionElement = (element, label) => lastOptions.list[meant(lastOptions.names, squeezed(label))[0]] ?? null;
  const filters = (element) => {
    const takes = (e) => e && (e instanceof HTMLInputElement && !['button', 'checkbox', 'radio'].includes(e.type) || e.isContentEditable) && !e.readOnly;
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!takes(at)) { at = takes(element) ? element : element.querySelector('input'); if (!takes(at)) return false; at.focus(); }
    at.select?.();
    return true;
  };
  const isOpen = (element) => comboOf(element).getAttribute('aria-expanded') === 'true' && !element.closest('dialog, [role=dialog]');
  // Where a drag before or after an element ends, from its upper left corner: in the direction in which it lies with others; `from` is where the drag comes from.
  const beside = (element, [dx, dy], after) => {
    const box = element.getBoundingClientRect(), other = element.previousElementSibling ?? element.nextElementSibling;
    const there = other?.getBoundingClientRect();
    const across = there && Math.abs(there.top - box.top) < box.height / 2;
    const comes = across ? dx : dy, size = across ? box.width : box.height;
    // Coming from before it, what is passed moves back: just before it is the end of what stands before.
    const at = after ? (comes > 0 ? size + 2 : size * 0.85) : comes < 0 ? -2 : size * 0.15;
    return across ? { x: at, y: box.height / 2 } : { x: box.width / 2, y: at };
  };
  const checked = (element) => {
    const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
    if (control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)) return control.checked;
    const aria = control.getAttribute('aria-checked') ?? control.getAttribute('aria-pressed');
    return aria === null ? null : aria === 'true';
  };
  const scrollBy = (element, x, y) => {
    const scrolls = (e) => { const s = getComputedStyle(e); const able = (v) => v === 'auto' || v === 'scroll' || v === 'hidden'; return (able(s.overflowY) && e.scrollHeight > e.clientHeight) || (able(s.overflowX) && e.scrollWidth > e.clientWidth); };
    let at = element;
    while (at && !(at instanceof Element && scrolls(at))) at = up(at);
    (at ?? globalThis).scrollBy({ left: x, top: y, behavior: 'instant' });
  };
  const fileInput = (element) => {
    const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
    return control instanceof HTMLInputElement && control.type === 'file';
  };
  globalThis.browserLensAct = { point, center, painted, ready, valueOf, choose, opening, option, optionElement, filters, isOpen, beside, checked, scrollBy, fileInput };
})()
