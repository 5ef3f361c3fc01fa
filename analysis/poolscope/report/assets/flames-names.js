"use strict";
// The names of boxes in flame graphs, shortened to the available width, and their times.
const flameNames = (function () {
  const LETTER_PX = 6.6; // approximate width of a letter
  const { visible } = words;
  const LONGEST = 300, LONGEST_STATUS = 1500; // characters of a name
  const WAITS = {
    "lock": "lock", "task-wait": "synchronous wait for a task", "wait-handle": "wait handle or event", "semaphore": "semaphore", "certificate": "certificate chain", "logger": "logging",
    "sleep": "sleep", "socket": "socket call", "file": "file call", "unknown": "not known",
  };
  const KINDS = { user: "your code", framework: ".NET", native: "native or nameless", wait: "kind of wait", none: "no stack known", all: "" };

  function kindOf(frame) {
    if (frame.kind === "wait" || frame.kind === "none") return frame.kind;
    return frame.user ? "user" : frame.kind === "managed" ? "framework" : "native";
  }
  function nameOf(frame, unit) {
    if (frame.kind === "wait") return "waits: " + (Object.hasOwn(WAITS, frame.wait) ? WAITS[frame.wait] : visible(String(frame.wait)));
    if (frame.kind === "none") return unit.none;
    if (frame.method) return visible(frame.method);
    return frame.module ? "code of " + visible(frame.module) + " without symbols" : "code without a name";
  }
  // Returns the part of a name that fits: type and method, otherwise the method, without namespaces.
  function shorter(frame, full, px) {
    const fits = (text) => text.length * LETTER_PX <= px;
    if (fits(full)) return full;
    if (frame.kind === "wait") return full.replace("waits: ", "");
    if (!frame.method) return frame.module ? visible(frame.module) : full;
    if (full.length > 1000) return full; // too long for a method's name: the ellipsis is enough
    const dots = [];
    let nested = 0;
    for (let i = 0; i < full.length; i++) {
      if (full[i] === "[" || full[i] === "<") nested++;
      else if (full[i] === "]" || full[i] === ">") nested--;
      else if (full[i] === "." && nested === 0) dots.push(i);
    }
    const from = (count) => full.slice((dots[dots.length - count] ?? -1) + 1);
    return fits(from(2)) ? from(2) : from(1) || full;
  }
  function percent(share) {
    if (share > 0 && share < 0.001) return "under 0.1 %";
    return (share * 100).toFixed(share < 0.1 ? 1 : 0) + " %";
  }
  const grouped = new Intl.NumberFormat("en"); // toLocaleString creates a formatter for each number
  const samples = (count) => grouped.format(count) + (count === 1 ? " sample" : " samples");

  return { KINDS, LONGEST, LONGEST_STATUS, kindOf, nameOf, shorter, percent, samples };
})();
