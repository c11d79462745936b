// An excursion: a day from a calendar, a guide from suggestions, and stops that are dragged into order.
import '../patterns/jquery.js';
import 'jquery-ui/dist/jquery-ui.js';
import 'jquery-ui/dist/themes/base/jquery-ui.css';
import { keep, kept } from './kept.js';

const $ = window.jQuery;
const guides = ['Aino Virtanen', 'Bela Horvath', 'Chidi Eze', 'Dara Quinn'];
document.getElementById('root').innerHTML = `<main><h1>Excursion</h1>
  <p><label for="day">Day</label> <input id="day"></p>
  <p><label for="guide">Guide</label> <input id="guide"></p>
  <p><button id="save">Save</button> <span role="status"></span></p>
  <h2>Stops</h2><ul id="stops">${kept('stops', ['Lighthouse', 'Old mill', 'Quarry', 'Bird hide']).map((stop) =>
    `<li class="ui-state-default">${stop}</li>`).join('')}</ul></main>`;
$('#day').datepicker({ dateFormat: 'yy-mm-dd', defaultDate: '2026-03-01' });
$('#guide').autocomplete({ source: guides, minLength: 1 });
$('#stops').sortable({ update: () => keep('stops', $('#stops li').map((_, item) => item.textContent).get()) });
$('#save').on('click', () => {
  keep('excursion', { day: $('#day').val(), guide: $('#guide').val() });
  $('[role=status]').text('Saved');
});
