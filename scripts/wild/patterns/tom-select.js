import TomSelect from 'tom-select';
import 'tom-select/dist/css/tom-select.css';
import { each, pressed } from './dom.js';

const options = ['Alder', 'Birch', 'Cedar'].map((name) => `<option value="${name}">${name}</option>`).join('');

export const patterns = {
  closed: (root, log) => {
    root.innerHTML = `<label for="tree">Tree</label><select id="tree"><option value=""></option>${options}</select>`;
    new TomSelect('#tree', { onDropdownOpen: () => log('Tree') });
    return each('.ts-control', () => 'Tree');
  },
  open: (root, log) => {
    root.innerHTML = `<label for="tree">Tree</label><select id="tree"><option value=""></option>${options}</select>`;
    const select = new TomSelect('#tree', { onChange: (value) => log(value), onType: () => log('Tree') });
    select.open();
    // The list is drawn a moment later.
    return () => [...each('.ts-dropdown .option'), {
      name: 'Tree', how: 'type', text: 'A', at: () => document.querySelector('.ts-control input')
    }];
  },
  tags: (root, log) => {
    root.innerHTML =
      `<label for="tree">Trees</label><select id="tree" ` +
      `multiple>${options.replaceAll('<option', '<option selected')}</select>`;
    new TomSelect('#tree', {
      plugins: ['remove_button'], onItemRemove: (value) => log(`Remove ${value}`),
      onFocus: () => setTimeout(() => log(pressed('.item') ? `Mark ${pressed('.item').dataset.value}` : 'Trees'), 30)
    });
    return [...each('.item .remove', (element) => `Remove ${element.closest('.item').dataset.value}`, { says: '' }),
      ...each('.item', (item) => `Mark ${item.dataset.value}`, { says: '' }), {
        name: 'Trees', at: () => document.querySelector('.ts-control input')
      }];
  },
};
