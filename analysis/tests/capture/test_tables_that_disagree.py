"""Tables that are well formed and wrong: none gets the confidence of a sound capture."""

import json
from pathlib import Path

import numpy as np
import pytest
from fuzz.memory import Original, archive_of
from poolscope.base.errors import UnreadableCapture
from poolscope.capture import load_schema, open_capture
from poolscope.capture.npz import write_table
from poolscope.capture.schema import enum
from poolscope.coverage.contradictions import Contradiction, find_contradictions
from poolscope.product import analyse
from poolscope.report import render
from synthetic import MS, CaptureBuilder

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.zip"))

FIRST_BY_DEQUEUE = "the first item whose end is its worker's next dequeue"


@pytest.fixture(scope="module", params=NAMES)
def original(request):
    return Original(GOLDEN / f"{request.param}.zip")


@pytest.fixture(scope="module")
def healthy():
    return Original(GOLDEN / "healthy.zip")


def damaged(original, table, change):
    """Returns the capture with one table changed: `change` gets copies of its columns and returns the new ones."""
    columns = {column.name for column in load_schema().tables[table].columns}
    arrays = {name: values.copy() for name, values in original.arrays(table).items()}
    return original.with_table(table, archive_of(arrays | change({n: arrays[n] for n in columns})))


def gone(rows):
    return {name: values[:0] for name, values in rows.items()}


def test_a_real_capture_contradicts_nothing(original):
    assert find_contradictions(original.capture) == []
    assert analyse(original.capture).coverage.contradictions == []


def test_no_work_item_under_a_stream_of_a_thousand_events_is_no_answer(original):
    capture = damaged(original, "work_items", gone)
    if (original.arrays("timers")["item"] >= 0).any():
        with pytest.raises(UnreadableCapture, match="table timers, column item, row 0"):
            analyse(capture)
        return
    verdict = analyse(capture).verdict
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert "contradicts itself" in verdict.reasons[0]


def test_a_clock_that_is_read_wrong_is_no_answer(original):
    """The frequency of the runtime's clock is 2.56 times too high: times shrink towards the window's start."""
    start = original.capture.window[0]

    def squeezed(rows):
        times = ("enqueue", "dequeue", "end")
        return {n: np.where(rows[n] >= 0, start + (rows[n] - start) * 100 // 256, -1) for n in times}

    verdict = analyse(damaged(original, "work_items", squeezed)).verdict
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")


@pytest.mark.parametrize(
    ("table", "column", "row", "step", "tables"),
    [
        ("thread_states", "state", 40, 1, "thread_states"),
        ("parked", "end", 1, 20_000, "parked, work_items"),
        ("work_items", "end", FIRST_BY_DEQUEUE, -1, "work_items, parked"),
        ("pool_changes", "goal", 0, 30_000, "pool_changes, pool_limits"),
        ("workers", "tid", 0, 1, "work_items, workers"),
    ],
)
def test_one_changed_value_is_told(table, column, row, step, tables, healthy):
    if row == FIRST_BY_DEQUEUE:
        row = int(np.argmax(healthy.arrays(table)["end_known"] == enum("work_items", "end_known", "next_dequeue")))

    def moved(rows):
        rows[column][row] = (rows[column][row] + step) % 3 if column == "state" else rows[column][row] + step
        return rows

    capture = damaged(healthy, table, moved)
    if table == "thread_states":  # of a thread of the target
        own = np.flatnonzero(np.isin(healthy.arrays(table)["tid"], healthy.arrays("workers")["tid"]))
        capture = damaged(healthy, table, lambda rows: rows | {"state": _flipped(rows["state"], int(own[40]))})
    assert tables in [found.tables for found in find_contradictions(capture)]
    assert analyse(capture).verdict.confidence == "low"


def _flipped(states, row):
    states[row] = (states[row] + 1) % 3
    return states


@pytest.mark.parametrize(("rows", "of", "serious"), [(1, 10, False), (2, 200, True), (2, 201, False), (50, 5000, True)])
def test_from_one_in_a_hundred_on_no_verdict_is_given(rows, of, serious):
    assert Contradiction("a, b", "rows differ", rows, of).is_serious is serious


def test_a_limit_that_is_not_the_manifests_is_told():
    original = Original(GOLDEN / "core-contention.zip")
    capture = damaged(original, "pool_limits", lambda rows: {"max": rows["max"] - 10})
    assert [found.tables for found in find_contradictions(capture)] == ["pool_limits, capture.json"]
    assert analyse(capture).verdict.confidence == "low"


def test_the_page_says_it():
    content = analyse(damaged(Original(GOLDEN / "injection-delay.zip"), "work_items", gone)).to_json()
    assert content["coverage"]["contradictions"][0]["tables"] in ("parked, work_items", "workers, work_items")
    assert "contradicts itself" in render(content)


@pytest.mark.parametrize(("change", "says"), [("emptied", "has 0 rows"), ("lost", "is missing")])
def test_a_table_that_lost_its_rows_is_refused_by_the_count_in_the_manifest(tmp_path, change, says):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(0, 0, 50 * MS, 200)
    folder = builder.write().path
    file = folder / "tables" / "work_items.npz"
    whole = open_capture(folder).stored("work_items")
    builder.manifest["tables"] = {"work_items": len(whole)}
    (folder / "capture.json").write_text(json.dumps(builder.manifest))
    assert len(open_capture(folder).stored("work_items")) == 1
    file.unlink()
    if change == "emptied":
        write_table(file, load_schema().tables["work_items"], whole.iloc[:0])
    with pytest.raises(UnreadableCapture, match=f"table work_items {says}, but capture.json says 1"):
        open_capture(folder).stored("work_items")


def counted(folder, begun, end):
    """Builds 40 items counted by the runtime until 900 ms; events show `begun` of them, each with its end at `end`
    ms."""
    builder = CaptureBuilder(folder, length=3_000 * MS)
    for worker in range(begun):
        builder.item(10 * MS, 20 * MS, end * MS, worker=1000 + worker)
    builder.rows["pool_counters"].append({"since": 0, "time": 900 * MS, "completed": 40, "threads": begun})
    return [told for told in find_contradictions(builder.write()) if "pool_counters" in told.tables]


def test_items_that_the_runtime_counted_before_the_event_that_bounds_their_end_are_no_contradiction(tmp_path):
    """On a crowded machine a worker gets a core for that event only seconds after its item ended."""
    assert counted(tmp_path / "in time", 40, 800) == []
    assert counted(tmp_path / "late", 40, 2_500) == []


def test_items_that_the_runtime_counted_and_no_event_tells_of_are_one(tmp_path):
    assert counted(tmp_path / "half", 20, 800) == []
    assert [(told.rows, told.of) for told in counted(tmp_path / "few", 19, 2_500)] == [(21, 40)]
