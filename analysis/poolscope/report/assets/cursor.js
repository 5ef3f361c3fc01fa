"use strict";
// Choosing a mark of a chart by keyboard. The chart takes the focus and hears the arrow keys; a ring stands around the
// mark, a line beside it and another for screen readers say what it is.
const chartCursor = (function () {
  const AWAY_PIXELS = 14;
  const ZOOMS = { "+": 0.5, "=": 0.5, "-": 2 };
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // for those who see; `says` is for those who hear
  document.body.append(tip);

  const hideTip = () => { tip.hidden = true; };

  // Beside a point of the window, and within it.
  function showTip(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    const room = document.documentElement.clientWidth - tip.offsetWidth - AWAY_PIXELS;
    tip.style.left = Math.max(0, Math.min(x + AWAY_PIXELS, room)) + "px";
    tip.style.top = (y + AWAY_PIXELS + tip.offsetHeight > innerHeight ? y - AWAY_PIXELS - tip.offsetHeight : y + AWAY_PIXELS) + "px";
  }

  // `at`: the chart. `keys`: name of a key -> function of the mark under the cursor (null: none yet), which gives the
  // next one or null. `start()`: the mark to begin with. `box(mark)`: left, top, width, height in pixels of the chart,
  // null: out of sight. `span(mark)`: from and to in seconds. `say(mark)`: in words. `item(mark)`: the work item, null:
  // none. `help`: id of the text that names the keys.
  function attach(at, { keys, start, box, span, say, item, help, name }) {
    const says = document.getElementById(at.id.replace("chart-", "") + "-says");
    let mark = null, told = false; // whether the keyboard asked last, and so the line beside the mark is its
    const ring = document.createElement("div");
    ring.className = "ring";
    ring.hidden = true;
    at.append(ring);
    at.tabIndex = 0;
    // A picture takes no keys: as an application a screen reader hands them on.
    at.setAttribute("role", "application");
    at.setAttribute("aria-roledescription", "chart");
    at.setAttribute("aria-label", name + ". " + at.getAttribute("aria-label"));
    at.setAttribute("aria-describedby", help);

    // Also after the chart was drawn anew: then a mark may be in sight that was not before.
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
        // Passed on: the page lets go of the chosen item.
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
