// What patterns share: elements in few words, and lists of controls from elements that are there.

/** Makes an element: `el('li.item', { onclick }, 'text', child)`; attributes that are functions are listened to. */
export function el(what, attributes = {}, ...children) {
  const [, tag, id, classes] = what.match(/^([\w-]+)(#[\w-]+)?((?:\.[\w-]+)*)$/);
  const svg = ['svg', 'circle', 'rect', 'path', 'g', 'text', 'line', 'polygon', 'title', 'use'].includes(tag);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  if (id) element.id = id.slice(1);
  if (classes) element.setAttribute('class', classes.slice(1).replaceAll('.', ' '));
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** The elements that match, as controls: each is named by its text, or by `name`. */
export function each(selector, name = (element) => element.textContent.trim(), more = {}, within = document) {
  return [...within.querySelectorAll(selector)].map((element, index) => ({
    name: name(element, index), at: () => element, ...more
  }));
}

/** The first element that matches and whose text is this. */
export function withText(selector, text) {
  return [...document.querySelectorAll(selector)].find((element) => element.textContent.trim() === text);
}

// What was pressed last, for patterns whose library does not say which of two controls it was; the window is above
// every element.
let last = null;
addEventListener('pointerdown', (event) => (last = event.composedPath()[0]), true);
export const pressed = (selector) => last?.closest?.(selector);

export const style = (text) => document.head.append(el('style', {}, text));
