// Calls every tool of a server through the official MCP client for JavaScript, and prints what came of it, one JSON
// object a line.
//
//     client.mjs PLAN stdio COMMAND ARGUMENT...
//     client.mjs PLAN http URL
//
// The plan is a list of [tool, arguments]; a text such as "$button:Go" among the arguments stands for the ref that
// `find` gives for it.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(`${process.env.BROWSERLENS_CLIENTS}/`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await load('index');
const { StdioClientTransport } = await load('stdio');
const { StreamableHTTPClientTransport } = await load('streamableHttp');

const [plan, kind, target, ...rest] = process.argv.slice(2);
const transport = kind === 'http'
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: rest, stderr: 'ignore' });
const client = new Client({ name: 'browserlens-test', version: '0' });
const say = (row) => process.stdout.write(`${JSON.stringify(row)}\n`);
const textOf = (result) => result.content.filter((part) => part.type === 'text').map((part) => part.text).join('');
const call = (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });

async function resolved(value) {
  if (Array.isArray(value)) return Promise.all(value.map(resolved));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(await Promise.all(Object.entries(value)
      .map(async ([name, one]) => [name, await resolved(one)])));
  }
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  const [role, ...text] = value.slice(1).split(':');
  const found = textOf(await call('find', { role, text: text.join(':'), limit: 1 }));
  return found.match(/@e[0-9.]+/)?.[0] ?? '@e0';
}

await client.connect(transport);
say({ tools: (await client.listTools()).tools.map((tool) => tool.name) });
for (const [tool, given] of JSON.parse(plan)) {
  const args = {};
  for (const [name, value] of Object.entries(given)) args[name] = await resolved(value);
  const result = await call(tool, args);
  const images = result.content.filter((part) => part.type === 'image').length;
  say({ tool, failed: Boolean(result.isError), text: textOf(result), images });
}
await client.close();
