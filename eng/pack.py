"""The `pack` verb: what users install, in artifacts/pack/. The same commit makes the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import dotnet
import nupkg
import plotly_bundle
import repo
import sbom
import steps
import third_party

FOLDER = repo.ROOT / "artifacts" / "pack"

TOOLS = {
    "poolscope-collect": repo.ROOT / "collector" / "Poolscope.Collect" / "Poolscope.Collect.csproj",
    "poolscope-workloads": repo.ROOT / "workloads" / "Poolscope.Workloads" / "Poolscope.Workloads.csproj",
}

# What the packages are made of, for git.
SOURCES = ["analysis", "collector", "traces", "workloads", "LICENSE", "THIRD-PARTY-NOTICES.txt", ":(top,glob)*.props"]


def run() -> int:
    """Makes all packages anew and says what they are and how they are installed."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    made = [*python_packages(FOLDER), *tool_packages(FOLDER)]
    made.append(bill_of_materials(FOLDER, made))
    for line in told(made):
        steps.say(line)
    return 0


def epoch() -> str:
    """The time that files in the packages carry, in s since 1970: the last commit's, so that a clock changes nothing.

    1980, the zip format's beginning, where there is no git.
    """
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    return _git("log", "-1", "--format=%ct") or "315532800"


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], cwd=repo.ROOT, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def python_packages(folder: Path) -> list[Path]:
    """Wheel and sdist of analysis/."""
    build = [repo.venv_python(), "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder]
    steps.run("wheel and sdist", build, env={"SOURCE_DATE_EPOCH": epoch()}, cwd=repo.PYPROJECT.parent)
    made = [*folder.glob("poolscope-*.whl"), *folder.glob("poolscope-*.tar.gz")]
    for file in made:
        # hatchling leaves them readable by their maker alone: nothing to copy to a shared folder.
        file.chmod(0o644)
    return made


def tool_packages(folder: Path) -> list[Path]:
    """The NuGet packages of the .NET tools."""
    for name, project in TOOLS.items():
        pack = ["dotnet", "pack", project, "-c", "Release", "--no-restore", "-o", folder, "-nologo", "-verbosity:quiet"]
        steps.run(f"tool {name}", pack, env=dotnet.environment())
    made = sorted(folder.glob("*.nupkg"))
    for file in made:
        nupkg.settle(file, int(epoch()))
    return made


def bill_of_materials(folder: Path, made: list[Path]) -> Path:
    """What the packages contain and ask for, with hashes, licences and versions (CycloneDX)."""
    parts = {name: third_party.nuget(project) for name, project in TOOLS.items()}
    parts["poolscope"] = [*third_party.python(), *third_party.npm()]
    files = {name: [file for file in made if file.name.startswith(f"{name}.")] for name in TOOLS}
    files["poolscope"] = [file for file in made if file.suffix != ".nupkg"]
    return sbom.write(folder, parts, files, int(epoch()))


def told(made: list[Path]) -> list[str]:
    """What a person is told: the packages with their sizes, and the commands that install them."""
    place = FOLDER.relative_to(repo.ROOT).as_posix()
    wheel = next(file.name for file in made if file.suffix == ".whl")
    width = max(len(file.name) for file in made)
    lines = [f"pack: {place}/"]
    lines += [f"  {file.name:{width}}  {file.stat().st_size / 1e6:4.1f} MB" for file in made]
    if not plotly_bundle.BUNDLE.is_file():
        lines.append("  without the small plotly.js (npm had none to give): reports will be 2 MB and more larger")
    if _git("status", "--porcelain", "--", *SOURCES):
        lines.append("  with changes that no commit has")
    lines += ["install (docs/installing.md):", f"  pip install {place}/{wheel}"]
    # --source, not --add-source: no package index is asked for these names.
    lines += [f"  dotnet tool install --global --source {place} {name}" for name in TOOLS]
    return lines
