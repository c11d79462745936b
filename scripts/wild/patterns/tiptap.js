import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { el } from './dom.js';

export const patterns = {
  editor: (root, log) => {
    const box = el('div');
    const editor = new Editor({
      element: box, extensions: [StarterKit], content: '<p>Trees</p>', onUpdate: () => log('editor')
    });
    const buttons = ['Bold', 'Italic']
      .map((name) =>
        el('span',
          { onclick: () => { editor.chain().focus()[`toggle${name}`]().run(); log(name); }, style: 'padding:6px' },
          name));
    root.append(el('div.bar', { onmousedown: (event) => event.preventDefault() }, buttons), box);
    return [...buttons.map((button) => ({ name: button.textContent, at: () => button })), {
      name: 'editor', says: '', how: 'type', text: 'x', at: () => box.querySelector('.tiptap')
    }];
  },
};
