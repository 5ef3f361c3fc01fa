"""The .NET side: the SDK, restore and build."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import repo
import steps

INSTALL = "install the .NET SDK 10 (dotnet.microsoft.com/download) and put `dotnet` on PATH"

# Folders in which a .NET executable looks for its runtime by default.
DEFAULT_ROOTS = ["/usr/share/dotnet", "/usr/lib/dotnet", "/usr/local/share/dotnet", r"C:\Program Files\dotnet"]


def root_to_name() -> Path | None:
    """Returns the folder for DOTNET_ROOT, or None if executables find their runtime without it.

    They look only in the default places, never on PATH, so an SDK unpacked into a home folder needs it.
    """
    found = shutil.which("dotnet")
    if found is None or os.environ.get("DOTNET_ROOT"):
        return None
    folder = Path(found).resolve().parent
    known = list(DEFAULT_ROOTS)
    for file in Path("/etc/dotnet").glob("install_location*"):
        known += file.read_text().split()
    return None if str(folder) in known or not (folder / "host" / "fxr").is_dir() else folder


def environment() -> dict[str, str]:
    """Returns the variables that the build adds to the environment of every .NET program it starts."""
    values = {
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
        # Idle build nodes would outlive this build.
        "MSBUILDDISABLENODEREUSE": "1",
        "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    }
    if os.environ.get("CI"):
        values["UseSharedCompilation"] = "false"
    if root := root_to_name():
        values["DOTNET_ROOT"] = str(root)
    return values


def full_environment() -> dict[str, str]:
    """Returns the same with this process's own environment, for programs started without `steps`."""
    return {**os.environ, **environment()}


def check_sdk() -> None:
    """Ends the build with one line unless an SDK accepted by global.json is installed."""
    wanted = json.loads((repo.ROOT / "global.json").read_text())["sdk"]["version"]
    if shutil.which("dotnet") is None:
        raise repo.BuildError(f"no `dotnet` on PATH: {INSTALL}")
    # From the root, so that global.json decides: the command fails when no SDK satisfies it.
    if subprocess.run(["dotnet", "--version"], cwd=repo.ROOT, capture_output=True).returncode != 0:
        listed = subprocess.run(["dotnet", "--list-sdks"], capture_output=True, text=True).stdout.splitlines()
        have = ", ".join(line.split()[0] for line in listed if line.strip()) or "none"
        raise repo.BuildError(f"no .NET SDK that satisfies global.json ({wanted} or newer; here: {have}): {INSTALL}")


QUIET = ["-nologo", "-verbosity:quiet"]

UNCHECKED = "-p:RunAnalyzers=false"
"""Option for projects compiled again from sources that the solution's build checks. The output bytes are the same."""


def build() -> None:
    """Restores the packages in the lock files, and builds the whole solution as Release."""
    env = environment()
    # A package with another version or other bytes than in the lock files ends the build.
    steps.run("restore", ["dotnet", "restore", repo.SOLUTION, "--locked-mode", *QUIET], env=env)
    steps.run("build", ["dotnet", "build", repo.SOLUTION, "-c", "Release", "--no-restore", *QUIET], env=env)


def build_programs() -> None:
    """Builds only the collector and the workloads: no tests, no benchmarks."""
    env = environment()
    for project in repo.PROGRAMS:
        # Skips style and analysis, which a step of the whole build checks.
        steps.run(f"restore {project.stem}", ["dotnet", "restore", project, "--locked-mode", *QUIET], env=env)
        command = ["dotnet", "build", project, "-c", "Release", "--no-restore", UNCHECKED, *QUIET]
        steps.run(f"build {project.stem}", command, env=env)


def lock() -> None:
    """Writes every packages.lock.json again: with the versions in Directory.Packages.props and the current hashes."""
    for name, what in (("lock", repo.SOLUTION), ("lock guided fuzzing", repo.GUIDED_FUZZING)):
        steps.run(name, ["dotnet", "restore", what, "--force-evaluate", *QUIET], env=environment())
    # This project always restores exactly the packages in its lock file.
    unlocked = ["--force-evaluate", "-p:RestoreLockedMode=false"]
    steps.run("lock real zoo", ["dotnet", "restore", repo.REAL_ZOO, *unlocked, *QUIET], env=environment())


def set_up(everything: bool = True) -> bool:
    """Builds unless the output is from the current sources; returns whether it did."""
    programs = [repo.COLLECT, repo.WORKLOADS]
    outputs = [*programs, repo.SERVICE, *repo.test_suites()]
    key = steps.digest(repo.csharp_sources())
    if everything or steps.is_done("dotnet", key, outputs):
        return steps.once("dotnet", key, outputs, build)
    return steps.once("dotnet-programs", key, programs, build_programs)


# .NET 11 has a runtime for every project but no SDK here: a program for .NET 10 runs on it (eng/net11.targets).
RUNTIME_PACKS = {"net11.0": ("net10.0", "11.0.0")}


def publish_command(project: Path, framework: str, folder: Path) -> list[str]:
    """Returns the command that publishes a program with the runtime of a framework, such as net11.0, into a folder."""
    compiled, pack = RUNTIME_PACKS.get(framework, (framework, None))
    command = ["dotnet", "publish", str(project), "-c", "Release", "-f", compiled, "--use-current-runtime"]
    if pack:
        # Restored and built separately: a project has one list of assets for each framework.
        command += [f"-p:RuntimePack={pack}", f"-p:ArtifactsPath={repo.ROOT / 'artifacts' / framework}"]
    return [*command, "-o", str(folder), *QUIET]
