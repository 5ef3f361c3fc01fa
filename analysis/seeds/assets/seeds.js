"use strict";
// Draws the page's charts in the colours of its style sheet.
(function () {
  const figures = JSON.parse(document.getElementById("data-figures").textContent);
  const place = (name) => document.getElementById("chart-" + name);
  const drawn = Object.keys(figures).filter(place);

  function resolved(value, style) {
    if (typeof value === "string") {
      const match = /^var\((--[a-z-]+)\)$/.exec(value);
      return match ? style.getPropertyValue(match[1]).trim() : value;
    }
    if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map((v) => resolved(v, style));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, resolved(v, style)]));
    }
    return value;
  }

  function draw() {
    const style = getComputedStyle(document.documentElement);
    drawn.forEach((name) => {
      const figure = resolved(figures[name], style);
      figure.layout.width = place(name).clientWidth;
      Plotly.react(place(name), figure.data, figure.layout, { displayModeBar: false, plotlyServerURL: "" });
    });
  }

  draw();
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
