"""The Windows build of the commands, and Wine to run it on Linux: it tests the code paths of Windows, but not
Windows."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import debian
import dotnet
import repo
import standalone
import steps

FOLDER = repo.CACHE / "wine"
PREFIX = Path.home() / ".cache" / "poolscope" / f"wine-{steps.digest([], str(repo.ROOT))[:12]}"
"""Outside the repository: its drive Z: is a link to the root, which tools that walk the sources would follow."""
RID = "win-x64"
PROJECTS = {
    "poolscope-collect": repo.ROOT / "collector" / "Poolscope.Collect",
    "poolscope-workloads": repo.ROOT / "workloads" / "Poolscope.Workloads",
}
PACKAGES = ["wine", "wine64"]
INSTALL = f"apt-get install --no-install-recommends {' '.join(PACKAGES)}"

VERSION = ["wine", "reg", "add", r"HKEY_CURRENT_USER\Software\Wine", "/v", "Version", "/d", "win10", "/f"]
"""With an older Windows version, .NET 10 ends before it prints anything."""


def lacking() -> str | None:
    """Returns why no Windows program can run here; None if it can."""
    if repo.WINDOWS:
        return "this is Windows"
    if platform.machine() != "x86_64":
        return "the Windows build is for x86-64"
    return None if shutil.which("wine") else f"Wine is not installed here (Debian: {INSTALL})"


def install() -> bool:
    """Installs Wine from Debian if no password is needed; returns whether it tried. A failure does not end the
    build."""
    if repo.WINDOWS or platform.machine() != "x86_64" or shutil.which("wine") or not debian.available():
        return False
    try:
        if not debian.install_these(PACKAGES):
            steps.say("tests of the Windows build: skipped without Wine (apt needs root)")
    except repo.BuildError as error:
        steps.say(f"tests of the Windows build: skipped without Wine: {error}")
    return True


def environment() -> dict[str, str]:
    """Returns an environment with a Wine configuration of its own, without windows and without Wine's messages."""
    return {
        "WINEPREFIX": str(PREFIX),
        "WINEDEBUG": "-all",
        "DISPLAY": "",
        # With two mappings of its code .NET crashes in Wine 8.0 now and then (DynamicResolver.DestroyScout,
        # 0x80131506): in 2 of 4 runs, and in none of 6 without.
        "DOTNET_EnableWriteXorExecute": "0",
    }


def set_up() -> str | None:
    """Publishes the commands for Windows and makes Wine's configuration, unless both exist for these sources.

    Returns the reason if NuGet has no .NET runtime for Windows or Wine does not start.
    """
    for name, project in PROJECTS.items():
        if why := _publish(name, project):
            return why
    try:
        steps.once("wine-prefix", "1", [PREFIX], _make_prefix)
    except repo.BuildError as error:
        return f"Wine does not run here: {error}"
    return None


def path(of: Path) -> str:
    """Returns a path as Windows programs see it: drive Z: is the root."""
    return "Z:" + str(of).replace("/", "\\")


def command(name: str, *arguments: object) -> list[str]:
    """Returns the command line of a published command, with Windows paths."""
    given = [path(word) if isinstance(word, Path) else str(word) for word in arguments]
    return ["wine", str(program(name)), *given]


def program(name: str) -> Path:
    """Returns the published program of a command."""
    return FOLDER / name / f"{name}.exe"


def run(
    name: str, *arguments: object, timeout: float = 120, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command under Wine to its end. Raises AssertionError if the program crashed, for which Wine's exit code is
    0."""
    done = subprocess.run(
        command(name, *arguments),
        env={**os.environ, **environment()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        cwd=cwd,
    )
    assert "Unhandled exception" not in done.stderr and "unimplemented function" not in done.stderr, done.stderr
    return done


def broke_off(done: subprocess.CompletedProcess[str]) -> bool:
    """Returns whether .NET itself ended a program because of an internal error, which happens in Wine 8.0 now and
    then."""
    return "Internal CLR error" in done.stderr + done.stdout


def end() -> None:
    """Ends Wine's server, which would otherwise wait for the next program, and all programs in this configuration."""
    subprocess.run(["wineserver", "-k"], env={**os.environ, **environment()}, stdin=subprocess.DEVNULL, check=False)


def _make_prefix() -> None:
    PREFIX.parent.mkdir(parents=True, exist_ok=True)
    steps.run("wine", VERSION, env=environment())
    end()


def _publish(name: str, project: Path) -> str | None:
    said: list[str] = []

    def work() -> None:
        done = subprocess.run(
            _publish_command(project, FOLDER / name),
            cwd=repo.ROOT,
            env=dotnet.full_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            said.append(done.stdout + done.stderr)
            raise repo.BuildError(f"publishing {name} for {RID} failed:\n{said[0]}")

    try:
        key = steps.digest(repo.csharp_sources(), RID)
        steps.once(f"wine-{name}", key, [program(name)], work)
    except repo.BuildError:
        errors = set(re.findall(r"error (\w+\d+)", said[0])) if said else set()
        if errors and errors <= standalone.NOT_TO_BE_HAD:
            return f"NuGet has no .NET runtime of {RID} to give here ({', '.join(sorted(errors))})"
        raise
    return None


def _publish_command(project: Path, out: Path) -> list[str]:
    properties = {
        # A separate folder, so that the build of the solution keeps its restored packages.
        "ArtifactsPath": str(FOLDER / "build"),
        # A lock file would have to list the packages of the Windows runtime too.
        "RestorePackagesWithLockFile": "false",
        "NuGetLockFilePath": "none.lock.json",
        # TraceEvent brings the native libraries of every CPU unless it knows the CPU.
        "PlatformTarget": "x64",
        "DebugType": "none",
        # The build of the solution has checked the same sources.
        "RunAnalyzers": "false",
        "GenerateDocumentationFile": "false",
    }
    options = [f"-p:{name}={value}" for name, value in properties.items()]
    publish = ["dotnet", "publish", str(project), "-c", "Release", "-r", RID, "--self-contained", "-o", str(out)]
    return [*publish, *options, *dotnet.QUIET]
