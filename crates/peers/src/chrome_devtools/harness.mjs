// chrome-devtools-mcp 1.11.0: `take_snapshot`, whole reply; pages are named by a number of the tool's own.
import { join } from 'node:path';
import { installed } from '../harness/installed.mjs';
import { McpClient } from '../harness/mcp_client.mjs';
import { theOnlyPage } from '../harness/targets.mjs';

export async function attach({ endpoint, target }) {
  const { folder, version } = installed('chrome-devtools-mcp');
  await theOnlyPage(endpoint, target);
  const server =
    new McpClient(join(folder, 'build/src/bin/chrome-devtools-mcp.js'),
      ['--browserUrl', endpoint, '--no-usage-statistics', '--no-performance-crux']);
  await server.initialize();
  const list = await server.read('list_pages');
  const number = /^(\d+): /m.exec(list.text);
  if (!number) throw new Error(`no page in the answer of list_pages: ${list.text}`);
  const page = { pageId: Number(number[1]) };
  return {
    version,
    tools: () => server.tools(),
    async observe() {
      const { text, micros } = await server.read('take_snapshot', page, /^# Open dialog$/m);
      return { outputs: [{ variant: 'full', text, micros }] };
    },
    async events() {
      return {
        console: await server.read('list_console_messages', page),
        network: await server.read('list_network_requests', page)
      };
    },
    close: () => server.close(),
  };
}
