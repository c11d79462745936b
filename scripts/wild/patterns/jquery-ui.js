import './jquery.js';
import 'jquery-ui/dist/jquery-ui.js';
import 'jquery-ui/dist/themes/base/jquery-ui.css';
import { each, el } from './dom.js';

const $ = window.jQuery;
const names = ['Alder', 'Birch', 'Cedar'];

export const patterns = {
  tabs: (root, log) => {
    root.innerHTML =
      `<div id="tabs"><ul>${names.map((name) => `<li><a href="#${name}">${name}</a></li>`).join('')}</ul>${
        names.map((name) => `<div id="${name}">About it.</div>`).join('')}</div>`;
    $('#tabs').tabs({ collapsible: true, activate: (_, ui) => log((ui.newTab.length ? ui.newTab : ui.oldTab).text()) });
    return each('#tabs > ul > li');
  },
  accordion: (root, log) => {
    root.innerHTML = `<div id="acc">${names.map((name) => `<h3>${name}</h3><div>About it.</div>`).join('')}</div>`;
    $('#acc').accordion({
      collapsible: true, activate: (_, ui) => log((ui.newHeader.length ? ui.newHeader : ui.oldHeader).text())
    });
    return each('#acc h3');
  },
  menu: (root, log) => {
    root.innerHTML = `<ul id="menu">${names.map((name) => `<li><div>${name}</div></li>`).join('')}</ul>`;
    $('#menu').menu({ select: (_, ui) => log(ui.item.text()) });
    return each('#menu li');
  },
  datepicker: (root, log) => {
    root.innerHTML = '<div id="dates"></div>';
    $('#dates').datepicker({
      defaultDate: '03/10/2026',
      onSelect: (date) => log(String(Number(date.split('/')[1]))),
      onChangeMonthYear: (_, month) => log(month === 2 ? 'Prev' : 'Next'),
    });
    return [...each('#dates td a'), ...each('.ui-datepicker-prev, .ui-datepicker-next', (element) => element.title)];
  },
  selectable: (root, log) => {
    root.innerHTML = `<ol id="list">${names.map((name) => `<li>${name}</li>`).join('')}</ol>`;
    $('#list').selectable({ selected: (_, ui) => log(ui.selected.textContent) });
    return each('#list li');
  },
  sortable: (root, log) => {
    root.innerHTML = `<ul id="list">${names.map((name) => `<li>${name}</li>`).join('')}</ul>`;
    $('#list').sortable({ update: (_, ui) => log(ui.item.text()) });
    return each('#list li', undefined, { how: 'drag' });
  },
  draggable: (root, log) => {
    root.append(...names.map((name) =>
      el('div.piece', { style: 'width:120px; height:40px; border:1px solid; margin:20px' }, name)));
    $('.piece').draggable({ stop: (event) => log(event.target.textContent) });
    return each('.piece', undefined, { how: 'drag' });
  },
  slider: (root, log) => {
    root.innerHTML = '<div id="range" style="width:300px; margin:30px"></div>';
    $('#range').slider({ value: 20, change: () => log('slider') });
    return [{
      name: 'slider', says: '', at: () => document.querySelector('.ui-slider'), how: 'key', key: 'ArrowRight'
    }];
  },
  selectmenu: (root, log) => {
    root.innerHTML =
      `<label for="tree">Tree</label><select ` +
      `id="tree">${names.map((name) => `<option>${name}</option>`).join('')}</select>`;
    $('#tree').selectmenu({ open: () => log('Tree') });
    return each('.ui-selectmenu-button', () => 'Tree', { says: 'Alder' });
  },
  checkboxradio: (root, log) => {
    root.innerHTML = names.map((name) => `<label for="${name}">${name}</label><input type="checkbox" id="${name}">`)
      .join('');
    $('input').checkboxradio().on('change', (event) => log(event.target.id));
    return each('label');
  },
  spinner: (root, log) => {
    root.innerHTML = '<label for="count">Count</label> <input id="count" value="3">';
    $('#count').spinner({ spin: (event, ui) => log(ui.value > 3 ? 'up' : 'down') }).on('input', () => log('Count'));
    return [
      { name: 'Count', at: () => document.querySelector('#count'), how: 'type', text: '8' },
      { name: 'up', says: '', at: () => document.querySelector('.ui-spinner-up') },
      { name: 'down', says: '', at: () => document.querySelector('.ui-spinner-down') },
    ];
  },
  dialog: (root, log) => {
    root.innerHTML = '<div id="ask">Fell it?</div>';
    $('#ask').dialog({
      title: 'Sure', buttons: { Yes: () => log('Yes'), No: () => log('No') }, beforeClose: () => {
        log('Close'); return false;
      }
    });
    return each('.ui-dialog button');
  },
};
