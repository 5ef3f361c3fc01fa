"""Work items by method and kind, and the units of durations and times in frames."""

from pathlib import Path

import numpy as np
import pandas as pd
import poolscope
import pytest
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from poolscope.product.item_names import KINDS, item_kinds
from synthetic import MS, CaptureBuilder

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
PARTS = ["injection", "blocking", "core", "runtime"]
WAITS = ["wait_mean", "wait_p50", "wait_p99", "wait_max"]


@pytest.fixture(scope="module")
def golden():
    return poolscope.open(GOLDEN / "sync-over-async.zip")


@pytest.mark.parametrize("group", ["by_method", "by_kind"])
def test_groups_add_up_to_what_the_analysis_says(group, golden):
    rows, told = getattr(golden, group)(), golden.analysis()
    assert rows.index.name == group[3:] and rows.index.is_unique
    assert rows["items"].sum() == told["items"]["count"]
    mean = (rows["wait_mean"] * rows["items"]).sum() / rows["items"].sum()
    assert mean / MS == pytest.approx(told["items"]["wait_ms"]["mean"], abs=1e-6)
    assert rows["wait_max"].max() / MS == pytest.approx(told["items"]["wait_ms"]["max"])
    for part in PARTS:
        mean = (rows[part] * rows["items"]).sum() / rows["items"].sum()
        assert mean / MS == pytest.approx(told["attribution"]["wait_ms"][part], abs=1e-6)
    assert rows[PARTS].sum(axis=1).to_numpy() == pytest.approx(rows["wait_mean"].to_numpy())
    total = rows["items"] * rows["wait_mean"]
    assert total.is_monotonic_decreasing and len(rows) > 1


def test_an_item_is_in_the_group_that_its_story_names(golden):
    items, worst = golden.attribute(), golden.worst_items(10_000)
    for kind, row in golden.by_kind().iterrows():
        own = worst.index[worst["kind"] == kind]
        assert len(own) == row["items"] and items.loc[own, "wait"].max() == row["wait_max"]
    for method, row in golden.by_method().iterrows():
        own = worst.index[worst["method"].fillna("unknown") == method]
        assert len(own) == row["items"] and items.loc[own, "wait"].mean() == pytest.approx(row["wait_mean"])


def test_kinds_are_those_of_the_product(golden):
    capture, items = golden._source, golden._attribution.items
    kinds = item_kinds(capture, items, Executions.of(items, find_carried(capture, items)))
    counted = {KINDS[k]: int((kinds == k).sum()) for k in np.unique(kinds)}
    assert golden.by_kind()["items"].to_dict() == counted


def test_quantiles_of_waits_that_were_not_seen_to_their_end_are_lower_bounds(tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(10 * MS, 20 * MS, 30 * MS, 200)
    builder.item(10 * MS)
    builder.write()
    row = poolscope.open(tmp_path).by_kind(units="ms").loc["other"]
    assert row["at_least"] and row["wait_p50"] == 10 and row["wait_max"] == 90


def test_without_a_kernel_stream_the_parts_of_groups_are_not_known(tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS, kernel=False)
    builder.item(10 * MS, 30 * MS, 40 * MS, 200)
    builder.write()
    capture = poolscope.open(tmp_path)
    for rows in (capture.by_kind(), capture.by_method()):
        assert rows[WAITS].eq(20 * MS).all().all() and rows[PARTS].isna().all().all()
    assert capture.attribute(units="timedelta")[PARTS].isna().all().all()
    assert capture.attribute(units="timedelta")["wait"].tolist() == [pd.Timedelta(20, "ms")]


@pytest.mark.parametrize(("units", "scale"), [("us", 1e3), ("ms", 1e6), ("s", 1e9)])
def test_a_unit_is_a_scale(units, scale, golden):
    for frame in ("attribute", "by_method", "by_kind", "worst_items"):
        ns, other = getattr(golden, frame)(), getattr(golden, frame)(units=units)
        assert list(ns.columns) == list(other.columns)
        for name in ns.columns:
            durations = name in ("wait", *PARTS, *WAITS) or name.startswith("exec_")
            if durations:
                assert (other[name] == ns[name] / scale).all() and other[name].dtype == np.float64, name
            elif name in ("items", "enqueue", "dequeue", "worker_tid"):
                assert (other[name] == ns[name]).all(), name


def test_timedeltas_are_exact(golden):
    ns, exact = golden.attribute(), golden.attribute(units="timedelta", times="timedelta")
    assert (exact["wait"].dt.total_seconds() * 1e9).round().astype("int64").tolist() == ns["wait"].tolist()
    assert (exact["wait"] == exact["dequeue"] - exact["enqueue"]).all()
    assert (exact["enqueue"] == pd.to_timedelta(ns["enqueue"] - golden.window[0], unit="ns")).all()


def test_timestamps_are_those_of_the_wall_clock(golden):
    clock = golden.manifest["clock"]
    ns, told = golden.attribute(), golden.attribute(times="timestamp")
    assert str(told["enqueue"].dt.tz) == "UTC"
    began = pd.Timestamp(clock["start_utc"])
    expected = began + pd.to_timedelta(ns["enqueue"] - clock["start_ns"], unit="ns")
    assert ((told["enqueue"] - expected).abs() < pd.Timedelta(1, "ms")).all()
    assert (told["dequeue"] - told["enqueue"] == pd.to_timedelta(ns["wait"], unit="ns")).all()


@pytest.mark.parametrize("times", ["timedelta", "timestamp"])
def test_a_time_that_is_not_known_is_nat(times, tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(10 * MS)
    builder.write()
    capture = poolscope.open(tmp_path)
    assert capture.attribute()["dequeue"].tolist() == [-1]
    assert capture.attribute(times=times)["dequeue"].isna().all()
