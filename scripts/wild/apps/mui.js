// A crew list: skills are chosen in a dialog, people are sorted out by a filter and a menu.
import { useState } from 'react';
import { Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel,
  IconButton, Menu, MenuItem, Rating, Table, TableBody, TableCell, TableHead, TableRow,
  TextField } from '@mui/material';
import { draw, h } from '../patterns/react.js';
import { keep, kept } from './kept.js';

const skills = ['Cooking', 'First aid', 'Navigation', 'Radio', 'Welding'];
const first = ['Ines Okafor', 'Jonas Lindqvist', 'Mara Tamm', 'Noor Haddad'].map((name) => ({
  name, skills: [], stars: 0, off: false
}));

function Crew() {
  const [people, setPeople] = useState(kept('people', first));
  const [edited, setEdited] = useState(null);
  const [menu, setMenu] = useState(null);
  const [shown, setShown] = useState({ text: '', off: false });
  const set = (name, part) => {
    const changed = people.map((person) => (person.name === name ? { ...person, ...part } : person));
    keep('people', changed);
    setPeople(changed);
  };
  const seen =
    people.filter((person) => person.name.toLowerCase().includes(shown.text.toLowerCase())
      && (shown.off || !person.off));
  return h('main', { style: { padding: 24 } },
    h('h1', null, 'Crew'),
    h(TextField, {
      label: 'Find a person', value: shown.text, onChange: (event) => setShown({ ...shown, text: event.target.value })
    }),
    h(FormControlLabel, {
      label: 'Show who is off duty', control: h(Checkbox, {
        checked: shown.off, onChange: (event) => setShown({ ...shown, off: event.target.checked })
      })
    }),
    h(Table, { 'aria-label': 'Crew' },
      h(TableHead, null,
        h(TableRow, null, ['Name', 'Skills', 'Rating', ''].map((text) => h(TableCell, { key: text }, text)))),
      h(TableBody, null, seen.map((person) => h(TableRow, { key: person.name },
        h(TableCell, null, person.off ? `${person.name} (off duty)` : person.name),
        h(TableCell, null, person.skills.join(', ') || '–'),
        h(TableCell, null, h(Rating, {
          name: `Rating of ${person.name}`, value: person.stars, onChange: (_, stars) => set(person.name, { stars })
        })),
        h(TableCell, null,
          h(Button, { onClick: () => setEdited(person), 'aria-label': `Edit ${person.name}` }, 'Edit'),
          h(IconButton,
            { onClick: (event) => setMenu({ at: event.currentTarget, name: person.name }),
              'aria-label': `More for ${person.name}` }, '⋮')))))),
    h(Menu, { open: menu !== null, anchorEl: menu?.at, onClose: () => setMenu(null) },
      h(MenuItem, { onClick: () => { set(menu.name, { off: true }); setMenu(null); } }, 'Set off duty'),
      h(MenuItem, { onClick: () => { set(menu.name, { off: false }); setMenu(null); } }, 'Set on duty')),
    h(Dialog, { open: edited !== null, onClose: () => setEdited(null), fullWidth: true },
      h(DialogTitle, null, edited?.name ?? ''),
      h(DialogContent, null, h(Autocomplete, {
        multiple: true, options: skills, value: edited?.skills ?? [],
        onChange: (_, chosen) => setEdited({ ...edited, skills: chosen }), renderInput: (given) => h(TextField, {
          ...given, label: 'Skills'
        })
      })),
      h(DialogActions, null,
        h(Button, { onClick: () => setEdited(null) }, 'Cancel'),
        h(Button, { onClick: () => { set(edited.name, { skills: edited.skills }); setEdited(null); } }, 'Save'))));
}

await draw(document.getElementById('root'), h(Crew));
