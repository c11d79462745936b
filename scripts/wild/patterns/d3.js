import * as d3 from 'd3';
import { each } from './dom.js';

const names = ['Alder', 'Birch', 'Cedar', 'Dogwood'];

export const patterns = {
  bars: (root, log) => {
    const svg = d3.select(root).append('svg').attr('width', 500).attr('height', 240);
    const x = d3.scaleBand().domain(names).range([0, 480]).padding(0.2);
    svg.append('g').attr('transform', 'translate(0,210)').call(d3.axisBottom(x));
    svg.selectAll('rect').data(names).join('rect').attr('x', (name) => x(name))
      .attr('y', (_, index) => 150 - index * 40).attr('width', x.bandwidth())
      .attr('height', (_, index) => 60 + index * 40).attr('fill', '#58c').on('click', (_, name) => log(name));
    return each('rect', (_, index) => names[index], { says: '' });
  },
  pie: (root, log) => {
    const svg = d3.select(root).append('svg').attr('width', 320).attr('height', 320).append('g')
      .attr('transform', 'translate(160,160)');
    const arcs = d3.pie()([3, 5, 4, 6]);
    const arc = d3.arc().innerRadius(0).outerRadius(140);
    svg.selectAll('path').data(arcs).join('path').attr('d', arc).attr('fill', (_, index) => d3.schemeTableau10[index])
      .on('click', (_, d) => log(names[d.index]));
    svg.selectAll('text').data(arcs).join('text').attr('transform', (d) => `translate(${arc.centroid(d)})`)
      .attr('text-anchor', 'middle').style('pointer-events', 'none').text((d) => names[d.index]);
    return each('path', (_, index) => names[d3.pie()([3, 5, 4, 6])[index].index]);
  },
  tree: (root, log) => {
    const data = d3.hierarchy({ name: 'Trees', children: names.map((name) => ({ name })) });
    const laid = d3.tree().size([220, 300])(data);
    const svg = d3.select(root).append('svg').attr('width', 520).attr('height', 260).append('g')
      .attr('transform', 'translate(60,10)');
    svg.append('g').attr('fill', 'none').attr('stroke', '#999').selectAll('path').data(laid.links()).join('path')
      .attr('d', d3.linkHorizontal().x((d) => d.y).y((d) => d.x));
    const node = svg.append('g').selectAll('g').data(laid.descendants()).join('g').attr('class', 'node')
      .attr('transform', (d) => `translate(${d.y},${d.x})`).attr('cursor', 'pointer')
      .on('click', (_, d) => log(d.data.name));
    node.append('circle').attr('r', 8);
    node.append('text').attr('x', 14).attr('dy', '0.3em').text((d) => d.data.name);
    return each('.node');
  },
  force: (root, log) => {
    const nodes = names.map((id) => ({ id }));
    const links = names.slice(1).map((target) => ({ source: 'Alder', target }));
    d3.forceSimulation(nodes).force('link', d3.forceLink(links).id((d) => d.id).distance(110))
      .force('charge', d3.forceManyBody().strength(-300)).force('center', d3.forceCenter(250, 150)).stop().tick(200);
    const svg = d3.select(root).append('svg').attr('width', 500).attr('height', 300);
    svg.selectAll('line').data(links).join('line').attr('stroke', '#999').attr('x1', (d) => d.source.x)
      .attr('y1', (d) => d.source.y).attr('x2', (d) => d.target.x).attr('y2', (d) => d.target.y);
    svg.selectAll('circle').data(nodes).join('circle').attr('r', 14).attr('cx', (d) => d.x).attr('cy', (d) => d.y)
      .call(d3.drag()).on('click', (_, d) => log(d.id));
    svg.selectAll('text').data(nodes).join('text').attr('x', (d) => d.x + 18).attr('y', (d) => d.y + 4)
      .text((d) => d.id);
    return each('circle', (_, index) => names[index]);
  },
  legend: (root, log) => {
    const item = d3.select(root).append('svg').attr('width', 300).attr('height', 120).selectAll('g').data(names)
      .join('g').attr('class', 'key').attr('transform', (_, index) => `translate(10,${index * 26 + 5})`)
      .on('click', (_, name) => log(name));
    item.append('rect').attr('width', 18).attr('height', 18).attr('fill', (_, index) => d3.schemeTableau10[index]);
    item.append('text').attr('x', 26).attr('y', 14).text(String);
    return each('.key');
  },
  bubbles: (root, log) => {
    const packed = d3.pack().size([300, 300])
      .padding(6)(d3.hierarchy({ children: names.map((name, index) => ({ name, value: index + 2 })) })
        .sum((d) => d.value));
    const leaf = d3.select(root).append('svg').attr('width', 300).attr('height', 300).selectAll('g')
      .data(packed.leaves()).join('g').attr('transform', (d) => `translate(${d.x},${d.y})`);
    leaf.append('circle').attr('r', (d) => d.r).attr('fill', '#8bc').attr('cursor', 'pointer')
      .on('click', (_, d) => log(d.data.name));
    leaf.append('text').attr('text-anchor', 'middle').style('pointer-events', 'none').text((d) => d.data.name);
    return each('circle', (_, index) => packed.leaves()[index].data.name);
  },
};
