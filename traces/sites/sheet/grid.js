// The spreadsheet: draws the grid on one canvas and turns mouse, keyboard, toolbar and menus into edits.
//
// In: Workbook (layout, base formats) and Book (values). Out: pixels, the name box, the formula bar, the status bar.
// Invariant: the text of a cell is never in the DOM, except the raw content of the active cell in the formula bar.
(() => {
  'use strict';
  const { letters, sheets, format: baseFormat } = window.Workbook;
  const Book = window.Book;
  const $ = (selector) => document.querySelector(selector);
  const canvas = $('#grid');
  const pen = canvas.getContext('2d');
  const nameBox = $('#namebox');
  const bar = $('#formula');
  const tabs = [...document.querySelectorAll('[role=tab]')];

  const COLUMNS = 26;
  const ROWS = 200;
  const HEAD_W = 46;
  const HEAD_H = 24;
  const ROW_H = 22;
  const width = (c) => (c === 0 ? 170 : c === 13 ? 100 : 76);
  const lefts = [0];
  for (let c = 0; c < COLUMNS; c++) lefts.push(lefts[c] + width(c));

  const FORMATS = 'sheet.formats';
  let formats = {};
  try { formats = JSON.parse(localStorage.getItem(FORMATS) || '{}'); } catch { formats = {}; }

  let sheet = Object.keys(sheets).includes(sessionStorage.getItem('sheet.active')) ? sessionStorage.getItem('sheet.active') : 'Budget';
  const places = {};
  for (const name of Object.keys(sheets)) places[name] = { c: 0, r: 1, c2: 0, r2: 1, x: 0, y: 0 };
  let edit = null; // text being typed into the active cell
  let zoom = 1;
  let brush = null; // formats picked up by the paint-format button
  const past = [];
  const future = [];

  const at = () => places[sheet];
  const address = (c, r) => letters[c] + r;
  const active = () => address(at().c, at().r);
  const box = () => {
    const p = at();
    return { c1: Math.min(p.c, p.c2), c2: Math.max(p.c, p.c2), r1: Math.min(p.r, p.r2), r2: Math.max(p.r, p.r2) };
  };
  const formatOf = (c, r, name = sheet) => ({ ...baseFormat(name, c, r), ...((formats[name] || {})[address(c, r)] || {}) });

  // ---- drawing ----

  let queued = false;
  const redraw = () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; draw(); });
  };

  const view = () => ({ w: canvas.clientWidth / zoom, h: canvas.clientHeight / zoom });

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(canvas.clientWidth * ratio);
    const h = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    pen.setTransform(ratio * zoom, 0, 0, ratio * zoom, 0, 0);
    const v = view();
    const p = at();
    const b = box();
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, v.w, v.h);
    pen.textBaseline = 'middle';

    const firstRow = Math.floor(p.y / ROW_H) + 1;
    const lastRow = Math.min(ROWS, firstRow + Math.ceil((v.h - HEAD_H) / ROW_H));
    const columns = [];
    for (let c = 0; c < COLUMNS; c++) if (lefts[c + 1] > p.x && lefts[c] < p.x + v.w - HEAD_W) columns.push(c);
    const X = (c) => HEAD_W + lefts[c] - p.x;
    const Y = (r) => HEAD_H + (r - 1) * ROW_H - p.y;

    pen.save();
    pen.beginPath();
    pen.rect(HEAD_W, HEAD_H, v.w, v.h);
    pen.clip();
    for (let r = firstRow; r <= lastRow; r++) {
      for (const c of columns) {
        const f = formatOf(c, r);
        if (!f.fill) continue;
        pen.fillStyle = f.fill;
        pen.fillRect(X(c), Y(r), width(c), ROW_H);
      }
    }
    if (b.c1 !== b.c2 || b.r1 !== b.r2) {
      pen.fillStyle = 'rgba(47, 111, 79, 0.12)';
      pen.fillRect(X(b.c1), Y(b.r1), X(b.c2 + 1) - X(b.c1), (b.r2 - b.r1 + 1) * ROW_H);
    }
    pen.strokeStyle = '#dfe5e2';
    pen.lineWidth = 1;
    pen.beginPath();
    for (const c of columns) { pen.moveTo(X(c + 1) - 0.5, HEAD_H); pen.lineTo(X(c + 1) - 0.5, v.h); }
    for (let r = firstRow; r <= lastRow; r++) { pen.moveTo(HEAD_W, Y(r + 1) - 0.5); pen.lineTo(v.w, Y(r + 1) - 0.5); }
    pen.stroke();

    for (let r = firstRow; r <= lastRow; r++) {
      for (const c of columns) cell(c, r, X, Y);
    }

    pen.strokeStyle = '#2f6f4f';
    if (b.c1 !== b.c2 || b.r1 !== b.r2) pen.strokeRect(X(b.c1) - 0.5, Y(b.r1) - 0.5, X(b.c2 + 1) - X(b.c1), (b.r2 - b.r1 + 1) * ROW_H);
    pen.lineWidth = 2;
    pen.strokeRect(X(p.c) - 0.5, Y(p.r) - 0.5, width(p.c), ROW_H);
    pen.restore();

    pen.font = '12px "DejaVu Sans", sans-serif';
    pen.fillStyle = '#f3f6f4';
    pen.fillRect(0, 0, v.w, HEAD_H);
    pen.fillRect(0, 0, HEAD_W, v.h);
    pen.textAlign = 'center';
    pen.lineWidth = 1;
    pen.strokeStyle = '#cfd8d3';
    pen.save();
    pen.beginPath();
    pen.rect(HEAD_W, 0, v.w, HEAD_H);
    pen.clip();
    for (const c of columns) {
      const on = c >= b.c1 && c <= b.c2;
      if (on) { pen.fillStyle = '#cfe3d8'; pen.fillRect(X(c), 0, width(c), HEAD_H); }
      pen.fillStyle = on ? '#0f5132' : '#55645c';
      pen.fillText(letters[c], X(c) + width(c) / 2, HEAD_H / 2 + 1);
      line(X(c + 1) - 0.5, 0, X(c + 1) - 0.5, HEAD_H);
    }
    pen.restore();
    pen.save();
    pen.beginPath();
    pen.rect(0, HEAD_H, HEAD_W, v.h);
    pen.clip();
    for (let r = firstRow; r <= lastRow; r++) {
      const on = r >= b.r1 && r <= b.r2;
      if (on) { pen.fillStyle = '#cfe3d8'; pen.fillRect(0, Y(r), HEAD_W, ROW_H); }
      pen.fillStyle = on ? '#0f5132' : '#55645c';
      pen.fillText(String(r), HEAD_W / 2, Y(r) + ROW_H / 2 + 1);
      line(0, Y(r + 1) - 0.5, HEAD_W, Y(r + 1) - 0.5);
    }
    pen.restore();
    line(0, HEAD_H - 0.5, v.w, HEAD_H - 0.5);
    line(HEAD_W - 0.5, 0, HEAD_W - 0.5, v.h);
    thumbs(v, p);
  }

  const line = (x1, y1, x2, y2) => { pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x2, y2); pen.stroke(); };

  function cell(c, r, X, Y) {
    const p = at();
    const editing = edit !== null && c === p.c && r === p.r;
    const f = formatOf(c, r);
    const shown = editing ? edit : Book.text(sheet, address(c, r), f);
    if (f.border) { pen.strokeStyle = '#1f2a24'; pen.lineWidth = 1; pen.strokeRect(X(c) - 0.5, Y(r) - 0.5, width(c), ROW_H); }
    if (shown === '' && !editing) return;
    const v = Book.value(sheet, address(c, r));
    const size = f.size || 13;
    pen.font = `${f.italic ? 'italic ' : ''}${f.bold ? 'bold ' : ''}${size}px "${f.font || 'DejaVu Sans'}", sans-serif`;
    const align = editing ? 'left' : f.align || (typeof v === 'number' ? 'right' : 'left');
    let room = width(c);
    if (align === 'left') for (let n = c + 1; n < COLUMNS && Book.raw(sheet, address(n, r)) === ''; n++) room += width(n);
    pen.save();
    pen.beginPath();
    pen.rect(X(c), Y(r), editing ? Math.max(room, width(c)) : room, ROW_H);
    pen.clip();
    if (editing) { pen.fillStyle = '#fff'; pen.fillRect(X(c), Y(r), Math.max(width(c), pen.measureText(shown).width + 12), ROW_H); }
    pen.fillStyle = f.ink || (typeof v === 'number' && v < 0 ? '#b3261e' : typeof v === 'string' && v[0] === '#' ? '#b3261e' : '#1f2a24');
    pen.textAlign = align;
    const x = align === 'right' ? X(c) + width(c) - 6 : align === 'center' ? X(c) + width(c) / 2 : X(c) + 6;
    const y = Y(r) + ROW_H / 2 + 1;
    // A number that does not fit is not cut: a cut number would read as another number.
    const fits = typeof v !== 'number' || editing || pen.measureText(shown).width <= width(c) - 8;
    pen.fillText(fits ? shown : '####', x, y);
    if (f.strike || editing) {
      const w = pen.measureText(shown).width;
      const x0 = align === 'right' ? x - w : align === 'center' ? x - w / 2 : x;
      pen.strokeStyle = pen.fillStyle;
      pen.lineWidth = 1;
      if (f.strike) line(x0, y, x0 + w, y);
      if (editing) line(x0 + w + 1.5, Y(r) + 4, x0 + w + 1.5, Y(r) + ROW_H - 4);
    }
    pen.restore();
  }

  const limits = (v) => ({ x: Math.max(0, lefts[COLUMNS] - (v.w - HEAD_W)), y: Math.max(0, ROWS * ROW_H - (v.h - HEAD_H)) });

  function thumbs(v, p) {
    const m = limits(v);
    pen.fillStyle = 'rgba(90, 110, 100, 0.35)';
    const h = v.h - HEAD_H;
    const tall = Math.max(30, (h * h) / (ROWS * ROW_H));
    pen.fillRect(v.w - 8, HEAD_H + (m.y ? (p.y / m.y) * (h - tall - 8) : 0), 6, tall);
    const w = v.w - HEAD_W;
    const wide = Math.max(30, (w * w) / lefts[COLUMNS]);
    pen.fillRect(HEAD_W + (m.x ? (p.x / m.x) * (w - wide - 8) : 0), v.h - 8, wide, 6);
  }

  // ---- selection ----

  const reveal = (c, r) => {
    const v = view();
    const p = at();
    const roomX = v.w - HEAD_W - 10;
    const roomY = v.h - HEAD_H - 10;
    if (lefts[c] < p.x) p.x = lefts[c];
    if (lefts[c + 1] > p.x + roomX) p.x = lefts[c + 1] - roomX;
    if ((r - 1) * ROW_H < p.y) p.y = (r - 1) * ROW_H;
    if (r * ROW_H > p.y + roomY) p.y = Math.ceil((r * ROW_H - roomY) / ROW_H) * ROW_H;
    const m = limits(v);
    p.x = Math.min(p.x, m.x);
    p.y = Math.min(p.y, m.y);
  };

  const clamp = (n, low, high) => Math.min(high, Math.max(low, n));

  const select = (c, r, c2 = c, r2 = r) => {
    Object.assign(at(), { c: clamp(c, 0, COLUMNS - 1), r: clamp(r, 1, ROWS), c2: clamp(c2, 0, COLUMNS - 1), r2: clamp(r2, 1, ROWS) });
    edit = null;
    refresh();
  };

  const each = (visit) => {
    const b = box();
    for (let r = b.r1; r <= b.r2; r++) for (let c = b.c1; c <= b.c2; c++) visit(c, r);
  };

  function refresh() {
    const p = at();
    nameBox.value = active();
    if (edit === null) bar.value = Book.raw(sheet, active());
    const f = formatOf(p.c, p.r);
    const press = (name, on) => $(`.toolbar [data-do=${name}]`).setAttribute('aria-pressed', String(!!on));
    press('bold', f.bold);
    press('italic', f.italic);
    press('strike', f.strike);
    const v = Book.value(sheet, active());
    const align = f.align || (typeof v === 'number' ? 'right' : 'left');
    for (const side of ['left', 'center', 'right']) press(side, v !== null && align === side);
    $('.toolbar [data-do=font]').value = f.font || 'DejaVu Sans';
    $('.toolbar [data-do=size]').value = String(f.size || 13);
    $('.toolbar [data-do=undo]').disabled = past.length === 0;
    $('.toolbar [data-do=redo]').disabled = future.length === 0;
    for (const tab of tabs) {
      const on = tab.textContent === sheet;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    status();
    redraw();
  }

  function status() {
    const b = box();
    const line = $('#status');
    if (edit !== null) { line.textContent = 'Editing ' + active(); return; }
    const numbers = [];
    if (b.c1 !== b.c2 || b.r1 !== b.r2) each((c, r) => { const v = Book.value(sheet, address(c, r)); if (typeof v === 'number') numbers.push(v); });
    if (!numbers.length) { line.textContent = 'Ready'; return; }
    const total = numbers.reduce((a, n) => a + n, 0);
    line.replaceChildren();
    for (const [label, n] of [['Sum', total], ['Average', total / numbers.length], ['Count', numbers.length]]) {
      const span = document.createElement('span');
      span.textContent = `${label}: ${Book.number(n)}`;
      line.append(span, ' ');
    }
  }

  // ---- edits ----

  let saving = 0;
  const saved = () => {
    $('#saved').textContent = 'Saving…';
    clearTimeout(saving);
    saving = setTimeout(() => { $('#saved').textContent = 'All changes saved'; }, 300);
  };

  const apply = (step, side) => {
    for (const change of step.cells || []) Book.set(step.sheet, change.address, change[side]);
    for (const change of step.formats || []) (formats[step.sheet] = formats[step.sheet] || {})[change.address] = change[side];
    if (step.formats) localStorage.setItem(FORMATS, JSON.stringify(formats));
    if (step.sheet !== sheet) open(step.sheet);
    saved();
  };

  const record = (step) => {
    past.push(step);
    future.length = 0;
    apply(step, 'after');
  };

  const write = (list) => {
    const cells = list.map(([where, after]) => ({ address: where, before: Book.raw(sheet, where), after })).filter((x) => x.before !== x.after);
    if (cells.length) record({ sheet, cells });
  };

  const restyle = (change) => {
    const own = formats[sheet] || {};
    const list = [];
    each((c, r) => {
      const before = own[address(c, r)] || {};
      list.push({ address: address(c, r), before, after: { ...before, ...change(formatOf(c, r)) } });
    });
    record({ sheet, formats: list });
    refresh();
  };

  const begin = (text) => { edit = text; reveal(at().c, at().r); bar.value = text; refresh(); };

  const commit = (dc, dr) => {
    if (edit === null) return;
    const text = edit.trim();
    const p = at();
    const [c, r] = [p.c, p.r];
    edit = null;
    write([[address(c, r), text]]);
    select(c + dc, r + dr);
    reveal(at().c, at().r);
  };

  const cancel = () => { edit = null; refresh(); };

  function open(name) {
    if (edit !== null) commit(0, 0);
    sheet = name;
    sessionStorage.setItem('sheet.active', name);
    refresh();
  }

  const toggle = (key, on) => {
    const set = !formatOf(at().c, at().r)[key];
    restyle(() => ({ [key]: set ? on : key === 'fill' ? null : false }));
  };

  const jump = (name) => { open(name); canvas.focus(); };

  const commands = {
    undo() { const s = past.pop(); if (s) { future.push(s); apply(s, 'before'); refresh(); } },
    redo() { const s = future.pop(); if (s) { past.push(s); apply(s, 'after'); refresh(); } },
    print() { window.print(); },
    brush() {
      if (brush) { restyle(() => brush); brush = null; } else brush = formatOf(at().c, at().r);
    },
    euro() { restyle((f) => ({ number: f.number === 'euro' ? null : 'euro', decimals: undefined })); },
    percent() { restyle((f) => ({ number: f.number === 'percent' ? null : 'percent' })); },
    less() { restyle((f) => ({ decimals: Math.max(0, (f.decimals || 0) - 1) })); },
    more() { restyle((f) => ({ decimals: Math.min(4, (f.decimals || 0) + 1) })); },
    bold() { toggle('bold', true); },
    italic() { toggle('italic', true); },
    strike() { toggle('strike', true); },
    ink() { toggle('ink', '#b3261e'); },
    fill() { toggle('fill', '#fff3c4'); },
    border() { toggle('border', true); },
    left() { restyle(() => ({ align: 'left' })); },
    center() { restyle(() => ({ align: 'center' })); },
    right() { restyle(() => ({ align: 'right' })); },
    zoom(value) { zoom = Number(value) / 100; refresh(); },
    font(value) { restyle(() => ({ font: value })); },
    size(value) { restyle(() => ({ size: Number(value) })); },
    sum() {
      const p = at();
      let top = p.r - 1;
      while (top > 0 && typeof Book.value(sheet, address(p.c, top)) === 'number') top--;
      begin(top < p.r - 1 ? `=SUM(${address(p.c, top + 1)}:${address(p.c, p.r - 1)})` : '=SUM()');
      bar.focus();
    },
    filter() { $('#status').textContent = 'No filter on this sheet'; },
    chart() { location.href = '/dashboard'; },
    clear() { const list = []; each((c, r) => list.push([address(c, r), ''])); write(list); refresh(); },
    all() { select(0, 1, 13, 26); },
    top() { Object.assign(at(), { x: 0, y: 0 }); select(0, 1); },
    zoomin() { const s = $('.toolbar [data-do=zoom]'); s.selectedIndex = Math.min(3, s.selectedIndex + 1); commands.zoom(s.value); },
    zoomout() { const s = $('.toolbar [data-do=zoom]'); s.selectedIndex = Math.max(0, s.selectedIndex - 1); commands.zoom(s.value); },
    reset() { localStorage.removeItem('sheet.edits'); localStorage.removeItem(FORMATS); location.reload(); },
    keys() { $('#status').textContent = 'Enter commits, Escape cancels, F2 edits'; },
    budget() { jump('Budget'); }, actuals() { jump('Actuals'); }, headcount() { jump('Headcount'); }, notes() { jump('Notes'); },
  };

  // ---- menus ----

  const menus = {
    file: [['Print', 'print', 'Ctrl+P'], ['Open charts', 'chart'], null, ['Restore first version', 'reset']],
    edit: [['Undo', 'undo', 'Ctrl+Z'], ['Redo', 'redo', 'Ctrl+Y'], null, ['Select table', 'all'], ['Clear contents', 'clear', 'Del']],
    view: [['Zoom in', 'zoomin'], ['Zoom out', 'zoomout'], null, ['Go to first cell', 'top']],
    insert: [['Sum', 'sum'], ['Chart', 'chart']],
    format: [['Bold', 'bold', 'Ctrl+B'], ['Italic', 'italic', 'Ctrl+I'], ['Strikethrough', 'strike'], null, ['Percent', 'percent'], ['Euro', 'euro']],
    data: [['Filter', 'filter']],
    help: [['Keyboard shortcuts', 'keys']],
    context: [['Clear contents', 'clear', 'Del'], ['Bold', 'bold', 'Ctrl+B'], ['Borders', 'border'], null, ['Sum above', 'sum']],
    sheets: [['Budget', 'budget'], ['Actuals', 'actuals'], ['Headcount', 'headcount'], ['Notes', 'notes']],
  };
  let popup = null;

  const closeMenu = () => {
    if (!popup) return;
    popup.element.remove();
    if (popup.owner) popup.owner.setAttribute('aria-expanded', 'false');
    popup = null;
  };

  const openMenu = (name, x, y, owner) => {
    closeMenu();
    const element = document.createElement('div');
    element.className = 'popup';
    element.setAttribute('role', 'menu');
    element.setAttribute('aria-label', owner ? owner.getAttribute('aria-label') || owner.textContent : 'Cell');
    for (const entry of menus[name]) {
      if (!entry) { element.append(document.createElement('hr')); continue; }
      const item = document.createElement('button');
      item.setAttribute('role', 'menuitem');
      item.dataset.do = entry[1];
      item.append(entry[0]);
      if (entry[2]) {
        const key = document.createElement('kbd');
        key.textContent = entry[2];
        key.setAttribute('aria-hidden', 'true');
        item.append(key);
      }
      item.addEventListener('click', () => { closeMenu(); canvas.focus(); commands[entry[1]](); });
      element.append(item);
    }
    document.body.append(element);
    const high = element.offsetHeight;
    element.style.left = Math.min(x, window.innerWidth - 220) + 'px';
    element.style.top = (y + high > window.innerHeight ? Math.max(0, y - high) : y) + 'px';
    if (owner) owner.setAttribute('aria-expanded', 'true');
    popup = { element, owner };
    element.querySelector('button').focus();
    element.addEventListener('keydown', (e) => {
      const items = [...element.querySelectorAll('button')];
      const i = items.indexOf(document.activeElement);
      if (e.key === 'ArrowDown') items[(i + 1) % items.length].focus();
      else if (e.key === 'ArrowUp') items[(i + items.length - 1) % items.length].focus();
      else if (e.key === 'Escape') { closeMenu(); canvas.focus(); }
    });
  };

  for (const button of document.querySelectorAll('.menubar button')) {
    button.addEventListener('click', () => {
      if (popup && popup.owner === button) { closeMenu(); return; }
      const r = button.getBoundingClientRect();
      openMenu(button.dataset.menu, r.left, r.bottom + 2, button);
    });
    button.addEventListener('mouseenter', () => { if (popup && popup.owner && popup.owner !== button && popup.owner.dataset.menu) button.click(); });
  }
  $('.add-sheet').addEventListener('click', (e) => {
    const r = e.currentTarget.getBoundingClientRect();
    openMenu('sheets', r.left, r.top - 4, e.currentTarget);
  });
  document.addEventListener('mousedown', (e) => { if (popup && !popup.element.contains(e.target) && !(popup.owner && popup.owner.contains(e.target))) closeMenu(); });

  for (const control of document.querySelectorAll('.toolbar [data-do]')) {
    const name = control.dataset.do;
    if (control.tagName === 'SELECT') control.addEventListener('change', () => { commands[name](control.value); canvas.focus(); });
    else control.addEventListener('click', () => { if (edit !== null && name !== 'sum') commit(0, 0); commands[name](); });
  }
  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => open(tab.textContent));
    tab.addEventListener('keydown', (e) => {
      const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      open(next.textContent);
      next.focus();
    });
  });
  $('.share').addEventListener('click', () => { $('#status').textContent = 'Shared with 4 people'; });
  $('.account').addEventListener('click', () => { $('#status').textContent = 'Signed in as Mira Holt'; });

  // ---- mouse ----

  const hit = (e) => {
    const r = canvas.getBoundingClientRect();
    const x = (e.clientX - r.left) / zoom;
    const y = (e.clientY - r.top) / zoom;
    const p = at();
    let c = lefts.findIndex((_, i) => i < COLUMNS && x - HEAD_W + p.x < lefts[i + 1]);
    if (c < 0) c = COLUMNS - 1;
    const row = clamp(Math.floor((y - HEAD_H + p.y) / ROW_H) + 1, 1, ROWS);
    return { c, r: row, inRows: x < HEAD_W, inColumns: y < HEAD_H };
  };

  let dragging = false;
  canvas.addEventListener('mousedown', (e) => {
    const h = hit(e);
    if (edit !== null) commit(0, 0);
    if (e.button === 2) {
      const b = box();
      if (h.c < b.c1 || h.c > b.c2 || h.r < b.r1 || h.r > b.r2) select(h.c, h.r);
      return;
    }
    if (e.button !== 0) return;
    if (h.inRows && h.inColumns) select(0, 1, COLUMNS - 1, ROWS);
    else if (h.inColumns) select(h.c, 1, h.c, ROWS);
    else if (h.inRows) select(0, h.r, COLUMNS - 1, h.r);
    else if (e.shiftKey) select(at().c, at().r, h.c, h.r);
    else { select(h.c, h.r); dragging = true; }
  });
  window.addEventListener('mousemove', (e) => {
    if (!dragging) return;
    const h = hit(e);
    const p = at();
    if (h.c !== p.c2 || h.r !== p.r2) select(p.c, p.r, h.c, h.r);
  });
  window.addEventListener('mouseup', () => { dragging = false; });
  canvas.addEventListener('dblclick', (e) => { const h = hit(e); if (!h.inRows && !h.inColumns) begin(Book.raw(sheet, active())); });
  canvas.addEventListener('contextmenu', (e) => { e.preventDefault(); openMenu('context', e.clientX, e.clientY, null); });
  canvas.addEventListener('wheel', (e) => {
    e.preventDefault();
    const p = at();
    const m = limits(view());
    p.x = clamp(p.x + e.deltaX, 0, m.x);
    p.y = clamp(p.y + e.deltaY, 0, m.y);
    redraw();
  }, { passive: false });

  // ---- keyboard ----

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  canvas.addEventListener('keydown', (e) => {
    const p = at();
    if ((e.ctrlKey || e.metaKey) && !e.altKey) {
      const name = { z: 'undo', y: 'redo', b: 'bold', i: 'italic', a: 'all' }[e.key.toLowerCase()];
      if (name) { e.preventDefault(); commands[name](); }
      return;
    }
    if (edit !== null) {
      if (e.key === 'Enter') commit(0, e.shiftKey ? -1 : 1);
      else if (e.key === 'Tab') commit(e.shiftKey ? -1 : 1, 0);
      else if (e.key === 'Escape') cancel();
      else if (e.key === 'Backspace') begin(edit.slice(0, -1));
      else if (e.key.length === 1) begin(edit + e.key);
      else return;
      e.preventDefault();
      return;
    }
    if (arrows[e.key]) {
      const [dc, dr] = arrows[e.key];
      if (e.shiftKey) { select(p.c, p.r, p.c2 + dc, p.r2 + dr); reveal(at().c2, at().r2); }
      else { select(p.c + dc, p.r + dr); reveal(at().c, at().r); }
    } else if (e.key === 'Enter') { select(p.c, p.r + 1); reveal(at().c, at().r); }
    else if (e.key === 'PageDown' || e.key === 'PageUp') { select(p.c, p.r + (e.key === 'PageDown' ? 25 : -25)); reveal(at().c, at().r); }
    else if (e.key === 'Home') { select(0, p.r); reveal(0, p.r); }
    else if (e.key === 'F2') begin(Book.raw(sheet, active()));
    else if (e.key === 'Delete' || e.key === 'Backspace') commands.clear();
    else if (e.key.length === 1) begin(e.key);
    else return;
    e.preventDefault();
    redraw();
  });

  bar.addEventListener('focus', () => { if (edit === null) begin(bar.value); });
  bar.addEventListener('input', () => { edit = bar.value; status(); redraw(); });
  bar.addEventListener('keydown', (e) => {
    if (e.key === 'Enter' || e.key === 'Tab') {
      e.preventDefault();
      commit(e.key === 'Tab' ? 1 : 0, e.key === 'Enter' ? 1 : 0);
      canvas.focus();
    } else if (e.key === 'Escape') { cancel(); canvas.focus(); }
  });

  nameBox.addEventListener('focus', () => nameBox.select());
  nameBox.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') { nameBox.value = active(); canvas.focus(); }
    if (e.key !== 'Enter') return;
    e.preventDefault();
    const m = /^([A-Za-z])(\d{1,3})(?::([A-Za-z])(\d{1,3}))?$/.exec(nameBox.value.trim());
    if (!m || +m[2] < 1 || +m[2] > ROWS) { $('#status').textContent = 'No such cell'; nameBox.select(); return; }
    const column = (l) => letters.indexOf(l.toUpperCase());
    select(column(m[1]), +m[2], m[3] ? column(m[3]) : undefined, m[4] ? +m[4] : undefined);
    reveal(at().c, at().r);
    canvas.focus();
    redraw();
  });

  new ResizeObserver(redraw).observe(canvas);
  refresh();
  draw();
})();
