// Opens a page in Chromium as a reader would and prints, as JSON, how long until it can be used and how smoothly it moves.
// Usage: node measure.mjs FILE OPENINGS
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.POOLSCOPE_NODE_MODULES + "/");
const { chromium } = require("playwright-core");
const [file, openings] = process.argv.slice(2);
const ZOOM_STEPS = 20;
const ZOOM_PARTS = ["#waits .zoom", "#pool .zoom", "#lanes .zoom"];
const LONGEST_MS = 60000;

// Before any script of the page: notes every task of the main thread that is longer than 50 ms.
function watch() {
  window.tasks = [];
  new PerformanceObserver((list) => list.getEntries().forEach((e) => window.tasks.push([e.startTime, e.duration])))
    .observe({ type: "longtask", buffered: true });
}

// The moment, in ms from the start of navigation, at which every chart is drawn and the main thread had been given
// back twice with a frame shown in between: then a click is answered at once.
async function usable(longest) {
  const charts = [...document.querySelectorAll(".chart")];
  const drawn = () => charts.every((c) => !c.checkVisibility() || c.querySelector(".main-svg, canvas, svg"));
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  while (document.readyState !== "complete" || !drawn()) {
    if (performance.now() > longest) throw new Error("the charts were not drawn in time");
    await frame();
  }
  // Idle callbacks come only once nothing else is to be done.
  await new Promise((done) => requestIdleCallback(done));
  await frame();
  return performance.now();
}

// Zooms step by step, as a wheel does, each step as soon as the one before is on the screen. Charts that are not in sight
// are drawn afterwards, so it is done with each part of the page in sight that has charts over time.
async function zoomed({ steps, part }) {
  document.querySelector(part).scrollIntoView({ block: "start", behavior: "instant" });
  await new Promise((done) => setTimeout(done, 1000));
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
  const [from, to] = timeZoom.range();
  const times = [];
  await frame();
  for (let i = 1; i <= steps; i++) {
    const start = performance.now(), cut = (to - from) * 0.02 * i;
    timeZoom.set(from + cut, to - cut);
    await frame();
    await frame();
    times.push((await frame()) - start);
  }
  timeZoom.set(from, to);
  return times;
}

const browser = await chromium.launch({ executablePath: process.env.POOLSCOPE_CHROMIUM, args: ["--no-sandbox"] });
const opened = [], result = {};
for (let i = 0; i < Number(openings); i++) {
  // A fresh profile each time: a compiled script from before would flatter.
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(watch);
  await page.goto(pathToFileURL(file).href, { waitUntil: "commit" });
  const ready = await page.evaluate(usable, LONGEST_MS);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
  opened.push({ ready_ms: ready, first_paint_ms: paint, long_tasks: await page.evaluate(() => window.tasks) });
  if (i === Number(openings) - 1) {
    await page.evaluate(() => { window.tasks.length = 0; });
    result.zoom_step_ms = [];
    result.zoom_parts = {};
    for (const part of ZOOM_PARTS) {
      if (!(await page.$(part))) continue;
      const steps = await page.evaluate(zoomed, { steps: ZOOM_STEPS, part });
      result.zoom_step_ms.push(...steps);
      result.zoom_parts[part] = steps.sort((a, b) => a - b)[steps.length >> 1];
    }
    result.zoom_long_tasks_ms = await page.evaluate(() => window.tasks.map((t) => t[1]));
    result.nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    result.heap_bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? null);
  }
  await context.close();
}
await browser.close();
console.log(JSON.stringify({ chromium: browser.version(), opened, ...result }));
