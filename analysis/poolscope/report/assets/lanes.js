"use strict";
// Pointing at a worker's lane tells what it did there, a click follows the item. Plotly itself only knows the two ends
// of a line, so the segment under the pointer is looked up here.
(function () {
  const NAME = "lanes";
  if (!charts.drawn.includes(NAME)) return;
  const at = charts.place(NAME), under = document.getElementById("lanes-under");
  const figure = charts.figures[NAME];
  const analysis = JSON.parse(document.getElementById("data-analysis").textContent);
  const { workers, segments, bin_s: bin } = analysis.lanes;
  const count = segments.item.length;
  const worst = new Map(analysis.worst_items.map((item) => [item.item, item]));
  const WORDS = { running: "running on a core", ready: "runnable without a core", blocked: "blocked" };
  // A click is no drag: plotly zooms from about so many pixels on.
  const STILL_PIXELS = 6;
  // Short segments are hit from so far away.
  const NEAR_PIXELS = 4;
  const HALF_LANE = 0.46;
  const AWAY_PIXELS = 14;

  // Segments are in order of lane and time: where each lane begins.
  const first = new Array(workers.length + 1).fill(count);
  for (let i = count - 1; i >= 0; i--) first[segments.worker[i]] = i;
  for (let lane = workers.length - 1; lane >= 0; lane--) if (first[lane] === count) first[lane] = first[lane + 1];

  function say(ms) {
    const text = (n) => String(Number(n.toPrecision(3)));
    return ms >= 1000 ? text(ms / 1000) + " s" : ms >= 1 ? text(ms) + " ms" : text(ms * 1000) + " µs";
  }

  // The segment of the lane that holds `time`, or the nearest one no further than `near`; -1: none.
  function find(lane, time, near) {
    let low = first[lane], high = first[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (segments.start_s[middle] <= time) low = middle + 1;
      else high = middle;
    }
    let best = -1, distance = near;
    for (let i = Math.max(low - 1, first[lane]); i <= low && i < first[lane + 1]; i++) {
      const off = Math.max(segments.start_s[i] - time, time - segments.end_s[i], 0);
      if (off <= distance) { best = i; distance = off; }
    }
    return best;
  }

  // The segment under the pointer; -1: none.
  function underPointer(event) {
    const layout = at._fullLayout;
    if (!layout || !layout.xaxis) return -1;
    const box = at.getBoundingClientRect();
    const x = event.clientX - box.left - layout.xaxis._offset, y = event.clientY - box.top - layout.yaxis._offset;
    if (x < 0 || y < 0 || x > layout.xaxis._length || y > layout.yaxis._length) return -1;
    const lane = Math.round(layout.yaxis.p2d(y));
    if (lane < 0 || lane >= workers.length) return -1;
    const time = layout.xaxis.p2d(x);
    return find(lane, time, layout.xaxis.p2d(x + NEAR_PIXELS) - time);
  }

  function tell(i) {
    const worker = workers[segments.worker[i]], id = segments.item[i];
    const from = segments.start_s[i], to = segments.end_s[i];
    const who = "Worker " + worker.tid + ": ";
    const item = id < 0 ? "an item begun before the capture" : "item " + id;
    const range = from.toFixed(3) + " s to " + to.toFixed(3) + " s";
    return bin === null
      ? who + WORDS[segments.state[i]] + " for " + say((to - from) * 1000) + " with " + item + ", " + range + "."
      : who + "mostly " + WORDS[segments.state[i]] + ", mostly with " + item + ", from " + range + ".";
  }

  // The stretches of an item: of one of the worst all of it, else what is drawn of it.
  function stretches(id) {
    const found = [];
    for (let i = 0; i < count; i++) {
      if (segments.item[i] !== id) continue;
      const lane = segments.worker[i], last = found[found.length - 1];
      if (last && last.lane === lane) last.to = segments.end_s[i];
      else found.push({ lane, from: segments.start_s[i], to: segments.end_s[i] });
    }
    const story = worst.get(id);
    const lane = story ? workers.findIndex((w) => w.tid === story.worker_tid) : -1;
    if (lane < 0) return found;
    const to = story.ended_s === null ? analysis.capture.seconds : story.ended_s;
    return [{ lane, from: story.started_s, to }];
  }

  // A shape and not a trace: to draw it plotly leaves the lanes alone, which a capture with thousands of them needs.
  function mark(id) {
    const frames = id === null ? [] : stretches(id).map(({ lane, from, to }) => ({
      type: "rect", x0: from, x1: to, y0: lane - HALF_LANE, y1: lane + HALF_LANE, line: { width: 2, color: "var(--link)" },
    }));
    // In the figure as well: the chart is drawn anew for another width, theme or paper.
    figure.layout.shapes = frames;
    if (at._fullLayout) {
      const color = getComputedStyle(document.documentElement).getPropertyValue("--link").trim();
      Plotly.relayout(at, { shapes: frames.map((frame) => ({ ...frame, line: { width: 2, color } })) });
    }
    if (id === null) return;
    const drawn = frames.length > 0;
    under.textContent = drawn ? "Item " + id + " has a frame in the lanes." : "Item " + id + " is not drawn in these lanes.";
  }

  under.hidden = false;
  let down = null, shown = -1;
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the table says it to those who cannot point
  document.body.append(tip);
  at.addEventListener("pointermove", (event) => {
    const i = underPointer(event);
    if (i !== shown && i >= 0) tip.textContent = tell(i);
    shown = i;
    tip.hidden = i < 0;
    if (i < 0) return;
    const room = document.documentElement.clientWidth - tip.offsetWidth - AWAY_PIXELS;
    tip.style.left = Math.max(0, Math.min(event.clientX + AWAY_PIXELS, room)) + "px";
    tip.style.top = event.clientY + AWAY_PIXELS + "px";
  });
  at.addEventListener("pointerleave", () => { tip.hidden = true; shown = -1; });
  // Seen on the way in: plotly takes what it needs for dragging and passes nothing on.
  at.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; }, true);
  addEventListener("pointerup", (event) => {
    const from = down;
    down = null;
    if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > STILL_PIXELS) return;
    const i = underPointer(event);
    if (i < 0) return;
    const id = segments.item[i];
    if (id >= 0) selection.choose(id === selection.chosen() ? null : id);
    under.textContent = tell(i);
  }, true);
  selection.listen(mark);
})();
