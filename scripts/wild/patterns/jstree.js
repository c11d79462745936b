import './jquery.js';
import 'jstree/dist/jstree.js';
import 'jstree/dist/themes/default/style.css';
import { each } from './dom.js';

const $ = window.jQuery;
const data = ['Alder', 'Birch', 'Cedar'].map((name) => ({
  id: name, text: name, children: [{ id: `${name} leaf`, text: `${name} leaf` }]
}));

function build(root, log, more) {
  root.innerHTML = '<div id="tree"></div>';
  const tree = $('#tree').jstree({ core: { data, animation: 0 }, ...more });
  tree.on('select_node.jstree', (_, { node }) => log(node.text));
  tree.on('open_node.jstree', (_, { node }) => log(`toggle ${node.text}`));
  tree.on('check_node.jstree', (_, { node }) => log(`check ${node.text}`));
  return new Promise((done) => tree.on('ready.jstree', () => done(() => [
    ...each('.jstree-anchor'),
    ...each('.jstree-ocl', (icon) => `toggle ${icon.parentElement.id}`, { says: '' }),
    ...each('.jstree-checkbox', (box) => `check ${box.closest('li').id}`, { says: '' }),
  ])));
}

export const patterns = {
  tree: (root, log) => build(root, log, {}),
  checkboxes: (root, log) => build(root, log, {
    plugins: ['checkbox'], checkbox: { tie_selection: false, whole_node: false }
  }),
};
