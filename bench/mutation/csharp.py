"""`./build.sh bench mutation --csharp`: the same for the decoder's joins, by lines of their C# sources: the code that
turns events into work items, tasks, waits, timers, requests, calls and activities, and that matches sockets.

For each fault the compiler's own command line compiles a copy of the project's sources, and a copy of the test
programme runs the tests of the joins. A change that does not compile is no fault.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = "collector/Poolscope.Decode"
TESTS = "collector/Poolscope.Decode.Tests"
SOURCES = (
    "WorkItems/*.cs",
    "Tasks/*.cs",
    "Waits/*.cs",
    "Timers/*.cs",
    "Requests/*.cs",
    "Sockets/*.cs",
    "Pool/*.cs",
    "Runtime/ItemCounter.cs",
)
"""Sources in the project that may get a fault."""
BUILT = "artifacts/bin/Poolscope.Decode.Tests/release"
PROGRAMME = "Poolscope.Decode.Tests"
LIBRARY = "Poolscope.Decode.dll"
TESTED = ("WorkItems", "Tables", "Sockets", "Events", "Captures")
"""Namespaces of the test programme that reach these sources, without live tests and without fuzzing."""
LONGEST_S = 40
"""A faulty test programme that takes longer loops forever: the fault is caught."""

SURVIVED, NOT_COMPILED = "survived", "not compiled"

CODE = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')
"""Strings and comments, which get no fault."""
SWAPS: tuple[tuple[str, str, str], ...] = (
    ("boundary", r" < ", " <= "),
    ("negated", r" < ", " >= "),
    ("boundary", r" <= ", " < "),
    ("boundary", r" > ", " >= "),
    ("negated", r" > ", " <= "),
    ("boundary", r" >= ", " > "),
    ("negated", r" >= ", " < "),
    ("boundary", r"is >= 0", "is > 0"),
    ("negated", r" == ", " != "),
    ("negated", r" != ", " == "),
    ("and-or", r" && ", " || "),
    ("and-or", r" \|\| ", " && "),
    ("and-or", r" & ", " | "),
    ("sign", r" \+ ", " - "),
    ("sign", r" - ", " + "),
    ("sign", r" \+= ", " -= "),
    ("sign", r" -= ", " += "),
    ("sign", r"(?<=\w)\+\+", "--"),
    ("sign", r"(?<=\w)--", "++"),
    ("unit", r"\b90_000\b", "90"),
    ("off-by-one", r"(?<![\w.-])0(?![\w.])", "1"),
    ("off-by-one", r"(?<![\w.-])1(?![\w.])", "2"),
    ("off-by-one", r"-1\b", "0"),
    ("negated", r"(?<=[( ])!(?=[\w(])", ""),
    ("negated", r"\btrue\b", "false"),
    ("negated", r"\bfalse\b", "true"),
    ("other", r"Math\.Min\b", "Math.Max"),
    ("other", r"Math\.Max\b", "Math.Min"),
    ("other", r"\.Start\b", ".End"),
    ("other", r"\.End\b", ".Start"),
    ("other", r"\.Head\b", ".Tail"),
    ("other", r"\.Tail\b", ".Head"),
    ("other", r"\bEnqueue(?=[\[,])", "Dequeue"),
    ("other", r"\bDequeue(?=[\[,])", "End"),
    ("other", r"EnqueueTid(?=\[)", "WorkerTid"),
    ("other", r"EndKnown\.NextDequeue", "EndKnown.Park"),
    ("other", r"EndKnown\.Park", "EndKnown.NextDequeue"),
    ("other", r"EndKnown\.ThreadExit", "EndKnown.ThreadStop"),
    ("other", r"EndKnown\.ThreadStop", "EndKnown.ThreadExit"),
    ("other", r"EndKnown\.TaskCompleted", "EndKnown.Park"),
    ("other", r"DequeueKnown\.Event", "DequeueKnown.TaskStarted"),
    ("other", r"DequeueKnown\.TaskStarted", "DequeueKnown.Event"),
    ("other", r"ItemFlags\.Collided", "ItemFlags.Transferred"),
    ("other", r"ItemFlags\.Transferred", "ItemFlags.Collided"),
    ("other", r"ItemFlags\.Inlined", "ItemFlags.Collided"),
    ("other", r"ItemFlags\.CensoredStart", "ItemFlags.QueuedAtEnd"),
    ("other", r"ItemFlags\.QueuedAtEnd", "ItemFlags.RunningAtEnd"),
    ("other", r"ItemFlags\.RunningAtEnd", "ItemFlags.QueuedAtEnd"),
    ("other", r"ItemFlags\.EndCorrected", "ItemFlags.Collided"),
    ("other", r"ItemKind\.Other", "ItemKind.Task"),
    ("other", r"ItemKind\.Task", "ItemKind.Other"),
)
STATEMENT = re.compile(
    r"^\s+(?!return|var|throw|break|continue|using|ref|public|private|internal|yield|namespace)[\w_.\[\]]+"
    r"(\(.*\)| = .*| [+-]= .*|\+\+|--);$"
)
"""One whole statement on one line, which may be removed."""
CONDITION = re.compile(r"^(\s+(?:if|while) \()(.*)(\))$")


@dataclass(frozen=True)
class LineFault:
    """One line and its replacement."""

    path: Path
    line: int
    kind: str
    before: str
    after: str
    column: int

    def identity(self, root: Path) -> str:
        """Returns a name that is stable while the file is unchanged."""
        return f"{self.path.relative_to(root)}:{self.line}:{self.column}:{self.after.strip()}"


def faults_of(path: Path) -> list[LineFault]:
    """Returns every fault of a C# file, in order of its lines."""
    found = []
    for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), 1):
        code = CODE.sub(lambda match: " " * len(match.group()), line)
        if not code.strip() or re.match(r"\s*(const|private const|public const|namespace|using|\[)", code):
            if "90_000" not in code:
                continue
        found += [
            LineFault(path, number, kind, line.strip(), line[:a] + by + line[b:], a) for kind, a, b, by in _spots(code)
        ]
    return found


def _spots(code: str) -> Iterator[tuple[str, int, int, str]]:
    """Yields the kind, the place and the replacement text."""
    for kind, pattern, by in SWAPS:
        for match in re.finditer(pattern, code):
            yield kind, match.start(), match.end(), by
    if STATEMENT.match(code):
        begin = len(code) - len(code.lstrip())
        yield "left-out", begin, len(code), ";"
    if condition := CONDITION.match(code):
        begin, end = condition.start(2), condition.end(2)
        yield "negated", begin, end, f"!({code[begin:end]})"


def drawn(root: Path, seed: int) -> list[LineFault]:
    """Returns every fault of the joins in an order drawn by the seed."""
    paths = sorted(path for pattern in SOURCES for path in (root / PROJECT).glob(pattern))
    every = [fault for path in paths for fault in faults_of(path)]
    return sorted(every, key=lambda fault: hashlib.sha256(f"{seed} {fault.identity(root)}".encode()).digest())


def run(root: Path, faults: list[LineFault], results: Path, stop_at: float, as_built: bool) -> None:
    """Builds the decoder's tests, tries the faults and adds a JSON line for each. If `as_built`, uses the tests built
    by the earlier run. No fault begins after `stop_at`, a time.time(). Raises SystemExit if the tests fail without a
    fault."""
    done = (
        {json.loads(line)["fault"] for line in results.read_text("utf-8").splitlines()} if results.exists() else set()
    )
    scratch = root / "artifacts" / "mutation"
    told = scratch / "compiler.json"
    if not (as_built and told.exists()):
        told.parent.mkdir(parents=True, exist_ok=True)
        told.write_text(json.dumps(_compiler(root, scratch)), "utf-8")
    compiler = json.loads(told.read_text("utf-8"))
    shutil.copytree(root / BUILT, scratch / "bin", dirs_exist_ok=True)
    if (without := _tests(scratch / "bin")) != SURVIVED:
        raise SystemExit(f"the tests of the joins without a fault: {without}")
    for fault in faults:
        if fault.identity(root) in done or time.time() >= stop_at:
            continue
        began = time.time()
        row: dict[str, Any] = {"fault": fault.identity(root), "path": str(fault.path.relative_to(root))}
        row |= {"line": fault.line, "kind": fault.kind, "before": fault.before, "after": fault.after.strip(), "by": ""}
        row |= {"outcome": _try(root, compiler, scratch, fault), "s": round(time.time() - began, 1)}
        results.parent.mkdir(exist_ok=True)
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{row['outcome']:12} {row['s']:5.1f} s  {fault.path.name}:{fault.line} {row['after'][:80]}", flush=True)


def _try(root: Path, compiler: list[str], scratch: Path, fault: LineFault) -> str:
    lines = fault.path.read_text("utf-8-sig").splitlines()
    lines[fault.line - 1] = fault.after
    faulty = scratch / fault.path.name
    faulty.write_text("\n".join(lines) + "\n", "utf-8")
    instead_of = (fault.path.relative_to(root / PROJECT).as_posix(), str(fault.path))
    command = [str(faulty) if word in instead_of else word for word in compiler]
    if command == compiler:
        raise SystemExit(f"the compiler's command line does not name {fault.path}")
    built = subprocess.run(command, cwd=root / PROJECT, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return NOT_COMPILED
    shutil.copy2(scratch / LIBRARY, scratch / "bin" / LIBRARY)
    return _tests(scratch / "bin")


def _compiler(root: Path, scratch: Path) -> list[str]:
    """Builds the project and tests. Returns the compiler's command line for the project, read from the build, with
    another output and with the compiler kept running between faults."""
    build = ["dotnet", "build", str(root / TESTS), "-c", "Release", "--no-restore", "-v:d", "-tl:off"]
    # The compiler runs, and shows its command line, only if an input is newer than the output.
    (root / PROJECT / "WorkItems" / "WorkItemJoin.cs").touch()
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit("\n".join(line for line in done.stdout.splitlines() if ": error " in line))
    lines = [line for line in done.stdout.splitlines() if re.search(rf" /out:\S*/{re.escape(LIBRARY)} ", line)]
    left_out = ("/out:", "/refout:", "/doc:", "/pdb:", "/warnaserror", "/analyzer:", "/sourcelink:", "/embed")
    words = [word for word in shlex.split(lines[0].strip()) if not word.startswith(left_out)]
    return [*words, f"/out:{scratch / LIBRARY}", "/nowarn:1591", "/shared", "/keepalive:60"]


def _tests(programme: Path) -> str:
    command = [str(programme / PROGRAMME), "-noColor", "-noLogo"]
    for name in TESTED:
        command += ["-namespace", f"Poolscope.Decode.Tests.{name}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return "timeout"
    return SURVIVED if done.returncode == 0 else "caught"
