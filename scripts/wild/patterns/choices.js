import Choices from 'choices.js';
import 'choices.js/public/assets/styles/choices.css';
import { each, pressed } from './dom.js';

const options = ['Alder', 'Birch', 'Cedar'].map((name) => `<option value="${name}">${name}</option>`).join('');

export const patterns = {
  closed: (root, log) => {
    root.innerHTML = `<label for="tree">Tree</label><select id="tree">${options}</select>`;
    const select = document.querySelector('#tree');
    new Choices(select, { shouldSort: false });
    select.addEventListener('showDropdown', () => log('Tree'));
    return each('.choices', () => 'Tree', { says: 'Alder' });
  },
  open: (root, log) => {
    root.innerHTML = `<label for="tree">Tree</label><select id="tree">${options}</select>`;
    const select = document.querySelector('#tree');
    const choices = new Choices(select, { shouldSort: false });
    select.addEventListener('choice', (event) => log(event.detail.value));
    select.addEventListener('search', () => log('search'));
    select.addEventListener('hideDropdown',
      () => setTimeout(() => log(pressed('.choices__item--choice')?.dataset.value ?? 'box'), 30));
    choices.showDropdown();
    return [
      ...each('.choices__item--choice'),
      { name: 'search', says: '', how: 'type', text: 'Bi',
        at: () => document.querySelector('.choices__input--cloned') },
      { name: 'box', says: '', optional: true, at: () => document.querySelector('.choices__inner') },
    ];
  },
  tags: (root, log) => {
    root.innerHTML =
      `<label for="tree">Trees</label><select id="tree" ` +
      `multiple>${options.replaceAll('<option', '<option selected')}</select>`;
    const select = document.querySelector('#tree');
    new Choices(select, { removeItemButton: true, shouldSort: false });
    select.addEventListener('removeItem', (event) => log(`Remove ${event.detail.value}`));
    select.addEventListener('highlightItem', (event) => log(`Highlight ${event.detail.value}`));
    select.addEventListener('showDropdown', () => log('Trees'));
    return [
      ...each('.choices__button', (button) => `Remove ${button.parentElement.dataset.value}`).map((control) => ({
        ...control, says: control.name.replace('Remove', 'Remove item:')
      })),
      ...each('.choices__inner .choices__item', (item) => `Highlight ${item.dataset.value}`, { says: '' }),
      { name: 'Trees', says: '', at: () => document.querySelector('.choices__input--cloned') },
    ];
  },
};
