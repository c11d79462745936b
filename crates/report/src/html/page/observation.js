/* One observation as lines: what changed, what is elided or volatile, what each line costs, and which
   ref means what. */
const LINES_AT_ONCE = 500;
const PIECES = /(@[em]\d+(?:\.\d+)?|\[ref=[^\]\s]+\]|\buid=\S+|\[\d+\](?=[<\s]|$))|(…(?: \+?\d+ (?:chars|more items?|off-screen|images?|fields?|texts?|more events?))?)|\b(volatile)\b/g;

/* Lines of a delta in the lens's grammar, by the word that began their change; of any other,
   whether the step before had them. */
const classify = (text, before, isDelta) => {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") {
    lines.pop();
  }
  const kinds = new Array(lines.length).fill("");
  let gone = [];
  if (isDelta && text.startsWith("[DELTA")) {
    const words = {
      CHANGED: "changed",
      ADDED: "added",
      NOW: "added",
      EXPANDED: "added",
      REMOVED: "removed",
      MOVED: "moved",
      ORDER: "moved",
      PAGE: "changed",
      FOCUS: "moved",
      VOLATILE: "muted",
      ELIDED: "muted",
      UNCHANGED: "muted"
    };
    let kind = "";
    lines.forEach((line, at) => {
      const word = /^([A-Z]+)[: ]/.exec(line);
      if (word && words[word[1]] !== undefined) {
        kind = words[word[1]];
      } else if (line.startsWith("[")) {
        kind = "";
      }
      kinds[at] = kind;
    });
  } else if (before !== null) {
    const counts = new Map();
    const earlier = before.split("\n");
    for (const line of earlier) {
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
    lines.forEach((line, at) => {
      const left = counts.get(line) ?? 0;
      if (left > 0) {
        counts.set(line, left - 1);
      } else if (line.trim() !== "") {
        kinds[at] = "added";
      }
    });
    gone = earlier.filter((line) => {
      const left = counts.get(line) ?? 0;
      if (left > 0 && line.trim() !== "") {
        counts.set(line, left - 1);
        return true;
      }
      return false;
    });
  }
  return { lines, kinds, gone };
};

/* The handle that a piece of text names, as the boxes know it. */
const handleIn = (piece, boxes) => {
  const bare = piece.replace(/^\[?(?:ref=|uid=)?/, "").replace(/\]$/, "");
  return [piece, bare, `@${bare}`].find((name) => boxes.has(name));
};

const lineElement = (line, kind, heat, most, boxes, onRef) => {
  const made = element("span", kind ? `line ${kind}` : "line");
  if (heat !== undefined) {
    const strip = element("span", "heat");
    strip.setAttribute("aria-hidden", "true");
    strip.title = `${heat} tokens`;
    strip.style.setProperty("--share", String(Math.min(Math.sqrt(heat / most), 1)));
    strip.dataset.tokens = heat;
    made.append(strip);
  }
  let from = 0;
  for (const found of line.length > 20000 ? [] : line.matchAll(PIECES)) {
    if (found.index > from) {
      made.append(line.slice(from, found.index));
    }
    from = found.index + found[0].length;
    if (found[1]) {
      const handle = handleIn(found[1], boxes);
      const piece = element("span", handle ? "ref known" : "ref", found[1]);
      if (handle) {
        piece.dataset.handle = handle;
        piece.addEventListener("mouseenter", () => onRef(handle));
        piece.addEventListener("mouseleave", () => onRef(null));
      }
      made.append(piece);
    } else {
      made.append(element("span", found[2] ? "elided" : "volatile", found[0]));
    }
  }
  made.append(line.slice(from) + "\n");
  return made;
};

/* The text of a row, or why there is none. `view` says whether heat is on and whether only
   changes are wanted; `place`, where the whole text lies. */
const observationText = (entry, before, isDelta, boxes, view, onRef, name, place) => {
  if (!entry || entry.missing) {
    return [element("p", "empty", entry ? entry.missing : "This text is not in the page.")];
  }
  if (entry.text === "" && !entry.cut) {
    return [element("p", "empty", "No text.")];
  }
  const { lines, kinds, gone } = classify(entry.text, before, isDelta);
  const most = (entry.heat ?? []).reduce((a, b) => Math.max(a, b), 1);
  const shown = lines
    .map((line, at) => at)
    .filter((at) => !view.changes || (kinds[at] !== "" && kinds[at] !== "muted"));
  const block = element("pre", view.heat ? "observation with-heat" : "observation");
  block.tabIndex = 0;
  block.setAttribute("role", "region");
  block.setAttribute("aria-label", name);
  const parts = [];
  const counts = kinds.filter((kind) => kind === "added").length;
  if (before !== null && !(isDelta && entry.text.startsWith("[DELTA"))) {
    parts.push(
      element(
        "p",
        "hint",
        `Against the step before: ${number(counts)} of ${number(lines.length)} lines are new, ${number(gone.length)} are gone.`
      )
    );
  }
  let next = 0;
  const more = element("button", "more");
  more.type = "button";
  const grow = () => {
    const part = document.createDocumentFragment();
    for (const at of shown.slice(next, next + LINES_AT_ONCE)) {
      part.append(lineElement(lines[at], kinds[at], entry.heat?.[at], most, boxes, onRef));
    }
    block.append(part);
    next += LINES_AT_ONCE;
    more.hidden = next >= shown.length;
    more.textContent = `Show more lines (${number(Math.max(shown.length - next, 0))} left)`;
  };
  grow();
  more.addEventListener("click", grow);
  if (view.changes) {
    for (const line of gone.slice(0, LINES_AT_ONCE)) {
      block.append(lineElement(line, "removed", undefined, most, new Map(), onRef));
    }
    if (block.childElementCount === 0) {
      block.append(
        element("span", "empty", before === null && !isDelta ? "Nothing was shown before." : "No line changed.")
      );
    }
  }
  parts.push(block, more);
  if (entry.unseen) {
    const [what, are] = entry.unseen === 1 ? ["character", "is"] : ["characters", "are"];
    parts.push(
      element("p", "empty", `${number(entry.unseen)} ${what} of it that nobody sees ${are} written as escapes here.`)
    );
  }
  if (entry.cut) {
    const store = place ?? (overview.store || "the run's observation store");
    parts.push(element("p", "empty", `Cut: the whole text has ${number(entry.cut)} bytes and lies in ${store}.`));
  }
  return parts;
};
