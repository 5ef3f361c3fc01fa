"""PerfView's saved stacks (`.perfView.xml`, `.perfView.xml.zip`): the wait of every work item, by cause.

tests/export/perfview.xsd describes the format that PerfView's reader accepts. PerfView itself runs only on Windows and
was not run.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape

import numpy as np

from poolscope.base import units
from poolscope.base.arrays import IntArray
from poolscope.capture import DecodedCapture
from poolscope.capture.thread_names import thread_names
from poolscope.executions.items import Items
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from poolscope.export.formats import Source, Written
from poolscope.export.stacks import escaped, plain
from poolscope.flames.tree import IMAGES, CpuFrame
from poolscope.product.causes import CAUSE_WORDS, wait_by_cause
from poolscope.product.item_names import item_methods

QUEUERS = 3
"""The number of methods kept from the chain that queued an item: an item that requeues itself has an endless chain."""


@dataclass(frozen=True)
class ItemChains:
    """The method of each item, and the methods of the items that queued it."""

    methods: list[CpuFrame]
    """The methods, each listed once."""
    chain: IntArray
    """Indexes into `methods`, shape (items, QUEUERS + 1), with the item's own method last; -1 if unknown or absent.
    Only queuers that differ from the queued item are named."""

    @property
    def known(self) -> int:
        """The number of items whose own method is known."""
        return int((self.chain[:, -1] >= 0).sum())


def item_chains(capture: DecodedCapture, items: Items) -> ItemChains:
    """Returns the chain of methods for each row of `items`."""
    methods, of_execution = item_methods(capture, Executions.of(items, find_carried(capture, items)))
    own = of_execution[: items.count]
    parent = _parents(capture, items)
    chain = np.full((items.count, QUEUERS + 1), -1, dtype=np.int64)
    chain[:, -1] = own
    told, ancestor = own, parent
    for level in range(QUEUERS - 1, -1, -1):
        method = np.where(ancestor >= 0, own[ancestor], -1)
        new = (method >= 0) & (method != told)
        chain[new, level] = method[new]
        told = np.where(new, method, told)
        ancestor = np.where(ancestor >= 0, parent[ancestor], -1)
    return ItemChains(methods, chain)


def _parents(capture: DecodedCapture, items: Items) -> IntArray:
    """Returns the item that queued each item, as an index into Items; -1 if none, or if a waiting thread ran that item,
    which is then not in Items."""
    if items.count == 0:
        return np.zeros(0, dtype=np.int64)
    rows = capture.table("work_items")["parent"].to_numpy()[items.row]
    at = np.minimum(np.searchsorted(items.row, rows), items.count - 1)
    return np.where((rows >= 0) & (items.row[at] == rows), at, -1)


LEAVES = {
    "injection": "INJECTION_DELAY",
    "blocking": "BLOCKED",
    "core": "CORE_CONTENTION",
    "runtime": "RUNTIME",
    "unknown": "QUEUE_WAIT",
}
"""Frame names of the causes, in capitals and without a module, as PerfView writes frames that are no methods."""
QUEUES = "QUEUES_WORK_ITEM"
NO_METHOD = "METHOD_NOT_KNOWN"
RESERVED = ("ROOT", "BROKEN", "?!?", "OVERHEAD")
"""Frames that PerfView's reader does not look up by name. Their numbers, from 0 on, have special meanings in its call
trees (TraceEvent's StackSourceFrameIndex). The file lists them, but no stack uses them."""
SUFFIXES = (".perfview.xml", ".perfview.xml.zip")
"""The suffixes by which PerfView recognises the format, in any case."""
NS_PER_MS, NS_PER_US = int(units.NS_PER_MS), int(units.NS_PER_US)
PART = 200_000
"""The number of samples turned into text at a time."""
MANY = 10_000_000
"""The number of samples from which the XML may exceed 2 GB, the limit of a zip without 64-bit extensions."""


def write(source: Source, output: Path, view: str | None) -> Written:
    """Writes zipped XML, or plain XML if `output` does not end in `.zip`."""
    capture, items = source.capture, source.attribution.items
    chains = item_chains(capture, items)
    stacks = _Stacks()
    samples = _samples(source, chains, stacks)
    notes = [_told(chains.known, items.count)] if items.count else []
    if source.attribution.split is None:
        notes.append("Without a kernel stream the wait is not split by cause: every sample is QUEUE_WAIT.")
    text = _document(stacks, samples, notes)
    if output.name.endswith(".zip"):
        # A fixed date, so that the same capture gives the same bytes.
        entry = zipfile.ZipInfo(f"{plain(capture.path.name).removesuffix('.zip')}.perfView.xml")
        entry.compress_type = zipfile.ZIP_DEFLATED
        large = len(samples.time) > MANY
        with zipfile.ZipFile(output, "w") as archive, archive.open(entry, "w", force_zip64=large) as file:
            _write(file, text)
    else:
        with output.open("wb") as file:
            _write(file, text)
    if not output.name.lower().endswith(SUFFIXES):
        notes.append("PerfView opens only files named *.perfView.xml or *.perfView.xml.zip.")
    waited = int((items.wait > 0).sum())
    return Written({"items": waited, "samples": len(samples.time), "stacks": len(stacks.frame)}, notes)


def _told(known: int, items: int) -> str:
    return f"{known:,} of {items:,} work items have a method name; the others are under {NO_METHOD}."


@dataclass
class _Stacks:
    """Frames and stacks in PerfView's form: each stack is a frame and the stack of its caller."""

    names: list[str] = field(default_factory=list)
    caller: list[int] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)
    _frames: dict[str, int] = field(default_factory=dict)

    def frame_id(self, name: str) -> int:
        if name not in self._frames:
            self._frames[name] = len(self.names)
            self.names.append(name)
        return self._frames[name]

    def below(self, caller: IntArray, frame: IntArray) -> IntArray:
        """Puts each frame below its caller (a stack, -1 if none). Without a frame (-1), returns the caller itself."""
        found = caller.copy()
        called = np.flatnonzero(frame >= 0)
        size = len(self.names)
        keys, which = np.unique((caller[called] + 1) * size + frame[called], return_inverse=True)
        found[called] = len(self.caller) + which
        self.caller += (keys // size - 1).tolist()
        self.frame += (keys % size).tolist()
        return found


@dataclass(frozen=True)
class _Samples:
    """Samples in order of time: arrays of equal length, ns from the start of the window."""

    time: IntArray
    stack: IntArray
    metric: IntArray


def _samples(source: Source, chains: ItemChains, stacks: _Stacks) -> _Samples:
    """Returns a sample for each part of each wait.

    The parts are amounts, not intervals. They are laid end to end from the enqueue on, in the order of the ladder, so
    that together they cover the wait.
    """
    items = source.attribution.items
    process = np.full(items.count, stacks.frame_id(_process(source)), dtype=np.int64)
    at = stacks.below(np.full(items.count, -1, dtype=np.int64), process)
    at = stacks.below(at, _threads(source, stacks))
    numbers = np.array([stacks.frame_id(_method(m)) for m in chains.methods] + [-1], dtype=np.int64)
    queues, nameless = stacks.frame_id(QUEUES), stacks.frame_id(NO_METHOD)
    for level in chains.chain.T[:-1]:
        at = stacks.below(at, numbers[level])
        at = stacks.below(at, np.where(level >= 0, queues, -1))
    own = chains.chain[:, -1]
    at = stacks.below(at, np.where(own >= 0, numbers[own], nameless))
    time, stack, metric = [], [], []
    start = items.enqueue.copy()
    for cause, part in wait_by_cause(source.attribution).items():
        some = np.flatnonzero(part > 0)
        leaf = np.full(len(some), stacks.frame_id(LEAVES[cause]), dtype=np.int64)
        time.append(start[some])
        stack.append(stacks.below(at[some], leaf))
        metric.append(part[some])
        start = start + part
    times = np.concatenate(time)
    order = np.argsort(times, kind="stable")
    return _Samples(times[order], np.concatenate(stack)[order], np.concatenate(metric)[order])


def _process(source: Source) -> str:
    target = source.capture.manifest["target"]
    bits = 32 if source.capture.manifest.get("host", {}).get("architecture") in ("x86", "arm") else 64
    return f"Process{bits} {_label(str(target['name']))} ({int(target['pid'])})"


def _threads(source: Source, stacks: _Stacks) -> IntArray:
    """Returns, for each item, the frame of the thread that ran it."""
    items = source.attribution.items
    tids, which = np.unique(np.where(items.started, items.worker, -1), return_inverse=True)
    names = thread_names(source.capture, tids.tolist())
    frames = [stacks.frame_id(_thread(tid, names.get(tid))) for tid in tids.tolist()]
    return np.array(frames, dtype=np.int64)[which]


def _thread(tid: int, name: str | None) -> str:
    if tid < 0:
        return "Thread (never started)"
    return f"Thread ({tid}) {_label(name)}" if name else f"Thread ({tid})"


def _label(name: str) -> str:
    """Returns a name for a frame that is no method. PerfView reads the text before the first `!` as a module and strips
    its path."""
    return plain(name).replace("!", escaped("!"))


def _method(frame: CpuFrame) -> str:
    """Names a method as PerfView does: the module without its extension, then the method."""
    return f"{_module(frame.module) if frame.module else '?'}!{plain(frame.method or '?')}"


def _module(name: str) -> str:
    ending = next((image for image in IMAGES if name.lower().endswith(image)), "")
    # PerfView strips anything that looks like a path, so escapes and separators must not contain a slash.
    return plain(name[: len(name) - len(ending)]).translate(
        {ord(c): f"%u{ord(c):04x}" for c in "!/"} | {ord("\\"): "%"}
    )


def _document(stacks: _Stacks, samples: _Samples, notes: list[str]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n<StackWindow>\n<StackSource>\n'
    used = {frame: number for number, frame in enumerate(sorted(set(stacks.frame)), len(RESERVED))}
    names = [*RESERVED, *(stacks.names[frame] for frame in used)]
    yield f'<Frames Count="{len(names)}">\n'
    yield "".join(f'<Frame ID="{i}">{escape(name)}</Frame>\n' for i, name in enumerate(names))
    yield f'</Frames>\n<Stacks Count="{len(stacks.frame)}">\n'
    pairs = zip(stacks.caller, [used[frame] for frame in stacks.frame], strict=True)
    yield "".join(
        f'<Stack ID="{i}" CallerID="{caller}" FrameID="{frame}"/>\n' for i, (caller, frame) in enumerate(pairs)
    )
    yield f'</Stacks>\n<Samples Count="{len(samples.time)}">\n'
    for begin in range(0, len(samples.time), PART):
        yield _lines(samples, begin, begin + PART)
    causes = ", ".join(f"{LEAVES[cause]} is {words}" for cause, words in CAUSE_WORDS.items())
    said = ["The wait of thread-pool work items from enqueue to dequeue in ms, by cause.", f"{causes}.", *notes]
    yield f"</Samples>\n</StackSource>\n<Notes>{escape(' '.join(said))}</Notes>\n</StackWindow>\n"


def _lines(samples: _Samples, begin: int, end: int) -> str:
    """Returns samples as XML. Times are to the microsecond, as PerfView writes them; metrics are to the nanosecond, so
    that sums are exact."""
    micro = (samples.time[begin:end] + NS_PER_US // 2) // NS_PER_US
    metric = samples.metric[begin:end]
    columns = (*np.divmod(micro, 1000), samples.stack[begin:end], *np.divmod(metric, NS_PER_MS))
    rows = enumerate(zip(*(column.tolist() for column in columns), strict=True), begin)
    return "".join(
        [
            f'<Sample ID="{i}" Time="{ms}.{us:03}" StackID="{stack}" Metric="{whole}.{rest:06}"/>\n'
            for i, (ms, us, stack, whole, rest) in rows
        ]
    )


def _write(file: IO[bytes], text: Iterator[str]) -> None:
    for part in text:
        file.write(part.encode("utf-8"))
