// What changed in one frame since it was read whole, in an isolated world: which nodes are new, moved, restyled or
// otherwise read anew.
//
// `keep` notes the nodes in document order, their boxes and the states of controls; `patch` answers `same`, `whole`
// (with the reason: read it all) or what changed, by places in the old and the new order. Always holds: whenever it
// cannot be told which nodes a change reaches, the answer is `whole`. Boxes are compared from the root down, and not
// below a box that lays out what it holds by itself, has its size and holds no change: there everything lies as it did,
// moved with the box if that moved. Styles are read where a mutation, a state or a selector that looks at siblings,
// states or contents can have changed them.
(() => {
  'use strict';
  if (globalThis.browserLensPatch) return;
  const { visit, belows, isPlain, begun, NOWHERE, happened, scrolling } = globalThis.browserLensCollect.parts;
  const { sheetMark, readRules, layoutRules, withheld } = globalThis.browserLensSheets;
  const { inner, layered, isLayer, layersOf } = globalThis.browserLensLayers;
  const STYLES = ['display', 'visibility', 'opacity', 'position', 'overflow-x', 'overflow-y', 'clip', 'clip-path',
    'transform', 'pointer-events', 'cursor', 'color', 'background-color', 'background-image', 'white-space-collapse',
    'direction', 'content-visibility', 'filter', 'content'];
  const MOST_RECORDS = 2000;
  const MOST_ROWS = 1500;
  const ALWAYS_WHOLE = 'canvas, video, audio, iframe, frame, object, embed, slot';
  const FOREIGN =
    new Set(['canvas', 'video', 'audio', 'iframe', 'frame', 'object', 'embed', 'slot', 'dialog', 'select', 'optgroup',
      'option', 'details', 'summary', 'link', 'style', 'base', 'math', 'template', 'fieldset', 'ruby', 'meter',
      'progress', 'marquee', 'table', 'map', 'area']);
  const SVG = 'http://www.w3.org/2000/svg';
  const CONTROLS = 'input, textarea, select, option, progress, meter, details, dialog';

  let kept = null;
  let why = null;
  let records = [];
  let touched = new Set();
  // What was taken out may be changed before it is put in again.
  const take = (list) => {
    if (records.length + list.length > MOST_RECORDS) why ??= 'too many mutations'; else records.push(...list);
  };
  const apartFrom = new MutationObserver((list) => { if (kept) take(list); });
  browserLens.hear((list) => {
    if (!kept) return;
    take(list);
    for (const record of list)
      for (const node of record.removedNodes)
        if (!node.isConnected)
          apartFrom.observe(node, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const on = (names, then) => {
    for (const name of names)
      document.addEventListener(name, (event) => { if (kept) then(event.target); }, { capture: true, passive: true });
  };
  on(['scroll'], (target) => { if (target !== document) touched.add(target); });
  on(['load', 'error'], (target) => {
    if (target.localName === 'img') touched.add(target); else why ??= 'something loaded';
  });
  on(['transitionrun', 'animationstart', 'fullscreenchange', 'slotchange'], () => { why ??= 'something moved'; });
  document.fonts.addEventListener('loadingdone', () => { if (kept) kept.everywhere = true; });
  on(['toggle', 'beforetoggle'], (target) => { if (target.localName !== 'details') why ??= 'a popover'; });
  globalThis.addEventListener('resize', () => { why ??= 'another size'; }, { passive: true });

  const boxOf = (element, apart) => {
    const box = (apart && !apart.has(element)) || element.checkVisibility() ? element.getBoundingClientRect() : NOWHERE;
    return [box.x + scrollX, box.y + scrollY, box.width, box.height];
  };
  const range = document.createRange();
  const textBox = (text) => {
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    return box.width || box.height || box.x || box.y ? [box.x + scrollX, box.y + scrollY, box.width, box.height]
      : [0, 0, 0, 0];
  };
  const stateOf = (element) =>
    `${element.checked}|${element.selected}|${element.indeterminate}|${element.matches(':disabled')}|${element.open}|${
      element.readOnly}|${element.selectedIndex}|${element.files?.length}|${element.validity?.valid}|${
        element.localName === 'option' ? '' : element.value}`;
  const hoverChain = () => [...document.querySelectorAll(':hover')];
  const allNodes = () => {
    const nodes = [];
    let hash = 0;
    const open = [document];
    while (open.length) {
      const node = open.pop();
      nodes.push(node);
      hash = (Math.imul(hash, 31) + node.nodeType * 131 + node.nodeName.length) | 0;
      for (let child = node.lastChild; child; child = child.previousSibling) open.push(child);
    }
    return { nodes, hash };
  };
  const modalNow = () => [...document.querySelectorAll('dialog[open]')].filter((d) => d.matches(':modal')).pop()
    ?? null;
  const where = () => `${location.href}|${innerWidth}|${innerHeight}|${devicePixelRatio}|${document.designMode}`;
  const moves = () => document.readyState !== 'complete'
    || document.getAnimations().some((animation) => animation.playState === 'running');

  // What may have changed by the time that everything is noted: nothing may have, or the notes are of another page than
  // was read.
  const sign = () => `${browserLens.end()}|${happened()}|${scrollX}|${scrollY}|${where()}`;
  let signed = '';
  const begin = () => { const mutations = browserLens.begin(); signed = sign(); return mutations; };
  // `boxKinds` says of each element, in document order, what it is to those around it: `kindOf`.
  const OWN = 1, FREE = 2, LAYER = 4, ROOT = 8;
  const ROOTS =
    new Set(['flow-root', 'flex', 'grid', 'inline-block', 'inline-flex', 'inline-grid', 'table', 'inline-table',
      'table-cell', 'table-caption', 'none']);
  const LAYS_OUT = new Set([...ROOTS, 'block', 'list-item']);
  // Whether it lays out what it holds by itself, whether something else than the box around it may place it, and
  // whether floats outside keep out of it; what has a layer is told with the page.
  const kindOf = (style) => {
    const free = /^(absolute|fixed|sticky|-webkit-sticky)$/.test(style.position);
    return (LAYS_OUT.has(style.display) ? OWN : 0) + (free ? FREE : 0)
      + (ROOTS.has(style.display) || free || !/^(visible|clip)$/.test(style.overflowX) ? ROOT : 0);
  };
  const MOST_MATCHES = 60;
  // Which elements each rule that looks at siblings is about, where there are not too many of those.
  const matchesOf = (rules) => {
    if (rules.foreign || !rules.structural || rules.structural.size > MOST_MATCHES) return null;
    const found = new Map();
    for (const selector of rules.structural) {
      try { found.set(selector, new Set(document.querySelectorAll(selector))); } catch { return null; }
    }
    return found;
  };
  // Where something floats, it may stand in the way of what comes later, as far as floats reach; where there are
  // columns, of all that is in them; a grid within the rows and columns of another is laid out with that.
  const aroundOf = (layout, at, kinds) => {
    const found = { loose: new Set(), tangled: new Set(), subgrids: [] };
    if (!layout.known) return found;
    const reach = (element) => {
      let one = element;
      while (one.parentElement && !(kinds[at.get(one)] & ROOT)
        && !/flex|grid/.test(getComputedStyle(one.parentElement).display)) one = one.parentElement;
      return one;
    };
    const reached = new Set();
    for (const element of document.querySelectorAll(layout.floats)) {
      found.loose.add(element);
      const above = element.parentElement;
      if (above && !reached.has(above)) { reached.add(above); found.loose.add(reach(above)); }
    }
    for (const element of document.querySelectorAll(layout.columns)) found.tangled.add(element);
    found.subgrids = [...document.querySelectorAll(layout.subgrids)];
    return found;
  };
  const keep = (boxKinds) => {
    kept = null; why = null; records = []; touched = new Set();
    apartFrom.disconnect();
    if (sign() !== signed) return { moved: true };
    if (document.querySelector(ALWAYS_WHOLE) || moves()) return null;
    for (const element of document.querySelectorAll('*')) if (element.shadowRoot) return null;
    const { nodes, hash } = allNodes();
    const at = new Map();
    const boxes = new Array(nodes.length);
    const kinds = new Array(nodes.length).fill(0);
    const layout = layoutRules();
    const rules = readRules();
    const apart = withheld(layout);
    let element = 0;
    for (let i = 0; i < nodes.length; i++) {
      at.set(nodes[i], i);
      if (nodes[i].nodeType === 1) { boxes[i] = boxOf(nodes[i], apart); kinds[i] = parseInt(boxKinds[element++], 16); }
    }
    if (element !== boxKinds.length) return null;
    const scrollers = new Map(scrolling().map((one) => [one, `${one.scrollLeft}|${one.scrollTop}`]));
    const controls = new Map();
    for (const element of document.querySelectorAll(CONTROLS)) controls.set(element, stateOf(element));
    kept = {
      nodes, at, boxes, kinds, around: aroundOf(layout, at, kinds), scrollers, everywhere: false, controls,
      where: where(), sheets: sheetMark(), layout, rules, matches: matchesOf(rules), hover: hoverChain(),
      active: document.activeElement, focused: document.hasFocus(), modal: modalNow(), title: document.title,
      scroll: [scrollX, scrollY]
    };
    return { moved: false, count: nodes.length, hash };
  };

  const below = (root) => {
    const found = []; const walk = document.createTreeWalker(root);
    while (walk.nextNode()) found.push(walk.currentNode); return found;
  };
  // A drawing that is there already, looks the same and is as large.
  const DRAWN = ['stroke', 'strokeWidth', 'strokeLinecap', 'strokeLinejoin', 'strokeMiterlimit', 'transform',
    'vectorEffect', 'display', 'visibility', 'fontSize', 'd', 'x', 'y', 'cx', 'cy', 'r', 'rx', 'ry', 'width', 'height'];
  const drawn = (element) => {
    const style = getComputedStyle(element); return DRAWN.map((name) => style[name]).join('|');
  };
  const twinOf = (drawing, box) => {
    let tries = 0;
    for (const other of document.querySelectorAll('svg')) {
      const like = kept.boxes[kept.at.get(other)];
      if (!like || Math.abs(like[2] - box[2]) > 0.004 || Math.abs(like[3] - box[3]) > 0.004
        || other.checkVisibility() !== drawing.checkVisibility() || !other.isEqualNode(drawing)) continue;
      const [ours, theirs] = [drawing.querySelectorAll('*'), other.querySelectorAll('*')];
      if (drawn(other) === drawn(drawing) && [...ours].every((part, k) => drawn(part) === drawn(theirs[k])))
        return other;
      if (++tries > 8) return null;
    }
    return null;
  };
  // Nodes rendered anew: new ones that equal nodes which went, and stand for them. Returns both by each other.
  const SHOWN_APART = 'dialog, [popover], canvas, video, audio, object, embed';
  const rendered = (nodes, added, gone, spoiled) => {
    const heirs = new Map(), twins = new Map();
    const keyOf = (node) => `${node.nodeName}|${node.childNodes.length}|${node.textContent}`;
    const waiting = new Map();
    for (const old of gone) {
      let top = old;
      while (top.parentNode) top = top.parentNode;
      if (spoiled.has(top)) continue;
      const key = keyOf(old);
      if (!waiting.has(key)) waiting.set(key, []);
      waiting.get(key).push(old);
    }
    if (!waiting.size) return { heirs, twins };
    for (let k = 0; k < added.length; k++) {
      const node = nodes[added[k]];
      if (!kept.at.has(node.parentNode)) continue;
      const list = waiting.get(keyOf(node));
      const which = list ? list.findIndex((old) => old.isEqualNode(node)) : -1;
      if (which < 0 || (node.nodeType === 1 && (node.matches(SHOWN_APART) || node.querySelector(SHOWN_APART))))
        continue;
      const old = list[which];
      // Nothing changed in what went: as it stood among the nodes it is as long as what equals it.
      const start = kept.at.get(old);
      let last = old;
      while (last.lastChild) last = last.lastChild;
      const count = kept.at.get(last) - start + 1;
      if (added[k + count - 1] !== added[k] + count - 1
        || nodes.slice(added[k], added[k] + count).some((one) => one.shadowRoot)) continue;
      list.splice(which, 1);
      for (let n = 0; n < count; n++) {
        const [ours, theirs] = [nodes[added[k] + n], kept.nodes[start + n]];
        twins.set(ours, theirs);
        heirs.set(theirs, ours);
      }
      k += count - 1;
    }
    return { heirs, twins };
  };
  const patch = () => {
    browserLens.begin();
    const whole = (reason) => { kept = null; apartFrom.disconnect(); return { kind: 'whole', why: reason }; };
    if (kept) take(apartFrom.takeRecords());
    if (!kept) return whole('nothing is kept');
    if (why) return whole(why);
    if (kept.where !== where()) return whole('another place or size');
    if (moves()) return whole('something moves');
    if (kept.sheets !== sheetMark()) return whole('other style sheets');
    if (kept.modal !== modalNow()) return whole('a modal dialog');
    const news = records;
    records = [];
    apartFrom.disconnect();
    const attributes = new Set();
    const texts = new Set();
    const parents = new Set();
    const brought = new Set();
    const starts = new Map();
    const gone = new Set(), spoiled = new Set();
    for (const record of news) {
      const target = record.target;
      for (const node of record.removedNodes)
        if (target.isConnected && kept.at.has(node) && !node.isConnected) gone.add(node);
      if (!target.isConnected) {
        let top = target;
        while (top.parentNode) top = top.parentNode;
        spoiled.add(top);
        continue;
      }
      if (target.getRootNode() !== document) return whole('a shadow tree');
      const element = target.nodeType === 1 ? target : target.parentElement;
      if (!element) return whole('the document');
      if (element.localName !== 'title' && element.closest('head, style, script, svg'))
        return whole(`a change in ${element.localName}`);
      if (record.type === 'attributes') {
        if (element.localName === 'html' || element.localName === 'body') return whole('an attribute of the document');
        attributes.add(element);
      } else if (record.type === 'characterData') texts.add(target);
      else {
        parents.add(target);
        for (const node of record.addedNodes) if (kept.at.has(node)) brought.add(node);
        // Where the first change in it lies: what stands before is as it was, but for rules that look ahead.
        const before = record.previousSibling;
        const from = before && before.parentNode === target ? before : null;
        const known = starts.get(target);
        if (known === undefined) starts.set(target, from);
        else if (known && (!from || from.compareDocumentPosition(known) & Node.DOCUMENT_POSITION_FOLLOWING))
          starts.set(target, from);
      }
    }
    // The nodes as they are now.
    let { nodes, at } = kept;
    let added = [];
    if (parents.size) {
      const now = allNodes();
      nodes = now.nodes;
      at = new Map();
      for (let i = 0; i < nodes.length; i++) { at.set(nodes[i], i); if (!kept.at.has(nodes[i])) added.push(i); }
    }
    const { heirs, twins } = gone.size && added.length ? rendered(nodes, added, gone, spoiled) : {
      heirs: new Map(), twins: new Map()
    };
    const all = added;
    added = twins.size ? all.filter((i) => !twins.has(nodes[i])) : all;
    const isKnown = (node) => kept.at.has(node) || twins.has(node);
    const placeOf = (node) => kept.at.get(node) ?? kept.at.get(twins.get(node));
    for (const [node, old] of twins) {
      const passes = belows.get(old); if (passes) belows.set(node, passes);
      if (node.localName === 'img' && !node.complete) touched.add(node);
    }
    for (const [scroller, place] of [...kept.scrollers]) {
      const heir = heirs.get(scroller); if (heir) kept.scrollers.set(heir, place);
    }
    const controls = new Map();
    const restated = new Set();
    for (const element of document.querySelectorAll(CONTROLS)) {
      const state = stateOf(element);
      controls.set(element, state);
      const before = kept.controls.get(twins.get(element) ?? element);
      if (before !== undefined && before !== state)
        restated.add(element.localName === 'option' ? element.closest('select') ?? element : element);
    }
    const active = document.activeElement;
    const focused = document.hasFocus();
    const refocused = new Set();
    if (kept.active !== active || kept.focused !== focused)
      for (const element of [heirs.get(kept.active) ?? kept.active, active])
        if (element?.isConnected) refocused.add(element);
    const hover = hoverChain();
    const rehovered = new Set();
    if (hover[hover.length - 1] !== kept.hover[kept.hover.length - 1]) {
      for (const element of hover) if (!kept.hover.includes(element)) rehovered.add(element);
      for (const one of kept.hover) {
        const element = heirs.get(one) ?? one;
        if (element.isConnected && (element !== one || !hover.includes(element))) rehovered.add(element);
      }
    }
    if (added.length > Math.max(400, nodes.length * 0.4)) return whole('too much is new');
    for (const i of added) {
      const node = nodes[i];
      if (node.nodeType !== 1) continue;
      if (FOREIGN.has(node.localName) || (node.namespaceURI === SVG && node.localName === 'foreignObject')
        || node.shadowRoot || node.popover
        || (node.localName === 'input'
          && !['text', 'search', 'email', 'tel', 'url', 'password', 'checkbox', 'radio', 'hidden', 'number']
          .includes(node.type))) return whole(`a new ${node.localName}`);
    }
    // Which elements may look otherwise than before.
    const rows = new Set();
    const restyled = new Set();
    let full = false;
    const addTree = (element) => {
      if (restyled.has(element)) return;
      for (const one of [element, ...element.querySelectorAll('*')]) { restyled.add(one); rows.add(one); }
      if (rows.size > MOST_ROWS) full = true;
    };
    const addMatches = (root, selector) => {
      if (!selector || full) return;
      if (root.matches?.(selector)) addTree(root);
      for (const one of root.querySelectorAll(selector)) { addTree(one); if (full) return; }
    };
    const endOf = (node) => {
      for (let one = node; one; one = one.parentNode) if (one.nextSibling) return at.get(one.nextSibling);
      return nodes.length;
    };
    // Whether the same stands in it in the same order, new or not.
    const same = new Map();
    const isSame = (parent) => {
      if (!twins.size) return false;
      if (!same.has(parent)) {
        let next = kept.at.get(parent) + 1;
        let is = !news.some((record) => record.target === parent
          && [...record.removedNodes]
          .some((node) => kept.at.has(node) && !heirs.has(node) && node.parentNode !== parent));
        for (let child = parent.firstChild; child && is; child = child.nextSibling) {
          is = placeOf(child) === next;
          next += endOf(child) - at.get(child);
        }
        same.set(parent, is);
      }
      return same.get(parent);
    };
    const addLater = (element, selector) => {
      for (let next = element.nextElementSibling; next && !full; next = next.nextElementSibling)
        addMatches(next, selector);
    };
    const stirred = attributes.size || parents.size || restated.size || refocused.size || rehovered.size;
    if (stirred) {
      const { rules } = kept;
      if (rules.foreign) return whole('style sheets that cannot be read');
      const matches = kept.matches && matchesOf(rules);
      for (const [selector, now] of matches ?? []) {
        const before = kept.matches.get(selector);
        for (const element of now)
          if (!before.has(element) && !before.has(twins.get(element)) && isKnown(element)) addTree(element);
        for (const one of before) {
          const element = heirs.get(one) ?? one; if (element.isConnected && !now.has(element)) addTree(element);
        }
      }
      kept.matches = matches;
      for (const element of attributes) { addTree(element); if (!matches) addLater(element, rules.sibling); }
      for (const parent of parents) {
        rows.add(parent.nodeType === 1 ? parent : parent.parentElement);
        if (matches || isSame(parent)) continue;
        addMatches(parent, rules.around);
        const start = starts.get(parent);
        for (let later = start ? start.nextSibling : parent.firstChild; later && !full; later = later.nextSibling)
          if (later.nodeType === 1 && isKnown(later)) addMatches(later, rules.sibling);
      }
      for (const element of [...restated, ...refocused]) {
        rows.add(element);
        if (rules.state && element !== document.body) {
          addMatches(element, rules.state); addLater(element, rules.state);
          } for (const label of element.labels ?? []) addMatches(label, rules.state);
        if (element.localName === 'fieldset') addTree(element);
      }
      for (const element of rehovered) { addMatches(element, rules.state); addLater(element, rules.state); }
      for (const element of restated) {
        if (element.localName === 'details') addTree(element);
        if (element.localName === 'select') for (const option of element.options) rows.add(option);
      }
      if (rules.has && !full) addMatches(document, rules.has);
    }
    for (const [scroller, place] of kept.scrollers) {
      if (!scroller.isConnected) { kept.scrollers.delete(scroller); continue; }
      const now = `${scroller.scrollLeft}|${scroller.scrollTop}`;
      if (now !== place) { touched.add(scroller); kept.scrollers.set(scroller, now); }
    }
    const mayScroll = (element) => {
      if (!kept.scrollers.has(element)
        && (element.scrollWidth > element.clientWidth
          || element.scrollHeight > element.clientHeight)) kept.scrollers.set(element,
          `${element.scrollLeft}|${element.scrollTop}`);
    };
    for (const target of touched) if (target.isConnected && target.nodeType === 1) rows.add(target);
    if (full || rows.size > Math.max(200, nodes.length * 0.4)) return whole('too much changed');
    for (const i of added) if (nodes[i].nodeType === 1) rows.add(nodes[i]);
    for (const text of texts) if (text.parentElement) rows.add(text.parentElement);
    rows.delete(null);
    for (const element of rows) if (at.get(element) === undefined) rows.delete(element);
    // What moved.
    let { boxes, kinds } = kept;
    if (nodes !== kept.nodes) {
      const places = nodes.map(placeOf);
      boxes = places.map((place) => kept.boxes[place]);
      kinds = places.map((place) => kept.kinds[place] ?? 0);
    }
    const moved = [];
    const slid = [];
    const shifted = [];
    const remeasure = new Set();
    const apart = withheld(kept.layout);
    const everywhere = kept.everywhere || !apart || kept.scroll[0] !== scrollX || kept.scroll[1] !== scrollY
      || !kept.layout.known;
    // What holds a change.
    const stirs = new Set();
    const stir = (node) => {
      for (let e = node.nodeType === 1 ? node : node.parentElement; e && !stirs.has(e); e = e.parentElement)
        stirs.add(e);
    };
    for (const node of [...rows, ...parents, ...texts, ...added.map((i) => nodes[i])]) stir(node);
    for (const node of brought)
      if (node.isConnected) {
        stir(node); if (node.nodeType === 1) for (const one of node.querySelectorAll('*')) stirs.add(one);
      }
    // What floated may have gone, and stood in the way of what is still there.
    const around = everywhere ? kept.around : aroundOf(kept.layout, at, kinds);
    const loose = new Set([...kept.around.loose, ...around.loose]),
      tangled = new Set([...kept.around.tangled, ...around.tangled]);
    for (const element of [...kept.around.subgrids, ...around.subgrids])
      if (at.has(element)) kinds[at.get(element)] &= ~OWN;
    const seen = new Uint8Array(nodes.length);
    // Compares an element and what it holds with where they stood; returns why that cannot be told.
    const compare = (root) => {
      // With whether floats reach into it, or nothing in it may be told apart.
      const open = [[root, 0]];
      while (open.length) {
        const [element, reached] = open.pop();
        const i = at.get(element);
        if (i === undefined) return 'a node that nobody told of';
        if (seen[i]) continue;
        seen[i] = 1;
        const children = element.children;
        const within = reached === 2 || tangled.has(element) ? 2 : loose.has(element) ? 1 : kinds[i] & ROOT ? 0
          : reached;
        const descend = () => { for (let k = children.length - 1; k >= 0; k--) open.push([children[k], within]); };
        if (inner(element)) {
          descend();
          continue;
        }
        const box = boxOf(element, apart);
        const before = boxes[i];
        boxes[i] = box;
        if (before) {
          const dx = box[0] - before[0], dy = box[1] - before[1];
          const goes = Math.abs(dx) > 0.004 || Math.abs(dy) > 0.004;
          const grows = Math.abs(box[2] - before[2]) > 0.004 || Math.abs(box[3] - before[3]) > 0.004;
          if (!grows && !everywhere && reached < 2 && !(reached === 1 && !(kinds[i] & ROOT)) && !stirs.has(element)
            && (kinds[i] & OWN || element.localName === 'svg')) {
            if (goes) {
              const end = endOf(element);
              slid.push([i, end, dx, dy]);
              for (let k = i + 1; k < end; k++) if (boxes[k]) { boxes[k][0] += dx; boxes[k][1] += dy; }
              if (element.parentElement) remeasure.add(element.parentElement);
            }
            continue;
          }
          if (goes || grows) {
            moved.push([i, ...box]);
            remeasure.add(element);
            if (element.parentElement) remeasure.add(element.parentElement);
            if (element.localName === 'svg') {
              if (grows) return 'a drawing of another size';
              for (const part of element.querySelectorAll('*')) shifted.push([at.get(part), dx, dy]);
            }
          } else if (stirs.size && !everywhere && (reached || !(kinds[i] & OWN))) {
            // Lines may run otherwise in boxes that are the same.
            remeasure.add(element);
          }
        } else moved.push([i, ...box]);
        descend();
      }
      return null;
    };
    const lost = document.documentElement && compare(document.documentElement);
    if (lost) return whole(lost);
    // What is placed by something else than what holds it.
    for (let i = 0; i < nodes.length; i++)
      if (kinds[i] & FREE && !seen[i]) { const odd = compare(nodes[i]); if (odd) return whole(odd); }
    for (const element of rows) {
      remeasure.add(element); if (element.parentElement && !isKnown(element)) remeasure.add(element.parentElement);
    }
    for (const parent of parents) remeasure.add(parent);
    for (const text of [...texts, ...added.map((i) => nodes[i])])
      if (text.nodeType === 3 && text.parentElement?.checkVisibility()
        && getComputedStyle(text.parentElement).textTransform !== 'none') return whole('text in another case');
    const textRows = [];
    // Asking for a box lays out what a closed `details` holds.
    const unseen = (element) => !element.checkVisibility();
    // A range ends where a text is cut short, its box does not.
    const isCutShort = (element) => {
      let block = element;
      while (block.parentElement && block.clientWidth === 0 && block.scrollWidth === 0) block = block.parentElement;
      return block.scrollWidth > block.clientWidth && getComputedStyle(block).textOverflow !== 'clip';
    };
    for (const element of remeasure) {
      const hides = element.nodeType !== 1 || unseen(element);
      let cut = null;
      for (let child = element.firstChild; child; child = child.nextSibling) {
        if (child.nodeType !== 3) continue;
        if (!hides && child.data.trim() && (cut ??= isCutShort(element))) return whole('a text that is cut short');
        textRows.push([at.get(child), child.data, ...(hides ? [0, 0, 0, 0] : textBox(child))]);
      }
    }
    // New drawings: where their shapes lie is what a drawing like it says that is there already.
    const drawings = [];
    for (const i of added) {
      const drawing = nodes[i];
      if (drawing.localName !== 'svg' || drawing.namespaceURI !== SVG || drawing.parentElement?.closest('svg'))
        continue;
      const twin = twinOf(drawing, boxes[i]);
      if (!twin) return whole('a new drawing');
      const like = boxes[at.get(twin)];
      const dx = boxes[i][0] - like[0], dy = boxes[i][1] - like[1];
      const [ours, theirs] = [below(drawing), below(twin)];
      for (let k = 0; k < ours.length; k++) drawings.push([at.get(ours[k]), at.get(theirs[k]), dx, dy]);
    }
    // New layers: they paint beside those of a sibling that is there already.
    for (const node of brought)
      if (node.nodeType === 1 && node.isConnected && layersOf(node)?.length !== 0)
        return whole('a layer at another place');
    const repainted = [];
    const isLayered = (element) => (kinds[at.get(element)] & LAYER) !== 0;
    for (const parent of parents) {
      if (!twins.size || isSame(parent) || parent.nodeType !== 1
        || ![...parent.children].some((child) => twins.has(child))) continue;
      const levels = new Map();
      for (const child of parent.children) {
        const layersIn = layersOf(child, isLayered);
        if (!layersIn) return whole('a layer that cannot be told');
        if (layersIn.length && !twins.has(child)) return whole('layers between others');
        for (const [level, elements] of layersIn) {
          if (!levels.has(level)) levels.set(level, []);
          levels.get(level).push(...elements.map((element) => at.get(element)));
        }
      }
      if (levels.size) repainted.push([at.get(parent) + 1, endOf(parent), [...levels.values()]]);
    }
    const layers = [];
    const placed = ([level, elements]) => [level, elements.map((element) => at.get(element))];
    for (const i of added) {
      const root = nodes[i];
      if (root.nodeType !== 1 || !kept.at.has(root.parentNode)) continue;
      const ours = layersOf(root);
      if (!ours) return whole('a new layer');
      if (!ours.length) continue;
      if (repainted.length) return whole('new layers among layers in another order');
      let beside = null;
      for (let one = root.previousElementSibling; one && !beside; one = one.previousElementSibling)
        beside = isKnown(one) || layers.some((known) => known.root === at.get(one)) ? one : null;
      if (!beside) return whole('a new layer');
      const theirs = layersOf(beside);
      if (!theirs || ours.some(([level]) => !theirs.some(([other]) => other === level)))
        return whole('a new layer of another kind');
      layers.push({
        root: i, end: i + 1 + below(root).length, beside: at.get(beside),
        beside_end: at.get(beside) + 1 + below(beside).length, ours: ours.map(placed), theirs: theirs.map(placed)
      });
    }
    const layering = new Set(layers.flatMap(({ ours }) => ours.flatMap(([, places]) => places)));
    // Full rows.
    const out = [];
    for (const element of rows) {
      const i = at.get(element);
      const tag = element.localName;
      const isNew = !isKnown(element);
      const shown = element.checkVisibility();
      const style = getComputedStyle(element);
      const lays = shown && style.display !== 'contents';
      kinds[i] = kindOf(style) + ((isNew ? layering.has(i) : kinds[i] & LAYER) ? LAYER : 0);
      if (lays) mayScroll(element);
      if (shown && (isNew || restyled.has(element))) {
        for (const pseudo of ['::before', '::after']) {
          const content = getComputedStyle(element, pseudo).content;
          if (content !== 'none' && content !== 'normal' && content !== '""') return whole('generated text');
        }
        if (style.display === 'list-item' && style.listStyleType !== 'none') return whole('a list marker');
        if (style.textTransform !== 'none') return whole('text in another case');
      }
      const listed = [];
      for (const { name, value } of element.attributes) listed.push(name, value);
      out.push([i, listed, lays ? STYLES.map((name) => style.getPropertyValue(name)) : null,
        lays && layered(style) && !(isNew && isLayer(element, style) === layering.has(i)),
        [element.clientLeft, element.clientTop, element.clientWidth, element.clientHeight],
        [element.scrollLeft, element.scrollTop, element.scrollWidth, element.scrollHeight],
        tag === 'input' ? element.value : null, tag === 'textarea' ? element.value : null, element.checked === true,
          tag === 'option' && element.selected === true, restyled.has(element)]);
    }
    for (const parent of parents)
      if (parent.nodeType === 1)
        for (const child of parent.children)
          if (isKnown(child) && !isSame(parent)) {
            const style = getComputedStyle(child);
            if (style.display === 'list-item' && style.listStyleType !== 'none') return whole('list markers');
          }
    // Scrollers and clients of what changed its size.
    const sized = new Set();
    for (const [i] of moved) sized.add(nodes[i]);
    for (const element of remeasure) sized.add(element);
    const climbed = new Set();
    for (const element of [...parents, ...rows])
      for (let above = element.parentElement; above && !climbed.has(above); above = above.parentElement) {
        climbed.add(above); sized.add(above);
      }
    const sizes = [];
    for (const e of sized) {
      const i = at.get(e);
      if (i !== undefined && e.nodeType === 1 && !rows.has(e)) mayScroll(e);
      if (i !== undefined && e.nodeType === 1 && !rows.has(e))
        sizes.push([i, [e.clientLeft, e.clientTop, e.clientWidth, e.clientHeight],
          [e.scrollLeft, e.scrollTop, e.scrollWidth, e.scrollHeight]]);
    }
    // Roles, names and states.
    const ax = new Set();
    const axTree = (element) => { ax.add(element); for (const one of element.querySelectorAll('*')) ax.add(one); };
    const axUp = (node) => {
      for (let e = node.nodeType === 1 ? node : node.parentElement; e; e = e.parentElement) ax.add(e);
    };
    for (const element of attributes) { axTree(element); axUp(element); }
    for (const element of restyled) { ax.add(element); axUp(element); }
    for (const node of [...parents, ...texts]) axUp(node);
    for (const element of parents) {
      const table = element.nodeType === 1 && element.closest('table, dl, select'); if (table) axTree(table);
    }
    for (const i of added) if (nodes[i].nodeType === 1) axTree(nodes[i]);
    for (const element of [...restated, ...refocused]) {
      axTree(element); axUp(element);
      if (element.type === 'radio') for (const other of document.querySelectorAll('input[type=radio]')) ax.add(other);
    }
    if (ax.size) {
      const named = new Set([...ax].map((element) => element.id).filter(Boolean));
      for (const element of document.querySelectorAll(
        '[aria-labelledby], [aria-describedby], [aria-owns], [aria-controls], [aria-details], ' +
        '[aria-activedescendant], label[for]')) {
        for (const name of ['aria-labelledby', 'aria-describedby', 'aria-owns', 'aria-controls', 'aria-details',
          'aria-activedescendant']) for (const id of (element.getAttribute(name) ?? '')
          .split(/\s+/)) if (named.has(id)) axTree(element);
      }
      for (const element of [...ax]) if (element.localName === 'label' && element.control) ax.add(element.control);
      if ([...attributes].some((element) => element.id || element.hasAttribute('for'))
        || news.some((record) => record.attributeName === 'id'
          || record.attributeName === 'for')) for (
          const element of document.querySelectorAll(
            '[aria-labelledby], [aria-describedby], input, select, textarea')) ax.add(element);
      if (news.some((record) => [...record.removedNodes ?? []]
        .some((node) => node.nodeType === 1 && !heirs.has(node)
          && (node.id
            || node.querySelector?.('[id], label'))))) for (
            const element of document.querySelectorAll(
              '[aria-labelledby], [aria-describedby], input, select, textarea')) ax.add(element);
    }
    const axRows = [];
    const axRead = [];
    const current = begun();
    const order = [...ax].map((element) => at.get(element)).filter((i) => i !== undefined).sort((a, b) => a - b);
    const queue = new Set(order);
    for (let at2 = 0; at2 < order.length; at2++) {
      const i = order[at2];
      const element = nodes[i];
      const above = element.parentElement ? belows.get(element.parentElement) : current.start;
      if (!above) return whole('an element out of the tree');
      const plain = !above.editable && isPlain(element, element.localName);
      const below = plain ? above : { ...above };
      if (element === current.modal) below.hidden = false;
      else if (current.modal && element === document.documentElement) below.hidden = true;
      if (!plain && (element.getAttribute('aria-hidden') === 'true' || element.inert)) below.hidden = true;
      if (!below.hidden && !plain) visit(element, element.localName, i, above, below, current.active, axRows);
      axRead.push(i);
      const before = belows.get(element);
      if (before && Object.keys(below).some((key) => before[key] !== below[key])) {
        // What it passes on changed: all below it is read too.
        const more = [...element.querySelectorAll('*')].map((one) => at.get(one)).filter((one) => !queue.has(one));
        for (const one of more) queue.add(one);
        order.splice(at2 + 1, order.length, ...[...order.slice(at2 + 1), ...more].sort((a, b) => a - b));
        if (order.length > MOST_ROWS * 2) return whole('too many names');
      }
      belows.set(element, below);
    }
    const places = new Map();
    const inOrder = (parent) => {
      if (!places.has(parent)) {
        const order = new Map();
        for (let child = parent.firstChild; child; child = child.nextSibling) order.set(child, order.size);
        places.set(parent, order);
      }
      return places.get(parent);
    };
    const runs = [];
    const ups = [];
    const roots = all.filter((i) => kept.at.has(nodes[i].parentNode));
    if (parents.size) {
      for (const i of added) ups.push([i, at.get(nodes[i].parentNode) ?? -1]);
      for (const i of roots) if (twins.has(nodes[i])) ups.push([i, at.get(nodes[i].parentNode) ?? -1]);
      for (const node of brought) if (node.isConnected) ups.push([at.get(node), at.get(node.parentNode) ?? -1]);
      // What was there stands at its old place, what is rendered anew at two less than minus that of what it stands
      // for, what is new at -1.
      for (let i = 0; i < nodes.length; i++) {
        const [known, twin] = [kept.at.get(nodes[i]), twins.get(nodes[i])];
        const old = known ?? (twin ? kept.at.get(twin) : -1);
        const last = runs[runs.length - 1];
        if (last && last.old >= 0 && last.old + last.count === old && last.twin === (twin !== undefined)) last.count++;
        else if (last && old < 0 && last.old < 0) last.count++;
        else runs.push({ old, count: 1, twin: twin !== undefined });
      }
    }
    // Where much is new in one element, that is described, and of its children those that are new.
    const inOne = new Map();
    for (const i of roots) { const parent = nodes[i].parentNode; inOne.set(parent, (inOne.get(parent) ?? 0) + 1); }
    const objects = [];
    const described = roots.map((i) => {
      const parent = nodes[i].parentNode;
      const together = inOne.get(parent) > 8 && inOne.get(parent) * 2 > parent.childNodes.length;
      const object = together ? parent : nodes[i];
      if (objects[objects.length - 1] !== object) objects.push(object);
      return [objects.length - 1, together ? inOrder(parent).get(nodes[i]) : -1];
    });
    globalThis.browserLensNew = objects;
    const fresh = added.map((i) => [i, nodes[i].nodeType, nodes[i].nodeName, nodes[i].nodeValue ?? '']);
    const scroll = [scrollX, scrollY];
    const quiet = !out.length && !moved.length && !slid.length && !shifted.length && !textRows.length && !axRead.length
      && !runs.length && kept.title === document.title && kept.scroll[0] === scroll[0] && kept.scroll[1] === scroll[1];
    kept = {
      ...kept, nodes, at, boxes, kinds, around, everywhere: false, controls, hover, active, focused,
      title: document.title, scroll
    };
    touched = new Set();
    if (quiet) return { kind: 'same' };
    return {
      kind: 'patch', count: nodes.length, runs: runs.map(({ old, count, twin }) => [twin ? -2 - old : old, count]), ups,
      fresh, objects: objects.length, roots: described, repainted, moved, slid, shifted, texts: textRows, drawings,
      layers, rows: out, sizes, axRead, ax: axRows, title: document.title, scroll
    };
  };
  const forget = () => { kept = null; };
  globalThis.browserLensPatch = { begin, keep, patch, forget };
})()
