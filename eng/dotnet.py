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

# Folders in which an executable of .NET looks for its runtime without being told.
DEFAULT_ROOTS = ["/usr/share/dotnet", "/usr/lib/dotnet", "/usr/local/share/dotnet", r"C:\Program Files\dotnet"]


def root_to_name() -> Path | None:
    """Returns the folder that DOTNET_ROOT has to name, or None if executables find their runtime without it.

    They look in the default places only, never on PATH, so an SDK unpacked into a home folder needs it.
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
    """Returns what every .NET program that the build starts finds in its environment, beside what is there already."""
    values = {
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
        # Build nodes that wait for the next build would outlive this one.
        "MSBUILDDISABLENODEREUSE": "1",
        "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    }
    if os.environ.get("CI"):
        values["UseSharedCompilation"] = "false"
    if root := root_to_name():
        values["DOTNET_ROOT"] = str(root)
    return values


def full_environment() -> dict[str, str]:
    """Returns the same with this process's own environment, for programs that are not started through `steps`."""
    return {**os.environ, **environment()}


def check_sdk() -> None:
    """Ends the build in one line unless an SDK is there that global.json accepts."""
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
"""For what is compiled again from sources that the build of the solution checks. The bytes are the same."""


def build() -> None:
    """Restores what the lock files name, and builds the whole solution as Release."""
    env = environment()
    # A package with another version or other bytes than the lock files say ends the build.
    steps.run("restore", ["dotnet", "restore", repo.SOLUTION, "--locked-mode", *QUIET], env=env)
    steps.run("build", ["dotnet", "build", repo.SOLUTION, "-c", "Release", "--no-restore", *QUIET], env=env)


def build_programs() -> None:
    """Builds the collector and the workloads alone: no tests, no benchmarks."""
    env = environment()
    for project in repo.PROGRAMS:
        # What a step of the whole build checks is not checked twice: style and analysis.
        steps.run(f"restore {project.stem}", ["dotnet", "restore", project, "--locked-mode", *QUIET], env=env)
        command = ["dotnet", "build", project, "-c", "Release", "--no-restore", UNCHECKED, *QUIET]
        steps.run(f"build {project.stem}", command, env=env)


def lock() -> None:
    """Writes every packages.lock.json again: from the versions in Directory.Packages.props, with the hashes of today."""
    for name, what in (("lock", repo.SOLUTION), ("lock guided fuzzing", repo.GUIDED_FUZZING)):
        steps.run(name, ["dotnet", "restore", what, "--force-evaluate", *QUIET], env=environment())
    # This project takes nothing but what its lock file names, on every restore.
    unlocked = ["--force-evaluate", "-p:RestoreLockedMode=false"]
    steps.run("lock real zoo", ["dotnet", "restore", repo.REAL_ZOO, *unlocked, *QUIET], env=environment())


def set_up(everything: bool = True) -> bool:
    """Builds unless what is there was built from these sources; returns whether it did."""
    programs = [repo.COLLECT, repo.WORKLOADS]
    outputs = [*programs, repo.SERVICE, *repo.test_suites()]
    key = steps.digest(repo.csharp_sources())
    if everything or steps.is_done("dotnet", key, outputs):
        return steps.once("dotnet", key, outputs, build)
    return steps.once("dotnet-programs", key, programs, build_programs)


# .NET 11 has a runtime for every project and no SDK here: a program for .NET 10 runs on it (eng/net11.targets).
RUNTIME_PACKS = {"net11.0": ("net10.0", "11.0.0")}


def publish_command(project: Path, framework: str, folder: Path) -> list[str]:
    """Returns the command that publishes a program with the runtime of a framework, such as net11.0, into a folder."""
    compiled, pack = RUNTIME_PACKS.get(framework, (framework, None))
    command = ["dotnet", "publish", str(project), "-c", "Release", "-f", compiled, "--use-current-runtime"]
    if pack:
        # Restored and built apart: a project has one list of assets for each framework.
        command += [f"-p:RuntimePack={pack}", f"-p:ArtifactsPath={repo.ROOT / 'artifacts' / framework}"]
    return [*command, "-o", str(folder), *QUIET]
