"""Why a path cannot be opened as a capture: what it is instead, and what to do about it."""

from __future__ import annotations

import difflib
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from poolscope.base.errors import UnreadableCapture
from poolscope.capture.contents import in_folder, in_gzip, in_zip
from poolscope.capture.file_kinds import RECORD, kind_of, quoted
from poolscope.capture.storage import DAMAGED, MANIFEST

LOOKED_AT = 1000
"""Entries of a folder: a message must not take longer than an answer."""
ZIPS_LOOKED_INTO = 50
NAMED = 4
"""Captures that one line has room for."""
PERF_FILE = "sched.perf.data"
"""A stream of a capture, and what `poolscope recipe perf` writes beside a trace."""
RAW_STREAMS = ("runtime.nettrace", PERF_FILE, "kernel.etl", "kernel.etlx")


def missing(path: Path) -> UnreadableCapture:
    """Returns the error for a path that is not there; it names the nearest one that is."""
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
    """Returns what to do to get the tables of a capture. The collector takes folders only."""
    if path.is_dir():
        return f"run: poolscope decode {quoted(path)}"
    return "unpack it, and run: poolscope decode FOLDER"


def _part_of(path: Path, capture: Path) -> UnreadableCapture:
    return UnreadableCapture(f"{path}: a file of the capture {capture}; name that folder instead")


def _folder(path: Path) -> str:
    """Returns what a folder without a manifest is."""
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
    """Captures one level below, folders and zips, by name."""
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
    """Returns the path that was probably meant: its first name that is not there, replaced by the one most like it."""
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
    # Each step puts one more name right, so this ends.
    return meant if meant.exists() else _nearest(meant)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(islice(folder.iterdir(), LOOKED_AT))
    except OSError:
        return []
