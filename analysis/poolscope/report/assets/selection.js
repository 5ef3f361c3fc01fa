"use strict";
// The single work item that the reader follows through the page. An element for an item has data-item="ID". It becomes
// clickable here, responds to Enter and Space, and has the class `chosen` while its item is chosen.
const selection = (function () {
  const told = [];
  const HASH = /^#item-(\d+)$/;
  const NATIVE = "a[href], button, input, select, textarea, summary";
  let item = null;

  const chosen = () => item;

  // Also for elements added after the page was loaded.
  function refresh() {
    document.querySelectorAll("[data-item]").forEach((at) => {
      const is = item !== null && at.dataset.item === String(item);
      at.classList.toggle("chosen", is);
      if (is) at.setAttribute("aria-current", "true");
      else at.removeAttribute("aria-current");
      // A row stays a row for a screen reader. If it has a button of its own, the button takes the focus.
      if (!at.matches(NATIVE) && !at.hasAttribute("tabindex") && !at.querySelector("[data-item]")) at.tabIndex = 0;
    });
  }

  function choose(id) {
    const next = id === null || id === undefined || id === "" || !Number.isFinite(Number(id)) ? null : Number(id);
    if (next === item) return;
    item = next;
    refresh();
    const hash = item === null ? "" : "#item-" + item;
    if (item !== null || HASH.test(location.hash)) {
      // Some browsers do not let a file:// page change its own address.
      try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { /* the address is
                                                                                                      optional */ }
    }
    told.forEach((fn) => fn(item));
  }

  function listen(fn) {
    told.push(fn);
    if (item !== null) fn(item);
  }

  const readHash = () => {
    const match = HASH.exec(location.hash);
    if (match) choose(match[1]);
  };

  document.addEventListener("click", (event) => {
    const at = event.target instanceof Element && event.target.closest(NATIVE + ", [data-item]");
    if (!at || at.dataset.item === undefined) return;
    if (!at.matches(NATIVE) && String(getSelection())) return; // selecting text in a row is no click on it
    choose(!at.matches("a") && at.dataset.item === String(item) ? null : at.dataset.item);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return choose(null);
    const at = event.target;
    if ((event.key !== "Enter" && event.key !== " ") || !at.matches("[data-item]") || at.matches(NATIVE)) return;
    event.preventDefault();
    choose(at.dataset.item === String(item) ? null : at.dataset.item);
  });
  addEventListener("hashchange", readHash);
  // After every script of the page has registered its listeners.
  document.addEventListener("DOMContentLoaded", readHash);
  refresh();

  return { choose, listen, chosen, refresh };
})();
