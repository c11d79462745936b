// Stagehand's own loop: its agent, with its settings, asks the model that a loopback endpoint stands for.
//
// In: one JSON object on standard input with goal, start, endpoint, model, chrome and steps. Out: nothing; what the
// endpoint is asked is the record. The model is named as one of a provider that speaks chat completions, as the
// endpoint does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installed } from '../harness/installed.mjs';

const told = JSON.parse(readFileSync(0, 'utf8'));
const { folder } = installed('@browserbasehq/stagehand');
const { Stagehand } = await import(pathToFileURL(join(folder, 'dist/esm/index.js')));

const model = { modelName: `groq/${told.model}`, apiKey: 'none', baseURL: told.endpoint };
const browser = { headless: true, executablePath: told.chrome ?? undefined, args: ['--no-sandbox'] };
const stagehand = new Stagehand({
  env: 'LOCAL', verbose: 0, disablePino: true, model, localBrowserLaunchOptions: browser
});
await stagehand.init();
try {
  const instruction = `${told.goal}\nIt begins at ${told.start}`;
  await stagehand.agent({ model }).execute({ instruction, maxSteps: told.steps });
} finally {
  await stagehand.close();
}
