/* What agents did: cost against success by tool, and one run call by call. A run's block
   is unpacked when it is looked at. */
const runs = (() => {
  const state = { run: 0, call: 0 };
  let block = null;
  let asked = 0;
  const stage = document.querySelector(".run-stage");

  const words = (entry, name) =>
    observationText(entry, null, true, new Map(), { heat: false, changes: false }, () => {}, name, "the run's record");
  const share = (kind, part, title) => {
    const bar = element("span", kind ? `share ${kind}` : "share");
    bar.style.setProperty("--share", String(part));
    bar.title = `${title}: ${percent(part)}`;
    return bar;
  };
  const numbersOf = (call) => {
    const parts = [`${number(call.tokens)} tokens`];
    if (call.ms !== null) {
      parts.push(`${number(call.ms)} ms`);
    }
    return parts;
  };
  const stop = (call, at) => {
    const item = element("li");
    const button = element("button");
    button.type = "button";
    button.tabIndex = -1;
    const what = element("span", "what");
    what.append(element("strong", "", `${call.call} ${call.name}`), ` ${call.arguments.text.slice(0, 120)}`);
    const numbers = element("span", "numbers");
    numbers.append(...numbersOf(call).map((text) => element("span", "", text)));
    if (call.waste !== null) {
      numbers.append(element("span", call.refused ? "bad" : "", `${call.refused ? "✗ " : ""}${call.waste}`));
    }
    button.append(what, numbers);
    if (call.shares[0] !== null) {
      button.append(share("", call.shares[0], "of the run's time"));
    }
    if (call.shares[1] !== null) {
      button.append(share("carried", call.shares[1], "of what was read"));
    }
    button.addEventListener("click", () => go(at));
    item.append(button);
    return item;
  };

  const showCall = (call) => {
    const numbers = element("p", "cost");
    numbers.append(
      element("strong", "", `${call.call} ${call.name}`),
      ` turn ${number(call.turn)} · ${numbersOf(call).join(" · ")}`
    );
    const parts = [numbers];
    const shares = [];
    if (call.shares[0] !== null) {
      shares.push(`${percent(call.shares[0])} of the run's time`);
    }
    if (call.shares[1] !== null) {
      shares.push(`${percent(call.shares[1])} of what the model read is this call, carried on`);
    }
    if (call.image_tokens > 0) {
      shares.push(`${number(call.image_tokens)} tokens of the answer are images`);
    }
    if (shares.length > 0) {
      parts.push(element("p", "hint", shares.join(" · ")));
    }
    if (call.waste !== null) {
      const chips = element("div", "chips");
      chips.append(chip(call.refused ? `✗ ${call.waste}` : call.waste, call.refused ? "bad" : ""));
      parts.push(chips);
    }
    if (call.said !== null) {
      parts.push(element("h4", "", "What the model said before it"), ...words(call.said, "What the model said"));
    }
    parts.push(element("h4", "", "Arguments"), ...words(call.arguments, "Arguments"));
    parts.push(element("h4", "", "Answer"), ...words(call.answer, "Answer"));
    byId("call").replaceChildren(...parts);
  };
  const showPage = (call) => {
    const box = byId("run-page");
    if (block.trace === null) {
      box.replaceChildren();
      return;
    }
    const page = call.step === null ? undefined : block.pages.find((page) => page.step === call.step);
    if (page === undefined) {
      const why =
        block.pages.length === 0 ? `The trace ${block.trace} is not in the page.` : "The answer tells of no page.";
      box.replaceChildren(element("p", "empty", why));
      return;
    }
    const parts = [element("h4", "", `Page after step ${page.step}`)];
    const data = page.picture === null ? null : byId(`run-picture-${page.picture}`);
    if (data) {
      const image = element("img");
      image.alt = "The page that the answer tells of";
      image.src = `data:image/jpeg;base64,${data.textContent}`;
      parts.push(image);
    } else {
      parts.push(element("p", "empty", "Its screenshot is not in the page."));
    }
    for (const text of [page.action, page.title, page.url].filter(Boolean)) {
      parts.push(element("p", "hint", text));
    }
    box.replaceChildren(...parts);
  };
  const show = () => {
    markCurrent(byId("calls"), state.call);
    const call = block.calls[state.call];
    stage.classList.toggle("with-page", block.trace !== null);
    if (call === undefined) {
      byId("call").replaceChildren(element("p", "empty", "No call was made."));
      byId("run-page").replaceChildren();
      return;
    }
    showCall(call);
    showPage(call);
  };
  const go = (call) => {
    if (block) {
      state.call = Math.min(Math.max(call, 0), Math.max(block.calls.length - 1, 0));
      show();
    }
  };
  const open = async (at) => {
    state.run = at;
    byId("run").selectedIndex = at;
    asked += 1;
    const mine = asked;
    let found = null;
    let reason = "This run is not in the page, which would have grown too large.";
    try {
      found = await unpacked(`run-${at}`);
    } catch (error) {
      reason = `This run cannot be unpacked: ${error.message}`;
    }
    if (mine !== asked) {
      return;
    }
    const known = overview.runs[at];
    const judged = known.success === null ? "not judged" : known.success ? "succeeded" : "failed";
    const cut = found?.cut ? `The record ${found.cut}.` : "";
    byId("run-goal").textContent = [known.goal, `${known.model ?? "No model named"}, ${known.tool}: ${judged}.`, cut]
      .filter(Boolean)
      .join(" ");
    byId("run-trouble").hidden = found !== null;
    byId("run-trouble").textContent = found === null ? reason : "";
    stage.hidden = found === null;
    block = found;
    if (block) {
      byId("calls").replaceChildren(...block.calls.map(stop));
      state.call = 0;
      show();
    }
    byId("runs").dataset.ready = String(at);
  };
  return { state, open, go };
})();
if (overview.runs.length > 0) {
  const mark = (run) => (run.success === null ? "" : run.success ? "✓ " : "✗ ");
  byId("run").replaceChildren(
    ...overview.runs.map((run) => element("option", "", `${mark(run)}${run.task} · ${run.tool} · ${run.calls} calls`))
  );
  byId("run").addEventListener("change", (event) => runs.open(event.target.selectedIndex));
  byId("calls").addEventListener("keydown", (event) => {
    const to = { ArrowDown: runs.state.call + 1, ArrowUp: runs.state.call - 1, Home: 0, End: Infinity }[event.key];
    if (to !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      runs.go(to);
    }
  });
  byId("runs").hidden = false;
  runs.open(0);
}
if (byId("agents-chart")) {
  const KINDS = [["agent", "tools", "circle"]];
  const seconds = (value) => `${value.toFixed(1)} s`;
  const draw = (width) => {
    const kind = byId("agents-cost").selectedIndex;
    const spelled =
      kind === 0 ? (value) => `${rounded(value)} tokens read a run` : (value) => `${seconds(value)} a run`;
    const points = overview.agents.filter((agent) => agent.cost[kind] !== null).map((agent) => ({
      name: agent.tool,
      short: agent.tool,
      family: 0,
      named: true,
      cost: Math.max(agent.cost[kind], LEAST_COST),
      cost_interval: agent.cost_interval[kind],
      success: agent.success,
      interval: agent.interval,
      front: agent.front[kind],
      lines: [
        agent.tool,
        spelled(agent.cost[kind]) + between(agent.cost_interval[kind], kind === 0 ? rounded : seconds),
        `${agent.runs[0]} of ${agent.runs[1]} judged runs succeed` + between(agent.interval, percent),
      ],
      opens: "Open its first run.",
      open: () => {
        runs.open(Math.max(overview.runs.findIndex((run) => run.tool === agent.tool), 0));
        byId("runs").scrollIntoView();
        byId("calls").focus();
      },
    }));
    return scatter(width, {
      points,
      families: KINDS,
      intervals: byId("agents-intervals").checked,
      label: "Agents: cost against success, a mark a tool",
      axis: kind === 0 ? "tokens read a run, logarithmic" : "seconds a run, logarithmic",
      empty: "No tool's records say how long they took.",
    });
  };
  const again = drawInto(byId("agents-chart"), draw);
  byId("agents-cost").addEventListener("change", again);
  byId("agents-intervals").addEventListener("change", again);
}
