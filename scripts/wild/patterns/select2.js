import './jquery.js';
import select2 from 'select2/dist/js/select2.js';
import 'select2/dist/css/select2.css';
import { each } from './dom.js';

if (typeof select2 === 'function' && !window.jQuery.fn.select2) select2(window, window.jQuery);
const $ = window.jQuery;
const options = ['Alder', 'Birch', 'Cedar'].map((name) => `<option>${name}</option>`).join('');

export const patterns = {
  closed: (root, log) => {
    root.innerHTML = `<label for="tree">Tree</label><select id="tree" style="width:300px">${options}</select>`;
    $('#tree').select2().on('select2:open', () => log('Tree'));
    return each('.select2-selection', () => 'Tree', { says: 'Alder' });
  },
  open: (root, log) => {
    root.innerHTML = `<select id="tree" style="width:300px"><option></option>${options}</select>`;
    $('#tree').select2({ placeholder: 'None' }).on('select2:selecting', (event) => log(event.params.args.data.text))
      .on('select2:close', (event) => event.params?.originalSelect2Event || log('close'));
    $('#tree').on('select2:closing', () => log(document.activeElement ? 'box' : 'box')).select2('open');
    document.querySelector('.select2-search__field').addEventListener('input', () => log('search'));
    return [
      ...each('.select2-results__option'),
      { name: 'search', says: '', how: 'type', at: () => document.querySelector('.select2-search__field') },
      { name: 'box', says: 'None', at: () => document.querySelector('.select2-selection') },
    ];
  },
  multiple: (root, log) => {
    root.innerHTML =
      `<select id="tree" multiple style="width:300px">${options.replaceAll('<option', '<option selected')}</select>`;
    $('#tree').select2().on('select2:unselecting', (event) => log(`Remove ${event.params.args.data.text}`))
      .on('select2:opening', () => log('box'));
    return [
      ...each('.select2-selection__choice__remove', (element) => `Remove ${element.closest('li').title}`, {
        says: 'Remove'
      }),
      { name: 'box', says: '', at: () => document.querySelector('.select2-search__field') },
    ];
  },
};
