import Chart from 'chart.js/auto';
import { el } from './dom.js';

const draw = (root, type, log, label) => {
  const canvas = el('canvas', { role: 'img', 'aria-label': label });
  const box = el('div', { style: 'width:320px; height:200px' }, canvas);
  root.append(box);
  new Chart(canvas, {
    type, data: { labels: ['Alder', 'Birch'], datasets: [{ label, data: [3, 5] }] }, options: {
      animation: false, maintainAspectRatio: false, onClick: () => log(label)
    }
  });
  return { name: label, at: () => canvas };
};

export const patterns = {
  canvases: (root, log) => [draw(root, 'bar', log, 'Heights'), draw(root, 'doughnut', log, 'Ages')],
};
