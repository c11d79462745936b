// Says which element stands for which logical thing of the board.
//
// In: window.Entities. Out: rules for all pages. Invariant: a post in the queue and the case about it are two things.
(() => {
  'use strict';
  const E = 'ent~';
  const page = () => location.pathname.slice(1) || 'queue';
  const ofPost = (part) => (el) => E + 'queue/post/' + el.closest('article').dataset.key + part;
  window.Entities.rules([
    ['.head__name', E + 'nav/home'], ['.head__nav a', (el) => E + 'nav' + el.getAttribute('href')],
    ['#find', E + 'queue/find'], ['#posts article', ofPost('')], ['#posts h2', ofPost('/title')], ['#posts .post__by', ofPost('/by')],
    ['#posts .post__body', ofPost('/body')], ['#posts .post__open', ofPost('/open')], ['#posts .post__keep', ofPost('/keep')],
    ['#posts .post__photo', ofPost('/photo')],
    ['h1', () => E + page() + '/title'], ['#status', () => E + page() + '/status'],
    ['#facts dd', (el) => E + 'case/' + el.dataset.term], ['#words', E + 'case/words'], ['#answer', E + 'case/answer'],
    ['#decision', E + 'case/decision'], ['#decision option', (el) => E + 'case/decision/' + el.value],
    ['#note', E + 'case/note'], ['#close', E + 'case/close'], ['#result', E + 'case/result'],
    ['.comment', (el) => E + 'case/comment/' + el.dataset.key], ['#back', E + 'log/back'], ['#appeal', E + 'log/appeal'],
    ['#log li', (el) => E + 'log/' + el.dataset.key], ['.foot', E + 'foot'],
  ]);
})();
