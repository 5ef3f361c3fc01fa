"""The functions of analysis/native/module.cpp.

Arrays are contiguous; those named `found` and the ones after it are written. Each function runs without the
interpreter's lock. Raises TypeError for an array of another type, ValueError if lengths do not match.
"""

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.loop.given import Given

Int32Array = npt.NDArray[np.int32]
Int8Array = npt.NDArray[np.int8]
Bytes = tuple[bytearray, bytearray, bytearray, bytearray, bytearray, int, bytearray, bytearray, bytearray, int, float]

def float_ranks(rows: FloatArray, asked: FloatArray, right: bool, found: IntArray, /) -> None: ...
def integer_ranks(rows: IntArray, asked: IntArray, right: bool, found: IntArray, /) -> None: ...
def values(time: FloatArray, value: FloatArray, asked: FloatArray, found: FloatArray, /) -> None: ...
def area_marks(time: FloatArray, value: FloatArray, found: FloatArray, /) -> None: ...
def areas(time: FloatArray, value: FloatArray, marks: FloatArray, asked: FloatArray, found: FloatArray, /) -> None: ...
def latest(
    of: IntArray, time: IntArray, group: IntArray, asked: IntArray, found_row: IntArray, found: BoolArray, /
) -> bool: ...
def latest_of(
    time: IntArray,
    first: IntArray,
    count: IntArray,
    next: IntArray,
    of: IntArray,
    asked: IntArray,
    found: IntArray,
    /,
) -> None: ...
def cut(
    begin: IntArray,
    end: IntArray,
    first: IntArray,
    count: IntArray,
    next: IntArray,
    of: IntArray,
    start: IntArray,
    stop: IntArray,
    found_item: IntArray | None,
    found_row: IntArray | None,
    found_start: IntArray | None,
    found_end: IntArray | None,
    /,
) -> int: ...
def told(time: IntArray, of: Int32Array, asked: IntArray, tid: Int32Array, ties: int, found: BoolArray, /) -> None: ...
def counted(first: FloatArray, second: FloatArray, found_axis: FloatArray, found: FloatArray, /) -> int: ...
def combined(
    first: FloatArray,
    value: FloatArray,
    second: FloatArray,
    other: FloatArray,
    found_axis: FloatArray,
    found_first: FloatArray,
    found_second: FloatArray,
    /,
) -> int: ...
def programs(
    group: IntArray,
    start: IntArray,
    until: IntArray,
    does: Int8Array,
    of: IntArray,
    time: IntArray,
    kind: Int8Array,
    value: FloatArray,
    target: IntArray,
    stretch: int,
    found_op: Int8Array | None,
    found_value: FloatArray | None,
    found_target: Int32Array | None,
    found_begin: IntArray | None,
    /,
) -> int: ...
def time_in_cells(
    item: IntArray,
    start: IntArray,
    end: IntArray,
    state: Int8Array,
    lane: Int8Array,
    lanes: int,
    bins: int,
    length: int,
    found: FloatArray,
    /,
) -> None: ...
def most_in_cells(
    start: IntArray,
    end: IntArray,
    lane: Int8Array,
    lanes: int,
    bins: int,
    length: int,
    found_longest: FloatArray,
    found: IntArray,
    /,
) -> None: ...
def states_in_bins(
    first: IntArray,
    start: IntArray,
    end: IntArray,
    state: Int8Array,
    opened: int,
    closed: int,
    within: int,
    lane: Int8Array,
    edges: FloatArray,
    found: IntArray,
    found_before: FloatArray,
    found_after: FloatArray,
    /,
) -> int: ...
def integral_in_state(
    first: IntArray,
    start: IntArray,
    end: IntArray,
    state: Int8Array,
    opened: int,
    closed: int,
    within: int,
    piece: int,
    time: FloatArray,
    value: FloatArray,
    marks: FloatArray,
    found: FloatArray,
    /,
) -> None: ...
def joined_states(
    first: IntArray,
    start: IntArray,
    end: IntArray,
    state: Int8Array,
    opened: int,
    closed: int,
    outside: int,
    within: int,
    number: IntArray,
    found_thread: IntArray | None,
    found_begin: IntArray | None,
    found_end: IntArray | None,
    found_time: FloatArray | None,
    /,
) -> int: ...
def time_in_bins(
    begin: IntArray,
    end: IntArray,
    group: IntArray,
    weight: FloatArray,
    chosen: BoolArray,
    width: int,
    piece: int,
    found: FloatArray,
    found_opened: FloatArray,
    /,
) -> int: ...
def time_by_limit(
    queued_time: FloatArray,
    queued: FloatArray,
    busy_time: FloatArray,
    busy: FloatArray,
    goal_time: FloatArray,
    goal: FloatArray,
    maximum_time: FloatArray,
    maximum: FloatArray,
    suspended_time: FloatArray,
    suspended: FloatArray,
    on_core_time: FloatArray,
    on_core: FloatArray,
    cores_time: FloatArray,
    cores: FloatArray,
    ready_time: FloatArray,
    ready: FloatArray,
    edges: FloatArray,
    moves: FloatArray,
    quiet: int,
    found: FloatArray,
    /,
) -> None: ...
def replay(given: Given, /) -> Bytes:
    """Runs a world. Returns the fields of a Happened, arrays as bytes."""

def climb(knobs: HillClimbingKnobs, seed: int, calls: FloatArray, told: FloatArray, /) -> None:
    """Feeds hill climbing with the calls of a table, for tests (tests/replay/climbing.py names the columns)."""
