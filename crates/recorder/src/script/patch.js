// What changed in one frame since it was read whole, in an isolated world: which nodes are new, moved, restyled or otherwise read anew.
//
// `keep` notes the nodes in document order, their boxes and the states of controls; `patch` answers `same`, `whole` (with the reason: read it all) or
// what changed, by places in the old and the new order. Always holds: whenever it cannot be told which nodes a change reaches, the answer is `whole`.
// Boxes are compared for all nodes, since anything may move them; styles are read where a mutation, a state or a selector that looks at siblings,
// states or contents can have changed them.
(() => {
  'use strict';
  if (globalThis.browserLensPatch) return;
  const { visit, belows, isPlain, begun, NOWHERE, happened } = globalThis.browserLensCollect.parts;
  const STYLES = ['display', 'visibility', 'opacity', 'position', 'overflow-x', 'overflow-y', 'clip', 'clip-path', 'transform', 'pointer-events', 'cursor', 'color', 'background-color', 'background-image', 'white-space-collapse', 'direction', 'content-visibility', 'filter', 'content'];
  const MOST_RECORDS = 2000;
  const MOST_ROWS = 1500;
  const ALWAYS_WHOLE = 'canvas, video, audio, iframe, frame, object, embed, slot';
  const FOREIGN = new Set(['canvas', 'video', 'audio', 'iframe', 'frame', 'object', 'embed', 'slot', 'dialog', 'select', 'optgroup', 'option', 'details', 'summary', 'link', 'style', 'base', 'math', 'template', 'fieldset', 'ruby', 'meter', 'progress', 'marquee', 'table', 'map', 'area']);
  const SVG = 'http://www.w3.org/2000/svg';
  const CONTROLS = 'input, textarea, select, option, progress, meter, details, dialog';
  const inner = (node) => node.namespaceURI === SVG && node.localName !== 'svg';

  let kept = null;
  let why = null;
  let records = [];
  let touched = new Set();
  browserLens.hear((list) => { if (kept) { if (records.length + list.length > MOST_RECORDS) why ??= 'too many mutations'; else records.push(...list); } });
  const on = (names, then) => { for (const name of names) document.addEventListener(name, (event) => { if (kept) then(event.target); }, { capture: true, passive: true }); };
  on(['scroll'], (target) => { if (target !== document) touched.add(target); });
  on(['load', 'error'], (target) => { if (target.localName === 'img') touched.add(target); else why ??= 'something loaded'; });
  on(['transitionrun', 'animationstart', 'fullscreenchange', 'slotchange'], () => { why ??= 'something moved'; });
  on(['toggle', 'beforetoggle'], (target) => { if (target.localName !== 'details') why ??= 'a popover'; });
  globalThis.addEventListener('resize', () => { why ??= 'another size'; }, { passive: true });

  const sheetMark = () => {
    const list = [...document.styleSheets, ...document.adoptedStyleSheets];
    return list.map((sheet) => { let rules = -1; try { rules = sheet.cssRules.length; } catch { /* of another origin */ } return `${rules}${sheet.disabled}`; }).join();
  };
  // Selectors of all elements that a rule of a kind may be about: parts that look elsewhere or change by themselves are left out.
  const wide = (selector) => {
    let text = selector.replace(/::[a-z-]+(\([^()]*\))?/g, '');
    for (let before = ''; before !== text;) { before = text; text = text.replace(/:[a-z-]+\([^()]*\)/g, ''); }
    text = text.replace(/:[a-z-]+/g, '');
    return text.split(',').flatMap((part) => {
      const rest = part.slice(Math.max(part.lastIndexOf('+'), part.lastIndexOf('~')) + 1);
      const words = rest.replace(/>/g, ' ').split(/\s+/).filter(Boolean).join(' ');
      // Where the last part was a pseudo-class alone, any element below is meant.
      if (words === '') return ['*'];
      return /[\s>]$/.test(rest) ? [words, `${words} *`] : [words];
    });
  };
  const readRules = () => {
    const found = { state: new Set(), sibling: new Set(), around: new Set(), has: new Set(), foreign: false };
    const open = [];
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) { try { open.push(...sheet.cssRules); } catch { found.foreign = true; } }
    while (open.length) {
      const rule = open.pop();
      if (rule.cssRules?.length) open.push(...rule.cssRules);
      if (rule.constructor.name === 'CSSContainerRule') found.foreign = true;
      const selector = rule.selectorText;
      if (!selector) continue;
      const state = /:(hover|focus|active|checked|disabled|enabled|valid|invalid|placeholder|required|optional|read-|indeterminate|default|target|open|in-range|out-of-range|user-|modal|popover)/.test(selector);
      const bare = selector.replace(/\[[^\]]*\]/g, '');
      const sibling = /[+~]|:(first|last|nth|only|empty)/.test(bare);
      // What depends on what stands behind it too, not only on what stands before it.
      const around = /:(last|nth-last|only|empty)/.test(bare);
      const has = /:has\(|:focus-within/.test(selector);
      if (!state && !sibling && !has) continue;
      let wides;
      try { wides = wide(selector.replace(/\[[^\]]*\]/g, '')); wides.forEach((one) => document.querySelector(one)); } catch { wides = ['*']; }
      for (const one of wides) { if (state) found.state.add(one); if (sibling) found.sibling.add(one); if (around) found.around.add(one); if (has) found.has.add(one); }
    }
    const joined = (set) => [...set].join(',');
    return { state: joined(found.state), sibling: joined(found.sibling), around: joined(found.around), has: joined(found.has), foreign: found.foreign };
  };

  // Asking for a box lays out what is kept from it (`content-visibility`, a closed `details`): what may be is asked whether it is seen, which takes
  // as long again as the box.
  const withheld = () => {
    const open = [];
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) { try { open.push(...sheet.cssRules); } catch { return null; } }
    while (open.length) {
      const rule = open.pop();
      if (rule.cssRules?.length) open.push(...rule.cssRules);
      if (rule.style?.contentVisibility) return null;
    }
    return document.querySelector('[style*="content-visibility"], [hidden="until-found"]') ? null : new Set(document.querySelectorAll('details:not([open]) *'));
  };
  const boxOf = (element, apart) => {
    const box = (apart && !apart.has(element)) || element.checkVisibility() ? element.getBoundingClientRect() : NOWHERE;
    return [box.x + scrollX, box.y + scrollY, box.width, box.height];
  };
  const range = document.createRange();
  const textBox = (text) => {
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    return box.width || box.height || box.x || box.y ? [box.x + scrollX, box.y + scrollY, box.width, box.height] : [0, 0, 0, 0];
  };
  const stateOf = (element) => `${element.checked}|${element.selected}|${element.indeterminate}|${element.matches(':disabled')}|${element.open}|${element.readOnly}|${element.selectedIndex}|${element.files?.length}|${element.validity?.valid}|${element.localName === 'option' ? '' : element.value}`;
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
  const modalNow = () => [...document.querySelectorAll('dialog[open]')].filter((d) => d.matches(':modal')).pop() ?? null;
  const where = () => `${location.href}|${innerWidth}|${innerHeight}|${devicePixelRatio}|${document.designMode}`;
  const moves = () => document.readyState !== 'complete' || document.getAnimations().some((animation) => animation.playState === 'running');

  // What may have changed by the time that everything is noted: nothing may have, or the notes are of another page than was read.
  const sign = () => `${browserLens.end()}|${happened()}|${scrollX}|${scrollY}|${where()}`;
  let signed = '';
  const begin = () => { const mutations = browserLens.begin(); signed = sign(); return mutations; };
  const keep = () => {
    kept = null; why = null; records = []; touched = new Set();
    if (sign() !== signed) return { moved: true };
    if (document.querySelector(ALWAYS_WHOLE) || moves()) return null;
    for (const element of document.querySelectorAll('*')) if (element.shadowRoot) return null;
    const { nodes, hash } = allNodes();
    const at = new Map();
    const boxes = new Array(nodes.length);
    const apart = withheld();
    for (let i = 0; i < nodes.length; i++) { at.set(nodes[i], i); if (nodes[i].nodeType === 1) boxes[i] = boxOf(nodes[i], apart); }
    const controls = new Map();
    for (const element of document.querySelectorAll(CONTROLS)) controls.set(element, stateOf(element));
    kept = { nodes, at, boxes, controls, where: where(), sheets: sheetMark(), rules: null, hover: hoverChain(), active: document.activeElement, focused: document.hasFocus(), modal: modalNow(), title: document.title, scroll: [scrollX, scrollY] };
    return { moved: false, count: nodes.length, hash };
  };

  const layered = (style) => style.position !== 'static' || style.zIndex !== 'auto' || style.opacity !== '1' || style.transform !== 'none' || style.filter !== 'none' || style.clipPath !== 'none' || style.overflowX !== 'visible' || style.overflowY !== 'visible' || style.willChange !== 'auto' || style.mixBlendMode !== 'normal' || style.isolation !== 'auto' || style.contain !== 'none' || style.perspective !== 'none' || style.backdropFilter !== 'none' || style.maskImage !== 'none' || style.float !== 'none' || style.clip !== 'auto';

  // Whether an element has a layer of its own, whether that is stacked with others, and whether it holds a stack of its own; null if it cannot be told.
  const ODD = ['willChange', 'contain', 'perspective', 'backdropFilter', 'maskImage', 'containerType', 'viewTransitionName', 'transformStyle', 'backfaceVisibility', 'columnCount', 'columnWidth', 'scrollTimelineName', 'offsetPath', 'rotate', 'scale', 'translate', 'maskBorderSource', 'webkitBoxReflect', 'webkitMaskBoxImageSource', 'overlay', 'clip'];
  const REPLACED = new Set(['img', 'svg', 'input']);
  let plain = null;
  const layerOf = (element, style) => {
    plain ??= (() => { const one = getComputedStyle(document.createElement('div')); return ODD.map((name) => [name, ({ willChange: 'auto', columnCount: 'auto', columnWidth: 'auto', containerType: 'normal', transformStyle: 'flat', backfaceVisibility: 'visible', clip: 'auto' })[name] ?? 'none', name in one]).filter(([, , known]) => known); })();
    for (const [name, none] of plain) if (style[name] !== none && style[name] !== '') return null;
    const positioned = style.position !== 'static';
    const child = element.parentElement && /flex|grid/.test(getComputedStyle(element.parentElement).display);
    const context = style.opacity !== '1' || style.transform !== 'none' || style.filter !== 'none' || style.mixBlendMode !== 'normal' || style.isolation !== 'auto' || style.clipPath !== 'none' || style.position === 'fixed' || style.position === 'sticky' || ((positioned || child) && style.zIndex !== 'auto');
    const stacked = context || positioned;
    const clips = (style.overflowX !== 'visible' || style.overflowY !== 'visible') && !(element.localName === 'img' || element.localName === 'svg');
    if (inner(element) && (stacked || clips)) return style.transform !== 'none' || style.opacity !== '1' ? null : { has: false };
    if (style.display === 'inline' && !stacked) return { has: false };
    return { has: stacked || clips, stacked, context, z: stacked && style.zIndex !== 'auto' && (positioned || child) ? Number(style.zIndex) : 0 };
  };
  const isLayer = (element, style) => layerOf(element, style)?.has ?? null;
  // The layers of a subtree, in the order in which they are painted, by the place in the stack around it at which they are; null if it cannot be told.
  const layersOf = (root) => {
    const whole = { flow: [], stack: [] };
    let odd = false;
    const sequence = (one) => {
      const sorted = [...one.own.stack].map((member, k) => [member.z, k, member]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , member]) => member);
      const all = one.context ? [...sorted.filter((m) => m.z < 0), ...one.own.flow, ...sorted.filter((m) => m.z >= 0)] : one.own.flow;
      return [one.element, ...all.flatMap(sequence)];
    };
    const walk = (element, flow, stack) => {
      if (!element.checkVisibility()) return;
      const style = getComputedStyle(element);
      const layer = layerOf(element, style);
      if (!layer) { odd = true; return; }
      if (layer.has) {
        const one = { element, z: layer.z, context: layer.context, own: { flow: [], stack: [] } };
        (layer.stacked ? stack : flow).push(one);
        flow = one.own.flow;
        if (layer.context) stack = one.own.stack;
      }
      for (const child of element.children) walk(child, flow, stack);
    };
    walk(root, whole.flow, whole.stack);
    if (odd) return null;
    const levels = new Map();
    const add = (level, one) => { if (!levels.has(level)) levels.set(level, []); levels.get(level).push(...sequence(one)); };
    for (const one of whole.flow) add('flow', one);
    for (const one of whole.stack) add(`z${one.z}`, one);
    return [...levels];
  };
  const below = (root) => { const found = []; const walk = document.createTreeWalker(root); while (walk.nextNode()) found.push(walk.currentNode); return found; };
  // A drawing that is there already, looks the same and is as large.
  const DRAWN = ['stroke', 'strokeWidth', 'strokeLinecap', 'strokeLinejoin', 'strokeMiterlimit', 'transform', 'vectorEffect', 'display', 'visibility', 'fontSize', 'd', 'x', 'y', 'cx', 'cy', 'r', 'rx', 'ry', 'width', 'height'];
  const drawn = (element) => { const style = getComputedStyle(element); return DRAWN.map((name) => style[name]).join('|'); };
  const twinOf = (drawing, box) => {
    let tries = 0;
    for (const other of document.querySelectorAll('svg')) {
      const like = kept.boxes[kept.at.get(other)];
      if (!like || Math.abs(like[2] - box[2]) > 0.004 || Math.abs(like[3] - box[3]) > 0.004 || !other.isEqualNode(drawing)) continue;
      const [ours, theirs] = [drawing.querySelectorAll('*'), other.querySelectorAll('*')];
      if (drawn(other) === drawn(drawing) && [...ours].every((part, k) => drawn(part) === drawn(theirs[k]))) return other;
      if (++tries > 8) return null;
    }
    return null;
  };
  const patch = () => {
    browserLens.begin();
    const whole = (reason) => { kept = null; return { kind: 'whole', why: reason }; };
    if (!kept) return whole('nothing is kept');
    if (why) return whole(why);
    if (kept.where !== where()) return whole('another place or size');
    if (moves()) return whole('something moves');
    if (kept.sheets !== sheetMark()) return whole('other style sheets');
    if (kept.modal !== modalNow()) return whole('a modal dialog');
    const news = records;
    records = [];
    const attributes = new Set();
    const texts = new Set();
    const parents = new Set();
    const brought = new Set();
    const starts = new Map();
    for (const record of news) {
      const target = record.target;
      if (!target.isConnected) continue;
      if (target.getRootNode() !== document) return whole('a shadow tree');
      const element = target.nodeType === 1 ? target : target.parentElement;
      if (!element) return whole('the document');
      if (element.localName !== 'title' && element.closest('head, style, script, svg')) return whole(`a change in ${element.localName}`);
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
        else if (known && (!from || from.compareDocumentPosition(known) & Node.DOCUMENT_POSITION_FOLLOWING)) starts.set(target, from);
      }
    }
    const controls = new Map();
    const restated = new Set();
    for (const element of document.querySelectorAll(CONTROLS)) {
      const state = stateOf(element);
      controls.set(element, state);
      if (kept.at.has(element) && kept.controls.get(element) !== state) restated.add(element.localName === 'option' ? element.closest('select') ?? element : element);
    }
    const active = document.activeElement;
    const focused = document.hasFocus();
    const refocused = new Set();
    if (kept.active !== active || kept.focused !== focused) for (const element of [kept.active, active]) if (element?.isConnected) refocused.add(element);
    const hover = hoverChain();
    const rehovered = new Set();
    if (hover[hover.length - 1] !== kept.hover[kept.hover.length - 1]) {
      for (const element of hover) if (!kept.hover.includes(element)) rehovered.add(element);
      for (const element of kept.hover) if (element.isConnected && !hover.includes(element)) rehovered.add(element);
    }
    // The nodes as they are now.
    let { nodes, at } = kept;
    const added = [];
    if (parents.size) {
      const now = allNodes();
      nodes = now.nodes;
      at = new Map();
      for (let i = 0; i < nodes.length; i++) { at.set(nodes[i], i); if (!kept.at.has(nodes[i])) added.push(i); }
    }
    for (const i of added) {
      const node = nodes[i];
      if (node.nodeType !== 1) continue;
      if (FOREIGN.has(node.localName) || (node.namespaceURI === SVG && node.localName === 'foreignObject') || node.shadowRoot || node.popover || (node.localName === 'input' && !['text', 'search', 'email', 'tel', 'url', 'password', 'checkbox', 'radio', 'hidden', 'number'].includes(node.type))) return whole(`a new ${node.localName}`);
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
    const addLater = (element, selector) => { for (let next = element.nextElementSibling; next && !full; next = next.nextElementSibling) addMatches(next, selector); };
    const stirred = attributes.size || parents.size || restated.size || refocused.size || rehovered.size;
    if (stirred) {
      const rules = kept.rules ??= readRules();
      if (rules.foreign) return whole('style sheets that cannot be read');
      for (const element of attributes) { addTree(element); addLater(element, rules.sibling); }
      for (const parent of parents) {
        rows.add(parent.nodeType === 1 ? parent : parent.parentElement);
        addMatches(parent, rules.around);
        const start = starts.get(parent);
        for (let later = start ? start.nextSibling : parent.firstChild; later && !full; later = later.nextSibling) if (later.nodeType === 1 && kept.at.has(later)) addMatches(later, rules.sibling);
      }
      for (const element of [...restated, ...refocused]) { rows.add(element); if (rules.state && element !== document.body) { addMatches(element, rules.state); addLater(element, rules.state); } for (const label of element.labels ?? []) addMatches(label, rules.state); if (element.localName === 'fieldset') addTree(element); }
      for (const element of rehovered) { addMatches(element, rules.state); addLater(element, rules.state); }
      for (const element of restated) {
        if (element.localName === 'details') addTree(element);
        if (element.localName === 'select') for (const option of element.options) rows.add(option);
      }
      if (rules.has && !full) addMatches(document, rules.has);
    }
    for (const target of touched) if (target.isConnected && target.nodeType === 1) rows.add(target);
    if (full || rows.size > Math.max(200, nodes.length * 0.4)) return whole('too much changed');
    for (const i of added) if (nodes[i].nodeType === 1) rows.add(nodes[i]);
    for (const text of texts) if (text.parentElement) rows.add(text.parentElement);
    rows.delete(null);
    for (const element of rows) if (at.get(element) === undefined) rows.delete(element);
    // What moved.
    const boxes = new Array(nodes.length);
    const moved = [];
    const shifted = [];
    const remeasure = new Set();
    const apart = withheld();
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (node.nodeType !== 1) continue;
      if (inner(node)) {
        boxes[i] = kept.boxes[kept.at.get(node)];
        continue;
      }
      const box = boxOf(node, apart);
      boxes[i] = box;
      const before = kept.boxes[kept.at.get(node)];
      if (before) {
        const dx = box[0] - before[0], dy = box[1] - before[1], dw = box[2] - before[2], dh = box[3] - before[3];
        if (Math.abs(dx) > 0.004 || Math.abs(dy) > 0.004 || Math.abs(dw) > 0.004 || Math.abs(dh) > 0.004) {
          moved.push([i, ...box]);
          remeasure.add(node);
          if (node.parentElement) remeasure.add(node.parentElement);
          if (node.localName === 'svg') {
            if (Math.abs(dw) > 0.004 || Math.abs(dh) > 0.004) return whole('a drawing of another size');
            for (const part of node.querySelectorAll('*')) shifted.push([at.get(part), dx, dy]);
          }
        }
      } else moved.push([i, ...box]);
    }
    for (const element of rows) { remeasure.add(element); if (element.parentElement && (kept.at.get(element) === undefined)) remeasure.add(element.parentElement); }
    for (const parent of parents) remeasure.add(parent);
    for (const text of [...texts, ...added.map((i) => nodes[i])]) if (text.nodeType === 3 && text.parentElement?.checkVisibility() && getComputedStyle(text.parentElement).textTransform !== 'none') return whole('text in another case');
    const textRows = [];
    // Asking for a box lays out what a closed `details` holds.
    const unseen = (element) => !element.checkVisibility();
    for (const element of remeasure) for (let child = element.firstChild; child; child = child.nextSibling) if (child.nodeType === 3) textRows.push([at.get(child), child.data, ...(element.nodeType !== 1 || unseen(element) ? [0, 0, 0, 0] : textBox(child))]);
    // New drawings: where their shapes lie is what a drawing like it says that is there already.
    const twins = [];
    for (const i of added) {
      const drawing = nodes[i];
      if (drawing.localName !== 'svg' || drawing.namespaceURI !== SVG || drawing.parentElement?.closest('svg')) continue;
      const twin = twinOf(drawing, boxes[i]);
      if (!twin) return whole('a new drawing');
      const like = boxes[at.get(twin)];
      const dx = boxes[i][0] - like[0], dy = boxes[i][1] - like[1];
      const [ours, theirs] = [below(drawing), below(twin)];
      for (let k = 0; k < ours.length; k++) twins.push([at.get(ours[k]), at.get(theirs[k]), dx, dy]);
    }
    // New layers: they paint beside those of a sibling that is there already.
    for (const node of brought) if (node.nodeType === 1 && node.isConnected && layersOf(node)?.length !== 0) return whole('a layer at another place');
    const layers = [];
    const placed = ([level, elements]) => [level, elements.map((element) => at.get(element))];
    for (const i of added) {
      const root = nodes[i];
      if (root.nodeType !== 1 || !kept.at.has(root.parentNode)) continue;
      const ours = layersOf(root);
      if (!ours) return whole('a new layer');
      if (!ours.length) continue;
      let beside = null;
      for (let one = root.previousElementSibling; one && !beside; one = one.previousElementSibling) beside = kept.at.has(one) || layers.some((known) => known.root === at.get(one)) ? one : null;
      if (!beside) return whole('a new layer');
      const theirs = layersOf(beside);
      if (!theirs || ours.some(([level]) => !theirs.some(([other]) => other === level))) return whole('a new layer of another kind');
      layers.push({ root: i, end: i + 1 + below(root).length, beside: at.get(beside), beside_end: at.get(beside) + 1 + below(beside).length, ours: ours.map(placed), theirs: theirs.map(placed) });
    }
    const layering = new Set(layers.flatMap(({ ours }) => ours.flatMap(([, places]) => places)));
    // Full rows.
    const out = [];
    for (const element of rows) {
      const i = at.get(element);
      const tag = element.localName;
      const isNew = kept.at.get(element) === undefined;
      const shown = element.checkVisibility();
      const style = getComputedStyle(element);
      const lays = shown && style.display !== 'contents';
      if (shown && (isNew || restyled.has(element))) {
        for (const pseudo of ['::before', '::after']) { const content = getComputedStyle(element, pseudo).content; if (content !== 'none' && content !== 'normal' && content !== '""') return whole('generated text'); }
        if (style.display === 'list-item' && style.listStyleType !== 'none') return whole('a list marker');
        if (style.textTransform !== 'none') return whole('text in another case');
      }
      const listed = [];
      for (const { name, value } of element.attributes) listed.push(name, value);
      out.push([i, listed, lays ? STYLES.map((name) => style.getPropertyValue(name)) : null, lays && layered(style) && !(isNew && isLayer(element, style) === layering.has(i)), [element.clientLeft, element.clientTop, element.clientWidth, element.clientHeight], [element.scrollLeft, element.scrollTop, element.scrollWidth, element.scrollHeight],
        tag === 'input' ? element.value : null, tag === 'textarea' ? element.value : null, element.checked === true, tag === 'option' && element.selected === true]);
    }
    for (const parent of parents) if (parent.nodeType === 1) for (const child of parent.children) if (kept.at.has(child)) { const style = getComputedStyle(child); if (style.display === 'list-item' && style.listStyleType !== 'none') return whole('list markers'); }
    // Scrollers and clients of what changed its size.
    const sized = new Set();
    for (const [i] of moved) sized.add(nodes[i]);
    for (const element of remeasure) sized.add(element);
    const climbed = new Set();
    for (const element of [...parents, ...rows]) for (let above = element.parentElement; above && !climbed.has(above); above = above.parentElement) { climbed.add(above); sized.add(above); }
    const sizes = [];
    for (const e of sized) {
      const i = at.get(e);
      if (i !== undefined && e.nodeType === 1 && !rows.has(e)) sizes.push([i, [e.clientLeft, e.clientTop, e.clientWidth, e.clientHeight], [e.scrollLeft, e.scrollTop, e.scrollWidth, e.scrollHeight]]);
    }
    // Roles, names and states.
    const ax = new Set();
    const axTree = (element) => { ax.add(element); for (const one of element.querySelectorAll('*')) ax.add(one); };
    const axUp = (node) => { for (let e = node.nodeType === 1 ? node : node.parentElement; e; e = e.parentElement) ax.add(e); };
    for (const element of attributes) { axTree(element); axUp(element); }
    for (const element of restyled) { ax.add(element); axUp(element); }
    for (const node of [...parents, ...texts]) axUp(node);
    for (const element of parents) { const table = element.nodeType === 1 && element.closest('table, dl, select'); if (table) axTree(table); }
    for (const i of added) if (nodes[i].nodeType === 1) axTree(nodes[i]);
    for (const element of [...restated, ...refocused]) { axTree(element); axUp(element); if (element.type === 'radio') for (const other of document.querySelectorAll('input[type=radio]')) ax.add(other); }
    if (ax.size) {
      const named = new Set([...ax].map((element) => element.id).filter(Boolean));
      for (const element of document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-owns], [aria-controls], [aria-details], [aria-activedescendant], label[for]')) {
        for (const name of ['aria-labelledby', 'aria-describedby', 'aria-owns', 'aria-controls', 'aria-details', 'aria-activedescendant']) for (const id of (element.getAttribute(name) ?? '').split(/\s+/)) if (named.has(id)) axTree(element);
      }
      for (const element of [...ax]) if (element.localName === 'label' && element.control) ax.add(element.control);
      if ([...attributes].some((element) => element.id || element.hasAttribute('for')) || news.some((record) => record.attributeName === 'id' || record.attributeName === 'for')) for (const element of document.querySelectorAll('[aria-labelledby], [aria-describedby], input, select, textarea')) ax.add(element);
      if (news.some((record) => [...record.removedNodes ?? []].some((node) => node.nodeType === 1 && (node.id || node.querySelector?.('[id], label'))))) for (const element of document.querySelectorAll('[aria-labelledby], [aria-describedby], input, select, textarea')) ax.add(element);
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
    const runs = [];
    const ups = [];
    if (parents.size) {
      for (const i of added) ups.push([i, at.get(nodes[i].parentNode) ?? -1]);
      for (const node of brought) if (node.isConnected) ups.push([at.get(node), at.get(node.parentNode) ?? -1]);
      for (let i = 0; i < nodes.length; i++) {
        const old = kept.at.get(nodes[i]) ?? -1;
        const last = runs[runs.length - 1];
        if (last && old >= 0 && last[0] >= 0 && last[0] + last[1] === old) last[1]++;
        else if (last && old < 0 && last[0] < 0) last[1]++;
        else runs.push([old, 1]);
      }
    }
    globalThis.browserLensNew = added.map((i) => nodes[i]).filter((node) => kept.at.has(node.parentNode));
    const fresh = added.map((i) => [i, nodes[i].nodeType, nodes[i].nodeName, nodes[i].nodeValue ?? '']);
    const scroll = [scrollX, scrollY];
    const quiet = !out.length && !moved.length && !shifted.length && !textRows.length && !axRead.length && !runs.length && kept.title === document.title && kept.scroll[0] === scroll[0] && kept.scroll[1] === scroll[1];
    kept = { ...kept, nodes, at, boxes, controls, hover, active, focused, title: document.title, scroll };
    touched = new Set();
    if (quiet) return { kind: 'same' };
    return { kind: 'patch', count: nodes.length, runs, ups, fresh, roots: browserLensNew.length, moved, shifted, texts: textRows, twins, layers, rows: out, sizes, axRead, ax: axRows, title: document.title, scroll };
  };
  const forget = () => { kept = null; };
  globalThis.browserLensPatch = { begin, keep, patch, forget };
})()
