"""Paths in the repository, and their names on this platform."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
BIN = ROOT / "bin"
SOLUTION = ROOT / "Poolscope.slnx"
PYPROJECT = ROOT / "analysis" / "pyproject.toml"
SCHEMA = ROOT / "traces" / "schema.json"
VERSION = ROOT / "analysis" / "poolscope" / "version.py"
TABLES_PAGE = ROOT / "docs" / "tables.md"
ANALYSIS_SCHEMA = ROOT / "traces" / "analysis.schema.json"
TABLE_NAMES = ROOT / "analysis" / "poolscope" / "contract" / "tables.py"
ANALYSIS_TYPES = ROOT / "analysis" / "poolscope" / "contract" / "analysis_json.py"
MANIFEST_TYPES = ANALYSIS_TYPES.with_name("manifest_json.py")
MANIFEST_PAGE = ROOT / "traces" / "README.md"
ANALYSIS_PAGE = ROOT / "docs" / "analysis-json.md"
ZOO_EXPECTED = tuple(ROOT / "eval" / "zoo" / name for name in ("expected.json", "real.json"))
ZOO_PAGE = ROOT / "docs" / "zoo-programs.md"
SINGLE_RUNS = ROOT / "docs" / "measured" / "single-runs.json"
SINGLE_RUNS_PAGE = SINGLE_RUNS.with_suffix(".md")

WINDOWS = os.name == "nt"


class BuildError(Exception):
    """Ends the build with one line for the user and exit code 1."""


def venv_python(venv: Path = VENV) -> Path:
    """Returns the interpreter of a virtual environment."""
    return venv / "Scripts" / "python.exe" if WINDOWS else venv / "bin" / "python"


def executable(project: str, assembly: str | None = None) -> Path:
    """Returns the release build's executable of a C# project; `assembly` is its name if that differs from the
    project's."""
    suffix = ".exe" if WINDOWS else ""
    return ROOT / "artifacts" / "bin" / project / "release" / f"{assembly or project}{suffix}"


COLLECT = executable("Poolscope.Collect", "poolscope-collect")
WORKLOADS = executable("Poolscope.Workloads", "poolscope-workloads")
SERVICE = executable("Poolscope.Service", "poolscope-service")


PROGRAMS = (
    ROOT / "collector" / "Poolscope.Collect" / "Poolscope.Collect.csproj",
    ROOT / "workloads" / "Poolscope.Workloads" / "Poolscope.Workloads.csproj",
)
"""The projects of the programs that a recording of a bundled workload needs."""


def projects() -> list[Path]:
    """Returns the C# projects in the solution."""
    return [ROOT / node.attrib["Path"] for node in ElementTree.parse(SOLUTION).iter("Project")]


REAL_ZOO = ROOT / "workloads" / "Poolscope.RealZoo" / "Poolscope.RealZoo.csproj"
"""Has clients of servers that no other project needs, so only `zoo --real` restores it."""
GUIDED_FUZZING = ROOT / "collector" / "Poolscope.Fuzz.Guided" / "Poolscope.Fuzz.Guided.csproj"
"""Has a package that no other project needs, so only `fuzz --guided` restores it."""


def locked_projects() -> list[Path]:
    """Returns the C# projects whose packages are locked."""
    return [*projects(), GUIDED_FUZZING, REAL_ZOO]


def test_suites() -> list[Path]:
    """Returns the test executables of the solution, in its order; they may not be built yet."""
    return [executable(project.stem) for project in projects() if project.stem.endswith(".Tests")]


def csharp_sources() -> list[Path]:
    """Returns every file that the C# build reads, sorted."""
    files = [SOLUTION, SCHEMA, VERSION, ROOT / "global.json", ROOT / ".editorconfig", *ROOT.glob("Directory.*.props")]
    for project in projects():
        for folder, folders, names in os.walk(project.parent):
            folders[:] = [name for name in folders if name not in ("bin", "obj")]
            files += [Path(folder, name) for name in names]
    return sorted(set(files))
