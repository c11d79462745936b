// Where the tools are: scripts/install-peers gives each npm package a folder of its own, `npm/<name in package.json>`.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', 'npm');

/** Returns folder and version of an installed package. */
export function installed(name) {
  const folder = join(root, name.replace('/', '+'), 'node_modules', name);
  try {
    return { folder, version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version };
  } catch {
    throw new Error(`${name} is not installed: run scripts/install-peers`);
  }
}

/** Microseconds of wall time since `from`, a value of process.hrtime.bigint(). */
export const microsSince = (from) => Number((process.hrtime.bigint() - from) / 1000n);
