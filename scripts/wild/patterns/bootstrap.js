import * as bootstrap from 'bootstrap';
import 'bootstrap/dist/css/bootstrap.css';
import { each } from './dom.js';

const names = ['Alder', 'Birch', 'Cedar'];
window.bootstrap = bootstrap;

export const patterns = {
  accordion: (root, log) => {
    root.innerHTML =
      `<div class="accordion" ` +
      `id="acc">${names.map((name) =>
        `<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button collapsed" ` +
        `data-bs-toggle="collapse" data-bs-target="#${name}">${name}</button></h2>` +
        `<div id="${name}" class="accordion-collapse collapse"><div class="accordion-body">More.</div></div>` +
        `</div>`).join('')}</div>`;
    for (const type of ['show', 'hide']) root.addEventListener(`${type}.bs.collapse`, (event) => log(event.target.id));
    return each('.accordion-button');
  },
  dropdown: (root, log) => {
    root.innerHTML =
      `<div class="dropdown"><button class="btn btn-secondary dropdown-toggle" data-bs-toggle="dropdown">` +
      `Trees</button><ul class="dropdown-menu show">${names.map((name) => `<li><a class="dropdown-item" href="#">${
        name}</a></li>`).join('')}</ul></div>`;
    for (const type of ['show', 'hide']) root.addEventListener(`${type}.bs.dropdown`, () => log('Trees'));
    for (const item of root.querySelectorAll('.dropdown-item'))
      item.addEventListener('click', (event) => {
        event.preventDefault(); event.stopPropagation(); log(item.textContent);
      });
    return [...each('.dropdown-toggle'), ...each('.dropdown-item')];
  },
  tabs: (root, log) => {
    root.innerHTML =
      `<ul class="nav nav-tabs">${['Zero', ...names].map((name, index) =>
        `<li class="nav-item"><button class="nav-link${
          index ? '' : ' active'}" data-bs-toggle="tab" data-bs-target="#t${name}">${
          name}</button></li>`).join('')}</ul>${['Zero', ...names].map((name) => `<div class="tab-pane" id="t${
          name}">x</div>`).join('')}`;
    root.addEventListener('show.bs.tab', (event) => log(event.target.textContent));
    return each('.nav-link:not(.active)').concat([{
      name: 'Zero', at: () => document.querySelector('.nav-link'), optional: true
    }]);
  },
  carousel: (root, log) => {
    root.innerHTML =
      `<div id="car" class="carousel slide" style="height:200px; background:#888"><div ` +
      `class="carousel-indicators">${names.map((name, index) => `<button data-bs-target="#car" data-bs-slide-to="${
        index}" ${index ? '' : 'class="active"'} aria-label="Slide ${
          name}"></button>`).join('')}</div><div class="carousel-inner">${names.map((name, index) =>
          `<div class="carousel-item${index ? '' : ' active'}"><h3>${
          name}</h3></div>`).join('')}</div>` +
      `<button class="carousel-control-prev" data-bs-target="#car" data-bs-slide="prev">` +
      `<span class="carousel-control-prev-icon"></span><span class="visually-hidden">Previous</span></button>` +
      `<button class="carousel-control-next" data-bs-target="#car" data-bs-slide="next">` +
      `<span class="carousel-control-next-icon"></span><span class="visually-hidden">Next</span></button></div>`;
    // The event does not say which button it was; the one that was pressed has the focus.
    root.addEventListener('slide.bs.carousel',
      () => log(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim()));
    return [...each('[aria-label^="Slide"]', (button) => button.getAttribute('aria-label')).slice(1),
      ...each('[data-bs-slide]'), { name: 'Slide Alder', optional: true, at: () => root.querySelector('.active') }];
  },
  'check-buttons': (root, log) => {
    root.innerHTML =
      `<div class="btn-group">${names.map((name) => `<input type="checkbox" class="btn-check" id="${
        name}"><label class="btn btn-outline-primary" for="${name}">${name}</label>`).join('')}</div>`;
    root.addEventListener('change', (event) => log(event.target.id));
    return each('label');
  },
  modal: (root, log) => {
    root.innerHTML =
      '<div class="modal" id="m" tabindex="-1"><div class="modal-dialog"><div class="modal-content"><div ' +
      'class="modal-header"><h5 class="modal-title">Fell</h5>' +
      '<button class="btn-close" data-bs-dismiss="modal" aria-label="Close"></button></div>' +
      '<div class="modal-body">Sure?</div><div class="modal-footer">' +
      '<button class="btn" id="yes">Yes</button></div></div></div></div>';
    document.querySelector('#m').addEventListener('hide.bs.modal', (event) => {
      event.preventDefault(); log('Close');
    });
    document.querySelector('#yes').addEventListener('click', () => log('Yes'));
    new bootstrap.Modal('#m', { backdrop: 'static' }).show();
    return new Promise((done) =>
      setTimeout(() => done(each('#m button', (button) => button.getAttribute('aria-label') || button.textContent)),
        400));
  },
  'list-group': (root, log) => {
    root.innerHTML =
      `<ul class="list-group">${names.map((name) => `<li class="list-group-item list-group-item-action"><span>${
        name}</span><span class="badge bg-danger">×</span></li>`).join('')}</ul>`;
    for (const item of root.querySelectorAll('li'))
      item.addEventListener('click',
        (event) => log(event.target.matches('.badge') ? `Remove ${item.firstChild.textContent}`
          : item.firstChild.textContent));
    return each('li', (item) => item.firstChild.textContent);
  },
};
