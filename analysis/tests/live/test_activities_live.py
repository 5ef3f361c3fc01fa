"""Activities of a worker service on every runtime, compared with the program's own clock."""

import subprocess
import time

import pandas as pd
import pytest
from conftest import COLLECT, RUNTIMES, published
from poolscope.capture import open_capture
from poolscope.library.analysed import activities_frame
from poolscope.measures.activities import ACTIVITY_PARTS
from poolscope.product import analyse

pytestmark = [pytest.mark.live, pytest.mark.paired]

SECONDS = 2
SOURCE = "Poolscope.Tests.Worker"
PARTS = list(ACTIVITY_PARTS)
DARK = ["timer", "shared", "thread", "other"]


def record(program, folder, *, attach=False, sources=(SOURCE,)):
    """Records; returns the capture, the program's log of its activities, and the collector's output."""
    log, capture = folder / "activities.csv", folder / "capture"
    # On a busy machine the recording may begin seconds late, and the program must outlive it.
    seconds = SECONDS + 8 if attach else SECONDS
    command = [str(program), "activities", str(seconds), str(log), *(["listen"] if attach else [])]
    named = [argument for source in sources for argument in ("--activities", source)]
    collect = [
        str(COLLECT),
        "collect",
        "-o",
        str(capture),
        "--duration",
        str(SECONDS if attach else 3 * SECONDS),
        *named,
    ]
    if attach:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            done = subprocess.run([*collect, "-p", str(process.pid)], capture_output=True, text=True, timeout=60)
            process.wait(timeout=60)
    else:
        done = subprocess.run([*collect, "--", *command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return capture, log, done.stderr


def read(capture, log, said):
    """Returns the analysis, the program's own list, the collector's output, and the raw stream."""
    own = pd.read_csv(log, names=["operation", "span_id", "own_begin", "own_end"]) if log.exists() else None
    return analyse(open_capture(capture)), own, said, (capture / "runtime.nettrace").read_bytes()


@pytest.fixture(scope="module", params=RUNTIMES)
def launched(request, tmp_path_factory, undisturbed):
    program = published(request.param)
    return read(*undisturbed(lambda: record(program, tmp_path_factory.mktemp("activities"))))


def both(analysis, own):
    """Returns the activities whose begin and end were recorded, beside the program's own figures."""
    frame = activities_frame(analysis.evidence.activities).reset_index()
    start = analysis.capture.window[0]
    frame[["begun", "end"]] += start
    told = frame[frame["duration"].notna() & ~frame["at_least"]]
    return told.merge(own.drop(columns="operation"), on="span_id", how="inner", validate="one_to_one")


def test_every_activity_has_a_row_that_lies_within_the_program_s_own_time(launched):
    analysis, own, _, _ = launched
    frame = activities_frame(analysis.evidence.activities)
    assert set(frame["source"]) == {SOURCE}
    told = both(analysis, own)
    assert len(told) == len(own) == len(frame) - 1 > 200
    assert (told["begun"] >= told["own_begin"]).all() and (told["end"] <= told["own_end"]).all()
    lost = (told["begun"] - told["own_begin"]) + (told["own_end"] - told["end"])
    assert lost.median() <= 0.01 * (told["own_end"] - told["own_begin"]).median()


def test_the_parts_add_up_and_are_what_each_operation_does(launched):
    analysis, own, _, _ = launched
    told = both(analysis, own)
    assert (told[PARTS].sum(axis=1) == told["duration"]).all()
    total = told.groupby("operation")[[*PARTS, "duration"]].sum()
    share = total[PARTS].div(total["duration"], axis=0)
    # A delay ends with a timer, a sleeping thread is blocked whether or not it belongs to the pool, and computing needs
    # a core.
    for operation in ("delay", "outer", "inner", "started-and-left"):
        assert share.loc[operation, "timer"] >= 0.5
    # The item runs on for 4 ms after the activity left the thread; that time is not the activity's own.
    assert share.loc["started-and-left", "cpu"] <= 0.03
    for operation in ("sleep", "own-thread"):
        assert share.loc[operation, ["blocked", "runtime"]].sum() >= 0.5 and share.loc[operation, DARK].sum() <= 0.05
    for operation in ("spin", "hop"):
        assert share.loc[operation, ["cpu", "ready", "runtime", "queued"]].sum() >= 0.8
        assert share.loc[operation, "cpu"] > 0 and share.loc[operation, "blocked"] <= 0.2
    hops = told[told["operation"] == "hop"]
    assert (hops["item"] >= 0).all() and (hops["end_item"] >= 0).all()
    assert (hops["item"] != hops["end_item"]).mean() > 0.5


def test_an_activity_inside_another_one_names_it(launched):
    analysis, own, _, _ = launched
    frame = activities_frame(analysis.evidence.activities)
    inner, outer = (frame[frame["operation"] == name] for name in ("inner", "outer"))
    pairs = inner.merge(outer, left_on="parent_span_id", right_on="span_id", validate="one_to_one")
    assert len(pairs) == len(inner) > 10
    assert (pairs["trace_id_x"] == pairs["trace_id_y"]).all() and (pairs["duration_x"] <= pairs["duration_y"]).all()


def test_what_was_not_asked_for_is_not_recorded(launched):
    _, _, _, raw = launched
    assert SOURCE.encode("utf-16-le") in raw
    for secret in ("secret-tag", "Poolscope.Tests.Other"):
        assert secret.encode("utf-16-le") not in raw


def test_one_that_is_never_stopped_is_open_at_the_end(launched):
    analysis, *_ = launched
    (kind,) = [k for k in analysis.to_json()["activities"]["kinds"] if k["operation"] == "never-stopped"]
    assert (kind["count"], kind["open"], kind["parts_ms"]) == (1, 1, None)


def test_of_an_attached_process_activities_that_had_begun_are_counted(tmp_path):
    analysis, own, _, _ = read(*record(published(RUNTIMES[-1]), tmp_path, attach=True))
    activities = analysis.evidence.activities
    # One activity of each shape can be under way at once, the outer one with its inner one, plus the one that never
    # stops.
    assert 0 < activities.carried.sum() <= 9 and 0 < activities.open.sum() <= 9
    told = both(analysis, own)
    assert 50 < len(told) < len(own)
    assert (told["begun"] >= told["own_begin"]).all() and (told["end"] <= told["own_end"]).all()
    assert (told[PARTS].sum(axis=1) == told["duration"]).all()


def test_every_source_and_none(tmp_path):
    program = published(RUNTIMES[-1])
    analysis, *_ = read(*record(program, tmp_path, sources=("*",)))
    assert {SOURCE, "Poolscope.Tests.Other"} <= set(analysis.evidence.activities.source)
    other = tmp_path / "none"
    other.mkdir()
    analysis, _, said, _ = read(*record(program, other, sources=("Poolscope.Tests.Nobody",)))
    assert analysis.evidence.activities is None and "no activity of Poolscope.Tests.Nobody" in said
