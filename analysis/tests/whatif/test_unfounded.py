"""Time that was not recorded well enough has no figure and prescribes no setting, however well the model fits."""

import pytest
from poolscope.capture.schema import enum
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

LENGTH = 6000 * MS


def blockers(folder, *, ended=10, begun=2, queued=40, launched=True):
    """Builds two workers: short items that ended, then one on each that never ends, and a queue behind these."""
    builder = CaptureBuilder(folder, length=LENGTH, launched=launched, limits=(2, 32767))
    for i in range(ended):
        builder.item(0, i // 2 * 10 * MS, (i // 2 + 1) * 10 * MS, 200 + i % 2, [("blocked", 9 * MS), ("running", MS)])
    at = ended // 2 * 10 * MS
    for i in range(begun):
        builder.item(0, at, worker=200 + i, states=[("blocked", LENGTH - at)])
    for i in range(queued):
        builder.item((100 + i) * MS)
    return builder


def prescribed(analysis):
    """Returns the numbers of threads that the page advises."""
    text = " ".join(line for finding in analysis["findings"] for line in finding["advice"])
    shown = [f for f in analysis["fixes"] if f["after_ms"] is not None]
    return shown, "Set the minimum" in text or "Predicted mean delay" in text


def test_most_of_a_kind_never_ended(tmp_path):
    analysis = analyse(blockers(tmp_path).write()).to_json()
    assert prescribed(analysis) == ([], False)
    assert {f["reason"] for f in analysis["fixes"]} == {
        "most items had not ended when the capture did, so their remaining work is unknown"
    }


def test_few_long_items_never_ended_behind_many_quick_ones(tmp_path):
    analysis = analyse(blockers(tmp_path, ended=300).write()).to_json()
    assert prescribed(analysis) == ([], False)
    assert {f["reason"] for f in analysis["fixes"]} == {
        "the items that held the threads for longest had not ended when the capture did, so their remaining work is unknown"
    }


def test_a_pool_that_may_be_full(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH, launched=False, limits=(2, 32767))
    builder.rows["pool_limits"][0]["known"] = enum("pool_limits", "known", "default")
    for i in range(50):
        builder.item(0, i // 2 * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2, [("blocked", 200 * MS)])
    analysis = analyse(builder.write()).to_json()
    assert prescribed(analysis) == ([], False)
    assert analysis["verdict"]["confidence"] == "low" and analysis["verdict"]["id"] != "gate-suppressed-by-progress"
    assert any("ThreadPool.GetMaxThreads" in line for f in analysis["findings"] for line in f["evidence"])
    assert not any("32,767" in line for f in analysis["findings"] for line in f["evidence"])


@pytest.mark.parametrize("read", [True, False])
def test_data_that_nobody_read_is_work_to_come(tmp_path, read):
    builder = CaptureBuilder(tmp_path, length=LENGTH, limits=(2, 32767))
    for i in range(20):
        builder.item(0, i // 2 * 500 * MS, (i // 2 + 1) * 500 * MS, 200 + i % 2, [("blocked", 500 * MS)])
    for _ in range(24):
        sends = [(100 * MS, "arrived", 80), *([(120 * MS, "read", 80, 200)] if read else [])]
        builder.connection(*sends)
    shown, _ = prescribed(analyse(builder.write()).to_json())
    assert bool(shown) == read


@pytest.mark.parametrize("read", [True, False])
def test_data_that_lay_unread_when_the_capture_began_is_work_to_come(tmp_path, read):
    builder = CaptureBuilder(tmp_path, length=LENGTH, limits=(2, 32767))
    for i in range(20):
        builder.item(0, i // 2 * 500 * MS, (i // 2 + 1) * 500 * MS, 200 + i % 2, [("blocked", 500 * MS)])
    for _ in range(24):
        builder.connection(*([(120 * MS, "read", 80, 200)] if read else []), unread_at=0)
    shown, _ = prescribed(analyse(builder.write()).to_json())
    assert bool(shown) == read
