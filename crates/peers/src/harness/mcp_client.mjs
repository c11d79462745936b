// Speaks MCP over stdio with a server that it starts, as an agent's host does.
//
// In: the server's script and arguments. Out: the texts of its tools, verbatim, and the wall time of each call.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { microsSince } from './installed.mjs';

export class McpClient {
  #child;
  #waiting = new Map();
  #last = 0;
  #ended = null;

  /** `preload` are arguments of node itself; with `onMessage` the server has an IPC channel. */
  constructor(script, args, { preload = [], onMessage } = {}) {
    this.#child = spawn(process.execPath, [...preload, script, ...args], {
      stdio: ['pipe', 'pipe', 'inherit', ...(onMessage ? ['ipc'] : [])]
    });
    if (onMessage) this.#child.on('message', onMessage);
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (error) => this.#end(`the server could not be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#end(`the server ended (${signal ?? `exit status ${code}`})`));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
  }

  #end(reason) {
    this.#ended = reason;
    for (const { fail } of this.#waiting.values()) fail(new Error(reason));
    this.#waiting.clear();
  }

  #write(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      process.stderr.write(`${line}\n`);
      return;
    }
    if (message.method && message.id !== undefined) {
      if (message.method === 'ping') this.#write({ id: message.id, result: {} });
      else this.#write({ id: message.id, error: { code: -32601, message: 'not offered' } });
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.error) waiting.fail(new Error(message.error.message));
    else waiting.done(message.result);
  }

  request(method, params = {}) {
    if (this.#ended) return Promise.reject(new Error(this.#ended));
    const id = ++this.#last;
    return new Promise((done, fail) => {
      this.#waiting.set(id, { done, fail });
      this.#write({ id, method, params });
    });
  }

  async initialize() {
    await this.request('initialize', {
      protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'browserlens', version: '1' }
    });
    this.#write({ method: 'notifications/initialized' });
  }

  /** Calls a tool. Returns its text parts joined by a line feed, the wall time, and whether the tool calls it an
   *  error. */
  async call(name, args = {}) {
    const began = process.hrtime.bigint();
    const result = await this.request('tools/call', { name, arguments: args });
    const micros = microsSince(began);
    return {
      text: result.content.filter((part) => part.type === 'text').map((part) => part.text).join('\n'), micros,
      failed: !!result.isError
    };
  }

  /** Calls a tool whose error is an error here too, unless `unless` says that its text is what an agent is meant to
   *  read. */
  async read(name, args, unless) {
    const { text, micros, failed } = await this.call(name, args);
    if (failed && !unless?.test(text)) throw new Error(`${name}: ${text}`);
    return { text, micros };
  }

  async tools() {
    const { tools } = await this.request('tools/list');
    return { text: JSON.stringify(tools) };
  }

  send(message) {
    this.#child.send(message);
  }

  close() {
    // Killed, not asked: a server that is asked to end may tidy up in a browser that is not its own.
    this.#child.kill('SIGKILL');
  }
}
