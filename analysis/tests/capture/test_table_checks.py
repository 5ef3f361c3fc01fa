"""A damaged table is refused with its name, column and row; real captures have no damage."""

from pathlib import Path

import numpy as np
import pytest
from fuzz.memory import Original, archive_of
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import load_schema

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"


@pytest.fixture(scope="module")
def healthy():
    return Original(GOLDEN / "healthy.zip")


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.zip")))
def test_a_real_capture_passes(name):
    original = Original(GOLDEN / f"{name}.zip")
    assert set(original.tables) <= set(load_schema().tables)


def refused(original, table, arrays, says):
    with pytest.raises(UnreadableCapture, match=f"table {table}, column .*{says}"):
        original.with_table(table, archive_of(arrays)).stored(table)


@pytest.mark.parametrize(
    ("table", "column", "row", "value", "says"),
    [
        ("work_items", "id", 3, 4, "row 3: 4 is not the number"),
        ("work_items", "enqueue", 5, 1 << 62, "row 5: .* after the end"),
        ("work_items", "enqueue", 5, 1, "row 5: 1 is before the start"),
        ("work_items", "dequeue", 5, -2, "row 5: -2 is below"),
        ("work_items", "parent", 7, 100_000, "row 7: 100000 is no row"),
        ("work_items", "kind", 2, 9, "row 2: 9 is none of"),
        ("work_items", "flags", 2, 0x8000, "row 2: .* bits without a name"),
        ("work_items", "end", 4, -1, "row 4: .* does not fit its times"),
        ("work_items", "worker_tid", 4, -1, "row 4: -1 and a dequeue"),
        ("thread_states", "end", 9, 1 << 61, "row 9"),
        ("thread_states", "tid", 9, -1, "row 9"),
        ("thread_states", "state", 9, 3, "row 9: 3 is none of"),
        ("stacks", "parent", 4, 4, "row 4: 4 is not below id"),
        ("stacks", "frame", 4, 10**6, "row 4: 1000000 is no row"),
        ("cpu_samples", "stack", 0, 10**6, "row 0: 1000000 is no row"),
        ("switches", "time", 30, 0, "row 30"),
        ("pool_limits", "max", 0, 0, "row 0"),
        ("pool_limits", "max", 0, 2**31 - 1, "row 0: .* above 32767"),
        ("pool_limits", "min", 0, 0, "row 0: 0 is below 1"),
        ("streams", "lost", 0, 7, "row 0: 7, and capture.json says 0"),
        ("streams", "end", 0, -1, "row 0"),
        ("streams", "cut", 0, 2, "row 0"),
        ("hill_climbing", "throughput", 0, np.inf, "row 0: inf"),
        ("threads", "name", 0, 10**6, "row 0 is none of its strings"),
    ],
)
def test_one_wrong_value_is_named(table, column, row, value, says, healthy):
    arrays = dict(healthy.arrays(table))
    arrays[column] = arrays[column].copy()
    arrays[column][row] = value
    refused(healthy, table, arrays, says)


@pytest.mark.parametrize(("cut", "later_ns", "passes"), [(True, -1, True), (True, 1, False), (False, -1, False)])
def test_a_stream_that_broke_off_ends_before_the_recorder_ended_it(cut, later_ns, passes, healthy):
    """Such a capture was once refused as damaged, and decoding it again did not help."""
    arrays = dict(healthy.arrays("streams"))
    arrays["cut"], arrays["end"] = arrays["cut"].copy(), arrays["end"] + later_ns * (np.arange(len(arrays["end"])) == 0)
    arrays["cut"][0] = cut
    if passes:
        assert healthy.with_table("streams", archive_of(arrays)).stored("streams") is not None
    else:
        refused(healthy, "streams", arrays, "row 0: .* and capture.json says")


@pytest.mark.parametrize("table", ["thread_states", "work_items", "waits", "switches", "hill_climbing", "timers"])
@pytest.mark.parametrize("how", ["each row doubled", "the table twice", "backwards"])
def test_rows_doubled_or_out_of_order(table, how, healthy):
    columns = {column.name for column in load_schema().tables[table].columns}

    def changed(values):
        if how == "each row doubled":
            return np.repeat(values, 2)
        return np.concatenate((values, values)) if how == "the table twice" else values[::-1].copy()

    before = healthy.arrays(table)
    assert len(before[min(columns & {"time", "start", "id", "fired"})]) > 1
    refused(healthy, table, {n: changed(v) if n in columns else v for n, v in before.items()}, "")


def test_columns_of_two_lengths(healthy):
    arrays = dict(healthy.arrays("parked"))
    arrays["end"] = arrays["end"][:-1]
    with pytest.raises(UnreadableCapture, match="table parked cannot be read .*one length"):
        healthy.with_table("parked", archive_of(arrays)).stored("parked")


def test_a_cycle_of_stacks_ends(healthy):
    """A cycle once made `report` run forever."""
    arrays = dict(healthy.arrays("stacks"))
    arrays["parent"] = arrays["parent"].copy()
    arrays["parent"][2], arrays["parent"][5] = 5, 2
    refused(healthy, "stacks", arrays, "not below id")
