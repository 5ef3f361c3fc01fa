"""Packages from Debian: Python's, for machines without access to the Python package index, and the browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import repo
import steps

# The interpreter that sees the distribution's packages; another one on PATH does not.
PYTHON = Path("/usr/bin/python3")

# The packages that `poolscope` itself needs, from analysis/pyproject.toml.
RUNTIME = [
    "python3-pandas",
    "python3-numpy",
    "python3-plotly",
    "python3-jinja2",
    "python3-click",
    "python3-rich",
    "python3-protobuf",
    "python3-scipy",
]

# Plus the packages for development. The native extension is compiled, mypy needs typeshed, and protoc compiles the
# published schema with which a test reads exports.
PACKAGES = [
    *RUNTIME,
    "g++",
    "python3-dev",
    "protobuf-compiler",
    "python3-dask",
    "python3-distributed",
    "python3-fsspec",
    "python3-aiohttp",
    "python3-cryptography",
    "python3-pytest",
    "python3-pytest-xdist",
    "python3-hypothesis",
    "python3-jsonschema",
    "mypy",
    "python3-typeshed",
    "black",
    "python3-hatchling",
]


_ONE_AT_A_TIME = threading.Lock()
"""Set-up runs several steps side by side, and apt refuses to run twice."""


def available() -> bool:
    """Returns whether this system installs its Python packages with apt."""
    return sys.platform == "linux" and shutil.which("apt-get") is not None and PYTHON.exists()


def missing(packages: list[str] = PACKAGES) -> list[str]:
    """Returns the packages that are not installed."""
    query = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *packages]
    listed = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    installed = {line.split()[0] for line in listed if line.endswith(" installed")}
    return [name for name in packages if name not in installed]


def _superuser() -> list[str] | None:
    """Returns the words before a command that run it as root, or None if that is impossible or needs a password."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if steps.answers(["sudo", "-n", "true"], timeout=10) else None


def _known(names: list[str]) -> bool:
    """Returns whether this machine's package lists, which a fresh image lacks, contain all of these."""
    listed = subprocess.run(["apt-cache", "show", "--no-all-versions", *names], capture_output=True, text=True)
    found = {line.split()[1] for line in listed.stdout.splitlines() if line.startswith("Package: ")}
    return found.issuperset(names)


def install(packages: list[str] = PACKAGES) -> None:
    """Installs the missing packages; if that is not allowed, prints one line that says what to do."""
    names = missing(packages)
    if names and not install_these(names):
        raise repo.BuildError(
            "the Python package index does not answer and apt needs root: "
            f"run `sudo apt-get install {' '.join(names)}`, then this again"
        )


def install_these(names: list[str]) -> bool:
    """Installs packages; returns False if that is not allowed without a password."""
    with _ONE_AT_A_TIME:
        return _install(names)


def _install(names: list[str]) -> bool:
    prefix = _superuser()
    if prefix is None:
        return False
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    # Another apt may hold the lock for a while, for example on a machine that has just booted.
    apt = [*prefix, "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    command = [*apt, "install", "-y", "--no-install-recommends", *names]
    updated = not _known(names)
    if updated:
        steps.run("apt update", [*apt, "update"], env=env)
    try:
        steps.run(f"apt install {len(names)} packages", command, env=env)
    except repo.BuildError:
        if updated:
            raise
        # Old lists name files that the archive no longer has.
        steps.run("apt update", [*apt, "update"], env=env)
        steps.run(f"apt install {len(names)} packages", command, env=env)
    return True
