import { Button, Calendar, Card, Cascader, Collapse, DatePicker, Dropdown, Menu, Pagination, Rate, Segmented, Select,
  Slider, Switch, Table, Tabs, Tag, Tree, Transfer } from 'antd';
import { each, pressed, withText } from './dom.js';
import { draw, h } from './react.js';

const names = ['Alder', 'Birch', 'Cedar'];

export const patterns = {
  buttons: async (root, log) => {
    await draw(root,
      h('div', null, names.map((name) => h(Button, { key: name, onClick: () => log(name) }, name)), h(Switch, {
        'aria-label': 'Evergreen', onChange: () => log('Evergreen')
      })));
    return [...each('.ant-btn'), ...each('.ant-switch', () => 'Evergreen')];
  },
  'select-open': async (root, log) => {
    await draw(root, h(Select, {
      'aria-label': 'Tree', open: true, style: { width: 300 },
      options: names.map((name) => ({ value: name, label: name })), onChange: log, onOpenChange: () => log('Tree')
    }));
    return [...each('.ant-select-item-option'), {
      name: 'Tree', optional: true, at: () => document.querySelector('.ant-select')
    }];
  },
  'select-tags': async (root, log) => {
    await draw(root, h(Select, {
      'aria-label': 'Trees', mode: 'multiple', style: { width: 400 }, value: names,
      options: names.map((name) => ({ value: name, label: name })), onDeselect: (value) => log(`Remove ${value}`),
      onOpenChange: () => log('Trees')
    }));
    return [
      ...each('.ant-select-selection-item-remove', (_, index) => `Remove ${names[index]}`, { says: '' }),
      { name: 'Trees', at: () => document.querySelector('.ant-select') },
    ];
  },
  tabs: async (root, log) => {
    await draw(root, h(Tabs, {
      type: 'editable-card', activeKey: 'x', onTabClick: log,
      onEdit: (key, act) => log(act === 'add' ? 'Add' : `Remove ${key}`), items: names.map((name) => ({
        key: name, label: name
      }))
    }));
    return [
      ...each('.ant-tabs-tab-btn'),
      ...each('.ant-tabs-tab-remove', (_, index) => `Remove ${names[index]}`, { says: 'Remove' }),
      { name: 'Add', at: () => document.querySelector('.ant-tabs-nav-add') },
    ];
  },
  collapse: async (root, log) => {
    await draw(root, h(Collapse, {
      onChange: (keys) => log(keys.at(-1)), items: names.map((name) => ({ key: name, label: name, children: 'More.' }))
    }));
    return each('.ant-collapse-header');
  },
  menu: async (root, log) => {
    await draw(root, h(Menu, {
      mode: 'inline', style: { width: 250 }, defaultOpenKeys: ['Sub'], onClick: ({ key }) => log(key),
      onOpenChange: () => log('Sub'), items: [...names.map((name) => ({ key: name, label: name })), {
        key: 'Sub', label: 'Sub', children: [{ key: 'Deep', label: 'Deep' }]
      }]
    }));
    return [...each('.ant-menu-item'), ...each('.ant-menu-submenu-title')];
  },
  tree: async (root, log) => {
    const data = names.map((name) => ({
      key: name, title: name, children: [{ key: `${name} leaf`, title: `${name} leaf` }]
    }));
    await draw(root, h(Tree, {
      checkable: true, treeData: data, motion: null, onSelect: (_, { node }) => log(node.key),
      onCheck: (_, { node }) => log(`check ${node.key}`), onExpand: (_, { node }) => log(`toggle ${node.key}`)
    }));
    return [
      ...each('.ant-tree-node-content-wrapper'),
      ...each('.ant-tree-checkbox', (box) => `check ${box.parentElement.textContent}`, { says: '' }),
      ...each('.ant-tree-switcher', (box) => `toggle ${box.parentElement.textContent}`, { says: '' }),
    ];
  },
  table: async (root, log) => {
    const columns = ['Name', 'Height'].map((name) => ({
      title: name, dataIndex: name, sorter: (a, b) => (a[name] > b[name] ? 1 : -1),
      filters: name === 'Name' ? [{ text: 'A', value: 'A' }] : undefined
    }));
    const rows = names.map((Name, index) => ({ key: Name, Name, Height: index }));
    await draw(root, h(Table, {
      columns, dataSource: rows, pagination: false,
      rowSelection: { onSelect: (row) => log(`choose ${row.Name}`), onSelectAll: () => log('choose all') },
      onRow: (row) => ({ onClick: () => log(row.Name) }),
      onChange: (_, __, sorter, { action }) => log(action === 'sort' ? sorter.field || sorter.column?.title : 'filter'),
    }));
    return [
      ...each('tbody tr.ant-table-row', (row) => row.dataset.rowKey),
      ...each('tbody .ant-checkbox', (_, index) => `choose ${names[index]}`, { says: '' }),
      { name: 'choose all', says: '', at: () => document.querySelector('thead .ant-checkbox') },
      ...each('th.ant-table-column-has-sorters'),
      { name: 'filter', says: 'filter', optional: true, at: () => document.querySelector('.ant-table-filter-trigger') },
    ];
  },
  pagination: async (root, log) => {
    await draw(root, h(Pagination, {
      total: 50, current: 3, showSizeChanger: false, onChange: () => log(pressed('li').title)
    }));
    return [
      ...['1', '2', '4', '5'].map((name) => ({
        name, at: () => document.querySelector(`.ant-pagination-item-${name}`)
      })),
      { name: '3', at: () => document.querySelector('.ant-pagination-item-3'), optional: true },
      { name: 'Previous Page', says: '', at: () => document.querySelector('.ant-pagination-prev') },
      { name: 'Next Page', says: '', at: () => document.querySelector('.ant-pagination-next') },
    ];
  },
  rate: async (root, log) => {
    await draw(root, h(Rate, { defaultValue: 0, onChange: (value) => log(`${value}`) }));
    return each('.ant-rate-star', (_, index) => `${index + 1}`, { says: '' });
  },
  segmented: async (root, log) => {
    await draw(root, h(Segmented, { options: ['Zero', ...names], onChange: log }));
    return each('.ant-segmented-item').slice(1).concat([{
      name: 'Zero', optional: true, at: () => document.querySelector('.ant-segmented-item')
    }]);
  },
  tags: async (root, log) => {
    await draw(root,
      h('div', null,
        names.map((name) =>
          h(Tag, { key: name, closable: true, onClose: (event) => { event.preventDefault(); log(`Close ${name}`); } },
            name)), h(Tag.CheckableTag, { checked: false, onChange: () => log('Wild') }, 'Wild')));
    return [...each('.ant-tag-close-icon', (_, index) => `Close ${names[index]}`, { says: 'Close' }),
      ...each('.ant-tag-checkable')];
  },
  cascader: async (root, log) => {
    await draw(root, h(Cascader, {
      open: true, placeholder: 'Tree', options: names.map((name) => ({ value: name, label: name })),
      onChange: ([value]) => log(value), onOpenChange: () => log('Tree')
    }));
    return [...each('.ant-cascader-menu-item'), {
      name: 'Tree', optional: true, at: () => document.querySelector('.ant-cascader')
    }];
  },
  'cards-with-actions': async (root, log) => {
    await draw(root,
      h('div', { style: { width: 400 } },
        names.map((name) =>
          h(Card, {
            key: name, title: name, hoverable: true, onClick: () => log(name),
            extra: h('a', { onClick: (event) => { event.stopPropagation(); log(`More ${name}`); } }, 'More') },
            'A tree'))));
    return [...each('.ant-card', (_, index) => names[index]),
      ...each('.ant-card-extra a', (_, index) => `More ${names[index]}`, { says: 'More' })];
  },
  dropdown: async (root, log) => {
    await draw(root,
      h(Dropdown,
        { open: true,
          menu: { items: names.map((name) => ({ key: name, label: name })), onClick: ({ key }) => log(key) } },
          h('a', { onClick: (event) => { event.preventDefault(); log('Trees'); } }, 'Trees')));
    return [...each('.ant-dropdown-menu-item'), { name: 'Trees', at: () => withText('a', 'Trees') }];
  },
  'date-picker': async (root, log) => {
    await draw(root, h(DatePicker, {
      open: true, placeholder: 'Day', onOpenChange: () => log('Day'),
      onChange: (day) => day && log(pressed('a') ? 'Today' : `day ${day.date()}.${day.month() + 1}`),
      onPanelChange: () => log(pressed('button').getAttribute('aria-label') || pressed('button').className)
    }));
    return each('.ant-picker-cell-in-view', (cell) => `day ${cell.textContent}.${Number(cell.title.slice(5, 7))}`)
      .map((cell) => ({ ...cell, says: cell.name.match(/\d+/)[0] }))
      .concat({ name: 'Day', optional: true, at: () => document.querySelector('.ant-picker-input') })
      .concat({ name: 'Today', at: () => withText('a', 'Today') })
      .concat(each('.ant-picker-header button', (button) => button.getAttribute('aria-label') || button.className, {
        says: ''
      }))
      .concat(each('.ant-picker-cell:not(.ant-picker-cell-in-view)',
        (cell) => `day ${cell.textContent}.${Number(cell.title.slice(5, 7))}`, { says: '' }));
  },
  slider: async (root, log) => {
    await draw(root, h('div', { style: { width: 300, margin: 40 } }, h(Slider, {
      defaultValue: 30, 'aria-label': 'Height', onChange: () => log('Height')
    })));
    return [{
      name: 'Height', says: '', how: 'key', key: 'ArrowRight', at: () => document.querySelector('.ant-slider-handle')
    }];
  },
  transfer: async (root, log) => {
    await draw(root, h(Transfer, {
      dataSource: names.map((name) => ({ key: name, title: name })), render: (item) => item.title,
      onSelectChange: ([key]) =>
      log(pressed('.ant-transfer-list-header') ? 'all' : pressed('.ant-checkbox-wrapper') ? `box ${key}` : key)
    }));
    return [
      ...each('.ant-transfer-list-content-item'),
      ...each('.ant-transfer-list-content-item .ant-checkbox', (_, index) => `box ${names[index]}`, { says: '' }),
      { name: 'all', says: '', at: () => document.querySelector('.ant-transfer-list-header .ant-checkbox') },
      { name: 'more', says: '', optional: true,
        at: () => document.querySelector('.ant-transfer-list-header-dropdown') },
    ];
  },
};
void Calendar;
