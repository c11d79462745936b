// Holds the raw contents of all cells and computes their values.
//
// In: raw texts by sheet and address, edits from localStorage. Out: window.Book with raw, value, text, set, number.
// A formula knows + - * / ( ), cells and ranges of any sheet, SUM AVERAGE MIN MAX COUNT ROUND.
// Invariant: values are memoised until the next edit, so one redraw computes each cell at most once.
(() => {
  'use strict';
  const KEY = 'sheet.edits';
  const { letters, sheets } = window.Workbook;
  const cells = {};
  for (const name of Object.keys(sheets)) cells[name] = { ...sheets[name] };

  let edits = {};
  try { edits = JSON.parse(localStorage.getItem(KEY) || '{}'); } catch { edits = {}; }
  for (const [name, changes] of Object.entries(edits)) if (cells[name]) Object.assign(cells[name], changes);

  let memo = new Map();
  const NUMBER = /^-?\d[\d,]*(\.\d+)?%?$|^-?\.\d+$/;

  class CellError extends Error {}

  const parseNumber = (text) => {
    const n = Number(text.replace(/[,%]/g, ''));
    return text.endsWith('%') ? n / 100 : n;
  };

  const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|(?:([A-Za-z]+)!)?\$?([A-Za-z])\$?(\d{1,3})(?::\$?([A-Za-z])\$?(\d{1,3}))?(?![A-Za-z(])|([A-Za-z]+)\s*\(|([-+*/(),]))/y;

  const tokens = (source) => {
    const out = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < source.length) {
      if (source.slice(TOKEN.lastIndex).trim() === '') break;
      const m = TOKEN.exec(source);
      if (!m) throw new CellError('#NAME?');
      if (m[1]) out.push({ kind: 'number', value: Number(m[1]) });
      else if (m[3]) out.push({ kind: 'cell', sheet: m[2], c: m[3].toUpperCase(), r: +m[4], c2: m[5] && m[5].toUpperCase(), r2: m[6] && +m[6] });
      else if (m[7]) out.push({ kind: 'call', name: m[7].toUpperCase() });
      else out.push({ kind: m[8] });
    }
    return out;
  };

  const compute = (sheet, source) => {
    const list = tokens(source);
    let at = 0;
    const peek = () => (list[at] ? list[at].kind : 'end');
    const take = (kind) => {
      if (peek() !== kind) throw new CellError('#ERROR!');
      return list[at++];
    };
    const range = (t) => {
      const where = t.sheet ? Object.keys(cells).find((n) => n.toLowerCase() === t.sheet.toLowerCase()) : sheet;
      if (!where) throw new CellError('#REF!');
      const [a, b] = [letters.indexOf(t.c), letters.indexOf(t.c2 || t.c)];
      const out = [];
      for (let r = Math.min(t.r, t.r2 || t.r); r <= Math.max(t.r, t.r2 || t.r); r++) {
        for (let c = Math.min(a, b); c <= Math.max(a, b); c++) out.push(value(where, letters[c] + r));
      }
      return out;
    };
    const scalar = (v) => {
      if (v === null) return 0;
      if (typeof v === 'number') return v;
      throw new CellError(v.startsWith('#') ? v : '#VALUE!');
    };
    const call = (name) => {
      const args = [];
      if (peek() !== ')') {
        do {
          if (peek() === ',') at++;
          if (peek() === 'cell' && list[at].c2) args.push(...range(list[at++]));
          else args.push(sum());
        } while (peek() === ',');
      }
      take(')');
      const failed = args.find((v) => typeof v === 'string' && v.startsWith('#'));
      if (failed) throw new CellError(failed);
      const n = args.filter((v) => typeof v === 'number');
      const total = n.reduce((a, b) => a + b, 0);
      switch (name) {
        case 'SUM': return total;
        case 'COUNT': return n.length;
        case 'AVERAGE': if (!n.length) throw new CellError('#DIV/0!'); return total / n.length;
        case 'MIN': return n.length ? Math.min(...n) : 0;
        case 'MAX': return n.length ? Math.max(...n) : 0;
        case 'ROUND': { const f = 10 ** (n[1] || 0); return Math.round(n[0] * f) / f; }
        default: throw new CellError('#NAME?');
      }
    };
    const atom = () => {
      switch (peek()) {
        case 'number': return list[at++].value;
        case 'cell': return scalar(range(list[at++])[0]);
        case 'call': return call(list[at++].name);
        case '-': at++; return -atom();
        case '+': at++; return atom();
        default: { take('('); const v = sum(); take(')'); return v; }
      }
    };
    const product = () => {
      let v = atom();
      while (peek() === '*' || peek() === '/') {
        const op = list[at++].kind;
        const w = atom();
        if (op === '/' && w === 0) throw new CellError('#DIV/0!');
        v = op === '*' ? v * w : v / w;
      }
      return v;
    };
    const sum = () => {
      let v = product();
      while (peek() === '+' || peek() === '-') v = list[at++].kind === '+' ? v + product() : v - product();
      return v;
    };
    const result = sum();
    take('end');
    return result;
  };

  const raw = (sheet, address) => cells[sheet][address] || '';

  function value(sheet, address) {
    const key = sheet + '!' + address;
    if (memo.has(key)) return memo.get(key);
    const text = raw(sheet, address);
    let v;
    if (text === '') v = null;
    else if (text[0] === '=') {
      memo.set(key, '#CYCLE!');
      try { v = compute(sheet, text.slice(1)); } catch (e) {
        if (!(e instanceof CellError)) throw e;
        v = e.message === 'end' ? '#ERROR!' : e.message;
      }
    } else v = NUMBER.test(text) ? parseNumber(text) : text;
    memo.set(key, v);
    return v;
  }

  // Writes 1234567.5 as "1,234,567.5"; not toLocaleString, which depends on the machine's locale data.
  const number = (n, decimals) => {
    const fixed = decimals === undefined ? String(Math.round(n * 100) / 100) : Math.abs(n).toFixed(decimals);
    const [whole, part] = fixed.replace('-', '').split('.');
    return (n < 0 ? '-' : '') + whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part ? '.' + part : '');
  };

  const text = (sheet, address, format = {}) => {
    const v = value(sheet, address);
    if (v === null) return '';
    if (typeof v === 'string') return v;
    if (format.number === 'percent') return number(v * 100, format.decimals) + '%';
    if (format.number === 'euro') return '€' + number(v, format.decimals === undefined ? 2 : format.decimals);
    return number(v, format.decimals);
  };

  const set = (sheet, address, content) => {
    cells[sheet][address] = content;
    (edits[sheet] = edits[sheet] || {})[address] = content;
    memo = new Map();
    localStorage.setItem(KEY, JSON.stringify(edits));
  };

  window.Book = { raw, value, text, number, set };
})();
