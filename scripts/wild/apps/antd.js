// Ferry trips: booked by a form with a list and a date, deleted by a button that asks again.
import { useState } from 'react';
import { Button, DatePicker, InputNumber, Popconfirm, Select, Space, Table } from 'antd';
import { draw, h } from '../patterns/react.js';
import { keep, kept } from './kept.js';

const ports = ['Barra', 'Islay', 'Mull', 'Oban', 'Skye'];
const first = [{ to: 'Oban', on: '2026-02-03', seats: 2 }, { to: 'Mull', on: '2026-02-10', seats: 1 }, {
  to: 'Oban', on: '2026-02-17', seats: 4
}];

function Trips() {
  const [trips, setTrips] = useState(kept('trips', first));
  const [form, setForm] = useState({ to: null, on: null, seats: 1 });
  const save = (trips) => { keep('trips', trips); setTrips(trips); };
  const columns = [
    { title: 'To', dataIndex: 'to', sorter: (a, b) => a.to.localeCompare(b.to),
      filters: ports.map((text) => ({ text, value: text })), onFilter: (value, trip) => trip.to === value },
    { title: 'On', dataIndex: 'on' },
    { title: 'Seats', dataIndex: 'seats' },
    { title: '', key: 'delete',
      render: (_, trip) =>
      h(Popconfirm,
        { title: `Delete the trip to ${trip.to}?`, okText: 'Yes, delete', cancelText: 'No',
          onConfirm: () => save(trips.filter((other) => other !== trip)) },
          h(Button, { 'aria-label': `Delete ${trip.to} on ${trip.on}` }, 'Delete')) },
  ];
  return h('main', { style: { padding: 24 } },
    h('h1', null, 'Ferry trips'),
    h(Space, null,
      h(Select, {
        'aria-label': 'To', placeholder: 'Port', style: { width: 160 }, value: form.to,
        options: ports.map((port) => ({ value: port, label: port })), onChange: (to) => setForm({ ...form, to })
      }),
      h(DatePicker, { 'aria-label': 'On', placeholder: 'Date', onChange: (_, on) => setForm({ ...form, on }) }),
      h(InputNumber, {
        'aria-label': 'Seats', min: 1, max: 8, value: form.seats, onChange: (seats) => setForm({ ...form, seats })
      }),
      h(Button, { type: 'primary', disabled: !form.to || !form.on, onClick: () => save([...trips, form]) }, 'Book')),
    h(Table, { rowKey: (trip) => trip.to + trip.on, columns, dataSource: trips, pagination: false }));
}

await draw(document.getElementById('root'), h(Trips));
