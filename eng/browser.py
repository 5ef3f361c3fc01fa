"""Real browsers for tests and benchmarks of the report: Debian's Chromium, driven by playwright-core under Node, and
Debian's Firefox, which a few tests drive over its own protocol (tests/browser/firefox.py).

Neither is needed to build or use Poolscope. `missing()` names missing parts. Tests that need them are skipped with that
text, but fail if CI declares a machine that must have all parts.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import debian
import npm
import repo
import steps

FOLDER = repo.CACHE / "browser"
MODULES = FOLDER / "node_modules"

PURPOSE = "browser"
PACKAGES = npm.locked(PURPOSE)

# Debian's package of each command that the tests need. Setup checks each command, because one may come from another
# source.
DEBIAN = {"chromium": "chromium", "firefox-esr": "firefox-esr", "node": "nodejs", "npm": "npm"}


def chromium() -> str | None:
    """Finds the browser: Debian names it chromium, other systems have other names."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def missing() -> list[str]:
    """Returns the parts that a browser test needs and this machine lacks, each in a few words."""
    lacks = [] if chromium() else ["chromium"]
    lacks += [] if shutil.which("node") else ["node"]
    return lacks + [f"npm package {name}" for name in PACKAGES if not (MODULES / name / "package.json").is_file()]


def _install_commands() -> None:
    """Installs missing parts from Debian if no password is needed; otherwise the tests report them."""
    lacking = [command for command in DEBIAN if not (chromium() if command == "chromium" else shutil.which(command))]
    if not lacking or not debian.available():
        return
    try:
        if not debian.install_these([DEBIAN[command] for command in lacking]):
            steps.say(f"browser tests: skipped without {', '.join(lacking)} (apt needs root)")
    except repo.BuildError as error:
        steps.say(f"browser tests: skipped without {', '.join(lacking)}: {error}")


def set_up() -> bool:
    """Installs the browsers, and the packages in .cache/browser, unless they are there.

    Returns whether it tried. A failure does not end the build.
    """
    if npm.Silence(PURPOSE).lasts():
        return False

    def work() -> None:
        start = time.monotonic()
        _install_commands()
        if not npm.install(PURPOSE, MODULES):
            steps.say(f"browser tests: npm has no {' and '.join(PACKAGES)} to give; they are skipped")
            return
        steps.say(f"browser tests: ready ({time.monotonic() - start:.1f} s)")

    outputs = [MODULES / name / "package.json" for name in PACKAGES]
    return steps.once("browser", steps.digest([npm.lock_file(PURPOSE)], *DEBIAN), outputs, work)
