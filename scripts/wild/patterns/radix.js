import { Accordion, Checkbox, ContextMenu, DropdownMenu, Menubar, NavigationMenu, RadioGroup, Select, Slider, Switch,
  Tabs, ToggleGroup } from 'radix-ui';
import { each } from './dom.js';
import { draw, h } from './react.js';

const names = ['Alder', 'Birch', 'Cedar'];

export const patterns = {
  accordion: async (root, log) => {
    await draw(root,
      h(Accordion.Root, { type: 'single', onValueChange: log },
        names.map((name) =>
          h(Accordion.Item, { key: name, value: name }, h(Accordion.Header, null, h(Accordion.Trigger, null, name)),
            h(Accordion.Content, null, 'More')))));
    return each('button');
  },
  tabs: async (root, log) => {
    await draw(root,
      h(Tabs.Root, { value: '', onValueChange: log },
        h(Tabs.List, null, names.map((name) => h(Tabs.Trigger, { key: name, value: name }, name)))));
    return each('[role=tab]');
  },
  choices: async (root, log) => {
    await draw(root, h('div', null,
      names.map((name) =>
        h('p', { key: name },
          h(Checkbox.Root, { id: `c${name}`, onCheckedChange: () => log(`check ${name}`) },
            h(Checkbox.Indicator, null, '✓')), h('label', { htmlFor: `c${name}` }, `check ${name}`))),
      h(RadioGroup.Root, { onValueChange: log },
        names.map((name) =>
          h('p', { key: name }, h(RadioGroup.Item, { value: name, id: `r${name}` }),
            h('label', { htmlFor: `r${name}` }, name)))),
      h(Switch.Root,
        { 'aria-label': 'Evergreen', onCheckedChange: () => log('Evergreen'), style: { width: 40, height: 20 } },
        h(Switch.Thumb))));
    return [...each('[role=checkbox]', (_, index) => `check ${names[index]}`),
      ...each('[role=radio]', (_, index) => names[index]), ...each('[role=switch]', () => 'Evergreen')];
  },
  toggles: async (root, log) => {
    await draw(root,
      h(ToggleGroup.Root, { type: 'single', onValueChange: log },
        names.map((name) => h(ToggleGroup.Item, { key: name, value: name }, name))));
    return each('button');
  },
  'menu-open': async (root, log) => {
    await draw(root,
      h(DropdownMenu.Root, { open: true, modal: false, onOpenChange: () => log('Trees') },
        h(DropdownMenu.Trigger, null, 'Trees'),
        h(DropdownMenu.Portal, null,
          h(DropdownMenu.Content, null,
            names.map((name) => h(DropdownMenu.Item, { key: name, onSelect: () => log(name) }, name)),
            h(DropdownMenu.CheckboxItem, { onSelect: () => log('Wild') }, 'Wild')))));
    return [...each('[role^=menuitem]'), { name: 'Trees', optional: true, at: () => document.querySelector('button') }];
  },
  menubar: async (root, log) => {
    await draw(root,
      h(Menubar.Root, { onValueChange: log },
        names.map((name) => h(Menubar.Menu, { key: name, value: name }, h(Menubar.Trigger, null, name)))));
    return each('[role=menuitem]');
  },
  select: async (root, log) => {
    await draw(root,
      h(Select.Root, { onOpenChange: () => log('Tree') },
        h(Select.Trigger, { 'aria-label': 'Tree' }, h(Select.Value, { placeholder: 'Tree' })),
        h(Select.Portal, null,
          h(Select.Content, null,
            h(Select.Viewport, null,
              names.map((name) => h(Select.Item, { key: name, value: name }, h(Select.ItemText, null, name))))))));
    return each('button', () => 'Tree');
  },
  'context-menu': async (root, log) => {
    await draw(root,
      h('div', null,
        names.map((name) =>
          h(ContextMenu.Root, { key: name, onOpenChange: (open) => open && log(name) },
            h(ContextMenu.Trigger, { style: { display: 'block', padding: 8 } }, name)))));
    return names.map((name, index) => ({
      name, how: 'right', at: () => document.querySelectorAll('[data-state]')[index]
    }));
  },
};
void NavigationMenu;
void Slider;
