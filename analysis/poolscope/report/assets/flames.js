"use strict";
// Draws the flame graphs. Boxes are placed in percent, so that they follow the width of screen and paper by themselves.
(function () {
  const ROW = 21; // px from box to box
  const LEAST_PX = 1.2; // narrower boxes are drawn after zooming in
  const LEAST_PAPER_PX = 3; // paper has no zoom, and slivers over a page's depth are useless
  const COUNT_PX = 62; // approximate width of the number of folded frames
  const NARROW_PX = 14; // no room for a letter
  const { visible, cut } = words;
  const { KINDS, LONGEST, LONGEST_STATUS, kindOf, nameOf, shorter, percent, samples } = flameNames;

  function flameGraph(at, flame) {
    const find = (name) => at.querySelector(".flame-" + name);
    const graph = find("graph"), status = find("status"), found = find("found"), search = find("search"), reset = find("reset"), view = find("view"), unfold = find("unfold"), scroll = find("scroll");
    const unit = at.dataset.unit === "samples" ? { text: samples } : { text: words.duration };
    unit.none = at.dataset.flame === "ready_flame" ? "no sample" : "no stack";
    const { parent, frame } = flame.nodes, size = parent.length;
    const kind = flame.frames.map(kindOf), name = flame.frames.map((f) => nameOf(f, unit));
    const module = flame.frames.map((f) => (f.module ? visible(f.module) : ""));
    const needle = flame.frames.map((f, i) => (name[i] + " " + (f.module || "")).toLowerCase());
    // Node -1, the root, is stored at index `size`, so that it is a node like all others.
    const ALL = size, up = (i) => (i === ALL ? -1 : parent[i] < 0 ? ALL : parent[i]);
    const below = Array.from({ length: size + 1 }, () => []);
    for (let i = 0; i < size; i++) below[up(i)].push(i);
    let chains = new Map(), headOf = new Map(), allOpen = false, opened = new Set();
    const called = (i) => below[chains.get(i) ?? i];
    const caller = (i) => { const by = up(i); return headOf.get(by) ?? by; };

    let weights, whole, zoomed = ALL, focused = ALL, laidOut = 0, sought = "", boxes = new Map(), shown = new Map();
    const weight = (i) => (i === ALL ? whole : weights[i]);
    function choose(key) {
      weights = flame.nodes[key === "named" ? "total" : key];
      whole = key === "total" || key === "named" ? flame.total ?? flame.with_stack : flame[key];
      if (key === "named") {
        // Leaves out boxes without a stack. They are roots, and the boxes below them are left out too.
        const nameless = new Uint8Array(size);
        weights = weights.map((w, i) => {
          nameless[i] = parent[i] < 0 ? kind[frame[i]] === "none" : nameless[parent[i]];
          if (nameless[i] && parent[i] < 0) whole -= w;
          return nameless[i] ? 0 : w;
        });
      }
      below.forEach((list) => list.sort((a, b) => weights[b] - weights[a] || a - b));
      fold();
    }

    function fold() {
      const isPlain = (i) => kind[frame[i]] === "framework" || kind[frame[i]] === "native";
      ({ chains, headOf } = flameChains(below, weights, isPlain, (i) => allOpen || opened.has(i)));
      zoomed = headOf.get(zoomed) ?? zoomed;
      focused = headOf.get(focused) ?? focused;
    }

    // The frames in a box.
    function members(i) {
      const found = [i];
      if (chains.has(i)) for (let last = i; last !== chains.get(i);) found.push(last = below[last][0]);
      return found;
    }
    // The number of frames folded into a box, or nothing.
    const more = (i) => (chains.has(i) ? " + " + (members(i).length - 1) + " frames" : "");

    function describe(i) {
      const all = unit.text(weight(i)) + ", " + percent(whole ? weight(i) / whole : 0);
      if (i === ALL) return "All: " + unit.text(whole);
      const f = frame[i], own = called(i).reduce((sum, child) => sum - weight(child), weight(i));
      const parts = [all + " of all"];
      if (zoomed !== ALL && weight(zoomed) && shown.has(i) && !shown.get(i).passed) parts.push(percent(weight(i) / weight(zoomed)) + " of the zoomed box");
      if (called(i).length && own > 1e-3 && own / weight(i) > 1e-4) parts.push("own " + unit.text(own));
      const estimated = flame.nodes.measured ? weight(i) - flame.nodes.measured[i] : 0;
      if (estimated > 1e-3 && estimated / weight(i) > 1e-4) parts.push(unit.text(estimated) + " of it estimated");
      if (chains.has(i)) parts.push("framework frames folded down to " + name[frame[chains.get(i)]]);
      parts.push(KINDS[kind[f]]);
      if (module[f]) parts.push(module[f]);
      return name[f] + more(i) + ": " + parts.join("; ");
    }

    const say = (i) => { status.textContent = cut(describe(i), LONGEST_STATUS); };

    function box(i, x, width, px) {
      const element = document.createElement("div"), f = frame[i];
      const label = i === ALL ? "all: " + unit.text(whole) : name[f];
      element.className = "flame-box " + (i === ALL ? "all" : kind[f]);
      if (px < NARROW_PX) element.classList.add("narrow");
      else if (chains.has(i)) {
        element.textContent = cut(shorter(flame.frames[f], label, px - 10 - COUNT_PX), LONGEST) + more(i);
      } else element.textContent = cut(i === ALL ? label : shorter(flame.frames[f], label, px - 10), LONGEST);
      if (chains.has(i)) {
        element.classList.add("chain");
        element.setAttribute("aria-expanded", "false");
      }
      if (i !== zoomed && shown.get(i).passed) element.classList.add("passed");
      element.style.left = x * 100 + "%";
      element.style.width = "max(1px, calc(" + width * 100 + "% - 1px))";
      element.style.top = shown.get(i).row * ROW + "px";
      element.setAttribute("role", "treeitem");
      element.setAttribute("aria-level", shown.get(i).row + 1);
      // The label of a box begins its accessible name. The label of a folded box may be shorter than its description.
      element.setAttribute("aria-label", cut((chains.has(i) && element.textContent ? element.textContent + ", " : "") + describe(i), LONGEST));
      element.setAttribute("aria-selected", String(i === zoomed));
      element.tabIndex = -1;
      element.dataset.node = i;
      return element;
    }

    // Callers of the zoomed box stay above it in full width, as the way back. `paper`: the width of paper, otherwise
    // the width of the place is used.
    function layout(paper) {
      const pixels = paper || graph.clientWidth || 1000;
      laidOut = paper ? 0 : graph.clientWidth;
      shown = new Map();
      let deepest = 0;
      const way = [];
      for (let i = caller(zoomed); i >= 0; i = caller(i)) way.unshift(i);
      way.forEach((i, row) => shown.set(i, { x: 0, width: 1, row, passed: true }));
      const open = [[zoomed, 0, 1, way.length]];
      while (open.length) {
        const [i, x, width, row] = open.pop();
        shown.set(i, { x, width, row, passed: false });
        deepest = Math.max(deepest, row);
        let left = x;
        for (const child of called(i)) {
          const part = weight(i) ? (width * weight(child)) / weight(i) : 0;
          if (part * pixels < (paper ? LEAST_PAPER_PX : LEAST_PX)) break; // sorted: the rest is narrower
          open.push([child, left, part, row + 1]);
          left += part;
        }
      }
      boxes = new Map();
      const made = document.createDocumentFragment();
      for (const i of Array.from(shown.keys()).sort((a, b) => shown.get(a).row - shown.get(b).row || shown.get(a).x - shown.get(b).x)) {
        const { x, width } = shown.get(i), element = box(i, x, width, width * pixels);
        boxes.set(i, element);
        made.append(element);
      }
      graph.replaceChildren(made);
      graph.style.height = (deepest + 1) * ROW + "px";
      if (!boxes.has(focused)) focused = zoomed;
      boxes.get(focused).tabIndex = 0;
      reset.disabled = zoomed === ALL && !sought;
      mark();
    }

    // A stack with several matching boxes counts once.
    function mark() {
      const hit = flame.frames.map((_, f) => sought !== "" && needle[f].includes(sought));
      const inside = new Uint8Array(size + 1);
      let sum = 0;
      const methods = new Set();
      for (let i = 0; i < size; i++) {
        const within = parent[i] >= 0 && inside[parent[i]];
        if (hit[frame[i]] && weight(i) > 0) {
          methods.add(frame[i]);
          if (!within) sum += weight(i);
        }
        inside[i] = within || hit[frame[i]] ? 1 : 0;
      }
      boxes.forEach((element, i) => {
        const has = i !== ALL && members(i).some((member) => hit[frame[member]]);
        element.classList.toggle("found", has);
        element.classList.toggle("missed", sought !== "" && i !== ALL && !has);
      });
      const count = methods.size;
      found.textContent = !sought ? "" : count === 0 ? "Nothing matches." :
        (count === 1 ? "1 name matches" : count + " names match") + ": " + unit.text(Math.round(sum * 1000) / 1000) + ", " + percent(whole ? sum / whole : 0) + " of all.";
    }

    function focus(i) {
      boxes.get(focused).tabIndex = -1;
      focused = i;
      boxes.get(i).tabIndex = 0;
      boxes.get(i).focus({ preventScroll: true });
      boxes.get(i).scrollIntoView({ block: "nearest" });
    }

    // Scrolls down until the reader's own code is in sight, with its caller above it.
    function toOwnCode() {
      const rows = [...shown].filter(([i]) => i !== ALL && kind[frame[i]] === "user").map(([, at]) => at.row);
      scroll.scrollTop = rows.length ? Math.max(0, (Math.min(...rows) - 1) * ROW) : 0;
    }

    // Opens folded frames first; a second click zooms.
    function enter(i) {
      if (!chains.has(i)) return zoom(i, true);
      opened.add(i);
      fold();
      focused = i;
      layout();
      say(i);
      focus(i);
    }

    function zoom(i, keep) {
      zoomed = i;
      focused = i;
      layout();
      say(i);
      if (keep) focus(i);
    }

    function clear() {
      search.value = sought = "";
      zoom(ALL, graph.contains(document.activeElement));
    }

    const nodeOf = (event) => {
      const element = event.target instanceof Element && event.target.closest(".flame-box");
      return element ? Number(element.dataset.node) : null;
    };
    graph.addEventListener("click", (event) => {
      const i = nodeOf(event);
      if (i !== null) enter(i);
    });
    graph.addEventListener("mouseover", (event) => {
      const i = nodeOf(event);
      if (i !== null) say(i);
    });
    graph.addEventListener("mouseleave", () => say(focused));
    graph.addEventListener("focusin", (event) => {
      const i = nodeOf(event);
      if (i !== null) say(i);
    });
    graph.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const drawn = (list) => list.filter((i) => boxes.has(i));
      const step = (by) => {
        const row = focused === ALL ? [ALL] : drawn(called(caller(focused)));
        return row[row.indexOf(focused) + by];
      };
      const go = {
        ArrowUp: () => caller(focused), ArrowDown: () => drawn(called(focused))[0], ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => ALL,
      }[event.key];
      if (go) {
        event.preventDefault();
        const next = go();
        if (next !== undefined && next >= 0) focus(next);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        enter(focused);
      }
    });
    at.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || (zoomed === ALL && !sought)) return;
      event.stopPropagation(); // the chosen item stays chosen
      event.preventDefault();
      clear();
    });
    search.addEventListener("input", () => {
      sought = search.value.trim().toLowerCase();
      reset.disabled = zoomed === ALL && !sought;
      mark();
    });
    unfold.addEventListener("click", () => {
      allOpen = !allOpen;
      opened.clear();
      unfold.setAttribute("aria-pressed", String(allOpen));
      fold();
      layout();
      toOwnCode();
    });
    reset.addEventListener("click", () => { clear(); focus(ALL); });
    if (view) view.addEventListener("change", () => { choose(view.value); layout(); say(focused); });

    choose(view ? view.value : "total");
    layout();
    toOwnCode();
    say(ALL);
    // The visible labels change with the width; the focus stays.
    function fit(paper) {
      const held = graph.contains(document.activeElement);
      layout(paper);
      if (!held) toOwnCode();
      if (held) boxes.get(focused).focus({ preventScroll: true });
    }
    new ResizeObserver(() => {
      if (graph.clientWidth && graph.clientWidth !== laidOut && document.documentElement.dataset.paper === undefined) fit();
    }).observe(graph);
    addEventListener("beforeprint", () => fit(inView.PAPER_PIXELS));
    addEventListener("afterprint", () => fit());
  }

  const places = Array.from(document.querySelectorAll(".flame[data-flame]"));
  if (!places.length) return;
  document.querySelectorAll(".flame-only").forEach((element) => { element.hidden = false; });
  // Each graph has hundreds of boxes: draws one at a time when the page is idle, and all of them before printing.
  const rest = places.slice();
  function next() {
    const at = rest.shift();
    flameGraph(at, words.analysis()[at.dataset.flame]);
  }
  const idle = (fn) => ("requestIdleCallback" in window ? requestIdleCallback(fn, { timeout: 2000 }) : setTimeout(fn, 50));
  function later() {
    if (!rest.length) return;
    next();
    idle(later);
  }
  idle(later);
  // Runs before the graphs' own listeners, which fit them to paper.
  addEventListener("beforeprint", () => { while (rest.length) next(); }, true);
})();
