// Applies the state that HTML cannot say, in the recorder's own world of one frame, and removes what tells of it.
// Returns the marks of this frame's nodes; the nodes are kept under the same places in `browserLensMarked`.
(() => {
  'use strict';
  const roots = [document];
  const all = [];
  while (roots.length) {
    const root = roots.pop();
    for (const element of root.querySelectorAll('*')) {
      all.push(element);
      if (element.shadowRoot) roots.push(element.shadowRoot);
    }
  }
  const marked = [];
  const marks = [];
  const scrolls = [];
  const take = (element, name) => {
    const value = element.getAttribute(name);
    if (value !== null) element.removeAttribute(name);
    return value;
  };
  const guarded = (apply) => { try { apply(); } catch { /* The element is of another kind by now. */ } };
  // What a data set wrote onto its pages: it tells which nodes count.
  const notes = ['data_pw_testid_buckeye', 'data_pw_testid_buckeye_candidate', 'backend_node_id', 'bounding_box_rect'];
  for (const element of all) {
    if (!element.hasAttributes()) continue;
    for (const note of notes) element.removeAttribute(note);
    const mark = take(element, 'browserlens-mark');
    if (mark !== null) { marked.push(element); marks.push(mark); }
    const sheet = take(element, 'browserlens-sheet');
    if (sheet !== null) guarded(() => {
      const root = element.getRootNode();
      const made = new CSSStyleSheet();
      made.replaceSync(sheet);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, made];
      element.remove();
    });
    const value = take(element, 'browserlens-value');
    if (value !== null && element.type !== 'file')
      guarded(() => { if (element.value !== value) element.value = value; });
    const checked = take(element, 'browserlens-checked');
    if (checked !== null) guarded(() => { element.checked = checked === 'true'; });
    const selected = take(element, 'browserlens-selected');
    if (selected !== null) guarded(() => { element.selected = selected === 'true'; });
    const popover = take(element, 'browserlens-popover');
    if (popover !== null) guarded(() => element.showPopover());
    const dialog = take(element, 'browserlens-dialog');
    if (dialog !== null) guarded(() => (dialog === 'modal' ? element.showModal() : element.show()));
    const top = take(element, 'browserlens-scroll-top');
    const left = take(element, 'browserlens-scroll-left');
    if (top !== null || left !== null) scrolls.push([element, Number(top ?? 0), Number(left ?? 0)]);
  }
  // A dialog that opens takes the focus, which was elsewhere or unknown.
  if (document.activeElement && document.activeElement !== document.body) guarded(() => document.activeElement.blur());
  for (const [element, top, left] of scrolls) guarded(() => element.scrollTo({ top, left, behavior: 'instant' }));
  globalThis.browserLensMarked = marked;
  return marks;
})()
