// The sign-in form: posts, then compares, since the server only acknowledges.
(() => {
  'use strict';
  const KNOWN = { email: 'mara@lindqvist.test', password: 'river-otter-58' };
  const ATTEMPTS = 5;
  const byId = (id) => document.getElementById(id);
  const form = byId('sign-in');
  const email = byId('email');
  const password = byId('password');
  const peek = byId('peek');
  const submit = byId('submit');

  const mark = (input, text) => {
    const problem = byId(input.id + '-problem');
    problem.hidden = !text;
    problem.textContent = text;
    if (text) {
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', problem.id);
    } else {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
  };

  const warn = (text) => {
    const slot = byId('alert-slot');
    slot.replaceChildren();
    if (!text) return;
    const alert = document.createElement('div');
    alert.id = 'alert';
    alert.className = 'alert';
    alert.setAttribute('role', 'alert');
    alert.innerHTML = '<svg viewBox="0 0 18 18" aria-hidden="true"><circle cx="9" cy="9" r="8" fill="#b3261e"/><path d="M9 4.5v5.5M9 12.5v1.2" stroke="#fff" stroke-width="2"/></svg>';
    const message = document.createElement('span');
    message.textContent = text;
    alert.append(message);
    slot.append(alert);
  };

  const reveal = (shown) => {
    password.type = shown ? 'text' : 'password';
    peek.setAttribute('aria-pressed', String(shown));
    peek.setAttribute('aria-label', shown ? 'Hide password' : 'Show password');
    peek.textContent = shown ? 'Hide' : 'Show';
  };
  peek.addEventListener('click', () => reveal(password.type === 'password'));
  for (const input of [email, password]) input.addEventListener('input', () => mark(input, ''));

  for (const button of document.querySelectorAll('.sso button')) {
    button.addEventListener('click', () => warn(button.dataset.sso === 'passkey'
      ? 'No passkey for Fernway was found on this device.'
      : 'Lumen ID is being serviced. Use your password instead.'));
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    warn('');
    mark(email, /^\S+@\S+\.\S+$/.test(email.value) ? '' : 'Enter a complete email address.');
    mark(password, password.value ? '' : 'Enter your password.');
    const wrong = form.querySelector('[aria-invalid=true]');
    if (wrong) return wrong.focus();

    const label = submit.textContent;
    submit.disabled = true;
    submit.setAttribute('aria-busy', 'true');
    submit.textContent = 'Signing in…';
    const answer = await fetch('/api/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: email.value, password: password.value, remember: byId('remember').checked }),
    });
    // Read to its end: leaving the page would cut it off, now before and now after its body.
    await answer.text();
    if (email.value === KNOWN.email && password.value === KNOWN.password) {
      sessionStorage.removeItem('failed');
      const store = byId('remember').checked ? localStorage : sessionStorage;
      store.setItem('user', KNOWN.email);
      location.assign('/account');
      return;
    }
    submit.disabled = false;
    submit.removeAttribute('aria-busy');
    submit.textContent = label;
    const failed = Number(sessionStorage.getItem('failed') ?? 0) + 1;
    sessionStorage.setItem('failed', String(failed));
    const left = Math.max(0, ATTEMPTS - failed);
    warn(left > 0
      ? 'Email and password do not match. ' + left + (left === 1 ? ' attempt left.' : ' attempts left.')
      : 'Too many attempts. Try again in 15 minutes or reset your password.');
    reveal(false);
    password.value = '';
    mark(password, 'Check your password and try again.');
    password.focus();
  });
})();
