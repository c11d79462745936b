// @playwright/mcp 0.0.83: `browser_snapshot`, whole reply.
//
// It takes over the browser's default context; its current tab is the first page it finds, and that is the only one
// when it attaches.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { lookAt } from '../harness/cdp_look.mjs';
import { installed } from '../harness/installed.mjs';
import { McpClient } from '../harness/mcp_client.mjs';
import { browserSocket, theOnlyPage } from '../harness/targets.mjs';

export const UTILITY_WORLD = '__playwright_utility_world_';

export async function startServer(name, { endpoint, target }, options) {
  const { folder: home, version } = installed(name);
  await theOnlyPage(endpoint, target);
  const server =
    new McpClient(join(home, 'cli.js'), ['--cdp-endpoint', endpoint, '--allow-unrestricted-file-access'], options);
  await server.initialize();
  // The server connects at the first call of a tool.
  await server.read('browser_tabs', { action: 'list' });
  return { server, version };
}

/**
 * The reply to `browser_snapshot`; with a dialog open it is an error that says so, which is what an agent gets to read.
 * A file chooser
 * that the recorder's click opened, and that the recorder answers, is closed first: the tool would show nothing else
 * while it is open.
 */
export async function snapshot(server) {
  const reply = await server.read('browser_snapshot', {}, /^### Modal state$/m);
  if (!/^### Modal state\n- \[File chooser\]/m.test(reply.text)) return reply;
  // Its answer waits in the page's time, which stands still; what it closes is closed at once.
  server.call('browser_file_upload', {}).catch(() => {});
  await new Promise((done) => setTimeout(done, 200));
  return server.read('browser_snapshot', {}, /^### Modal state$/m);
}

/** Refs of a reply with their nodes: the tool keeps an element's ref on the element, in a world of its own. None if
 *  that cannot be read. */
export async function refsIn(text, name, { endpoint, target }) {
  const shown = new Set([...text.matchAll(/\[ref=((?:f\d+)?e\d+)\]/g)].map((match) => match[1]));
  if (!shown.size) return [];
  const found = new Map();
  for (const [ref, backend, frame] of await look(name, endpoint, target,
    (page) => page.nodes(UTILITY_WORLD, '_ariaRef', 'ref'))) if (shown.has(ref)) found.set(ref, [ref, backend, frame]);
  return [...shown].map((ref) => found.get(ref) ?? [ref, null, '']);
}

export async function look(name, endpoint, target, ask) {
  const WebSocket = createRequire(join(installed(name).folder, 'package.json'))('playwright-core/lib/utilsBundle').ws;
  return lookAt({ WebSocket, socket: await browserSocket(endpoint), target }, ask);
}

export async function attach(params) {
  const name = 'playwright-mcp-0-0-83';
  const { server, version } = await startServer(name, params);
  return {
    version,
    tools: () => server.tools(),
    async observe() {
      const { text, micros } = await snapshot(server);
      return {
        outputs: [{ variant: 'full', text, micros, refs: await refsIn(text, name, params).catch(() => undefined) }]
      };
    },
    async events() {
      return {
        console: await server.read('browser_console_messages', { level: 'info' }),
        network: await server.read('browser_network_requests', { static: true }),
      };
    },
    close: () => server.close(),
  };
}
