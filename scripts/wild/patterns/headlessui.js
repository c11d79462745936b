import { Disclosure, DisclosureButton, DisclosurePanel, Listbox, ListboxButton, ListboxOption, ListboxOptions, Menu,
  MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch, Tab, TabGroup, TabList } from '@headlessui/react';
import { each } from './dom.js';
import { draw, h } from './react.js';

const names = ['Alder', 'Birch', 'Cedar'];

export const patterns = {
  listbox: async (root, log) => {
    await draw(root,
      h(Listbox, { value: '', onChange: log }, h(ListboxButton, { onClick: () => log('Tree') }, 'Tree'),
        h(ListboxOptions, { static: true }, names.map((name) => h(ListboxOption, { key: name, value: name }, name)))));
    return [...each('[role=option]'), ...each('button')];
  },
  menu: async (root, log) => {
    await draw(root,
      h(Menu, null, h(MenuButton, { onClick: () => log('Trees') }, 'Trees'),
        h(MenuItems, { static: true },
          names.map((name) => h(MenuItem, { key: name }, h('div', { onClick: () => log(name) }, name))))));
    return [...each('[role=menuitem]'), ...each('button')];
  },
  radios: async (root, log) => {
    await draw(root,
      h(RadioGroup, { value: '', onChange: log },
        names.map((name) => h(Radio, { key: name, value: name, style: { padding: 8 } }, name))));
    return each('[role=radio]');
  },
  switches: async (root, log) => {
    await draw(root, h('div', null, names.map((name) => h(Switch, {
      key: name, checked: false, onChange: () => log(name), 'aria-label': name, style: { width: 40, height: 20 }
    }))));
    return each('[role=switch]', (_, index) => names[index]);
  },
  disclosures: async (root, log) => {
    await draw(root,
      h('div', null,
        names.map((name) =>
          h(Disclosure, { key: name }, h(DisclosureButton, { onClick: () => log(name) }, name),
            h(DisclosurePanel, null, 'More')))));
    return each('button');
  },
  tabs: async (root, log) => {
    await draw(root,
      h(TabGroup, { selectedIndex: 9, onChange: (index) => log(names[index]) },
        h(TabList, null, names.map((name) => h(Tab, { key: name }, name)))));
    return each('[role=tab]').map((tab) => ({ ...tab, optional: tab.name === 'Cedar' }));
  },
};
