import Handsontable from 'handsontable';
import { each, el } from './dom.js';

const rows = [['Alder', '20'], ['Birch', '30'], ['Cedar', '40']];

export const patterns = {
  cells: (root, log) => {
    const box = el('div');
    root.append(box);
    new Handsontable(box, {
      data: rows, licenseKey: 'non-commercial-and-evaluation', width: 400, height: 200,
      afterOnCellMouseDown: (_, { row, col }) => row >= 0 && col >= 0 && log(rows[row][col])
    });
    return each('.ht_master tbody td');
  },
  headers: (root, log) => {
    const box = el('div');
    root.append(box);
    new Handsontable(box, {
      data: rows, colHeaders: ['Name', 'Height'], columnSorting: true, licenseKey: 'non-commercial-and-evaluation',
      width: 400, height: 200, afterColumnSort: (_, [by]) => log(by && by.column === 1 ? 'Height' : 'Name'),
      afterOnCellMouseDown: (event, { row, col }) => row >= 0
      && log(box.querySelector(`.ht_master tbody tr:nth-child(${row + 1}) td:nth-child(${col + 1})`).textContent)
    });
    return [...each('.ht_clone_top th', (head) => head.textContent.trim()), ...each('.ht_master tbody td')];
  },
};
