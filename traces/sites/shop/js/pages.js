// The plain pages: information, account, not found.
//
// In: the path, and `page` in the query string. Out: a heading and a few lines. Invariant: every link of the frame ends on a page.
(() => {
  'use strict';
  const { $, esc, query, crumbs, person } = window.Shop;
  const words = (query.get('page') || 'help-centre').replace(/-/g, ' ');
  const title = words[0].toUpperCase() + words.slice(1);
  const show = (head, html) => {
    document.title = `${head} | Wattle & Wire`;
    $('#page').innerHTML = `${crumbs([['Home', '/'], [head]])}<h1 id="page-title">${esc(head)}</h1>${html}`;
  };
  if (location.pathname.startsWith('/info')) show(title, `<p>All about ${esc(words)} in one place. The short version: ask us in a store or by telephone on any day but Sunday, have your order number at hand, and we put it right.</p><h2>What you need</h2><ul><li>Your order number. It starts with WW and stands on the confirmation.</li><li>The item number of the product, five digits, on the product page and the box.</li></ul><h2>Where to go next</h2><p><a class="page-link" href="/account">Your account</a> or <a class="page-link" href="/">the home page</a></p>`);
  else if (location.pathname.startsWith('/account')) show('Your account', `<p>Signed in as ${person.first} ${person.last} (${person.email}).</p><h2>Saved address</h2><address>${person.first} ${person.last}<br>${person.street}, ${person.extra}<br>${person.city}, ${person.state} ${person.postcode}</address><p><a class="page-link" href="/search?list=wishlist">Your wishlist</a></p>`);
  else show('Page not found', '<p>The page you asked for is not here. <a class="page-link" href="/">Back to the home page</a></p>');
})();
