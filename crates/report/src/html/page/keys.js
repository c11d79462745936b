/* What the viewer's buttons and keys do. */
{
  const { state } = viewer;
  const scenario = (at) => viewer.open(at, 0).then(viewer.remember);
  byId("scenario").addEventListener("change", (event) => scenario(event.target.selectedIndex));
  for (const side of ["left", "right"]) {
    byId(side).addEventListener("change", (event) => viewer.choose(side, event.target.selectedIndex));
  }
  byId("previous").addEventListener("click", () => viewer.go(state.step - 1));
  byId("next").addEventListener("click", () => viewer.go(state.step + 1));
  for (const name of ["before", "refs", "heat", "changes"]) {
    byId(`switch-${name}`).addEventListener("click", () => viewer.turn(name));
  }
  byId("swap").addEventListener("click", viewer.swap);
  const help = byId("help");
  byId("help-open").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());

  const keys = {
    ArrowLeft: () => viewer.go(state.step - 1),
    ArrowRight: () => viewer.go(state.step + 1),
    Home: () => viewer.go(0),
    End: () => viewer.go(Infinity),
    "[": () => state.scenario > 0 && scenario(state.scenario - 1),
    "]": () => state.scenario < viewer.count - 1 && scenario(state.scenario + 1),
    b: () => viewer.turn("before"),
    r: () => viewer.turn("refs"),
    h: () => viewer.turn("heat"),
    c: () => viewer.turn("changes"),
    s: viewer.swap,
    n: () => viewer.nextRef(1),
    p: () => viewer.nextRef(-1),
    1: () => byId("left").focus(),
    2: () => byId("right").focus(),
    "?": () => help.showModal(),
  };
  /* The viewer has the keys while it holds the focus, or fills the middle of the window while nothing else has it. */
  const hasKeys = () => {
    const active = document.activeElement;
    const section = byId("steps");
    if (section.contains(active)) {
      return true;
    }
    const box = section.getBoundingClientRect();
    const middle = window.innerHeight / 2;
    return (active === document.body || active === null) && box.top < middle && box.bottom > middle;
  };
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest?.("select, input, textarea");
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || field || help.open || !hasKeys()) {
      return;
    }
    const does = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (does) {
      event.preventDefault();
      does();
    }
  });

  const reveal = () => byId("steps").scrollIntoView();
  openStrategy.viewer = (strategy) => {
    viewer.choose("left", strategy);
    reveal();
    byId("left").focus();
  };
  openStrategy.step = (scenarioAt, step) => {
    viewer.open(scenarioAt, step).then(viewer.remember);
    reveal();
    byId("timeline").focus();
  };

  if (viewer.count > 0) {
    byId("viewer").hidden = false;
    const named = /^#steps=(\d+),(\d+),(\d+),(\d+)$/.exec(location.hash);
    if (named) {
      const [scenarioAt, step, left, right] = named.slice(1).map(Number);
      const known = (strategy, other) => (strategy < overview.strategies.length ? strategy : other);
      state.left = known(left, state.left);
      state.right = known(right, state.right);
      viewer.open(scenarioAt, step).then(reveal);
    } else {
      viewer.open(0, 0);
    }
  }
}
