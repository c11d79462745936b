import { Accordion, AccordionDetails, AccordionSummary, Autocomplete, Button, Card, CardActionArea, Checkbox, Chip,
  FormControlLabel, List, ListItem, ListItemButton, Menu, MenuItem, Rating, Select, Slider, Switch, Tab, Table,
  TableBody, TableCell, TableHead, TableRow, TableSortLabel, Tabs, TextField, ToggleButton,
  ToggleButtonGroup } from '@mui/material';
import { SimpleTreeView, TreeItem } from '@mui/x-tree-view';
import { each, pressed } from './dom.js';
import { draw, h } from './react.js';

const names = ['Alder', 'Birch', 'Cedar'];

export const patterns = {
  list: async (root, log) => {
    await draw(root,
      h(List, { style: { width: 500 } },
        names.map((name) =>
          h(ListItem,
            { key: name, disablePadding: true,
              secondaryAction: h(Checkbox, { 'aria-label': `choose ${name}`, onChange: () => log(`choose ${name}`) }) },
              h(ListItemButton, { onClick: () => log(name) }, name)))));
    return [...each('.MuiListItemButton-root'), ...each('.MuiCheckbox-root', (_, index) => `choose ${names[index]}`)];
  },
  chips: async (root, log) => {
    await draw(root, h('div', null, names.map((name) => h(Chip, {
      key: name, label: name, onClick: () => log(name), onDelete: () => log(`Delete ${name}`)
    }))));
    return [...each('.MuiChip-root'), ...each('.MuiChip-deleteIcon', (_, index) => `Delete ${names[index]}`, {
      says: ''
    })];
  },
  'select-closed': async (root, log) => {
    await draw(root,
      h(Select, { value: 'Alder', onOpen: () => log('Alder'), open: false },
        names.map((name) => h(MenuItem, { key: name, value: name }, name))));
    return each('.MuiSelect-select');
  },
  menu: async (root, log) => {
    await draw(root,
      h(Menu, {
        open: true, anchorReference: 'anchorPosition', anchorPosition: { top: 20, left: 20 },
        onClose: () => log('close') },
        names.map((name) => h(MenuItem, { key: name, onClick: () => log(name) }, name))));
    return [...each('.MuiMenuItem-root'), { name: 'close', says: '', optional: true }];
  },
  autocomplete: async (root, log) => {
    await draw(root, h('div', { style: { width: 300 } }, h(Autocomplete, {
      open: true, options: names, onChange: (_, value) => log(value),
      onInputChange: (_, __, reason) => reason === 'input' && log('Tree'),
      onClose: () => setTimeout(() => log(pressed('button') ? 'arrow' : 'Tree'), 20),
      renderInput: (params) => h(TextField, { ...params, label: 'Tree' })
    })));
    return [...each('.MuiAutocomplete-option'),
      { name: 'Tree', how: 'type', text: 'Bi', at: () => document.querySelector('input') }, {
        name: 'arrow', says: 'Close', at: () => document.querySelector('.MuiAutocomplete-popupIndicator')
      }];
  },
  tabs: async (root, log) => {
    await draw(root, h(Tabs, { value: false, onChange: (_, value) => log(value) }, names.map((name) => h(Tab, {
      key: name, value: name, label: name
    }))));
    return each('.MuiTab-root', (tab) => tab.textContent);
  },
  accordion: async (root, log) => {
    await draw(root,
      h('div', null,
        names.map((name) =>
          h(Accordion, { key: name, onChange: () => log(name) }, h(AccordionSummary, null, name),
            h(AccordionDetails, null, 'More')))));
    return each('.MuiAccordionSummary-root');
  },
  rating: async (root, log) => {
    await draw(root, h(Rating, { value: null, onChange: (_, value) => log(`${value} Star`) }));
    return each('input', (input) => `${input.value || 'null'} Star`)
      .filter((control) => !control.name.startsWith('null')).concat([{ name: 'null Star', says: '', optional: true }]);
  },
  toggles: async (root, log) => {
    await draw(root,
      h('div', null,
        h(ToggleButtonGroup, { onChange: (_, value) => log(value), exclusive: true },
          names.map((value) => h(ToggleButton, { key: value, value }, value))), h(FormControlLabel, {
            label: 'Evergreen', control: h(Switch, { onChange: () => log('Evergreen') })
          })));
    return [...each('.MuiToggleButton-root'), ...each('.MuiFormControlLabel-root')];
  },
  tree: async (root, log) => {
    await draw(root,
      h(SimpleTreeView,
        { expansionTrigger: 'iconContainer', onItemSelectionToggle: (_, id) => log(id),
          onItemExpansionToggle: (_, id) => log(`toggle ${id}`) },
          names.map((name) => h(TreeItem, { key: name, itemId: name, label: name }, h(TreeItem, {
            itemId: `${name} leaf`, label: `${name} leaf`
          })))));
    return [...each('.MuiTreeItem-content'),
      ...each('.MuiTreeItem-iconContainer', (_, index) => `toggle ${names[index]}`, { says: '' })];
  },
  'table-sort': async (root, log) => {
    await draw(root,
      h(Table, null,
        h(TableHead, null,
          h(TableRow, null,
            ['Name', 'Height']
            .map((name) => h(TableCell, { key: name }, h(TableSortLabel, { onClick: () => log(name) }, name))))),
            h(TableBody, null,
              names.map((name) =>
                h(TableRow, { key: name, hover: true, onClick: () => log(name), style: { cursor: 'pointer' } },
                  h(TableCell, null, name), h(TableCell, null, '20 m'))))));
    return [...each('.MuiTableSortLabel-root'), ...each('tbody tr', (row) => row.firstChild.textContent)];
  },
  cards: async (root, log) => {
    await draw(root,
      h('div', { style: { width: 400 } },
        names.map((name) =>
          h(Card, { key: name }, h(CardActionArea, { onClick: () => log(name) }, h('h3', null, name), 'A tree'),
            h(Button, { onClick: () => log(`Buy ${name}`) }, 'Buy')))));
    return [...each('.MuiCardActionArea-root', (_, index) => names[index]),
      ...each('.MuiButton-root', (_, index) => `Buy ${names[index]}`, { says: 'Buy' })];
  },
  slider: async (root, log) => {
    await draw(root, h('div', { style: { width: 300, margin: 40 } }, h(Slider, {
      defaultValue: 30, 'aria-label': 'Height', onChange: () => log('Height')
    })));
    return [{ name: 'Height', how: 'key', key: 'ArrowRight', at: () => document.querySelector('.MuiSlider-thumb') }];
  },
};
