"use strict";
// Keeps the charts as wide as the page and in its colours.
charts.draw();
addEventListener("resize", () => charts.draw());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.draw());
