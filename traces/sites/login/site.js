// What every page of the sign-in site shares: entity ids, the language select, the reset form.
(() => {
  'use strict';
  const path = location.pathname.replace(/\.html$/, '').replace(/\/(index)?$/, '') || '/';

  Entities.rules([
    ['.top .logo', 'ent~nav/logo'],
    ['.top nav a', (a) => 'ent~nav' + a.getAttribute('href')],
    ['.push a', 'ent~nav/trial'],
    ['#title', 'ent~sign-in/title'],
    ['#alert', 'ent~sign-in/alert'],
    ['#sign-in', 'ent~sign-in/form'],
    ['#email', 'ent~sign-in/email'],
    ['#email-problem', 'ent~sign-in/email/problem'],
    ['#password', 'ent~sign-in/password'],
    ['#password-problem', 'ent~sign-in/password/problem'],
    ['#peek', 'ent~sign-in/password/peek'],
    ['#remember', 'ent~sign-in/remember'],
    ['#submit', 'ent~sign-in/submit'],
    ['.field .row a', 'ent~sign-in/forgot'],
    ['.sso button', (button) => 'ent~sign-in/sso/' + button.dataset.sso],
    ['#company-hint', 'ent~sign-in/sso/company/hint'],
    ['.pitch', 'ent~pitch'],
    ['.pitch h2', 'ent~pitch/title'],
    ['#reset-email', 'ent~reset/email'],
    ['#forgot .primary', 'ent~reset/submit'],
    ['#forgot-status', 'ent~reset/status'],
    ['.back', 'ent~nav/back-to-sign-in'],
    ['.page h1', 'ent~page' + path + '/title'],
    ['.foot a', (a) => 'ent~foot' + a.getAttribute('href')],
    ['#language', 'ent~foot/language'],
    ['.side', 'ent~workspace/nav'],
    ['.side a', (a) => 'ent~workspace/nav' + a.getAttribute('href')],
    ['#who', 'ent~workspace/user'],
    ['#sign-out', 'ent~workspace/sign-out'],
    ['.dash h1', 'ent~workspace' + path + '/title'],
    ['#session-kind', 'ent~workspace/session'],
    ['.card', (card) => 'ent~workspace/card/' + card.dataset.card],
    ['.card h3', (h) => 'ent~workspace/card/' + h.parentElement.dataset.card + '/title'],
    ['#activity-title', 'ent~activity/title'],
    ['#refresh', 'ent~activity/refresh'],
    ['.dash table', 'ent~workspace' + path + '/table'],
    ['tr[data-id]', (row) => 'ent~record/' + row.dataset.id],
  ]);

  const words = {
    en: {},
    de: {
      product: 'Produkt', pricing: 'Preise', help: 'Hilfe', newHere: 'Neu bei Fernway?', trial: 'Kostenlos testen',
      title: 'Bei Fernway anmelden', lead: 'Rechnungen, Angebote und Ausgaben für kleine Studios.', email: 'E-Mail-Adresse',
      password: 'Passwort', forgot: 'Passwort vergessen?', remember: 'Auf diesem Gerät angemeldet bleiben', submit: 'Anmelden',
      or: 'oder', passkey: 'Weiter mit Passkey', lumen: 'Weiter mit Lumen ID', company: 'Weiter mit Firmenanmeldung',
      companyHint: 'Die Firmenanmeldung gehört zum Tarif Guild.', pitch: 'Elf Tage früher bezahlt',
      pitchText: 'Erinnerungen gehen von selbst hinaus, in Ihren Worten, und enden mit dem Zahlungseingang.',
      terms: 'Bedingungen', privacy: 'Datenschutz', cookies: 'Cookies', imprint: 'Impressum', language: 'Sprache',
    },
    fr: {
      product: 'Produit', pricing: 'Tarifs', help: 'Aide', newHere: 'Nouveau chez Fernway ?', trial: 'Essai gratuit',
      title: 'Se connecter à Fernway', lead: 'Factures, devis et dépenses pour petits ateliers.', email: 'Adresse e-mail',
      password: 'Mot de passe', forgot: 'Mot de passe oublié ?', remember: 'Rester connecté sur cet appareil', submit: 'Se connecter',
      or: 'ou', passkey: 'Continuer avec une clé d’accès', lumen: 'Continuer avec Lumen ID', company: 'Continuer avec l’accès entreprise',
      companyHint: 'L’accès entreprise fait partie de l’offre Guild.', pitch: 'Payé onze jours plus tôt',
      pitchText: 'Les rappels partent d’eux-mêmes, avec vos mots, et cessent dès le paiement.',
      terms: 'Conditions', privacy: 'Confidentialité', cookies: 'Cookies', imprint: 'Mentions légales', language: 'Langue',
    },
  };
  for (const element of document.querySelectorAll('[data-t]')) words.en[element.dataset.t] = element.textContent;

  const select = document.getElementById('language');
  const show = (language) => {
    document.documentElement.lang = language;
    select.value = language;
    for (const element of document.querySelectorAll('[data-t]')) {
      element.textContent = words[language][element.dataset.t] ?? words.en[element.dataset.t];
    }
  };
  select.addEventListener('change', () => {
    localStorage.setItem('language', select.value);
    show(select.value);
  });
  const stored = localStorage.getItem('language');
  if (stored && stored !== 'en' && words[stored]) show(stored);

  document.getElementById('forgot')?.addEventListener('submit', (event) => {
    event.preventDefault();
    document.getElementById('forgot-status').textContent =
      document.getElementById('reset-email').value.includes('@')
        ? 'If an account belongs to this address, a link is on its way.'
        : 'Enter a complete email address.';
  });
})();
