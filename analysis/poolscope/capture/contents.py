"""What a folder, zip or gzip file holds that is no capture: the recordings in it, by their content."""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from poolscope.capture.file_kinds import (
    PERF_DATA,
    RECORD,
    RECORDINGS,
    RUNTIME_TRACE,
    SWITCH_TEXT,
    WINDOWS_TRACE,
    Kind,
    find_kind,
    packed_kind,
    quoted,
)
from poolscope.capture.storage import DAMAGED

GZIP = b"\x1f\x8b"
CTF = (b"/* CTF 1", b"\x57\x1d\xd1\x75")
"""How the metadata of a trace of LTTng begins: as text, or packed (Common Trace Format 1.8, section 7.1)."""
METADATA = "metadata"
LTTNG = f"a trace of LTTng (CTF), which Poolscope cannot read; {RECORD}"
LOOKED_INTO = 200
"""Files whose beginnings are read: a message must not take longer than an answer."""
DEPTH = 6
"""Folders below each other: LTTng has five."""
NAMED = 4
"""Files that one line has room for."""


def in_gzip(path: Path) -> str | None:
    """Says what is packed in a gzip file; None: it is none, or nothing is known of it."""
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
    """Says what the recordings in a zip are; None: it holds none, or is damaged."""
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
    """Says what the recordings in a folder and below it are, with their paths; None: it holds none."""
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
    """Returns whether `report` takes the files as they are: one trace, and what perf recorded beside it."""
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
    """Yields the first regular files of a folder and of those below it, by name. Links are not followed."""
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
