"""One capture: manifest, tables on demand, and the recording window."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from poolscope.arrays import AnyArray
from poolscope.capture.counted import with_counted
from poolscope.capture.first_seen import has_doubtful, without_impossible
from poolscope.capture.known_workers import with_named
from poolscope.capture.npz import read_table
from poolscope.capture.schema import load_schema
from poolscope.errors import InsufficientEvidence, UnreadableCapture

RUNTIME_STREAM = "runtime.nettrace"
SCHEDULER_STREAM = "sched.perf.data"
ETW = "etw"
"""Tier of a trace of Windows, which holds runtime and kernel in one file."""
WHOLE_SYSTEM = ("tracepoint", ETW)
"""Kernel tiers that see every process."""
POLLED_STREAM = "schedstat.bin"
PARTS = ("clock", "host", "target", "tool")
"""What every manifest says."""


class _Folder:
    """Files of a capture that is a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str) -> bytes | None:
        path = self.root / name
        try:
            return path.read_bytes() if path.is_file() else None
        except OSError as error:
            raise UnreadableCapture(f"{path}: cannot be read ({error.strerror or error})") from error


class _Zip:
    """Files of a capture that is a zip, with or without a folder around it. The zip is open only while it is read: a
    script may look at a thousand captures, and nobody closes them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with zipfile.ZipFile(path) as archive:
            self._names = set(archive.namelist())
        manifest = [n for n in self._names if n == "capture.json" or n.endswith("/capture.json")]
        self._prefix = min(manifest, key=len)[: -len("capture.json")] if manifest else ""

    def read(self, name: str) -> bytes | None:
        if self._prefix + name not in self._names:
            return None
        try:
            with zipfile.ZipFile(self._path) as archive:
                return archive.read(self._prefix + name)
        # Encrypted: RuntimeError. A compression that this Python lacks: NotImplementedError, which is one too.
        except (OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise UnreadableCapture(f"{self._path}: {name} cannot be read ({error})") from error


class Capture:
    """A decoded capture. Times of all tables are CLOCK_MONOTONIC nanoseconds."""

    def __init__(self, path: Path, files: _Folder | _Zip, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._files = files
        self._tables: dict[str, pd.DataFrame | None] = {}

    def has(self, table: str) -> bool:
        """Whether the capture holds this table at all; an empty table counts."""
        return self._load(table) is not None

    def table(self, name: str) -> pd.DataFrame:
        """A table of traces/schema.json as a DataFrame, read once.

        Raises UnreadableCapture when the capture lacks it: ask `has` where that is legitimate.
        """
        frame = self._load(name)
        if frame is None:
            raise UnreadableCapture(f"{self.path}: no table {name}; run: poolscope-collect decode {self.path}")
        return frame

    def truth(self) -> dict[str, AnyArray] | None:
        """The workload's own clock readings (traces/README.md), or None."""
        raw = self._files.read("truth.npz")
        if raw is None:
            return None
        try:
            with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise UnreadableCapture(f"{self.path}: truth.npz cannot be read ({error})") from error

    @cached_property
    def window(self) -> tuple[int, int]:
        """First and last nanosecond that the runtime stream covers.

        Raises InsufficientEvidence without that stream: nothing can be said about work items then.
        """
        streams = self.table("streams")
        runtime = streams[streams["file"] == self.runtime_stream]
        if runtime.empty or int(runtime["end"].iloc[0]) < 0:
            raise InsufficientEvidence(
                f"{self.path}: no {RUNTIME_STREAM}, so nothing is known about its work items; capture again"
            )
        return int(runtime["start"].iloc[0]), int(runtime["end"].iloc[0])

    @cached_property
    def runtime_stream(self) -> str:
        """File of the stream that tells of work items."""
        return self._trace or RUNTIME_STREAM

    @cached_property
    def scheduler_stream(self) -> str:
        """File of the stream that tells of thread states."""
        return self._trace or SCHEDULER_STREAM

    @cached_property
    def _trace(self) -> str | None:
        streams = self.table("streams")
        files = streams["file"][streams["tier"].astype(str) == ETW]
        return None if files.empty else str(files.iloc[0])

    @cached_property
    def kernel_tier(self) -> str:
        """The best kernel stream that fed `thread_states`: tracepoint, etw, switch, schedstat, or none."""
        if not self.has("thread_states") or self.table("thread_states").empty:
            return "none"
        tiers = self.table("streams")["tier"].astype(str)
        return next((t for t in (*WHOLE_SYSTEM, "switch", "schedstat") if (tiers == t).any()), "none")

    @property
    def sees_other_processes(self) -> bool:
        """Whether `thread_states` has the threads of every process: not where --scope target left them out."""
        scopes = [s.get("scope") for s in self.manifest.get("streams", []) if s.get("file") == SCHEDULER_STREAM]
        return self.kernel_tier in WHOLE_SYSTEM and "target" not in scopes

    @property
    def poll_step_ns(self) -> int | None:
        """From one look at the threads to the next under tier schedstat; None under any other."""
        steps = [s.get("poll_step_ns") for s in self.manifest.get("streams", []) if s.get("file") == POLLED_STREAM]
        return int(steps[0]) if steps and steps[0] else None

    def _load(self, name: str) -> pd.DataFrame | None:
        if name not in self._tables:
            raw = self._files.read(f"tables/{name}.npz")
            schema = load_schema().tables[name]
            self._tables[name] = None if raw is None else self._checked(name, read_table(io.BytesIO(raw), schema))
        return self._tables[name]

    @property
    def _counts_more(self) -> bool:
        """Whether the runtime's counters may tell of items that no event does: of a process that ran before."""
        own = not self.manifest["target"].get("launched", True) and not self.manifest.get("pool")
        return own and self.has("pool_counters")

    def _checked(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        if name == "thread_states" and has_doubtful(table) and self.has("switches"):
            return without_impossible(table, self.table("switches"))
        if name == "work_items" and self._counts_more:
            return with_counted(table, self.table("pool_counters"), self.window)
        if name == "workers" and self.has("threads") and not self.manifest.get("pool"):
            return with_named(table, self.table("threads"), int(self.manifest["target"]["pid"]))
        return table


def open_capture(path: str | Path) -> Capture:
    """Opens a capture folder or a zip of one.

    Raises UnreadableCapture when there is no such path, no capture.json, no tables, or another format version.
    """
    path = Path(path)
    if not path.exists():
        raise UnreadableCapture(f"{path}: no such file or folder")
    try:
        files: _Folder | _Zip = _Folder(path) if path.is_dir() else _Zip(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise UnreadableCapture(f"{path}: neither a capture folder nor a zip of one ({error})") from error
    raw = files.read("capture.json")
    if raw is None:
        raise UnreadableCapture(f"{path}: no capture.json in it, so this is no capture")
    try:
        manifest = json.loads(raw)
        version = manifest["format"]
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableCapture(f"{path}: capture.json is damaged ({error})") from error
    known = load_schema().format
    if version != known:
        raise UnreadableCapture(f"{path}: capture format {version}, this poolscope reads {known}; decode it again")
    if lacking := [part for part in PARTS if not isinstance(manifest.get(part), dict)]:
        raise UnreadableCapture(f"{path}: capture.json is damaged (it lacks {', '.join(lacking)})")
    if files.read("tables/streams.npz") is None:
        raise UnreadableCapture(f"{path}: not decoded yet; run: poolscope-collect decode {path}")
    return Capture(path, files, manifest)
