"""Packages from Debian: Python's, for machines that the Python package index does not answer, and the browser."""

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

# What `poolscope` itself needs, as analysis/pyproject.toml says.
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

# With what development takes. The native extension is compiled; mypy needs typeshed there; protoc compiles the published
# schema that a test reads exports with.
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
"""Set-up does several things side by side, and apt refuses a second one of itself."""


def available() -> bool:
    """Returns whether this system installs its Python packages with apt."""
    return sys.platform == "linux" and shutil.which("apt-get") is not None and PYTHON.exists()


def missing(packages: list[str] = PACKAGES) -> list[str]:
    """Returns those of these packages that are not installed."""
    query = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *packages]
    listed = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    installed = {line.split()[0] for line in listed if line.endswith(" installed")}
    return [name for name in packages if name not in installed]


def _superuser() -> list[str] | None:
    """Returns what to put before a command to run it as root; None when we may not, at least not without being asked."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if steps.answers(["sudo", "-n", "true"], timeout=10) else None


def _known(names: list[str]) -> bool:
    """Returns whether the package lists of this machine, which a fresh image comes without, have all of these."""
    listed = subprocess.run(["apt-cache", "show", "--no-all-versions", *names], capture_output=True, text=True)
    found = {line.split()[1] for line in listed.stdout.splitlines() if line.startswith("Package: ")}
    return found.issuperset(names)


def install(packages: list[str] = PACKAGES) -> None:
    """Installs those of these packages that are missing; one line says what to do if that is not allowed."""
    names = missing(packages)
    if names and not install_these(names):
        raise repo.BuildError(
            "the Python package index does not answer and apt needs root: "
            f"run `sudo apt-get install {' '.join(names)}`, then this again"
        )


def install_these(names: list[str]) -> bool:
    """Installs packages; False if that is not allowed without being asked."""
    with _ONE_AT_A_TIME:
        return _install(names)


def _install(names: list[str]) -> bool:
    prefix = _superuser()
    if prefix is None:
        return False
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    # Another apt run may hold the lock for a while, as on a machine that has just booted.
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
