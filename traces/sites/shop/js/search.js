// The listing: search results or a department, with filters, sorting and chips.
//
// In: the query string (q, department, range, brand, memory, …, sort). Out: the listing, and the same state in the URL.
// Invariant: every product that matches is on the one page; counts beside a filter say what ticking it would show.
// A filter draws the list again (all nodes are new), sorting moves the nodes that are there: shops do both.
(() => {
  'use strict';
  const { $, $$, esc, icon, grid, crumbs, query, read, products } = window.Shop;
  const { departments, slug, search, money } = window.Catalogue;

  const department = departments.find((d) => d.id === query.get('department'));
  const range = department && department.subs.findIndex(([label]) => slug(label) === query.get('range'));
  const q = (query.get('q') || '').trim();
  const wishlist = query.get('list') === 'wishlist';
  const base = (wishlist ? products.filter((p) => read('wishlist', []).includes(p.sku)) : q ? search(q) : department ? products : [])
    .filter((p) => (!department || p.department === department) && (!department || range < 0 || p.sub === range));
  const title = wishlist ? 'Your wishlist' : q ? `Results for “${q}”` : department ? (range >= 0 ? department.subs[range][0] : department.label) : 'Search';

  const bands = [['Under $500', 0, 50000], ['$500 to $749', 50000, 75000], ['$750 to $999', 75000, 100000], ['$1,000 to $1,499', 100000, 150000], ['$1,500 and more', 150000, Infinity]];
  const facets = [
    { key: 'brand', label: 'Brand', of: (p) => [p.brand] },
    { key: 'memory', label: 'Memory', of: (p) => (p.ram ? [p.ram + ' GB'] : []), order: (v) => parseInt(v, 10) },
    { key: 'price', label: 'Price', of: (p) => bands.filter(([, from, to]) => p.price >= from && p.price < to).map(([l]) => l), order: (v) => bands.findIndex(([l]) => l === v) },
    { key: 'screen', label: 'Screen size', of: (p) => (p.size ? [p.size + '-inch'] : []), order: (v) => parseInt(v, 10) },
    { key: 'processor', label: 'Processor', of: (p) => (p.chip ? [p.chip] : []) },
    { key: 'storage', label: 'Storage', of: (p) => (p.drive ? [p.drive === 1024 ? '1 TB SSD' : p.drive + ' GB SSD'] : []), order: (v) => (v === '1 TB SSD' ? 1024 : parseInt(v, 10)) },
    { key: 'rating', label: 'Customer rating', of: (p) => [4.5, 4, 3.5].filter((r) => p.rating >= r).map((r) => r + ' and up'), order: (v) => -parseFloat(v) },
    { key: 'stock', label: 'Availability', of: (p) => [p.stock] },
  ];
  for (const facet of facets) {
    const values = new Set(base.flatMap(facet.of));
    facet.values = [...values].sort((a, b) => (facet.order ? facet.order(a) - facet.order(b) : a < b ? -1 : 1));
    facet.on = new Set(facet.values.filter((value) => query.getAll(facet.key).includes(slug(value))));
  }
  const dearest = Math.ceil(Math.max(100, ...base.map((p) => p.price / 100)) / 100) * 100;
  const limits = { min: Number(query.get('min') || 0), max: Number(query.get('max') || dearest) };
  const sorts = {
    rank: (a, b) => a.rank - b.rank, 'price-up': (a, b) => a.price - b.price || a.rank - b.rank, 'price-down': (a, b) => b.price - a.price || a.rank - b.rank,
    rating: (a, b) => b.rating - a.rating || b.reviews - a.reviews || a.rank - b.rank, reviews: (a, b) => b.reviews - a.reviews || a.rank - b.rank,
  };
  const sayings = { 'price-up': 'lowest price first', 'price-down': 'highest price first', rating: 'best rated first', reviews: 'most reviewed first' };
  $('#sort').value = sorts[query.get('sort')] ? query.get('sort') : 'rank';

  const passes = (p, but) => p.price >= limits.min * 100 && p.price <= limits.max * 100
    && facets.every((facet) => facet === but || !facet.on.size || facet.of(p).some((value) => facet.on.has(value)));
  const key = (facet, value) => facet.key + '-' + slug(value);

  const drawFacets = () => {
    $('#filters').innerHTML = `<h2 class="listing__side-title">Filter</h2>` + facets.filter((facet) => facet.values.length > 1).map((facet) => `<div class="facet">
      <h3 class="facet__head"><button class="facet__toggle" type="button" aria-expanded="true" aria-controls="facet-${facet.key}" data-facet="${facet.key}"><span>${facet.label}</span>${icon('up', 'icon--sm')}</button></h3>
      <div class="facet__body" role="group" aria-label="${facet.label}" id="facet-${facet.key}" data-facet="${facet.key}">
      ${facet.key === 'price' ? `<div class="range"><label class="range__label" for="price-min">Minimum price</label><input class="range__input" id="price-min" type="range" min="0" max="${dearest}" step="50" value="${limits.min}"><label class="range__label" for="price-max">Maximum price</label><input class="range__input" id="price-max" type="range" min="0" max="${dearest}" step="50" value="${limits.max}"><p class="range__text"></p></div>` : ''}
      <ul class="facet__list">${facet.values.map((value) => `<li class="facet__item flex items-center"><label class="facet__label flex items-center"><input class="facet__box" type="checkbox" name="${facet.key}" value="${esc(value)}" ${facet.on.has(value) ? 'checked' : ''}><span class="facet__value">${esc(value)}</span></label><span class="facet__count" data-key="${key(facet, value)}"></span></li>`).join('')}</ul></div></div>`).join('');
  };
  const count = () => {
    for (const facet of facets) {
      const open = base.filter((p) => passes(p, facet));
      for (const value of facet.values) {
        const node = $(`.facet__count[data-key="${key(facet, value)}"]`);
        if (node) node.textContent = String(open.filter((p) => facet.of(p).includes(value)).length);
      }
    }
    const text = $('.range__text');
    if (text) text.textContent = `${money(limits.min * 100)} to ${money(limits.max * 100)}`;
  };
  const drawChips = () => {
    const chips = facets.flatMap((facet) => [...facet.on].map((value) => [facet, value]));
    $('#chips').innerHTML = chips.map(([facet, value]) => `<button class="chip" type="button" data-key="${key(facet, value)}" data-facet="${facet.key}" data-value="${esc(value)}" aria-label="Remove filter ${facet.label}: ${esc(value)}"><span>${facet.label}: ${esc(value)}</span>${icon('close', 'icon--xs')}</button>`).join('')
      + (chips.length ? '<button class="chips__clear" type="button">Clear all</button>' : '');
  };
  const matching = () => base.filter((p) => passes(p)).sort(sorts[$('#sort').value]);
  const say = (items) => {
    const order = sayings[$('#sort').value];
    $('#results-status').textContent = base.length || q || department || wishlist ? `Showing ${items.length} of ${base.length} results${order && items.length ? ', ' + order : ''}` : 'Enter a search term to begin';
  };
  const drawList = () => {
    const items = matching();
    $('#results').innerHTML = items.length ? grid(items, 'results')
      : `<div class="empty"><p>${base.length ? 'No product passes all of these filters.' : q ? 'We found nothing. Check the spelling or try fewer words.' : wishlist ? 'Nothing here yet. The heart on a product puts it on this list.' : 'Type what you are looking for into the search field above.'}</p></div>`;
    $('#results').setAttribute('aria-busy', 'false');
    say(items);
  };
  const remember = () => {
    const next = new URLSearchParams();
    for (const name of ['q', 'department', 'range', 'list']) if (query.get(name)) next.set(name, query.get(name));
    for (const facet of facets) for (const value of facet.on) next.append(facet.key, slug(value));
    if (limits.min) next.set('min', limits.min);
    if (limits.max < dearest) next.set('max', limits.max);
    if ($('#sort').value !== 'rank') next.set('sort', $('#sort').value);
    history.replaceState(null, '', '/search?' + next);
  };
  let pause = 0;
  const changed = () => {
    remember();
    drawChips();
    $('#results').setAttribute('aria-busy', 'true');
    $('#results-status').textContent = 'Updating results…';
    clearTimeout(pause);
    pause = setTimeout(() => { count(); drawList(); }, 180);
  };

  $('#crumbs').innerHTML = crumbs([['Home', '/'], ...(department && (range >= 0 || q) ? [[department.label, '/search?department=' + department.id]] : []), [q ? `Search: ${q}` : title]]);
  $('#results-title').textContent = title;
  document.title = `${title} | Wattle & Wire`;
  $('#q').value = q;
  $('#views').innerHTML = ['grid', 'rows'].map((view) => `<button class="icon-btn view ${view === 'grid' ? 'view--on' : ''}" type="button" data-view="${view}">${icon(view)}</button>`).join('');

  $('#filters').addEventListener('change', (event) => {
    if (!event.target.matches('.facet__box')) return;
    const facet = facets.find((one) => one.key === event.target.name);
    facet.on[event.target.checked ? 'add' : 'delete'](event.target.value);
    changed();
  });
  $('#filters').addEventListener('input', (event) => {
    if (!event.target.matches('.range__input')) return;
    limits[event.target.id.slice(6)] = Number(event.target.value);
    changed();
  });
  $('#filters').addEventListener('click', (event) => {
    const toggle = event.target.closest('.facet__toggle');
    if (!toggle) return;
    const open = toggle.getAttribute('aria-expanded') === 'false';
    toggle.setAttribute('aria-expanded', String(open));
    $('#' + toggle.getAttribute('aria-controls')).hidden = !open;
  });
  $('#chips').addEventListener('click', (event) => {
    const chip = event.target.closest('.chip');
    if (!chip && !event.target.closest('.chips__clear')) return;
    for (const facet of facets) {
      if (!chip) facet.on.clear();
      else if (facet.key === chip.dataset.facet) facet.on.delete(chip.dataset.value);
    }
    for (const box of $$('.facet__box')) box.checked = facets.find((one) => one.key === box.name).on.has(box.value);
    changed();
  });
  $('#sort').addEventListener('change', () => {
    remember();
    const list = $('#results .grid');
    if (!list) return;
    const cells = new Map($$('.card', list).map((node) => [node.dataset.sku, node.parentElement]));
    const items = matching();
    list.append(...items.map((p) => cells.get(p.sku)));
    say(items);
  });
  $('#views').addEventListener('click', (event) => {
    const view = event.target.closest('.view');
    if (!view) return;
    for (const one of $$('.view')) one.classList.toggle('view--on', one === view);
    $('#results').classList.toggle('as-rows', view.dataset.view === 'rows');
  });

  drawFacets();
  count();
  drawChips();
  setTimeout(drawList, 120);
})();
