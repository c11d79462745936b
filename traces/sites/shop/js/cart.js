// The cart page: lines with quantities, coupon, totals.
//
// In: the cart in localStorage. Out: the same, changed. Invariant: everything on the page is drawn from the cart after each change,
// except a quantity field that is being typed in, which stays the same node.
(() => {
  'use strict';
  const { $, $$, esc, icon, cart, crumbs, sums, grid, products, toast } = window.Shop;
  const { find, image, money, slug } = window.Catalogue;
  const keyOf = (line) => line.sku + (line.storage ? '-' + slug(line.storage) : '');
  const label = (line) => find(line.sku).name + (line.storage ? ', ' + line.storage : '');
  let coupon = ['', ''];

  const row = (line) => {
    const p = find(line.sku);
    return `<li class="line" data-line="${keyOf(line)}"><a class="line__image" href="${esc(p.url)}" tabindex="-1" aria-hidden="true"><img src="${image(p)}" width="120" height="90" alt=""></a>
      <div class="line__text"><h2 class="line__name"><a class="line__title" href="${esc(p.url)}">${esc(p.name)}</a></h2><p class="text-muted text-sm">${line.storage ? `Storage: ${line.storage} · ` : ''}Item ${p.sku}</p><p class="avail__stock avail__stock--${slug(p.stock)}">${p.stock}</p>
      <div class="flex items-center line__tools"><button class="link-btn line__remove" type="button" aria-label="Remove ${esc(label(line))}">${icon('bin', 'icon--sm')}Remove</button><button class="link-btn line__save" type="button" aria-label="Save ${esc(label(line))} for later">Save for later</button></div></div>
      <div class="line__numbers"><label class="visually-hidden" for="n-${keyOf(line)}">Quantity of ${esc(label(line))}</label><input class="input line__count" id="n-${keyOf(line)}" type="number" min="1" max="10" value="${line.count}"><span class="text-muted text-sm">${money(cart.price(line))} each</span><b class="line__sum">${money(cart.price(line) * line.count)}</b></div></li>`;
  };
  const aside = () => {
    const t = cart.totals();
    return `<h2>Summary</h2>${sums(t, 'chosen at checkout')}
      <form id="coupon-form" class="coupon" novalidate><label for="coupon">Coupon code</label><div class="flex"><input class="input" id="coupon" type="text" autocomplete="off" value="${esc(coupon[0])}"><button class="btn btn--ghost" id="apply" type="submit">Apply</button></div><p id="coupon-status" role="status" class="text-sm ${t.coupon ? '' : 'is-error'}">${esc(coupon[1])}</p>${t.coupon ? '<button class="link-btn" id="coupon-remove" type="button">Remove coupon</button>' : ''}</form>
      <a class="btn btn--amber btn--big btn--block" id="to-checkout" href="/checkout">Proceed to checkout</a><a class="link-btn" id="keep-shopping" href="/search?department=laptops">Continue shopping</a>`;
  };
  const drawSums = () => {
    const n = cart.count();
    $('#cart-status').textContent = n ? `${n} ${n === 1 ? 'item' : 'items'} in your cart` : 'Your cart is empty';
    if ($('.cart__aside')) $('.cart__aside').innerHTML = aside();
  };
  const draw = () => {
    const lines = cart.lines();
    $('#cart').innerHTML = lines.length ? `<ul class="lines" aria-label="Items in your cart">${lines.map(row).join('')}</ul><aside class="cart__aside panel" aria-label="Order summary"></aside>`
      : '<p>Nothing in here yet. <a class="page-link" href="/search?department=laptops">Look at laptops</a></p>';
    drawSums();
  };
  const lineOf = (node) => node.closest('[data-line]').dataset.line;

  $('#cart').addEventListener('input', (event) => {
    if (!event.target.matches('.line__count')) return;
    const count = Math.floor(Number(event.target.value));
    if (!(count >= 1 && count <= 10)) return;
    const lines = cart.lines();
    const line = lines.find((one) => keyOf(one) === lineOf(event.target));
    line.count = count;
    cart.set(lines);
    $('.line__sum', event.target.closest('.line')).textContent = money(cart.price(line) * count);
    drawSums();
  });
  $('#cart').addEventListener('click', (event) => {
    const out = event.target.closest('.line__remove') || event.target.closest('.line__save');
    if (out) {
      const line = cart.lines().find((one) => keyOf(one) === lineOf(out));
      cart.set(cart.lines().filter((one) => keyOf(one) !== keyOf(line)));
      toast(`<b>${esc(label(line))}</b> ${out.matches('.line__save') ? 'is saved for later' : 'was removed'}.`, line.sku);
      draw();
    }
    if (event.target.closest('#coupon-remove')) { localStorage.removeItem('ww.coupon'); coupon = ['', '']; drawSums(); }
  });
  $('#cart').addEventListener('submit', (event) => {
    event.preventDefault();
    const code = $('#coupon').value.trim().toUpperCase();
    if (code === 'STUDY10') localStorage.setItem('ww.coupon', code);
    coupon = [code, code === 'STUDY10' ? 'Coupon STUDY10 applied: 10% off' : code ? `Coupon ${code} is not valid` : 'Enter a coupon code'];
    drawSums();
  });

  $('#crumbs').innerHTML = crumbs([['Home', '/'], ['Cart']]);
  draw();
  $('#related').innerHTML = grid(products.filter((p) => ['Docking station', 'Notebook sleeve', 'Mouse', 'Keyboard'].some((noun) => p.name.toLowerCase().includes(noun.toLowerCase())) && p.stock === 'In stock').slice(0, 4), 'related');
})();
