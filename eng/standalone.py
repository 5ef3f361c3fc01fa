"""The collector with the .NET runtime inside, as one file: packed alone, and into the wheels that contain it.

It is machine code (ReadyToRun) if NuGet has the compiler; the runtime compiles hot loops again.

It is not trimmed, because TraceEvent finds its parsers by reflection. It is not compressed either: unpacking at every
start would take CPU time from the process that it watches.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import dotnet
import repo
import steps

PROJECT = repo.ROOT / "collector" / "Poolscope.Collect" / "Poolscope.Collect.csproj"
FOLDER = repo.CACHE / "standalone"

GLIBC = (2, 27)
"""The oldest glibc that .NET 10 runs on: github.com/dotnet/core/blob/main/release-notes/10.0/supported-os.md, "Linux
compatibility". `publish` checks the program against it."""

COMPILED = "-p:PublishReadyToRun=true"
"""Makes the collector machine code: it starts beside a process that may be short of cores, and compiling takes them."""

# NuGet's errors for a missing package, a missing version, and no answer.
NOT_TO_BE_HAD = {"NU1101", "NU1102", "NU1103", "NU1301"}


@dataclass(frozen=True)
class Platform:
    """A platform by its .NET name (`rid`), with .NET's word for its CPU and the last part of its wheel's name.

    If `tag` is None, the platform gets no wheel.
    """

    rid: str
    tag: str | None
    cpu: str

    @property
    def windows(self) -> bool:
        return self.rid.startswith("win-")

    @property
    def musl(self) -> bool:
        """Whether its C library is musl, as on Alpine, instead of glibc."""
        return "-musl-" in self.rid

    @property
    def program(self) -> str:
        return "poolscope-collect" + (".exe" if self.windows else "")

    @property
    def runtime(self) -> str:
        """The NuGet package of the runtime inside."""
        return f"Microsoft.NETCore.App.Runtime.{self.rid}"

    @property
    def folder(self) -> Path:
        return FOLDER / self.rid

    @property
    def build(self) -> Path:
        """The folder of compiled libraries, which all platforms with this CPU share."""
        return FOLDER / f"build-{self.cpu}"


PLATFORMS = [
    Platform("linux-x64", f"manylinux_{GLIBC[0]}_{GLIBC[1]}_x86_64", "x64"),
    Platform("linux-arm64", f"manylinux_{GLIBC[0]}_{GLIBC[1]}_aarch64", "arm64"),
    Platform("linux-musl-x64", None, "x64"),
    Platform("win-x64", "win_amd64", "x64"),
]


@dataclass(frozen=True)
class Collector:
    """A published collector. `files`: the program, and the licences of the runtime inside it."""

    platform: Platform
    files: tuple[Path, ...]
    runtime_version: str
    runtime_hash: str
    """NuGet's hash of the runtime package's content."""


def _properties(platform: Platform) -> list[str]:
    values = {
        "SelfContained": "true",
        "PublishSingleFile": "true",
        # The analyzer warns about paths, because assemblies inside a single file have none. The launch guard uses one
        # only when `dotnet` runs the tool, and without a path the invoker of sudo uses "/".
        "EnableSingleFileAnalyzer": "false",
        # TraceEvent loads native libraries from its own assembly's folder, which exists only if all files are unpacked.
        "IncludeAllContentForSelfExtract": "true" if platform.windows else "false",
        # TraceEvent brings the native libraries of every CPU unless it knows the CPU.
        "PlatformTarget": platform.cpu,
        "DebugType": "none",
        # The build of the solution checks the same sources.
        "RunAnalyzers": "false",
        # The runtime's own assemblies are machine code already. TraceEvent brings some assemblies twice, which a
        # composite image does not allow.
        "PublishReadyToRunComposite": "false",
        "DisableTransitiveFrameworkReferenceDownloads": "true",
        # A separate folder, so that the build of the solution keeps its restored packages.
        "ArtifactsPath": str(platform.build),
        # A lock file would have to list every platform; `_hold_to_lock_file` compares instead.
        "RestorePackagesWithLockFile": "false",
        "NuGetLockFilePath": "none.lock.json",
    }
    return [f"-p:{name}={value}" for name, value in values.items()]


def publish(platform: Platform) -> Collector | str:
    """Publishes the collector for one platform. Returns the reason instead if NuGet has no .NET runtime for it."""
    plain = ["-r", platform.rid, *_properties(platform), *dotnet.QUIET]
    options = [*plain, COMPILED]
    if _restore(platform, options):
        # Either the runtime or the compiler is unavailable.
        options = plain
        if lacking := _restore(platform, options):
            return lacking
        steps.say(f"collector {platform.rid}: NuGet has no compiler to give here, so it compiles itself at each start")
    assets = json.loads((platform.build / "obj" / PROJECT.stem / "project.assets.json").read_text("utf-8"))
    _hold_to_lock_file(assets)
    out = platform.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = ["dotnet", "publish", PROJECT, "-c", "Release", "--no-restore", "-o", out, *options]
    steps.run(f"collector {platform.rid}", command, env=dotnet.environment())
    program = out / platform.program
    if platform.musl:
        hold_to_musl(program)
    elif not platform.windows:
        hold_to_glibc(program)
    version, package = _runtime(platform, assets)
    licences = platform.folder / "licences"
    licences.mkdir(exist_ok=True)
    files = [program, repo.ROOT / "THIRD-PARTY-NOTICES.txt"]
    for name in ("LICENSE.TXT", "THIRD-PARTY-NOTICES.TXT"):
        files.append(licences / f"dotnet-{name.lower()}")
        shutil.copyfile(package / name, files[-1])
    content = json.loads((package / ".nupkg.metadata").read_text("utf-8"))["contentHash"]
    return Collector(platform, tuple(files), version, content)


def _restore(platform: Platform, options: list[str]) -> str:
    """Restores the runtime of a platform; returns the reason of a failure, or an empty string."""
    done = subprocess.run(
        ["dotnet", "restore", str(PROJECT), *options],
        cwd=repo.ROOT,
        env=dotnet.full_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode == 0:
        return ""
    errors = set(re.findall(r"error (\w+\d+)", done.stdout))
    if errors and errors <= NOT_TO_BE_HAD:
        return f"NuGet has no {platform.runtime} to give here ({', '.join(sorted(errors))})"
    raise repo.BuildError(f"restoring the collector for {platform.rid} failed:\n{done.stdout}{done.stderr}")


def _hold_to_lock_file(assets: dict[str, object]) -> None:
    """Raises BuildError unless the restored packages equal those in the collector's lock file, byte for byte."""
    lock = json.loads(PROJECT.with_name("packages.lock.json").read_text("utf-8"))["dependencies"]
    named = {
        f"{name}/{entry['resolved']}": entry["contentHash"]
        for entries in lock.values()
        for name, entry in entries.items()
        if entry["type"] != "Project"
    }
    libraries = assets["libraries"]
    assert isinstance(libraries, dict)
    # The SDK adds this package with its own version, and uses it only during the build.
    found = {
        name: entry["sha512"]
        for name, entry in libraries.items()
        if entry["type"] == "package" and not name.startswith("Microsoft.NET.ILLink.Tasks/")
    }
    if found != named:
        different = ", ".join(sorted(name for name, _ in found.items() ^ named.items()))
        raise repo.BuildError(f"the collector would not be made of what its lock file names: {different}")


def hold_to_glibc(program: Path) -> None:
    """Raises BuildError if a program needs symbols of a newer glibc than its wheel's name says."""
    asked = {(int(major), int(minor)) for major, minor in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", program.read_bytes())}
    if not asked or max(asked) > GLIBC:
        raise repo.BuildError(f"{program.name} needs glibc {max(asked, default=None)}; its wheel would promise {GLIBC}")


def hold_to_musl(program: Path) -> None:
    """Raises BuildError if a program needs symbols of glibc: it was not made for musl."""
    if re.search(rb"\0GLIBC_\d", program.read_bytes()):
        raise repo.BuildError(f"{program.name} for musl asks for glibc")


def _runtime(platform: Platform, assets: dict[str, object]) -> tuple[str, Path]:
    """Returns the version and folder of the restored runtime package."""
    project = assets["project"]
    folders = assets["packageFolders"]
    assert isinstance(project, dict) and isinstance(folders, dict)
    wanted = [
        entry["version"].strip("[]").split(",")[0]
        for framework in project["frameworks"].values()
        for entry in framework["downloadDependencies"]
        if entry["name"] == platform.runtime
    ]
    for folder in folders:
        package = Path(folder, platform.runtime.lower(), wanted[0])
        if package.is_dir():
            return wanted[0], package
    raise repo.BuildError(f"{platform.runtime} {wanted[0]} was restored and is in none of: {', '.join(folders)}")
