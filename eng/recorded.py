"""The programs that live tests record, published for each runtime in advance: compiling during a recording would
disturb it."""

from __future__ import annotations

from pathlib import Path

import dotnet
import repo
import steps
import zoo_runs

PROJECT = repo.ROOT / "collector" / "Poolscope.Collect.Tests.Runtimes"
PUBLISHED = repo.ROOT / "artifacts" / "runtimes"
ZOO = ("net10.0",)
"""The runtime on which tests record third-party programs."""


def program(framework: str) -> Path:
    """Returns the program that is recorded on every runtime, published for this one unless the sources are
    unchanged."""
    made = PUBLISHED / framework / "runtimes-target"
    sources = [*PROJECT.glob("*.cs"), *PROJECT.glob("*.csproj"), repo.ROOT / "eng" / "net11.targets"]
    key = steps.digest(sorted([*sources, *repo.ROOT.glob("Directory.*.props")]))
    command = dotnet.publish_command(PROJECT, framework, made.parent)
    name = f"runtimes-{framework}"
    steps.once(name, key, [made], lambda: steps.run(name, command, env=dotnet.environment()))
    return made


def publish() -> None:
    """Publishes all of these programs."""
    for framework in zoo_runs.FRAMEWORKS:
        program(framework)
    zoo_runs.publish(ZOO)
    zoo_runs.publish_real(ZOO)
