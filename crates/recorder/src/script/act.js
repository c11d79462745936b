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
    const map = area.closest('map'),
      image = map && [...document.images].find((img) => img.useMap === '#' + map.name && img.getClientRects().length);
    if (!image) return [];
    const box = image.getBoundingClientRect(), c = area.coords.split(/[\s,]+/).map(Number);
    const shape = area.shape.toLowerCase();
    const at = (x, y, r = 1) =>
      [new DOMRect(box.left + image.clientLeft + x - r, box.top + image.clientTop + y - r, 2 * r, 2 * r)];
    if (shape === 'default') return [box];
    if (shape.startsWith('circ')) return at(c[0], c[1], c[2] / 2);
    if (shape.startsWith('poly')) {
      const n = c.length >> 1; let x = 0, y = 0;
      for (let i = 0; i < n; i++) { x += c[2 * i] / n; y += c[2 * i + 1] / n; } return at(x, y);
    }
    return [new DOMRect(box.left + image.clientLeft + Math.min(c[0], c[2]),
      box.top + image.clientTop + Math.min(c[1], c[3]), Math.abs(c[2] - c[0]), Math.abs(c[3] - c[1]))];
  };
  const PRESSED =
    'a[href], button, input, select, textarea, summary, [contenteditable], [tabindex]:not([tabindex="-1"]), ' +
    '[role=button], [role=link], [role=checkbox]';
  const WIDGET = '[role=listbox], [role=radiogroup], [role=grid], [role=slider], [role=menu], [role=tablist]';
  // What a toggle without a box is drawn as beside it: small, of no words, and no control of its own. A page may take
  // a press of its label back.
  const drawingOf = (element) => {
    if (!element.matches?.('input[type=checkbox], input[type=radio]')) return null;
    const small = (r) => r.width > 0 && r.height > 0 && r.width <= 100 && r.height <= 60;
    return [element.nextElementSibling, element.previousElementSibling].find((e) => e && e.innerText?.trim().length <= 4
      && small(e.getBoundingClientRect()) && !e.matches(`label, ${PRESSED}`) && !e.querySelector(PRESSED)) ?? null;
  };
  const rectsOf = (element) => {
    if (element instanceof HTMLAreaElement) return areaRect(element);
    const shown = (list) => [...list].filter((r) => r.width > 0 && r.height > 0);
    let rects = shown(element.getClientRects());
    const drawn = rects.length ? null : drawingOf(element);
    if (drawn) return Object.assign(shown(drawn.getClientRects()), { drawn });
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
  // What the pointer really presses, where it is something else than what was aimed at: the page may have moved
  // between.
  let aimed = null, instead = null, hears = false;
  // What a label is for, also where a browser takes no label: a list that a page makes itself.
  const labelled = (label) => label.control ?? (label.htmlFor && label.getRootNode().getElementById?.(label.htmlFor));
  const controlOf = (element) => (element instanceof HTMLLabelElement ? labelled(element) : null) || element;
  const isMeant = (hit, element) => belongs(hit, element) || belongs(element, hit) && hit.shadowRoot === null
    && !hit.contains(element) || controlOf(element) !== element && belongs(hit, controlOf(element));
  const aimAt = (element) => {
    if (!hears) {
      hears = true;
      addEventListener('pointerdown', (event) => {
        const hit = event.composedPath()[0];
        if (aimed && event.isTrusted && hit instanceof Element) instead = isMeant(hit, aimed) ? null : named(hit);
        aimed = null;
      }, { capture: true, passive: true });
    }
    [aimed, instead] = [element, null];
  };
  const hitInstead = () => { aimed = null; return instead; };
  // Whether a point of the element is a point of another control in it, which would be pressed in its place.
  const isInAnother = (hit, element) => {
    if (!element.contains(hit) || hit === element) return false;
    for (let at = hit; at && at !== element; at = up(at)) if (at.matches?.(PRESSED)) return true;
    // A handle at a border shows nothing and says what it is only when the pointer is over it.
    if (!hit.matches('svg, svg *, img, canvas, video') && !hit.textContent.trim() && !hit.firstElementChild)
      return true;
    const cursor = getComputedStyle(hit).cursor;
    return cursor !== getComputedStyle(element).cursor && !['auto', 'default', 'text'].includes(cursor);
  };
  // A point of the element that a pointer reaches, in CSS px of the frame's viewport; or the reason why there is none.
  const point = (element, at, aim) => {
    if (!element.isConnected) return { reason: 'it is not in the document any more' };
    if (aim === 'act') [aimed, instead] = [null, null];
    if (aim === 'act' && element.matches?.(':disabled')) return { reason: 'it is disabled' };
    const rects = rectsOf(element);
    if (!rects.length) return { reason: 'it has no box' };
    const box = element instanceof HTMLAreaElement ? rects[0] : element.getBoundingClientRect();
    if (at && aim === 'act' && (at[0] < 0 || at[1] < 0 || at[0] > box.width || at[1] > box.height))
      return { reason: `the point lies outside of its box (${Math.round(box.width)}×${Math.round(box.height)})` };
    const inside = (f, g) => rects.slice(0, 8).map((r) => [r.left + r.width * f, r.top + r.height * g]);
    // A toggle that is styled away may lie under another: its label is what is pressed.
    const labels = [...(element.labels ?? [])].flatMap((label) => [...label.getClientRects()])
      .filter((r) => r.width > 0 && r.height > 0).slice(0, 8).map((r) => [r.left + r.width / 2, r.top + r.height / 2]);
    const points = at ? [[box.left + at[0], box.top + at[1]]]
      : [...inside(0.5, 0.5), ...inside(0.25, 0.5), ...inside(0.75, 0.5), ...inside(0.5, 0.25), ...inside(0.5, 0.75),
        ...inside(0.1, 0.1), ...labels];
    // What a toggle that is styled away is drawn as encloses it; the field of a list has what is chosen beside it.
    const [one, two] = [element.parentElement, element.parentElement?.parentElement];
    const field = element.matches?.('input[role=combobox]') ? two?.parentElement : null;
    const drawing = element.matches?.('input[type=checkbox], input[type=radio], input[type=range]') ? [one, two] : [];
    const draws = (hit) => {
      let at = field?.contains(hit) ? hit : null;
      while (at && at !== field && !at.matches(PRESSED)) at = at.parentElement;
      return drawing.includes(hit) || at !== null && at === field;
    };
    // What lies over the parts of a widget and shows nothing takes what is pressed for them: the face of a clock.
    const widget = element.closest?.(WIDGET)?.parentElement ?? null;
    const isGlass = (hit) => {
      if (at || !widget?.contains(hit) || hit.contains(element) || hit.matches(PRESSED) || hit.textContent.trim())
        return false;
      const { backgroundColor, backgroundImage, backdropFilter } = getComputedStyle(hit);
      return /^(transparent|rgba\(.*, 0\))$/.test(backgroundColor) && backgroundImage === 'none'
        && backdropFilter === 'none' && !hit.querySelector('img, svg, canvas, video');
    };
    // What takes no pointer itself leaves it to what it is in: a tab to the component that it belongs to.
    const isLeftTo = (hit) => getComputedStyle(element).pointerEvents === 'none' && belongs(element, hit)
      && (hit === element.getRootNode().host || getComputedStyle(hit).cursor === 'pointer')
      && !hit.matches('[disabled], [aria-disabled=true], html, body');
    // Of text in a slot, what is said to be hit is the component that it was given to.
    const slotted = (slot) => slot.assignedNodes({ flatten: true }).some((node) => node.data?.trim());
    const holdsSlotted = () => [...element.querySelectorAll('slot')].some(slotted);
    const reached = (place) => { if (aim === 'act') aimAt(element); return place; };
    let cover = null, other = null, drawn = null;
    // Of a ring, a slice or what others lie upon, the pointer may reach a part that none of these points is in.
    const steps = [0.06, 0.2, 0.35, 0.5, 0.65, 0.8, 0.94];
    const everywhere = at ? [] : steps.flatMap((f) => steps.flatMap((g) => inside(f, g)));
    // A press of its label gives a list the focus and does not open it.
    const enough = points.length - (field && !at ? labels.length : 0);
    for (const [n, [x, y]] of [...points, ...everywhere].entries()) {
      if (n >= enough && (other || drawn)) break;
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      const root = element.getRootNode();
      const hit = (root.elementFromPoint ? root : document).elementFromPoint(x, y);
      if (at && aim === 'place') return { x, y };
      if (!hit) continue;
      if (rects.drawn?.contains(hit)) return { x, y };
      if (!isMeant(hit, element) && !(hit === root.host && holdsSlotted())) {
        cover = hit;
        if (draws(hit) || isGlass(hit) || isLeftTo(hit)) drawn ??= { x, y };
        continue;
      }
      if (at || !isInAnother(hit, element)) return reached({ x, y });
      other ??= { x, y };
    }
    if (other) return reached(other);
    if (drawn) return drawn;
    const open = 'it is covered by nothing, and takes no pointer: what is open may keep the page from being pressed';
    if (cover?.matches('html, body')) return { reason: open };
    return { reason: cover ? `it is covered by ${named(cover)}` : 'it cannot be scrolled into view' };
  };
  const center = (element) => {
    (rectsOf(element).length && element.getClientRects().length ? element : element.labels?.[0] ?? element)
      .scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  };
  const nextFrame = () => new Promise((done) => {
    setTimeout(done, 60); requestAnimationFrame(() => setTimeout(done, 0));
  });
  const MOVES = new RegExp('^(transform|translate|scale|rotate|offset|inset|top|left|right|bottom|width|height|max|min'
    + '|margin|padding|grid|flex|gap)');
  // What moves or resizes an element and comes to an end.
  const moving = (element) => {
    const found = [];
    for (let at = element; at; at = up(at)) found.push(...at.getAnimations?.() ?? []);
    return found.filter((one) => one.playState === 'running' && Number.isFinite(one.effect.getComputedTiming().endTime)
      && one.effect.getKeyframes().some((frame) => Object.keys(frame).some((name) => MOVES.test(name))));
  };
  // Waits until an element is painted where it stays: what unfolds or slides in is elsewhere when the pointer comes.
  const MOST_MS = 700, MOST_FRAMES = 40;
  const painted = async (element) => {
    const ends = moving(element).map((one) => one.finished.catch(() => {}));
    if (ends.length) await Promise.race([Promise.all(ends), new Promise((done) => setTimeout(done, MOST_MS))]);
    const place = () => {
      const r = element?.getBoundingClientRect?.() ?? 0; return [r.x, r.y, r.width, r.height].join();
    };
    for (let n = 0, was = null; n < MOST_FRAMES && was !== (was = place()); n++) await nextFrame();
  };
  const changed = (element) => {
    for (const name of ['input', 'change'])
      element.dispatchEvent(new Event(name, { bubbles: true, composed: name === 'input' }));
  };
  // How values are written that are set at once, whatever the page shows them as.
  const WRITTEN = {
    date: 'a date as 2026-11-24', time: 'a time as 14:30', 'datetime-local': 'both as 2026-11-24T14:30',
    month: 'a month as 2026-11', week: 'a week as 2026-W48', color: 'a colour as #1a2b3c'
  };
  // Makes a field ready for its new text: 'type' if it is to be typed, 'done' if the value was set at once.
  const gone = 'it is not in the document any more';
  const takes = (element) => { element.focus(); return element.getRootNode().activeElement === element; };
  const unfocused = (element) => {
    const { reason } = point(element, null, 'place');
    if (reason?.startsWith('it is covered')) return reason;
    const at = element.getRootNode().activeElement, keeps = at?.matches?.('input, textarea, select, [contenteditable]');
    return 'it cannot take the focus' + (keeps ? `: it stays in ${named(at)}, which may wait for Enter` : '');
  };
  const ready = (element, text) => {
    if (!element.isConnected) return gone;
    element = controlOf(element);
    if (element.matches(':disabled')) return 'it is disabled';
    if (element.readOnly) return 'it is read-only';
    if (element instanceof HTMLInputElement
      && ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(element.type)) {
      element.focus();
      element.value = text;
      if (element.value !== text) {
        const steps = element.step && element.step !== 'any' ? `, in steps of ${element.step}` : '';
        const range = `a number from ${element.min || 0} to ${element.max || 100}${steps}`;
        return `its value cannot be ${JSON.stringify(text)}; it takes ${WRITTEN[element.type] ?? range}`;
      }
      changed(element);
      return 'done';
    }
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      if (['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image'].includes(element.type))
        return `an input of type ${element.type} takes no text`;
      // What is typed goes to what has the focus: never to another field.
      if (!takes(element)) return unfocused(element);
      element.select();
      return 'type';
    }
    if (element.editContext) return takes(element) ? 'type' : unfocused(element);
    if (element.isContentEditable) {
      element.focus();
      const range = document.createRange();
      range.selectNodeContents(element);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      return 'type';
    }
    const slider = element.closest('[role=slider]') ?? element.querySelector('[role=slider]');
    const value = (name) => slider.getAttribute(`aria-value${name}`)?.slice(0, 20) ?? '?';
    return slider ? `it is a slider at ${value('now')}, from ${value('min')} to ${value('max')}` : 'it takes no text';
  };
  // How a slider that a page draws stands: value, ends, and where its track is pressed for a value, from the corner of
  // the element; on one of few values, as of stars, in the middle of that.
  const slide = (element, wanted) => {
    const slider = element.closest('[role=slider]') ?? element.querySelector('[role=slider]');
    const [now, min, max] = ['now', 'min', 'max'].map((name) => Number(slider.getAttribute(`aria-value${name}`)));
    const box = slider.getBoundingClientRect(), own = element.getBoundingClientRect();
    const few = Number.isInteger(max - min) && max - min <= 10 ? 0.5 : 0;
    const part = Math.min(0.99, Math.max(0.01, (wanted - few - min) / (max - min)));
    const pressed = box.width > 40 && box.width > 2 * box.height && wanted > min;
    const rtl = getComputedStyle(slider).direction === 'rtl';
    const at = [box.x - own.x + box.width * (rtl ? 1 - part : part), box.y - own.y + box.height / 2];
    slider.focus?.();
    return { now, min, max, at: pressed ? at : null };
  };
  const hasFocus = (element) => {
    const at = element.getRootNode().activeElement; return at !== null && element.contains(at);
  };
  // Puts the caret behind what stands in a field.
  const toEnd = (element) => {
    if (element.isContentEditable) {
      getSelection().selectAllChildren(element);
      getSelection().collapseToEnd();
      return;
    }
    try { element.setSelectionRange(element.value.length, element.value.length); } catch { /* a field without caret */ }
  };
  const valueOf = (element) => (element.isContentEditable ? element.textContent : element.value) ?? '';
  const squeezed = (text) => (text ?? '').trim().replace(/\s+/g, ' ');
  const listed = (names) => {
    const some = names.slice(0, 20).map((name) => JSON.stringify(name)).join(', ');
    return names.length > 20 ? `${some} and ${names.length - 20} more` : some;
  };
  // Which of some names is meant: the one that is equal, or the only one that is but for case, or the only one that
  // begins so.
  const meant = (names, label) => {
    const low = label.toLowerCase();
    // Of two words that end alike one may be the contrary of the other: `active` is not in `Inactive`.
    const has = (n, at = n.indexOf(low)) => at >= 0 && !/[\p{L}\p{N}]$/u.test(n.slice(0, at));
    for (const fits of [(n) => n === label, (n) => n.toLowerCase() === low, (n) => n.toLowerCase().startsWith(low),
      (n) => low !== '' && has(n.toLowerCase())]) {
      const found = names.map((n, at) => (fits(n) ? at : -1)).filter((at) => at >= 0);
      if (found.length) return found;
    }
    return [];
  };
  // Of a list of the page that is chosen from: whether it was opened for that, and what its field held before it was
  // typed into.
  let opened = false, typedBefore = null;
  const choose = (element, labels) => {
    [opened, typedBefore] = [false, null];
    if (!element.isConnected) return { reason: gone };
    element = controlOf(element);
    if (!(element instanceof HTMLSelectElement)) return { other: true };
    if (element.matches(':disabled')) return { reason: 'it is disabled' };
    if (labels.length > 1 && !element.multiple) return { reason: 'it takes one option, not several' };
    const names = [...element.options].map((option) => squeezed(option.label)), chosen = [];
    for (const label of labels) {
      const found = meant(names, squeezed(label));
      if (found.length !== 1)
        return {
          reason: `${found.length || 'none'} of its options say ${JSON.stringify(label)}; it has ${listed(names)}`
        };
      const option = element.options[found[0]];
      if (option.disabled || option.closest('optgroup')?.disabled)
        return { reason: `its option ${JSON.stringify(label)} is disabled` };
      chosen.push(option);
    }
    element.focus();
    if (element.multiple) for (const option of element.options) option.selected = chosen.includes(option);
    else chosen[0].selected = true;
    changed(element);
    return {};
  };
  // ---- lists of options that a page makes itself
  // ----------------------------------------------------------------------------------
  const shownNow = (element) => element.getClientRects().length > 0
    && element.checkVisibility?.({ visibilityProperty: true, opacityProperty: false }) !== false;
  const everywhere = (selector) => {
    const found = [], open = [document];
    while (open.length) {
      const root = open.pop();
      found.push(...root.querySelectorAll(selector));
      for (const e of root.querySelectorAll('*')) if (e.shadowRoot) open.push(e.shadowRoot);
    }
    return found;
  };
  // A list for readers of the screen alone, beside the one that can be seen, has no room.
  const pressable = (element) => {
    if (!shownNow(element)) return false;
    for (let at = element, ups = 0; at instanceof Element && ups < 6; at = up(at), ups++) {
      const box = at.getBoundingClientRect();
      if ((box.height < 2 || box.width < 2) && (at === element || getComputedStyle(at).overflow !== 'visible')
        || getComputedStyle(at).opacity === '0') return false;
    }
    return true;
  };
  const OPTION = '[role=option], [role=menuitemradio], [role=menuitemcheckbox], [role=menuitem], [role=treeitem]';
  const MOST_LEAVES = 3000;
  let before = new Set();
  const leaves = () => everywhere('li, a, div, span, td, button').slice(-MOST_LEAVES)
    .filter((e) => e.textContent.length < 400 && shownNow(e) && squeezed(e.innerText).length > 0
      && squeezed(e.innerText).length < 200);
  const comboOf = (named, element = controlOf(named)) =>
    element.matches('[role=combobox], [role=listbox], [aria-haspopup]') ? element
    : element.querySelector('[role=combobox], [role=listbox], [aria-haspopup]')
    ?? element.closest('[role=combobox], [aria-haspopup]') ?? element;
  // `root`: what lies over the page with the list of an element; while it closes it still shows.
  const lastOptions = { list: [], names: [], of: null, root: null };
  const rootOf = (element, option) => {
    let at = option;
    while (at && at.parentElement && at.parentElement !== document.body) at = at.parentElement;
    return at?.contains(element) ? null : at ?? null;
  };
  // Whether the list can be seen that was opened for choosing, or that the element says is open.
  const isOpen = (element, byLooks = true) => {
    const expanded = comboOf(element).getAttribute('aria-expanded');
    if (expanded !== null) return expanded === 'true';
    return byLooks && opened && lastOptions.list.some((e) => e.isConnected && !before.has(e) && pressable(e));
  };
  // Of a list without roles, which says nothing of itself, if it is open: what lies over the page in its element or
  // next to it and has the option among things of one kind.
  const popupOf = (element, label) => {
    const near = [element, element.nextElementSibling, (up(element)?.children?.length ?? 9) < 4 ? up(element) : null];
    const floats = (e) => ['absolute', 'fixed'].includes(getComputedStyle(e).position) && pressable(e)
      && [e, ...e.querySelectorAll('*')].some((list) => list.children.length > 1
        && [...list.children].every((one) => one.localName === list.children[0].localName && shownNow(one))
        && meant([...list.children].map((one) => squeezed(one.innerText)), squeezed(label)).length === 1);
    return near.filter((e) => e instanceof Element)
      .flatMap((e) => [e, ...e.querySelectorAll('*')].slice(0, 500)).find((e) => e !== element && floats(e));
  };
  // What can be seen before the list is opened is not in the list; if it is open already, what it holds is.
  const opening = (element, label) => {
    const says = comboOf(element).hasAttribute('aria-expanded') || everywhere(OPTION).some(pressable);
    const popup = opened || says ? null : popupOf(element, label);
    if (popup) {
      before = new Set(leaves().filter((e) => !popup.contains(e)));
      opened = true;
      return 'true';
    }
    const open = isOpen(element);
    const own = (e) => lastOptions.of === element && lastOptions.root?.contains(e);
    if (!open) before = new Set([...everywhere(OPTION), ...leaves()].filter((e) => shownNow(e) && !own(e)));
    else if (!opened) before = new Set(leaves().filter((e) => !e.matches(OPTION)));
    opened = true;
    return open ? 'true' : comboOf(element).getAttribute('aria-expanded');
  };
  const scrollerOf = (element) => {
    for (let at = element && up(element); at instanceof Element; at = up(at)) {
      if (at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== 'visible' && at !== document.body
        && at !== document.documentElement) return at;
    }
    return null;
  };
  const options = (element) => {
    const combo = comboOf(element), root = combo.getRootNode();
    const ids = ['aria-controls', 'aria-owns']
      .flatMap((name) => [combo, element].flatMap((e) => (e.getAttribute(name) ?? '').split(/\s+/))).filter(Boolean);
    const within = [...new Set(ids)].map((id) => root.getElementById?.(id) ?? document.getElementById(id));
    if (combo.matches('[role=listbox], [role=radiogroup], [role=menu], [role=tree]')) within.push(combo);
    // Menus that items of these have opened may stand elsewhere.
    for (const menu of within)
      for (const item of menu?.querySelectorAll('[aria-expanded=true][aria-controls]') ?? []) {
        const inner = root.getElementById?.(item.getAttribute('aria-controls'));
        if (inner && !within.includes(inner)) within.push(inner);
      }
    let list = [...new Set(within.filter(Boolean).flatMap((e) => [...e.querySelectorAll(OPTION + ', [role=radio]')]))]
      .filter(pressable);
    if (!list.length) list = everywhere(OPTION).filter((e) => !before.has(e) && pressable(e));
    if (!list.length) list = [...element.querySelectorAll(OPTION)].filter(pressable);
    // A node of a tree whose label is an option is that option.
    const isLabelOf = (e, node) => e !== node && node.contains(e) && e.role !== node.role
      && squeezed(node.innerText).startsWith(squeezed(e.innerText));
    list = list.filter((node) => !list.some((e) => isLabelOf(e, node)));
    // A list without roles is what shows once it is open: outside of its element, else in it. The words of an option
    // may lie in pieces of one line.
    if (!list.length) {
      // What holds options that only just unfold is not one of them.
      const fresh = leaves().filter((e) => !before.has(e) && pressable(e) && !e.querySelector(OPTION)),
        outside = fresh.filter((e) => !element.contains(e)), there = outside.length ? outside : fresh;
      const whole = there.filter((e) => !getComputedStyle(e).display.startsWith('inline')),
        those = whole.length ? whole : there;
      list = those.filter((e) => !those.some((other) => other !== e && e.contains(other)));
    }
    if (list.length) [lastOptions.of, lastOptions.root] = [element, rootOf(element, list[0])];
    lastOptions.list = list;
    // What unfolds a node of a tree may be drawn as a character before its name.
    // The words of a component's option may stand in the component, and the option in its shadow tree.
    const named = (e) => squeezed(e.getAttribute('aria-label') || e.innerText || e.textContent.trim()
      || e.getRootNode().host?.innerText);
    lastOptions.names = list.map((e) => named(e).replace(/^[\u2190-\u21ff\u25a0-\u25ff\u2b00-\u2bff]\s*(?=\S)/, ''));
    // More than are drawn.
    const scroller = scrollerOf(list.at(-1)), high = list.reduce((sum, e) => sum + e.getBoundingClientRect().height, 0);
    const more = list.some((e) => Number(e.getAttribute('aria-setsize')) > list.length) || scroller !== null
      && list.length > 2 && scroller.scrollHeight > 1.5 * high + scroller.clientHeight;
    return { names: lastOptions.names, more };
  };
  // What is new to a list that takes new entries is offered as one option that says it: `Create "Lynx"`.
  const offered = (names, label) => {
    const says = names.length === 1 && typedBefore !== null && names[0].includes(label);
    return says ? [0] : meant(names, label);
  };
  // Whether an option is chosen: `aria-selected` may as well say where the keys are.
  const isOn = (option) => option.ariaChecked === 'true'
    || [...option.classList].some((word) => /(^|[-_])(selected|checked)$/i.test(word))
    || option.ariaSelected === 'true' && option.closest('[aria-multiselectable=true]') !== null;
  const option = (element, label) => {
    const { names, more } = options(element), found = offered(names, squeezed(label));
    const one = lastOptions.list[found[0]];
    const off = one !== undefined && one.closest('[aria-disabled=true]') !== null;
    return {
      count: found.length, off, on: one !== undefined && isOn(one), listed: listed(names) + (more ? ' and more' : ''),
      several: isMultiple(element) || lastOptions.list.filter(isOn).length > 1, any: names.length > 0, more
    };
  };
  const optionElement = (element, label) => lastOptions.list[offered(lastOptions.names, squeezed(label))[0]] ?? null;
  // Whether an option shows what is below it: a press would hide that.
  const isUnfolded = (element, label) =>
    optionElement(element, label)?.closest('[role=treeitem], [role=menuitem]')?.ariaExpanded === 'true';
  // Whether an option only opens a menu of more.
  const opensMore = (element, label) => {
    const option = optionElement(element, label);
    const haspopup = option?.getAttribute('aria-haspopup') ?? 'false';
    return option?.getAttribute('role') === 'menuitem' && haspopup !== 'false';
  };
  // What unfolds an option that is a node of a tree, where pressing the node would choose it.
  const TOGGLE =
    ['button', '[role=button]', ...['toggle', 'switcher', 'expand', 'caret', 'arrow'].map((c) => `[class*=${c} i]`)];
  const unfolds = (element, label) => {
    const node = optionElement(element, label)?.closest('[role=treeitem]');
    return [...node?.querySelectorAll(TOGGLE.join()) ?? []]
      .find((e) => e.closest('[role=treeitem]') === node && pressable(e)) ?? null;
  };
  // Whether several may be chosen.
  const isMultiple = (element) => {
    const lists = [element, comboOf(element), lastOptions.list[0]];
    for (let at of lists)
      for (; at instanceof Element || at instanceof ShadowRoot; at = up(at))
        if (at.multiple === true || at.ariaMultiSelectable === 'true') return true;
    return false;
  };
  // Shows the next part of a list that draws only a part; `begin` shows the first. Returns whether there was one,
  // nothing if it does not scroll.
  const further = async (element, begin) => {
    const scroller = scrollerOf(lastOptions.list.find((e) => e.isConnected));
    if (!scroller) return null;
    const from = scroller.scrollTop;
    scroller.scrollTop = begin ? 0 : from + Math.max(20, scroller.clientHeight * 0.8);
    const there = begin || scroller.scrollTop > from;
    await nextFrame();
    await nextFrame();
    return there;
  };
  const filters = (element) => {
    const takes = (e) => e
      && (e instanceof HTMLInputElement && !['button', 'checkbox', 'radio'].includes(e.type) || e.isContentEditable)
      && !e.readOnly;
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!takes(at)) {
      at = takes(element) ? element : element.querySelector('input'); if (!takes(at)) return false; at.focus();
    }
    typedBefore ??= [at, valueOf(at)];
    at.select?.();
    return true;
  };
  // What the field that was typed into to filter held before, ready to be typed again; nothing if there was none.
  const unfiltered = () => {
    const [at, text] = typedBefore ?? [];
    typedBefore = null;
    if (!at?.isConnected || valueOf(at) === text) return null;
    at.focus();
    at.select?.();
    return text;
  };
  const DIALOG = 'dialog, [role=dialog], [role=alertdialog], [aria-modal=true]';
  const isInDialog = (element) => element.closest(DIALOG) !== null;
  // Keeps the next Escape from the dialog that the list lies in: it would close that.
  const keep = (element) => {
    const dialog = element.closest(DIALOG);
    const held = (event) => { if (event.key === 'Escape') { event.stopPropagation(); event.preventDefault(); } };
    dialog?.addEventListener('keydown', held);
    setTimeout(() => dialog?.removeEventListener('keydown', held), 200);
  };
  // Keys of a list go to its element, unless something in the page has the focus.
  const refocus = (element) => {
    const at = document.activeElement; if (!at || at === document.body) comboOf(element).focus();
  };
  const leave = () => {
    let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; at?.blur();
  };
  // What of an element lies with others of its kind: a grip and a text are a part of that.
  const ITEMS = 'li, tr, [draggable=true], [role=listitem], [role=row], [role=option], [role=treeitem]';
  const itemOf = (element) => {
    const known = element.closest?.(ITEMS);
    if (known) return known;
    const like = (a, b) => a !== b && a.tagName === b.tagName && a.classList[0] === b.classList[0];
    for (let at = element, ups = 0; at?.parentElement && ups < 3; at = at.parentElement, ups++)
      if ([...at.parentElement.children].some((other) => like(at, other))) return at;
    return element;
  };
  let dragged = null;
  const hold = (element) => { dragged = itemOf(element); };
  // Where a drag before or after an element ends, from its upper left corner: in the direction in which its item lies
  // with others; `from` is where the drag comes from. Another list than that of what is dragged makes room for it.
  const beside = (target, [dx, dy], after) => {
    const element = itemOf(target), own = target.getBoundingClientRect();
    const elsewhere = !!dragged && dragged.parentElement !== element.parentElement;
    const box = element.getBoundingClientRect(), other = element.previousElementSibling ?? element.nextElementSibling;
    const there = other?.getBoundingClientRect();
    const across = there && Math.abs(there.top - box.top) < box.height / 2;
    const comes = across ? dx : dy, size = across ? box.width : box.height;
    // Coming from before it, what is passed moves back: just before it is the end of what stands before, also where
    // there is room between them.
    const next = (after ? element.nextElementSibling : element.previousElementSibling)?.getBoundingClientRect();
    const begin = across ? box.left : box.top;
    const edge = next && (after ? (across ? next.left : next.top) : across ? next.right : next.bottom) - begin;
    const beyond = after ? Math.max(edge ?? size, size) + 2 : Math.min(edge ?? 0, 0) - 2;
    const passed = !elsewhere && (after ? comes > 0 : comes < 0);
    const at = passed ? beyond : size * (after ? 0.85 : 0.15);
    const [x, y] = across ? [at, box.height / 2] : [box.width / 2, at];
    return { x: x + box.left - own.left, y: y + box.top - own.top, elsewhere };
  };
  const isRadio = (element) => {
    const control = controlOf(element);
    return control instanceof HTMLInputElement ? control.type === 'radio'
      : ['radio', 'menuitemradio'].includes(control.getAttribute('role'));
  };
  const checked = (element) => {
    const control = controlOf(element);
    if (control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)) return control.checked;
    const aria = control.getAttribute('aria-checked') ?? control.getAttribute('aria-pressed');
    return aria === null ? null : aria === 'true';
  };
  // Scrolls the innermost box around an element that goes on in that direction, or the page; returns whether there is
  // one. What hides its overflow scrolls for scripts only: where nothing else does.
  // By nothing, it brings the element itself into view.
  const scrollBy = (element, x, y) => {
    if (element && x === 0 && y === 0) { center(element); return true; }
    const page = document.scrollingElement ?? document.documentElement;
    const goesOn = (e, able) => {
      const s = getComputedStyle(e);
      return (y !== 0 && able(s.overflowY) && e.scrollHeight > e.clientHeight)
        || (x !== 0 && able(s.overflowX) && e.scrollWidth > e.clientWidth);
    };
    const around = (able) => {
      for (let at = element; at; at = up(at)) if (at instanceof Element && at !== page && goesOn(at, able)) return at;
      return null;
    };
    const scrolls = (v) => v === 'auto' || v === 'scroll';
    // A bar that a page draws itself holds what scrolls.
    const inside = () =>
      [...element?.querySelectorAll?.('*') ?? []].slice(0, 500).find((e) => goesOn(e, scrolls)) ?? null;
    const pageGoesOn = (y !== 0 && page.scrollHeight > innerHeight) || (x !== 0 && page.scrollWidth > innerWidth);
    const at = around(scrolls) ?? inside() ?? (pageGoesOn ? page : around((v) => v === 'hidden'));
    at?.scrollBy({ left: x, top: y, behavior: 'instant' });
    return at !== null;
  };
  // Scrolls the page; where it stays, what lies in its middle, as in an application whose main part scrolls.
  const scrollPage = (x, y) => {
    const { scrollX, scrollY } = globalThis;
    scrollBy(null, x, y);
    if (scrollX === globalThis.scrollX && scrollY === globalThis.scrollY)
      scrollBy(document.elementFromPoint(innerWidth / 2, innerHeight / 2), x, y);
    return painted();
  };
  // The part of the text below an element that says some words: white space is a blank, case matters where it tells
  // two apart.
  const rangeOf = (element, words) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const places = [];
    let text = '';
    for (let node = walker.nextNode(), block = null; node; node = walker.nextNode()) {
      if (!node.parentElement.checkVisibility()) continue;
      const now = blockOf(node.parentElement);
      if (block && now !== block && text && !text.endsWith(' ')) { text += ' '; places.push([node, 0]); }
      block = now;
      for (let at = 0; at < node.data.length; at++) {
        const c = /\s/.test(node.data[at]) ? ' ' : node.data[at];
        if (c === ' ' && (!text || text.endsWith(' '))) continue;
        text += c;
        places.push([node, at]);
      }
    }
    const wanted = words.replace(/\s+/g, ' ').trim();
    let at = text.indexOf(wanted);
    if (at < 0 && text.toLowerCase().length === text.length) at = text.toLowerCase().indexOf(wanted.toLowerCase());
    if (!wanted || at < 0) return null;
    const range = document.createRange(), [last, end] = places[at + wanted.length - 1];
    range.setStart(...places[at]);
    range.setEnd(last, end + 1);
    return range;
  };
  const blockOf = (element) => {
    let at = element;
    while (at && getComputedStyle(at).display.startsWith('inline')) at = at.parentElement;
    return at;
  };
  // Where an element's text says some words, from the corner of its box; they are brought into view.
  const placeOf = (element, words) => {
    const range = rangeOf(element, words);
    if (!range) return null;
    range.startContainer.parentElement.scrollIntoViewIfNeeded();
    const rect = [...range.getClientRects()].find((r) => r.width > 0 && r.height > 0);
    const own = element.getBoundingClientRect();
    return rect ? [rect.x + rect.width / 2 - own.x, rect.y + rect.height / 2 - own.y] : null;
  };
  // Selects the words in a text that is edited; false if it does not say them, null if it is no such text.
  const OPENS = '[role=combobox], [aria-haspopup], [list], [aria-autocomplete]';
  const selectWords = (element, words) => {
    const editor = element.closest('[contenteditable]:not([contenteditable=false])');
    const field = element.matches('textarea, input') && typeof element.selectionStart === 'number';
    // An editor may suggest how a word goes on, and is a text all the same.
    if (!editor && !field || element.matches(editor ? '[role=combobox]' : OPENS)) return null;
    if (field) {
      const at = element.value.indexOf(words);
      // What does not say it may be a field that suggests it.
      if (at < 0) return element.localName === 'textarea' ? false : null;
      element.focus();
      element.setSelectionRange(at, at + words.length);
      return true;
    }
    const range = rangeOf(element, words);
    if (!range) return false;
    editor.focus();
    range.startContainer.parentElement.scrollIntoViewIfNeeded();
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return true;
  };
  // What is selected of a text that is edited and has the focus; without a selection, its line, with a bar where the
  // caret is.
  const selected = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!document.hasFocus() || !at) return null;
    const isField = typeof at.selectionStart === 'number';
    if (!isField && !at.isContentEditable || at.type === 'password') return null;
    const selection = getSelection();
    const text = isField ? at.value.slice(at.selectionStart, at.selectionEnd) : selection.toString();
    if (text.trim()) return ['selected', squeezed(text).slice(0, 200)];
    let before, after;
    if (isField) {
      [before, after] = [at.value.slice(0, at.selectionStart), at.value.slice(at.selectionEnd)];
    } else {
      const from = selection.focusNode;
      if (!from || !at.contains(from)) return null;
      let line = from instanceof Element ? from : from.parentElement;
      while (line !== at && getComputedStyle(line).display.startsWith('inline')) line = line.parentElement;
      const range = document.createRange();
      range.selectNodeContents(line);
      range.setEnd(from, selection.focusOffset);
      before = range.toString();
      range.selectNodeContents(line);
      range.setStart(from, selection.focusOffset);
      after = range.toString();
    }
    return ['caret', `${before.split('\n').pop().slice(-40)}|${after.split('\n')[0].slice(0, 40)}`];
  };
  const fileInput = (element) => {
    const control = controlOf(element);
    return control instanceof HTMLInputElement && control.type === 'file';
  };
  globalThis.browserLensAct = {
    point, center, painted, ready, hasFocus, toEnd, valueOf, choose, opening, option, optionElement, isUnfolded,
    opensMore, unfolds, isMultiple, slide, further, filters, unfiltered, isOpen, isInDialog, keep, refocus, leave,
    beside, hold, isRadio, checked, hitInstead,
    scrollBy, scrollPage, fileInput, placeOf, selectWords, selected
  };
})()
