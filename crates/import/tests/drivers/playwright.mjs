// Drives a browser of its own with a real Playwright release, as a scenario says, and keeps Playwright's trace of it.
// Usage: node playwright.mjs PLAYWRIGHT_CORE_FOLDER CHROMIUM PORT OUT OPTIONS_JSON. The port serves every host.
import { createRequire } from 'node:module';
const [folder, executablePath, port, out, given] = process.argv.slice(2);
const { start, steps, aria, init } = JSON.parse(given);
const { chromium } = createRequire(`${folder}/package.json`)(folder);
const browser = await chromium.launch({
  executablePath, args: ['--no-sandbox', `--host-resolver-rules=MAP * 127.0.0.1:${port}`]
});
const context = await browser.newContext({
  viewport: { width: 1280, height: 800 }, locale: 'en-US', timezoneId: 'UTC'
});
const snapshots = aria ? { dom: true, aria: true, screen: true } : true;
await context.tracing.start({ snapshots, screenshots: false, sources: false });
const page = await context.newPage();
page.setDefaultTimeout(30000);
if (init) await page.addInitScript(init);
const pause = () => new Promise((done) => setTimeout(done, 1500));
const of = (target, root) => {
  const within = target.within ? of(target.within, root) : root;
  const found = target.css ? within.locator(target.css)
    : within.getByRole(target.role, target.name === undefined ? {} : { name: target.name, exact: true });
  return target.nth === undefined ? found : found.nth(target.nth);
};
await page.goto(start);
await pause();
for (const step of steps) {
  const root = step.frame ? page.frameLocator(step.frame) : page;
  const on = step.on && of(step.on, root);
  if (step.do === 'fill') await on.fill(step.text);
  else if (step.do === 'type') await on.type(step.text);
  else if (step.do === 'click') await on.click();
  else if (step.do === 'check') await on.check();
  else if (step.do === 'uncheck') await on.uncheck();
  else if (step.do === 'select') await on.selectOption({ label: step.text });
  else if (step.do === 'press') await on.press(step.text);
  else if (step.do === 'goto') await page.goto(step.text);
  else throw new Error(`what is ${step.do}?`);
  await pause();
}
// Who only looks tells how the last page came out.
await page.locator('body').innerText();
await context.tracing.stop({ path: out });
await browser.close();
