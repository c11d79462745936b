// The home page: carousel, departments, deals, promotions, new arrivals.
//
// In: window.Shop, window.Catalogue. Out: the filled page, and three things that change by themselves.
// Invariant: carousel (6 s), countdown (1 s) and shopper count (4 s) run on timers and Math.random alone.
(() => {
  'use strict';
  const { $, $$, esc, icon, grid, products } = window.Shop;
  const { departments, generator } = window.Catalogue;

  const slides = [
    ['Sixteen gigabytes, one low price', 'Laptops with room to think, from under $400.', 'See laptops', '/search?department=laptops', 'laptop-clay'],
    ['Quiet the whole office', 'Over-ear headphones with a day of battery.', 'See headphones', '/search?department=audio', 'audio'],
    ['A house that listens less', 'Smart home gear that works without an account.', 'See smart home', '/search?department=home', 'home'],
    ['Trade in, trade up', 'Your old phone pays for part of the new one.', 'How trade-in works', '/info?page=trade-in', 'phone'],
  ];
  $('.carousel').innerHTML = `<div class="carousel__track">${slides.map(([head, line, call, href, img], i) => `<div class="carousel__slide" role="group" aria-roledescription="slide" aria-label="${i + 1} of ${slides.length}" data-slide="${i}" ${i ? 'hidden' : ''}>
      <div class="carousel__text"><h2>${head}</h2><p>${line}</p><a class="btn btn--amber carousel__link" data-slide="${i}" href="${href}">${call}</a></div><img src="/img/${img}.svg" width="400" height="300" alt=""></div>`).join('')}</div>
    <div class="carousel__bar flex items-center"><button class="icon-btn carousel__step" type="button" data-step="-1" aria-label="Previous slide">${icon('left')}</button>
    ${slides.map((_, i) => `<div class="carousel__dot ${i ? '' : 'carousel__dot--on'}" data-slide="${i}"></div>`).join('')}
    <button class="icon-btn carousel__step" type="button" data-step="1" aria-label="Next slide">${icon('right')}</button><button class="icon-btn carousel__pause" type="button">${icon('pause')}</button></div>`;

  let shown = 0;
  let paused = false;
  const show = (i) => {
    shown = (i + slides.length) % slides.length;
    $$('.carousel__slide').forEach((slide, n) => { slide.hidden = n !== shown; });
    $$('.carousel__dot').forEach((dot, n) => dot.classList.toggle('carousel__dot--on', n === shown));
  };
  setInterval(() => { if (!paused) show(shown + 1); }, 6000);
  $('.carousel').addEventListener('click', (event) => {
    const step = event.target.closest('.carousel__step');
    const dot = event.target.closest('.carousel__dot');
    const pause = event.target.closest('.carousel__pause');
    if (step) show(shown + Number(step.dataset.step));
    if (dot) show(Number(dot.dataset.slide));
    if (pause) { paused = !paused; pause.innerHTML = icon(paused ? 'play' : 'pause'); }
  });

  $('#tiles').innerHTML = departments.map((d) => `<a class="tile" href="/search?department=${d.id}"><img src="/img/${d.image === 'laptop' ? 'laptop-harbour' : d.image}.svg" width="120" height="90" alt=""><span class="tile__name">${esc(d.label)}</span><span class="tile__count">${products.filter((p) => p.department === d).length} products</span></a>`).join('');
  const random = generator(7);
  const some = (list, n) => { const left = [...list]; return Array.from({ length: n }, () => left.splice(Math.floor(random() * left.length), 1)[0]); };
  const deals = some(products.filter((p) => p.was && p.stock === 'In stock'), 8);
  $('#deals').innerHTML = grid(deals, 'deals');
  $('#arrivals').innerHTML = grid(some(products.filter((p) => p.badge === 'New' && !deals.includes(p)), 8), 'arrivals');
  $('#promos').innerHTML = [
    ['Student week', 'Ten per cent off every laptop with the code STUDY10.', 'Shop student offers', '/search?department=laptops&range=student-offers', 'amber'],
    ['Refurbished, as good as', 'Checked in 61 steps, sold with the full warranty.', 'Shop refurbished', '/search?department=laptops&range=refurbished-laptops', 'green'],
    ['Set up at your table', 'A technician brings it, plugs it in and moves your files.', 'Book a visit', '/info?page=set-up-at-home', 'blue'],
  ].map(([head, line, call, href, tint]) => `<div class="promo promo--${tint}"><h3 class="promo__head">${head}</h3><p>${line}</p><a class="promo__link" href="${esc(href)}">${call}</a></div>`).join('');

  let left = 5 * 3600 + 42 * 60 + 10;
  const two = (n) => String(n).padStart(2, '0');
  setInterval(() => {
    left = Math.max(0, left - 1);
    $('.countdown').textContent = [left / 3600, (left / 60) % 60, left % 60].map((n) => two(Math.floor(n))).join(':');
  }, 1000);
  setInterval(() => { $('.watching').textContent = `${190 + Math.floor(Math.random() * 60)} people are shopping right now`; }, 4000);
})();
