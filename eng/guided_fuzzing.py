"""`fuzz --guided`: makes inputs from those that reached new code of the decoder.

Two fuzzers take turns and import each other's finds: the plain fuzzer's mutations, which know the structure of a file,
and afl-fuzz's, which know only bytes and the words of a dictionary.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import dotnet
import repo
import steps

PROJECT = repo.GUIDED_FUZZING
GOLDEN = repo.ROOT / "traces" / "golden"
STATE = repo.CACHE / "guided-fuzzing"
COPY = STATE / "instrumented"
PROGRAM = COPY / "Poolscope.Fuzz.Guided.dll"

INSTRUMENTED = ["Poolscope.Decode.dll", "Poolscope.PerfEvents.dll", "Poolscope.Etw.dll", "Poolscope.Etl.dll"]
"""The assemblies whose code coverage afl-fuzz sees."""

TOOL_VERSION = "2.3.0"
TOOLS = repo.CACHE / "tools" / f"sharpfuzz-{TOOL_VERSION}"
TOOL = TOOLS / "sharpfuzz"

INSTALL_S = 300

TIME_LIMIT_MS = 30_000
"""Time limit of one input, the same as the plain fuzzer's."""

MOST_INPUTS = 2**31 - 1

PLAIN_SECONDS = 600
"""Time limit of `--against-plain` for a format."""

LONGEST_INPUT = 1 + (256 << 10)

AFL_ENVIRONMENT = {
    "AFL_SKIP_CPUFREQ": "1",
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
    "AFL_NO_UI": "1",
    # The program is `dotnet`, which is not instrumented; the assemblies are.
    "AFL_SKIP_BIN_CHECK": "1",
    # A run continues the last one.
    "AFL_AUTORESUME": "1",
    # Imports the inputs found by structural mutations before it mutates anything.
    "AFL_IMPORT_FIRST": "1",
    # Trimming an input to its last byte takes more runs than finding it.
    "AFL_DISABLE_TRIM": "1",
}


class State:
    """The files kept for a format between runs."""

    def __init__(self, name: str) -> None:
        self.folder = STATE / name
        self.seeds = self.folder / "seeds"
        self.words = self.folder / "words.dict"
        self.sound = self.folder / "sound.txt"
        """Edges that the sound files reach."""
        self.structured = self.folder / "structured.txt"
        """Number of inputs from structural mutations, run by run."""
        self.found = self.folder / "found"
        self.structure = self.found / "structure"
        self.bytes = self.found / "bytes"
        """afl-fuzz's own files."""
        # Edges get other numbers when the decoder is instrumented again.
        self.plain, self.plain_edges = COPY / f"{name}.plain.txt", COPY / f"{name}.plain.edges"

    def total(self) -> int:
        """Counts the inputs of all runs."""
        return _sum(self.structured) + self.executions()

    def executions(self) -> int:
        """Counts the inputs from afl-fuzz in all of its runs."""
        return int(self.statistics().get("execs_done", "0"))

    def statistics(self) -> dict[str, str]:
        """Reads afl-fuzz's own statistics; empty before its first run."""
        file = self.bytes / "fuzzer_stats"
        lines = file.read_text().splitlines() if file.is_file() else []
        return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def run(arguments: list[str]) -> int:
    """Fuzzes every format in turn and returns the exit code: 1 if any input got a wrong answer."""
    given = _parser().parse_args(arguments)
    _check_tools()
    build()
    formats = _program("formats").split()
    if given.format and given.format not in formats:
        raise repo.BuildError(f"no format {given.format} to fuzz with guidance; there are: {' '.join(formats)}")
    chosen = [given.format] if given.format else formats
    return int(sum(_fuzz(name, given) for name in chosen) > 0)


def build() -> None:
    """Builds the entry for afl-fuzz and instruments a copy of it, unless the sources are unchanged since the last
    time."""

    def work() -> None:
        env = dotnet.environment()
        steps.run("restore guided fuzzing", ["dotnet", "restore", PROJECT, "--locked-mode", *dotnet.QUIET], env=env)
        command = ["dotnet", "build", PROJECT, "-c", "Release", "--no-restore", *dotnet.QUIET]
        steps.run("build guided fuzzing", command, env=env)
        shutil.rmtree(COPY, ignore_errors=True)
        shutil.copytree(repo.ROOT / "artifacts" / "bin" / PROJECT.stem / "release", COPY)
        for name in INSTRUMENTED:
            before = (COPY / name).read_bytes()
            steps.run(f"instrument {name}", [TOOL, COPY / name], env=env)
            if (COPY / name).read_bytes() == before:
                raise repo.BuildError(f"sharpfuzz {TOOL_VERSION} has not instrumented {name}")

    steps.once("guided-fuzzing", steps.digest(_sources(), TOOL_VERSION), [PROGRAM, TOOL], work)


def _sources() -> list[Path]:
    """Returns the sources of the instrumented copy: the project and, recursively, the projects it refers to."""
    projects, found = [PROJECT], [*repo.ROOT.glob("Directory.*.props"), repo.ROOT / "global.json", repo.SCHEMA]
    for project in projects:
        for node in ElementTree.parse(project).iter("ProjectReference"):
            other = (project.parent / node.attrib["Include"]).resolve()
            if other not in projects:
                projects.append(other)
        found += [file for file in project.parent.rglob("*") if file.suffix in (".cs", ".csproj", ".json")]
    return sorted(file for file in found if not {"bin", "obj"}.intersection(file.parts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build fuzz --guided", description=__doc__, allow_abbrev=False)
    parser.add_argument("--format", metavar="NAME", help="one format of files. Default: all but etlx")
    parser.add_argument("--minutes", type=float, default=3, metavar="M", help="time for a format. Default: 3")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the random numbers. Default: 1")
    parser.add_argument("--save", type=Path, metavar="DIR", help="keeps the files that failed. Default: not kept")
    parser.add_argument(
        "--fresh", action="store_true", help="forgets what earlier runs found. Default: goes on from it"
    )
    parser.add_argument(
        "--against-plain",
        action="store_true",
        help="gives the plain fuzzer as many inputs, too, and counts its edges. Default: not done",
    )
    return parser


def _check_tools() -> None:
    """Ends the build with one line if a tool is missing, before anything is built."""
    if repo.WINDOWS or shutil.which("afl-fuzz") is None:
        raise repo.BuildError("no `afl-fuzz` on PATH: guided fuzzing needs Linux and AFL++ (Debian: afl++)")
    if TOOL.is_file():
        return
    command = ["dotnet", "tool", "install", "SharpFuzz.CommandLine", "--version", TOOL_VERSION]
    if not steps.answers([*command, "--tool-path", TOOLS], timeout=INSTALL_S):
        where = TOOLS.relative_to(repo.ROOT)
        raise repo.BuildError(f"no sharpfuzz {TOOL_VERSION}: `{' '.join(command)} --tool-path {where}` fails")


def _fuzz(name: str, given: argparse.Namespace) -> int:
    """Fuzzes one format, prints its line and returns the number of inputs that got a wrong answer."""
    state = State(name)
    if given.fresh:
        shutil.rmtree(state.folder, ignore_errors=True)
    # afl-fuzz kills its target, which then leaves a folder that is removed here.
    with tempfile.TemporaryDirectory(prefix="poolscope-guided-", dir=_memory()) as memory:
        where = ["--format", name, "--golden", GOLDEN, "--memory", memory]
        if not state.sound.is_file():
            state.structure.mkdir(parents=True, exist_ok=True)
            state.sound.write_text(_program("seeds", *where, state.seeds, state.words))
        half = max(1, round(given.minutes * 30))
        before = state.total()
        limits = ["--inputs", MOST_INPUTS, "--seconds", half, "--seed", given.seed + before]
        folders = [state.structure / "queue", state.structure / "crashes"]
        printed = _program("structured", *where, *limits, *folders, state.seeds, state.bytes / "queue")
        _count(state.structured, printed)
        _afl(state, where, half, given.seed)
        save = ["--save", given.save.resolve()] if given.save else []
        kept = [folder / kind for folder in (state.structure, state.bytes) for kind in ("queue", "crashes", "hangs")]
        files, edges, missed = _program("judge", *where, *save, *kept).split()
        line = f"{name:<15} {_sum(state.structured):>8} structured, {state.executions():>8} bytes, {files:>5} kept"
        line += f"  edges: sound files {state.sound.read_text().strip()}, guided {edges}"
        if given.against_plain:
            limits = ["--inputs", state.total() - before, "--seconds", PLAIN_SECONDS, "--seed", given.seed + before]
            printed = _program("plain", *where, *limits, state.plain_edges)
            _count(state.plain, printed)
            line += f", plain fuzzer {printed.split()[1]} in {_sum(state.plain)} inputs"
    steps.say(f"{line}  stable {state.statistics().get('stability', '?')}  {missed} failures")
    return int(missed)


def _count(file: Path, printed: str) -> None:
    """Records the number of inputs of a run: the first number of its output."""
    with file.open("a") as notes:
        notes.write(f"{printed.split()[0]}\n")


def _sum(file: Path) -> int:
    return sum(map(int, file.read_text().split())) if file.is_file() else 0


def _afl(state: State, where: list[object], seconds: int, seed: int) -> None:
    """Runs afl-fuzz for its time, and ends the build with its output if it cannot start."""
    # A secondary instance imports only the inputs of a main instance.
    (state.structure / "is_main_node").touch()
    words = ["-x", state.words] if state.words.stat().st_size else []
    command = ["afl-fuzz", "-S", state.bytes.name, "-i", state.seeds, "-o", state.found, "-m", "none"]
    command += ["-t", TIME_LIMIT_MS, "-G", LONGEST_INPUT, "-s", seed + state.executions(), "-V", seconds, *words]
    command += ["--", shutil.which("dotnet"), PROGRAM, "run", *where]
    log = repo.CACHE / "logs" / f"afl-{state.folder.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        code = subprocess.run(
            [str(part) for part in command],
            cwd=repo.ROOT,
            env={**os.environ, **AFL_ENVIRONMENT, **dotnet.environment()},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode
    if code != 0 or not state.statistics():
        last = log.read_text(errors="replace").strip().splitlines()[-12:]
        raise repo.BuildError(f"afl-fuzz ended with exit code {code} on {state.folder.name}:\n" + "\n".join(last))


def _program(*arguments: object) -> str:
    """Runs a verb of the instrumented program and returns its output; errors go to the terminal."""
    done = subprocess.run(
        ["dotnet", str(PROGRAM), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=dotnet.full_environment(),
    )
    if done.returncode != 0:
        raise repo.BuildError(f"{PROGRAM.name} {arguments[0]} ended with exit code {done.returncode}")
    return done.stdout


def _memory() -> str | None:
    """Returns a disk in memory, if there is one: captures are written to it a thousand times a second."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
