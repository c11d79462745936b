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
  const rectsOf = (element) => {
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
    const box = element.getBoundingClientRect();
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
      if (element.value !== text) return `its value cannot be ${JSON.stringify(text)}`;
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
  const choose = (element, label) => {
    if (!element.isConnected) return { reason: gone };
    if (element instanceof HTMLLabelElement && element.control) element = element.control;
    if (!(element instanceof HTMLSelectElement)) return { reason: 'it is no select element' };
    if (element.matches(':disabled')) return { reason: 'it is disabled' };
    const text = (option) => option.label.trim().replace(/\s+/g, ' ');
    const found = [...element.options].filter((option) => text(option) === label);
    if (found.length !== 1) return { reason: `${found.length} of its options are ${JSON.stringify(label)}; it has ${[...element.options].slice(0, 10).map((o) => JSON.stringify(text(o))).join(', ')}` };
    if (found[0].disabled || found[0].closest('optgroup')?.disabled) return { reason: `its option ${JSON.stringify(label)} is disabled` };
    element.focus();
    if (element.multiple) for (const option of element.options) option.selected = option === found[0];
    else found[0].selected = true;
    changed(element);
    return {};
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
  globalThis.browserLensAct = { point, center, painted, ready, valueOf, choose, checked, scrollBy, fileInput };
})()
