// A supper: dishes are added and taken off again, one wine is chosen.
import TomSelect from 'tom-select';
import 'tom-select/dist/css/tom-select.css';
import { keep, kept } from './kept.js';

const options = (names, chosen) =>
  names.map((name) => `<option${chosen.includes(name) ? ' selected' : ''}>${name}</option>`).join('');
const supper = kept('supper', { dishes: ['Leek soup', 'Plum cake'], wine: '' });
document.getElementById('root').innerHTML = `<main><h1>Supper</h1>
  <p><label for="dishes">Dishes</label><select id="dishes" multiple>${
    options(['Leek soup', 'Pickled herring', 'Plum cake', 'Rye bread'], supper.dishes)}</select></p>
  <p><label for="wine">Wine</label><select id="wine"><option value="">None</option>${
    options(['Riesling', 'Silvaner', 'Spätburgunder'], [supper.wine])}</select></p>
  <p role="status"></p></main>`;
const dishes = new TomSelect('#dishes', { plugins: ['remove_button'] });
const wine = new TomSelect('#wine', {});
const changed = () => {
  keep('supper', { dishes: dishes.getValue(), wine: wine.getValue() });
  document.querySelector('[role=status]').textContent = 'Kept';
};
dishes.on('change', changed);
wine.on('change', changed);
