"""Packages from npm: exact versions and hashes in the lock files of eng/node_packages/, installed by `npm ci` into
.cache/ and never committed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import repo

LOCKS = repo.ROOT / "eng" / "node_packages"
"""One folder for each purpose, with its package.json and package-lock.json."""

RETRY_SECONDS = 24 * 3600
"""Minimum time between attempts after a registry did not answer."""

NO_NPM = "no npm"

INSTALL_SECONDS = 180

# No package script runs, and a registry that does not answer costs no minutes.
OPTIONS = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "--fetch-timeout=20000"]

# Errors that a retry does not fix: other bytes than in the lock file, or a lock file that does not match.
OURS = {"EINTEGRITY", "EUSAGE", "EJSONPARSE", "ETARGET"}
CODE = re.compile(r"^npm (?:ERR!|error) code (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Package:
    """A locked package. `integrity` is the registry's value for this version (`npm view NAME@VERSION
    dist.integrity`)."""

    name: str
    version: str
    integrity: str


def lock_file(purpose: str) -> Path:
    """Returns the lock file of a purpose."""
    return LOCKS / purpose / "package-lock.json"


def locked(purpose: str) -> dict[str, Package]:
    """Returns every package in the lock file of a purpose by name, including indirect dependencies."""
    entries = json.loads(lock_file(purpose).read_text("utf-8"))["packages"]
    found = [
        Package(path.rpartition("node_modules/")[2], entry["version"], entry["integrity"])
        for path, entry in entries.items()
        if path
    ]
    return {package.name: package for package in found}


class Silence:
    """Remembers that the registry did not answer for this purpose, or that npm was missing."""

    def __init__(self, purpose: str) -> None:
        self._stamp = repo.CACHE / "stamps" / f"{purpose}-unanswered"

    def lasts(self) -> bool:
        if not self._stamp.is_file() or time.time() - self._stamp.stat().st_mtime >= RETRY_SECONDS:
            return False
        # Another verb may have installed npm since.
        return self._stamp.read_text() != NO_NPM or shutil.which("npm") is None

    def begin(self) -> None:
        self._stamp.parent.mkdir(parents=True, exist_ok=True)
        self._stamp.write_text("" if shutil.which("npm") else NO_NPM)

    def end(self) -> None:
        self._stamp.unlink(missing_ok=True)


def install(purpose: str, modules: Path) -> bool:
    """Installs the lock file's packages of a purpose into `modules`, all or none.

    Returns False, and remembers it, if npm is missing or its registry does not answer. Raises BuildError if the
    registry sends other bytes than the lock file records: code that runs or is embedded must be the reviewed code.
    """
    silence = Silence(purpose)
    partial = modules.with_name(f".{modules.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        if not _ci(purpose, partial):
            silence.begin()
            return False
        shutil.rmtree(modules, ignore_errors=True)
        (partial / "node_modules").rename(modules)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    silence.end()
    return True


def _ci(purpose: str, folder: Path) -> bool:
    """Runs `npm ci` in `folder`, which it creates; returns whether the packages are there."""
    npm = shutil.which("npm")
    if npm is None:
        return False
    shutil.copytree(LOCKS / purpose, folder)
    try:
        done = subprocess.run(
            [npm, "ci", *OPTIONS, "--loglevel=error"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode == 0:
        return True
    code = CODE.search(done.stderr)
    if code and code[1] in OURS:
        place = (LOCKS / purpose).relative_to(repo.ROOT).as_posix()
        raise repo.BuildError(f"npm ci of {place} failed with {code[1]}:\n{done.stderr.strip()}")
    return False
