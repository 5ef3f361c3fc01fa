"""Makes captures from other tools' files, by running the collector."""

from __future__ import annotations

import gzip
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from poolscope.base.errors import ExitCode, InvalidArgument, PoolscopeError, UnreadableCapture
from poolscope.capture.file_kinds import PERF_DATA, SWITCH, SWITCH_TEXT, Kind, find_kind
from poolscope.capture.perf_features import names_event
from poolscope.capture.refusals import LOOKED_INTO, PERF_FILE, RAW_STREAMS
from poolscope.capture.storage import ALWAYS_ALLOWED, DAMAGED, MANIFEST, MOST_INFLATION
from poolscope.recording.collector import environment
from poolscope.recording.run import COLLECTORS_CODES

ENDINGS = (".nettrace", ".etl.zip", ".etl", ".etlx")
"""Suffixes of EventPipe's traces, and of Windows traces: zipped by PerfView, raw, and digested."""
PARTS = (".kernel", ".clr", ".user")
"""Suffixes that the other files of a Windows recording add to the name of the first (EtlFiles.cs)."""
MAGIC = b"Nettrace"
"""The first bytes of a .nettrace."""
PERF_FILES = (PERF_FILE, "perf.data", "sched.txt")
"""The files that perf writes with the recipe's command line."""
PACKED = (".zip", ".gz")
FOLDER = ".poolscope"
CHUNK = 1 << 20


def is_trace(path: Path) -> bool:
    """Returns whether a path is a Windows trace by its name, or a .nettrace by its first bytes.

    A capture folder, a zip of something else, an empty file, and a stream of a capture are not traces.
    """
    if not path.is_file() or (path.parent / MANIFEST).is_file():
        return False
    try:
        with open(path, "rb") as file:
            return _begins_so(path.name, file.read(len(MAGIC)))
    except OSError:
        return _named_so(path.name)  # for the collector to reject


def _begins_so(name: str, head: bytes) -> bool:
    """Returns whether a file with this name and these first bytes is a trace. A file with part of the magic is a
    truncated .nettrace."""
    if name.lower().endswith(ENDINGS[0]) or not _named_so(name):
        return head == MAGIC or (len(head) in range(1, len(MAGIC)) and MAGIC.startswith(head))
    return bool(head)


@contextmanager
def trace_in(path: Path) -> Iterator[Path | None]:
    """Yields the trace that a path is, or the only one in a folder, zip or gzip file. Yields None if there is none.

    A packed trace is unpacked into a temporary folder until the context ends, together with perf's recording beside it.
    Raises UnreadableCapture if there are several, or if one would inflate beyond the limits of a zipped capture.
    """
    if is_trace(path):
        yield path
    elif path.is_dir() and not any((path / name).exists() for name in (MANIFEST, *RAW_STREAMS) if name != PERF_FILE):
        found = [file for file in _some_of(path) if is_trace(file)]
        yield _only(path, [file for file in found if not _is_part(file, found)])
    elif path.is_file():
        with tempfile.TemporaryDirectory(prefix="poolscope-") as folder:
            try:
                yield _unpacked(path, Path(folder))
            except DAMAGED as error:
                raise UnreadableCapture(f"{path}: cannot be unpacked ({error})") from error
    else:
        yield None


def kernel_events_beside(trace: Path, names: tuple[str, ...] = ()) -> Path | None:
    """Returns perf's recording of scheduler events in a trace's folder, or its text. None if there is none, or if there
    are several.

    If `names` is not empty, only these files count.
    """
    if not _is_of_runtime(trace):
        return None  # a Windows trace has its own
    files = [trace.parent / name for name in names] or _some_of(trace.parent)
    found = [file for file in files if file != trace and file.is_file() and _tells_of_threads(file)]
    return found[0] if len(found) == 1 else None


def _is_of_runtime(trace: Path) -> bool:
    try:
        with open(trace, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _some_of(folder: Path) -> list[Path]:
    """Returns the files of a folder by name: those named like a trace, and the first few others, as many as are worth
    opening."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return [file for at, file in enumerate(files) if at < LOOKED_INTO or _named_so(file.name)]


def _tells_of_threads(file: Path) -> bool:
    try:
        with open(file, "rb") as opened:
            kind = find_kind(file, opened)
            return kind is SWITCH_TEXT or (kind is PERF_DATA and names_event(opened, SWITCH[:-1]) is not False)
    except OSError:
        return False


def _named_so(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def _is_part(file: Path, found: list[Path]) -> bool:
    """Returns whether a Windows file belongs to another file of the folder, and is read with it."""
    return any(
        file.name.startswith(tuple(main.stem + part for part in PARTS))
        for main in found
        if main.suffix.lower() == ".etl"
    )


def _only(path: Path, found: list[Path]) -> Path | None:
    if len(found) > 1:
        listed = ", ".join(trace.name for trace in found)
        raise UnreadableCapture(f"{path}: holds {len(found)} traces; name one of them instead: {listed}")
    return found[0] if found else None


def _unpacked(path: Path, folder: Path) -> Path | None:
    """Unpacks the trace of a zip or gzip file into a folder. Returns None if it holds no trace, or a capture."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = {Path(name): name for name in archive.namelist() if not name.startswith("__MACOSX/")}
            if any(name.name == MANIFEST for name in names):
                return None
            member = _only(path, [name for name in names if _named_so(name.name)] or _by_content(archive, names))
            if member is None:
                return None
            for name in _perf_files(archive, names):
                with archive.open(names[name]) as packed:
                    _copied(cast(BinaryIO, packed), folder / name.name, path)
            with archive.open(names[member]) as packed:
                return _copied(cast(BinaryIO, packed), folder / member.name, path)
    with open(path, "rb") as file:
        if file.read(2) != b"\x1f\x8b":
            return None
    with gzip.open(path) as packed:
        if packed.read(len(MAGIC)) != MAGIC:
            return None
        packed.seek(0)
        return _copied(cast(BinaryIO, packed), folder / (_stem(path) + ENDINGS[0]), path)


def _by_content(archive: zipfile.ZipFile, names: dict[Path, str]) -> list[Path]:
    """Returns the files of a zip that begin like a .nettrace."""

    def begins(name: str) -> bool:
        with archive.open(name) as file:
            return file.read(len(MAGIC)) == MAGIC

    return [path for path, name in islice(names.items(), LOOKED_INTO) if begins(name)]


def _perf_files(archive: zipfile.ZipFile, names: dict[Path, str]) -> list[Path]:
    """Returns perf's recordings in a zip, and their texts."""

    def kind(path: Path, name: str) -> Kind | None:
        with archive.open(name) as file:
            return find_kind(path, cast(BinaryIO, file))

    return [path for path, name in islice(names.items(), LOOKED_INTO) if kind(path, name) in (PERF_DATA, SWITCH_TEXT)]


def _copied(packed: BinaryIO, to: Path, path: Path) -> Path:
    """Writes the unpacked bytes and counts them: the sizes that an archive states may be false."""
    allowed = MOST_INFLATION * path.stat().st_size + ALWAYS_ALLOWED
    with open(to, "wb") as file:
        while chunk := packed.read(CHUNK):
            allowed -= len(chunk)
            if allowed < 0:
                raise UnreadableCapture(
                    f"{path}: inflates to more than {MOST_INFLATION} times its size, which is refused"
                )
            file.write(chunk)
    return to


def made_folder(trace: Path) -> Path:
    """Returns the folder that the collector makes from a trace, packed or not: beside it, with its name. For a trace
    inside a folder, pass the trace itself."""
    return trace.with_name(_stem(trace) + FOLDER)


def place_for(folder: Path, trace: Path, page: Path | None) -> Path:
    """Returns where the capture of a trace can be written: `folder`, or beside the page, which is in the current folder
    by default. Raises InvalidArgument if neither is writable."""
    if os.access(folder.parent, os.W_OK):
        return folder
    elsewhere = (Path() if page is None else page.parent) / folder.name
    if os.access(elsewhere.parent, os.W_OK):
        return elsewhere
    raise InvalidArgument(
        f"cannot write {folder}: its folder is not writable; run this in a folder that is, or: "
        f"poolscope decode {trace} -o FOLDER"
    )


def _stem(path: Path) -> str:
    unpacked = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return unpacked.stem if unpacked.suffix.lower() in ENDINGS else unpacked.name


def make_capture(collector: Path, trace: Path, folder: Path, scheduler: Path | None) -> Path:
    """Makes a capture in `folder` from a trace and, if given, from the perf.data recorded beside a .nettrace, or its
    text. Returns the folder.

    The collector's output goes to stderr. Raises PoolscopeError if it fails; then nothing is left behind.
    """
    beside = [] if scheduler is None else ["--scheduler", str(scheduler)]
    try:
        code = subprocess.run(
            [str(collector), "decode", str(trace), "-o", str(folder), *beside],
            check=False,
            # For `report`, the collector does not print the next command to run (DecodeNettrace.cs).
            env=environment("report"),
        ).returncode
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem
    if code in COLLECTORS_CODES:
        raise PoolscopeError("the trace was not decoded", ExitCode(code), said=True)
    if code != 0:
        raise PoolscopeError(f"{trace} was not decoded: the collector ended with exit code {code}", ExitCode.INTERNAL)
    return folder
