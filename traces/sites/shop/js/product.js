// The product page: gallery, choices, facts, reviews, related products.
//
// In: `sku` in the query string. Out: the page, and lines in the cart.
// Invariant: the price shown is the price of the chosen storage; reviews are generated from the sku and never change.
(() => {
  'use strict';
  const { $, $$, esc, icon, grid, stars, crumbs, query, cart, marked, products, toast } = window.Shop;
  const { find, image, money, storages, generator, slug } = window.Catalogue;
  const p = find(query.get('sku'));
  if (!p) {
    $('#product').innerHTML = '<h1 id="product-title">We do not sell this product</h1><p>It may have been replaced by a newer one. <a class="page-link" href="/">Back to the home page</a></p>';
    return;
  }
  const choices = storages(p);
  let storage = choices.length ? choices[0] : ['', 0];
  const random = generator(Number(p.sku));
  const pick = (list) => list[Math.floor(random() * list.length)];
  const names = ['Ines', 'Tomas', 'Wen', 'Oluwaseun', 'Freya', 'Marek', 'Salma', 'Dario', 'Hanne', 'Pilar', 'Yusuf', 'Greta'];
  const towns = ['Fernhill', 'Port Alder', 'Saltmarsh', 'Kingsbrook', 'Low Weir', 'Eastmoor'];
  const heads = ['Does what it says', 'Better than I expected', 'Fine for the money', 'Replaced a much dearer one', 'Good, with one remark', 'Would buy again', 'Not for everyone', 'Quiet and quick'];
  const lines = ['It was ready ten minutes after I opened the box.', 'The battery lasts through my working day.', 'I carry it about a lot and it still looks new.', 'The fan can be heard in a silent room.', 'Support answered my question the same evening.',
    'My daughter uses it for school and has no complaints.', 'The packaging was paper only, which I liked.', 'The keyboard feels firm.', 'I returned the first one because of a scratch; the exchange took two days.', 'Setting it up took a while.'];
  const reviews = Array.from({ length: Math.min(18, p.reviews) }, (_, i) => ({
    name: pick(names), town: pick(towns), head: pick(heads), stars: Math.max(2, Math.min(5, Math.round(p.rating + random() * 1.6 - 0.9))), days: 2 + i * 9 + Math.floor(random() * 8), helpful: Math.floor(random() * 40),
    text: [pick(lines), pick(lines), pick(lines)].filter((line, n, all) => all.indexOf(line) === n).join(' '),
  }));
  let shown = 6;

  const facts = [...p.specs, ['Brand', p.brand], ['Model number', p.model], ['Item number', p.sku],
    ...(p.size ? [['Weight', p.weight.toFixed(2) + ' kg'], ['Ports', '2 × USB-C, 1 × USB-A, HDMI, headphones'], ['Wireless', 'Wi-Fi 6E, Bluetooth 5.3'],
      ['Camera', '1080p with a shutter'], ['Keyboard', 'US layout, backlit'], ['Colours', p.colours.map(([c]) => c).join(', ')], ['Warranty', '3 years'], ['In the box', 'Laptop, 65 W charger, quick start card']] : [])];
  const views = ['front view', 'keyboard', 'left side with ports', 'closed lid'];
  const review = (r, i) => `<li class="review" data-index="${i}"><article><h3 class="review__head">${r.head}</h3><p class="review__meta">${stars({ rating: r.stars, reviews: 1 }).replace(' by 1 customers', '')}<span>${r.name} from ${r.town}, ${r.days} days ago</span></p><p>${r.text}</p><button class="btn btn--ghost btn--small review__helpful" type="button" data-index="${i}" aria-label="Mark the review by ${r.name} as helpful">Helpful (${r.helpful})</button></article></li>`;
  const name = esc(p.name);

  document.title = `${p.name} | Wattle & Wire`;
  $('#crumbs').innerHTML = crumbs([['Home', '/'], [p.department.label, '/search?department=' + p.department.id], [p.department.subs[p.sub][0], `/search?department=${p.department.id}&range=${slug(p.department.subs[p.sub][0])}`], [p.name]]);
  $('#product').innerHTML = `<div class="product">
    <section class="gallery" aria-label="Images of ${name}"><div class="gallery__main"><img id="main-image" src="${image(p)}" width="480" height="360" alt="${name}, front view"><button class="icon-btn gallery__zoom" type="button">${icon('zoom')}</button></div>
      <ul class="gallery__thumbs flex">${views.map((view, i) => `<li><button class="gallery__thumb ${i ? '' : 'gallery__thumb--on'}" type="button" data-index="${i}" aria-label="Show image ${i + 1} of 4: ${view}"><img src="${image(p, p.colours.length ? p.colours[i % 3][0] : '')}" width="72" height="54" alt=""></button></li>`).join('')}</ul></section>
    <section class="buy" aria-label="Buy ${name}"><p class="buy__brand"><a class="page-link" href="/search?department=${p.department.id}&amp;brand=${slug(p.brand)}">${esc(p.brand)}</a></p>
      <h1 id="product-title">${name}</h1>
      <div class="product__stars flex items-center">${stars(p)}<a class="product__reviews" href="#reviews">${p.rating.toFixed(1)} from ${p.reviews} reviews</a><span class="text-muted">Item ${p.sku}</span></div>
      <div class="buy__price flex items-center"><span id="product-price" class="price__now" aria-live="polite">${money(p.price)}</span>${p.was ? `<del id="product-was" class="price__was">${money(p.was)}</del>` : ''}<span class="text-muted text-sm">sales tax included</span></div>
      ${p.colours.length ? `<div class="choice"><p class="choice__label">Colour: <span id="colour-name">${p.colours[0][0]}</span></p><div class="product__swatches flex">${p.colours.map(([colour, hex], i) => `<div class="swatch swatch--big ${i ? '' : 'swatch--on'}" data-colour="${colour}" style="background:${hex}"></div>`).join('')}</div></div>` : ''}
      ${choices.length ? `<fieldset class="choice storage"><legend class="choice__label">Storage</legend><div class="flex">${choices.map(([label, extra], i) => `<div class="pill"><input class="storage__radio" id="storage-${i}" type="radio" name="storage" value="${label}" ${i ? '' : 'checked'}><label for="storage-${i}">${label}</label><span class="pill__extra">${extra ? '+ ' + money(extra) : 'included'}</span></div>`).join('')}</div></fieldset>` : ''}
      <div class="buy__row flex items-center"><label for="quantity">Quantity</label><div class="stepper flex"><button class="icon-btn stepper__step" type="button" data-step="-1">−</button><input class="input stepper__input" id="quantity" type="number" min="1" max="10" value="1"><button class="icon-btn stepper__step" type="button" data-step="1">+</button></div>
      <button class="btn btn--amber btn--big" id="add" type="button" ${p.stock === 'Out of stock' ? 'disabled' : ''}>${icon('cart', 'icon--sm')}<span>Add to cart</span></button><button class="icon-btn" id="product-wish" type="button" aria-pressed="${marked.has('wishlist', p.sku)}" aria-label="Add to wishlist">${icon('heart')}</button></div>
      <p id="added" class="added" role="status"></p>
      <ul class="buy__facts"><li>${icon('check', 'icon--sm')}<span id="product-stock">${p.stock}</span></li><li>${icon('truck', 'icon--sm')}<span>${p.delivery}</span></li><li>${icon('pin', 'icon--sm')}<button class="link-btn" id="store-check" type="button">Check stock in stores</button></li></ul>
      <ul class="stores" id="stores" hidden></ul><p class="watching text-muted text-sm" aria-live="off">${4 + Math.floor(random() * 9)} people have this in their cart</p></section></div>
    <section class="section" aria-labelledby="facts-title"><h2 class="home-title" id="facts-title">Technical details</h2><table class="facts"><caption class="visually-hidden">Technical details of ${name}</caption><tbody>${facts.map(([k, v]) => `<tr class="spec-row"><th scope="row">${k}</th><td>${esc(v)}</td></tr>`).join('')}</tbody></table></section>
    <section class="section folds" aria-label="Questions"><details class="fold"><summary>Delivery and returns</summary><p>Standard delivery is free from $50. Send anything back within thirty days; we pay the postage.</p></details><details class="fold"><summary>Warranty and repairs</summary><p>Our own workshop repairs it for three years. Bring it to a store or have it picked up.</p></details><details class="fold"><summary>Trade in your old one</summary><p>Answer four questions, get a price, and we take it off this order.</p></details></section>
    <section class="section" id="reviews" aria-labelledby="reviews-title"><h2 class="home-title" id="reviews-title">Customer reviews</h2><ul class="reviews"></ul><button class="btn btn--ghost" id="more-reviews" type="button">Show more reviews</button></section>
    <section class="section" aria-labelledby="related-title"><h2 class="home-title" id="related-title">People also looked at</h2>${grid(products.filter((one) => one !== p && one.department === p.department).sort((a, b) => Math.abs(a.price - p.price) - Math.abs(b.price - p.price) || a.rank - b.rank).slice(0, 8), 'related')}</section>`;

  const drawReviews = (from) => {
    $('.reviews').insertAdjacentHTML('beforeend', reviews.slice(from, shown).map((r, i) => review(r, from + i)).join(''));
    $('#more-reviews').hidden = shown >= reviews.length;
  };
  drawReviews(0);
  const look = (colour) => {
    $('#main-image').src = image(p, colour);
    $('#colour-name').textContent = colour;
    for (const one of $$('.product__swatches .swatch')) one.classList.toggle('swatch--on', one.dataset.colour === colour);
  };

  $('#product').addEventListener('change', (event) => {
    if (!event.target.matches('.storage__radio')) return;
    storage = choices.find(([label]) => label === event.target.value);
    $('#product-price').textContent = money(p.price + storage[1]);
    if (p.was) $('#product-was').textContent = money(p.was + storage[1]);
  });
  $('#product').addEventListener('click', async (event) => {
    const hit = (selector) => event.target.closest(selector);
    if (hit('.product__swatches .swatch')) look(hit('.swatch').dataset.colour);
    if (hit('.stepper__step')) $('#quantity').value = Math.max(1, Math.min(10, Number($('#quantity').value) + Number(hit('.stepper__step').dataset.step)));
    if (hit('.gallery__thumb')) {
      const i = Number(hit('.gallery__thumb').dataset.index);
      $('#main-image').src = $('img', hit('.gallery__thumb')).src;
      $('#main-image').alt = `${p.name}, ${views[i]}`;
      for (const one of $$('.gallery__thumb')) one.classList.toggle('gallery__thumb--on', one === hit('.gallery__thumb'));
    }
    if (hit('#product-wish')) { marked.toggle('wishlist', p.sku); $('#product-wish').setAttribute('aria-pressed', String(marked.has('wishlist', p.sku))); }
    if (hit('#more-reviews')) { const from = shown; shown += 6; drawReviews(from); }
    if (hit('.review__helpful')) { const b = hit('.review__helpful'); b.textContent = `Helpful (${reviews[b.dataset.index].helpful + 1})`; b.disabled = true; }
    if (hit('#add')) {
      const count = Math.max(1, Math.min(10, Math.floor(Number($('#quantity').value)) || 1));
      cart.add(p.sku, storage[0], count);
      $('#added').innerHTML = `${count} × ${esc(p.brand)} ${esc(p.model)}${storage[0] ? `, ${storage[0]}` : ''} added to your cart. <a id="added-link" href="/cart">View cart</a>`;
      $('#add span').textContent = 'Add another';
      toast(`<b>${name}</b> was added to your cart.`, p.sku);
    }
    if (hit('#store-check')) {
      const stores = await (await fetch('/api/stores')).json();
      $('#stores').hidden = false;
      $('#stores').innerHTML = stores.map((s) => `<li class="store" data-store="${slug(s.store)}"><b>${esc(s.store)}</b> <span>${s.stock ? s.stock + ' in stock' : 'not in stock'}</span> <span class="text-muted">open ${esc(s.hours)}</span></li>`).join('');
    }
  });
  setInterval(() => { $('.watching').textContent = `${4 + Math.floor(Math.random() * 9)} people have this in their cart`; }, 7000);
})();
