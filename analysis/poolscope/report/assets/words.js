"use strict";
// What several parts of the page say in the same words, and the analysis that they read it from.
const words = (function () {
  let analysis = null;
  // Read only when somebody asks, and once: it may be megabytes.
  const read = () => (analysis ??= JSON.parse(document.getElementById("data-analysis").textContent));

  function duration(ms) {
    if (ms === 0) return "0";
    if (ms < 1) return +(ms * 1000).toPrecision(3) + " µs";
    return ms < 1000 ? +ms.toPrecision(3) + " ms" : +(ms / 1000).toPrecision(ms < 1e6 ? 3 : 4) + " s";
  }
  const moment = (seconds) => seconds.toFixed(3) + " s";

  // As html/escape.py does for the page: what a reader would not see, or what moves other characters about, is written out.
  const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  const cut = (text, most) => (text.length > most ? text.slice(0, most) + "\u2026" : text);

  return { analysis: read, duration, moment, visible, cut };
})();
