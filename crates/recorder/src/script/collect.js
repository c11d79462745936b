// What Chromium's accessibility tree says of every element of one frame, in an isolated world: role and accessible name
// are the browser's own (`computedRole`, `computedName`), states are read from the element as the tree's code reads
// them. A row: [index in flat-tree order, role, name, description, value, states, level]; elements that the tree leaves
// out have none.
(() => {
  'use strict';
  if (globalThis.browserLensCollect) return;
  const BIT =
    Object.fromEntries(['disabled', 'checkable', 'checked', 'checkedMixed', 'pressable', 'pressed', 'pressedMixed',
      'expandable', 'expanded', 'selectable', 'selected', 'required', 'invalid', 'readonly', 'focused', 'focusable',
      'modal', 'multiline', 'multiselectable', 'hasPopup', 'busy', 'editable', 'livePolite', 'liveAssertive']
      .map((name, at) => [name, 2 ** at]));
  // Roles that only the browser has: `computedRole` is empty there.
  const INTERNAL = {
    label: 'LabelText', summary: 'DisclosureTriangle', canvas: 'Canvas', br: 'LineBreak', dl: 'DescriptionList',
    legend: 'Legend', iframe: 'Iframe', frame: 'Iframe', audio: 'Audio', video: 'Video', figcaption: 'Figcaption',
    embed: 'PluginObject', object: 'PluginObject', ruby: 'Ruby', rt: 'RubyAnnotation', wbr: 'LineBreak'
  };
  const INPUTS = {
    date: 'Date', time: 'InputTime', 'datetime-local': 'DateTime', month: 'Date', week: 'Date', color: 'ColorWell'
  };
  const PRUNED =
    new Set(['checkbox', 'radio', 'switch', 'slider', 'progressbar', 'meter', 'scrollbar', 'option', 'menuitemcheckbox',
      'menuitemradio', 'image', 'graphics-symbol', 'math']);
  const REQUIRED =
    new Set(['combobox', 'cell', 'listbox', 'radiogroup', 'spinbutton', 'textbox', 'searchbox', 'tree', 'columnheader',
      'rowheader', 'treegrid']);
  const READONLY =
    new Set(['grid', 'cell', 'gridcell', 'textbox', 'searchbox', 'columnheader', 'rowheader', 'treegrid']);
  const EXPANDS =
    new Set(['button', 'combobox', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'treeitem', 'row',
      'rowheader', 'columnheader', 'gridcell', 'checkbox', 'switch', 'listbox', 'application', 'DisclosureTriangle',
      'group', 'textbox', 'searchbox', 'heading', 'generic']);
  // What is typed into is not called invalid for being empty.
  const TYPED = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number']);
  const SELECTS = new Set(['option', 'tab', 'treeitem', 'row', 'gridcell', 'columnheader', 'rowheader']);
  const up = (node) => node.assignedSlot ?? node.parentNode ?? null;
  const clean = (text) => text.trim().replace(/\s+/g, ' ');
  const truth = (element, name) => {
    const value = element.getAttribute(name);
    return value === null || value === '' || value === 'undefined' ? null : value.toLowerCase();
  };

  const labelOf = (element, scope, attribute) => {
    const ids = element.getAttribute(attribute);
    if (!ids) return '';
    return clean(ids.trim().split(/\s+/).map((id) => scope.getElementById?.(id)).filter(Boolean)
      .map((e) => (e.checkVisibility?.() ? e.innerText : e.textContent) ?? '').join(' '));
  };
  const descriptionOf = (element, name) => {
    const scope = element.getRootNode();
    if (element.hasAttribute('aria-describedby')) return labelOf(element, scope, 'aria-describedby');
    const said = element.getAttribute('aria-description');
    if (said) return clean(said);
    const title = element.getAttribute('title');
    return title && clean(title) !== name ? clean(title) : '';
  };
  const valueOf = (element, tag, role) => {
    if (tag === 'select')
      return element.multiple || element.size > 1 ? '' : clean(element.selectedOptions[0]?.label ?? '');
    if (tag === 'progress') return element.hasAttribute('value') ? String(element.value) : '';
    if (tag === 'meter') return String(element.value);
    if (tag === 'input' || tag === 'textarea' || tag === 'option' || tag === 'button')
      return tag === 'input' && element.type === 'file' ? fileValue(element) : '';
    if (role === 'slider' || role === 'progressbar' || role === 'spinbutton' || role === 'scrollbar'
      || role === 'meter') {
      const now = parseFloat(element.getAttribute('aria-valuenow'));
      return Number.isNaN(now) ? '' : String(now);
    }
    // Its lines are lines, as in the browser's own tree.
    if (element.isContentEditable && !(up(element)?.isContentEditable)) {
      const text = element.innerText ?? '';
      return text.trim() ? text.replace(/\n+$/, '') : '';
    }
    if (role === 'textbox' || role === 'searchbox' || role === 'combobox') return clean(element.innerText ?? '');
    return '';
  };
  const fileValue = (element) =>
    (element.files.length === 1 ? element.files[0].name : element.files.length ? `${element.files.length} files`
      : 'No file chosen');

  const focusable = (element, tag) => {
    if (element.contentEditable === 'true' || (tag === 'dialog' && element.open && element.matches(':modal')))
      return true;
    if (tag === 'iframe' && !element.hasAttribute('tabindex')) return false;
    if (element.tabIndex >= 0 && !element.disabled) return true;
    return element.hasAttribute('tabindex') && !element.disabled;
  };

  // Whether the frame's own element, or one around it, is out of the tree: as far as the frames around it let
  // themselves be looked into.
  const isFrameHidden = () => {
    for (let at = globalThis; at !== at.parent; at = at.parent) {
      let holder = null;
      try { holder = at.frameElement; } catch { return false; }
      if (!holder) return false;
      const dialog = [...holder.ownerDocument.querySelectorAll('dialog[open]')].filter((d) => d.matches(':modal'))
        .pop();
      if (dialog && !dialog.contains(holder)) return true;
      if (!holder.checkVisibility({ visibilityProperty: true }) || holder.closest('[inert], [aria-hidden="true"]'))
        return true;
    }
    return false;
  };
  // A label says nothing of its own where its tick or radio button is named by it and it holds no other element.
  const isRedundant = (label) => {
    const control = label.control;
    if (!control || (control.type !== 'checkbox' && control.type !== 'radio')
      || !control.checkVisibility({ visibilityProperty: true })) return false;
    if (control.hasAttribute('aria-label') || control.hasAttribute('aria-labelledby')) return false;
    const first = label.firstElementChild;
    return !first || (first === control && !first.nextElementSibling);
  };
  // Something may be said of it, or by it of others: the tree has it for that alone.
  const isMarked = (element) => element.getAttributeNames()
    .some((name) => name === 'id' || name === 'role' || name === 'title' || name === 'tabindex'
      || name.startsWith('aria-'));
  // An element without a role, a name or a state of its own: most of a page, and nothing has to be asked of the browser
  // for them.
  const isPlain = (element, tag) => {
    if (tag !== 'div' && tag !== 'span') return false;
    for (const name of element.getAttributeNames())
      if (name !== 'class' && name !== 'id' && name !== 'style' && !name.startsWith('data-')) return false;
    return true;
  };
  // What a frame's elements inherit on the way down.
  const begun = () => ({
    active: (() => {
      let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e;
      })(),
    modal: [...document.querySelectorAll('dialog[open]')].filter((d) => d.matches(':modal')).pop() ?? null,
    start: {
      hidden: isFrameHidden(), disabled: false, lists: 0, pruned: false, select: false,
      editable: document.designMode === 'on'
    },
  });
  // What each element passed on when it was read last.
  const belows = new WeakMap();
  // The elements of the last walk, until their boxes are asked for.
  let walked = [];
  const collect = () => {
    const rows = [];
    walked = [];
    // Which frame elements are out of the tree, and all they show with them: a frame of another origin cannot know.
    const hidden = [];
    let frames = 0;
    let count = 0;
    let hash = 0;
    const { active, modal, start } = begun();
    const open = document.documentElement ? [[document.documentElement, start]] : [];
    while (open.length) {
      const [element, above] = open.pop();
      const index = count++;
      walked.push(element);
      const tag = element.localName;
      const called = element.nodeName.toLowerCase();
      hash = (Math.imul(hash, 31) + called.length * 131 + called.charCodeAt(0)) | 0;
      const plain = !above.editable && isPlain(element, tag);
      const below = plain ? above : { ...above };
      if (element === modal) below.hidden = false;
      else if (modal && index === 0) below.hidden = true;
      if (!plain && (element.getAttribute('aria-hidden') === 'true' || element.inert)) below.hidden = true;
      if (!below.hidden && !plain) visit(element, tag, index, above, below, active, rows);
      if (tag === 'iframe' || tag === 'frame') {
        if (below.hidden || !element.checkVisibility({ visibilityProperty: true })) hidden.push(frames);
        frames++;
      }
      belows.set(element, below);
      const root = element.shadowRoot;
      let kids;
      if (root) kids = root.children;
      else if (tag === 'slot' && element.getRootNode() instanceof ShadowRoot && element.assignedNodes().length)
        kids = element.assignedElements();
      else kids = element.children;
      for (let at = kids.length - 1; at >= 0; at--) open.push([kids[at], below]);
    }
    return { count, hash, rows, hidden };
  };

  // Padding and scroll boxes of some of the elements that were walked.
  // Those of them that hold more than they show.
  let scrollers = [];
  const rects = (places) => {
    scrollers = [];
    const found = places.map((at) => {
      const e = walked[at];
      if (!e) return null;
      const [client, scroll] = [[e.clientLeft, e.clientTop, e.clientWidth, e.clientHeight],
        [e.scrollLeft, e.scrollTop, e.scrollWidth, e.scrollHeight]];
      if (scroll[2] > client[2] || scroll[3] > client[3]) scrollers.push(e);
      return [client, scroll];
    });
    walked = [];
    return found;
  };

  const visit = (element, tag, index, above, below, active, rows) => {
    const inSelect = (tag === 'option' || tag === 'optgroup') && above.select;
    const box = inSelect || element.checkVisibility?.({ visibilityProperty: true }) !== false;
    if (!box && getComputedStyle(element).display !== 'contents') {
      // What is hidden by `visibility` may hold what is not.
      if (!element.checkVisibility()) below.hidden = true;
      return;
    }
    if (above.pruned) return;
    let role = element.computedRole ?? '';
    if (tag === 'select') below.select = true;
    below.editable = element.isContentEditable;
    if (role === '' || role === 'textbox') {
      const own = tag === 'input' ? INPUTS[element.type] : role === '' ? INTERNAL[tag] : undefined;
      if (own) role = own;
    }
    let ownLive = 0;
    const live = truth(element, 'aria-live')
      ?? ({ status: 'polite', log: 'polite', alert: 'assertive', timer: 'off', marquee: 'off' })[role];
    if (live !== undefined && live !== null)
      ownLive = live === 'polite' ? BIT.livePolite : live === 'assertive' ? BIT.liveAssertive : 0;
    const ariaDisabled = truth(element, 'aria-disabled');
    below.disabled = ariaDisabled !== null ? ariaDisabled === 'true' : above.disabled;
    const disabled = below.disabled || (tag !== 'fieldset' && tag !== 'optgroup' && element.matches(':disabled'));
    if ((role === 'generic' || role === '') && (tag === 'table' || tag === 'tr' || tag === 'td' || tag === 'th'))
      role = tag === 'table' ? 'LayoutTable' : tag === 'tr' ? 'LayoutTableRow' : 'LayoutTableCell';
    if (role === 'list') below.lists++;
    if (role === '' || role === 'none' || role === 'presentation' || tag === 'rt') return;
    // What the tree calls uninteresting: paragraphs that lay out their content as boxes, labels of ticks.
    if (tag === 'tbody' && role === 'rowgroup' && !isMarked(element)) return;
    if (role === 'paragraph' && tag === 'p' && !isMarked(element)
      && /flex|grid/.test(getComputedStyle(element).display)) return;
    if (tag === 'label' && role === 'LabelText' && isRedundant(element)) return;
    let name = element.computedName ?? '';
    if (tag === 'input' && element.type === 'file') name = name.replace(': ' + fileValue(element), '');
    const canFocus = focusable(element, tag);
    if (role === 'generic' && !includesGeneric(element, tag, name, canFocus)) return;
    if (tag === 'canvas' && role === 'Canvas' && name === '' && !element.firstChild && !canFocus && !element.id
      && !element.title) return;
    if (tag === 'img' && element.getAttribute('alt') === '' && name === '' && role === 'image') return;
    if (PRUNED.has(role)) below.pruned = true;
    let bits = ownLive;
    const set = (bit, on) => { if (on) bits |= bit; };
    set(BIT.disabled, disabled);
    set(BIT.focusable, (canFocus && !disabled) || (tag === 'option' && above.select && !element.disabled));
    // What is focused in a frame is said there; the element that shows it has no focus of its own.
    set(BIT.focused, element === active && tag !== 'iframe' && tag !== 'frame' && document.hasFocus());
    const isInput = tag === 'input';
    const type = isInput ? element.type : '';
    const checked = truth(element, 'aria-checked');
    if (type === 'checkbox' || type === 'radio') {
      bits |= BIT.checkable;
      if (element.indeterminate && type === 'checkbox') bits |= BIT.checkedMixed;
      else set(BIT.checked, element.checked);
    }
    else if (role === 'checkbox' || role === 'radio' || role === 'switch' || role === 'menuitemcheckbox'
      || role === 'menuitemradio' || ((role === 'option' || role === 'treeitem') && checked !== null)) {
      bits |= BIT.checkable;
      if (checked === 'mixed') bits |= BIT.checkedMixed; else set(BIT.checked, checked === 'true');
    }
    const pressed = role === 'button' ? truth(element, 'aria-pressed') : null;
    if (pressed !== null) {
      bits |= BIT.pressable;
      if (pressed === 'mixed') bits |= BIT.pressedMixed; else set(BIT.pressed, pressed === 'true');
    }
    const expanded = truth(element, 'aria-expanded');
    if (tag === 'select' && role === 'combobox') { bits |= BIT.expandable; }
    else if (tag === 'summary' && role === 'DisclosureTriangle') {
      bits |= BIT.expandable;
      set(BIT.expanded, element.parentElement?.open);
    } else if (expanded !== null && EXPANDS.has(role)) {
      bits |= BIT.expandable;
      set(BIT.expanded, expanded === 'true');
    }
    const selected = truth(element, 'aria-selected');
    if (tag === 'option' && role === 'option') {
      if (!element.disabled && !disabled && !element.closest('select')?.matches(':disabled')) {
      bits |= BIT.selectable;
      set(BIT.selected, element.selected);
      }
    } else if (role === 'treeitem' && selected === null) {
      bits |= BIT.selectable;
    } else if (selected !== null && SELECTS.has(role)) {
      bits |= BIT.selectable;
      set(BIT.selected, selected === 'true');
    }
    set(BIT.required,
      REQUIRED.has(role) && !(tag === 'select' && role === 'combobox')
      && (element.required === true || truth(element, 'aria-required') === 'true'));
    const invalid = truth(element, 'aria-invalid');
    set(BIT.invalid,
      invalid !== null ? invalid !== 'false' : isInput || tag === 'select' || tag === 'textarea' ? element.willValidate
      && !element.validity.valid && !(element.validity.valueMissing && (tag === 'textarea' || TYPED.has(type)))
      : false);
    set(BIT.readonly,
      READONLY.has(role) && !disabled
      && (((isInput || tag === 'textarea') && element.readOnly) || truth(element, 'aria-readonly') === 'true'));
    set(BIT.modal,
      (role === 'dialog' || role === 'alertdialog')
      && (truth(element, 'aria-modal') === 'true' || (tag === 'dialog' && element.matches(':modal'))));
    set(BIT.busy, truth(element, 'aria-busy') === 'true');
    const ariaLevel = parseInt(element.getAttribute('aria-level'), 10);
    let level = 0;
    if (role === 'heading') level = ariaLevel > 0 ? ariaLevel : /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
    else if (ariaLevel > 0) level = ariaLevel;
    else if (role === 'listitem') level = above.lists;
    const description = element.hasAttribute('aria-describedby') || element.hasAttribute('aria-description')
      || element.hasAttribute('title') ? descriptionOf(element, name) : '';
    rows.push([index, role, name, description, valueOf(element, tag, role), bits, level]);
  };
  const includesGeneric = (element, tag, name, canFocus) => {
    if (name !== '' || canFocus || element.isContentEditable) return true;
    for (const attribute of element.attributes)
      if (attribute.name.startsWith('aria-') || attribute.name === 'title') return true;
    return false;
  };
  // Everything that can change without a mutation: events are counted, the rest is read.
  let happened = 0;
  for (const name of ['scroll', 'input', 'change', 'toggle', 'load', 'resize', 'focusin', 'focusout', 'transitionend',
    'animationend', 'transitionrun', 'animationstart', 'reset', 'select', 'fullscreenchange', 'slotchange']) {
    document.addEventListener(name, () => { happened++; }, { capture: true, passive: true });
  }
  globalThis.addEventListener('resize', () => { happened++; }, { passive: true });
  const mix = (hash, number) => (Math.imul(hash, 31) + number) | 0;
  const mixText = (hash, text) => {
    let at = mix(hash, text.length); for (let i = 0; i < text.length; i++) at = mix(at, text.charCodeAt(i)); return at;
  };
  const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };
  const CONTROLS = new Set(['input', 'textarea', 'select', 'option', 'progress', 'meter']);
  const stamp = () => {
    const mutations = browserLens.begin();
    let hash = 0;
    let count = 0;
    let moves = document.getAnimations().some((animation) => animation.playState === 'running')
      || document.readyState !== 'complete';
    const roots = [document];
    while (roots.length) {
      for (const element of roots.pop().querySelectorAll('*')) {
        count++;
        // Asking for a box lays out what a closed `details` holds, and later looks would see that.
        const box = element.checkVisibility() ? element.getBoundingClientRect() : NOWHERE;
        hash = mix(mix(mix(mix(hash, box.x * 64), box.y * 64), box.width * 64), box.height * 64);
        const tag = element.localName;
        if (CONTROLS.has(tag)) {
          hash = mix(hash,
            (element.checked ? 1 : 0) + (element.selected ? 2 : 0) + (element.indeterminate ? 4 : 0)
            + (element.disabled ? 8 : 0));
          if (typeof element.value === 'string') hash = mixText(hash, element.value);
        } else if (tag === 'canvas' || tag === 'video') moves = true;
        if (element.shadowRoot) roots.push(element.shadowRoot);
      }
    }
    const hovered = [...document.querySelectorAll(':hover')].length;
    hash = mixText(hash, globalThis.browserLensSheets.sheetMark());
    return [mutations, happened, count, hash, scrollX, scrollY, innerWidth, innerHeight, hovered, document.hasFocus(),
      document.title, location.href, moves ? 'moves' : 'still'].join('|');
  };
  const probe = () => JSON.stringify({
    focused: document.hasFocus(), scroll: [scrollX, scrollY], ready_state: document.readyState,
    lang: document.documentElement?.lang ?? '', mutations: [0, browserLens.end()]
  });
  globalThis.browserLensCollect = {
    collect, rects, stamp, probe, parts: {
      visit, belows, isPlain, begun, NOWHERE, happened: () => happened, scrolling: () => scrollers
    }
  };
})()
