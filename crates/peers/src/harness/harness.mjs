// Asks one other tool for what it shows of a page: `node harness.mjs PEER SCRIPT`, where SCRIPT is the tool's own
// beside this folder, such as `playwright_mcp/harness.mjs`.
//
// In: requests, one JSON object a line, on stdin. Out: answers, one a line, on stdout; nothing else is ever written
// there. Two processes: the outer one starts the watchdog and the inner one, whose stdout is our stderr, so that no
// library can write between the answers; they leave through descriptor 3. Whatever the inner one starts carries a mark
// in its environment by which the watchdog ends it when the outer one is gone.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const METHODS = ['tools', 'observe', 'events', 'ref_of', 'act'];
const LIMIT_MS = 55_000;
const QUIET = {
  ANONYMIZED_TELEMETRY: 'false',
  CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1',
  CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1',
  AGENT_BROWSER_NO_VERSION_CHECK: '1',
  DO_NOT_TRACK: '1',
  NO_COLOR: '1',
  NO_PROXY: '*',
  no_proxy: '*',
};
const here = dirname(fileURLToPath(import.meta.url));
const [peer, script] = process.argv.slice(2);
if (!script || !existsSync(join(here, '..', script))) {
  process.stderr.write('usage: node harness.mjs NAME@VERSION SCRIPT, such as stagehand@3.7.3 stagehand/harness.mjs\n');
  process.exit(2);
}
if (process.env.BROWSERLENS_PEER_FOLDER) await inner(process.env.BROWSERLENS_PEER_FOLDER);
else outer();

function outer() {
  const folder = mkdtempSync(join(tmpdir(), 'browserlens-peer-'));
  for (const name of ['home', 'work', 'tmp']) mkdirSync(join(folder, name));
  const mark = randomUUID();
  const watchdog = spawn('/bin/sh', [join(here, 'watchdog.sh'), mark, folder], {
    stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/'
  });
  const env = {
    ...process.env, ...QUIET, BROWSERLENS_PEER: mark, BROWSERLENS_PEER_FOLDER: folder, HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp')
  };
  for (const name of Object.keys(env))
    if (/^(XDG_|AGENT_BROWSER_(?!NO_)|PLAYWRIGHT_MCP_|https?_proxy$|all_proxy$)/i.test(name)) delete env[name];
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), peer, script], {
    stdio: ['inherit', 2, 2, 1], env, cwd: join(folder, 'work')
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGKILL'));
  child.on('exit', (code) => {
    watchdog.on('exit', () => process.exit(code ?? 1));
    watchdog.stdin.end();
  });
}

async function inner(folder) {
  const answer = (message) => {
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(3, bytes, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') process.exit(1);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      }
    }
  };
  // A library's stray failure must not end a pass that is otherwise sound: the request that needs it fails by itself.
  process.on('uncaughtException', (error) => process.stderr.write(`${oneLine(error)}\n`));
  process.on('unhandledRejection', (error) => process.stderr.write(`${oneLine(error)}\n`));
  let tool = null;
  const serve = async (method, params) => {
    if (method === 'close') return {};
    if (method === 'attach') {
      if (tool) throw new Error('already attached');
      const made = await import(pathToFileURL(join(here, '..', script)));
      tool = await made.attach({ ...params, folder, notify: (event) => answer({ event }) });
      const at = peer.lastIndexOf('@');
      if (tool.version !== peer.slice(at + 1))
        throw new Error(`${peer} is asked for, version ${tool.version} is installed`);
      return { tool: peer.slice(0, at), version: tool.version };
    }
    if (!tool) throw new Error('not attached');
    if (!METHODS.includes(method) || typeof tool[method] !== 'function')
      throw new Error(method === 'tools' ? 'not an MCP server' : `${peer} has no "${method}"`);
    const result = await tool[method](params ?? {});
    for (const output of result.outputs ?? [])
      if (!output.text.trim()) throw new Error(`empty output of variant "${output.variant}"`);
    return result;
  };
  const take = async (request) => {
    try {
      answer({ id: request.id, ok: true, result: await within(LIMIT_MS, serve(request.method, request.params)) });
    } catch (error) {
      answer({ id: request.id ?? null, ok: false, error: oneLine(error) });
    }
  };
  let last = Promise.resolve();
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.trim()) continue;
    let request;
    try {
      request = JSON.parse(line);
    } catch (error) {
      answer({ id: null, ok: false, error: oneLine(error) });
      continue;
    }
    // A notice: it is not answered and may come while a request is being served.
    if (request.method === 'settled') tool?.settled?.();
    else last = last.then(() => take(request));
    if (request.method === 'close') break;
  }
  await last;
  await within(3_000, Promise.resolve(tool?.close?.())).catch(() => {});
  process.exit(0);
}

function within(limit, promise) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer within ${limit / 1000} s`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function oneLine(error) {
  const text = error instanceof Error ? error.message : String(error);
  // eslint-disable-next-line no-control-regex
  return text.replace(/\x1b\[[0-9;]*m/g, '').replace(/\s+/g, ' ').trim().slice(0, 400) || 'failed without a message';
}
