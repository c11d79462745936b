// What the patterns of Vue libraries share.
import { createApp } from 'vue';

/** Draws with a render function, with plugins that it needs; gives it time to place what pops up. */
export function draw(root, render, ...plugins) {
  const app = createApp({ render });
  for (const plugin of plugins) app.use(...plugin);
  app.mount(root);
  return new Promise((done) => setTimeout(done, 600));
}
