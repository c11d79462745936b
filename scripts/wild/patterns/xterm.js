import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';

export const patterns = {
  terminal: (root, log) => {
    const terminal = new Terminal({ cols: 60, rows: 8 });
    terminal.open(root);
    terminal.write('$ ');
    terminal.onData(() => log('terminal'));
    return [{ name: 'terminal', says: '', how: 'type', text: 'x', at: () => root.querySelector('textarea') }];
  },
};
