// Gives elements their logical entity id: the oracle for wrong rebinds.
//
// In: rules [selector, id | element => id]. Out: a property under a registered symbol on each matching element.
// Invariant: the id is never an attribute, a class or text, so no payload, tool or collector can see it;
// the first rule that gives an element an id wins, and an id once given is never changed.
(() => {
  'use strict';
  const KEY = Symbol.for('entity-id');
  const rules = [];

  // Whether the parser is past the end of an element: before that its text may not be there, of which ids are made.
  const isWhole = (element) => {
    if (document.readyState !== 'loading') return true;
    for (let node = element; node; node = node.parentNode ?? node.host) if (node.nextSibling) return true;
    return false;
  };

  const give = (element) => {
    if (element[KEY] !== undefined || !isWhole(element)) return;
    for (const [selector, id] of rules) {
      if (!element.matches(selector)) continue;
      const value = typeof id === 'function' ? id(element) : id;
      if (value === null || value === undefined) continue;
      Object.defineProperty(element, KEY, { value, enumerable: false });
      return;
    }
  };

  const sweep = (root) => {
    if (root.nodeType === Node.ELEMENT_NODE) give(root);
    if (root.querySelectorAll) for (const element of root.querySelectorAll('*')) give(element);
  };

  const observe = (root) => {
    sweep(root);
    new MutationObserver((records) => {
      for (const record of records) for (const node of record.addedNodes) sweep(node);
    }).observe(root, { childList: true, subtree: true });
  };

  window.Entities = {
    rules(list) {
      rules.push(...list);
      sweep(document);
    },
    observe,
  };
  observe(document);
  document.addEventListener('DOMContentLoaded', () => sweep(document));
})();
