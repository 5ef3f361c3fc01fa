"""The pool as a whole: counters, changes of the goal, the waits of its threads, and times in which nothing could
run."""

from __future__ import annotations

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import AnyArray, IntArray
from poolscope.blame.evidence import name_stretches
from poolscope.blame.stacks import StackNames, stack_names
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import load_schema
from poolscope.executions.segments import BLOCKED, READY, Executions
from poolscope.export.perfetto.stream import BEGINS, COUNTS, ENDS, INSTANTS, Encoder, Events, Value, count, end
from poolscope.export.perfetto.tracks import Tracks, lanes as lane_of
from poolscope.html.escape import visible
from poolscope.naming.choice import KIND_WORDS, kind_of, user_method
from poolscope.product.timeline import REASONS, worker_threads

WAITING = "waiting for a core"
SUSPENDED = "blocked: runtime suspended"
BLOCKED_SOMEWHERE = "blocked"
MOSTLY = 0.5
"""The share of a blocked stretch that must lie in a suspension for the stretch to be named after it."""


def segment_names(
    capture: DecodedCapture, attribution: Attribution, executions: Executions
) -> tuple[list[str], IntArray]:
    """Returns names, and for each segment the index of its name; -1 for a running segment, which has no slice."""
    segments = attribution.segments
    names: dict[str, int] = {WAITING: 0, SUSPENDED: 1, BLOCKED_SOMEWHERE: 2}
    code = np.where(segments.state == BLOCKED, 2, np.where(segments.state == READY, 0, -1))
    blocked = np.flatnonzero(segments.state == BLOCKED)
    if len(blocked) == 0:
        return list(names), code
    suspended = attribution.by_suspension[blocked]
    duration = segments.duration[blocked]
    if capture.has("stacks", "frames", "waits"):
        tid = executions.worker[segments.item[blocked]]
        told = name_stretches(capture, tid, segments.start[blocked], segments.end[blocked], duration, suspended)
        paths = stack_names(capture, attribution)
        pairs, which = np.unique(np.stack([told.stack, told.lock]), axis=1, return_inverse=True)
        called = [_blocked_name(paths, stack, bool(lock)) for stack, lock in pairs.T.tolist()]
        codes = np.array([names.setdefault(name, len(names)) for name in called], dtype=np.int64)
        code[blocked] = codes[which.ravel()]
    code[blocked[suspended > MOSTLY * duration]] = 1
    return list(names), code


def _blocked_name(paths: StackNames, stack: int, lock: bool) -> str:
    path = paths.path(stack) if stack >= 0 else []
    kind = kind_of(path, lock)
    method = user_method(path)
    words = BLOCKED_SOMEWHERE if kind == "unknown" else f"blocked: {KIND_WORDS[kind]}"
    return words if method is None else f"{words} in {method}"


SUSPENSION_REASONS = {
    0: "other, such as a stack snapshot",
    1: "garbage collection",
    5: "debugger",
    6: "preparing a garbage collection",
}
"""`suspensions.reason` in words (the runtime's GCSuspendEEBegin event). Other reasons are shown as numbers."""


def counters(capture: DecodedCapture, attribution: Attribution, tracks: Tracks) -> list[Events]:
    """Returns every change of the queue's length, the number of worker threads, and the goal."""
    base = capture.window[0]
    pool = attribution.pool
    series = {"queue length": pool.queued, "worker threads": worker_threads(capture), "thread goal": pool.goal}
    return [
        _counter(
            np.rint(steps.time).astype(np.int64) + base, np.rint(steps.value).astype(np.int64), tracks.counter(name)
        )
        for name, steps in series.items()
    ]


def _counter(time: IntArray, value: IntArray, track: int) -> Events:
    made: dict[int, bytes] = {}

    def encode(rows: IntArray) -> list[bytes]:
        encoded = []
        for number in value[rows].tolist():
            if number not in made:
                made[number] = count(track, number)
            encoded.append(made[number])
        return encoded

    return Events(time, COUNTS, encode)


def states(
    capture: DecodedCapture, attribution: Attribution, executions: Executions, tracks: Tracks, encoder: Encoder
) -> list[Events]:
    """Returns the slices of blocked time and of waits for a core inside items.

    They are on a track below the worker's own, because times from the kernel and from the runtime may overlap partly.
    """
    segments = attribution.segments
    names, code = segment_names(capture, attribution, executions)
    rows = np.flatnonzero(code >= 0)
    worker = executions.worker[segments.item[rows]]
    workers, which = np.unique(worker, return_inverse=True)
    track = [tracks.of_thread(tid, "blocked or waiting for a core") for tid in workers.tolist()]
    ids = encoder.names([visible(name) for name in names])
    category = encoder.category("thread state")
    kind = which * len(names) + code[rows]
    made: dict[int, bytes] = {}

    def begin(chosen: IntArray) -> list[bytes]:
        encoded = []
        for number in kind[chosen].tolist():
            if number not in made:
                where, name = divmod(number, len(names))
                made[number] = encoder.begin(track[where], ids[name], category, [])
            encoded.append(made[number])
        return encoded

    ends = [end(t) for t in track]
    base = capture.window[0]
    return [
        Events(segments.start[rows] + base, BEGINS, begin),
        Events(segments.end[rows] + base, ENDS, lambda chosen: [ends[i] for i in which[chosen].tolist()]),
    ]


def changes(capture: DecodedCapture, tracks: Tracks, encoder: Encoder) -> Events:
    """Returns every change of the goal, with the reason in words."""
    table = capture.table("pool_changes")
    reasons = load_schema().tables["pool_changes"].column("reason").values
    track = tracks.of_process("changes of the thread goal")
    names = encoder.names([REASONS[reason] for reason in reasons])
    goal, reason, rate = encoder.keys("goal", "reason", "throughput_items_per_s")
    category = encoder.category("pool")
    rows = list(zip(table["goal"].tolist(), table["reason"].tolist(), table["throughput"].tolist()))

    def encode(chosen: IntArray) -> list[bytes]:
        encoded = []
        for i in chosen.tolist():
            threads, why, throughput = rows[i]
            given = [encoder.argument(goal, threads), encoder.argument(reason, reasons[why])]
            if throughput == throughput:
                given.append(encoder.argument(rate, float(throughput)))
            encoded.append(encoder.instant(track, names[why], category, given))
        return encoded

    return Events(table["time"].to_numpy(), INSTANTS, encode)


def suspensions(capture: DecodedCapture, tracks: Tracks, encoder: Encoder) -> list[Events]:
    if not capture.has("suspensions"):
        return []
    table = capture.table("suspensions")
    called = [f"suspended: {SUSPENSION_REASONS.get(reason, f'reason {reason}')}" for reason in table["reason"].tolist()]
    return _intervals(
        table["start"].to_numpy(), table["end"].to_numpy(), called, [], "runtime suspended", tracks, encoder
    )


def throttles(capture: DecodedCapture, tracks: Tracks, encoder: Encoder) -> list[Events]:
    """Returns slices for the intervals between readings in which the cgroup's CPU quota stopped threads of the
    target."""
    if not capture.has("throttles"):
        return []
    table = capture.table("throttles")
    given: list[dict[str, Value]] = [{"throttled_ns": ns} for ns in table["throttled"].tolist()]
    start, stop = table["start"].to_numpy(), table["end"].to_numpy()
    return _intervals(start, stop, ["CPU quota used up"] * len(table), given, "CPU quota", tracks, encoder)


def losses(capture: DecodedCapture, tracks: Tracks, encoder: Encoder) -> list[Events]:
    """Returns the gaps in the evidence. A gap without a known time covers the whole capture."""
    if not capture.has("losses"):
        return []
    table = capture.table("losses")
    kinds = load_schema().tables["losses"].column("what").values
    first, last = capture.window
    start = np.where(table["start"].to_numpy() < 0, first, table["start"].to_numpy())
    stop = np.where(table["end"].to_numpy() < 0, np.maximum(last, start), table["end"].to_numpy())
    called = [f"lost: {kinds[what]}" for what in table["what"].tolist()]
    given: list[dict[str, Value]] = [
        {"stream": visible(str(stream))} | ({"events": events} if events >= 0 else {})
        for stream, events in zip(table["stream"], table["count"].tolist())
    ]
    return _intervals(start, np.maximum(stop, start), called, given, "gaps in the evidence", tracks, encoder)


def _intervals(
    start: AnyArray,
    stop: AnyArray,
    called: list[str],
    arguments: list[dict[str, Value]],
    name: str,
    tracks: Tracks,
    encoder: Encoder,
) -> list[Events]:
    """Draws slices on as many tracks of one name as overlap, because slices on one track must nest. A stop of -1 means
    that no end was recorded."""
    if len(start) == 0:
        return []
    of_lane = lane_of(start, stop)
    lanes = [tracks.of_process(name) for _ in range(int(of_lane.max()) + 1)]
    names = encoder.names(called)
    keys = {key: encoder.keys(key)[0] for given in arguments for key in given}
    category = encoder.category("pool")

    def begin(rows: IntArray) -> list[bytes]:
        encoded = []
        for i in rows.tolist():
            given = arguments[i] if arguments else {}
            written = [encoder.argument(keys[key], value) for key, value in given.items()]
            encoded.append(encoder.begin(lanes[of_lane[i]], names[i], category, written))
        return encoded

    order = np.argsort(np.argsort(start, kind="stable")) * 2
    sources = [Events(start, BEGINS, begin, order)]
    for empty in (False, True):
        which = np.flatnonzero((stop >= 0) & ((stop <= start) == empty))

        def finish(rows: IntArray, which: IntArray = which) -> list[bytes]:
            return [end(lanes[of_lane[i]]) for i in which[rows].tolist()]

        sources.append(Events((start if empty else stop)[which], BEGINS if empty else ENDS, finish, order[which] + 1))
    return sources
