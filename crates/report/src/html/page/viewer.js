/* The step viewer: a scenario's block is unpacked when it is looked at, and kept. */
const viewer = (() => {
  const scenarios = overview.scenarios;
  const state = {
    scenario: 0,
    step: 0,
    left: overview.shown[0],
    right: overview.shown[1],
    before: false,
    refs: true,
    heat: true,
    changes: false
  };
  let block = null;
  let asked = 0;

  const picture = (place, description) => {
    const data = place === null ? null : byId(`picture-${place}`);
    if (!data) {
      return null;
    }
    const image = element("img");
    image.alt = description;
    image.decoding = "async";
    image.src = `data:image/jpeg;base64,${data.textContent}`;
    return image;
  };

  /* Boxes over the picture, in CSS px of the viewport. */
  const boxesOf = (step, strategy) => new Map((step.refs[strategy] ?? []).map(([handle, box]) => [handle, box]));
  const point = (handle) => {
    for (const mark of document.querySelectorAll("#screen [data-ref]")) {
      mark.classList.toggle("pointed", mark.dataset.ref === handle);
    }
    for (const mark of document.querySelectorAll(".pane .ref.known")) {
      mark.classList.toggle("pointed", mark.dataset.handle === handle);
    }
  };
  const labelled = (box, label, kind, [width, height]) => {
    const [x, y, w, h] = box;
    const size = Math.max(width / 85, 11);
    const room = label.length * size * 0.62 + 6;
    const group = shape("g", { class: kind });
    group.append(shape("rect", { x, y, width: Math.max(w, 2), height: Math.max(h, 2), rx: 2, class: "frame" }));
    const left = Math.min(Math.max(x, 0), Math.max(width - room, 0));
    const top = y - size - 4 >= 0 ? y - size - 4 : Math.min(y + 1, height - size - 4);
    group.append(
      shape("rect", { x: left, y: top, width: room, height: size + 4, class: "plate" }),
      shape("text", { x: left + 3, y: top + size, "font-size": size, class: "label" }, label)
    );
    return group;
  };
  const drawScreen = (step) => {
    const shown = state.before && state.step > 0 ? block.steps[state.step - 1] : step;
    const box = byId("screen");
    byId("shot-title").textContent = shown === step ? "Page after the action" : "Page before the action";
    const image = picture(
      shown.picture,
      shown === step ? "Screenshot after the action" : "Screenshot before the action"
    );
    if (image === null) {
      box.replaceChildren(
        element("p", "empty", shown.picture === null ? "No screenshot." : "This screenshot is not in the page.")
      );
      return;
    }
    const parts = [image];
    if (shown.viewport) {
      const [width, height] = shown.viewport;
      const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "marks", role: "img" });
      const inView = ([x, y, w, h]) => x < width && y < height && x + w > 0 && y + h > 0;
      const refs = [...boxesOf(shown, state.left)].filter(([, place]) => inView(place));
      if (state.refs) {
        for (const [handle, place] of refs) {
          const mark = labelled(place, handle, "mark-ref", [width, height]);
          mark.dataset.ref = handle;
          svg.append(mark);
        }
      }
      const targets = shown.targets.filter(inView);
      for (const place of targets) {
        const isLarge = place[2] * place[3] > (width * height) / 4;
        svg.append(
          labelled(place, shown === step ? "next" : "action", isLarge ? "mark-target large" : "mark-target", [
            width,
            height
          ])
        );
      }
      const outside = shown.targets.length - targets.length;
      svg.setAttribute(
        "aria-label",
        `${targets.length} boxes of the ${shown === step ? "next action's" : "action's"} node${state.refs ? `, ${refs.length} refs of ${overview.strategies[state.left]}` : ""}`
      );
      parts.push(svg);
      box.replaceChildren(...parts);
      const frame = element("div", "screen");
      frame.append(...parts);
      box.replaceChildren(frame);
      if (outside > 0) {
        box.append(element("p", "hint", "The node of the next action lies outside the viewport."));
      }
      if (state.refs && shown.refs[state.left] === undefined) {
        const known = Object.keys(shown.refs).map((at) => overview.strategies[at]);
        box.append(
          element(
            "p",
            "hint",
            known.length > 0
              ? `Boxes of refs are known for ${known.join(", ")}: choose one on the left.`
              : "No boxes of refs are known here."
          )
        );
      }
      return;
    }
    box.replaceChildren(...parts);
  };

  const pane = (box, strategy, step) => {
    const row = step.rows[strategy] ?? null;
    if (row === null) {
      box.replaceChildren(element("p", "empty", "This strategy was not run here."));
      return;
    }
    if (row.error !== undefined) {
      const error = element("pre", "error", row.error);
      error.tabIndex = 0;
      box.replaceChildren(chip("✗ error", "bad"), error);
      return;
    }
    const cost = element("p", "cost");
    cost.append(element("strong", "", number(row.tokens)), ` tokens · ${row.kind}`);
    const details = [row.reason, row.representation].filter(Boolean);
    if (row.image_tokens > 0) {
      details.push(`${number(row.image_tokens)} of them for images`);
    }
    if (row.legend_tokens > 0) {
      details.push(`${number(row.legend_tokens)} for the legend`);
    }
    const parts = [cost];
    if (details.length > 0) {
      parts.push(element("p", "hint", details.join(" · ")));
    }
    parts.push(...verdict(row, step.facts));
    const earlier = state.step > 0 ? block.steps[state.step - 1].rows[strategy] : null;
    const before = earlier && earlier.text !== undefined ? block.texts[earlier.text] : null;
    const beforeText = before && !before.missing ? before.text : null;
    parts.push(
      ...observationText(
        block.texts[row.text],
        beforeText,
        row.kind === "delta",
        boxesOf(step, strategy),
        state,
        point,
        `Observation of ${overview.strategies[strategy]}`
      )
    );
    for (const place of row.images) {
      parts.push(picture(place, "Image of the observation") ?? element("p", "empty", "This image is not in the page."));
    }
    for (const request of row.requests) {
      const answer = element("details");
      answer.open = true;
      answer.append(
        element("summary", "", `The reader asked: ${request.request} · ${number(request.tokens)} tokens`),
        ...observationText(
          block.texts[request.text],
          null,
          true,
          boxesOf(step, strategy),
          { heat: state.heat, changes: false },
          point,
          `Observation of ${overview.strategies[strategy]}, answer`
        )
      );
      parts.push(answer);
    }
    box.replaceChildren(...parts);
  };

  const described = (list, pairs) => {
    list.replaceChildren();
    for (const [name, value] of pairs.filter(([, value]) => value)) {
      list.append(element("dt", "", name), element("dd", "", value));
    }
  };
  const listed = (box, title, items) => {
    box.replaceChildren();
    if (items.length > 0) {
      const list = element("ul");
      /* It may scroll: the keyboard must reach it. */
      list.tabIndex = 0;
      list.setAttribute("aria-label", title);
      list.append(...items);
      box.append(element("h4", "", title), list);
    }
  };
  const showEvents = (step) => {
    const items = step.events.map(([kind, label, text, mark]) => {
      const item = element("li", mark ? "event bad" : "event");
      item.append(element("span", "kind", `${kind} ${label}`.trim()), ` ${text}`);
      return item;
    });
    if (step.more_events > 0) {
      items.push(element("li", "empty", `and ${number(step.more_events)} more`));
    }
    listed(byId("events"), "Console and network of the step", items);
  };

  const remember = () => {
    try {
      history.replaceState(null, "", `#steps=${state.scenario},${state.step},${state.left},${state.right}`);
    } catch {
      /* The address stays as it is then. */
    }
  };
  const pressed = (id, on) => byId(id).setAttribute("aria-pressed", String(on));
  const show = () => {
    if (!block) {
      return;
    }
    const step = block.steps[state.step];
    byId("position").textContent = `Step ${step.step} · ${state.step + 1} of ${block.steps.length}`;
    byId("previous").disabled = state.step === 0;
    byId("next").disabled = state.step === block.steps.length - 1;
    pressed("switch-before", state.before);
    pressed("switch-refs", state.refs);
    pressed("switch-heat", state.heat);
    pressed("switch-changes", state.changes);
    byId("left").selectedIndex = state.left;
    byId("right").selectedIndex = state.right;
    markCurrent(byId("timeline"), state.step);
    drawScreen(step);
    described(byId("page"), [
      ["Action", step.action || "first page"],
      ["Next", step.next],
      ["Title", step.title],
      ["URL", step.url]
    ]);
    listed(
      byId("facts"),
      "Facts to read",
      step.facts.map((fact) => element("li", "", fact.text + (fact.pixels ? " (may be read from pixels)" : "")))
    );
    showEvents(step);
    pane(byId("left-pane"), state.left, step);
    pane(byId("right-pane"), state.right, step);
  };

  /* A step of the time line: its screenshot small, its action, what both strategies made of it. */
  const stop = (step, at) => {
    const item = element("li");
    const button = element("button");
    button.type = "button";
    button.tabIndex = -1;
    const small = picture(step.picture, "");
    const marks = element("span", "outcome");
    for (const strategy of [state.left, state.right]) {
      const row = step.rows[strategy];
      const good = row && row.success;
      marks.append(element("span", row ? (good ? "good" : "bad") : "", row ? (good ? "✓" : "✗") : "–"));
    }
    const words = element("span", "what");
    words.append(element("strong", "", String(step.step)), ` ${step.action || "first page"}`);
    button.append(...(small ? [small] : []), words, marks);
    button.title = step.action;
    button.addEventListener("click", () => go(at));
    item.append(button);
    return item;
  };
  const showTimeline = () => byId("timeline").replaceChildren(...block.steps.map(stop));

  const open = async (scenario, step) => {
    state.scenario = Math.min(Math.max(scenario, 0), scenarios.length - 1);
    byId("scenario").selectedIndex = state.scenario;
    const known = scenarios[state.scenario];
    byId("goal").textContent = [known.goal, known.complete ? "" : "(The recording is incomplete.)"]
      .filter(Boolean)
      .join(" ");
    asked += 1;
    const mine = asked;
    const trouble = byId("viewer-trouble");
    let found = null;
    let reason = "This scenario is not in the page, which would have grown too large.";
    try {
      found = await unpacked(`scenario-${state.scenario}`);
    } catch (error) {
      reason = `This scenario cannot be unpacked: ${error.message}`;
    }
    if (mine !== asked) {
      return;
    }
    trouble.hidden = found !== null;
    trouble.textContent = found === null ? reason : "";
    byId("viewer").classList.toggle("without", found === null);
    block = found;
    if (block) {
      state.step = Math.min(Math.max(step, 0), block.steps.length - 1);
      showTimeline();
      show();
    }
    byId("viewer").dataset.ready = `${state.scenario}`;
  };
  const go = (step) => {
    if (block) {
      state.step = Math.min(Math.max(step, 0), block.steps.length - 1);
      show();
      remember();
    }
  };
  const turn = (name) => {
    state[name] = !state[name];
    show();
  };
  const choose = (side, strategy) => {
    state[side] = strategy;
    if (block) {
      showTimeline();
      show();
    }
    remember();
  };
  const swap = () => {
    [state.left, state.right] = [state.right, state.left];
    choose("left", state.left);
  };
  let ref = -1;
  const nextRef = (move) => {
    if (block) {
      const handles = [...boxesOf(block.steps[state.step], state.left).keys()];
      if (handles.length > 0) {
        ref = (ref + move + handles.length) % handles.length;
        point(handles[ref]);
        byId("left-pane").querySelector(".ref.pointed")?.scrollIntoView({ block: "nearest" });
      }
    }
  };

  const fill = (select, names) => select.replaceChildren(...names.map((name) => element("option", "", name)));
  fill(byId("scenario"), scenarios.map((scenario) => scenario.name));
  fill(byId("left"), overview.strategies);
  fill(byId("right"), overview.strategies);
  return { state, open, go, turn, choose, swap, nextRef, remember, count: scenarios.length };
})();
