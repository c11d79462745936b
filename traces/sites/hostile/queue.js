// Draws the queue and narrows it to the posts that hold the words that are looked for.
(() => {
  'use strict';
  const { title, made } = window.Words;
  const posts = window.Posts;
  const list = document.getElementById('posts');
  const status = document.getElementById('status');

  for (const post of posts) {
    const article = made('article', '', 'post');
    article.dataset.key = post.key;
    if (post.label) article.setAttribute('aria-label', post.label);
    if (post.photo) {
      const photo = made('img', '', 'post__photo');
      photo.src = '/icon.svg';
      photo.width = 48;
      photo.height = 48;
      photo.alt = post.photo;
      article.append(photo);
    }
    const open = made('button', 'Open case ' + post.key, 'post__open');
    open.type = 'button';
    if (post.hint) open.title = post.hint;
    open.addEventListener('click', () => { location.href = '/case?id=' + post.key; });
    const keep = made('button', 'Keep', 'post__keep');
    keep.type = 'button';
    keep.setAttribute('aria-label', post.keep ?? 'Keep post ' + post.key);
    article.append(
      made('h2', post.title), made('p', 'Posted by ' + post.by + ', reported ' + post.reports + ' times', 'post__by'),
      made('p', post.body, 'post__body'), open, ' ', keep,
    );
    list.append(article);
  }

  const narrow = () => {
    const words = document.getElementById('find').value.trim().toLowerCase();
    let shown = 0;
    for (const article of list.children) {
      article.hidden = !article.querySelector('h2').textContent.toLowerCase().includes(words);
      if (!article.hidden) shown += 1;
    }
    status.textContent = words ? shown + ' of ' + posts.length + ' posts with “' + words + '”' : posts.length + ' posts, oldest first';
  };
  document.getElementById('find').addEventListener('input', narrow);
  document.title = title;
  narrow();
})();
