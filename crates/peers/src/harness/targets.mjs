// The browser's own list of targets.

async function json(endpoint, path) {
  const reply = await fetch(new URL(path, endpoint), { signal: AbortSignal.timeout(10_000) });
  if (!reply.ok) throw new Error(`${endpoint}${path} answers ${reply.status}`);
  return reply.json();
}

/** Address of the browser's own WebSocket. */
export async function browserSocket(endpoint) {
  return (await json(endpoint, '/json/version')).webSocketDebuggerUrl;
}

/** Checks that `target` is a page and the only one: some tools cannot be told which page to take. */
export async function theOnlyPage(endpoint, target) {
  const pages = (await json(endpoint, '/json/list')).filter((entry) => entry.type === 'page');
  if (!pages.some((page) => page.id === target)) throw new Error(`target ${target} is not an open page`);
  if (pages.length > 1) throw new Error(`this tool takes the first of several pages; ${pages.length} are open`);
}
