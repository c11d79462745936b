import { Background, Controls, Handle, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { each, pressed } from './dom.js';
import { draw, h } from './react.js';

const names = ['Alder', 'Birch', 'Cedar'];
const nodes = names.map((name, index) => ({
  id: name, position: { x: 60 + index * 220, y: 60 + index * 90 }, data: { label: name }
}));
const edges = [{ id: 'Alder-Birch', source: 'Alder', target: 'Birch', label: 'to Birch' }, {
  id: 'Birch-Cedar', source: 'Birch', target: 'Cedar', label: 'to Cedar'
}];
const handle = (at) => at && `${at.dataset.handlepos} of ${at.dataset.nodeid}`;
const credit = () => each('.react-flow__attribution a', undefined, { optional: true });
const box = { style: { width: 800, height: 450 } };

export const patterns = {
  nodes: async (root, log) => {
    await draw(root, h('div', box, h(ReactFlow, {
      nodes, edges: [], onNodeClick: (_, node) => log(handle(pressed('.react-flow__handle')) || node.id)
    })));
    return [...each('.react-flow__node'), ...each('.react-flow__handle', handle, { says: '' }), ...credit()];
  },
  edges: async (root, log) => {
    await draw(root, h('div', box, h(ReactFlow, {
      nodes, edges, nodesDraggable: false,
      onNodeClick: (_, node) => log(handle(pressed('.react-flow__handle')) || node.id),
      onEdgeClick: (_, edge) => log(edge.label)
    })));
    return [...each('.react-flow__node'), ...each('.react-flow__edge', (_, index) => edges[index].label),
      ...each('.react-flow__handle', handle, { says: '' }), ...credit()];
  },
  'nodes-with-buttons': async (root, log) => {
    const tree = ({ data }) =>
      h('div', { style: { padding: 20, border: '1px solid' } }, data.label, ' ',
        h('button', { className: 'nodrag', onClick: (event) => { event.stopPropagation(); log(`Cut ${data.label}`); } },
          'Cut'));
    await draw(root, h('div', box, h(ReactFlow, {
      nodes: nodes.map((node) => ({ ...node, type: 'tree' })), nodeTypes: { tree }, edges: [],
      onNodeClick: (_, node) => log(node.id)
    })));
    return [...each('.react-flow__node', (node) => node.dataset.id),
      ...each('.react-flow__node button', (_, index) => `Cut ${names[index]}`, { says: 'Cut' }), ...credit()];
  },
};
void Background;
void Controls;
void Handle;
