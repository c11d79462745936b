// @playwright/mcp 0.0.68, the last with incremental snapshots: its own action tools act, and their replies tell what
// changed.
//
// After an action it waits in the page's main world: `page.evaluate(() => new Promise(f => setTimeout(f, 1000)))`,
// whatever it was asked to wait, and once more if requests were seen meanwhile that are no navigation. No setting
// changes that. So either the recorder lets 1000 or 2000 ms of page time pass, or `attach` is told `"wait":"host"`:
// then the wait is moved out of the page (see wait.cjs), the harness writes the line {"event":"acted"}
// when it begins, and it ends when the line {"method":"settled"} comes.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UTILITY_WORLD, look, refsIn, snapshot, startServer } from './harness.mjs';

const PACKAGE = 'playwright-mcp-0-0-68';

export async function attach(params) {
  const host = params.wait === 'host';
  const preload = host ? ['--require', join(dirname(fileURLToPath(import.meta.url)), 'wait.cjs')] : [];
  const onMessage = host ? (message) => params.notify(message) : undefined;
  const { server, version } = await startServer(PACKAGE, params, { preload, onMessage });
  return {
    version,
    tools: () => server.tools(),
    async observe() {
      const { text, micros } = await snapshot(server);
      return {
        outputs: [{
          variant: 'incremental', text, micros, refs: await refsIn(text, PACKAGE, params).catch(() => undefined)
        }]
      };
    },
    async ref_of({ backend, frame }) {
      const ref =
        await look(PACKAGE, params.endpoint, params.target,
          (page) => page.node(UTILITY_WORLD, backend, frame, 'function () { return this._ariaRef?.ref ?? null; }'));
      if (!ref) throw new Error(`the tool gave node ${backend} no ref`);
      return { ref };
    },
    async act(action) {
      const text = [];
      let micros = 0;
      const wanted = calls(action);
      if (host) server.send({ begin: wanted.length });
      for (const [name, args] of wanted) {
        const reply = await server.call(name, args);
        if (reply.failed) throw new Error(`${name}: ${reply.text}`);
        text.push(reply.text);
        micros += reply.micros;
      }
      const whole = text.join('\n');
      return { text: whole, micros, refs: await refsIn(whole, PACKAGE, params).catch(() => undefined) };
    },
    settled: () => { if (host) server.send({ settled: true }); },
    close: () => server.close(),
  };
}

/** The tool's calls for an action. */
function calls({
  kind, ref, to_ref: to, element, to_element: toElement, text, key, option, accept, checked, url, files }) {
  const at = { element, ref };
  switch (kind) {
    case 'click': return [['browser_click', at]];
    case 'double_click': return [['browser_click', { ...at, doubleClick: true }]];
    case 'right_click': return [['browser_click', { ...at, button: 'right' }]];
    case 'hover': return [['browser_hover', at]];
    case 'fill': return [['browser_type', { ...at, text }]];
    case 'type': return [['browser_type', { ...at, text, slowly: true }]];
    case 'press': return [['browser_press_key', { key }]];
    case 'select': return [['browser_select_option', { ...at, values: [option] }]];
    // There is no tool that checks; browser_fill_form would, but answers without a snapshot.
    case 'check': return [['browser_click', at]];
    case 'drag': return [['browser_drag', {
      startElement: element, startRef: ref, endElement: toElement ?? to, endRef: to
    }]];
    case 'upload': return [['browser_click', at], ['browser_file_upload', { paths: files }]];
    case 'goto': return [['browser_navigate', { url }]];
    case 'back': return [['browser_navigate_back', {}]];
    case 'dialog': return [['browser_handle_dialog', { accept: accept ?? checked ?? true, promptText: text }]];
    default: throw new Error(`the tool has nothing for "${kind}"`);
  }
}
