"""The small plotly.js bundle in reports: fetched from npm, never committed.

Without it a report uses the bundle in Python's plotly package, which is several times as large.
"""

from __future__ import annotations

import shutil
import time

import npm
import repo
import steps

PURPOSE = "plotly"
PACKAGE = npm.locked(PURPOSE)["plotly.js-basic-dist-min"]

FOLDER = repo.CACHE / "plotly"
MODULES = FOLDER / "node_modules"
BUNDLE = FOLDER / "plotly-basic.min.js"
LICENSE = FOLDER / "LICENSE"


def set_up() -> bool:
    """Installs the bundle in .cache/plotly unless it is there; returns whether it tried."""
    if npm.Silence(PURPOSE).lasts():
        return False

    def work() -> None:
        start = time.monotonic()
        if not npm.install(PURPOSE, MODULES):
            steps.say("plotly bundle: npm has none to give; reports use the one inside Python's plotly package")
            return
        for file in (LICENSE, BUNDLE):
            shutil.copyfile(MODULES / PACKAGE.name / file.name, file)
        steps.say(f"plotly bundle: done ({time.monotonic() - start:.1f} s)")

    return steps.once("plotly", steps.digest([npm.lock_file(PURPOSE)]), [BUNDLE, LICENSE], work)
