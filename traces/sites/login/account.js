// The pages behind the sign-in: guard, sign-out, recent activity.
(() => {
  'use strict';
  const user = sessionStorage.getItem('user') ?? localStorage.getItem('user');
  if (!user) {
    location.replace('/');
    return;
  }
  document.getElementById('sign-out').addEventListener('click', () => {
    sessionStorage.removeItem('user');
    localStorage.removeItem('user');
    location.assign('/');
  });

  const body = document.getElementById('activity');
  if (!body) return;
  if (localStorage.getItem('user')) document.getElementById('session-kind').textContent = 'this device is remembered for 30 days';

  const cell = (text, className) => {
    const td = document.createElement('td');
    td.textContent = text;
    if (className) td.className = className;
    return td;
  };
  const load = async () => {
    const { rows } = await (await fetch('/api/activity')).json();
    body.replaceChildren(...rows.map((row) => {
      const tr = document.createElement('tr');
      tr.dataset.id = row.id;
      const tag = document.createElement('span');
      tag.className = 'tag ' + row.state.toLowerCase();
      tag.textContent = row.state;
      const state = document.createElement('td');
      state.append(tag);
      tr.append(cell(row.what), cell(row.who), cell(row.when), cell(row.amount, 'num'), state);
      return tr;
    }));
  };
  document.getElementById('refresh').addEventListener('click', load);
  load();
})();
