"use strict";
// Selects a mark of a chart by keyboard. The chart takes the focus and the arrow keys. A ring surrounds the mark, a
// line beside it describes it, and another line does so for screen readers.
const chartCursor = (function () {
  const AWAY_PIXELS = 14;
  const ZOOMS = { "+": 0.5, "=": 0.5, "-": 2 };
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // for sighted readers; `says` is for screen readers
  document.body.append(tip);

  const hideTip = () => { tip.hidden = true; };

  // Shows the tip beside a point of the window, and inside the window.
  function showTip(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    const room = document.documentElement.clientWidth - tip.offsetWidth - AWAY_PIXELS;
    tip.style.left = Math.max(0, Math.min(x + AWAY_PIXELS, room)) + "px";
    tip.style.top = (y + AWAY_PIXELS + tip.offsetHeight > innerHeight ? y - AWAY_PIXELS - tip.offsetHeight : y + AWAY_PIXELS) + "px";
  }

  // `at`: the chart; `keys`: name of a key -> function of the mark under the cursor (null: none yet), which returns the
  // next mark or null; `start()`: the first mark; `box(mark)`: left, top, width, height in pixels of the chart, null if
  // out of sight; `span(mark)`: from and to in seconds; `say(mark)`: the mark in words; `item(mark)`: the work item,
  // null if none; `help`: id of the text that lists the keys.
  function attach(at, { keys, start, box, span, say, item, help, name }) {
    const says = document.getElementById(at.id.replace("chart-", "") + "-says");
    let mark = null, told = false; // whether the keyboard acted last and owns the line beside the mark
    const ring = document.createElement("div");
    ring.className = "ring";
    ring.hidden = true;
    at.append(ring);
    at.tabIndex = 0;
    // Screen readers pass keys to an application, but not to a picture.
    at.setAttribute("role", "application");
    at.setAttribute("aria-roledescription", "chart");
    at.setAttribute("aria-label", name + ". " + at.getAttribute("aria-label"));
    at.setAttribute("aria-describedby", help);

    // Also called after a redraw, which may bring a mark into sight.
    function place(scroll) {
      const to = mark === null || document.activeElement !== at ? null : box(mark);
      ring.hidden = to === null;
      if (to === null) return told && hideTip();
      ring.style.left = to.left + "px";
      ring.style.top = to.top + "px";
      ring.style.width = to.width + "px";
      ring.style.height = to.height + "px";
      if (scroll) ring.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (!told) return;
      const frame = ring.getBoundingClientRect();
      showTip(say(mark), frame.left + frame.width / 2, frame.bottom - AWAY_PIXELS / 2);
    }

    function go(next) {
      if (next === null || next === undefined) return;
      mark = next;
      told = true;
      timeZoom.reveal(...span(mark));
      says.textContent = say(mark);
      place(true);
    }

    at.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target !== at) return;
      const key = (event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "") + event.key;
      if (keys[key]) {
        event.preventDefault();
        go(keys[key](mark));
      } else if ((event.key === "Enter" || event.key === " ") && mark !== null) {
        event.preventDefault();
        const id = item(mark);
        if (id !== null) selection.choose(id === selection.chosen() ? null : id);
      } else if (ZOOMS[event.key] && mark !== null) {
        event.preventDefault();
        const [from, to] = span(mark), [first, last] = timeZoom.range();
        timeZoom.around((Math.max(from, first) + Math.min(to, last)) / 2, ZOOMS[event.key]);
      } else if (event.key === "Escape") {
        // The event bubbles up, so that the page deselects the chosen item.
        mark = null;
        says.textContent = "";
        place();
        told = false;
      }
    });
    at.addEventListener("focus", () => { if (at.matches(":focus-visible")) go(mark === null ? start() : mark); });
    at.addEventListener("blur", () => { place(); told = false; });
    addEventListener("scroll", () => { if (!ring.hidden) place(); }, { passive: true });
    return { place, point: (to) => { mark = to; told = false; place(); } };
  }

  return { attach, showTip, hideTip };
})();
