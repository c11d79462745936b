// The chart dashboard: figures of the chosen months as two drawn key figures, a bar chart and a line chart.
//
// In: Workbook and Book, edits of the sheet included. Out: pixels for spend, difference and charts; DOM for the rest.
// Invariant: what is drawn after a change of range is final 300 ms later; no value of a canvas is in the DOM
// until its bar is clicked.
(() => {
  'use strict';
  const { months, divisions, departments, invoices, letters } = window.Workbook;
  const Book = window.Book;
  const $ = (selector) => document.querySelector(selector);
  const money = (n) => Book.number(n, 0);
  const FONT = '"DejaVu Sans", sans-serif';
  const COLORS = { spend: '#2f6f4f', budget: '#d99a2b', ink: '#1f2a24', soft: '#66756d', grid: '#e6ece8' };

  const range = $('#range');
  const shown = { bars: { spend: true, budget: true }, line: { spend: true, budget: true } };
  let from = 0;
  let to = 11;
  let grown = 1;
  let picked = -1;
  let hovered = -1;

  const numberAt = (sheet, row, m) => { const v = Book.value(sheet, letters[m + 1] + row); return typeof v === 'number' ? v : 0; };
  const period = (sheet, row) => { let t = 0; for (let m = from; m <= to; m++) t += numberAt(sheet, row, m); return t; };
  const byDivision = (sheet) => divisions.map((name) => departments.reduce((t, d, i) => t + (d.division === name ? period(sheet, i + 2) : 0), 0));
  const monthly = (sheet) => months.map((_, m) => departments.reduce((t, _d, i) => t + numberAt(sheet, i + 2, m), 0));
  const total = (list) => list.reduce((a, b) => a + b, 0);

  const surface = (canvas) => {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    pen.textBaseline = 'alphabetic';
    return { pen, w, h };
  };

  const key = (name, text, note, series) => {
    const { pen, w } = surface($(`.kpi[data-kpi=${name}] canvas`));
    pen.fillStyle = COLORS.ink;
    pen.font = `bold 26px ${FONT}`;
    pen.fillText(text, 0, 28);
    pen.font = `13px ${FONT}`;
    pen.fillStyle = COLORS.soft;
    pen.fillText(note, 0, 52);
    const high = Math.max(...series);
    const low = Math.min(...series);
    pen.strokeStyle = COLORS.spend;
    pen.lineWidth = 1.5;
    pen.beginPath();
    series.forEach((v, i) => {
      const x = w - 58 + (i * 54) / Math.max(1, series.length - 1);
      const y = 54 - ((v - low) / Math.max(1, high - low)) * 14;
      if (i) pen.lineTo(x, y); else pen.moveTo(x, y);
    });
    pen.stroke();
  };

  const step = (high) => {
    const rough = high / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= rough);
  };
  const short = (n) => (n >= 1000 ? Book.number(n / 1000) + 'k' : String(n));

  const LEFT = 46;
  const TOP = 22;
  const BOTTOM = 28;

  const axes = (pen, w, h, high) => {
    const s = step(high);
    const roof = Math.ceil(high / s) * s;
    const y = (v) => h - BOTTOM - (v / roof) * (h - TOP - BOTTOM);
    pen.font = `12px ${FONT}`;
    pen.textAlign = 'right';
    pen.lineWidth = 1;
    for (let v = 0; v <= roof + 1; v += s) {
      pen.strokeStyle = COLORS.grid;
      pen.beginPath();
      pen.moveTo(LEFT, Math.round(y(v)) + 0.5);
      pen.lineTo(w, Math.round(y(v)) + 0.5);
      pen.stroke();
      pen.fillStyle = COLORS.soft;
      pen.fillText(short(v), LEFT - 6, y(v) + 4);
    }
    return y;
  };

  function drawBars() {
    const { pen, w, h } = surface($('#bars'));
    const spend = byDivision('Actuals');
    const budget = byDivision('Budget');
    const y = axes(pen, w, h, Math.max(...spend, ...budget) * 1.08);
    const slot = (w - LEFT) / divisions.length;
    divisions.forEach((name, i) => {
      const x = LEFT + slot * i;
      const bar = slot * 0.62;
      const left = x + (slot - bar) / 2;
      const floor = h - BOTTOM;
      const top = floor - (floor - y(spend[i])) * grown;
      if (shown.bars.spend) {
        pen.fillStyle = i === picked ? '#17573a' : i === hovered ? '#418263' : COLORS.spend;
        pen.fillRect(left, top, bar, floor - top);
      }
      if (shown.bars.budget) {
        pen.fillStyle = COLORS.budget;
        pen.fillRect(left - 5, y(budget[i]) - 1, bar + 10, 3);
      }
      pen.textAlign = 'center';
      pen.font = `13px ${FONT}`;
      pen.fillStyle = COLORS.ink;
      if (shown.bars.spend) pen.fillText(money(spend[i]), x + slot / 2, Math.min(top, shown.bars.budget ? y(budget[i]) : top) - 6);
      pen.fillText(name, x + slot / 2, h - 8);
    });
  }

  function drawLine() {
    const { pen, w, h } = surface($('#line'));
    const series = { budget: monthly('Budget'), spend: monthly('Actuals') };
    const y = axes(pen, w, h, Math.max(...series.budget, ...series.spend));
    const slot = (w - LEFT - 10) / 12;
    const x = (m) => LEFT + slot * (m + 0.5);
    if (from !== 0 || to !== 11) {
      pen.fillStyle = 'rgba(47, 111, 79, 0.10)';
      pen.fillRect(x(from) - slot / 2, TOP, slot * (to - from + 1), h - TOP - BOTTOM);
    }
    for (const name of ['budget', 'spend']) {
      if (!shown.line[name]) continue;
      pen.strokeStyle = COLORS[name];
      pen.fillStyle = COLORS[name];
      pen.lineWidth = 2;
      pen.beginPath();
      series[name].forEach((v, m) => { if (m) pen.lineTo(x(m), y(v)); else pen.moveTo(x(m), y(v)); });
      pen.stroke();
      series[name].forEach((v, m) => { pen.beginPath(); pen.arc(x(m), y(v), 2.5, 0, 7); pen.fill(); });
    }
    pen.textAlign = 'center';
    pen.fillStyle = COLORS.soft;
    pen.font = `12px ${FONT}`;
    months.forEach((month, m) => { if (m % 2 === 0 || m === 11) pen.fillText(m === 10 ? '' : month, x(m), h - 8); });
    const peak = series.spend.indexOf(Math.max(...series.spend.slice(from, to + 1)));
    if (shown.line.spend) {
      pen.fillStyle = COLORS.ink;
      pen.font = `bold 13px ${FONT}`;
      pen.textAlign = peak > 8 ? 'right' : peak < 2 ? 'left' : 'center';
      pen.fillText(`${months[peak]} ${money(series.spend[peak])}`, x(peak) + (peak > 8 ? 8 : peak < 2 ? -8 : 0), 14);
    }
  }

  function drawKeys() {
    const spend = monthly('Actuals').slice(from, to + 1);
    const budget = monthly('Budget').slice(from, to + 1);
    const left = total(budget) - total(spend);
    key('spend', money(total(spend)), `of ${money(total(budget))}`, spend);
    key('left', money(left), `${Book.number(Math.round((left / total(budget)) * 1000) / 10, 1)}% of budget`, budget.map((b, i) => b - spend[i]));
    let people = 0;
    for (let m = from; m <= to; m++) people += numberAt('Headcount', 22, m);
    $('.kpi[data-kpi=people] .value').textContent = String(Math.round(people / (to - from + 1)));
  }

  const draw = () => { drawKeys(); drawBars(); drawLine(); };

  const label = () => range.options[range.selectedIndex].textContent;
  const caption = () => `Showing ${label().toLowerCase()} 2025`;

  let timer = 0;
  const change = () => {
    $('#updated').textContent = 'Updating…';
    clearTimeout(timer);
    timer = setTimeout(() => {
      [from, to] = range.value.split('-').map(Number);
      picked = -1;
      $('#detail').textContent = 'Select a bar to see its division.';
      $('#updated').textContent = caption();
      const began = performance.now();
      const frame = () => {
        grown = Math.min(1, (performance.now() - began) / 200);
        draw();
        if (grown < 1) requestAnimationFrame(frame);
      };
      grown = 0;
      requestAnimationFrame(frame);
    }, 80);
  };
  range.addEventListener('change', change);

  const barAt = (e) => {
    const r = $('#bars').getBoundingClientRect();
    const i = Math.floor((e.clientX - r.left - LEFT) / ((r.width - LEFT) / divisions.length));
    return i >= 0 && i < divisions.length ? i : -1;
  };
  $('#bars').addEventListener('click', (e) => {
    picked = barAt(e);
    if (picked < 0) return;
    const spend = byDivision('Actuals')[picked];
    const budget = byDivision('Budget')[picked];
    $('#detail').textContent = `${divisions[picked]}: ${money(spend)} spent of ${money(budget)} planned, ${Book.number((spend / budget) * 100, 1)}%`;
    drawBars();
  });
  $('#bars').addEventListener('mousemove', (e) => { const i = barAt(e); if (i !== hovered) { hovered = i; drawBars(); } });
  $('#bars').addEventListener('mouseleave', () => { hovered = -1; drawBars(); });

  for (const button of document.querySelectorAll('.legend button')) {
    button.addEventListener('click', () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(on));
      shown[button.dataset.chart][button.dataset.series] = on;
      draw();
    });
  }

  const openTotal = invoices.reduce((t, _, i) => { const v = Book.value('Actuals', 'D' + (32 + i)); return t + (typeof v === 'number' ? v : 0); }, 0);
  $('.kpi[data-kpi=invoices] .value').textContent = String(invoices.length);
  $('.kpi[data-kpi=invoices] .sub').textContent = `${invoices.filter((v) => v[2] === 'overdue').length} of them overdue`;
  invoices.slice(0, 8).forEach(([supplier, due, state], i) => {
    const row = $('.suppliers tbody').insertRow();
    row.insertCell().textContent = supplier;
    row.insertCell().textContent = due;
    const tag = document.createElement('span');
    tag.className = 'tag ' + state.replace(' ', '-');
    tag.textContent = state;
    row.insertCell().append(tag);
    row.insertCell().textContent = Book.text('Actuals', 'D' + (32 + i));
  });

  const dialog = $('#export-dialog');
  $('#export').addEventListener('click', () => {
    $('#export-text').textContent = `${label()} 2025: ${divisions.length} divisions, ${(to - from + 1) * divisions.length} rows.`;
    dialog.showModal();
  });
  $('#close').addEventListener('click', () => dialog.close());
  $('#download').addEventListener('click', () => {
    const rows = divisions.map((name, i) => ({ division: name, spend: byDivision('Actuals')[i], budget: byDivision('Budget')[i] }));
    const json = $('#format').value === 'JSON';
    const text = json ? JSON.stringify(rows, null, 2) : ['division,spend,budget', ...rows.map((r) => `${r.division},${r.spend},${r.budget}`)].join('\n');
    const link = document.createElement('a');
    link.href = `data:${json ? 'application/json' : 'text/csv'},${encodeURIComponent(text)}`;
    link.download = `spend-${label().toLowerCase().replace(' ', '-')}.${json ? 'json' : 'csv'}`;
    link.click();
    dialog.close();
  });
  $('.more').addEventListener('click', () => { $('#updated').textContent = `Open invoices amount to ${money(openTotal)}`; });

  draw();
})();
