// The search page: loads the index once, ranks in the page (pages with all words first), shows ten results at a time.
(() => {
  'use strict';
  const PAGE = 10;
  const byId = (id) => document.getElementById(id);
  const query = byId('query');
  const section = byId('section');
  const status = byId('search-status');
  const list = byId('results');
  const more = byId('more');
  let index = [];
  let found = [];
  let shown = 0;

  const terms = (text) => [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}.-]+/u).filter((term) => term.length > 1))];
  const count = (text, term) => text.toLowerCase().split(term).length - 1;

  const rank = (entry, wanted) => {
    let score = 0;
    let hits = 0;
    for (const term of wanted) {
      const here = 12 * count(entry.title, term) + 5 * count(entry.headings.join(' '), term)
        + 4 * count(entry.lead, term) + Math.min(6, count(entry.text, term));
      score += here;
      if (here > 0) hits += 1;
    }
    return { entry, score, hits };
  };

  const mark = (text, wanted) => {
    const parts = document.createDocumentFragment();
    const pattern = new RegExp('(' + wanted.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|') + ')', 'i');
    text.split(pattern).forEach((piece, place) => {
      if (place % 2 === 0) return parts.append(piece);
      const hit = document.createElement('mark');
      hit.textContent = piece;
      parts.append(hit);
    });
    return parts;
  };

  const excerpt = (entry, wanted) => {
    const sentences = entry.text.split(/(?<=[.!?:]) (?=\p{Lu})/u);
    const value = (sentence) => wanted.filter((term) => count(sentence, term)).length;
    let place = 0;
    sentences.forEach((sentence, other) => { if (value(sentence) > value(sentences[place])) place = other; });
    let best = sentences[place];
    while (best.length < 80 && sentences[place + 1]) best += ' ' + sentences[place += 1];
    return best.length > 260 ? best.slice(0, best.lastIndexOf(' ', 260)) + ' …' : best;
  };

  const extend = () => {
    const wanted = terms(query.value);
    for (const { entry } of found.slice(shown, shown + PAGE)) {
      const item = document.createElement('li');
      item.dataset.path = entry.path;
      const heading = document.createElement('h2');
      const link = document.createElement('a');
      link.href = entry.path;
      link.textContent = entry.title;
      heading.append(link);
      const where = document.createElement('div');
      where.className = 'where';
      where.textContent = entry.section + ' · ' + entry.path;
      const text = document.createElement('p');
      text.append(mark(excerpt(entry, wanted), wanted));
      item.append(heading, where, text);
      list.append(item);
    }
    shown = Math.min(found.length, shown + PAGE);
    more.hidden = shown >= found.length;
  };

  const run = () => {
    const wanted = terms(query.value);
    list.replaceChildren();
    shown = 0;
    const ranked = index
      .filter((entry) => !section.value || entry.section === section.value)
      .map((entry) => rank(entry, wanted))
      .filter(({ hits }) => hits > 0);
    found = ranked.sort((a, b) => b.hits - a.hits || b.score - a.score || (a.entry.path < b.entry.path ? -1 : 1));
    document.title = (query.value ? '“' + query.value + '”' : 'Search') + ' – Tern documentation';
    if (!wanted.length) status.textContent = 'Enter a word or two.';
    else if (!found.length) status.textContent = 'Nothing found for “' + query.value + '”.';
    else status.textContent = found.length + (found.length === 1 ? ' result' : ' results') + ' for “' + query.value + '”';
    extend();
  };

  const keep = () => history.replaceState(null, '', '/search?q=' + encodeURIComponent(query.value));
  let timer = 0;
  query.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { keep(); run(); }, 200);
  });
  byId('search-form').addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    keep();
    run();
  });
  section.addEventListener('change', run);
  more.addEventListener('click', extend);

  query.value = new URLSearchParams(location.search).get('q') ?? '';
  document.querySelector('.find input').value = query.value;
  status.textContent = 'Searching…';
  fetch('/search-index.json').then((answer) => answer.json()).then((entries) => {
    index = entries;
    run();
  });
})();
