// What the patterns of React libraries share.
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

export const h = createElement;

/** Draws a component, and gives it time to place what pops up. */
export function draw(root, element) {
  createRoot(root).render(element);
  return new Promise((done) => setTimeout(done, 600));
}
