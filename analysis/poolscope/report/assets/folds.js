"use strict";
// Folded parts: a link into one opens it, and a button opens all.
const folds = (function () {
  const closed = () => [...document.querySelectorAll("main details:not([open])")];
  // Whether an element is inside no folded part.
  const shows = (at) => at.closest("details:not([open])") === null;

  // Opens every folded part around an element, and the element's own part.
  function reveal(at) {
    for (let part = at.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    const own = at.querySelector(":scope > details");
    if (own && at.matches("li, article")) own.open = true;
  }

  function named(hash) {
    try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return null; }
  }

  function follow() {
    const at = location.hash.length > 1 && named(location.hash);
    if (!at) return;
    const was = shows(at);
    reveal(at);
    if (!was) at.scrollIntoView();
  }

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
    const at = link && named(link.getAttribute("href"));
    if (at) reveal(at); // before the browser scrolls there
  }, true);
  addEventListener("hashchange", follow);
  document.addEventListener("DOMContentLoaded", follow);

  // Pressed: everything is open. Released: the parts that it opened are folded again.
  function bind(button) {
    let opened = [];
    button.addEventListener("click", () => {
      const pressed = button.getAttribute("aria-pressed") !== "true";
      if (pressed) opened = closed();
      opened.forEach((part) => { part.open = pressed; });
      button.setAttribute("aria-pressed", String(pressed));
    });
  }

  return { shows, bind };
})();
