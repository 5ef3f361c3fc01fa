"use strict";
// A page with static charts: fits them to screen and paper, and offers its content as a file.
(function () {
  const root = document.documentElement;
  const PAPER_PIXELS = 660;
  const NARROW_PIXELS = 600;

  function draw(width) {
    return charts.draw(width, (figure) => {
      if (window.innerWidth >= NARROW_PIXELS) return;
      figure.layout.font.size = 10;
      figure.layout.margin.l = 48;
      figure.layout.xaxis.nticks = 4;
      if (figure.layout.legend) figure.layout.legend.font = { size: 10 };
      figure.layout.height = Math.round(figure.layout.height * 1.1);
    });
  }

  document.getElementById("actions").hidden = false;
  const save = document.getElementById("save");
  save.addEventListener("click", () => {
    const text = document.getElementById(`data-${save.dataset.content}`).textContent;
    const url = URL.createObjectURL(new Blob([text, "\n"], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${save.dataset.content}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });

  draw();
  addEventListener("resize", () => { if (!root.dataset.theme) draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
  // Paper is light and narrow, whatever the screen is.
  addEventListener("beforeprint", () => { root.dataset.theme = "light"; draw(PAPER_PIXELS); });
  addEventListener("afterprint", () => { delete root.dataset.theme; draw(); });
})();
