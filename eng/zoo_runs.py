"""The `zoo` verb: third-party programs, published for every supported runtime, recorded and judged."""

from __future__ import annotations

import dotnet
import repo
import steps

PROJECT = repo.ROOT / "workloads" / "Poolscope.Zoo"
PUBLISHED = repo.ROOT / "artifacts" / "zoo"
REAL = repo.REAL_ZOO.parent
REAL_PUBLISHED = repo.ROOT / "artifacts" / "real-zoo"
FRAMEWORKS = ("net10.0", "net11.0", "net9.0", "net8.0")


def publish(frameworks: tuple[str, ...] = FRAMEWORKS) -> None:
    """Publishes the programs self-contained, one folder per framework, unless the sources are unchanged."""
    key = steps.digest(
        [
            *PROJECT.rglob("*.cs"),
            *PROJECT.glob("*.csproj"),
            *repo.ROOT.glob("Directory.*.props"),
            repo.ROOT / "eng" / "net11.targets",
        ]
    )
    for framework in frameworks:
        folder = PUBLISHED / framework
        steps.once(
            f"zoo-{framework}",
            key,
            [folder / "zoo"],
            lambda: steps.run(
                f"zoo {framework}",
                dotnet.publish_command(PROJECT, framework, folder),
                env=dotnet.environment(),
            ),
        )


def publish_real(frameworks: tuple[str, ...]) -> None:
    """Publishes the programs with real parts likewise. They share the plain programs' beginning and end."""
    key = steps.digest(
        [
            *REAL.rglob("*.cs"),
            *REAL.rglob("*.proto"),
            *REAL.glob("*.csproj"),
            REAL / "packages.lock.json",
            *(PROJECT / "Running").glob("*.cs"),
            *repo.ROOT.glob("Directory.*.props"),
            repo.ROOT / "eng" / "net11.targets",
        ]
    )
    for framework in frameworks:
        folder = REAL_PUBLISHED / framework
        command = dotnet.publish_command(REAL, framework, folder)
        steps.once(
            f"real-zoo-{framework}",
            key,
            [folder / "real-zoo"],
            lambda: steps.run(f"real zoo {framework}", command, env=dotnet.environment()),
        )


def run(arguments: list[str]) -> int:
    """Publishes the programs, then runs `python -m zoo` with these arguments."""
    if not {"-h", "--help", "--again"} & set(arguments):
        named = tuple(word for word in FRAMEWORKS if word in arguments) or FRAMEWORKS
        if "--real" in arguments:
            publish_real(tuple(word for word in named if word != "net9.0"))
        else:
            publish(named)
    return steps.call(
        [repo.venv_python(), "-m", "zoo", *arguments],
        cwd=repo.ROOT / "eval",
        env=dotnet.environment(),
    )


def run_verdicts(arguments: list[str]) -> int:
    """Publishes for the newest runtime, then runs `python -m verdicts` with these arguments."""
    if not {"-h", "--help", "--kept-only"} & set(arguments):
        publish(FRAMEWORKS[:1])
    return steps.call(
        [repo.venv_python(), "-m", "verdicts", *arguments],
        cwd=repo.ROOT / "eval",
        env=dotnet.environment(),
    )
