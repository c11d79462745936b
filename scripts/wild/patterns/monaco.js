import * as monaco from 'monaco-editor';
import { el } from './dom.js';

export const patterns = {
  editor: async (root, log) => {
    window.MonacoEnvironment = { getWorker: () => new Worker(URL.createObjectURL(new Blob(['']))) };
    const box = el('div', { style: 'width:600px; height:200px' });
    root.append(box);
    const editor = monaco.editor.create(box, {
      value: 'tree\n', language: 'plaintext', minimap: { enabled: false }, glyphMargin: false, folding: false
    });
    editor.onDidChangeModelContent(() => log('editor'));
    await new Promise((done) => setTimeout(done, 500));
    return [{
      name: 'editor', says: '', how: 'type', text: 'x', at: () => box.querySelector('textarea, .native-edit-context')
    }];
  },
};
