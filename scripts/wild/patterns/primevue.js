import { h } from 'vue';
import PrimeVue from 'primevue/config';
import Aura from '@primeuix/themes/aura';
import Column from 'primevue/column';
import DataTable from 'primevue/datatable';
import DatePicker from 'primevue/datepicker';
import Listbox from 'primevue/listbox';
import PanelMenu from 'primevue/panelmenu';
import PickList from 'primevue/picklist';
import Rating from 'primevue/rating';
import Select from 'primevue/select';
import SelectButton from 'primevue/selectbutton';
import ToggleSwitch from 'primevue/toggleswitch';
import Tree from 'primevue/tree';
import { each } from './dom.js';
import { draw as drawn } from './vue.js';

const names = ['Alder', 'Birch', 'Cedar'];
const draw = (root, content) => drawn(root, content, [PrimeVue, { theme: { preset: Aura } }]);

export const patterns = {
  listbox: async (root, log) => {
    await draw(root, () => h(Listbox, { options: names, 'onUpdate:modelValue': log, style: 'width: 250px' }));
    return each('[role=option]');
  },
  select: async (root, log) => {
    await draw(root, () => h(Select, { options: names, placeholder: 'Tree', onBeforeShow: () => log('Tree') }));
    return each('.p-select', () => 'Tree');
  },
  'select-button': async (root, log) => {
    await draw(root, () => h(SelectButton, { options: names, 'onUpdate:modelValue': log }));
    return each('.p-togglebutton');
  },
  switch: async (root, log) => {
    await draw(root,
      () => h('div', null, names.map((name) => h('p', null, [h('label', { for: name }, name), h(ToggleSwitch, {
        inputId: name, 'onUpdate:modelValue': () => log(name)
      })]))));
    return each('.p-toggleswitch', (_, index) => names[index]);
  },
  rating: async (root, log) => {
    await draw(root, () => h(Rating, { 'onUpdate:modelValue': (value) => log(`${value} star`) }));
    return each('.p-rating-option', (_, index) => `${index + 1} star`);
  },
  tree: async (root, log) => {
    const value = names.map((name) => ({
      key: name, label: name, children: [{ key: `${name} leaf`, label: `${name} leaf` }]
    }));
    await draw(root, () => h(Tree, {
      value, selectionMode: 'single', selectionKeys: {}, onNodeSelect: (node) => log(node.key),
      onNodeExpand: (node) => log(`toggle ${node.key}`)
    }));
    return [...each('.p-tree-node-content', (content) => content.textContent.trim()),
      ...each('.p-tree-node-toggle-button', (_, index) => `toggle ${names[index]}`, { says: '' })];
  },
  'data-table': async (root, log) => {
    await draw(root,
      () => h(DataTable,
        { value: names.map((name, height) => ({ name, height })), selectionMode: 'single', dataKey: 'name',
          onRowClick: ({ data }) => log(data.name), onSort: ({ sortField }) => log(sortField) },
          () => [h(Column, { field: 'name', header: 'Name', sortable: true }), h(Column, {
            field: 'height', header: 'Height', sortable: true
          })]));
    return [...each('tbody tr', (_, index) => names[index]),
      ...each('th', (head) => head.textContent.trim().toLowerCase())];
  },
  'panel-menu': async (root, log) => {
    await draw(root, () => h(PanelMenu, {
      style: 'width: 250px', model: names.map((name) => ({
        label: name, key: name, command: () => log(name), items: [{ label: `${name} leaf` }]
      }))
    }));
    return each('.p-panelmenu-header', (_, index) => names[index]);
  },
  'date-picker': async (root, log) => {
    await draw(root, () => h(DatePicker, {
      inline: true, modelValue: new Date(2026, 2, 10), 'onUpdate:modelValue': (date) => log(`${date.getDate()}`),
      onMonthChange: ({ month }) => log(month === 2 ? 'Previous' : 'Next')
    }));
    return [
      ...each('.p-datepicker-day:not(.p-disabled)').filter(({ at }) => !at().closest('.p-datepicker-other-month')),
      { name: 'Previous', at: () => root.querySelector('.p-datepicker-prev-button') },
      { name: 'Next', at: () => root.querySelector('.p-datepicker-next-button') },
      { name: 'month', says: '', optional: true, at: () => root.querySelector('.p-datepicker-select-month') },
      { name: 'year', says: '', optional: true, at: () => root.querySelector('.p-datepicker-select-year') },
    ];
  },
};
void PickList;
