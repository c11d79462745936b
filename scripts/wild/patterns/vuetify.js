import 'vuetify/styles';
import { h } from 'vue';
import { createVuetify } from 'vuetify';
import * as V from 'vuetify/components';
import { each } from './dom.js';
import { draw as drawn } from './vue.js';

const names = ['Alder', 'Birch', 'Cedar'];
const draw = (root, content) => drawn(root, () => h(V.VApp, null, () => content()), [createVuetify({ components: V })]);

export const patterns = {
  list: async (root, log) => {
    await draw(root,
      () => h(V.VList, { style: 'width: 400px' },
        () => names.map((name) => h(V.VListItem, { title: name, onClick: () => log(name) }, {
          append: () =>
          h(V.VBtn, { size: 'small', onClick: (event) => { event.stopPropagation(); log(`Edit ${name}`); } },
            () => 'Edit')
        }))));
    return [...each('.v-list-item', (_, index) => names[index]),
      ...each('.v-btn', (_, index) => `Edit ${names[index]}`, { says: 'Edit' })];
  },
  chips: async (root, log) => {
    await draw(root,
      () => h('div', null,
        names.map((name) =>
          h(V.VChip,
            { closable: true, onClick: () => log(name), 'onClick:close': () => log(`Close ${name}`), modelValue: true },
            () => name))));
    return [...each('.v-chip', (_, index) => names[index]),
      ...each('.v-chip__close', (_, index) => `Close ${names[index]}`, { says: 'Close' })];
  },
  tabs: async (root, log) => {
    await draw(root,
      () => h(V.VTabs, { modelValue: null, mandatory: false, 'onUpdate:modelValue': (value) => value && log(value) },
        () => names.map((name) => h(V.VTab, { value: name }, () => name))));
    return each('.v-tab');
  },
  panels: async (root, log) => {
    await draw(root,
      () => h(V.VExpansionPanels, { 'onUpdate:modelValue': (value) => log(value) },
        () => names.map((name) => h(V.VExpansionPanel, { value: name, title: name, text: 'More' }))));
    return each('.v-expansion-panel-title').concat([{ name: 'undefined', optional: true }]);
  },
  'select-open': async (root, log) => {
    await draw(root, () => h(V.VSelect, {
      label: 'Tree', items: names, menu: true, menuProps: { persistent: true }, 'onUpdate:modelValue': log,
      'onUpdate:menu': () => log('Tree')
    }));
    return [...each('.v-overlay .v-list-item', (_, index) => names[index]), {
      name: 'Tree', optional: true, at: () => document.querySelector('.v-field')
    }];
  },
  rating: async (root, log) => {
    await draw(root, () => h(V.VRating, { modelValue: 0, 'onUpdate:modelValue': (value) => log(`${value}`) }));
    return each('.v-rating__item', (_, index) => `${index + 1}`).concat([]);
  },
  switches: async (root, log) => {
    await draw(root, () => h('div', null, names.map((name) => h(V.VSwitch, {
      label: name, 'onUpdate:modelValue': () => log(name)
    }))));
    return each('.v-switch', (_, index) => names[index]);
  },
  'data-table': async (root, log) => {
    await draw(root, () => h(V.VDataTable, {
      headers: [{ title: 'Name', key: 'name' }, { title: 'Height', key: 'height' }],
      items: names.map((name, height) => ({ name, height })), hideDefaultFooter: true,
      'onUpdate:sortBy': ([by]) => log(by ? by.key : 'off'), 'onClick:row': (_, { item }) => log(item.name)
    }));
    return [...each('tbody tr', (_, index) => names[index]),
      ...each('th', (head) => head.textContent.trim().toLowerCase())];
  },
  stepper: async (root, log) => {
    await draw(root,
      () => h(V.VStepper, { editable: true, modelValue: 9, 'onUpdate:modelValue': (value) => log(names[value - 1]) },
        () => h(V.VStepperHeader, null, () => names.map((name, index) => h(V.VStepperItem, {
          title: name, value: index + 1, editable: true
        })))));
    return each('.v-stepper-item', (_, index) => names[index]);
  },
};
