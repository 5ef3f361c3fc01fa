"""Third-party software that Poolscope ships or requires, read from the files that pin it, with its licence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import plotly_bundle
import python_env
import repo
from standalone import Collector

NUGET, NPM, PYPI = "nuget", "npm", "pypi"


@dataclass(frozen=True)
class Component:
    """One third-party package. `needs` are names of the same ecosystem."""

    ecosystem: str
    name: str
    licence: str
    """SPDX identifier."""
    version: str | None = None
    """Exact, or None if the installer decides within `range`."""
    range: str = ""
    integrity: str = ""
    """NuGet: hash of the content without signatures, as in packages.lock.json. npm: the registry's integrity value."""
    needs: tuple[str, ...] = ()
    direct: bool = True
    """Whether the Poolscope package itself requires it, even if another package does too."""

    @property
    def purl(self) -> str:
        """Package URL, the name of the component in other tools."""
        return f"pkg:{self.ecosystem}/{self.name}" + (f"@{self.version}" if self.version else "")


LICENCES = {
    (NUGET, "Microsoft.Diagnostics.NETCore.Client"): "MIT",
    (NUGET, "Microsoft.Diagnostics.Runtime"): "MIT",
    (NUGET, "Microsoft.Diagnostics.Tracing.TraceEvent"): "MIT",
    (NUGET, "Microsoft.Extensions.DependencyInjection"): "MIT",
    (NUGET, "Microsoft.Extensions.DependencyInjection.Abstractions"): "MIT",
    (NUGET, "Microsoft.Extensions.Http"): "MIT",
    (NUGET, "Microsoft.Extensions.Logging"): "MIT",
    (NUGET, "Microsoft.Extensions.Logging.Abstractions"): "MIT",
    (NUGET, "Microsoft.Extensions.ObjectPool"): "MIT",
    (NUGET, "Microsoft.Extensions.Options"): "MIT",
    (NUGET, "Microsoft.Extensions.Primitives"): "MIT",
    (NUGET, "prometheus-net"): "MIT",
    (NUGET, "Spectre.Console"): "MIT",
    (NUGET, "Spectre.Console.Ansi"): "MIT",
    (NUGET, "System.CommandLine"): "MIT",
    (NUGET, "System.Reflection.TypeExtensions"): "MIT",
    (NUGET, "Microsoft.NETCore.App.Runtime.linux-x64"): "MIT",
    (NUGET, "Microsoft.NETCore.App.Runtime.linux-arm64"): "MIT",
    (NUGET, "Microsoft.NETCore.App.Runtime.linux-musl-x64"): "MIT",
    (NUGET, "Microsoft.NETCore.App.Runtime.win-x64"): "MIT",
    (NPM, "plotly.js-basic-dist-min"): "MIT",
    (PYPI, "pandas"): "BSD-3-Clause",
    (PYPI, "numpy"): "BSD-3-Clause",
    (PYPI, "plotly"): "MIT",
    (PYPI, "jinja2"): "BSD-3-Clause",
    (PYPI, "click"): "BSD-3-Clause",
    (PYPI, "rich"): "MIT",
    (PYPI, "scipy"): "BSD-3-Clause",
    (PYPI, "protobuf"): "BSD-3-Clause",
}
"""Read once in each package. A new package ends `pack` until a person has read its licence."""

CLRMD, CLRMD_PROJECT = (
    "Microsoft.Diagnostics.Runtime",
    repo.ROOT / "collector" / "Poolscope.Look" / "Poolscope.Look.csproj",
)
"""The package from which a project takes only the assembly, without its dependencies. No lock file names it, so the
project file gives the data of a lock file."""

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*([<>=!~].*)?")


def licence(ecosystem: str, name: str) -> str:
    """Returns the SPDX identifier of a package. Raises BuildError if its licence has not been read."""
    found = LICENCES.get((ecosystem, name))
    if found is None:
        raise repo.BuildError(f"{ecosystem} package {name} has no entry in eng/third_party.py: read its licence first")
    return found


def nuget(project: Path) -> list[Component]:
    """Returns the packages of a project with their dependencies, from its lock file; sorted by name."""
    lock = json.loads(project.with_name("packages.lock.json").read_text("utf-8"))
    found = {name: entry for of in lock["dependencies"].values() for name, entry in of.items()}
    # Poolscope's projects end up in the same package, so their requirements count as this package's.
    asked = {name for entry in found.values() if entry["type"] == "Project" for name in entry.get("dependencies", {})}
    packages = [
        Component(
            NUGET,
            name,
            licence(NUGET, name),
            version=entry["resolved"],
            integrity=entry["contentHash"],
            needs=tuple(sorted(entry.get("dependencies", {}))),
            direct=entry["type"] == "Direct" or name in asked,
        )
        for name, entry in found.items()
        if entry["type"] != "Project"
    ]
    return sorted([*packages, *([clrmd()] if CLRMD_PROJECT.stem.lower() in found else [])], key=lambda of: of.name)


def clrmd() -> Component:
    """Returns the package with which a look reads memory."""
    text = CLRMD_PROJECT.with_name("ClrMd.props").read_text("utf-8")
    version, integrity = (re.search(rf"<ClrMd{of}>(.+?)</", text) for of in ("Version", "ContentHash"))
    assert version is not None and integrity is not None
    return Component(NUGET, CLRMD, licence(NUGET, CLRMD), version=version[1], integrity=integrity[1])


def runtime(collector: Collector) -> Component:
    """Returns the .NET runtime inside a collector that is one file."""
    name = collector.platform.runtime
    return Component(
        NUGET, name, licence(NUGET, name), version=collector.runtime_version, integrity=collector.runtime_hash
    )


def npm() -> list[Component]:
    """Returns the npm components in reports: the small plotly.js, if the build has it."""
    if not plotly_bundle.BUNDLE.is_file():
        return []
    package = plotly_bundle.PACKAGE
    return [
        Component(NPM, package.name, licence(NPM, package.name), version=package.version, integrity=package.integrity)
    ]


def python(requirements: Iterable[str] | None = None) -> list[Component]:
    """Returns the packages that pip installs beside the wheel. pip chooses their versions within these ranges."""
    parsed = [_REQUIREMENT.fullmatch(text) for text in requirements or python_env.runtime_requirements()]
    if None in parsed:
        raise repo.BuildError("a requirement in analysis/pyproject.toml is not NAME and a range of versions")
    return [
        Component(PYPI, match[1], licence(PYPI, match[1]), range=(match[2] or "").strip()) for match in parsed if match
    ]
