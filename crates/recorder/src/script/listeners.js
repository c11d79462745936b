// Elements with listeners in the main world, by their place in flat-tree order; `getEventListeners` is the console's
// own function.
(() => {
  const parts = (element) => {
    if (element.shadowRoot) return element.shadowRoot.children;
    if (element.localName === 'slot' && element.getRootNode() instanceof ShadowRoot && element.assignedNodes().length)
      return element.assignedElements();
    return element.children;
  };
  const found = [];
  let count = 0;
  const open = document.documentElement ? [document.documentElement] : [];
  while (open.length) {
    const element = open.pop();
    const types = Object.keys(getEventListeners(element));
    if (types.length) found.push([count, types.sort()]);
    count++;
    const children = parts(element);
    for (let i = children.length - 1; i >= 0; i--) open.push(children[i]);
  }
  return { count, found };
})()
