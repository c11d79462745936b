// What every page of the documentation shares: entity ids, navigation tree, theme, version, contents, code blocks.
(() => {
  'use strict';
  const path = location.pathname.replace(/\.html$/, '').replace(/\/(index)?$/, '') || '/';
  const here = 'ent~doc' + path + '/';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const nth = (selector) => (element) => all(selector).indexOf(element);
  const target = (link) => link.getAttribute('href');

  Entities.rules([
    ['.skip', 'ent~bar/skip'],
    ['.bar .logo', 'ent~bar/logo'],
    ['.bar nav a', (a) => 'ent~bar' + target(a)],
    ['.find', 'ent~bar/search'],
    ['.find input', 'ent~bar/search/query'],
    ['.find button', 'ent~bar/search/go'],
    ['#version', 'ent~bar/version'],
    ['#theme', 'ent~bar/theme'],
    ['.banner', 'ent~banner'],
    ['.banner a', 'ent~banner/notes'],
    ['.tree', 'ent~tree'],
    ['.tree button', (button) => 'ent~tree/' + button.getAttribute('aria-controls')],
    ['.tree a', (a) => 'ent~tree' + target(a)],
    ['.crumbs a', (a) => 'ent~crumb/' + target(a)],
    ['.toc', here + 'contents'],
    ['.toc a', (a) => here + 'contents/' + target(a)],
    ['.pager a', (a) => here + a.rel],
    ['.help button', (button) => here + 'helpful/' + button.value],
    ['.help output', here + 'helpful'],
    ['.foot a', (a) => 'ent~foot' + target(a)],
    ['.foot h2', (h) => 'ent~foot/column/' + nth('.foot h2')(h)],
    ['#key-filter', here + 'filter'],
    ['#key-count', here + 'filter/count'],
    ['#search-form', 'ent~search/form'],
    ['#query', 'ent~search/query'],
    ['#search-go', 'ent~search/go'],
    ['#section', 'ent~search/section'],
    ['#search-status', 'ent~search/status'],
    ['#more', 'ent~search/more'],
    ['.results li', (li) => 'ent~search/result' + li.dataset.path],
    ['.results h2', (h) => 'ent~search/result' + h.closest('li').dataset.path + '/title'],
    ['.results a', (a) => 'ent~search/result' + a.closest('li').dataset.path + '/link'],
    ['article', here + 'article'],
    ['main h1', here + 'title'],
    ['.cards section', (section) => here + 'card/' + section.dataset.section],
    ['.cards h2', (h) => here + 'card/' + h.parentElement.dataset.section + '/title'],
    ['.h h2, .h h3', (h) => here + 'heading/' + h.id],
    ['.h a', (a) => here + 'heading/' + target(a) + '/link'],
    ['[role=tab]', (tab) => here + 'tab/' + nth('[role=tab]')(tab)],
    ['.copy', (button) => here + 'code/' + nth('.copy')(button) + '/copy'],
    ['.code', (block) => here + 'code/' + nth('.code')(block)],
    ['.note', (note) => here + 'note/' + nth('.note')(note)],
    ['figure', (figure) => here + 'figure/' + nth('figure')(figure)],
    ['article table', (table) => here + 'table/' + nth('article table')(table)],
    ['article tr', (row) => here + 'row/' + nth('article tr')(row)],
    ['main a', (a) => here + 'link/' + nth('main a:not(.h a, .crumbs a, .pager a)')(a)],
  ]);

  // Navigation tree: what was opened stays open on the next page.
  const opened = new Set(JSON.parse(sessionStorage.getItem('opened') ?? '[]'));
  const fold = (button, open) => {
    button.setAttribute('aria-expanded', String(open));
    document.getElementById(button.getAttribute('aria-controls')).hidden = !open;
  };
  for (const button of all('.tree button')) {
    const name = button.getAttribute('aria-controls');
    if (opened.has(name)) fold(button, true);
    button.addEventListener('click', () => {
      const open = button.getAttribute('aria-expanded') !== 'true';
      fold(button, open);
      if (open) opened.add(name);
      else opened.delete(name);
      sessionStorage.setItem('opened', JSON.stringify([...opened]));
    });
  }
  const tree = document.querySelector('.tree');
  const current = tree?.querySelector('[aria-current]');
  if (current && current.offsetTop > tree.clientHeight - 80) tree.scrollTop = current.offsetTop - tree.clientHeight / 2;

  // Theme.
  const theme = document.getElementById('theme');
  const paint = (name) => {
    document.documentElement.dataset.theme = name;
    theme.setAttribute('aria-pressed', String(name === 'dark'));
  };
  paint(localStorage.getItem('theme') ?? 'light');
  theme.addEventListener('click', () => {
    const name = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem('theme', name);
    paint(name);
  });

  // Version: the text is that of 3.2; another choice is answered with the way to what differs.
  const version = document.getElementById('version');
  const tell = () => {
    document.querySelector('.banner')?.remove();
    if (version.value === '3.2') return;
    const banner = document.createElement('div');
    banner.className = 'banner';
    banner.setAttribute('role', 'status');
    const link = document.createElement('a');
    link.href = '/releases/' + version.value.replace('.', '-');
    link.textContent = version.value + ' release notes';
    banner.append('You chose version ' + version.value + '. This page describes 3.2; see the ', link, ' for what was different.');
    document.querySelector('.bar').after(banner);
  };
  version.value = sessionStorage.getItem('version') ?? '3.2';
  tell();
  version.addEventListener('change', () => {
    sessionStorage.setItem('version', version.value);
    tell();
  });

  // Contents: mark the section that is being read.
  const contents = all('.toc a');
  const follow = () => {
    let read = null;
    for (const link of contents) {
      const heading = document.getElementById(target(link).slice(1));
      if (heading.getBoundingClientRect().top < 140) read = link;
    }
    if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) read = contents.at(-1);
    for (const link of contents) {
      if (link === read) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
  };
  if (contents.length) {
    addEventListener('scroll', follow, { passive: true });
    follow();
  }

  // Code blocks.
  for (const button of all('.copy')) {
    button.addEventListener('click', () => {
      getSelection().selectAllChildren(button.parentElement.querySelector('code'));
      document.execCommand('copy');
      getSelection().removeAllRanges();
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
  }
  for (const box of all('.tabs')) {
    const tabs = all('[role=tab]', box);
    const panels = all('[role=tabpanel]', box);
    tabs.forEach((tab, index) => tab.addEventListener('click', () => tabs.forEach((other, place) => {
      other.setAttribute('aria-selected', String(place === index));
      panels[place].hidden = place !== index;
    })));
  }

  // Filter of the key table.
  const filter = document.getElementById('key-filter');
  if (filter) {
    const count = document.getElementById('key-count');
    const rows = all('.keys tr[data-key]');
    const narrow = () => {
      const wanted = filter.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !row.dataset.key.includes(wanted);
        if (!row.hidden) shown += 1;
      }
      for (const body of all('.keys tbody')) body.hidden = !body.querySelector('tr[data-key]:not([hidden])');
      count.textContent = wanted ? shown + ' of ' + rows.length + ' keys' : rows.length + ' keys';
    };
    filter.addEventListener('input', narrow);
    narrow();
  }

  for (const button of all('.help button')) {
    button.addEventListener('click', () => {
      document.querySelector('.help output').textContent = button.value === 'yes'
        ? 'Thank you, good to hear.'
        : 'Thank you. The forum is the place to tell us more.';
    });
  }
})();
