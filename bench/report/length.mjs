// Prints, as JSON, how long pages are before anything is opened: screens at two sizes, sheets of A4, where the timeline begins.
// Usage: node length.mjs FILE...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.POOLSCOPE_NODE_MODULES + "/");
const { chromium } = require("playwright-core");
const SCREENS = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const browser = await chromium.launch({ executablePath: process.env.POOLSCOPE_CHROMIUM, args: ["--no-sandbox"] });
const pages = [];
for (const file of process.argv.slice(2)) {
  const found = { file };
  for (const [name, viewport] of Object.entries(SCREENS)) {
    const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(() => [...document.querySelectorAll(".chart")]
      .every((c) => !c.checkVisibility() || c.querySelector(".main-svg, canvas, svg")));
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done))); // flame graphs come last
    found[name] = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
    if (name === "wide") {
      found.timeline = await page.evaluate(() => (document.getElementById("pool").getBoundingClientRect().top + scrollY) / innerHeight);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      found.sheets = (pdf.match(/\/Type\s*\/Page\b/g) ?? []).length;
    }
    await context.close();
  }
  pages.push(found);
}
await browser.close();
console.log(JSON.stringify(pages));
