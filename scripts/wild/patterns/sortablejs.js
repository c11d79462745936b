import Sortable from 'sortablejs';
import { each } from './dom.js';

const names = ['Alder', 'Birch', 'Cedar', 'Dogwood'];

export const patterns = {
  list: (root, log) => {
    root.innerHTML = `<ul id="list">${names.map((name) => `<li style="padding:8px">${name}</li>`).join('')}</ul>`;
    new Sortable(document.querySelector('#list'), { onUpdate: (event) => log(event.item.textContent) });
    return each('#list li', undefined, { how: 'drag' });
  },
  'list-fallback': (root, log) => {
    root.innerHTML = `<ul id="list">${names.map((name) => `<li style="padding:8px">${name}</li>`).join('')}</ul>`;
    new Sortable(document.querySelector('#list'), {
      forceFallback: true, onUpdate: (event) => log(event.item.textContent)
    });
    return each('#list li', undefined, { how: 'drag' });
  },
  handles: (root, log) => {
    root.innerHTML =
      `<ul id="list">${names.map((name) => `<li style="padding:8px"><span class="grip" style="cursor:grab">☰</span> ${
        name}</li>`).join('')}</ul>`;
    new Sortable(document.querySelector('#list'), {
      handle: '.grip', onUpdate: (event) => log(event.item.lastChild.textContent.trim())
    });
    return each('.grip', (grip) => grip.nextSibling.textContent.trim(), { how: 'drag', says: '' });
  },
  boards: (root, log) => {
    const column = (name, cards) =>
      `<div class="col" style="float:left; width:200px; min-height:200px; margin:10px"><h3>${name}</h3><div ` +
      `class="cards">${cards.map((card) => `<div class="card" style="padding:10px; border:1px solid">${
        card}</div>`).join('')}</div></div>`;
    root.innerHTML = column('To do', names.slice(0, 2)) + column('Done', names.slice(2));
    for (const cards of root.querySelectorAll('.cards'))
      new Sortable(cards, {
        group: 'cards',
        onEnd: (event) => (event.from !== event.to || event.oldIndex !== event.newIndex) && log(event.item.textContent)
      });
    return each('.card', undefined, { how: 'drag' });
  },
};
