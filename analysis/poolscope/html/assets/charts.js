"use strict";
// The common part of every page with charts: its figures, drawn in the colours of its style sheet.
const charts = (function () {
  const figures = JSON.parse(document.getElementById("data-figures").textContent);
  const place = (name) => document.getElementById("chart-" + name);
  const drawn = Object.keys(figures).filter(place);
  const config = {
    displaylogo: false,
    displayModeBar: false,
    plotlyServerURL: "",
    showSendToCloud: false,
  };

  // Replaces every "var(--name)" in a figure with that variable's present value in the page.
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

  // Draws the charts as wide as their place, or `width` wide. `adjust` may change a figure before it is drawn. `names`:
  // only these. The first time, each chart is a task of its own, so that the page responds to scrolling and clicks
  // between two charts.
  let begun = false;
  function draw(width, adjust, names) {
    const one = (name) => {
      const figure = resolved(figures[name], getComputedStyle(document.documentElement));
      figure.layout.width = width || place(name).clientWidth;
      if (adjust) adjust(figure, place(name), name);
      return Plotly.react(place(name), figure.data, figure.layout, config);
    };
    const chosen = names || drawn;
    if (begun) return Promise.all(chosen.map(one));
    begun = true;
    const task = () => new Promise((next) => { setTimeout(next); });
    return chosen.reduce((before, name) => before.then(task).then(() => one(name)), Promise.resolve());
  }

  return { figures, place, drawn, draw };
})();
