"""The virtual environment in .venv: from the Python package index if it answers, otherwise from Debian."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import debian
import repo
import steps

CONSTRAINTS = repo.PYPROJECT.with_name("constraints.txt")
"""The exact version of every package that pip installs."""

# Small, pure Python and needed anyway: a request for it shows whether the package index answers.
PROBE = "click"


def runtime_requirements() -> list[str]:
    """Returns the packages that `poolscope` needs, from analysis/pyproject.toml."""
    return list(tomllib.loads(repo.PYPROJECT.read_text())["project"]["dependencies"])


def requirements() -> list[str]:
    """Returns the packages that `poolscope` and its development need."""
    return [
        *runtime_requirements(),
        *tomllib.loads(repo.PYPROJECT.read_text())["project"]["optional-dependencies"]["dev"],
    ]


def pins() -> dict[str, str]:
    """Reads the lower-case names and exact versions in analysis/constraints.txt."""
    lines = [line.partition(";")[0].strip() for line in CONSTRAINTS.read_text("utf-8").splitlines()]
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def _index_answers(python: Path) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        ask = "download --quiet --no-deps --no-cache-dir --retries 0 --timeout 5 --dest"
        return steps.answers([python, "-m", "pip", *ask.split(), folder, PROBE], timeout=20)


def _can_import(python: Path, module: str) -> bool:
    return steps.answers([python, "-c", f"import {module}"], timeout=20)


def _from_index(development: bool = True) -> bool:
    """Makes .venv with pip. Returns False if the package index does not answer; .venv is then incomplete."""
    # Not sys.executable: if .venv is activated, that is the interpreter about to be deleted.
    base = Path(getattr(sys, "_base_executable", sys.executable))
    # Debian has venv's pip (ensurepip) and pip in separate packages.
    has_pip = _can_import(base, "pip")
    if not _can_import(base, "ensurepip") or (has_pip and not _index_answers(base)):
        return False
    steps.run("python environment", [base, "-m", "venv", "--clear", repo.VENV])
    python = repo.venv_python(repo.VENV)
    if not has_pip and not _index_answers(python):
        return False
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", CONSTRAINTS]
    steps.run("python packages", [*install, *(requirements() if development else runtime_requirements())])
    return True


def _from_debian(development: bool = True) -> None:
    """Makes .venv over the distribution's packages."""
    if not debian.available():
        raise repo.BuildError(
            "the Python package index does not answer (or this Python has no pip and ensurepip), and there is no apt: "
            "make one of them work (try `pip download click`), then run this again"
        )
    ask = "import sys; sys.exit(sys.version_info[:2] < (3, 11))"
    if not steps.answers([debian.PYTHON, "-c", ask], timeout=20):
        raise repo.BuildError(
            f"the Python package index does not answer, and {debian.PYTHON} is older than 3.11: "
            "make the index reachable, or use a newer release of the distribution"
        )
    debian.install(debian.PACKAGES if development else debian.RUNTIME)
    make = [debian.PYTHON, "-m", "venv", "--clear", "--system-site-packages", "--without-pip", repo.VENV]
    steps.run("python environment", make)


def _put_source_on_path() -> None:
    """Lets .venv import `poolscope` from analysis/, in the same way for both kinds of environment."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([repo.venv_python(repo.VENV), "-c", ask], capture_output=True, text=True, check=True)
    Path(found.stdout.strip(), "poolscope-source.pth").write_text(f"{repo.PYPROJECT.parent}\n")


def make(development: bool = True) -> None:
    """Makes .venv again; without `development`, only with the packages that `poolscope` needs."""
    if not _from_index(development):
        _from_debian(development)
    _put_source_on_path()


def set_up(development: bool = True) -> bool:
    """Makes .venv unless one for these requirements exists; returns whether it did."""
    python = [repo.venv_python()]
    whole = steps.digest([CONSTRAINTS], *requirements(), *debian.PACKAGES, str(repo.ROOT))
    if development or steps.is_done("python", whole, python):
        return steps.once("python", whole, python, make)
    part = steps.digest([CONSTRAINTS], *runtime_requirements(), *debian.RUNTIME, str(repo.ROOT))
    return steps.once("python-runtime", part, python, lambda: make(development=False))
