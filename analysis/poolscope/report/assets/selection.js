"use strict";
// The one work item that the reader follows through the page. What stands for an item says so with data-item="ID":
// here it becomes clickable, answers Enter and Space, and has the class `chosen` while its item is chosen.
const selection = (function () {
  const told = [];
  const HASH = /^#item-(\d+)$/;
  const NATIVE = "a[href], button, input, select, textarea, summary";
  let item = null;

  const chosen = () => item;

  // Also for elements that were added after the page was read.
  function refresh() {
    document.querySelectorAll("[data-item]").forEach((at) => {
      const is = item !== null && at.dataset.item === String(item);
      at.classList.toggle("chosen", is);
      if (is) at.setAttribute("aria-current", "true");
      else at.removeAttribute("aria-current");
      // A row stays a row for a screen reader; where it has a button of its own, that one takes the focus.
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
      // Some browsers let a file:// page not touch its own address.
      try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { /* no address, no harm */ }
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
    if (!at.matches(NATIVE) && String(getSelection())) return; // marking text in a row is no click on it
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
  // After every script of the page has said that it listens.
  document.addEventListener("DOMContentLoaded", readHash);
  refresh();

  return { choose, listen, chosen, refresh };
})();
