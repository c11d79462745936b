import { TabulatorFull as Tabulator } from 'tabulator-tables';
import 'tabulator-tables/dist/css/tabulator.css';
import { each, el } from './dom.js';

const data = ['Alder', 'Birch', 'Cedar'].map((name, height) => ({ name, height: `${height + 2} m` }));

export const patterns = {
  rows: (root, log) => {
    const box = el('div', { style: 'width:500px' });
    root.append(box);
    const table = new Tabulator(box, {
      data, columns: [{ title: 'Name', field: 'name', width: 200 }, { title: 'Height', field: 'height', width: 200 }],
      layout: 'fitColumns'
    });
    table.on('rowClick', (_, row) => log(row.getData().name));
    table.on('dataSorting', ([by]) => by && log(by.field));
    return new Promise((done) => table.on('tableBuilt', () => done(() => [
      ...each('.tabulator-row', (row) => row.firstChild.textContent),
      ...each('.tabulator-col', (column) => column.textContent.trim().toLowerCase()),
      ...each('.tabulator-col-resize-handle', (_, index) => `resize ${index}`, { says: '', optional: true }),
    ])));
  },
};
