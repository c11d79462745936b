import flatpickr from 'flatpickr';
import 'flatpickr/dist/flatpickr.css';
import { each } from './dom.js';

export const patterns = {
  closed: (root, log) => {
    root.innerHTML = '<label for="day">Day</label> <input id="day">';
    flatpickr('#day', { onOpen: () => log('Day') });
    return each('#day', () => 'Day');
  },
  inline: (root, log) => {
    root.innerHTML = '<input id="day" hidden>';
    let month = 2;
    flatpickr('#day', {
      inline: true,
      now: new Date(2026, 2, 1),
      defaultDate: '2026-03-10',
      onChange: ([date]) => log(`${date.getMonth() + 1}/${date.getDate()}`),
      // A day of the next month turns the page too, and is what was pressed.
      onMonthChange: (_, __, picker) => {
        const turned = picker.currentMonth < month ? 'previous month' : 'next month'; setTimeout(() => log(turned), 30);
        month = picker.currentMonth;
      },
      onYearChange: () => log('year'),
    });
    return [
      ...each('.flatpickr-day', (day) => `${day.dateObj.getMonth() + 1}/${day.dateObj.getDate()}`).map((day) => ({
        ...day, says: day.name.split('/')[1]
      })),
      { name: 'previous month', says: '', at: () => document.querySelector('.flatpickr-prev-month') },
      { name: 'next month', says: '', at: () => document.querySelector('.flatpickr-next-month') },
      { name: 'month', optional: true, at: () => document.querySelector('.flatpickr-monthDropdown-months') },
      { name: 'year', how: 'type', text: '2025', at: () => document.querySelector('.cur-year') },
    ];
  },
  time: (root, log) => {
    root.innerHTML = '<input id="time" hidden>';
    // A change is told a moment later: what was used last made it.
    let last = '';
    const called = (element) => element.ariaLabel || (element.matches('.flatpickr-am-pm') ? 'half' : element.className);
    for (const type of ['input', 'click'])
      root.addEventListener(type, (event) => { last = called(event.target); }, true);
    flatpickr('#time', {
      inline: true, enableTime: true, noCalendar: true, defaultDate: '10:30', onChange: () => log(last)
    });
    const inputs = { Hour: '.flatpickr-hour', Minute: '.flatpickr-minute' };
    return [
      ...Object.entries(inputs).map(([name, at]) => ({
        name, how: 'type', text: '11', at: () => document.querySelector(at)
      })),
      { name: 'half', says: 'AM', at: () => document.querySelector('.flatpickr-am-pm') },
      { name: 'arrowUp', says: '', optional: true, at: () => document.querySelector('.arrowUp') },
      { name: 'arrowDown', says: '', optional: true, at: () => document.querySelector('.arrowDown') },
    ];
  },
};
