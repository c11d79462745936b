// Stagehand 3.7.3: the formatted tree of `page.snapshot()`, in this process. No model is called, so no key is needed.
//
// It replaces attachShadow in every document from attach on, as it does for its users. The page is chosen by its CDP
// target id.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installed, microsSince } from '../harness/installed.mjs';
import { browserSocket } from '../harness/targets.mjs';

export async function attach({ endpoint, target }) {
  const { folder, version } = installed('@browserbasehq/stagehand');
  const { Stagehand } = await import(pathToFileURL(join(folder, 'dist/esm/index.js')));
  const stagehand = new Stagehand({
    env: 'LOCAL',
    // Without a viewport here it leaves the page's as it is.
    localBrowserLaunchOptions: { cdpUrl: await browserSocket(endpoint) },
    verbose: 0,
    disablePino: true,
    logger: (line) => process.stderr.write(`${line.category ?? 'stagehand'}: ${line.message}\n`),
  });
  await stagehand.init();
  const page = stagehand.context.pages().find((each) => each.targetId() === target);
  if (!page) throw new Error(`stagehand knows no page ${target}`);
  return {
    version,
    async observe({ dialog }) {
      if (dialog) throw new Error('the tool waits for ever while a dialog is open');
      const began = process.hrtime.bigint();
      const { formattedTree: text } = await page.snapshot();
      const micros = microsSince(began);
      return { outputs: [{ variant: 'full', text, micros, refs: refs(page, text) }] };
    },
  };
}

/** Ids are `frame ordinal-backend node id`; an ordinal is the page's own number for a frame id. */
function refs(page, text) {
  const frames = new Map(page.listAllFrameIds().map((frame) => [page.getOrdinal(frame), frame]));
  return [...text.matchAll(/^ *\[((\d+)-(\d+))\] /gm)]
    .map(([, id, frame, node]) => [id, Number(node), frames.get(Number(frame)) ?? '']);
}
