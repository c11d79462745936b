/* What the reader made of an observation: one chip a question, and in words why the step fails. */
const chip = (text, kind) => element("span", kind ? `chip ${kind}` : "chip", text);

/* Where the search for a node ended; empty if it was found. */
const lostNode = (name, [recall, addressable, discriminable], resolved) => {
  if (!recall) {
    return `${name} not shown`;
  }
  if (!addressable) {
    return `${name} shown, but not addressable`;
  }
  if (!discriminable) {
    return `${name} shown, but not singled out by role, name and path`;
  }
  return resolved === false ? `${name}: the handle means another node` : "";
};

const verdict = (row, facts) => {
  const chips = [chip(row.success ? "✓ step succeeds" : "✗ step fails", row.success ? "good" : "bad")];
  const why = [];
  const searched = (name, target, resolved) => {
    const lost = lostNode(name, target, resolved);
    chips.push(lost ? chip(`✗ ${lost}`, "bad") : chip(`✓ ${name} found`, "good"));
    if (lost) {
      why.push(`The reader cannot act: ${lost}.`);
    }
  };
  if (row.target === null) {
    chips.push(chip("no node needed next"));
  } else {
    searched("target", row.target, row.resolved);
  }
  if (row.drop_target) {
    searched("drop target", row.drop_target, null);
  }
  const [total, read, pixels] = row.facts;
  if (total > 0) {
    const where = pixels > 0 ? `, ${pixels} in pixels only` : "";
    chips.push(
      chip(`${read === total ? "✓" : "✗"} ${read} of ${total} facts read${where}`, read === total ? "good" : "bad")
    );
  }
  facts.forEach((fact, at) => {
    if (row.facts_read[at] === false) {
      why.push(`Not read: “${fact.text}”`);
    }
  });
  const [right, wrong, missing] = row.fresh;
  if (right + wrong + missing > 0) {
    chips.push(
      chip(
        `${wrong > 0 ? "✗" : "✓"} states: ${right} right, ${wrong} wrong, ${missing} not shown`,
        wrong > 0 ? "bad" : "good"
      )
    );
    if (wrong > 0) {
      why.push(`${wrong} ${wrong === 1 ? "state is" : "states are"} shown wrong.`);
    }
  }
  if (row.required) {
    const [shown, all] = row.required;
    chips.push(
      chip(`${shown === all ? "✓" : "✗"} ${shown} of ${all} required nodes shown`, shown === all ? "good" : "bad")
    );
  }
  if (row.probes[1] > 0) {
    chips.push(chip(`${row.probes[0]} of ${row.probes[1]} probes found`));
  }
  if (row.scrolls > 0) {
    const after = row.success_with_scrolls ? "then the step succeeds" : "the step fails all the same";
    chips.push(chip(`${row.scrolls} ${row.scrolls === 1 ? "scroll" : "scrolls"} away: ${after}`));
  }
  const box = element("div", "chips");
  box.append(...chips);
  const parts = [box];
  if (why.length > 0) {
    const list = element("ul", "why");
    list.append(...why.map((reason) => element("li", "", reason)));
    parts.push(list);
  }
  return parts;
};
