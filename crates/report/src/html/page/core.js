"use strict";
/* Helpers of every part. All data reaches the document as text nodes and numbers, never as markup. */
const byId = (id) => document.getElementById(id);
const overview = JSON.parse(byId("data").textContent);

const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  if (text !== undefined && text !== null) {
    made.textContent = text;
  }
  return made;
};

/* An SVG element: attributes are numbers and names of ours. */
// Marks an item of a list as the one that is shown, in the middle of what is seen of the list.
const markCurrent = (list, current) => {
  [...list.children].forEach((item, at) => {
    if (at === current) {
      item.firstChild.setAttribute("aria-current", "step");
      list.scrollLeft = item.offsetLeft - list.offsetLeft - list.clientWidth / 2 + item.offsetWidth / 2;
      list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2 + item.offsetHeight / 2;
    } else {
      item.firstChild.removeAttribute("aria-current");
    }
  });
};
const shape = (name, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, typeof value === "number" ? Math.round(value * 100) / 100 : value);
  }
  made.append(...children);
  return made;
};

const number = (value) => value.toLocaleString("en-US");
const rounded = (value) => number(Math.round(value));
const milliseconds = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(1)) + " ms";
const percent = (value) => (value * 100).toFixed(1) + " %";
const compact = (value) =>
  value >= 1e6 ? value / 1e6 + "M" : value >= 1e3 ? value / 1e3 + "k" : String(value);

/* The family of a strategy says how it is drawn: ours, a tool's own words, snapshots and searches,
   the page as it is. */
const FAMILIES = [
  ["lens", "lens/*", "circle"],
  ["peer", "other tools, as recorded", "square"],
  ["room", "snapshots, searches, reading", "diamond"],
  ["plain", "raw and truncated", "triangle"],
];
const familyOf = (name) => {
  if (name.startsWith("lens/")) {
    return 0;
  }
  if (name.includes("@")) {
    return 1;
  }
  return /^(raw|truncate)\//.test(name) ? 3 : 2;
};

const marker = (kind, x, y, size) => {
  const points = (list) =>
    list.map(([dx, dy]) => `${(x + dx * size).toFixed(1)},${(y + dy * size).toFixed(1)}`).join(" ");
  const corners = {
    square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
    triangle: [[0, -1.2], [1.15, 0.85], [-1.15, 0.85]],
  }[kind];
  return corners ? shape("polygon", { points: points(corners) }) : shape("circle", { cx: x, cy: y, r: size });
};

/* Ticks of a logarithmic axis over exponents of ten. */
const logTicks = (from, to) => {
  const steps = to - from < 2.2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let decade = Math.floor(from); decade <= Math.ceil(to); decade += 1) {
    for (const step of steps) {
      const at = decade + Math.log10(step);
      if (at >= from - 1e-9 && at <= to + 1e-9) {
        ticks.push([at, compact(step * 10 ** decade)]);
      }
    }
  }
  return ticks;
};

/* What stands beside a mark while it is pointed at or has the focus. */
const tip = element("div", "tip");
tip.hidden = true;
tip.setAttribute("aria-hidden", "true");
const hideTip = () => {
  tip.hidden = true;
};
const showTip = (lines, near) => {
  tip.replaceChildren(...lines.map((line, at) => element(at === 0 ? "strong" : "span", "", line)));
  tip.hidden = false;
  const box = near.getBoundingClientRect();
  const width = tip.offsetWidth;
  const left = Math.min(
    Math.max(box.left + box.width / 2 - width / 2, 8),
    document.documentElement.clientWidth - width - 8
  );
  const above = box.top - tip.offsetHeight - 10;
  tip.style.left = `${left + window.scrollX}px`;
  tip.style.top = `${(above > 0 ? above : box.bottom + 10) + window.scrollY}px`;
};
document.body.append(tip);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    hideTip();
  }
});

/* What a compressed data block of the page holds, unpacked when it is first asked for; null where there is none. */
const blocks = new Map();
const unpacked = (id) => {
  if (!blocks.has(id)) {
    const packed = byId(id);
    const bytes = packed && Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
    const stream = packed && new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    blocks.set(id, stream ? new Response(stream).json() : Promise.resolve(null));
  }
  return blocks.get(id);
};

/* Draws now, and again whenever the width changes. */
const drawInto = (box, draw) => {
  let width = 0;
  const again = (force) => {
    const style = getComputedStyle(box);
    const now = Math.floor(box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    if (now > 0 && (force === true || now !== width)) {
      width = now;
      const focused = box.contains(document.activeElement);
      hideTip();
      box.replaceChildren(draw(width));
      if (focused) {
        box.querySelector("[tabindex]")?.focus();
      }
    }
  };
  new ResizeObserver(() => requestAnimationFrame(again)).observe(box);
  again(true);
  return () => again(true);
};

/* Light and dark: as the system says, or as chosen. */
{
  const choice = byId("theme");
  const remembered = () => {
    try {
      return localStorage.getItem("browserlens-theme");
    } catch {
      return null;
    }
  };
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const say = () => {
    choice.textContent = isDark() ? "Light" : "Dark";
    choice.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  const saved = remembered();
  if (saved === "light" || saved === "dark") {
    document.documentElement.dataset.theme = saved;
  }
  choice.hidden = false;
  choice.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("browserlens-theme", theme);
    } catch {
      /* The choice lasts as long as the page then. */
    }
    say();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
  say();
}
