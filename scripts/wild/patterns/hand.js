// Patterns made by hand, as people make them without a library: those that a program which goes by roles alone does not
// see.
import { each, el, style } from './dom.js';

const names = ['Alder', 'Birch', 'Cedar', 'Dogwood'];
const stops = (act) => (event) => {
  event.stopPropagation();
  act(event);
};
const controls = (elements, name = (element) => element.textContent.trim(), more = {}) =>
  elements.map((element) => ({ name: name(element), at: () => element, ...more }));

export const patterns = {
  // The parent hears its children only: it is no control.
  'siblings-delegated': (root, log) => {
    const spans = names.map((name) => el('span', { onclick: () => log(name), style: 'padding:6px' }, name));
    root.append(el('div', { onclick: (event) => event.target.tagName }, spans));
    return controls(spans);
  },
  // The parent has an effect of its own beside them.
  'siblings-and-parent': (root, log) => {
    const spans =
      names.map((name) => el('span', { onclick: stops(() => log(name)), style: 'padding:6px; cursor:pointer' }, name));
    const box =
      el('div', { onclick: () => log('Trees'), style: 'cursor:pointer; width:900px; padding:20px' },
        el('b', {}, 'Trees '), spans);
    root.append(box);
    return [{ name: 'Trees', at: () => box }, ...controls(spans)];
  },
  'options-listening': (root, log) => {
    const items = names.map((name) => el('li', { onclick: () => log(name), onmousemove: () => 0 }, name));
    root.append(el('ul', { onclick: () => 0, onkeydown: () => 0, tabindex: '-1' }, items));
    return controls(items);
  },
  'options-delegated': (root, log) => {
    const items = names.map((name) => el('li', { style: 'cursor:pointer', 'data-value': name }, name));
    root.append(el('ul',
      { onclick: (event) => event.target.closest('li') && log(event.target.closest('li').dataset.value) }, items));
    return controls(items);
  },
  'options-inherit-pointer': (root, log) => {
    const items = names.map((name) => el('li', { 'data-value': name }, el('b', {}, name[0]), name.slice(1)));
    root.append(el('ul',
      { style: 'cursor:pointer',
        onclick: (event) => event.target.closest('li') && log(event.target.closest('li').dataset.value) }, items));
    return controls(items);
  },
  'sortable-items': (root, log) => {
    let dragged = null;
    const items = names.map((name) =>
      el('li', {
        draggable: 'true', ondragstart: (event) => { dragged = name; event.dataTransfer.setData('text', name); } },
        name));
    root.append(el('ul',
      { ondragover: (event) => event.preventDefault(), ondrop: (event) => { event.preventDefault(); log(dragged); } },
      items));
    return controls(items, undefined, { how: 'drag' });
  },
  'sortable-grips': (root, log) => {
    let dragged = null;
    root.addEventListener('mouseup', () => { if (dragged) log(dragged); dragged = null; });
    const rows = names.map((name) => {
      const grip =
        el('span', { onmousedown: () => { dragged = name; }, style: 'cursor:grab', title: `Move ${name}` }, '⋮⋮');
      return [grip, el('div', {}, grip, ' ', name)];
    });
    root.append(el('div', {}, rows.map(([, row]) => row)));
    return rows.map(([grip], index) => ({ name: names[index], at: () => grip, how: 'drag' }));
  },
  'svg-circles': (root, log) => {
    const parts = names.flatMap((name, index) => [
      el('circle', { cx: 60 + index * 120, cy: 60, r: 25, fill: '#4a8', onclick: () => log(name) }),
      el('text', { x: 60 + index * 120, y: 110, 'text-anchor': 'middle' }, name),
    ]);
    root.append(el('svg', { width: 520, height: 130 }, parts));
    return parts.filter((part) => part.localName === 'circle').map((part, index) => ({
      name: names[index], at: () => part
    }));
  },
  'svg-groups': (root, log) => {
    const groups = names.map((name, index) =>
      el('g', { transform: `translate(${20 + index * 120} 20)`, onclick: () => log(name), style: 'cursor:pointer' },
        el('rect', { width: 100, height: 50, rx: 6, fill: '#cde' }),
          el('text', { x: 50, y: 30, 'text-anchor': 'middle' }, name)));
    root.append(el('svg', { width: 520, height: 100 }, el('g', {}, groups)));
    return controls(groups);
  },
  'svg-bars': (root, log) => {
    const bars = names.map((name, index) =>
      el('rect',
        { x: index * 60, y: 100 - index * 20, width: 50, height: 20 + index * 20, fill: '#58c',
          onclick: () => log(name) }, el('title', {}, name)));
    root.append(el('svg', { width: 300, height: 130 }, bars));
    return bars.map((bar, index) => ({ name: names[index], at: () => bar }));
  },
  'svg-paths-delegated': (root, log) => {
    style('svg path { cursor: pointer }');
    const paths = names.map((name, index) =>
      el('path', { d: `M${index * 110} 10 h100 v60 h-100 z`, fill: '#dca', 'data-name': name, 'aria-label': name }));
    root.append(el('svg',
      { width: 460, height: 90, onclick: (event) => event.target.dataset.name && log(event.target.dataset.name) },
      paths));
    return paths.map((path, index) => ({ name: names[index], at: () => path }));
  },
  'image-map': (root, log) => {
    const picture =
      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='400' height='100'><rect width='400' " +
      "height='100' fill='%23cde'/></svg>";
    const areas = names.map((name, index) =>
      el('area', {
        shape: 'rect', coords: `${index * 100},0,${index * 100 + 95},100`, href: '#', alt: name, onclick: (event) => {
          event.preventDefault(); log(name);
        }
      }));
    root.append(el('img', { src: picture, usemap: '#trees', alt: 'Map of trees', width: 400, height: 100 }),
      el('map', { name: 'trees' }, areas));
    return areas.map((area, index) => ({ name: names[index], at: () => area }));
  },
  'tree-toggles': (root, log) => {
    const found = [];
    const item = (name) => {
      const toggle = el('span', { onclick: () => log(`toggle ${name}`), style: 'cursor:pointer' }, '▸');
      const label = el('span', { onclick: () => log(name), style: 'cursor:pointer' }, name);
      found.push({ name: `toggle ${name}`, says: '', at: () => toggle }, { name, at: () => label });
      return el('li', { role: 'treeitem', 'aria-expanded': 'false' }, toggle, ' ', label);
    };
    root.append(el('ul', { role: 'tree' }, names.map(item)));
    return found;
  },
  'tree-toggles-delegated': (root, log) => {
    const act = (event) => {
      const item = event.target.closest('li');
      if (item)
        log(event.target.closest('.toggle') ? `toggle ${item.dataset.name}` : event.target.closest('.label')
          ? item.dataset.name : 'beside');
    };
    const items = names.map((name) =>
      el('li', { role: 'treeitem', 'data-name': name },
        el('i.toggle', { style: 'cursor:pointer; display:inline-block; width:16px; height:16px; background:#999' }),
        el('span.label', { style: 'cursor:pointer' }, name)));
    root.append(el('ul', { role: 'tree', onclick: act }, items));
    return [
      ...each('.toggle', (_, index) => `toggle ${names[index]}`, { says: '' }, root),
      ...each('.label', undefined, {}, root),
    ];
  },
  'card-icons': (root, log) => {
    const found = [];
    const card = (name) => {
      const icons = ['Pin', 'Delete'].map((act) =>
        el('i', {
          title: `${act} ${name}`, onclick: stops(() => log(`${act} ${name}`)),
          style: 'cursor:pointer; display:inline-block; width:18px; height:18px; background:#c66; margin:4px'
        }));
      const whole =
        el('div', { onclick: () => log(name), style: 'cursor:pointer; width:300px; padding:16px; border:1px solid' },
          el('h3', {}, name), el('p', {}, 'A tree of the north.'), icons);
      found.push({ name, at: () => whole }, ...icons.map((icon) => ({ name: icon.title, at: () => icon })));
      return whole;
    };
    root.append(...names.slice(0, 3).map(card));
    return found;
  },
  'card-with-button': (root, log) => {
    const found = [];
    for (const name of names) {
      const button = el('button', { onclick: stops(() => log(`Buy ${name}`)) }, 'Buy');
      const card =
        el('div', { onclick: () => log(name), tabindex: 0, style: 'width:400px; padding:16px' }, el('h3', {}, name),
          button);
      root.append(card);
      found.push({ name, at: () => card }, { name: `Buy ${name}`, says: 'Buy', at: () => button });
    }
    return found;
  },
  'rows-with-button': (root, log) => {
    const found = [];
    const row = (name) => {
      const button = el('button', { onclick: stops(() => log(`Edit ${name}`)) }, 'Edit');
      const whole =
        el('tr', { onclick: () => log(name), style: 'cursor:pointer' }, el('td', {}, name), el('td', {}, 'Wood'),
          el('td', {}, button));
      found.push({ name, at: () => whole }, { name: `Edit ${name}`, says: 'Edit', at: () => button });
      return whole;
    };
    root.append(el('table', { style: 'width:700px' }, el('tbody', {}, names.map(row))));
    return found;
  },
  'rows-delegated': (root, log) => {
    const act = (event) => {
      const row = event.target.closest('tr');
      if (row) log(event.target.closest('.bin') ? `bin ${row.dataset.name}` : row.dataset.name);
    };
    style('tbody tr { cursor: pointer }');
    root.append(el('table', { style: 'width:700px' }, el('tbody', { onclick: act }, names.map((name) =>
      el('tr', { 'data-name': name }, el('td', {}, name), el('td', {}, 'Wood'),
        el('td', {}, el('span.bin', { 'aria-label': `Bin ${name}` }, '🗑')))))));
    return [...each('tr', (row) => row.dataset.name, {}, root),
      ...each('.bin', (_, index) => `bin ${names[index]}`, {}, root)];
  },
  'column-headers': (root, log) => {
    const heads = ['Name', 'Height', 'Age']
      .map((name) => el('th', { onclick: () => log(name) }, el('div', {}, el('span', {}, name), el('i', {
        style: 'display:inline-block; width:10px; height:10px; background:#999'
      }))));
    root.append(el('table', {}, el('thead', {}, el('tr', {}, heads)),
      el('tbody', {}, el('tr', {}, ['Alder', '20', '60'].map((cell) => el('td', {}, cell))))));
    return controls(heads);
  },
  'column-headers-and-filters': (root, log) => {
    const found = [];
    const head = (name) => {
      const filter =
        el('span', { onclick: stops(() => log(`Filter ${name}`)), title: `Filter ${name}`, style: 'cursor:pointer' },
          '▾');
      const th =
        el('th', { onclick: () => log(name), style: 'cursor:pointer; width:160px' }, el('div', {}, name, ' ', filter));
      found.push({ name, at: () => th }, { name: `Filter ${name}`, at: () => filter });
      return th;
    };
    root.append(el('table', {}, el('thead', {}, el('tr', {}, ['Name', 'Height', 'Age'].map(head)))));
    return found;
  },
  'editable-cells': (root, log) => {
    const cells = [];
    const row = (name) => el('tr', { onclick: () => 0 }, ['20 m', '60 years'].map((value) => {
      const cell = el('td', { onclick: () => log(`${name} ${value}`) }, value);
      cells.push({ name: `${name} ${value}`, says: value, at: () => cell });
      return cell;
    }));
    root.append(el('table', {}, el('tbody', {}, names.map(row))));
    return cells;
  },
  'delegated-pointer': (root, log) => {
    document.addEventListener('click',
      (event) => event.target.closest?.('.act') && log(event.target.closest('.act').dataset.name));
    root.append(el('div', {},
      names.map((name) => el('div.act', { 'data-name': name, style: 'cursor:pointer' }, el('span', {}, name)))));
    return each('.act', undefined, {}, root);
  },
  'delegated-tabindex': (root, log) => {
    root.addEventListener('click',
      (event) => event.target.closest('.act') && log(event.target.closest('.act').dataset.name));
    root.append(el('div', {}, names.map((name) => el('div.act', { 'data-name': name, tabindex: 0 }, name))));
    return each('.act', undefined, {}, root);
  },
  'delegated-draggable': (root, log) => {
    document.addEventListener('dragstart', (event) => event.dataTransfer.setData('text', event.target.dataset.name));
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => { event.preventDefault(); log(event.dataTransfer.getData('text')); });
    root.append(el('div', {}, names.map((name) => el('div.act', { 'data-name': name, draggable: 'true' }, name))));
    return each('.act', undefined, { how: 'drag' }, root);
  },
  'delegated-nested': (root, log) => {
    root.addEventListener('click', (event) => {
      const at = event.target.closest('[data-act]');
      if (at) log(at.dataset.act);
    });
    const card = (name) =>
      el('div', { 'data-act': name, style: 'cursor:pointer; padding:14px; width:500px' }, el('b', {}, name),
      el('span', { 'data-act': `like ${name}`, 'aria-label': `like ${name}`, style: 'cursor:pointer; padding:4px' },
        '♥'),
      el('span', { 'data-act': `share ${name}`, 'aria-label': `share ${name}`, style: 'cursor:pointer; padding:4px' },
        '↗'));
    root.append(...names.map(card));
    return each('[data-act]', (element) => element.dataset.act, {}, root);
  },
  'checkbox-hidden': (root, log) => {
    style('.box input { position:absolute; opacity:0; width:0; height:0 } .box i { display:inline-block; ' +
      'width:16px; height:16px; border:1px solid }');
    const boxes =
      names.map((name) =>
        el('label.box', { style: 'cursor:pointer; display:block' },
          el('input', { type: 'checkbox', onchange: () => log(name) }), el('i'), ' ', name));
    root.append(...boxes);
    return controls(boxes);
  },
  'checkbox-display-none': (root, log) => {
    const boxes =
      names.map((name) =>
        el('label', { style: 'cursor:pointer; display:block' },
          el('input', { type: 'checkbox', style: 'display:none', onchange: () => log(name) }),
          el('span', {}, `☐ ${name}`)));
    root.append(...boxes);
    return controls(boxes, (box) => box.textContent.trim().slice(2));
  },
  'radios-for': (root, log) => {
    const labels = names.map((name) => el('label', { for: name, style: 'padding:6px' }, name));
    root.append(...names.map((name, index) =>
      el('p', {}, el('input', { type: 'radio', name: 'tree', id: name, onchange: () => log(name) }), labels[index])));
    return controls(labels);
  },
  switches: (root, log) => {
    const found =
      names.map((name) =>
        el('div', { role: 'switch', 'aria-checked': 'false', tabindex: 0, onclick: () => log(name) },
          el('span', {}, name)));
    root.append(...found);
    return controls(found);
  },
  fields: (root, log) => {
    const text = el('input', { 'aria-label': 'Tree', oninput: () => log('Tree') });
    const area = el('textarea', { placeholder: 'Notes', oninput: () => log('Notes') });
    const edited = el('div', {
      contenteditable: 'true', 'aria-label': 'Story', oninput: () => log('Story'),
      style: 'border:1px solid; min-height:30px'
    });
    const choice =
      el('select', { 'aria-label': 'Kind', onchange: () => log('Kind') }, names.map((name) => el('option', {}, name)));
    const range = el('input', { type: 'range', 'aria-label': 'Height', oninput: () => log('Height'), value: 10 });
    root.append(text, area, edited, choice, range);
    return [
      { name: 'Tree', at: () => text, how: 'type' },
      { name: 'Notes', at: () => area, how: 'type' },
      { name: 'Story', at: () => edited, how: 'type' },
      { name: 'Kind', at: () => choice, how: 'select', option: 'Cedar' },
      { name: 'Height', at: () => range },
    ];
  },
  disclosures: (root, log) => {
    const all =
      names.map((name) =>
        el('details', { ontoggle: () => log(name) }, el('summary', {}, name), el('p', {}, 'More of it.')));
    root.append(...all);
    return controls(all, (element) => element.querySelector('summary').textContent);
  },
  accordion: (root, log) => {
    const heads =
      names.map((name) => el('div', { onclick: () => log(name) }, el('span', {}, name), el('span', {}, '+')));
    root.append(el('div', { onclick: () => 0 },
      heads.map((head) => el('div', {}, head, el('div', { hidden: true }, 'More')))));
    return heads.map((head, index) => ({ name: names[index], at: () => head }));
  },
  stars: (root, log) => {
    const stars = [1, 2, 3, 4, 5]
      .map((value) =>
        el('span',
          { onclick: () => log(`${value} stars`), onmouseover: () => 0, 'data-value': value, style: 'font-size:24px' },
          '★'));
    root.append(el('div', { onmouseleave: () => 0 }, stars));
    return stars.map((star, index) => ({ name: `${index + 1} stars`, says: '', at: () => star }));
  },
  swatches: (root, log) => {
    const found = ['red', 'green', 'blue'].map((colour) =>
      el('div', {
        title: colour, onclick: () => log(colour),
        style: `display:inline-block; width:24px; height:24px; background:${colour}; margin:3px`
      }));
    root.append(el('div', {}, found));
    return controls(found, (element) => element.title);
  },
  'swatches-nameless': (root, log) => {
    const found = ['red', 'green', 'blue'].map((colour) => el('div', {
      onclick: () => log(colour), style: `width:24px; height:24px; background:${colour}`
    }));
    root.append(el('div', { onclick: () => 0 }, found));
    return found.map((element, index) => ({ name: ['red', 'green', 'blue'][index], says: '', at: () => element }));
  },
  'day-grid': (root, log) => {
    const days =
      Array.from({ length: 14 }, (_, day) => el('td', { onclick: () => log(`${day + 1}`) }, String(day + 1)));
    root.append(el('table', { onclick: () => 0, onmouseover: () => 0 },
      el('tbody', {}, el('tr', {}, days.slice(0, 7)), el('tr', {}, days.slice(7)))));
    return controls(days);
  },
  'shadow-buttons': (root, log) => {
    const inner = [];
    for (const name of names) {
      const host = el('div');
      const act = el('div', { onclick: () => log(name), style: 'cursor:pointer' }, el('slot'));
      host.attachShadow({ mode: 'open' }).append(act);
      host.append(name);
      root.append(host);
      inner.push({ name, at: () => host });
    }
    return inner;
  },
  chips: (root, log) => {
    const found = [];
    for (const name of names) {
      const remove =
        el('span',
          { onclick: stops(() => log(`Remove ${name}`)), 'aria-label': `Remove ${name}`, style: 'padding:4px' }, '×');
      const chip =
        el('span',
          { onclick: () => log(name), style: 'padding:6px 30px 6px 60px; border:1px solid; display:inline-block' },
          name, remove);
      root.append(chip);
      found.push({ name, at: () => chip }, { name: `Remove ${name}`, at: () => remove });
    }
    return found;
  },
  tabs: (root, log) => {
    const found =
      names.map((name) =>
        el('div', { onclick: () => log(name), style: 'display:inline-block; padding:8px' }, el('span', {}, name)));
    root.append(el('div', { onkeydown: () => 0, onclick: () => 0 }, found));
    return controls(found);
  },
  'pointerdown-only': (root, log) => {
    const found = names.map((name) => el('div', { onpointerdown: () => log(name), style: 'padding:6px' }, name));
    root.append(el('div', {}, found));
    return controls(found);
  },
  'double-click': (root, log) => {
    const found = names.map((name) => el('div', { ondblclick: () => log(name), style: 'padding:6px' }, name));
    root.append(el('div', {}, found));
    return controls(found, undefined, { how: 'double' });
  },
  'context-menu': (root, log) => {
    const found =
      names.map((name) =>
        el('div', { oncontextmenu: (event) => { event.preventDefault(); log(name); }, style: 'padding:6px' }, name));
    root.append(el('div', {}, found));
    return controls(found, undefined, { how: 'right' });
  },
  'stretched-links': (root, log) => {
    style('.card { position:relative; width:400px; padding:14px; border:1px solid } .card a::after { content:""; ' +
      'position:absolute; inset:0 } .card button { position:relative; z-index:1 }');
    const found = [];
    for (const name of names) {
      const link = el('a', { href: '#', onclick: (event) => { event.preventDefault(); log(name); } }, name);
      const button = el('button', { onclick: () => log(`Save ${name}`) }, 'Save');
      root.append(el('div.card', {}, el('h3', {}, link), el('p', {}, 'A tree.'), button));
      found.push({ name, at: () => link }, { name: `Save ${name}`, says: 'Save', at: () => button });
    }
    return found;
  },
  'link-with-button-inside': (root, log) => {
    const found = [];
    for (const name of names) {
      const button =
        el('span',
          { role: 'button', 'aria-label': `Star ${name}`,
            onclick: (event) => { event.preventDefault(); event.stopPropagation(); log(`Star ${name}`); } }, '☆');
      const link =
        el('a', {
          href: '#', style: 'display:block; padding:10px; width:500px',
          onclick: (event) => { event.preventDefault(); log(name); } }, name, ' ', button);
      root.append(link);
      found.push({ name, at: () => link }, { name: `Star ${name}`, at: () => button });
    }
    return found;
  },
  'inline-handlers': (root, log) => {
    window.act = log;
    root.innerHTML =
      `<div onclick="0">${names.map((name) => `<span onclick="act('${name}')">${name}</span> `).join('')}</div>`;
    return each('span', undefined, {}, root);
  },
  'menu-listening': (root, log) => {
    const items =
      names.map((name) =>
        el('div', { role: 'menuitem', tabindex: -1, onclick: () => log(name), onmouseenter: () => 0 },
          el('span', {}, name)));
    root.append(el('div', { role: 'menu', tabindex: 0, onkeydown: () => 0, onclick: () => 0 }, items));
    return controls(items);
  },
  'grid-of-canvases': (root, log) => {
    const found = names.map((name) => {
      const canvas = el('canvas', {
        width: 80, height: 60, 'aria-label': name, onclick: () => log(name), style: 'background:#cde'
      });
      return canvas;
    });
    root.append(el('div', {}, found));
    return controls(found, (canvas) => canvas.getAttribute('aria-label'));
  },
};
