"""One capture: its manifest, its tables, which are read on demand, and the recording window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.errors import InsufficientEvidence, UnreadableCapture
from poolscope.base.stages import Results
from poolscope.base.units import NS_PER_S
from poolscope.capture import refusals
from poolscope.capture.checks import Surroundings, check_streams, check_table
from poolscope.capture.corrected import doubtful_rows, with_counted, with_named, without_impossible
from poolscope.capture.manifest import LATEST_NS, read_manifest
from poolscope.capture.npz import read_arrays, read_table
from poolscope.capture.part import NOBODY, Part, RunningBefore
from poolscope.capture.schema import load_schema
from poolscope.capture.storage import DAMAGED, MANIFEST, Archive, Folder
from poolscope.contract.manifest_json import ManifestJson
from poolscope.contract.tables import TableName

RUNTIME_STREAM = "runtime.nettrace"
SCHEDULER_STREAM = "sched.perf.data"
ETW = "etw"
"""The tier of a Windows trace, which holds runtime and kernel in one file."""
WHOLE_SYSTEM = ("tracepoint", ETW)
"""Kernel tiers that see every process."""
POLLED_STREAM = "schedstat.bin"
SLACK_NS = int(5 * NS_PER_S)
"""The most that a time may lie outside all streams and phases: threads end while the collector closes its files."""
TRUTH: dict[str, np.dtype[Any]] = {
    **dict.fromkeys(("id", "enqueue_ns", "start_ns", "end_ns"), np.dtype("<i8")),
    **dict.fromkeys(("enqueue_tid", "start_tid", "end_tid"), np.dtype("<i4")),
}
"""Arrays of truth.npz."""


class Files(Protocol):
    """The place of a capture's files: a folder, a zip, or memory."""

    def read(self, name: str) -> bytes | None:
        """Returns the whole file by its path inside the capture; None if it does not exist. Raises
        UnreadableCapture."""

    def opened(self, name: str) -> AbstractContextManager[BinaryIO | None]:
        """Returns the same file, open for reading in pieces."""


class DecodedCapture:
    """A decoded capture. Times of all tables are CLOCK_MONOTONIC nanoseconds."""

    part: Part | None = None
    """The part of the recording that this is; None: all of it."""

    def __init__(self, path: Path, files: Files, manifest: ManifestJson) -> None:
        self.kept = Results()
        self.path = path
        self.manifest = manifest
        self._files = files
        self._stored, self._tables, self._forgotten = Results(), Results(), set[str]()

    def has(self, *tables: TableName) -> bool:
        """Returns whether the capture holds all of these tables; an empty table counts."""
        return all(table in self._forgotten or self._load(table) is not None for table in tables)

    def table(self, name: TableName) -> pd.DataFrame:
        """Returns a table of traces/schema.json as a DataFrame, read once.

        Raises UnreadableCapture if the capture lacks it. Call `has` first if that is legitimate.
        """
        frame = self._load(name)
        if frame is None:
            raise UnreadableCapture(f"{self.path}: no table {name}; {refusals.decode(self.path)}")
        return frame

    def truth(self) -> dict[str, AnyArray] | None:
        """Returns the workload's own clock readings (traces/README.md), or None."""
        raw = self._files.read("truth.npz")
        if raw is None:
            return None
        try:
            truth = read_arrays(raw, TRUTH)
            if len({len(values) for values in truth.values()}) > 1:
                raise ValueError("its arrays are not of one length")
            return truth
        except DAMAGED as error:
            raise UnreadableCapture(f"{self.path}: truth.npz cannot be read ({error})") from error

    @cached_property
    def window(self) -> tuple[int, int]:
        """The first and the last nanosecond that the runtime stream covers.

        Raises InsufficientEvidence without that stream: the capture then shows nothing about work items.
        """
        streams = self.table("streams")
        runtime = streams[streams["file"] == self.runtime_stream]
        if runtime.empty or int(runtime["end"].iloc[0]) < 0:
            raise InsufficientEvidence(f"{self.path}: no {RUNTIME_STREAM}, so it has no work items; record again")
        return int(runtime["start"].iloc[0]), int(runtime["end"].iloc[0])

    def within_window(self, time: IntArray) -> IntArray:
        """Clips times of the tables to the window, and returns them relative to its start. Works in place: they may be
        as many as the states of all threads."""
        start, stop = self.window
        np.clip(time, start, stop, out=time)
        time -= start
        return time

    @property
    def rows(self) -> int:
        """The number of rows of all tables, from the manifest; 0 if the manifest does not say."""
        return sum((self.manifest.get("tables") or {}).values())

    @cached_property
    def running_before(self) -> RunningBefore:
        """The workers that were inside an item when the part began; none if this is the whole recording."""
        return NOBODY

    @cached_property
    def runtime_stream(self) -> str:
        """The file of the stream with work items."""
        return self._trace or RUNTIME_STREAM

    @cached_property
    def scheduler_stream(self) -> str:
        """The file of the stream with thread states."""
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
        """Whether `thread_states` has the threads of every process. False if --scope target left them out."""
        scopes = [s.get("scope") for s in self.manifest.get("streams", []) if s.get("file") == SCHEDULER_STREAM]
        return self.kernel_tier in WHOLE_SYSTEM and "target" not in scopes

    @property
    def poll_step_ns(self) -> int | None:
        """The time from one poll of the threads to the next in tier schedstat; None in any other tier."""
        steps = [s.get("poll_step_ns") for s in self.manifest.get("streams", []) if s.get("file") == POLLED_STREAM]
        return int(steps[0]) if steps and steps[0] else None

    def _load(self, name: str) -> pd.DataFrame | None:
        def load() -> pd.DataFrame | None:
            stored = self.stored(name)
            return None if stored is None else self._completed(name, stored)

        return self._tables.of(name, load)

    def stored(self, name: str) -> pd.DataFrame | None:
        """Returns a table as the decoder wrote it, checked against the schema; None if the capture lacks it.

        Raises UnreadableCapture if it is damaged.
        """

        def read() -> pd.DataFrame | None:
            table, rows = self._read(name)
            if table is not None:
                self._check(name, table)
            self._hold_to_count(name, rows)
            return table

        return self._stored.of(name, read)

    def forget(self, *tables: TableName) -> None:
        """Frees tables that later stages hardly read. The next caller of `table` reads one again."""
        read = self._tables.known
        self._forgotten |= {name for name in tables if read.get(name) is not None}
        for name in tables:
            self._tables.drop(name)
            self._stored.drop(name)

    def forget_stored(self, table: TableName) -> None:
        """Frees a table as stored. A completed copy (`table`) stays."""
        self._stored.drop(table)

    def opened(self, table: str) -> AbstractContextManager[BinaryIO | None]:
        """Opens the file of a table for reading in pieces; None if the capture lacks it."""
        return self._files.opened(f"tables/{table}.npz")

    def _read(self, name: str) -> tuple[pd.DataFrame | None, int | None]:
        """Returns a table as stored, and the number of rows in its file; None if the capture lacks it."""
        with self.opened(name) as file:
            table = None if file is None else read_table(file, load_schema().tables[name])
        return table, None if table is None else len(table)

    def _check(self, name: str, table: pd.DataFrame) -> None:
        check_table(load_schema().tables[name], table, self._around_streams if name == "streams" else self._around)
        if name == "streams":
            check_streams(table, self.manifest)

    def _hold_to_count(self, name: str, rows: int | None) -> None:
        """Compares a table's rows with the count in capture.json, because no other table would show that rows were
        lost. `rows` is the count of its file; None if it has no file."""
        told = (self.manifest.get("tables") or {}).get(name)
        if told is None or rows == told:
            return
        has = "is missing" if rows is None else f"has {rows:,} rows"
        raise UnreadableCapture(f"table {name} {has}, but capture.json says {told:,}. Run: poolscope decode CAPTURE")

    def share(self, other: DecodedCapture, without: str) -> None:
        """Reuses the tables that another capture has read. The two may differ only in the table `without`."""
        known, schema = other._stored.known, load_schema()
        apart = {name for name, table in schema.tables.items() if name == without or without in table.refers_to}
        self._stored = Results({name: known[name] for name in known if name not in apart})

    @cached_property
    def _around(self) -> Surroundings:
        """The limits of every table except `streams`."""
        streams = self.table("streams")
        ends = [int(time) for name in ("start", "end") for time in streams[name] if time >= 0]
        times = [*ends, *self._told_times()]
        lossy = bool((streams["lost"] > 0).any() or (streams["cut"] > 0).any())
        latest = max(times, default=LATEST_NS) + SLACK_NS
        return Surroundings(min(times, default=0) - SLACK_NS, latest, self._rows, lossy)

    @property
    def _around_streams(self) -> Surroundings:
        """The limits of `streams`; any time is allowed if the manifest has no end of a stream."""
        times = list(self._told_times())
        told = any(stream.get("end_ns") for stream in self.manifest.get("streams", []))
        latest = max(times) + SLACK_NS if told else LATEST_NS
        return Surroundings(min(times, default=0) - SLACK_NS, latest, self._rows)

    def _told_times(self) -> Iterator[int]:
        """Yields the times in the manifest."""
        yield self.manifest["clock"]["start_ns"]
        told: list[int | None] = []
        for phase in self.manifest.get("phases", []):
            told += (phase["start_ns"], phase["end_ns"])
        for stream in self.manifest.get("streams", []):
            told += (stream.get("start_ns"), stream.get("end_ns"))
        yield from (time for time in told if time is not None and time >= 0)

    def _rows(self, name: str) -> int:
        table = self.stored(name)
        return 0 if table is None else len(table)

    @property
    def counts_more(self) -> bool:
        """Whether the runtime's counters may count items that no event shows: in a process that ran before the
        recording. Other tools may have recorded the counters without the items, or only some of the items."""
        attached = not self.manifest["target"].get("launched", True) and not self.manifest.get("pool")
        return attached and not self.manifest.get("made_from") and self.has("pool_counters")

    def _completed(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        """Returns the table with the facts that other tables add to it."""
        if name == "thread_states" and len(rows := doubtful_rows(table)) and self.has("switches"):
            return without_impossible(table, rows, self.table("switches"))
        if name == "work_items" and self.counts_more:
            return with_counted(table, self.table("pool_counters"), self.window)
        if name == "workers" and self.has("threads") and not self.manifest.get("pool"):
            return with_named(table, self.table("threads"), int(self.manifest["target"]["pid"]))
        return table


def open_capture(path: str | Path) -> DecodedCapture:
    """Opens a capture folder or a zip of one.

    Raises UnreadableCapture if the path does not exist, or has no capture.json, no tables, or another format version;
    if it holds a link or anything else that is no regular file; and if a zip holds several captures or inflates too
    much. If possible, the message says what the path is instead, and which command takes it.
    """
    path = Path(path)
    try:
        if not path.exists():
            raise refusals.missing(path)
    except OSError as error:
        raise UnreadableCapture(f"{path}: cannot be read ({error.strerror or error})") from error
    if path.is_file() and (refused := refusals.other_file(path)):
        raise refused
    files: Folder | Archive = Folder(path) if path.is_dir() else Archive(path)
    raw = files.read(MANIFEST)
    if raw is None:
        raise refusals.no_capture(path)
    manifest = read_manifest(raw, path)
    if isinstance(files, Folder):
        files.refuse_links()
    if files.read("tables/streams.npz") is None:
        raise refusals.not_decoded(path)
    return DecodedCapture(path, files, manifest)
