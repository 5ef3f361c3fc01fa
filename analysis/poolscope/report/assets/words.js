"use strict";
// Words shared by several parts of the page, and the analysis that they read.
const words = (function () {
  let analysis = null;
  // Parsed on first use and only once: it may be megabytes.
  const read = () => (analysis ??= JSON.parse(document.getElementById("data-analysis").textContent));

  // The words and digits of poolscope/base/words.py: tests/report/test_script_durations.py holds both to one table.
  // Python rounds a number exactly between two others to the even one; toFixed does not.
  function fixed(number, decimals) {
    const [whole, rest] = number.toFixed(30).split(".");
    const kept = whole + rest.slice(0, decimals), isBetween = /^50*$/.test(rest.slice(decimals));
    if (!isBetween || !"02468".includes(kept.at(-1))) return number.toFixed(decimals);
    return decimals ? whole + "." + rest.slice(0, decimals) : whole;
  }
  function threeDigits(number) {
    const exponent = Number(number.toExponential().split("e")[1]);
    return String(Number(fixed(number, Math.max(0, 2 - exponent))));
  }
  function duration(ms) {
    if (ms === 0) return "0";
    if (ms >= 120000) return fixed(ms / 60000, 1) + " min";
    if (ms >= 999.5) return threeDigits(ms / 1000) + " s";
    return ms >= 0.995 ? threeDigits(ms) + " ms" : threeDigits(ms * 1000) + " µs";
  }
  const moment = (seconds) => fixed(seconds, 3).replace(/\B(?=(\d{3})+\.)/g, ",") + " s";

  // Escapes invisible characters and those that move others about, as html/escape.py does for the page.
  const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  const cut = (text, most) => (text.length > most ? text.slice(0, most) + "\u2026" : text);

  return { analysis: read, duration, moment, visible, cut };
})();
