// Which elements of one document are painted as layers of their own, and in which order, in an isolated world.
//
// In: elements with their computed styles. Out: their layers by the level of the stack around them. Always holds: where
// a style is in force of which it is not known what it does to layers, the answer is null.
(() => {
  'use strict';
  if (globalThis.browserLensLayers) return;
  const SVG = 'http://www.w3.org/2000/svg';
  const inner = (node) => node.namespaceURI === SVG && node.localName !== 'svg';
  const layered = (style) => style.position !== 'static' || style.zIndex !== 'auto' || style.opacity !== '1'
    || style.transform !== 'none' || style.filter !== 'none' || style.clipPath !== 'none'
    || style.overflowX !== 'visible' || style.overflowY !== 'visible' || style.willChange !== 'auto'
    || style.mixBlendMode !== 'normal' || style.isolation !== 'auto' || style.contain !== 'none'
    || style.perspective !== 'none' || style.backdropFilter !== 'none' || style.maskImage !== 'none'
    || style.float !== 'none' || style.clip !== 'auto';

  // Whether an element has a layer of its own, whether that is stacked with others, and whether it holds a stack of its
  // own; null if it cannot be told.
  const ODD = ['willChange', 'contain', 'perspective', 'backdropFilter', 'maskImage', 'containerType',
    'viewTransitionName', 'transformStyle', 'backfaceVisibility', 'columnCount', 'columnWidth', 'scrollTimelineName',
    'offsetPath', 'rotate', 'scale', 'translate', 'maskBorderSource', 'webkitBoxReflect', 'webkitMaskBoxImageSource',
    'overlay', 'clip'];
  let plain = null;
  const layerOf = (element, style, sure) => {
    plain ??= (() => {
      const one = getComputedStyle(document.createElement('div'));
      return ODD.map((name) =>
        [name, ({
          willChange: 'auto', columnCount: 'auto', columnWidth: 'auto', containerType: 'normal', transformStyle: 'flat',
          backfaceVisibility: 'visible', clip: 'auto' })[name] ?? 'none', name in one]).filter(([, , known]) => known);
      })();
    if (!sure) for (const [name, none] of plain) if (style[name] !== none && style[name] !== '') return null;
    const positioned = style.position !== 'static';
    const child = element.parentElement && /flex|grid/.test(getComputedStyle(element.parentElement).display);
    const context = style.opacity !== '1' || style.transform !== 'none' || style.filter !== 'none'
      || style.mixBlendMode !== 'normal' || style.isolation !== 'auto' || style.clipPath !== 'none'
      || style.position === 'fixed' || style.position === 'sticky'
      || ((positioned || child) && style.zIndex !== 'auto');
    const stacked = context || positioned;
    const clips = (style.overflowX !== 'visible' || style.overflowY !== 'visible') && element.localName !== 'img';
    if (inner(element) && (stacked || clips))
      return style.transform !== 'none' || style.opacity !== '1' ? null : { has: false };
    if (style.display === 'inline' && !stacked) return { has: false };
    return {
      has: stacked || clips, stacked, context,
      z: stacked && style.zIndex !== 'auto' && (positioned || child) ? Number(style.zIndex) : 0
    };
  };
  const isLayer = (element, style) => layerOf(element, style)?.has ?? null;
  // The layers of a subtree, in the order in which they are painted, by the place in the stack around it at which they
  // are; null if it cannot be told. `known` says which elements have one, where that is known.
  const layersOf = (root, known) => {
    const whole = { flow: [], stack: [] };
    let odd = false;
    const sequence = (one) => {
      const sorted = [...one.own.stack].map((member, k) => [member.z, k, member])
        .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , member]) => member);
      const all = one.context ? [...sorted.filter((m) => m.z < 0), ...one.own.flow, ...sorted.filter((m) => m.z >= 0)]
        : one.own.flow;
      return [one.element, ...all.flatMap(sequence)];
    };
    const walk = (element, flow, stack) => {
      if (!known && !element.checkVisibility()) return;
      const layer = known && !known(element) ? { has: false } : layerOf(element, getComputedStyle(element), known);
      if (!layer || (known?.(element) && !layer.has)) { odd = true; return; }
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
    const add = (level, one) => {
      if (!levels.has(level)) levels.set(level, []); levels.get(level).push(...sequence(one));
    };
    for (const one of whole.flow) add('flow', one);
    for (const one of whole.stack) add(`z${one.z}`, one);
    return [...levels];
  };
  globalThis.browserLensLayers = { inner, layered, isLayer, layersOf };
})()
