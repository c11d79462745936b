// Reads the logical entity ids of one frame in the main world: [flat-tree path, id] pairs. A path counts element
// children in the flat tree, as DOMSnapshot walks it: shadow content in place of children, slotted in their slot.
(() => {
  const key = Symbol.for('entity-id');
  const found = [];
  const parts = (element) => {
    if (element.shadowRoot) return element.shadowRoot.children;
    if (element instanceof HTMLSlotElement && element.getRootNode() instanceof ShadowRoot) {
      const assigned = element.assignedElements();
      if (element.assignedNodes().length) return assigned;
    }
    return element.children;
  };
  const open = document.documentElement ? [[document.documentElement, '']] : [];
  while (open.length) {
    const [element, path] = open.pop();
    const id = element[key];
    if (typeof id === 'string') found.push([path, id]);
    const children = parts(element);
    for (let i = children.length - 1; i >= 0; i--) open.push([children[i], path ? path + '/' + i : String(i)]);
  }
  return JSON.stringify(found);
})()
