// Drives Chromium for the tests: one question a line on stdin ({"do": NAME, ...}), one answer a line on stdout.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.POOLSCOPE_NODE_MODULES + "/");
const { chromium } = require("playwright-core");

const WAIT_MS = 15000;
const browser = await chromium.launch({ executablePath: process.env.POOLSCOPE_CHROMIUM, args: ["--no-sandbox"] });
let context, page, heard;

const actions = {
  // Opens a file in a fresh profile; `heard` collects what a page must not do.
  async open({ file, width = 1280, height = 800, scheme = "light", scripts = true, hash = "" }) {
    if (context) await context.close();
    context = await browser.newContext({
      viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: scripts, acceptDownloads: true,
      // Scrolling by anchor is animated otherwise, and a test would measure on the way.
      reducedMotion: "reduce",
    });
    page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    heard = { console: [], errors: [], requests: [], dialogs: [], pages: [], places: [] };
    page.on("console", (m) => { if (["error", "warning"].includes(m.type())) heard.console.push(m.text()); });
    page.on("pageerror", (e) => heard.errors.push(String(e)));
    page.on("request", (r) => heard.requests.push(r.url()));
    page.on("websocket", (s) => heard.requests.push(s.url()));
    page.on("dialog", (d) => { heard.dialogs.push(d.message()); return d.dismiss(); });
    page.on("framenavigated", (f) => heard.places.push(f.url()));
    context.on("page", (p) => { if (p !== page) heard.pages.push(p.url()); });
    const url = pathToFileURL(file).href + hash;
    await page.goto(url);
    // Hidden charts (a closed <details>) may be drawn when they are shown.
    if (scripts) {
      await page.waitForFunction(() => [...document.querySelectorAll(".chart")]
        .every((c) => !c.checkVisibility() || c.querySelector(".main-svg, canvas, svg")));
    }
    return { url };
  },
  async heard() { return heard; },
  // `code` is the source of a function of one JSON argument, run in the page.
  async run({ code, argument }) { return await page.evaluate(`(${code})(${JSON.stringify(argument ?? null)})`); },
  // Asked from here again and again: a string that the page evaluates by itself is against its policy.
  async until({ code }) {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await page.waitForTimeout(20)) {
      if (await page.evaluate(`(${code})()`)) return null;
    }
    throw new Error(`not within ${WAIT_MS} ms: ${code}`);
  },
  async scheme({ scheme }) { await page.emulateMedia({ colorScheme: scheme }); return null; },
  // What stands in a page whose scripts are off: read by way of locators, which need none of the page's.
  async still() {
    return {
      verdict: await page.locator("#verdict h1").innerText(),
      tables: await page.locator("table").filter({ visible: true }).count(),
      curves: await page.locator(".still").filter({ visible: true }).count(),
      buttons: await page.locator("button").filter({ visible: true }).count(),
    };
  },
  async press({ keys }) { for (const key of keys) await page.keyboard.press(key); return null; },
  async click({ selector }) { await page.click(selector); return null; },
  async double({ selector }) { await page.dblclick(selector); return null; },
  // Moves the pointer over every chart, to a grid of places.
  async hover({ selector, columns = 6, rows = 4 }) {
    for (const chart of await page.locator(selector).filter({ visible: true }).all()) {
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      if (!box) continue;
      for (let i = 0; i < columns * rows; i++) {
        const x = (i % columns + 0.5) / columns, y = (Math.floor(i / columns) + 0.5) / rows;
        await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
      }
    }
    return null;
  },
  async drag({ selector, from, to }) {
    await page.locator(selector).scrollIntoViewIfNeeded();
    const box = await page.locator(selector).boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * from, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to, y, { steps: 6 });
    await page.mouse.up();
    return null;
  },
  // Prints, and says on how many pages.
  async pdf({ output }) {
    await page.pdf({ path: output, preferCSSPageSize: true, printBackground: false });
    return (readFileSync(output, "latin1").match(/\/Type\s*\/Page\b/g) ?? []).length;
  },
  // Texts whose contrast nobody can compute, because a pattern or a picture lies below them: one line each.
  async patterned() {
    await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
    const { incomplete } = await page.evaluate(() =>
      window.axe.run(document, { runOnly: ["color-contrast"], resultTypes: ["incomplete"] }));
    const below = ["bgGradient", "bgImage", "pseudoContent", "imgNode"];
    return incomplete.flatMap((rule) => rule.nodes)
      .filter((n) => n.any.some((c) => below.includes(c.data?.messageKey))).map((n) => n.target.join(" "));
  },
  async axe() {
    await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    return violations.map((v) => ({
      id: v.id, impact: v.impact, help: v.help,
      nodes: v.nodes.slice(0, 5).map((n) => `${n.target.join(" ")}: ${n.any.concat(n.all).map((c) => c.message).join("; ")}`),
    }));
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...rest } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await actions[name](rest)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser.close();
