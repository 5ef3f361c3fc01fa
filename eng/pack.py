"""The `pack` verb: the packages that users install, in artifacts/pack/. The same commit gives the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import dotnet
import native_code
import nupkg
import plotly_bundle
import repo
import sbom
import standalone
import steps
import third_party
from standalone import Collector

FOLDER = repo.ROOT / "artifacts" / "pack"

TOOLS = {
    "poolscope-collect": repo.ROOT / "collector" / "Poolscope.Collect" / "Poolscope.Collect.csproj",
    "poolscope-workloads": repo.ROOT / "workloads" / "Poolscope.Workloads" / "Poolscope.Workloads.csproj",
}

EXTENSION = "POOLSCOPE_WHEEL_EXTENSION"
"""Variable for the build hook: the native extension in a wheel; empty: none. If it is unset, the hook compiles one."""

# The sources of the packages, as git paths.
SOURCES = ["analysis", "collector", "traces", "workloads", "LICENSE", "THIRD-PARTY-NOTICES.txt", ":(top,glob)*.props"]


def run() -> int:
    """Makes all packages again, and prints them with their install commands."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    collectors = [standalone.publish(platform) for platform in standalone.PLATFORMS]
    published = [collector for collector in collectors if not isinstance(collector, str)]
    made = [*python_packages(FOLDER), *platform_wheels(FOLDER, published)]
    made += [*programs(FOLDER, published), *tool_packages(FOLDER)]
    made.append(bill_of_materials(FOLDER, made, published))
    left_out = {
        platform.rid: why
        for platform, why in zip(standalone.PLATFORMS, collectors, strict=True)
        if isinstance(why, str)
    }
    for line in told(made, left_out):
        steps.say(line)
    return 0


def epoch() -> str:
    """Returns the time of the files in the packages, in s since 1970: that of the last commit, so that the clock has no
    effect.

    Returns 1980, the zip format's earliest time, without git.
    """
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    return _git("log", "-1", "--format=%ct") or "315532800"


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], cwd=repo.ROOT, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def python_packages(folder: Path) -> list[Path]:
    """Makes the wheel and sdist of analysis/."""
    return _hatchling("wheel and sdist", folder, ["wheel", "sdist"], {EXTENSION: ""})


def platform_wheels(folder: Path, collectors: list[Collector]) -> list[Path]:
    """Returns the wheels that contain the collector, one for each platform."""
    made = []
    for collector in collectors:
        if collector.platform.tag is None:
            continue
        env = {
            EXTENSION: "",
            "POOLSCOPE_WHEEL_COLLECTOR": os.pathsep.join(map(str, collector.files)),
            "POOLSCOPE_WHEEL_PLATFORM": collector.platform.tag,
        }
        if collector.platform.rid == native_code.RID and (extension := native_code.made()):
            standalone.hold_to_glibc(extension)
            env[EXTENSION] = str(extension)
        made += _hatchling(f"wheel {collector.platform.rid}", folder, ["wheel"], env)
    return made


def programs(folder: Path, collectors: list[Collector]) -> list[Path]:
    """Returns the collector as one file for each platform, and the licences of their contents in one text file."""
    made = []
    for collector in collectors:
        program, *_ = collector.files
        made.append(folder / _program_name(collector))
        shutil.copyfile(program, made[-1])
        made[-1].chmod(0o755)
    if collectors:
        # The runtime's licences have the same text on all platforms.
        _, *licences = collectors[0].files
        texts = [(file.name, file.read_text("utf-8-sig").strip()) for file in (repo.ROOT / "LICENSE", *licences)]
        made.append(folder / f"poolscope-collect-{sbom.version()}-licences.txt")
        made[-1].write_text("\n\n".join(f"{name}\n\n{text}" for name, text in texts) + "\n", "utf-8", newline="\n")
    return made


def _program_name(collector: Collector) -> str:
    platform = collector.platform
    return f"poolscope-collect-{sbom.version()}-{platform.rid}" + (".exe" if platform.windows else "")


def _hatchling(step: str, folder: Path, targets: list[str], env: dict[str, str]) -> list[Path]:
    before = set(folder.iterdir())
    build = [repo.venv_python(), "-m", "hatchling", "build", *(part for name in targets for part in ("-t", name))]
    steps.run(step, [*build, "-d", folder], env={"SOURCE_DATE_EPOCH": epoch(), **env}, cwd=repo.PYPROJECT.parent)
    made = sorted(set(folder.iterdir()) - before, reverse=True)
    for file in made:
        # hatchling makes them readable only by their owner, which does not suit a shared folder.
        file.chmod(0o644)
    return made


def tool_packages(folder: Path) -> list[Path]:
    """Returns the NuGet packages of the .NET tools."""
    for name, project in TOOLS.items():
        pack = ["dotnet", "pack", project, "-c", "Release", "--no-restore", "-o", folder, "-nologo", "-verbosity:quiet"]
        steps.run(f"tool {name}", pack, env=dotnet.environment())
    made = sorted(folder.glob("*.nupkg"))
    for file in made:
        nupkg.settle(file, int(epoch()))
    return made


def bill_of_materials(folder: Path, made: list[Path], collectors: list[Collector]) -> Path:
    """Returns the contents and requirements of the packages, with hashes, licences and versions (CycloneDX)."""
    parts = {name: third_party.nuget(project) for name, project in TOOLS.items()}
    bare = [*third_party.python(), *third_party.npm()]
    files = {name: [file for file in made if file.name.startswith(f"{name}.")] for name in TOOLS}
    files["poolscope-collect"] += [file for file in made if file.name.endswith("-licences.txt")]
    for collector in collectors:
        name = f"poolscope-{collector.platform.rid}"
        inside = [*parts["poolscope-collect"], third_party.runtime(collector)]
        parts[name] = [*bare, *inside] if collector.platform.tag else inside
        own = (f"-{collector.platform.tag}.whl", _program_name(collector))
        files[name] = [file for file in made if file.name.endswith(own)]
    parts["poolscope"] = bare
    taken = {file for listed in files.values() for file in listed}
    files["poolscope"] = [file for file in made if file not in taken]
    return sbom.write(folder, parts, files, int(epoch()))


def told(made: list[Path], left_out: Mapping[str, str]) -> list[str]:
    """Returns the lines for the user: the packages with their sizes, and the commands that install them.

    `left_out` maps platforms without a collector to the reason.
    """
    place = FOLDER.relative_to(repo.ROOT).as_posix()
    wheel = next(file.name for file in made if file.name.endswith("-any.whl"))
    width = max(len(file.name) for file in made)
    lines = [f"pack: {place}/"]
    lines += [f"  {file.name:{width}}  {file.stat().st_size / 1e6:4.1f} MB" for file in made]
    lines += [f"  without the collector for {rid}: {why}" for rid, why in left_out.items()]
    if not plotly_bundle.BUNDLE.is_file():
        lines.append("  without the small plotly.js (npm had none to give): reports will be 2 MB and more larger")
    if _git("status", "--porcelain", "--", *SOURCES):
        lines.append("  with changes that no commit has")
    lines += ["install (docs/installing.md):", f"  pip install {place}/{wheel}"]
    # --source, not --add-source, so that dotnet queries no package index for these names.
    lines += [f"  dotnet tool install --global --source {place} {name}" for name in TOOLS]
    if brings := [file.name for file in made if file.suffix == ".whl" and file.name != wheel]:
        lines.append("or, with the collector inside and without .NET:")
        lines += [f"  pip install {place}/{name}" for name in brings]
    if programs := [file.name for file in made if file.name.startswith(f"poolscope-collect-{sbom.version()}-linux")]:
        lines.append("or, to record where neither .NET nor Python is, copy one file and run it:")
        lines += [f"  {place}/{name} doctor" for name in programs]
    return lines
