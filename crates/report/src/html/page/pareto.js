/* Cost against success: a mark a point, the front as stairs. A point has a name, a cost and
   a success, both with their intervals, lines that say it in words, and what happens when it is opened. */
const openStrategy = { viewer: null };
/* No cost is drawn as less, since the axis is logarithmic. */
const LEAST_COST = 0.1;
const scatter = (width, { points, intervals, label: ofAll, axis, empty, families }) => {
  const narrow = width < 560;
  const height = narrow ? 400 : Math.min(Math.max(width * 0.48, 400), 640);
  const frame = { left: 52, top: narrow ? 96 : 44, right: width - 14, bottom: height - 48 };
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group" });
  svg.setAttribute("aria-label", ofAll);
  if (points.length === 0) {
    svg.append(shape("text", { x: frame.left, y: frame.top + 20, class: "muted" }, empty));
    return svg;
  }
  const logs = points.map((point) => Math.log10(point.cost));
  if (intervals) {
    logs.push(
      ...points.flatMap((point) => (point.cost_interval ?? []).map((cost) => Math.log10(Math.max(cost, LEAST_COST))))
    );
  }
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const margin = Math.max((high - low) * 0.06, 0.1);
  const [from, to] = [low - margin, high + margin];
  const least = Math.min(...points.map((point) => (intervals && point.interval ? point.interval[0] : point.success)));
  const floor = Math.min(Math.max(Math.floor(least * 10 - 0.5) / 10, 0), 0.8);
  const ceiling = 1 + (1 - floor) * 0.04;
  const x = (log) => frame.left + ((log - from) / (to - from)) * (frame.right - frame.left);
  const y = (share) => frame.bottom - ((share - floor) / (ceiling - floor)) * (frame.bottom - frame.top);

  const step = floor > 0.55 ? 0.1 : 0.2;
  for (let level = 1; level >= floor - 1e-9; level -= step) {
    svg.append(
      shape("line", { x1: frame.left, x2: frame.right, y1: y(level), y2: y(level), class: "grid" }),
      shape(
        "text",
        { x: frame.left - 8, y: y(level) + 4, "text-anchor": "end", class: "muted" },
        `${Math.round(level * 100)} %`
      )
    );
  }
  for (const [at, label] of logTicks(from, to)) {
    svg.append(
      shape("line", { x1: x(at), x2: x(at), y1: frame.top, y2: frame.bottom, class: "grid" }),
      shape("text", { x: x(at), y: frame.bottom + 18, "text-anchor": "middle", class: "muted" }, label)
    );
  }
  svg.append(
    shape("line", { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom, class: "axis" }),
    shape(
      "text",
      { x: (frame.left + frame.right) / 2, y: height - 10, "text-anchor": "middle", class: "muted" },
      narrow ? axis : `${axis} (cheaper to the left)`
    )
  );
  let [legendX, legendY] = [frame.left, 16];
  for (const [name, label, kindOfMark] of families.filter((_, at) => points.some((point) => point.family === at))) {
    const room = label.length * 6.6 + 34;
    if (legendX + room > width && legendX > frame.left) {
      [legendX, legendY] = [frame.left, legendY + 20];
    }
    const entry = shape("g", { class: `mark ${name}` }, marker(kindOfMark, legendX + 6, legendY - 4, 5));
    svg.append(entry, shape("text", { x: legendX + 18, y: legendY, class: "muted" }, label));
    legendX += room;
  }

  const front = points.filter((point) => point.front).sort((a, b) => a.cost - b.cost || a.success - b.success);
  if (front.length > 0) {
    let path = `M${x(Math.log10(front[0].cost))} ${frame.bottom}`;
    for (const point of front) {
      path += `H${x(Math.log10(point.cost))}V${y(point.success)}`;
    }
    svg.append(shape("path", { d: `${path}H${frame.right}`, class: "front" }));
  }

  const placed = points.map((point) => [x(Math.log10(point.cost)), y(point.success)]);
  const taken = placed.map(([px, py]) => [px - 7, py - 7, px + 7, py + 7]);
  const wanted = points
    .map((point, at) => ({ point, at }))
    .filter(({ point }) => point.front || point.named || (!narrow && point.family < 2))
    .sort((a, b) => Number(b.point.front) - Number(a.point.front));
  for (const { point, at } of wanted) {
    const label = point.short;
    const room = label.length * 6.5 + 4;
    const [px, py] = placed[at];
    const places = [
      [10, 4],
      [-10 - room, 4],
      [-room / 2, -12],
      [-room / 2, 20],
      [8, -9],
      [8, 17],
      [-8 - room, -9],
      [-8 - room, 17]
    ];
    const free = places.map(([dx, dy]) => [px + dx, py + dy]).find(([left, base]) => {
      const box = [left, base - 11, left + room, base + 3];
      const inside = box[0] > frame.left && box[2] < width - 2 && box[1] > frame.top - 8 && box[3] < frame.bottom;
      return (
        inside &&
        taken.every(
          (other, index) =>
            index === at || box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1]
        )
      );
    });
    if (free) {
      taken.push([free[0], free[1] - 11, free[0] + room, free[1] + 3]);
      svg.append(shape("text", { x: free[0], y: free[1], class: point.front ? "name on-front" : "name" }, label));
    }
  }

  points.forEach((point, at) => {
    const [family, , kindOfMark] = families[point.family];
    const [px, py] = placed[at];
    const group = shape("g", {
      class: `mark point ${family}${point.front ? " on-front" : ""}`,
      tabindex: "0",
      role: "button"
    });
    if (intervals && point.interval) {
      group.append(
        shape("line", { x1: px, x2: px, y1: y(point.interval[0]), y2: y(point.interval[1]), class: "whisker" })
      );
    }
    if (intervals && point.cost_interval) {
      const [left, right] = point.cost_interval.map((cost) => x(Math.log10(Math.max(cost, LEAST_COST))));
      group.append(shape("line", { x1: left, x2: right, y1: py, y2: py, class: "whisker" }));
    }
    group.append(marker(kindOfMark, px, py, 6), shape("circle", { cx: px, cy: py, r: 12, class: "hit" }));
    group.setAttribute("aria-label", `${point.lines.join("; ")}. ${point.opens}`);
    const show = () => showTip(point.lines, group);
    group.addEventListener("mouseenter", show);
    group.addEventListener("focus", show);
    group.addEventListener("mouseleave", hideTip);
    group.addEventListener("blur", hideTip);
    const open = point.open;
    group.addEventListener("click", open);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      }
    });
    svg.append(group);
  });
  return svg;
};
const between = (range, spelled) => (range ? `, 95 % interval ${spelled(range[0])}–${spelled(range[1])}` : "");
const pareto = (width) => {
  const kind = byId("pareto-success").selectedIndex;
  const points = overview.points.map((point) => {
    const name = overview.strategies[point.strategy];
    const [done, all] = point.tasks;
    const lines = [
      name,
      `${rounded(point.tokens)} tokens per task` + between(point.tokens_interval, rounded),
      `${done} of ${all} tasks` + between(point.interval[0], percent),
      `${point.steps[0]} of ${point.steps[1]} steps` + between(point.interval[1], percent),
    ];
    if (point.ratio !== null) {
      const range = point.ratio_interval
        ? ` (${point.ratio_interval[0].toFixed(2)}–${point.ratio_interval[1].toFixed(2)})`
        : "";
      lines.push(`${point.ratio.toFixed(3)}× the baseline's tokens${range}`);
    }
    if (point.milliseconds !== null) {
      lines.push(`${milliseconds(point.milliseconds)} per step, median`);
    }
    return {
      name,
      short: name.replace(/@[^/]*/, "").replace(":recorded", ""),
      family: familyOf(name),
      named: point.strategy === overview.shown[1],
      cost: point.tokens,
      cost_interval: point.tokens_interval,
      success: point.success[kind],
      interval: point.interval[kind],
      front: point.front[kind],
      lines,
      opens: "Open in the step viewer.",
      open: () => openStrategy.viewer?.(point.strategy),
    };
  });
  return scatter(width, {
    points,
    families: FAMILIES,
    intervals: byId("pareto-intervals").checked,
    label: "Cost against success, a mark a strategy",
    axis: "tokens per task, logarithmic",
    empty: "No strategy is ranked.",
  });
};
{
  const again = drawInto(byId("pareto-chart"), pareto);
  byId("pareto-success").addEventListener("change", again);
  byId("pareto-intervals").addEventListener("change", again);
}
