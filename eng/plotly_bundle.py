"""The small plotly.js bundle that reports carry: fetched from npm, never committed.

Without it a report falls back to the bundle inside Python's plotly package, which is several times as large.
"""

from __future__ import annotations

import time
from pathlib import Path

import npm
import repo
import steps

PACKAGE = npm.Package(
    "plotly.js-basic-dist-min",
    "2.35.3",
    "sha512-ZipAmyME0S5qWec6GDy2dxP+E6Qhi0X6eNwH6gy7m5YMKYSgrDYrc+/3PTPWpJsxcIMF0kqoOruX+SgH2VwOWg==",
)

FOLDER = repo.CACHE / "plotly"
BUNDLE = FOLDER / "plotly-basic.min.js"
LICENSE = FOLDER / "LICENSE"


def unpack(packed: bytes, folder: Path, package: npm.Package = PACKAGE) -> None:
    """Checks a package as npm packed it and takes the bundle and its licence out."""
    npm.check(packed, package)
    folder.mkdir(parents=True, exist_ok=True)
    contents = dict(npm.files(packed))
    for name in (LICENSE.name, BUNDLE.name):
        partial = folder / f"{name}.partial"
        partial.write_bytes(contents[name])
        partial.replace(folder / name)


def set_up() -> bool:
    """Puts the bundle into .cache/plotly unless it is there; returns whether it tried."""
    silence = npm.Silence("plotly")
    if silence.lasts():
        return False

    def work() -> None:
        start = time.monotonic()
        package = npm.fetch(PACKAGE)
        if package is None:
            silence.begin()
            steps.say("plotly bundle: npm has none to give; reports use the one inside Python's plotly package")
            return
        unpack(package, FOLDER)
        silence.end()
        steps.say(f"plotly bundle: done ({time.monotonic() - start:.1f} s)")

    return steps.once("plotly", PACKAGE.integrity, [BUNDLE, LICENSE], work)
