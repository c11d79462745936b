// What the style sheets of one document say of which elements may look otherwise after a change, in an isolated world.
//
// In: the document. Out: a mark of the sheets, selectors of the elements that a rule of a kind may be about, and what
// the layout depends on. Always holds: what cannot be read is said to be anything.
(() => {
  'use strict';
  if (globalThis.browserLensSheets) return;
  // A rule that a script edits in place is no mutation: what the rules say is noted, as far as there are not too many
  // of them.
  const MOST_RULES = 4000;
  const STATES = new RegExp(':(hover|focus|active|checked|disabled|enabled|valid|invalid|placeholder|required|optional|'
    + 'read-|indeterminate|default|target|open|in-range|out-of-range|user-|modal|popover)');
  const sheetMark = () => {
    let left = MOST_RULES;
    const said = (rules) => {
      left -= rules.length; return left < 0 ? '' : Array.from(rules, (rule) => rule.cssText).join('\n');
    };
    return [...document.styleSheets, ...document.adoptedStyleSheets].map((sheet) => {
      let rules = null;
      try { rules = sheet.cssRules; } catch { /* of another origin */ }
      return `${rules?.length ?? -1}${sheet.disabled}${rules ? said(rules) : ''}`;
    }).join();
  };
  // Selectors of all elements that a rule of a kind may be about: parts that look elsewhere or change by themselves are
  // left out.
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
    const found = {
      state: new Set(), sibling: new Set(), around: new Set(), has: new Set(), structural: new Set(), foreign: false
    };
    const open = [];
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      try { open.push(...sheet.cssRules); } catch { found.foreign = true; }
    }
    while (open.length) {
      const rule = open.pop();
      if (rule.cssRules?.length) open.push(...rule.cssRules);
      if (rule.constructor.name === 'CSSContainerRule') found.foreign = true;
      const selector = rule.selectorText;
      if (!selector) continue;
      const state = STATES.test(selector);
      const bare = selector.replace(/\[[^\]]*\]/g, '');
      const sibling = /[+~]|:(first|last|nth|only|empty)/.test(bare);
      // What depends on what stands behind it too, not only on what stands before it.
      const around = /:(last|nth-last|only|empty)/.test(bare);
      const has = /:has\(|:focus-within/.test(selector);
      if (!state && !sibling && !has) continue;
      // What is written within another rule means nothing by itself.
      if (sibling && rule.parentRule?.selectorText) found.structural = null;
      else if (sibling) found.structural?.add(selector.replace(/::[a-z-]+(\([^()]*\))?/g, ''));
      let wides;
      try { wides = wide(selector.replace(/\[[^\]]*\]/g, '')); wides.forEach((one) => document.querySelector(one));
        } catch { wides = ['*']; }
      for (const one of wides) {
        if (state) found.state.add(one);
        if (sibling) found.sibling.add(one); if (around) found.around.add(one); if (has) found.has.add(one);
      }
    }
    const joined = (set) => [...set].join(',');
    return {
      state: joined(found.state), sibling: joined(found.sibling), around: joined(found.around), has: joined(found.has),
      structural: found.structural, foreign: found.foreign
    };
  };

  // What style sheets say of layout: whether contents may be kept from it (`content-visibility`), and which elements
  // may float, be laid out in columns or take over the rows and columns of a grid around them: their boxes, or those
  // beside them, change by something that is neither in them nor seen by their size.
  const FLOATS = /(^|[;\s])float\s*:\s*(?!none)/,
    COLUMNS = /(^|[;\s])(columns|column-count|column-width)\s*:\s*(?!auto\s*(;|$))/, SUBGRID = /subgrid/;
  const layoutRules = () => {
    const found = {
      withholds: false, known: document.compatMode === 'CSS1Compat', floats: ['[style*="float"]', '[align]'],
      columns: ['[style*="columns"]', '[style*="column-count"]', '[style*="column-width"]'],
      subgrids: ['[style*="subgrid"]']
    };
    const open = [];
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      try { open.push(...sheet.cssRules); } catch { return { ...found, withholds: true, known: false }; }
    }
    while (open.length) {
      const rule = open.pop();
      if (rule.cssRules?.length) open.push(...rule.cssRules);
      if (rule.style?.contentVisibility) found.withholds = true;
      const text = rule.style?.cssText ?? '';
      for (const [list, means] of [[found.floats, FLOATS], [found.columns, COLUMNS], [found.subgrids, SUBGRID]]) {
        if (!means.test(text)) continue;
        // Declarations within another rule are of what that selects.
        let from = rule;
        while (from && !from.selectorText) from = from.parentRule;
        try { const wides = wide((from?.selectorText ?? '*').replace(/&/g, '*'));
          wides.forEach((one) => document.querySelector(one)); list.push(...wides); } catch { list.push('*'); }
      }
    }
    for (const kind of ['floats', 'columns', 'subgrids'])
      found[kind] = found[kind].includes('*') ? null : found[kind].join(',');
    found.known &&= found.floats !== null && found.columns !== null && found.subgrids !== null;
    return found;
  };
  // Asking for a box lays out what is kept from it (`content-visibility`, a closed `details`): what may be is asked
  // whether it is seen, which takes as long again as the box.
  const withheld = (rules) =>
    (rules.withholds || document.querySelector('[style*="content-visibility"], [hidden="until-found"]') ? null
      : new Set(document.querySelectorAll('details:not([open]) *')));
  globalThis.browserLensSheets = { sheetMark, readRules, layoutRules, withheld };
})()
