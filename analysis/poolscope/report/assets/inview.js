"use strict";
// Draws in the order in which a reader sees it: charts on the screen in the next frame, the others one at a time when
// the page is idle, or at once when the reader scrolls to them.
const inView = (function () {
  const MARGIN = "150px"; // so that charts are up to date during a slow scroll
  const REST_MS = 250; // after the last request: a reader who zooms step by step is not idle
  const LONGEST_MS = 1000; // a page that is always busy still catches up
  const PAPER_PIXELS = 660; // A4 with 15 mm margins
  const near = new Set();
  const waiting = new Map(); // place -> name of a job -> job
  let framed = false, resting = 0, asked = 0;

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) near.add(target);
      else near.delete(target);
    }
    if ([...waiting.keys()].some((at) => near.has(at))) soonest();
  }, { rootMargin: MARGIN });

  function run(at) {
    const jobs = waiting.get(at);
    waiting.delete(at);
    if (jobs) jobs.forEach((job) => job());
  }

  function soonest() {
    if (framed) return;
    framed = true;
    requestAnimationFrame(() => {
      framed = false;
      [...waiting.keys()].filter((at) => near.has(at)).forEach(run);
      atRest();
    });
  }

  function atRest() {
    if (resting || !waiting.size) return;
    const next = () => {
      resting = 0;
      const [at] = waiting.keys();
      // Requested again meanwhile: not yet.
      if (at && performance.now() - asked >= REST_MS) run(at);
      atRest();
    };
    const idle = () => ("requestIdleCallback" in window ? requestIdleCallback(next, { timeout: LONGEST_MS }) : next());
    resting = setTimeout(idle, Math.max(0, REST_MS - (performance.now() - asked)));
  }

  // Must be called before the first job of a place: until then the place counts as out of sight.
  const watch = (at) => observer.observe(at);

  // A newer job replaces a waiting job of the same name.
  function soon(at, name, job) {
    if (!waiting.has(at)) waiting.set(at, new Map());
    waiting.get(at).set(name, job);
    asked = performance.now();
    if (near.has(at)) soonest();
    else atRest();
  }

  // The caller does the waiting jobs anyway.
  const forget = () => waiting.clear();

  return { watch, soon, forget, PAPER_PIXELS };
})();
