import { Calendar } from '@fullcalendar/core';
import dayGrid from '@fullcalendar/daygrid';
import timeGrid from '@fullcalendar/timegrid';
import interaction from '@fullcalendar/interaction';
import { each } from './dom.js';

const events = [
  { title: 'Felling', start: '2026-03-03' },
  { title: 'Planting', start: '2026-03-10' },
  { title: 'Fair', start: '2026-03-18', end: '2026-03-20' },
];

function build(root, log, view, plugins, more = {}) {
  root.style.width = '900px';
  let last = null;
  const calendar = new Calendar(root, {
    plugins: [...plugins, interaction],
    initialView: view,
    initialDate: '2026-03-10',
    now: '2026-03-10',
    events,
    eventClick: (info) => { info.jsEvent.preventDefault(); log(info.event.title); },
    dateClick: (info) => log(info.dateStr),
    datesSet: (info) => { if (last) log(info.start < last ? 'Previous' : 'Next'); last = info.start; },
    ...more,
  });
  calendar.render();
}

export const patterns = {
  month: (root, log) => {
    build(root, log, 'dayGridMonth', [dayGrid]);
    return [
      ...each('.fc-event').map((event) => ({ ...event, name: event.at().textContent.trim() })),
      ...each('.fc-daygrid-day', (day) => day.dataset.date).map((day) => ({
        ...day, says: String(Number(day.name.slice(8)))
      })),
      { name: 'Previous', at: () => root.querySelector('.fc-prev-button') },
      { name: 'Next', at: () => root.querySelector('.fc-next-button') },
      { name: 'today', optional: true, at: () => root.querySelector('.fc-today-button') },
    ];
  },
  'month-links': (root, log) => {
    build(root, log, 'dayGridMonth', [dayGrid], {
      navLinks: true, navLinkDayClick: (date) => log(`open ${date.getDate()}.${date.getMonth() + 1}`),
      dateClick: undefined, eventClick: undefined, headerToolbar: false, fixedWeekCount: false
    });
    return each('.fc-daygrid-day-number', (number) => {
      const date = new Date(number.closest('td').dataset.date);
      return `open ${date.getUTCDate()}.${date.getUTCMonth() + 1}`;
    }).map((control) => ({ ...control, says: control.name.match(/\d+/)[0] }));
  },
  week: (root, log) => {
    build(root, log, 'timeGridWeek', [timeGrid], {
      slotMinTime: '08:00', slotMaxTime: '12:00', slotDuration: '01:00', allDaySlot: false, headerToolbar: false,
        dateClick: undefined, height: 400,
      events: [{ title: 'Survey', start: '2026-03-09T08:00', end: '2026-03-09T10:00' }, {
        title: 'Talk', start: '2026-03-11T09:00', end: '2026-03-11T11:00'
      }],
    });
    return each('.fc-event', (event) => event.querySelector('.fc-event-title').textContent);
  },
};
