import { EditorView, basicSetup } from 'codemirror';
import { openSearchPanel, search } from '@codemirror/search';
import { javascript } from '@codemirror/lang-javascript';

const doc = 'function tree() {\n  return 1;\n}\n';

export const patterns = {
  editor: (root, log) => {
    new EditorView({
      doc, parent: root, extensions: [basicSetup, javascript(), EditorView.updateListener.of((update) => {
      if (update.docChanged) log('editor');
      else if (update.transactions.some((change) => change.effects.length
        && change.effects.some((effect) => effect.value?.from !== undefined))) log('fold');
    })] });
    return [
      { name: 'editor', says: '', how: 'type', text: 'x', at: () => root.querySelector('.cm-content') },
      { name: 'fold', says: '', at: () => root.querySelector('.cm-foldGutter .cm-gutterElement span') },
    ];
  },
  search: (root, log) => {
    const view = new EditorView({ doc, parent: root, extensions: [basicSetup, search()] });
    openSearchPanel(view);
    for (const button of root.querySelectorAll('.cm-search button'))
      button.addEventListener('click', () => log(button.getAttribute('aria-label') || button.textContent));
    for (const box of root.querySelectorAll('.cm-search label'))
      box.addEventListener('change', () => log(box.textContent.trim()));
    for (const field of root.querySelectorAll('.cm-search input[name=search], .cm-search input[name=replace]'))
      field.addEventListener('input', () => log(field.ariaLabel || field.placeholder));
    return [
      ...[...root.querySelectorAll('.cm-search button')].map((button) => ({
        name: button.getAttribute('aria-label') || button.textContent, at: () => button
      })),
      ...[...root.querySelectorAll('.cm-search label')].map((label) => ({
        name: label.textContent.trim(), at: () => label
      })),
      ...[...root.querySelectorAll('.cm-search input[name=search], .cm-search input[name=replace]')].map((field) => ({
        name: field.ariaLabel || field.placeholder, how: 'type', text: 'q', at: () => field
      })),
      { name: 'editor', optional: true, says: '', at: () => root.querySelector('.cm-scroller') },
    ];
  },
};
