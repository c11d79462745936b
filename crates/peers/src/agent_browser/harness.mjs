// agent-browser 0.41.2: `snapshot` in four variants, what its command prints.
//
// Each variant has a session, that is a daemon, of its own: refs and the revision that a delta is against belong to the
// session. The page is chosen by its CDP target id. The time includes the start of the command, which an agent pays
// too.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installed, microsSince } from '../harness/installed.mjs';
import { browserSocket } from '../harness/targets.mjs';

const VARIANTS = [['full', []], ['interactive', ['-i']], ['delta', ['--delta']],
  ['interactive-delta', ['-i', '--delta']]];

function program(folder) {
  const system = process.platform === 'win32' ? 'win32' : process.platform;
  const names = readdirSync(join(folder, 'bin'));
  const musl = system === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  const name = `agent-browser-${system}${musl ? '-musl' : ''}-${process.arch}`;
  const found = names.find((entry) => entry === name || entry === `${name}.exe`);
  if (!found) throw new Error(`the package holds no program for ${name}`);
  return join(folder, 'bin', found);
}

export async function attach({ endpoint, target, folder }) {
  const { folder: home, version } = installed('agent-browser');
  const binary = program(home);
  const sockets = join(folder, 'ab');
  mkdirSync(sockets);
  const env = {
    ...process.env,
    AGENT_BROWSER_SOCKET_DIR: sockets,
    // Otherwise it dismisses alerts, which is the recorder's to do.
    AGENT_BROWSER_NO_AUTO_DIALOG: '1',
    AGENT_BROWSER_IDLE_TIMEOUT_MS: '900000',
  };
  const run = (session, args, timeout = 50_000) => new Promise((done, fail) => {
    const began = process.hrtime.bigint();
    execFile(binary, ['--session', session, ...args], { env, timeout, maxBuffer: 256 << 20 },
      (error, stdout, stderr) => {
      const micros = microsSince(began);
      // With a dialog open the command fails and says so, which is what an agent gets to read.
      if (error && /dialog is blocking the page/.test(stderr)) done({ text: stderr.replace(/\n$/, ''), micros });
      else if (error)
        fail(new Error(
          `agent-browser ${args.join(' ')}: ${error.killed ? `no answer within ${
            timeout} ms` : stderr.trim() || stdout.trim() || error.message}`));
      else done({ text: stdout.replace(/\n$/, ''), micros });
    });
  });
  const socket = await browserSocket(endpoint);
  for (const [session] of VARIANTS) {
    await run(session, ['connect', socket]);
    await run(session, ['tab', target]);
  }
  return {
    version,
    async observe() {
      const outputs = [];
      for (const [variant, flags] of VARIANTS)
        outputs.push({ variant, ...(await run(variant, ['snapshot', ...flags])) });
      return { outputs };
    },
    close() {
      // Killed, not asked: `close` would close the page. A daemon's process id is in its folder; the watchdog has the
      // last word.
      for (const name of readdirSync(sockets)) {
        if (!name.endsWith('.pid')) continue;
        try { process.kill(Number(readFileSync(join(sockets, name), 'utf8').trim()), 'SIGKILL'); } catch { /* gone */ }
      }
    },
  };
}
