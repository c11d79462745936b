// A stay: from one day to another, chosen in one calendar.
import flatpickr from 'flatpickr';
import 'flatpickr/dist/flatpickr.css';
import { keep } from './kept.js';

document.getElementById('root').innerHTML =
  '<main><h1>Stay</h1><p><label for="stay">From and to</label> <input id="stay" size="30"></p><p role="status">' +
  '</p></main>';
flatpickr('#stay', {
  mode: 'range',
  defaultDate: [],
  minDate: '2026-04-01',
  onChange: (days, text) => {
    if (days.length === 2) {
      keep('stay', text);
      document.querySelector('[role=status]').textContent = `Reserved ${text}`;
    }
  },
});
