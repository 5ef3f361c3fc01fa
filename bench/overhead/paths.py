"""Paths of the benchmark's programs and files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ROOT / "artifacts" / "bin"

COLLECT = _BUILT / "Poolscope.Collect" / "release" / "poolscope-collect"
SERVICE = _BUILT / "Poolscope.Service" / "release" / "poolscope-service"
WORKLOADS = _BUILT / "Poolscope.Workloads" / "release" / "poolscope-workloads"
RUNTIMES = ROOT / "collector" / "Poolscope.Collect.Tests.Runtimes"
PUBLISHED = ROOT / "artifacts" / "runtimes"
SCHEDULER_ONLY = _BUILT / "Poolscope.SchedulerOnly" / "release" / "Poolscope.SchedulerOnly"

RESULTS = ROOT / "reports" / "overhead.json"
PAGE = ROOT / "docs" / "measured" / "overhead.md"

# The version named in the goals.
DOTNET_TRACE_VERSION = "10.0.750501"
TOOLS = ROOT / ".cache" / "tools"


def dotnet_trace() -> Path | None:
    """Returns the dotnet-trace to compare with, from .cache/tools or from PATH; None without either."""
    local = TOOLS / "dotnet-trace"
    found = shutil.which("dotnet-trace")
    return local if os.access(local, os.X_OK) else Path(found) if found else None


def dotnet_trace_install() -> str:
    """Returns the command that installs dotnet-trace where the benchmark looks for it."""
    where = TOOLS.relative_to(ROOT)
    return f"dotnet tool install dotnet-trace --version {DOTNET_TRACE_VERSION} --tool-path {where}"
