/* Stacked bars: latency by stage, choices of routers. */
const bars = (label, parts, rows, unit) => (width) => {
  const narrow = width < 620;
  const gutter = narrow ? 0 : 330;
  const each = narrow ? 44 : 26;
  const top = 34;
  const height = top + rows.length * each + 44;
  const frame = { left: gutter + 10, right: width - (narrow ? 62 : 190), bottom: top + rows.length * each };
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group" });
  svg.setAttribute("aria-label", label);
  let at = frame.left;
  parts.forEach((part, index) => {
    svg.append(
      shape("rect", { x: at, y: 6, width: 12, height: 12, class: `bar c${index % 7}` }),
      shape("text", { x: at + 17, y: 16, class: "muted" }, part)
    );
    at += part.length * 6.8 + 32;
  });
  if (rows.length === 0) {
    svg.append(shape("text", { x: frame.left, y: top + 16, class: "muted" }, "Nothing was measured."));
    return svg;
  }
  const most = Math.max(...rows.map((row) => row.parts.reduce((sum, part) => sum + part, 0)), 1e-9);
  const x = (value) => frame.left + (value / most) * (frame.right - frame.left);
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const tick =
    [1, 2, 5, 10].map((factor) => factor * power).find((size) => most / size <= (narrow ? 4 : 8)) ?? power * 10;
  for (let value = 0; value <= most + 1e-9; value += tick) {
    svg.append(
      shape("line", { x1: x(value), x2: x(value), y1: top - 4, y2: frame.bottom, class: "grid" }),
      shape(
        "text",
        { x: x(value), y: frame.bottom + 16, "text-anchor": "middle", class: "muted" },
        String(Math.round(value * 1000) / 1000)
      )
    );
  }
  svg.append(
    shape("text", { x: (frame.left + frame.right) / 2, y: height - 6, "text-anchor": "middle", class: "muted" }, unit)
  );
  rows.forEach((row, index) => {
    const y = top + index * each;
    const middle = narrow ? y + 31 : y + each / 2;
    const group = shape("g", { class: "row", tabindex: "0", role: "img" });
    group.setAttribute("aria-label", row.words.join("; "));
    group.append(shape("rect", { x: 0, y, width, height: each - 2, class: "hit" }));
    group.append(
      narrow
        ? shape("text", { x: frame.left, y: y + 14, class: "name" }, row.name)
        : shape("text", { x: gutter, y: middle + 4, "text-anchor": "end", class: "name" }, row.name)
    );
    let before = 0;
    row.parts.forEach((part, at) => {
      const [left, right] = [x(before), x(before + part)];
      before += part;
      if (right - left > 0.05) {
        group.append(
          shape("rect", {
            x: left,
            y: middle - 8,
            width: Math.max(right - left, 0.5),
            height: 16,
            class: `bar c${at % 7}`
          })
        );
      }
    });
    group.append(shape("text", { x: x(before) + 6, y: middle + 4, class: "muted" }, narrow ? row.short : row.label));
    const show = () => showTip(row.words, group);
    group.addEventListener("mouseenter", show);
    group.addEventListener("focus", show);
    group.addEventListener("mouseleave", hideTip);
    group.addEventListener("blur", hideTip);
    svg.append(group);
  });
  return svg;
};
{
  const rows = overview.latency.map(({ strategy, parts, total, cached }) => {
    const name = overview.strategies[strategy];
    const words = parts
      .map((part, at) => [overview.stages[at], part])
      .filter(([, part]) => part > 0)
      .map(([stage, part]) => `${stage} ${milliseconds(part)}`);
    const label = milliseconds(total) + (cached ? " *" : "");
    return {
      name,
      parts,
      label,
      short: label,
      words: [name, `${milliseconds(total)} per step`, ...words, ...(cached ? ["measured in an earlier run"] : [])]
    };
  });
  drawInto(
    byId("latency-chart"),
    bars("Median milliseconds per step, by stage", overview.stages, rows, "milliseconds per step, median")
  );
}
if (byId("routers-chart")) {
  const rows = overview.routers.map(({ name, chosen, tasks, tokens, extra, missed }) => ({
    name,
    parts: chosen,
    label: `+${rounded(extra)} tokens/task, ${missed} missed`,
    short: `+${rounded(extra)}`,
    words: [
      name,
      overview.representations.map((representation, at) => `${representation} ${chosen[at]}`).join(", "),
      `${tasks[0]} of ${tasks[1]} tasks`,
      `${rounded(tokens)} tokens per task, ${rounded(extra)} over hindsight`,
      `${missed} steps that only hindsight makes succeed`,
    ],
  }));
  drawInto(byId("routers-chart"), bars("Representations chosen, by router", overview.representations, rows, "steps"));
}
