/* Tokens over steps: one small panel a scenario, all on one scale. */
{
  const COLOURS = 7;
  const MOST_PANELS = 60;
  const names = overview.strategies;
  const wanted = [
    overview.shown[0],
    overview.shown[1],
    ...["lens/delta", "lens/full", "raw/html"].map((name) => names.indexOf(name))
  ];
  const chosen = new Set(wanted.filter((at) => at >= 0 && at < names.length));
  const lookOf = (strategy) => {
    const at = [...chosen].sort((a, b) => a - b).indexOf(strategy);
    return `series c${at % COLOURS}${at >= COLOURS ? " dashed" : ""}`;
  };

  const panel = (scenario, at, width, range) => {
    const height = 190;
    const frame = { left: 40, top: 30, right: width - 8, bottom: height - 34 };
    const lines = overview.tokens[at] ?? [];
    const steps = Math.max(...lines.map((line) => line.length), 1);
    const x = (step) => frame.left + 6 + (steps > 1 ? (step / (steps - 1)) * (frame.right - frame.left - 12) : 0);
    const y = (tokens) =>
      frame.bottom -
      ((Math.log10(Math.max(tokens, 1)) - range[0]) / (range[1] - range[0])) * (frame.bottom - frame.top);
    const svg = shape("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "group",
      class: "panel",
      tabindex: "0"
    });
    svg.append(shape("text", { x: 0, y: 16, class: "name on-front" }, scenario.name));
    for (const [tick, label] of logTicks(range[0], range[1])) {
      const level = y(10 ** tick);
      svg.append(
        shape("line", { x1: frame.left, x2: frame.right, y1: level, y2: level, class: "grid" }),
        shape("text", { x: frame.left - 6, y: level + 4, "text-anchor": "end", class: "muted" }, label)
      );
    }
    const stride = Math.max(Math.ceil(steps / Math.max(Math.floor(width / 42), 2)), 1);
    for (let step = 0; step < steps; step += stride) {
      svg.append(
        shape("text", { x: x(step), y: frame.bottom + 16, "text-anchor": "middle", class: "muted" }, String(step))
      );
    }
    svg.append(
      shape("line", { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom, class: "axis" }),
      shape("text", { x: frame.right, y: height - 4, "text-anchor": "end", class: "muted" }, "step")
    );
    for (const strategy of [...chosen].reverse()) {
      const line = lines[strategy] ?? [];
      let path = "";
      const dots = [];
      line.forEach((tokens, step) => {
        if (tokens !== null) {
          path += `${path === "" || line[step - 1] === null ? "M" : "L"}${x(step).toFixed(1)} ${y(tokens).toFixed(1)}`;
          dots.push(shape("circle", { cx: x(step), cy: y(tokens), r: steps > 30 ? 1.5 : 2.6 }));
        }
      });
      svg.append(shape("g", { class: lookOf(strategy) }, shape("path", { d: path || "M0 0" }), ...dots));
    }
    const cursor = shape("line", {
      x1: 0,
      x2: 0,
      y1: frame.top,
      y2: frame.bottom,
      class: "cursor",
      visibility: "hidden"
    });
    svg.append(cursor);
    let current = -1;
    const show = (step) => {
      current = Math.min(Math.max(step, 0), steps - 1);
      cursor.setAttribute("x1", x(current));
      cursor.setAttribute("x2", x(current));
      cursor.setAttribute("visibility", "visible");
      const told = [...chosen].map((strategy) => [names[strategy], lines[strategy]?.[current]]);
      const words = told.map(
        ([name, tokens]) => `${name}: ${tokens === undefined ? "not run" : tokens === null ? "failed" : number(tokens)}`
      );
      showTip([`${scenario.name}, step ${current}`, ...words], cursor);
      svg.setAttribute("aria-label", `${scenario.name}, step ${current} of ${steps - 1}: ${words.join("; ")}`);
    };
    const hide = () => {
      cursor.setAttribute("visibility", "hidden");
      hideTip();
    };
    svg.setAttribute(
      "aria-label",
      `Tokens of ${scenario.name} over ${steps} steps; arrow keys read the steps, Enter opens one`
    );
    svg.addEventListener("mousemove", (event) => {
      const place = event.clientX - svg.getBoundingClientRect().left;
      show(Math.round(((place - frame.left - 6) / Math.max(frame.right - frame.left - 12, 1)) * (steps - 1)));
    });
    svg.addEventListener("mouseleave", hide);
    svg.addEventListener("blur", hide);
    const open = () => openStrategy.step?.(at, Math.max(current, 0));
    svg.addEventListener("click", open);
    svg.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (move) {
        event.preventDefault();
        event.stopPropagation();
        show(current + move);
      } else if (event.key === "Enter") {
        open();
      }
    });
    return svg;
  };

  const draw = (width) => {
    const grid = element("div", "panels");
    const drawn = overview.tokens.flatMap((lines) => [...chosen].map((strategy) => lines[strategy] ?? []));
    const known = drawn.flat().filter((tokens) => tokens !== null);
    const logs = known.map((tokens) => Math.log10(Math.max(tokens, 1)));
    const least = logs.reduce((a, b) => Math.min(a, b), Infinity);
    const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
    const range =
      known.length > 0
        ? [Math.floor(least * 2) / 2, Math.max(Math.ceil(most * 2) / 2, Math.floor(least * 2) / 2 + 0.5)]
        : [0, 1];
    const columns = Math.max(Math.min(Math.floor(width / 330), overview.scenarios.length, 6), 1);
    const each = Math.floor((width - (columns - 1) * 18) / columns);
    overview.scenarios.slice(0, MOST_PANELS).forEach((scenario, at) => grid.append(panel(scenario, at, each, range)));
    if (overview.scenarios.length > MOST_PANELS) {
      grid.append(
        element("p", "hint", `${overview.scenarios.length - MOST_PANELS} more scenarios stand in the tables.`)
      );
    }
    return grid;
  };
  let again = () => {};
  const choices = byId("tokens-strategies");
  const legend = element("div", "chips");
  const all = element("details", "choices");
  all.append(element("summary", "", "Choose strategies"));
  const list = element("div", "checks");
  const showLegend = () => {
    legend.replaceChildren(...[...chosen].sort((a, b) => a - b).map((strategy) => {
      const chip = element("span", "chip");
      const line = shape(
        "svg",
        { viewBox: "0 0 24 8", width: 24, height: 8 },
        shape(
          "g",
          { class: lookOf(strategy) },
          shape("path", { d: "M0 4H24" }),
          shape("circle", { cx: 12, cy: 4, r: 3 })
        )
      );
      line.setAttribute("aria-hidden", "true");
      chip.append(line, ` ${names[strategy]}`);
      return chip;
    }));
  };
  names.forEach((name, at) => {
    const label = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.checked = chosen.has(at);
    box.addEventListener("change", () => {
      if (box.checked) {
        chosen.add(at);
      } else {
        chosen.delete(at);
      }
      showLegend();
      again();
    });
    label.append(box, ` ${name}`);
    list.append(label);
  });
  all.append(list);
  choices.append(legend, all);
  showLegend();
  again = drawInto(byId("tokens-chart"), draw);
}
