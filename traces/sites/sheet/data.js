// The workbook as it is before anyone edits it: four sheets of raw cell contents and their base formats.
//
// In: nothing. Out: window.Workbook = { months, divisions, departments, sheets }, each sheet a map address -> raw text.
// Invariant: integer arithmetic on a fixed hash only, so every load of every page gives the same numbers.
(() => {
  'use strict';
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

  // Percent of the base amount, month by month.
  const seasons = {
    flat: [100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100],
    peak: [82, 80, 86, 90, 94, 96, 92, 90, 104, 124, 158, 176],
    spring: [96, 104, 118, 124, 116, 104, 90, 84, 92, 96, 92, 84],
    summer: [92, 92, 96, 102, 112, 120, 122, 114, 102, 96, 90, 88],
    ramp: [88, 90, 92, 94, 96, 98, 101, 104, 107, 110, 113, 116],
  };
  const departments = [
    ['Product design', 'Product', 8600, 'flat', 11],
    ['Web platform', 'Product', 12400, 'ramp', 17],
    ['Mobile apps', 'Product', 9800, 'ramp', 12],
    ['Applied research', 'Research', 14200, 'flat', 13],
    ['Data science', 'Research', 11600, 'ramp', 10],
    ['Warehouse', 'Operations', 15300, 'summer', 26],
    ['Logistics', 'Operations', 12900, 'summer', 15],
    ['Procurement', 'Operations', 6100, 'flat', 7],
    ['Quality control', 'Operations', 7400, 'spring', 9],
    ['Field sales', 'Sales', 13800, 'peak', 14],
    ['Online sales', 'Sales', 10700, 'peak', 8],
    ['Partner sales', 'Sales', 6900, 'peak', 6],
    ['Brand', 'Marketing', 7700, 'spring', 6],
    ['Events', 'Marketing', 8300, 'spring', 5],
    ['Market research', 'Marketing', 4200, 'flat', 4],
    ['Customer care', 'Support', 11200, 'ramp', 19],
    ['Technical support', 'Support', 9400, 'flat', 14],
    ['Finance', 'Corporate', 6800, 'flat', 8],
    ['Legal', 'Corporate', 5400, 'flat', 4],
    ['People and culture', 'Corporate', 5900, 'spring', 6],
  ].map(([name, division, base, season, people]) => ({ name, division, base, season, people }));
  const divisions = [...new Set(departments.map((d) => d.division))];

  const invoices = [
    ['Hollin Freight', '04 Nov', 'overdue'], ['Marrow & Pike', '06 Nov', 'overdue'],
    ['Brightwater Energy', '10 Nov', 'overdue'], ['Tallow Paper', '14 Nov', 'approved'],
    ['Kestrel Couriers', '17 Nov', 'approved'], ['Odeon Hall Hire', '18 Nov', 'in review'],
    ['Fenwick Cabling', '20 Nov', 'approved'], ['Lantern Print', '21 Nov', 'approved'],
    ['Stour Cleaning', '24 Nov', 'in review'], ['Quill Translations', '25 Nov', 'approved'],
    ['Harrow Pallets', '27 Nov', 'approved'], ['Nettle Software', '28 Nov', 'in review'],
    ['Bramble Catering', '01 Dec', 'approved'], ['Osprey Insurance', '02 Dec', 'approved'],
    ['Copperfield Tools', '04 Dec', 'in review'], ['Midland Signs', '05 Dec', 'approved'],
    ['Sable Security', '08 Dec', 'approved'], ['Upland Water', '09 Dec', 'approved'],
    ['Wren Recruiting', '11 Dec', 'in review'], ['Yarrow Uniforms', '12 Dec', 'approved'],
  ];

  const mix = (a, b, c) => {
    let h = Math.imul(a + 11, 0x9e3779b1) ^ Math.imul(b + 7, 0x85ebca6b) ^ Math.imul(c + 3, 0xc2b2ae35);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    return ((h ^ (h >>> 13)) >>> 0) % 1000;
  };
  const planned = (i, m) => {
    const d = departments[i];
    return Math.floor((d.base * seasons[d.season][m]) / 2000) * 20 + (mix(i, m, 1) % 30) * 20;
  };
  const spent = (i, m) => Math.floor((planned(i, m) * (900 + (mix(i, 2, 6) % 110) + (mix(3, m, 7) % 60) + (mix(i, m, 2) % 50))) / 1000);
  const heads = (i, m) => departments[i].people + (mix(i, 0, 4) % 3 === 0 && m > 4 ? 1 : 0) + (mix(i, 1, 4) % 4 === 0 && m > 8 ? 2 : 0);

  const table = (amount, last, lastFormula, bottom) => {
    const cells = { A1: 'Department', N1: last };
    months.forEach((month, m) => { cells[letters[m + 1] + 1] = month; });
    departments.forEach((d, i) => {
      const row = i + 2;
      cells['A' + row] = d.name;
      months.forEach((_, m) => { cells[letters[m + 1] + row] = String(amount(i, m)); });
      cells['N' + row] = `=${lastFormula}(B${row}:M${row})`;
    });
    cells.A22 = bottom;
    for (let c = 1; c <= 13; c++) cells[letters[c] + 22] = `=SUM(${letters[c]}2:${letters[c]}21)`;
    return cells;
  };

  const budget = table(planned, 'Total', 'SUM', 'Total');
  Object.assign(budget, {
    A24: 'Approved ceiling', N24: '2450000',
    A25: 'Left to allocate', N25: '=N24-N22',
    A26: 'Average per month', N26: '=ROUND(N22/12,0)',
  });

  const actuals = table(spent, 'Total', 'SUM', 'Total');
  Object.assign(actuals, {
    A24: 'Budget', N24: '=Budget!N22', A25: 'Under budget', N25: '=N24-N22',
    A30: 'Open invoices', A31: 'Supplier', B31: 'Number', C31: 'Due', D31: 'Amount', E31: 'State',
  });
  invoices.forEach(([supplier, due, state], i) => {
    const row = 32 + i;
    actuals['A' + row] = supplier;
    actuals['B' + row] = 'R-' + (2210 + i * 7);
    actuals['C' + row] = due;
    actuals['D' + row] = String(340 + mix(i, 5, 9) * 9 + i * 13);
    actuals['E' + row] = state;
  });
  actuals.A52 = 'Total open';
  actuals.D52 = '=SUM(D32:D51)';

  const headcount = table(heads, 'Average', 'AVERAGE', 'Everyone');

  const notes = { A1: 'Notes on the plan' };
  [
    'Amounts are in euros without tax, rounded to 20.',
    'Sales carry the season: November and December are the strongest months.',
    'Warehouse includes the rent of the second hall from April.',
    'Events are planned for March to May; the autumn fair is not part of this plan.',
    'The ceiling was approved by the board and may only be raised there.',
    'Open invoices stand below the table on the Actuals sheet.',
  ].forEach((text, i) => { notes['A' + (i + 3)] = text; });

  // Base format of a cell: what the author of the workbook set, before any edit.
  const format = (sheet, col, row) => {
    if (sheet === 'Notes') return row === 1 ? { bold: true } : {};
    if (col > 13 || (row > 26 && col > 4)) return {};
    if (row === 1) return { bold: true, fill: '#e3edf7', align: col === 0 ? 'left' : 'right' };
    if (row === 22) return { bold: true, fill: '#f0f4ea' };
    if (col === 13 && row < 22) return { bold: true, decimals: sheet === 'Headcount' ? 1 : undefined };
    if (row >= 24 && row <= 26) return { bold: col === 13 };
    if (sheet === 'Actuals' && row === 30) return { bold: true };
    if (sheet === 'Actuals' && row === 31) return { bold: true, fill: '#e3edf7', align: col === 3 ? 'right' : 'left' };
    if (sheet === 'Actuals' && row === 52) return { bold: true, fill: '#f0f4ea' };
    return {};
  };

  window.Workbook = {
    months, divisions, departments, invoices, letters, format,
    sheets: { Budget: budget, Actuals: actuals, Headcount: headcount, Notes: notes },
  };
})();
