import Quill from 'quill';
import 'quill/dist/quill.snow.css';
import { each, el } from './dom.js';

export const patterns = {
  editor: (root, log) => {
    const box = el('div', {}, 'Trees');
    root.append(box);
    const quill = new Quill(box, {
      theme: 'snow', modules: {
        toolbar: [['bold', 'italic', 'underline'], [{ list: 'ordered' }, { list: 'bullet' }], [{
          header: [1, 2, false]
        }]]
      }
    });
    quill.setSelection(0, 5);
    quill.on('text-change',
      (_, __, source) => source === 'user'
      && log(Object.keys(quill.getFormat(0, 5)).map((key) => (key === 'list' ? quill.getFormat(0, 5).list : key))[0]
        || 'editor'));
    return [
      ...['bold', 'italic', 'underline'].map((name) => ({ name, at: () => root.querySelector(`.ql-${name}`) })),
      ...['ordered', 'bullet'].map((name) => ({ name, says: 'list', at: () => root.querySelector(`[value=${name}]`) })),
      { name: 'editor', says: '', how: 'type', text: 'x', at: () => root.querySelector('.ql-editor') },
      { name: 'header', says: '', optional: true, at: () => root.querySelector('.ql-header .ql-picker-label') },
    ];
  },
};
void each;
