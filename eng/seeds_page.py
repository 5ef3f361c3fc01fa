"""The `seeds` verb: runs the published experiments again, and puts them on one page."""

from __future__ import annotations

import dotnet
import repo
import steps

PROJECT = repo.ROOT / "workloads" / "Poolscope.Workloads"
PUBLISHED = repo.ROOT / "artifacts" / "workloads"
FRAMEWORKS = ("net8.0", "net9.0", "net11.0")


def publish(framework: str) -> None:
    """Publishes the workloads with another runtime than the SDK's, unless the sources are unchanged."""
    tables = repo.ROOT / "traces" / "Poolscope.Tables"
    sources = [path for folder in (PROJECT, tables) for end in ("*.cs", "*.csproj") for path in folder.rglob(end)]
    shared = [*repo.ROOT.glob("Directory.*.props"), repo.ROOT / "eng" / "net11.targets", tables.parent / "schema.json"]
    folder = PUBLISHED / framework
    compiled, pack = dotnet.RUNTIME_PACKS.get(framework, (framework, ""))
    command = [
        *("dotnet", "publish", str(PROJECT), "-c", "Release", "--use-current-runtime", "--self-contained"),
        *(f"-p:PublishedFor={compiled}", f"-p:RuntimePack={pack}", "-p:PackAsTool=false", "-o", str(folder)),
        # Restored and built separately: a project has one list of assets for each framework.
        *(f"-p:ArtifactsPath={repo.ROOT / 'artifacts' / framework}", *dotnet.QUIET),
    ]
    steps.once(
        f"workloads-{framework}",
        steps.digest([*sources, *shared]),
        [folder / "poolscope-workloads"],
        lambda: steps.run(f"workloads {framework}", command, env=dotnet.environment()),
    )


def run(arguments: list[str]) -> int:
    """Runs `python -m seeds` with these arguments."""
    if not {"-h", "--help", "--again"} & set(arguments):
        for framework in set(FRAMEWORKS) & set(arguments):
            publish(framework)
    command = [repo.venv_python(), "-m", "seeds", *arguments]
    return steps.call(command, cwd=repo.ROOT / "eval", env=dotnet.environment())
