"use strict";
// The chosen item in the charts over time: ringed among the waits, its bin marked in their distribution, and its time
// in the queue shaded in all others. A line at the foot of the page describes it.
const timelineMarks = (function () {
  const line = document.getElementById("chosen-item");
  const LONGEST = 300; // characters of a method's name
  const SPANNED = ["pool", "limits", "states", "cores-used"];
  const names = ["waits", "distribution", ...SPANNED].filter((name) => charts.drawn.includes(name));
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  let items = null, stories = null;
  let current = null;

  // Every item drawn in the waits chart, by id.
  function all() {
    if (items === null) {
      items = new Map();
      words.analysis().timeline.waits.forEach((w) => w.item.forEach((item, i) => items.set(item, {
        item, cause: w.cause, enqueue: w.seconds[i], wait: w.wait_ms[i], atLeast: w.at_least[i],
        start: w.start_s[i], worker: w.worker_tid[i],
      })));
    }
    return items;
  }
  const known = (id) => all().get(id);

  // The story of one of the worst items; undefined for all others.
  function story(id) {
    stories ??= new Map(words.analysis().worst_items.map((item) => [item.item, item]));
    return stories.get(id);
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

  // Bars are bins of log10(ms). The bin with the item is outlined over the whole height.
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

  const waited = (it) => "waited " + (it.atLeast ? "at least " : "") + words.duration(it.wait);
  const mainly = (it) => ", mainly " + line.dataset[it.cause] + ".";
  // The method in which the item itself blocked longest. Only the stories of the worst items have it.
  function method(id) {
    const places = story(id)?.blocked_in;
    return places && places.length && places[0].method ? " It blocked in " + words.cut(words.visible(places[0].method), LONGEST) + "." : "";
  }

  function sentence(id, it) {
    if (!it) return "Item " + id + " is chosen. The charts show only the longest and the shortest waits, and it is none of them.";
    const start = it.start === null
      ? " It had not started when the capture ended."
      : " Thread " + it.worker + " started it at " + words.moment(it.start) + ".";
    return "Item " + id + " " + waited(it) + " from " + words.moment(it.enqueue) + " on" + mainly(it) + start + method(id);
  }

  // An addition to other descriptions of an item.
  function about(id) {
    const it = known(id);
    return it ? " It " + waited(it) + mainly(it) + method(id) : "";
  }

  function show(id) {
    current = id === null ? null : known(id) || null;
    line.hidden = id === null;
    document.getElementById("chosen-words").textContent = id === null ? "" : sentence(id, current);
    const link = document.getElementById("chosen-zoom");
    link.hidden = !current;
    if (current) {
      const from = current.enqueue, to = waitEnd(current), margin = Math.max((to - from) * 0.1, 0.001);
      link.dataset.from = from - margin;
      link.dataset.to = to + margin;
    }
  }

  // Handles clicks on marks, once the charts are drawn.
  function follow() {
    if (!charts.drawn.includes("waits")) return;
    charts.place("waits").on("plotly_click", (event) => {
      const item = event.points.length ? event.points[0].customdata : undefined;
      if (item !== undefined) selection.choose(item);
    });
  }

  document.getElementById("chosen-clear").addEventListener("click", () => selection.choose(null));
  selection.listen(show);
  return { names, adjust, follow, all, known, story, sentence, about };
})();
