"""A real browser for tests and benchmarks of the report: Debian's Chromium, driven by playwright-core under Node.

Nothing of it is needed to build or use Poolscope. Where a part is missing, `missing()` names it; the tests skip
with that, except where CI says that this is a machine which must have all.
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

PACKAGES = [
    npm.Package(
        "playwright-core",
        "1.65.1",
        "sha512-hqPpz7blSMPxWVdoeE1yiBSzXsKiVOd2k+kjCvmUywD2GPO2Dd9HfcWnq9NN0GHbNZDFgZ9JfBFr+X5/BLo0qw==",
    ),
    npm.Package(
        "axe-core",
        "4.14.1",
        "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
    ),
]

# What apt calls the commands that the tests need; asked for one by one, because a command may come from elsewhere.
DEBIAN = {"chromium": "chromium", "node": "nodejs", "npm": "npm"}


def chromium() -> str | None:
    """The browser: Debian calls it chromium, others have it under other names."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def missing() -> list[str]:
    """What a browser test needs and this machine lacks, each in a few words."""
    lacks = [] if chromium() else ["chromium"]
    lacks += [] if shutil.which("node") else ["node"]
    return lacks + [f"npm package {p.name}" for p in PACKAGES if not (MODULES / p.name / "package.json").is_file()]


def _install_commands() -> None:
    """Gets what is missing from Debian where that needs no question; else the tests say what they lack."""
    lacking = [command for command in DEBIAN if not (chromium() if command == "chromium" else shutil.which(command))]
    if not lacking or not debian.available():
        return
    try:
        if not debian.install_these([DEBIAN[command] for command in lacking]):
            steps.say(f"browser tests: skipped without {', '.join(lacking)} (apt needs root)")
    except repo.BuildError as error:
        steps.say(f"browser tests: skipped without {', '.join(lacking)}: {error}")


def set_up() -> bool:
    """Puts Chromium on the machine and the packages into .cache/browser unless they are there.

    Returns whether it tried. No failure of it ends the build.
    """
    silence = npm.Silence("browser")
    if silence.lasts():
        return False

    def work() -> None:
        start = time.monotonic()
        _install_commands()
        lacking = npm.install(PACKAGES, MODULES, silence)
        if lacking:
            steps.say(f"browser tests: npm has no {lacking.name} to give; they are skipped")
            return
        steps.say(f"browser tests: ready ({time.monotonic() - start:.1f} s)")

    key = " ".join(package.integrity for package in PACKAGES)
    return steps.once("browser", key, [MODULES / package.name / "package.json" for package in PACKAGES], work)
