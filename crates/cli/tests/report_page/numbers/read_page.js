(async () => {
  /* Reads a report as a document that runs nothing: tables, sentences, data. Two words stand for the
     page itself, and for whether its texts are wanted too. */
  const page = new DOMParser().parseFromString(HTML, "text/html");
  const words = (node) => node.textContent.replace(/\s+/g, " ").trim();
  const cell = (node) => {
    const copy = node.cloneNode(true);
    const below = copy.querySelector("small");
    below?.remove();
    return [words(copy), below ? words(below) : ""];
  };
  const read = { tables: [], sentences: [], figures: [], maps: [], scenarios: [] };
  const sections = [...page.querySelectorAll("main > section")];
  for (const section of sections) {
    for (const table of section.querySelectorAll("table")) {
      const frame = table.closest("[aria-label]");
      read.tables.push({
        section: section.id,
        title: frame ? frame.getAttribute("aria-label") : "",
        headers: [...table.tHead.rows[0].cells].map(cell),
        rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map(cell)),
      });
    }
    for (const map of section.querySelectorAll("details svg")) {
      const details = map.closest("details");
      read.maps.push({
        summary: words(details.querySelector("summary")),
        name: words(map.querySelector("text")),
        lines: [...map.querySelectorAll("g > title")].map((title) => title.textContent),
        screens: [...map.querySelectorAll("g")].filter((group) => group.querySelector("rect"))
          .map((group) => [...group.querySelectorAll("text")].map((text) => text.textContent)),
        numbers: [...map.querySelectorAll("svg > text[stroke]")].map((text) => text.textContent),
      });
    }
    if (section.id === "steps") {
      continue;
    }
    const copy = section.cloneNode(true);
    copy.querySelectorAll("table, svg").forEach((node) => node.remove());
    read.figures.push(...[...copy.querySelectorAll(".figures > div")]
      .map((figure) => [words(figure.querySelector("strong")), words(figure.querySelector("span"))]));
    copy.querySelectorAll(".figures").forEach((node) => node.remove());
    const blocks = [...copy.querySelectorAll("p, li, figcaption, summary, h2, h3, dd, label, span.hint")];
    /* What stands in no block would be read by nobody. */
    const within = blocks.filter((block) => !blocks.some((other) => other !== block && other.contains(block)));
    read.sentences.push(...within.map((block) => ({
      section: section.id, kind: block.localName,
      name: block.localName === "dd" ? words(block.previousElementSibling) : "", text: words(block)
    })));
    within.forEach((block) => block.remove());
    copy.querySelectorAll("dt").forEach((node) => node.remove());
    read.sentences.push({ section: section.id, kind: "rest", name: "", text: words(copy) });
  }
  read.lead = words(page.querySelector("header .lead"));
  const pictures = new Set();
  read.data = JSON.parse(page.getElementById("data").textContent);
  for (let at = 0; ; at += 1) {
    const packed = page.getElementById(`scenario-${at}`);
    if (!packed) {
      break;
    }
    const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const block = await new Response(stream).json();
    for (const step of block.steps) {
      [step.picture, ...step.rows.flatMap((row) => row?.images ?? [])].filter((place) => place !== null)
        .forEach((place) => pictures.add(place));
    }
    const cut = block.texts.filter((text) => text.cut !== undefined).length;
    const steps = block.steps.map((step) => ({ step: step.step, rows: step.rows }));
    const texts = DEEP
      ? block.texts.map((text) => ({ text: text.text, heat: text.heat ?? [], unseen: text.unseen ?? 0 })) : [];
    read.scenarios.push({ steps, texts, all: block.texts.length, cut });
  }
  read.pictures = [pictures.size, [...pictures].filter((place) => !page.getElementById(`picture-${place}`)).length];
  return read;
})()
