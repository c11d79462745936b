import { Grid } from 'gridjs';
import 'gridjs/dist/theme/mermaid.css';
import { each } from './dom.js';

const data =
  Array.from({ length: 12 }, (_, row) => [`Tree ${row + 1}`, `${(row * 7) % 12 + 2} m`, `${(row * 5) % 12} years`]);

export const patterns = {
  table: async (root, log) => {
    const grid = new Grid({
      columns: ['Name', 'Height', 'Age'], data, sort: true, search: true, pagination: { limit: 5 }
    });
    grid.on('cellClick', (_, cell) => log(cell.data));
    await new Promise((done) => { grid.on('ready', done); grid.render(root); setTimeout(done, 1500); });
    // Sorting and paging have no events of their own: the rows that stand there afterwards say what was used.
    const shown = () => [...root.querySelectorAll('tbody tr')].map((row) => row.textContent).join();
    let before = shown();
    let used = '';
    for (const type of ['click', 'input'])
      window.addEventListener(type,
        (event) => {
          const head = event.target.closest?.('th')?.textContent.trim();
          used = head ? (event.target.closest('button') ? `Sort ${head}` : head) : event.target.textContent || 'search';
          }, true);
    new MutationObserver(() => setTimeout(() => { if (shown() !== before) { before = shown(); log(used); } }, 60))
      .observe(root, { subtree: true, childList: true, characterData: true });
    return [
      ...each('tbody td'),
      ...each('th.gridjs-th-sort').slice(1),
      ...each('th.gridjs-th-sort button', (button) => `Sort ${button.closest('th').textContent.trim()}`,
        { says: 'Sort' }).slice(1),
      { name: 'Name', optional: true, at: () => root.querySelector('th') },
      { name: 'Sort Name', says: '', optional: true, at: () => root.querySelector('th button') },
      { name: 'search', says: '', how: 'type', text: '7', at: () => root.querySelector('input') },
      ...each('.gridjs-pages button:not([disabled])').filter((page) => !['1'].includes(page.name)),
      { name: '1', optional: true, at: () => root.querySelector('.gridjs-currentPage') },
      { name: 'Previous', optional: true, at: () => root.querySelector('.gridjs-pages button') },
    ];
  },
};
