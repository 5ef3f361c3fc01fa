"use strict";
// Light, dark, or the system's setting. Runs before the first frame; the button is bound when it exists.
const theme = (function () {
  const KEY = "poolscope-theme";
  const CHOICES = ["system", "light", "dark"];
  const root = document.documentElement;
  let chosen = "system";

  function apply() {
    if (chosen === "system") delete root.dataset.theme;
    else root.dataset.theme = chosen;
  }

  // Some browsers give a file:// page no storage. The choice then lasts as long as the page.
  function keep() {
    try { localStorage.setItem(KEY, chosen); } catch { /* not stored; storage is optional */ }
  }
  try {
    const kept = localStorage.getItem(KEY);
    if (CHOICES.includes(kept)) chosen = kept;
  } catch { /* the system's setting */ }
  apply();

  // `changed` is called after each change.
  function bind(button, changed) {
    const say = () => { button.textContent = "Theme: " + chosen; };
    button.addEventListener("click", () => {
      chosen = CHOICES[(CHOICES.indexOf(chosen) + 1) % CHOICES.length];
      apply();
      keep();
      say();
      changed();
    });
    say();
  }

  return { apply, bind };
})();
