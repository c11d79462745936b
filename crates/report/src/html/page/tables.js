/* Tables: sorted by their headers, and the first one filtered by name. */
{
  /* What a cell is sorted by: a fraction by its value, then by its whole; a number by itself; anything else as text. */
  const keyOf = (cell) => {
    const text = (cell.firstChild?.nodeType === Node.TEXT_NODE ? cell.firstChild.data : cell.textContent).trim();
    const share = /^([\d,]+)\/([\d,]+)$/.exec(text);
    const plain = (part) => Number(part.replaceAll(",", ""));
    if (share) {
      return plain(share[1]) / Math.max(plain(share[2]), 1);
    }
    const value = /^[≥≤+-]?\s*(-?[\d,]*\.?\d+)/.exec(text);
    return value ? plain(value[1]) : text === "–" || text === "" ? null : text;
  };
  const compare = (a, b) => {
    if (a === null || b === null) {
      return a === b ? 0 : a === null ? 1 : -1;
    }
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
  };
  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, at) => ({ row, at, key: keyOf(row.cells[column]) }));
    rows.sort((a, b) => {
      const order = compare(a.key, b.key);
      return (descending && a.key !== null && b.key !== null ? -order : order) || a.at - b.at;
    });
    body.replaceChildren(...rows.map(({ row }) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, column) => {
      const button = element("button", "sort");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const descending = header.getAttribute("aria-sort") === "ascending";
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending);
      });
    });
  }

  const filter = byId("filter");
  const table = byId("headline");
  const apply = () => {
    const words = filter.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const name = row.cells[0].textContent.toLowerCase();
      row.hidden = words.length > 0 && !words.some((word) => name.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    byId("filter-count").textContent = words.length > 0 ? `${shown} of ${table.tBodies[0].rows.length}` : "";
  };
  filter.addEventListener("input", apply);
}

/* Paper has nothing to click: what is folded is printed too, but for the maps, which no paper is wide enough for. */
{
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main section:not(#site-maps) details:not([open])")];
    opened.forEach((details) => {
      details.open = true;
    });
  });
  window.addEventListener("afterprint", () => {
    opened.forEach((details) => {
      details.open = false;
    });
    opened = [];
  });
}
