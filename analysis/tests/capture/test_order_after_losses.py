"""A stream that lost events may lack order and ends. That is no damage, and the loss is reported."""

import numpy as np
import pandas as pd
import pytest
from poolscope.capture import load_schema, open_capture
from poolscope.capture.checks import Surroundings, check_table
from poolscope.capture.checks import Damaged
from poolscope.coverage.contradictions import find_contradictions
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def wakeups(*times):
    columns = {c.name: np.zeros(len(times), dtype=np.int64) for c in load_schema().tables["wakeups"].columns}
    return pd.DataFrame({**columns, "time": np.array(times), "wakee_tid": np.arange(len(times))})


def around(lossy):
    return Surroundings(earliest=0, latest=100, rows=lambda name: 100, lossy=lossy)


def test_rows_out_of_order_are_damage_only_where_nothing_was_lost():
    table = wakeups(1, 3, 2)
    check_table(load_schema().tables["wakeups"], table, around(lossy=True))
    with pytest.raises(Damaged, match="row 2: 2 is less than in the row before"):
        check_table(load_schema().tables["wakeups"], table, around(lossy=False))


@pytest.mark.parametrize("lossy", [True, False])
def test_a_time_outside_of_the_recording_is_damage_always(lossy):
    with pytest.raises(Damaged, match="after the end"):
        check_table(load_schema().tables["wakeups"], wakeups(1, 101), around(lossy))


def contradicting(folder, lost):
    """Returns items that their worker's states contradict: it was blocked whenever it took or ended one."""
    builder = CaptureBuilder(folder, length=4000 * MS, lost=lost)
    builder.as_given = True
    for i in range(40):
        builder.item(i * 50 * MS, i * 50 * MS + MS, i * 50 * MS + 20 * MS, 200)
    builder.state(200, 0, 4000 * MS, "blocked")
    return open_capture(builder.write().path)


def test_what_losses_explain_is_no_contradiction(tmp_path):
    whole = contradicting(tmp_path / "whole", lost=0)
    assert find_contradictions(whole)
    assert analyse(whole).verdict.confidence == "low"
    assert find_contradictions(contradicting(tmp_path / "few", lost=10))
    assert find_contradictions(contradicting(tmp_path / "many", lost=5000)) == []


@pytest.mark.parametrize(("ends_ms", "contradicted"), [(2000, True), (100, False)])
def test_after_the_end_of_the_kernel_stream_nothing_is_contradicted(tmp_path, ends_ms, contradicted):
    """`watch` cuts its streams one after the other, so runtime events after the end of the kernel's stream lie in no
    state."""
    builder = CaptureBuilder(tmp_path, length=4000 * MS)
    builder.as_given = True
    for at in (150, 250, 350):
        builder.item(at * MS, at * MS + MS, at * MS + 20 * MS, 200)
    builder.state(200, 0, 100 * MS, "running")
    kernel = next(row for row in builder.rows["streams"] if row["file"] == "sched.perf.data")
    start = kernel["start"]
    kernel["end"] = start + ends_ms * MS
    found = [told.tables for told in find_contradictions(open_capture(builder.write().path))]
    assert ("work_items, thread_states" in found) == contradicted
