// The checkout: contact and address, delivery, payment, summary, order.
//
// In: the cart, and the saved address of the customer. Out: sessionStorage `ww.order` and the confirmation page.
// Invariant: a field with an error has aria-invalid and its text in an alert below it; the text goes as soon as the value is good.
// The express courier phones ahead, so choosing it makes the phone number required and says so at once.
(() => {
  'use strict';
  const { $, $$, esc, cart, crumbs, sums, person } = window.Shop;
  const { find, image, money } = window.Catalogue;

  const fields = [
    { id: 'email', label: 'Email address', value: person.email, type: 'email', test: (v) => /^\S+@\S+\.\S+$/.test(v), error: 'Enter an email address such as you@example.test' },
    { id: 'first-name', label: 'First name', value: person.first, test: Boolean, error: 'Enter your first name', half: true },
    { id: 'last-name', label: 'Last name', value: person.last, test: Boolean, error: 'Enter your last name', half: true },
    { id: 'company', label: 'Company (optional)', value: '', test: () => true },
    { id: 'street', label: 'Street and number', value: person.street, test: Boolean, error: 'Enter your street and house number' },
    { id: 'extra', label: 'Flat, floor or unit (optional)', value: person.extra, test: () => true },
    { id: 'city', label: 'City', value: person.city, test: Boolean, error: 'Enter your city', half: true },
    { id: 'postcode', label: 'Postal code', value: person.postcode, test: (v) => /^\d{5}$/.test(v), error: 'Enter a postal code of five digits', half: true },
    { id: 'state', label: 'State', value: person.state, options: ['California', 'Idaho', 'Nevada', 'Oregon', 'Washington'], test: Boolean, error: 'Choose a state' },
    { id: 'phone', label: 'Mobile phone', value: '', type: 'tel', hint: 'For questions about the delivery only.', test: (v) => (delivery().phone || v ? /^\+?[\d ()-]{7,20}$/.test(v) : true), error: 'Enter a mobile phone number: the express courier calls before delivery' },
  ];
  const deliveries = [
    { id: 'standard', label: 'Standard delivery', text: 'In two to three working days', cents: 0 },
    { id: 'express', label: 'Express courier', text: 'Tomorrow before noon', cents: 1490, phone: true },
    { id: 'evening', label: 'Evening delivery', text: 'Tomorrow from 6 pm to 9 pm', cents: 990 },
    { id: 'pickup', label: 'Pick up in store', text: 'Today at Harbour Street', cents: 0 },
  ];
  const payments = [['card', 'Card ending in 4407', 'Charged when the parcel leaves'], ['invoice', 'Pay by invoice', 'Within fourteen days'], ['gift', 'Gift card', 'The code is asked for on the next page']];
  const chosen = (name) => ($(`input[name="${name}"]:checked`) || {}).value;
  const delivery = () => deliveries.find((d) => d.id === (chosen('delivery') || 'standard'));
  const price = (cents) => (cents ? money(cents) : 'Free');

  const control = (f) => (f.options ? `<select class="select field__input" id="${f.id}">${f.options.map((o) => `<option ${o === f.value ? 'selected' : ''}>${o}</option>`).join('')}</select>`
    : `<input class="input field__input" id="${f.id}" type="${f.type || 'text'}" value="${esc(f.value)}" ${f.error && f.id !== 'phone' ? 'required' : ''} ${f.hint ? `aria-describedby="${f.id}-hint"` : ''}>`);
  const field = (f) => `<div class="field ${f.half ? 'field--half' : ''}" data-field="${f.id}"><label for="${f.id}">${f.label}</label>${control(f)}${f.hint ? `<p class="field__hint" id="${f.id}-hint">${f.hint}</p>` : ''}</div>`;
  const option = (name, id, label, text, cents, on) => `<div class="option"><input class="option__radio" id="${name}-${id}" type="radio" name="${name}" value="${id}" ${on ? 'checked' : ''} aria-describedby="${name}-${id}-text"><label for="${name}-${id}">${label}</label><span class="option__text" id="${name}-${id}-text">${text}</span>${cents === null ? '' : `<span class="option__price">${price(cents)}</span>`}</div>`;

  $('#crumbs').innerHTML = crumbs([['Home', '/'], ['Cart', '/cart'], ['Checkout']]);
  if (!cart.lines().length) {
    $('#checkout').innerHTML = '<p>There is nothing to pay for. <a class="page-link" href="/search?department=laptops">Look at laptops</a></p>';
    return;
  }
  $('#checkout').innerHTML = `<div id="problems-place"></div><form class="two-col" id="form" novalidate aria-label="Checkout"><div>
    <section class="panel" aria-labelledby="s-address"><h2 id="s-address"><span class="step-number">1</span>Contact and address</h2><div class="fields">${fields.map(field).join('')}</div><label class="check"><input class="tick" id="same" type="checkbox" checked><span>Use this address for the bill too</span></label></section>
    <fieldset class="panel"><legend><span class="step-number">2</span>Delivery</legend>${deliveries.map((d, i) => option('delivery', d.id, d.label, d.text, d.cents, !i)).join('')}</fieldset>
    <fieldset class="panel"><legend><span class="step-number">3</span>Payment</legend>${payments.map(([id, label, text], i) => option('payment', id, label, text, null, !i)).join('')}</fieldset>
    <section class="panel" aria-labelledby="s-last"><h2 id="s-last"><span class="step-number">4</span>Place your order</h2><label class="check"><input class="tick" id="letter" type="checkbox"><span>Send me the weekly letter</span></label><p class="text-muted text-sm">By placing the order you accept our <a class="page-link" href="/info?page=terms-of-sale">terms of sale</a>.</p><button class="btn btn--amber btn--big" id="place-order" type="submit">Place order</button> <a class="link-btn" id="back-to-cart" href="/cart">Back to cart</a></section>
    </div><aside class="panel cart__aside" aria-label="Order summary"><h2>Order summary</h2><ul class="order-lines">${cart.lines().map((line) => { const p = find(line.sku); return `<li class="order-line flex" data-line="${line.sku}"><img src="${image(p)}" width="64" height="48" alt=""><span>${line.count} × ${esc(p.name)}${line.storage ? ', ' + line.storage : ''}</span><b>${money(cart.price(line) * line.count)}</b></li>`; }).join('')}</ul><div id="sums" aria-live="polite"></div></aside></form>`;

  const drawSums = () => { const d = delivery(); $('#sums').innerHTML = sums(cart.totals(d.cents), price(d.cents)); };
  const judge = (f) => {
    const place = $(`[data-field="${f.id}"]`);
    const good = f.test($('#' + f.id).value.trim());
    const old = $('.field__error', place);
    if (good) { if (old) old.remove(); $('#' + f.id).removeAttribute('aria-invalid'); return true; }
    if (!old) {
      $('#' + f.id).setAttribute('aria-invalid', 'true');
      place.insertAdjacentHTML('beforeend', `<p class="field__error is-error" id="${f.id}-error" role="alert">${f.error}</p>`);
    }
    return false;
  };
  const say = () => {
    const number = $('#phone').value.trim();
    $('#phone-hint').textContent = delivery().phone && number && byId('phone').test(number) ? `The courier will call ${number}.` : byId('phone').hint;
  };
  const byId = (id) => fields.find((f) => f.id === id);

  $('#form').addEventListener('change', (event) => {
    if (event.target.name === 'delivery') {
      drawSums();
      $('#phone').toggleAttribute('required', Boolean(delivery().phone));
      judge(byId('phone'));
      say();
    } else if (byId(event.target.id)) judge(byId(event.target.id));
  });
  $('#form').addEventListener('input', (event) => {
    const f = byId(event.target.id);
    if (f && event.target.hasAttribute('aria-invalid')) judge(f);
    if (event.target.id === 'phone') say();
  });
  $('#form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const bad = fields.filter((f) => !judge(f));
    $('#problems-place').innerHTML = bad.length ? `<div id="problems" class="problems" role="alert"><h2>There ${bad.length === 1 ? 'is 1 problem' : `are ${bad.length} problems`}</h2><ul>${bad.map((f) => `<li><a class="problems__link" href="#${f.id}">${f.error}</a></li>`).join('')}</ul></div>` : '';
    if (bad.length) { $('#' + bad[0].id).focus(); return; }
    $('#place-order').disabled = true;
    $('#place-order').textContent = 'Placing your order…';
    const { order } = await (await fetch('/api/orders', { method: 'POST' })).json();
    const d = delivery();
    sessionStorage.setItem('ww.order', JSON.stringify({ order, lines: cart.lines(), totals: cart.totals(d.cents), delivery: d, email: $('#email').value, phone: $('#phone').value, first: $('#first-name').value,
      prices: cart.lines().map(cart.price), address: ['first-name', 'last-name', 'street', 'extra', 'city', 'state', 'postcode'].map((id) => $('#' + id).value.trim()) }));
    cart.set([]);
    localStorage.removeItem('ww.coupon');
    location.assign('/confirmation?order=' + order);
  });
  drawSums();
})();
