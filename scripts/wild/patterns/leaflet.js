import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { each } from './dom.js';

const places = { Alder: [10, -30], Birch: [0, 0], Cedar: [20, 40] };
const map = (root, more = {}) => {
  root.style.cssText = 'width:700px; height:400px';
  return L.map(root, {
    center: [5, 5], zoom: 2, zoomControl: false, attributionControl: false, fadeAnimation: false, zoomAnimation: false,
    ...more
  });
};

export const patterns = {
  markers: (root, log) => {
    const on = map(root);
    for (const [name, at] of Object.entries(places))
      L.marker(at, { title: name, icon: L.divIcon({ iconSize: [30, 30] }) }).addTo(on).on('click', () => log(name));
    return each('.leaflet-marker-icon', (icon) => icon.title);
  },
  circles: (root, log) => {
    const on = map(root);
    for (const [name, at] of Object.entries(places))
      L.circleMarker(at, { radius: 18 }).addTo(on).bindTooltip(name, { permanent: true }).on('click', () => log(name));
    return [...each('path.leaflet-interactive', (_, index) => Object.keys(places)[index], { says: '' }), {
      name: 'map', says: '', optional: true, at: () => document.querySelector('.leaflet-container')
    }];
  },
  zoom: (root, log) => {
    const on = map(root, { zoomControl: true });
    let before = 2;
    on.on('zoomend', () => { log(on.getZoom() > before ? 'Zoom in' : 'Zoom out'); before = on.getZoom(); });
    return [...each('.leaflet-control-zoom a', (link) => link.title)];
  },
  layers: (root, log) => {
    const on = map(root);
    const layers = Object.fromEntries(Object.keys(places).map((name) => [name, L.layerGroup()]));
    L.control.layers(null, layers, { collapsed: false }).addTo(on);
    on.on('overlayadd overlayremove', (event) => log(event.name));
    return each('.leaflet-control-layers-overlays label');
  },
};
