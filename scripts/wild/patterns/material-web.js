import '@material/web/all.js';
import { each } from './dom.js';

const names = ['Alder', 'Birch', 'Cedar'];
const listen = (root, selector, type, log, name = (element) => element.textContent.trim()) => {
  for (const element of root.querySelectorAll(selector)) element.addEventListener(type, () => log(name(element)));
};

export const patterns = {
  buttons: (root, log) => {
    root.innerHTML = names.map((name) => `<md-filled-button>${name}</md-filled-button>`).join('')
      + '<md-icon-button aria-label="Star">★</md-icon-button>';
    listen(root, 'md-filled-button', 'click', log);
    listen(root, 'md-icon-button', 'click', log, () => 'Star');
    return [...each('md-filled-button'), ...each('md-icon-button', () => 'Star')];
  },
  chips: (root, log) => {
    root.innerHTML =
      `<md-chip-set>${names.map((name) => `<md-filter-chip label="${name}"></md-filter-chip>`).join('')}${
        names.map((name) => `<md-input-chip label="In ${name}"></md-input-chip>`).join('')}</md-chip-set>`;
    listen(root, 'md-filter-chip', 'click', log, (chip) => chip.label);
    for (const chip of root.querySelectorAll('md-input-chip'))
      chip.addEventListener('remove', (event) => { event.preventDefault(); log(`Remove ${chip.label}`); });
    return [...each('md-filter-chip', (chip) => chip.label), ...each('md-input-chip', (chip) => `Remove ${chip.label}`),
      ...each('md-input-chip', (chip) => chip.label, { optional: true })];
  },
  choices: (root, log) => {
    root.innerHTML =
      names.map((name) => `<p><label><md-checkbox touch-target="wrapper"></md-checkbox>${name}</label></p>`).join('')
      + '<md-switch aria-label="Evergreen"></md-switch>'
      + names.map((name) => `<md-radio name="r" aria-label="radio ${name}"></md-radio>`).join('');
    listen(root, 'md-checkbox', 'change', log, (box) => box.parentElement.textContent);
    listen(root, 'md-switch, md-radio', 'change', log,
      (element) => element.getAttribute('aria-label') || element.ariaLabel || element.dataset.ariaLabel);
    return [...each('md-checkbox', (box) => box.parentElement.textContent),
      { name: 'Evergreen', at: () => root.querySelector('md-switch') },
      ...each('md-radio', (_, index) => `radio ${names[index]}`)];
  },
  list: (root, log) => {
    root.innerHTML =
      `<md-list style="width:300px">${names.map((name) => `<md-list-item type="button">${
        name}</md-list-item>`).join('')}</md-list>`;
    listen(root, 'md-list-item', 'click', log);
    return each('md-list-item');
  },
  tabs: (root, log) => {
    root.innerHTML = `<md-tabs>${names.map((name) => `<md-primary-tab>${name}</md-primary-tab>`).join('')}</md-tabs>`;
    listen(root, 'md-primary-tab', 'click', log);
    return each('md-primary-tab');
  },
  menu: (root, log) => {
    root.innerHTML =
      `<div style="position:relative"><button id="at">Trees</button><md-menu anchor="at" quick ` +
      `open>${names.map((name) => `<md-menu-item><div slot="headline">${
        name}</div></md-menu-item>`).join('')}</md-menu></div>`;
    listen(root, 'md-menu-item', 'click', log);
    listen(root, '#at', 'click', log);
    return [...each('md-menu-item'), ...each('#at')];
  },
  fields: (root, log) => {
    root.innerHTML =
      '<md-outlined-text-field label="Tree"></md-outlined-text-field><md-slider aria-label="Height" value="10">' +
      '</md-slider>';
    listen(root, 'md-outlined-text-field', 'input', log, () => 'Tree');
    listen(root, 'md-slider', 'input', log, () => 'Height');
    return [{ name: 'Tree', how: 'type', at: () => root.querySelector('md-outlined-text-field') }, {
      name: 'Height', at: () => root.querySelector('md-slider')
    }];
  },
};
