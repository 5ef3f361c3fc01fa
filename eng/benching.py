"""The `bench` verb, with measurements and side-by-side benchmarks, and `whatif-check`: each a package in bench/."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import dotnet
import repo
import standalone
import steps
import zoo_runs

FOLDER = repo.ROOT / "bench"
BENCHMARKS = (
    "overhead",
    "tiers",
    "report",
    "compare",
    "faults",
    "mutation",
    "latency",
    "decode",
    "watching",
    "fleet",
    "look",
    "keepalive",
)

# `bench all` runs the measurements of several others. A package cannot be named after a Python function.
PACKAGES = {"all": "every"}

# The report's benchmark finds its browser through eng/.
PATHS = (FOLDER, repo.PYPROJECT.parent, repo.ROOT / "eval", Path(__file__).parent)

# The peer tool of the overhead goals; bench/overhead looks for it here before PATH.
TOOLS = repo.CACHE / "tools"
DOTNET_TRACE = "10.0.750501"


def _has_peer() -> bool:
    return (TOOLS / ("dotnet-trace.exe" if repo.WINDOWS else "dotnet-trace")).exists()


def _fetch_peer() -> None:
    """Installs dotnet-trace if it is missing. Without it the benchmark leaves its rows out and says so."""
    if _has_peer():
        return
    install = ["dotnet", "tool", "install", "dotnet-trace", "--version", DOTNET_TRACE, "--tool-path", TOOLS]
    try:
        steps.run("dotnet-trace", install, env=dotnet.environment())
    except (repo.BuildError, OSError, subprocess.SubprocessError) as error:
        steps.say(f"bench: goes on without dotnet-trace: {error}")


COLLECTOR = "POOLSCOPE_COLLECT"
"""The variable that names the collector for `poolscope` and for these benchmarks."""
CPUS = {"x86_64": "x64", "aarch64": "arm64"}
"""Linux's names of the CPUs that a packed collector is for, with .NET's."""
OF_USERS = ("decode", "all")
"""The benchmarks that time the collector as users get it."""


def _published() -> dict[str, str]:
    """Publishes the collector as `pack` does, and returns the variable that names it.

    Returns no variable on platforms without a packed collector; benchmarks then run the one of the build.
    """
    if COLLECTOR in os.environ:
        return {}
    rid = f"linux-{CPUS.get(platform.machine())}" if sys.platform == "linux" else sys.platform
    made = [standalone.publish(each) for each in standalone.PLATFORMS if each.rid == rid]
    programs = [collector.files[0] for collector in made if not isinstance(collector, str)]
    if not programs:
        steps.say("bench: measures the collector of the build, which is slower: there is no packed one here")
    return {COLLECTOR: str(program) for program in programs}


def run(arguments: list[str]) -> int:
    """Runs one benchmark with the arguments after its name, which the benchmark parses."""
    if not arguments or arguments[0] not in (*BENCHMARKS, *PACKAGES):
        print(f"usage: ./build.sh bench {'|'.join((*PACKAGES, *BENCHMARKS))} [ARGUMENTS]", file=sys.stderr)
        return 2
    name, *rest = arguments
    if name == "overhead" and not {"-h", "--help", "--page-only"} & set(rest):
        _fetch_peer()
    published = _published() if name in OF_USERS and not {"-h", "--help"} & set(rest) else {}
    return _call(PACKAGES.get(name, name), rest, published)


def check_whatif(arguments: list[str]) -> int:
    """Compares predictions with real runs; the package parses the arguments."""
    if "--advised" in arguments and not {"-h", "--help", "--again"} & set(arguments):
        zoo_runs.publish(zoo_runs.FRAMEWORKS[:1])
    return _call("whatif", arguments)


def _call(package: str, arguments: list[str], variables: Mapping[str, str] = {}) -> int:
    env = {**dotnet.environment(), **variables, "PYTHONPATH": os.pathsep.join(map(str, PATHS))}
    return steps.call([repo.venv_python(), "-m", package, *arguments], env=env, cwd=Path.cwd())
