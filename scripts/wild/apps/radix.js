// A nursery: trees are ordered by a form with a confirmation, and cancelled by a menu in their row.
import { useState } from 'react';
import { AlertDialog, DropdownMenu, RadioGroup, Select, Switch } from 'radix-ui';
import { draw, h } from '../patterns/react.js';
import { keep, kept } from './kept.js';

const trees = ['Alder', 'Birch', 'Cedar', 'Dogwood'];
const sizes = ['Small', 'Medium', 'Tall'];

function Nursery() {
  const [orders, setOrders] = useState(kept('orders', [{ tree: 'Cedar', size: 'Small', deliver: false }, {
    tree: 'Alder', size: 'Tall', deliver: true
  }]));
  const [form, setForm] = useState({ tree: '', size: 'Small', deliver: false });
  const [said, setSaid] = useState('');
  const change = (part) => setForm({ ...form, ...part });
  const save = (orders, words) => { keep('orders', orders); setOrders(orders); setSaid(words); };
  return h('main', null,
    h('h1', null, 'Nursery'),
    h('section', { 'aria-label': 'New order' },
      h(Select.Root, { value: form.tree, onValueChange: (tree) => change({ tree }) },
        h(Select.Trigger, { 'aria-label': 'Tree' }, h(Select.Value, { placeholder: 'Choose a tree' })),
        h(Select.Portal, null,
          h(Select.Content, null,
            h(Select.Viewport, null,
              trees.map((tree) => h(Select.Item, { key: tree, value: tree }, h(Select.ItemText, null, tree))))))),
      h(RadioGroup.Root, { 'aria-label': 'Size', value: form.size, onValueChange: (size) => change({ size }) },
        sizes.map((size) =>
          h('p', { key: size }, h(RadioGroup.Item, { value: size, id: size }, h(RadioGroup.Indicator, null, '•')),
            h('label', { htmlFor: size }, size)))),
      h('p', null, h('label', { htmlFor: 'deliver' }, 'Deliver it'),
        h(Switch.Root,
          { id: 'deliver', checked: form.deliver, onCheckedChange: (deliver) => change({ deliver }),
            style: { width: 40, height: 20 } }, h(Switch.Thumb))),
      h(AlertDialog.Root, null,
        h(AlertDialog.Trigger, { disabled: !form.tree }, 'Order'),
        h(AlertDialog.Portal, null, h(AlertDialog.Content, null,
          h(AlertDialog.Title, null, `Order a ${form.size.toLowerCase()} ${form.tree.toLowerCase()}?`),
          h(AlertDialog.Description, null, form.deliver ? 'We bring it.' : 'You fetch it.'),
          h(AlertDialog.Cancel, null, 'Go back'),
          h(AlertDialog.Action, { onClick: () => save([...orders, form], `${form.tree} ordered`) },
            'Confirm order'))))),
    h('ul', { 'aria-label': 'Orders' },
      orders.map((order, at) => h('li', { key: at }, `${order.tree}, ${order.size.toLowerCase()} `,
      h(DropdownMenu.Root, null,
        h(DropdownMenu.Trigger, { 'aria-label': `Actions for ${order.tree}` }, '⋯'),
        h(DropdownMenu.Portal, null, h(DropdownMenu.Content, null,
          h(DropdownMenu.Item,
            { onSelect: () =>
              save(orders.map((other, place) => (place === at ? { ...order, deliver: !order.deliver } : other)),
                `${order.tree} changed`) }, order.deliver ? 'Fetch it' : 'Have it delivered'),
          h(DropdownMenu.Item,
            { onSelect: () => save(orders.filter((_, place) => place !== at), `${order.tree} cancelled`) },
            'Cancel order'))))))),
    h('p', { role: 'status' }, said));
}

await draw(document.getElementById('root'), h(Nursery));
