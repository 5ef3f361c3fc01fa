"use strict";
// The chosen item in the charts over time: ringed among the waits, its bin marked in their distribution, and the time
// in which it was queued shaded everywhere else. A line at the foot of the page says in words what it is.
const timelineMarks = (function () {
  const line = document.getElementById("chosen-item");
  const SPANNED = ["pool", "limits", "states", "cores-used"];
  const names = ["waits", "distribution", ...SPANNED].filter((name) => charts.drawn.includes(name));
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  let items = null;
  let current = null;

  // Every item that the waits chart draws, by id. Read only when somebody asks: the analysis may be megabytes.
  function known(id) {
    if (items === null) {
      items = new Map();
      const timeline = JSON.parse(document.getElementById("data-analysis").textContent).timeline;
      timeline.waits.forEach((w) => w.item.forEach((item, i) => items.set(item, {
        item, cause: w.cause, enqueue: w.seconds[i], wait: w.wait_ms[i], atLeast: w.at_least[i],
        start: w.start_s[i], worker: w.worker_tid[i],
      })));
    }
    return items.get(id);
  }

  const waitEnd = (it) => (it.start === null ? it.enqueue + it.wait / 1000 : it.start);

  function ring(figure, it) {
    const floor = Math.pow(10, figure.layout.yaxis.range[0]);
    figure.data = [...figure.data, {
      type: "scatter", mode: "markers", x: [it.enqueue], y: [Math.max(it.wait, 0.001, floor)], cliponaxis: false,
      marker: { symbol: "circle-open", size: 18, color: colour("chosen"), line: { width: 3 } },
      name: "item " + it.item, showlegend: false, hoverinfo: "skip",
    }];
  }

  // Bars are bins of log10(ms): the one that holds the item is outlined over the whole height.
  function markBin(figure, it) {
    const width = figure.data[0].width, at = Math.log10(Math.max(it.wait, 0.001));
    const centre = figure.data.flatMap((trace) => trace.x).reduce((a, b) => (Math.abs(b - at) < Math.abs(a - at) ? b : a));
    figure.layout.shapes = [...(figure.layout.shapes || []), {
      type: "rect", xref: "x", yref: "paper", x0: centre - width / 2, x1: centre + width / 2, y0: 0, y1: 1,
      fillcolor: colour("chosen-fill"), line: { width: 2.5, color: colour("chosen") }, name: "chosen",
    }];
  }

  function shade(figure, it) {
    figure.layout.shapes = [...(figure.layout.shapes || []), {
      type: "rect", xref: "x", yref: "paper", x0: it.enqueue, x1: waitEnd(it), y0: 0, y1: 1, layer: "below",
      fillcolor: colour("chosen-fill"), line: { width: 1.5, color: colour("chosen") }, name: "chosen",
    }];
  }

  // Called for each figure before it is drawn.
  function adjust(figure, name) {
    if (!current) return;
    if (name === "waits") ring(figure, current);
    else if (name === "distribution") markBin(figure, current);
    else if (SPANNED.includes(name)) shade(figure, current);
  }

  function duration(ms) {
    if (ms === 0) return "0";
    if (ms < 1) return (ms * 1000).toPrecision(3) + " µs";
    return ms < 1000 ? +ms.toPrecision(3) + " ms" : +(ms / 1000).toPrecision(ms < 1e6 ? 3 : 4) + " s";
  }

  function words(id, it) {
    if (!it) return "Item " + id + " is chosen. The charts show only the longest and the shortest waits, and it is none of them.";
    const start = it.start === null
      ? "It had not started when the capture ended."
      : "Thread " + it.worker + " started it at " + it.start.toFixed(3) + " s.";
    return "Item " + id + " waited " + (it.atLeast ? "at least " : "") + duration(it.wait) + " from " + it.enqueue.toFixed(3) +
      " s on, mainly " + line.dataset[it.cause] + ". " + start;
  }

  function show(id) {
    current = id === null ? null : known(id) || null;
    line.hidden = id === null;
    document.getElementById("chosen-words").textContent = id === null ? "" : words(id, current);
    const link = document.getElementById("chosen-zoom");
    link.hidden = !current;
    if (current) {
      const from = current.enqueue, to = waitEnd(current), margin = Math.max((to - from) * 0.1, 0.001);
      link.dataset.from = from - margin;
      link.dataset.to = to + margin;
    }
  }

  // Clicks on marks, once the charts are drawn.
  function follow() {
    if (!charts.drawn.includes("waits")) return;
    charts.place("waits").on("plotly_click", (event) => {
      const item = event.points.length ? event.points[0].customdata : undefined;
      if (item !== undefined) selection.choose(item);
    });
  }

  document.getElementById("chosen-clear").addEventListener("click", () => selection.choose(null));
  selection.listen(show);
  return { names, adjust, follow };
})();
