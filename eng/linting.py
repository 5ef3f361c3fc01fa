"""The `lint` verb: formatting, types, generated pages, subjects of commits."""

from __future__ import annotations

import contract_doc
import contract_types
import csharp_style
import dotnet
import measured_doc
import repo
import steps
import subjects
import tables_doc
import zoo_doc
from prose import lint


def _tables_page() -> None:
    with steps.step("docs/tables.md"):
        if not tables_doc.up_to_date():
            raise repo.BuildError("docs/tables.md is not what traces/schema.json says: run `./build.sh docs`")


def _zoo_page() -> None:
    with steps.step("docs/zoo-programs.md"):
        if not zoo_doc.up_to_date():
            raise repo.BuildError("docs/zoo-programs.md is not what eval/zoo says: run `./build.sh docs`")


def _single_runs() -> None:
    with steps.step("docs/measured/single-runs.md"):
        if not measured_doc.up_to_date():
            raise repo.BuildError("docs/measured/single-runs.md is not what its .json says: run `./build.sh docs`")


def _contract() -> None:
    with steps.step("analysis.json"):
        for part, path in ((contract_types, repo.ANALYSIS_TYPES), (contract_doc, repo.ANALYSIS_PAGE)):
            if not part.up_to_date():
                name = path.relative_to(repo.ROOT)
                raise repo.BuildError(f"{name} is not what traces/analysis.schema.json says: run `./build.sh docs`")


def _prose() -> None:
    with steps.step("prose"):
        # Without git, as in an unpacked archive, there is no list of what belongs to the repository.
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
    # By folder: it reads text alone, of files that belong to no project of the solution too.
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
    # Paths in its settings are relative to the folder that it is started in.
    steps.run("mypy", [repo.venv_python(), "-m", "mypy"], cwd=repo.PYPROJECT.parent)


# mypy first: tests that run beside this take its cache.
CHECKS = [
    _mypy,
    _tables_page,
    _zoo_page,
    _single_runs,
    _contract,
    _prose,
    _subjects,
    _csharp_style,
    _csharp_format,
    _black,
]


def run() -> int:
    """Makes every check, also after one that fails, and returns 1 when any did."""
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
