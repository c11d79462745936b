// An agent without a model: real Playwright, connected to a running browser, does what one of the lists below says.
// Usage: node playwright.mjs PLAYWRIGHT_FOLDER ENDPOINT URL LIST THINK_MS [FILE]
import { createRequire } from 'node:module';
const [folder, endpoint, url, list, think, file] = process.argv.slice(2);
const { chromium } = createRequire(`${folder}/package.json`)('playwright-core');
const browser = await chromium.connectOverCDP(endpoint);
const page = browser.contexts()[0].pages()[0] ?? (await browser.contexts()[0].newPage());
page.setDefaultTimeout(30000);
const pause = () => new Promise((done) => setTimeout(done, Number(think)));
const role = (name, options) => page.getByRole(name, options);
const laptop = 'Bramble Thicket 14 Laptop BT14-4542 with Ridge 3 and 16 GB RAM';
const lists = {
  shop: [
    () => page.goto(url),
    () => role('textbox', { name: 'Search' }).fill('laptop'),
    () => role('button', { name: 'Go', exact: true }).click(),
    () => role('group', { name: 'Memory' }).getByRole('checkbox', { name: '16 GB' }).check(),
    () => role('combobox', { name: 'Sort by' }).selectOption({ label: 'Price: low to high' }),
    () => role('link', { name: laptop, exact: true }).click(),
    () => role('group', { name: 'Storage' }).getByRole('radio', { name: '1 TB' }).check(),
    () => role('button', { name: 'Add to cart' }).first().click(),
    () => role('link', { name: 'Cart (1)' }).click(),
  ],
  form: [
    () => page.goto(url),
    () => page.locator('#name').pressSequentially('Ann Lee'),
    () => page.locator('#secret').fill('hunter2-and-more'),
    () => page.locator('#note').fill('two\nlines'),
    () => page.locator('#size').selectOption('large'),
    () => page.locator('label[for=terms]').click(),
    () => page.locator('#when').fill('2026-03-04'),
    () => page.locator('#file').setInputFiles(file),
    () => page.locator('#inner').click(),
    () => page.frameLocator('#frame').locator('#framed').click(),
    () => page.locator('#menu').hover(),
    () => page.locator('#word').dblclick(),
    () => page.locator('#word').click({ button: 'right' }),
    () => page.locator('#from').dragTo(page.locator('#into')),
    async () => { await page.mouse.move(640, 400); await page.mouse.wheel(0, 300); },
    () => page.locator('#name').press('Enter'),
    () => page.locator('#next').click(),
    () => page.goBack({ waitUntil: 'commit' }),
    () => page.goForward({ waitUntil: 'commit' }),
    () => page.reload(),
  ],
  tabs: [
    () => page.goto(url),
    async () => {
      const opened = page.context().waitForEvent('page'); await page.locator('#pop').click();
      globalThis.second = await opened; await second.waitForLoadState();
    },
    () => second.locator('#done').click(),
    () => second.close(),
    () => page.locator('#name').fill('back'),
  ],
  // Nothing is waited for but what Playwright itself waits for.
  fast: [
    () => page.goto(url),
    pause,
    async () => {
      await page.locator('#name').fill('Ann');
      await page.locator('#note').fill('quick');
      await page.locator('#size').selectOption('large');
      await page.locator('#terms').check();
      await page.locator('#inner').click();
      await page.locator('#next').click();
    },
  ],
  // The first click is taken back before the page gets it, by what is busy for so long.
  held: [
    () => page.goto(url),
    () => page.evaluate(() => {
      addEventListener('click', (event) => {
        event.preventDefault(); event.stopImmediatePropagation();
        for (const end = Date.now() + 500; Date.now() < end;);
      }, { capture: true, once: true });
    }),
    () => page.locator('#inner').click(),
    () => page.locator('#inner').click(),
    () => page.locator('#name').fill('Ann'),
  ],
  dialog: [
    () => page.goto(url),
    async () => {
      page.on('dialog', async (dialog) => { await pause(); await dialog.accept(); });
      await page.getByRole('button', { name: 'Confirm' }).click();
    },
  ],
  cross: [
    () => page.goto(url),
    // Another site, so Chromium gives the frame a process of its own.
    () => page.evaluate((src) => {
      const frame = document.createElement('iframe'); frame.id = 'other'; frame.src = src; document.body.prepend(frame);
    },
      new URL('capture-frame-leaf.html?name=x', url).href.replace('127.0.0.1', 'localhost')),
    () => page.frameLocator('#other').getByRole('button').click(),
    () => page.frameLocator('#other').getByRole('textbox').fill('across'),
  ],
  closing: [
    () => page.goto(url),
    () => page.locator('#name').fill('last words'),
    async () => (await browser.newBrowserCDPSession()).send('Browser.close').catch(() => {}),
  ],
  hostile: [() => page.goto(url), pause, () => page.locator('#real').click(), () => page.locator('#name').fill('me')],
};
for (const act of lists[list]) {
  await act();
  await pause();
}
// The browser is not this program's: it only goes.
process.exit(0);
