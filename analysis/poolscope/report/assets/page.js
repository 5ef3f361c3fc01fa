"use strict";
// Fits the charts to screen and paper, and offers the analysis as a file.
(function () {
  const root = document.documentElement;
  const read = (id) => document.getElementById("data-" + id).textContent;
  const { place, drawn } = charts;

  const followed = new Set();

  // Enables interaction with a chart after its first drawing.
  function follow(name) {
    if (followed.has(name)) return;
    followed.add(name);
    timeZoom.follow(name);
    if (name !== "waits") return;
    timelineMarks.follow();
    waitsKeys.follow();
  }

  // Charts in folded parts have no width yet. They are drawn when the part opens.
  function draw(width, names = drawn) {
    const seen = names.filter((name) => folds.shows(place(name)));
    return charts.draw(width, (figure, at, name) => {
      if (timeZoom.isTimed(name)) figure.layout.xaxis.range = timeZoom.range();
      if (window.innerWidth < 600) {
        figure.layout.legend.font = { size: 11 };
        // Narrow screen: the text has the title of the axis, so the marks get the room.
        figure.layout.height = Math.round(figure.layout.height * 1.1);
        // Every other decade: with all of them, the labels would be slanted across the axis' title.
        const { tickvals: at, ticktext: text } = figure.layout.xaxis;
        if (text) Object.assign(figure.layout.xaxis, { tickvals: at.filter((_, i) => i % 2), ticktext: text.filter((_, i) => i % 2) });
      }
      timelineMarks.adjust(figure, name);
    }, seen).then(() => seen.forEach(follow));
  }

  // Redraws all charts, those on the screen at once.
  function redraw(names) {
    names.forEach((name) => inView.soon(place(name), "draw", () => draw(undefined, [name])));
  }
  function redrawAll() {
    redraw(drawn);
    lanesChart.redraw();
  }

  function save() {
    const url = URL.createObjectURL(new Blob([read("analysis"), "\n"], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = "analysis.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  function say(text) {
    document.getElementById("said").textContent = text;
    const button = document.getElementById("copy"), before = "Copy as Markdown";
    button.textContent = text;
    setTimeout(() => { button.textContent = before; }, 2000);
  }

  // If a browser denies the clipboard to a file:// page, copying a selected text area still works.
  function copyBySelection(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    say(done ? "Copied" : "Could not copy");
  }

  function copy() {
    const text = JSON.parse(read("markdown"));
    if (!navigator.clipboard) return copyBySelection(text);
    navigator.clipboard.writeText(text).then(() => say("Copied"), () => copyBySelection(text));
  }

  document.getElementById("actions").hidden = false;
  document.getElementById("save").addEventListener("click", save);
  document.getElementById("copy").addEventListener("click", copy);
  drawn.forEach((name) => inView.watch(place(name)));
  lanesChart.draw();
  theme.bind(document.getElementById("theme"), redrawAll);
  folds.bind(document.getElementById("open-all"));
  document.addEventListener("toggle", ({ target }) => {
    if (target.open) draw(undefined, drawn.filter((name) => target.contains(place(name))));
  }, true);
  draw().then(() => {
    selection.listen(() => redraw(timelineMarks.names));
    const first = drawn.map(place).find(folds.shows);
    if (!first) return;
    let last = first.clientWidth;
    const observer = new ResizeObserver(() => {
      const now = first.clientWidth;
      // On paper the width is fixed, and observing it would overwrite that.
      if (now !== last && root.dataset.paper === undefined) redrawAll();
      last = now;
    });
    observer.observe(first);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);

  // Paper is light and narrow, whatever the screen is. Folded parts stay folded.
  addEventListener("beforeprint", () => {
    root.dataset.theme = "light";
    root.dataset.paper = "";
    inView.forget();
    lanesChart.draw(inView.PAPER_PIXELS);
    draw(inView.PAPER_PIXELS);
  });
  addEventListener("afterprint", () => {
    delete root.dataset.paper;
    theme.apply();
    lanesChart.draw();
    draw();
  });
})();
