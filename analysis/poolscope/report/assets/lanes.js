"use strict";
// The worker lanes: their content, the segment under the pointer or the keyboard cursor, and its description.
const lanesChart = (function () {
  const at = document.getElementById("chart-lanes");
  if (!at) return { draw() {}, redraw() {} };
  const { workers, segments, bin_s: bin } = words.analysis().lanes;
  const count = segments.item.length;
  const WORDS = { running: "running on a core", ready: "runnable without a core", blocked: "blocked" };
  // A click is no drag: a drag of at least this many pixels zooms.
  const STILL_PIXELS = 6;
  // The pointer hits short segments from this far away, and a ring is never narrower.
  const NEAR_PIXELS = 4, LEAST_RING = 7;
  const BRIEF_MS = 2; // shorter segments have the same text at both ends
  const PAPER_RATIO = 3; // device pixels of a printer per pixel of the page

  // Segments are in order of lane and time; `first` is the beginning of each lane.
  const first = new Int32Array(workers.length + 1).fill(count);
  for (let i = count - 1; i >= 0; i--) first[segments.worker[i]] = i;
  for (let lane = workers.length - 1; lane >= 0; lane--) if (first[lane] === count) first[lane] = first[lane + 1];
  const data = {
    first, item: segments.item, names: workers.map((w) => String(w.tid)), exact: bin === null,
    start: Float64Array.from(segments.start_s), end: Float64Array.from(segments.end_s),
    state: Uint8Array.from(segments.state, (s) => lanesPicture.STATES.indexOf(s)),
    // The first segment of the lane that ends after `time`.
    from(lane, time) {
      let low = first[lane], high = first[lane + 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.end[middle] <= time) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
  const canvas = document.createElement("canvas");
  const drag = document.createElement("div");
  drag.className = "drag";
  drag.hidden = true;
  at.append(canvas, drag);
  let frame = lanesPicture.frame(workers.length, at.clientWidth), chosen = [], paper = 0;

  // `width`: that of paper. Otherwise the width of the place is used.
  function draw(width) {
    paper = width || 0;
    frame = lanesPicture.frame(workers.length, width || at.clientWidth);
    const style = getComputedStyle(document.documentElement), colours = { font: getComputedStyle(at).fontFamily };
    for (const name of ["ink", "muted", "line", "grid", "link"]) colours[name] = style.getPropertyValue("--" + name).trim();
    for (const name of lanesPicture.STATES) colours[name] = style.getPropertyValue("--state-" + name).trim();
    colours.band = style.getPropertyValue("--band").trim();
    lanesPicture.draw(canvas, data, frame, timeZoom.range(), width ? PAPER_RATIO : Math.max(devicePixelRatio, 1), colours, chosen);
    cursor.place();
  }
  const redraw = () => inView.soon(at, "draw", () => draw(paper));

  const xOf = (time) => { const [from, to] = timeZoom.range(); return frame.left + ((time - from) / (to - from)) * frame.width; };
  const timeOf = (x) => { const [from, to] = timeZoom.range(); return from + ((x - frame.left) / frame.width) * (to - from); };

  // The segment of the lane at `time`, or the nearest one at most `near` away; -1 if there is none.
  function find(lane, time, near) {
    const after = data.from(lane, time);
    let best = -1, distance = near;
    for (let i = Math.max(after - 1, first[lane]); i <= after && i < first[lane + 1]; i++) {
      const off = Math.max(data.start[i] - time, time - data.end[i], 0);
      if (off <= distance) { best = i; distance = off; }
    }
    return best;
  }

  // The segment under the pointer, -1 if there is none.
  function underPointer(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top - frame.top;
    const lane = Math.floor(y / frame.lane);
    if (x < frame.left || x > frame.left + frame.width || lane < 0 || lane >= workers.length) return -1;
    return find(lane, timeOf(x), timeOf(x + NEAR_PIXELS) - timeOf(x));
  }

  function tell(i) {
    const worker = workers[segments.worker[i]], id = segments.item[i];
    const who = "Worker " + worker.tid + ": ";
    const item = id < 0 ? "an item begun before the capture" : "item " + id;
    const range = words.moment(data.start[i]) + " to " + words.moment(data.end[i]);
    const time = (data.end[i] - data.start[i]) * 1000;
    const did = WORDS[segments.state[i]];
    const here = bin === null
      ? who + did + " for " + words.duration(time) + " with " + item + ", " + (time < BRIEF_MS ? "at " + words.moment(data.start[i]) : range) + "."
      : who + "mostly " + did + ", mostly with " + item + ", from " + range + ".";
    return id < 0 ? here : here + timelineMarks.about(id);
  }

  // The stretches of an item: all of them for one of the worst items, otherwise those drawn.
  function stretches(id) {
    const found = [];
    for (let i = 0; i < count; i++) {
      if (segments.item[i] !== id) continue;
      const lane = segments.worker[i], last = found[found.length - 1];
      if (last && last.lane === lane) last.to = data.end[i];
      else found.push({ lane, from: data.start[i], to: data.end[i] });
    }
    const story = timelineMarks.story(id);
    const lane = story ? workers.findIndex((w) => w.tid === story.worker_tid) : -1;
    if (lane < 0) return found;
    const to = story.ended_s === null ? words.analysis().capture.seconds : story.ended_s;
    return [{ lane, from: story.started_s, to }];
  }

  const says = document.getElementById("lanes-says");
  function mark(id) {
    chosen = id === null ? [] : stretches(id);
    redraw();
    // The segment at the keyboard cursor says more than this, and the line at the foot of the page says the rest.
    if (id !== null && document.activeElement !== at) {
      says.textContent = "Item " + id + (chosen.length ? " has a frame in the lanes." : " is not drawn in these lanes.");
    }
  }

  // The keyboard.
  const laneOf = (i) => segments.worker[i];
  const last = (lane) => first[lane + 1] - 1;
  function start() {
    for (let lane = 0; lane < workers.length; lane++) {
      const i = find(lane, timeZoom.range()[0], Infinity);
      if (i >= 0) return i;
    }
    return null;
  }
  function across(i, by) {
    const [from, to] = timeZoom.range();
    // The visible part of the segment: its middle may be far away.
    const time = (Math.max(data.start[i], from) + Math.min(data.end[i], to)) / 2;
    for (let lane = laneOf(i) + by; lane >= 0 && lane < workers.length; lane += by) {
      const found = find(lane, time, Infinity);
      if (found >= 0) return found;
    }
    return null;
  }
  function otherItem(i, by) {
    const lane = laneOf(i);
    for (let n = i + by; n >= first[lane] && n <= last(lane); n += by) {
      if (segments.item[n] === segments.item[i]) continue;
      while (n > first[lane] && segments.item[n - 1] === segments.item[n]) n--; // where the item begins
      return n;
    }
    return null;
  }
  const or = (fn) => (i) => (i === null ? start() : fn(i));
  const cursor = chartCursor.attach(at, {
    start, say: tell, help: "lanes-help", name: "Worker lanes",
    keys: {
      ArrowRight: or((i) => (i < last(laneOf(i)) ? i + 1 : null)),
      ArrowLeft: or((i) => (i > first[laneOf(i)] ? i - 1 : null)),
      "Shift+ArrowRight": or((i) => otherItem(i, 1)),
      "Shift+ArrowLeft": or((i) => otherItem(i, -1)),
      ArrowDown: or((i) => across(i, 1)),
      ArrowUp: or((i) => across(i, -1)),
      Home: or((i) => first[laneOf(i)]),
      End: or((i) => last(laneOf(i))),
    },
    span: (i) => [data.start[i], data.end[i]],
    item: (i) => (segments.item[i] < 0 ? null : segments.item[i]),
    box(i) {
      const a = Math.max(xOf(data.start[i]), frame.left), b = Math.min(xOf(data.end[i]), frame.left + frame.width);
      if (b < frame.left || a > frame.left + frame.width) return null;
      const width = Math.max(b - a, LEAST_RING);
      return { left: (a + b - width) / 2, top: frame.top + frame.lane * laneOf(i), width, height: frame.lane };
    },
  });

  // The pointer: describes, selects, and drags a stretch of time to zoom into.
  let down = null, shown = -1;
  const moved = (event) => Math.abs(event.clientX - down.x) > STILL_PIXELS;
  const inside = (event) => Math.min(Math.max(event.clientX - canvas.getBoundingClientRect().left, frame.left), frame.left + frame.width);
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    down = { x: event.clientX, y: event.clientY, from: inside(event) };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (down) {
      drag.hidden = !moved(event);
      const to = inside(event);
      drag.style.left = Math.min(down.from, to) + "px";
      drag.style.width = Math.abs(to - down.from) + "px";
      drag.style.top = frame.top + "px";
      drag.style.height = frame.height + "px";
      if (!drag.hidden) return chartCursor.hideTip();
    }
    const i = underPointer(event);
    canvas.style.cursor = i < 0 ? "crosshair" : "pointer";
    shown = i;
    if (i < 0) chartCursor.hideTip();
    else chartCursor.showTip(tell(i), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerup", (event) => {
    const begun = down;
    if (!begun) return;
    const zooms = moved(event);
    down = null;
    drag.hidden = true;
    if (zooms) return timeZoom.set(timeOf(Math.min(begun.from, inside(event))), timeOf(Math.max(begun.from, inside(event))));
    if (Math.abs(event.clientY - begun.y) > STILL_PIXELS) return;
    const i = underPointer(event);
    if (i < 0) return;
    cursor.point(i);
    const id = segments.item[i];
    if (id >= 0) selection.choose(id === selection.chosen() ? null : id);
    says.textContent = tell(i);
  });
  canvas.addEventListener("pointercancel", () => { down = null; drag.hidden = true; });
  canvas.addEventListener("pointerleave", () => { if (shown >= 0) chartCursor.hideTip(); shown = -1; });
  canvas.addEventListener("dblclick", () => timeZoom.whole());

  inView.watch(at);
  timeZoom.listen(redraw);
  selection.listen(mark);
  return { draw, redraw };
})();
