"""Explains why a path cannot be opened as a capture: what it is instead, which recordings it holds, and what to do."""

from __future__ import annotations

import difflib
import gzip
import os
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from poolscope.base.errors import UnreadableCapture
from poolscope.capture.file_kinds import (
    PERF_DATA,
    RECORD,
    RECORDINGS,
    RUNTIME_TRACE,
    SWITCH_TEXT,
    WINDOWS_TRACE,
    Kind,
    find_kind,
    kind_of,
    packed_kind,
    quoted,
)
from poolscope.capture.storage import DAMAGED, MANIFEST


GZIP = b"\x1f\x8b"
CTF = (b"/* CTF 1", b"\x57\x1d\xd1\x75")
"""The beginning of the metadata of an LTTng trace: as text, or packed (Common Trace Format 1.8, section 7.1)."""
METADATA = "metadata"
LTTNG = f"a trace of LTTng (CTF), which Poolscope cannot read; {RECORD}"
LOOKED_INTO = 200
"""The most files that are opened: a message must not take longer than an answer."""
DEPTH = 6
"""The depth of nested folders; LTTng has five."""
NAMED = 4
"""The most files, or captures, in one line."""


def in_gzip(path: Path) -> str | None:
    """Says what a gzip file contains; None: the file is no gzip file, or its content is unknown."""
    try:
        with open(path, "rb") as file:
            if file.read(len(GZIP)) != GZIP:
                return None
        with gzip.open(path) as packed:
            member = Path(path.with_suffix("").name)
            if find_kind(member, cast(BinaryIO, packed)) is RUNTIME_TRACE:
                return f"{member}, packed with gzip, not decoded yet; run: poolscope report {quoted(path)}"
            packed.seek(0)
            said = packed_kind(member, cast(BinaryIO, packed))
    except DAMAGED:
        return None
    return f"{member}, packed with gzip: {said}" if said else None


def in_zip(path: Path) -> str | None:
    """Says what the recordings in a zip are; None: the zip holds none, or is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
            if any(_begins_as_ctf(archive, name) for name in names if Path(name).name == METADATA):
                return f"a zip of {LTTNG}"
            found = list(_known(archive, names))
            if len(names) == 1 and not found:
                with archive.open(names[0]) as file:
                    said = packed_kind(Path(Path(names[0]).name), cast(BinaryIO, file))
                return f"a zip of {Path(names[0]).name}: {said}" if said else None
            if not found:
                return None
            if _is_one_trace([kind for _, kind in found]):
                listed = _listed([Path(name).name for name, _ in found])
                return f"a zip of {listed}, not decoded yet; run: poolscope report {quoted(path)}"
            if len(found) > 1:
                return f"a zip of {_listed([name for name, _ in found])}: unpack it and name one of them"
            name, kind = found[0]
            return f"a zip of {Path(name).name}: {'unpack it; it is ' if kind.read else ''}{kind.says(Path(Path(name).name))}"
    except DAMAGED:
        return None


def in_folder(path: Path) -> str | None:
    """Says what the recordings in a folder and below it are, with their paths; None: the folder holds none."""
    found: list[tuple[Path, Kind]] = []
    for file in _files(path):
        try:
            with open(file, "rb") as opened:
                if file.name == METADATA and opened.read(max(map(len, CTF))).startswith(CTF):
                    return LTTNG if file.parent == path else f"no capture, but it holds {LTTNG}"
                opened.seek(0)
                kind = find_kind(file, opened, RECORDINGS)
        except OSError:
            continue
        if kind is not None:
            found.append((file, kind))
    if not found:
        return None
    if _is_one_trace([kind for _, kind in found]) and all(file.parent == path for file, _ in found):
        return f"no capture, but it holds {_listed([file.name for file, _ in found])}; run: poolscope report {quoted(path)}"
    if len(found) > 1:
        return f"no capture, but it holds {len(found)} recordings: name one of them instead: {_listed([str(file) for file, _ in found])}"
    file, kind = found[0]
    return f"no capture, but it holds {file.relative_to(path)}: {kind.says(file)}"


def _is_one_trace(kinds: list[Kind]) -> bool:
    """Returns whether `report` takes the files as they are: one trace, and the recordings of perf beside it."""
    traces = [kind for kind in kinds if kind in (RUNTIME_TRACE, WINDOWS_TRACE)]
    return len(traces) == 1 and all(kind in (*traces, PERF_DATA, SWITCH_TEXT) for kind in kinds)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _known(archive: zipfile.ZipFile, names: list[str]) -> Iterator[tuple[str, Kind]]:
    for name in names[:LOOKED_INTO]:
        with archive.open(name) as file:
            if kind := find_kind(Path(Path(name).name), cast(BinaryIO, file), RECORDINGS):
                yield name, kind


def _begins_as_ctf(archive: zipfile.ZipFile, name: str) -> bool:
    with archive.open(name) as file:
        return file.read(max(map(len, CTF))).startswith(CTF)


def _files(folder: Path) -> Iterator[Path]:
    """Yields the first regular files of a folder and of the folders below it, by name. Does not follow links."""
    yielded = 0
    for parent, folders, files in os.walk(folder):
        folders.sort()
        if len(Path(parent).relative_to(folder).parts) >= DEPTH:
            folders.clear()
        for name in sorted(files):
            file = Path(parent) / name
            if file.is_symlink() or not file.is_file():
                continue
            yield file
            yielded += 1
            if yielded >= LOOKED_INTO:
                return


LOOKED_AT = 1000
"""The most entries of a folder that are read: a message must not take longer than an answer."""
ZIPS_LOOKED_INTO = 50
PERF_FILE = "sched.perf.data"
"""A stream of a capture, and the file that `poolscope recipe perf` writes beside a trace."""
RAW_STREAMS = ("runtime.nettrace", PERF_FILE, "kernel.etl", "kernel.etlx")


def missing(path: Path) -> UnreadableCapture:
    """Returns the error for a path that does not exist; it names the nearest path that does."""
    near = _nearest(path)
    return UnreadableCapture(f"{path}: no such file or folder{f'; did you mean {near}?' if near else ''}")


def no_capture(path: Path) -> UnreadableCapture:
    """Returns the error for a folder or zip without a manifest."""
    if path.is_dir():
        return UnreadableCapture(f"{path}: {_folder(path)}")
    if around := _capture_around(path):
        return _part_of(path, around)
    if _is_of_perfcollect(path):
        return UnreadableCapture(f"{path}: an archive of perfcollect, which holds text and LTTng's events; {RECORD}")
    if held := in_zip(path):
        return UnreadableCapture(f"{path}: {held}")
    return UnreadableCapture(f"{path}: a zip without a capture.json, so this is no capture")


def other_file(path: Path) -> UnreadableCapture | None:
    """Returns the error for a regular file of a known kind that is no capture; None if it may be a zip of one."""
    try:
        said = in_gzip(path) or kind_of(path)
    except OSError as error:
        return UnreadableCapture(f"{path}: cannot be read ({error.strerror or error})")
    if (said or not zipfile.is_zipfile(path)) and (around := _capture_around(path)):
        return _part_of(path, around)
    return None if said is None else UnreadableCapture(f"{path}: {said}")


def not_decoded(path: Path) -> UnreadableCapture:
    """Returns the error for a capture without tables."""
    return UnreadableCapture(f"{path}: not decoded yet; {decode(path)}")


def decode(path: Path) -> str:
    """Returns the instruction for decoding a capture. The collector takes folders only."""
    if path.is_dir():
        return f"run: poolscope decode {quoted(path)}"
    return "unpack it, and run: poolscope decode FOLDER"


def _part_of(path: Path, capture: Path) -> UnreadableCapture:
    return UnreadableCapture(f"{path}: a file of the capture {capture}; name that folder instead")


def _folder(path: Path) -> str:
    """Says what a folder without a manifest is."""
    names = {entry.name for entry in _entries(path)}
    if not names:
        return "an empty folder: no capture.json in it, so this is no capture"
    if around := _capture_around(path):
        return f"a folder of the capture {around}; name that one instead"
    if found := list(_captures_in(path)):
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        listed = ", ".join(map(str, found[:NAMED])) + more
        those = "one: name it instead" if len(found) == 1 else f"{len(found)}: name one of them instead"
        return f"no capture, but it holds {those}: {listed}"
    raw = [name for name in RAW_STREAMS if name in names]
    if raw and raw != [PERF_FILE]:
        return f"no capture.json in it, so this is no capture; it has {raw[0]}, so part of a capture was left behind"
    if "lttngTrace" in names or "perf.data.txt" in names:
        return f"an unpacked archive of perfcollect, which holds text and LTTng's events; {RECORD}"
    if "work_items.csv" in names:
        return "tables that `poolscope export --to csv` wrote, which no command reads back; name the capture"
    if held := in_folder(path):
        return held
    return "no capture.json in it, so this is no capture"


def _is_of_perfcollect(path: Path) -> bool:
    return any("/lttngTrace/" in name or name.endswith("/perf.data.txt") for name in _names_in(path))


def _names_in(path: Path) -> list[str]:
    """Returns the names in a zip; none if it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except DAMAGED:
        return []


def _capture_around(path: Path) -> Path | None:
    """Returns the capture folder that a path lies in."""
    return next((folder for folder in list(path.parents)[:2] if (folder / MANIFEST).is_file()), None)


def _captures_in(folder: Path) -> Iterator[Path]:
    """Yields the captures one level below, folders and zips, by name."""
    zips = 0
    for path in sorted(_entries(folder)):
        if path.suffix.lower() == ".zip" and path.is_file():
            zips += 1
            if zips <= ZIPS_LOOKED_INTO and _is_zipped_capture(path):
                yield path
        elif (path / MANIFEST).is_file():
            yield path


def _is_zipped_capture(path: Path) -> bool:
    return any(name == MANIFEST or name.endswith(f"/{MANIFEST}") for name in _names_in(path))


def _nearest(path: Path) -> Path | None:
    """Returns the path that the user probably meant: the first name that does not exist is replaced by the most similar
    one."""
    parts = list(reversed([path, *path.parents]))
    wrong = next((part for part in parts if not part.exists()), path)
    if not wrong.name:
        return None
    names = [entry.name for entry in _entries(wrong.parent)]
    longer = [name for name in names if name.startswith(wrong.name)]
    near = longer if len(longer) == 1 else difflib.get_close_matches(wrong.name, names, n=1)
    if not near:
        return None
    meant = wrong.with_name(near[0]) / path.relative_to(wrong)
    # Each step corrects one more name, so this ends.
    return meant if meant.exists() else _nearest(meant)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(islice(folder.iterdir(), LOOKED_AT))
    except OSError:
        return []
