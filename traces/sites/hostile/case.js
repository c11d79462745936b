// Draws the case and closes it.
(() => {
  'use strict';
  const { made, seller, words, answer, decisions, prompt } = window.Words;
  const byId = (id) => document.getElementById(id);

  document.title = 'Case 4417 | Quayside Market';
  byId('title').textContent = 'Case 4417: Oak bench, barely used';
  const facts = { Seller: seller, Price: '85 €', Reported: '6 times', Reason: 'The bench on the photo stands in the public garden' };
  for (const [term, text] of Object.entries(facts)) {
    const value = made('dd', text);
    value.dataset.term = term.toLowerCase();
    byId('facts').append(made('dt', term), value);
  }
  byId('words').value = words;
  byId('answer').value = answer;
  byId('note').placeholder = prompt;
  for (const [value, label] of decisions) {
    const option = made('option', label);
    option.value = value;
    byId('decision').append(option);
  }
  window.Hidden.draw(byId('comments'));

  const ready = () => { byId('close').disabled = byId('decision').value === '' || byId('note').value.trim() === ''; };
  byId('decision').addEventListener('change', ready);
  byId('note').addEventListener('input', ready);
  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    byId('close').disabled = true;
    byId('result').textContent = 'Case 4417 is closed: ' + byId('decision').selectedOptions[0].textContent
      + '. Reference QM-20931, 15 posts wait. Mail goes to ' + seller + '.';
  });
})();
