"use strict";
// The stretch of time that every chart over time shows, in seconds since the capture began. A chart drawn by plotly
// joins if it has a time axis; anything else listens. Charts out of sight follow later (inview.js).
const timeZoom = (function () {
  const { figures, place, drawn } = charts;
  const timed = drawn.filter((name) => figures[name].layout.meta !== "own-axis");
  const whole = timed.length ? figures[timed[0]].layout.xaxis.range.slice() : [0, 1];
  // Shorter stretches show no more detail: times in a capture are rounded to 0.1 ms.
  const SHORTEST_S = Math.min(0.0005, whole[1] - whole[0]);
  const STEP = 2, SHIFT = 0.5;
  const told = [];
  let shown = whole.slice();
  let moving = 0;

  const range = () => shown.slice();
  const isTimed = (name) => timed.includes(name);

  // Within the capture, and never shorter than SHORTEST_S.
  function fitted(from, to) {
    const length = Math.min(Math.max(Math.abs(to - from), SHORTEST_S), whole[1] - whole[0]);
    const start = Math.min(Math.max((from + to - length) / 2, whole[0]), whole[1] - length);
    return [start, start + length];
  }

  function set(from, to) {
    if (!Number.isFinite(from) || !Number.isFinite(to)) return;
    const next = fitted(from, to);
    const same = next[0] === shown[0] && next[1] === shown[1];
    shown = next;
    timed.map(place).forEach((at) => inView.soon(at, "zoom", () => catchUp(at)));
    if (!same) told.forEach((fn) => fn(next[0], next[1]));
  }

  function catchUp(at) {
    const now = at.layout && at.layout.xaxis.range;
    if (!now || (now[0] === shown[0] && now[1] === shown[1])) return;
    moving++;
    Plotly.relayout(at, { "xaxis.range": shown.slice() }).finally(() => { moving--; });
  }

  const all = () => set(whole[0], whole[1]);
  // `factor` times as long, with `time` at its present place.
  const around = (time, factor) => set(time - (time - shown[0]) * factor, time + (shown[1] - time) * factor);
  // The same length, moved to show as much as possible of a stretch, with a margin.
  function reveal(from, to) {
    if (to >= shown[0] && from <= shown[1]) return;
    const half = (shown[1] - shown[0]) / 2, at = Math.min((from + to) / 2, from + half * 0.9);
    set(at - half, at + half);
  }

  const listen = (fn) => { told.push(fn); };

  // All charts follow an interaction with one of them. Call once for each chart after it was drawn.
  function follow(name) {
    if (!timed.includes(name)) return;
    place(name).on("plotly_relayout", (change) => {
      if (moving) return;
      if (change["xaxis.autorange"] === true) return all();
      if (Array.isArray(change["xaxis.range"])) return set(+change["xaxis.range"][0], +change["xaxis.range"][1]);
      if (change["xaxis.range[0]"] !== undefined) set(+change["xaxis.range[0]"], +change["xaxis.range[1]"]);
    });
  }

  const by = {
    in: ([from, to]) => { const m = (from + to) / 2, h = (to - from) / 2 / STEP; set(m - h, m + h); },
    out: ([from, to]) => { const m = (from + to) / 2, h = ((to - from) / 2) * STEP; set(m - h, m + h); },
    earlier: ([from, to]) => { const d = (to - from) * SHIFT; set(from - d, to - d); },
    later: ([from, to]) => { const d = (to - from) * SHIFT; set(from + d, to + d); },
    whole: all,
  };

  function say() {
    const [from, to] = shown;
    const isWhole = from <= whole[0] && to >= whole[1];
    const digits = to - from < 0.1 ? 4 : to - from < 10 ? 2 : 1;
    const words = isWhole ? "the whole capture" : from.toFixed(digits) + " s to " + to.toFixed(digits) + " s";
    document.querySelectorAll("[data-zoom-shown]").forEach((at) => { at.textContent = words; });
    // aria-disabled, not disabled: a button that leaves the tab order while in use loses the focus.
    const dead = {
      in: to - from <= SHORTEST_S, out: isWhole, whole: isWhole, earlier: from <= whole[0], later: to >= whole[1],
    };
    document.querySelectorAll("button[data-zoom]").forEach((b) => {
      b.setAttribute("aria-disabled", String(dead[b.dataset.zoom]));
    });
  }

  document.addEventListener("click", (event) => {
    const at = event.target instanceof Element && event.target.closest("button[data-zoom], [data-from][data-to]");
    if (!at) return;
    if (at.dataset.zoom) { if (at.getAttribute("aria-disabled") !== "true") by[at.dataset.zoom](range()); }
    else set(parseFloat(at.dataset.from), parseFloat(at.dataset.to));
  });
  listen(say);
  timed.forEach((name) => inView.watch(place(name)));
  if (timed.length) document.querySelectorAll(".zoom[hidden]").forEach((at) => { at.hidden = false; });
  say();

  return { range, set, whole: all, around, reveal, listen, follow, isTimed };
})();
