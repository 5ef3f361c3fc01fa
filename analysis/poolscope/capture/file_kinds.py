"""Names the kind of a file that a user gave as a capture, and the command that reads it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from poolscope.capture.perf_features import names_event

HEAD = 4096
"""The number of first bytes that show the kind of a file."""
READ_BACK = "which no command reads back; name the capture that it was made from"


@dataclass(frozen=True)
class Kind:
    """A kind of file, known by the beginning of its content or, if no content shows it, by the end of its name."""

    says: Callable[[Path], str]
    """Returns the sentence about a file of this kind, without the path before it."""
    endings: tuple[str, ...] = ()
    """Endings of names, in lower case."""
    beginnings: tuple[bytes, ...] = ()
    within: tuple[bytes, ...] = ()
    """Bytes that must all be in the first HEAD bytes."""
    marks: tuple[tuple[int, bytes], ...] = ()
    """Bytes that must all be there, each at its offset; together with `within`, if that is not empty."""
    line: re.Pattern[bytes] | None = None
    """A pattern for a line of the first HEAD bytes."""
    read: bool = False
    """Whether a command reads this kind."""

    def shows_in(self, head: bytes) -> bool:
        """Returns whether a file with this beginning is of the kind."""
        return (
            head.startswith(self.beginnings)
            or (
                bool(self.marks or self.within)
                and all(head.startswith(mark, at) for at, mark in self.marks)
                and all(words in head for words in self.within)
            )
            or (self.line is not None and self.line.search(head) is not None)
        )


def _says(text: str) -> Callable[[Path], str]:
    return lambda path: text


def _program(path: Path) -> str:
    start = f"dotnet {quoted(path)}" if path.suffix.lower() == ".dll" else quoted(path)
    return f"a program, not a capture; to record it, run: poolscope record -- {start}"


SERIALIZED = ((0, b"\x14\0\0\0!FastSerialization.1"),)
"""The beginning of a file of TraceEvent's serializer. The type of the first object, after its length, shows the kind. A
.nettrace has the same bytes after its first eight."""
CORE_DUMP = ((0, b"\x7fELF"), (16, b"\4\0"))
"""An ELF file whose `e_type` is ET_CORE, in the byte order of x64 and ARM64."""
WINDOWS_DUMP = b"MDMP"
PERF_SCRIPT = re.compile(rb"^\s*\S.{0,40}?\s+\d+(/\d+)?\s+(\[\d+\]\s+)?\d+\.\d{6,9}:\s", re.MULTILINE)
"""A name, ids, possibly a CPU, and a time, as in ForeignFile.cs."""
SWITCH = b"sched:sched_switch:"
"""An event in a text of perf script. In the list of its header a comma follows."""
CPU = re.compile(rb"\s\[\d+\]\s")
TEXT_LOOKED_AT = 64 << 20
"""The bytes of a text of perf script that are searched for a switch: the births of all processes come before the first
switch."""
LINE = 256
"""The most bytes of a line of perf script before the name of its event."""
PRINT_AGAIN = "perf script -i perf.data --ns --header -F +pid --show-task-events --show-switch-events --show-lost-events > sched.txt"
STACKS = re.compile(rb"^Thread \(0x[0-9A-F]+\):\r?\n  \S", re.MULTILINE)
"""A thread in the output of `dotnet-stack report`."""
UTF16 = b"\xff\xfe"
RECORD = "record the process instead: poolscope record -p PID, or with dotnet-trace: poolscope recipe dotnet-trace"

ETL_ENDINGS = (".etl", ".etl.zip", ".etlx")
ETL_HEADER = re.compile(rb"\A.{54}\x04\x00.{18}[\x01\x02].{3}\x00\x00", re.DOTALL)
"""The first buffer of an .etl has type 4, and its first event, after 72 bytes, is the kernel's with hook 0."""


def _windows_trace(path: Path) -> str:
    if path.name.lower().endswith(ETL_ENDINGS):
        return f"a trace of Windows, not decoded yet; run: poolscope report {quoted(path)}, or poolscope decode {quoted(path)}"
    return (
        f"a trace of Windows by its content; rename it, then run: poolscope report {quoted(path.with_suffix('.etl'))}"
    )


WINDOWS_TRACE = Kind(_windows_trace, ETL_ENDINGS, line=ETL_HEADER, read=True)
RUNTIME_TRACE = Kind(
    lambda path: "the runtime's events, as dotnet-trace records them, not decoded yet; "
    f"run: poolscope report {quoted(path)}, or poolscope decode {quoted(path)}",
    (),
    (b"Nettrace",),
)
PERF_DATA = Kind(
    _says(
        "the kernel's events alone, as perf records them; they do not say when work items were queued: "
        "name the .nettrace that was recorded beside it, and this file with --scheduler: "
        "poolscope report FILE.nettrace --scheduler perf.data (poolscope recipe perf records both)"
    ),
    (".perf.data",),
    (b"PERFILE2",),
    read=True,
)
OTHER_PERF_DATA = Kind(
    _says(
        "a recording of perf without the event sched:sched_switch, so it does not show when threads ran; record again with "
        "the line that this prints: poolscope recipe perf"
    )
)
SWITCH_TEXT = Kind(
    _says(
        "the kernel's events alone, as text of perf script: name the .nettrace that was recorded beside it, and this "
        "file with --scheduler: poolscope report FILE.nettrace --scheduler sched.txt"
    ),
    read=True,
)
TEXT_WITHOUT_CPU = Kind(
    _says(
        "text of perf script without the CPU of each event, so it does not show when threads ran; send the perf.data, or "
        f"print it again: {PRINT_AGAIN}"
    )
)
UTF16_TEXT = Kind(
    _says(f"text of perf script in UTF-16, as PowerShell writes it; print it again in another shell: {PRINT_AGAIN}")
)
OTHER_TEXT = Kind(
    _says(
        "text of perf script without the event sched:sched_switch, so it does not show when threads ran; record again "
        "with the line that this prints: poolscope recipe perf"
    ),
    (),
    (b"# ========\n",),
    line=PERF_SCRIPT,
)
"""Any other text of perf script, and one whose first switch is not found yet."""

RECORDINGS = (
    WINDOWS_TRACE,
    Kind(
        _says(f"a heap snapshot of dotnet-gcdump, which holds objects and no work items; {RECORD}"),
        (".gcdump",),
        within=(b"\x0a\0\0\0GCHeapDump",),
        marks=SERIALIZED,
    ),
    Kind(
        _says(f"a trace of .NET Core 2, which Poolscope cannot read; run the program on .NET 8 or newer, and {RECORD}"),
        (".netperf",),
        within=(b"\x05\0\0\0Trace",),
        marks=SERIALIZED,
    ),
    Kind(
        _says(f"counters of dotnet-counters, which hold totals per interval and no work items; {RECORD}"),
        (),
        (b"Timestamp,Provider,Counter Name,Counter Type,",),
        (b'"TargetProcess"', b'"StartTime"', b'"Events"'),
    ),
    Kind(
        lambda path: "a memory dump of Windows, which Poolscope cannot read; to see its pool there, "
        f"run: dotnet-dump analyze {quoted(path)} -c threadpool; or {RECORD}",
        (".mdmp",),
        (WINDOWS_DUMP,),
    ),
    Kind(
        lambda path: "a memory dump, which shows one moment and not how long work items waited; for that moment, "
        f"run: poolscope report {quoted(path)}; or {RECORD}",
        (".dmp",),
        marks=CORE_DUMP,
        read=True,
    ),
    Kind(
        _says("a Chromium trace, as `dotnet-trace convert` writes it; name the .nettrace that it was made from"),
        (),
        (),
        (b'"traceEvents"',),
    ),
    RUNTIME_TRACE,
    PERF_DATA,
    OTHER_TEXT,
    Kind(
        _says(
            "stacks of dotnet-stack, which show one moment and not how long work items waited; for more of such a moment, "
            f"run: poolscope look -p PID; or {RECORD}"
        ),
        line=STACKS,
    ),
    Kind(_says(f"an export for speedscope, {READ_BACK}"), (".speedscope.json",), (), (b"speedscope.app",)),
)
"""Recordings of other tools, and files made from them."""

KINDS = (
    *RECORDINGS,
    Kind(_says(f"an export for flame graphs, {READ_BACK}"), (".folded",)),
    Kind(_says(f"an export for Perfetto, {READ_BACK}"), (".pftrace", ".perfetto-trace")),
    Kind(_says(f"an export for PerfView, {READ_BACK}"), (".perfview.xml", ".perfview.xml.zip")),
    Kind(
        _says("a web page, as `poolscope report` writes it: open it in a browser, or name the capture behind it"),
        (".html", ".htm"),
        (b"<!DOCTYPE html", b"<!doctype html", b"<html", b"<HTML"),
    ),
    Kind(
        _says(f"an analysis.json, as `poolscope attribute --json` prints it, {READ_BACK}"),
        ("analysis.json",),
        (),
        (b'"format":', b'"capture":', b'"start_utc":'),
    ),
    Kind(_says("JSON, but no capture: a capture is a folder, or a zip of one"), (".json",)),
    Kind(_program, (".dll", ".exe"), (b"MZ", b"\x7fELF")),
    Kind(
        _says("an archive, but no zip: unpack it, and name the file or folder that was in it"),
        (".tar", ".tgz", ".tar.gz", ".7z", ".zst", ".xz"),
        (b"\x1f\x8b", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ"),
        marks=((257, b"ustar"),),
    ),
    Kind(
        _says(
            "named as a trace, but no .nettrace: its content is another file's; send the one that dotnet-trace wrote"
        ),
        (".nettrace",),
    ),
)
"""The first kind whose content fits is the answer, otherwise the first kind whose name fits."""


def kind_of(path: Path) -> str | None:
    """Says what a regular file is, and which command takes it. None: unknown, or a zip that may be a capture.

    Reads only its first bytes, but up to TEXT_LOOKED_AT of a text of perf script. Raises OSError if it cannot be read.
    """
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return "an empty file: nothing was recorded, or it was not copied"
        found = find_kind(path, file)
        if found is PERF_DATA and names_event(file, SWITCH[:-1]) is False:
            found = OTHER_PERF_DATA
    return None if found is None else found.says(path)


def packed_kind(member: Path, file: BinaryIO) -> str | None:
    """Says what a file of an archive is, as `kind_of` does for a plain file, and to unpack it if a command reads it.
    None: unknown. `file` is at its beginning."""
    found = find_kind(member, file)
    return None if found is None else f"{'unpack it; it is ' if found.read else ''}{found.says(member)}"


def find_kind(path: Path, file: BinaryIO, among: tuple[Kind, ...] = KINDS) -> Kind | None:
    """Returns the kind of a file that is at its beginning; None: unknown."""
    name, read = path.name.lower(), file.read(HEAD)
    head = read.decode("utf-16", "ignore").encode() if read.startswith(UTF16) else read
    by_content = (kind for kind in among if kind.shows_in(head))
    by_name = (kind for kind in among if name.endswith(kind.endings))
    found = next(chain(by_content, by_name), None)
    if found is OTHER_TEXT:
        return UTF16_TEXT if head is not read else _which_text(head, file)
    return found


def _which_text(read: bytes, file: BinaryIO) -> Kind:
    """Returns the kind of a text of perf script, by the first switch in it."""
    searched = 0
    while (at := read.find(SWITCH)) < 0:
        more = file.read(1 << 20)
        searched += len(more)
        if not more:
            return OTHER_TEXT
        if searched > TEXT_LOOKED_AT:
            return SWITCH_TEXT  # the collector reads the rest
        read = read[-LINE:] + more
    return SWITCH_TEXT if CPU.search(read, read.rfind(b"\n", 0, at) + 1, at) else TEXT_WITHOUT_CPU


def is_dump(path: Path) -> bool:
    """Returns whether a path is a regular file that begins like a memory dump; False if it cannot be read."""
    try:
        if not path.is_file():
            return False
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return head.startswith(WINDOWS_DUMP) or all(head.startswith(mark, at) for at, mark in CORE_DUMP)


def quoted(path: Path) -> str:
    """Returns the path as a word of a command line, ready to paste into a shell."""
    text = str(path)
    if sys.platform == "win32":
        return f'"{text}"' if " " in text else text
    return shlex.quote(text)
