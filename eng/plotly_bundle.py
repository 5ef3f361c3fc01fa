"""The small plotly.js bundle that reports carry: fetched from npm, never committed.

Without it a report falls back to the bundle inside Python's plotly package, which is several times as large.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

import repo
import steps

PACKAGE = "plotly.js-basic-dist-min"
VERSION = "2.35.3"
# The registry's own integrity value of this version (`npm view PACKAGE@VERSION dist.integrity`).
INTEGRITY = "sha512-ZipAmyME0S5qWec6GDy2dxP+E6Qhi0X6eNwH6gy7m5YMKYSgrDYrc+/3PTPWpJsxcIMF0kqoOruX+SgH2VwOWg=="

FOLDER = repo.CACHE / "plotly"
BUNDLE = FOLDER / "plotly-basic.min.js"
LICENSE = FOLDER / "LICENSE"

# After a registry that did not answer, setup asks again no sooner than this.
RETRY_SECONDS = 24 * 3600


def unpack(package: bytes, folder: Path, integrity: str = INTEGRITY) -> None:
    """Checks a package as npm packed it and takes the bundle and its licence out.

    BuildError when it is not the pinned one: what goes into every report must be what was reviewed.
    """
    found = "sha512-" + base64.b64encode(hashlib.sha512(package).digest()).decode()
    if found != integrity:
        raise repo.BuildError(f"{PACKAGE} {VERSION} is not the pinned file: expected {integrity}, got {found}")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        for name in (LICENSE.name, BUNDLE.name):
            member = archive.extractfile(f"package/{name}")
            assert member is not None, f"{name} is a file in every release of {PACKAGE}"
            partial = folder / f"{name}.partial"
            partial.write_bytes(member.read())
            partial.replace(folder / name)


def fetch() -> bytes | None:
    """The package as npm serves it; None where there is no npm or its registry does not answer."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        options = ["--ignore-scripts", "--silent", "--fetch-retries=0", "--fetch-timeout=20000"]
        command = [npm, "pack", f"{PACKAGE}@{VERSION}", *options]
        try:
            subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
        files = list(Path(folder).glob("*.tgz"))
        return files[0].read_bytes() if files else None


def set_up() -> bool:
    """Puts the bundle into .cache/plotly unless it is there; returns whether it tried."""
    unanswered = repo.CACHE / "stamps" / "plotly-unanswered"
    if unanswered.is_file() and time.time() - unanswered.stat().st_mtime < RETRY_SECONDS:
        return False

    def work() -> None:
        start = time.monotonic()
        package = fetch()
        if package is None:
            unanswered.parent.mkdir(parents=True, exist_ok=True)
            unanswered.touch()
            steps.say("plotly bundle: npm has none to give; reports use the one inside Python's plotly package")
            return
        unpack(package, FOLDER)
        unanswered.unlink(missing_ok=True)
        steps.say(f"plotly bundle: done ({time.monotonic() - start:.1f} s)")

    return steps.once("plotly", INTEGRITY, [BUNDLE, LICENSE], work)
