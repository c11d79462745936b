// A plan and its invoices: a form that saves, and a table whose rows are chosen and archived.
import 'vuetify/styles';
import { h, reactive } from 'vue';
import { createVuetify } from 'vuetify';
import * as V from 'vuetify/components';
import { draw } from '../patterns/vue.js';
import { keep, kept } from './kept.js';

const state = reactive({
  plan: kept('plan', { name: 'Harbour', terms: false, note: '' }),
  invoices: kept('invoices', ['A-101', 'A-102', 'A-103', 'A-104'].map((id, at) => ({
    id, sum: 40 + 15 * at, archived: false
  }))),
  chosen: [],
  said: '',
});
const form = reactive({ ...state.plan });

const app = () => h(V.VApp, null, () => h(V.VMain, null, () => h(V.VContainer, null, () => [
  h('h1', null, 'Account'),
  h(V.VSelect, {
    label: 'Plan', items: ['Harbour', 'Coast', 'Ocean'], modelValue: form.name,
    'onUpdate:modelValue': (name) => (form.name = name)
  }),
  h(V.VTextField, { label: 'Note', modelValue: form.note, 'onUpdate:modelValue': (note) => (form.note = note) }),
  h(V.VCheckbox, {
    label: 'I accept the terms', modelValue: form.terms, 'onUpdate:modelValue': (terms) => (form.terms = terms)
  }),
  h(V.VBtn,
    { disabled: !form.terms,
      onClick: () => { state.plan = { ...form }; keep('plan', state.plan); state.said = 'Plan saved'; } },
      () => 'Save plan'),
  h('h2', null, 'Invoices'),
  h(V.VDataTable, {
    headers: [{ title: 'Number', key: 'id' }, { title: 'Sum', key: 'sum' }],
    items: state.invoices.filter((invoice) => !invoice.archived),
    itemValue: 'id',
    showSelect: true,
    modelValue: state.chosen,
    'onUpdate:modelValue': (chosen) => (state.chosen = chosen),
  }),
  h(V.VBtn, {
    disabled: state.chosen.length === 0,
    onClick: () => {
      state.invoices = state.invoices.map((invoice) => ({
        ...invoice, archived: invoice.archived || state.chosen.includes(invoice.id)
      }));
      state.said = `${state.chosen.length} archived`;
      state.chosen = [];
      keep('invoices', state.invoices);
    },
  }, () => 'Archive'),
  h('p', { role: 'status' }, state.said),
])));

await draw(document.getElementById('root'), app, [createVuetify({ components: V })]);
