// The confirmation: order number, address, what was bought.
//
// In: sessionStorage `ww.order`. Out: the page. Invariant: without an order it says so and shows no number.
(() => {
  'use strict';
  const { $, esc, icon, sums, query } = window.Shop;
  const { find, image, money } = window.Catalogue;
  const o = JSON.parse(sessionStorage.getItem('ww.order') || 'null');
  if (!o || o.order !== query.get('order')) {
    $('#confirmation').innerHTML = '<h1 id="thanks">We know no such order</h1><p><a class="page-link" href="/">Back to the home page</a></p>';
    return;
  }
  const [first, last, street, extra, city, state, postcode] = o.address.map(esc);
  $('#confirmation').innerHTML = `<div class="panel thanks"><span class="thanks__mark">${icon('check')}</span><h1 id="thanks">Thank you, ${esc(o.first)}. Your order is placed.</h1><p>Order number <strong id="order-number">${esc(o.order)}</strong></p><p class="text-muted">A confirmation is on its way to ${esc(o.email)}.</p></div>
    <div class="thanks__cols"><section class="panel" aria-labelledby="t-delivery"><h2 id="t-delivery">${o.delivery.label}</h2><p>${o.delivery.text}</p><address>${first} ${last}<br>${street}${extra ? ', ' + extra : ''}<br>${city}, ${state} ${postcode}${o.phone ? `<br>${esc(o.phone)}` : ''}</address></section>
    <section class="panel" aria-labelledby="t-order"><h2 id="t-order">Your order</h2><ul class="order-lines">${o.lines.map((line, i) => { const p = find(line.sku); return `<li class="order-line flex" data-line="${line.sku}"><img src="${image(p)}" width="64" height="48" alt=""><span>${line.count} × ${esc(p.name)}${line.storage ? ', ' + line.storage : ''}</span><b>${money(o.prices[i] * line.count)}</b></li>`; }).join('')}</ul>${sums(o.totals, o.delivery.cents ? money(o.delivery.cents) : 'Free')}</section></div>
    <p class="flex items-center"><a class="btn btn--amber" id="continue" href="/">Continue shopping</a><button class="btn btn--ghost" id="print" type="button">${icon('print', 'icon--sm')}<span>Print this page</span></button></p>`;
})();
