"use strict";
// The waits over time by keyboard: along time, and from longer to shorter waits.
const waitsKeys = (function () {
  const NAME = "waits", AROUND = 20; // pixels of the ring
  const at = charts.drawn.includes(NAME) ? charts.place(NAME) : null;
  let order = null;

  // By enqueue, then the shorter wait first.
  const byTime = () => (order ??= [...timelineMarks.all().values()].sort((a, b) => a.enqueue - b.enqueue || a.wait - b.wait || a.item - b.item));
  const shown = () => { const [from, to] = timeZoom.range(); return byTime().filter((it) => it.enqueue >= from && it.enqueue <= to); };
  const start = () => shown()[0] ?? byTime()[0] ?? null;
  const or = (fn) => (it) => (it === null ? start() : fn(it) ?? null);
  const step = (by) => or((it) => byTime()[byTime().indexOf(it) + by]);
  // The next longer or shorter wait among those shown.
  const climb = (by) => or((it) => {
    const all = shown().sort((a, b) => a.wait - b.wait || a.item - b.item);
    return all[all.indexOf(it) + by];
  });

  function box(it) {
    const { xaxis: x, yaxis: y } = at._fullLayout;
    const floor = Math.pow(10, y.range[0]), along = x.d2p(it.enqueue);
    if (along < -1 || along > x._length + 1) return null;
    const centre = [x._offset + along, y._offset + y.d2p(Math.max(it.wait, 0.001, floor))];
    return { left: centre[0] - AROUND / 2, top: centre[1] - AROUND / 2, width: AROUND, height: AROUND };
  }

  // Called once the chart is drawn.
  function follow() {
    if (!at) return;
    const cursor = chartCursor.attach(at, {
      start, box, help: "waits-help", name: "Waits over time",
      keys: {
        ArrowRight: step(1), ArrowLeft: step(-1), ArrowUp: climb(1), ArrowDown: climb(-1),
        Home: () => byTime()[0], End: () => byTime()[byTime().length - 1],
      },
      span: (it) => [it.enqueue, it.enqueue],
      item: (it) => it.item,
      say: (it) => timelineMarks.sentence(it.item, it),
    });
    at.on("plotly_afterplot", () => cursor.place());
    at.on("plotly_click", (event) => {
      const it = event.points.length ? timelineMarks.known(event.points[0].customdata) : undefined;
      if (it) cursor.point(it);
    });
  }

  return { follow };
})();
