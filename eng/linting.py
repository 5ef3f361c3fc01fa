"""The `lint` verb: formatting, types, generated pages, subjects of commits."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import contract_doc
import contract_types
import csharp_style
import dotnet
import measured_doc
import repo
import steps
import subjects
import table_names
import tables_doc
import zoo_doc
from contract_shapes import ANALYSIS, MANIFEST
from prose import lint


class Generated(Protocol):
    """A file kept in the repository, and its generator."""

    def write(self) -> None:
        ...

    def up_to_date(self) -> bool:
        ...


GENERATED: tuple[tuple[Generated, Path, Path], ...] = (
    (tables_doc, repo.TABLES_PAGE, repo.SCHEMA),
    (table_names, repo.TABLE_NAMES, repo.SCHEMA),
    *((contract_types.Types(made), made.types, made.schema) for made in (ANALYSIS, MANIFEST)),
    *((contract_doc.Reference(made), made.page, made.schema) for made in (ANALYSIS, MANIFEST)),
    (zoo_doc, repo.ZOO_PAGE, repo.ZOO_EXPECTED[0].parent),
    (measured_doc, repo.SINGLE_RUNS_PAGE, repo.SINGLE_RUNS),
)
"""The generator of each file kept in the repository, the file, and its source."""


def _generated() -> None:
    with steps.step("generated files"):
        for part, path, source in GENERATED:
            if not part.up_to_date():
                named, said = path.relative_to(repo.ROOT), source.relative_to(repo.ROOT)
                raise repo.BuildError(f"{named} is not what {said} says: run `./build.sh docs`")


def _prose() -> None:
    with steps.step("prose"):
        # Without git, as in an unpacked archive, there is no list of the repository's files.
        if found := lint.failures(lint.tracked()):
            raise repo.BuildError("sentences to rewrite (CONTRIBUTING.md, Words):\n  " + "\n  ".join(found))


def _subjects() -> None:
    with steps.step("subjects of commits"):
        found = [
            f"{commit} {subject}: {fault}" for commit, subject in subjects.new() for fault in subjects.faults(subject)
        ]
        if found:
            told = "\n  ".join(found)
            raise repo.BuildError(f"subjects of new commits (CONTRIBUTING.md, Commits):\n  {told}")


def _csharp_format() -> None:
    # By folder: it reads only text, and also files outside the solution's projects.
    verify = ["--folder", "--verify-no-changes", "--exclude", "artifacts", repo.CACHE.name, repo.VENV.name]
    steps.run("dotnet format", ["dotnet", "format", "whitespace", repo.ROOT, *verify], env=dotnet.environment())


def _csharp_style() -> None:
    with steps.step("C# style"):
        if found := csharp_style.in_repository(lint.tracked()):
            raise repo.BuildError("style that the build does not check:\n  " + "\n  ".join(map(str, found)))


def _black() -> None:
    folders = [repo.PYPROJECT.parent, *(repo.ROOT / name for name in ("eng", "eval", "bench"))]
    steps.run("black", [repo.venv_python(), "-m", "black", "--check", "--config", repo.PYPROJECT, *folders])


def _mypy() -> None:
    # Paths in its settings are relative to the current folder.
    steps.run("mypy", [repo.venv_python(), "-m", "mypy"], cwd=repo.PYPROJECT.parent)


def _mypy_of_tests() -> None:
    settings = repo.PYPROJECT.parent / "tests" / "mypy.toml"
    command = [repo.venv_python(), "-m", "mypy", "--config-file", settings]
    steps.run("mypy of tests", command, cwd=repo.PYPROJECT.parent)


# mypy first: tests that run beside this use its cache.
CHECKS = [
    _mypy,
    _mypy_of_tests,
    _generated,
    _prose,
    _subjects,
    _csharp_style,
    _csharp_format,
    _black,
]


def run() -> int:
    """Runs every check, even after one fails, and returns 1 if any did."""
    failures: list[str] = []
    for check in CHECKS:
        try:
            check()
        except repo.BuildError as error:
            failures.append(str(error))
    for failure in failures:
        steps.say(f"lint: {failure}")
    steps.say("lint: failed" if failures else "lint: clean")
    return 1 if failures else 0
