"""The recorder's own threads: which they are, and how much CPU time they wanted."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.base.errors import InsufficientEvidence
from poolscope.executions.competitors import competitors, recorder_threads
from poolscope.whatif.predict import Predictor
from poolscope.whatif.setting import AS_CAPTURED, Setting, is_as_captured
from synthetic import MS, CaptureBuilder

COLLECTOR, SENDER, NEIGHBOUR = 900, 910, 920


def recorded(folder, pid=COLLECTOR, **other):
    """Builds 200 ms on one core. For 100 ms worker 200 runs its item of 50 ms of computing beside a thread of the
    collector and one of another process; each has a third of the core. Until 180 ms those two have half of it each.
    Then the target's sender runs alone for 10 ms."""
    builder = CaptureBuilder(folder, length=200 * MS, **other)
    builder.manifest["target"] |= {"cpus_allowed": 1, "processor_count": 1}
    builder.manifest["tool"] = {"name": "poolscope-collect", "version": "0", **({} if pid is None else {"pid": pid})}
    own = builder.manifest["target"]["pid"]
    for tid, of, name in (
        (COLLECTOR, COLLECTOR, "poolscope-coll"),
        (COLLECTOR + 1, COLLECTOR, "poolscope-sched"),
        (SENDER, own, ".NET EventPipe"),
        (own, own, "app"),
        (NEIGHBOUR, NEIGHBOUR, "other"),
        (NEIGHBOUR + 1, NEIGHBOUR, ".NET EventPipe"),
    ):
        builder.thread(tid, of, name)
    laps = [("running", MS), ("ready", 2 * MS)] * 50
    builder.item(0, 0, 150 * MS, 200, laps)
    for lap in range(50):
        at = lap * 3 * MS
        builder.state(COLLECTOR + 1, at, at + MS, "ready")
        builder.state(COLLECTOR + 1, at + MS, at + 2 * MS, "running")
        builder.state(COLLECTOR + 1, at + 2 * MS, at + 3 * MS, "ready")
        builder.state(NEIGHBOUR, at, at + 2 * MS, "ready")
        builder.state(NEIGHBOUR, at + 2 * MS, at + 3 * MS, "running")
    for at in range(150 * MS, 180 * MS, 2 * MS):
        builder.state(COLLECTOR + 1, at, at + MS, "running")
        builder.state(COLLECTOR + 1, at + MS, at + 2 * MS, "ready")
        builder.state(NEIGHBOUR, at, at + MS, "ready")
        builder.state(NEIGHBOUR, at + MS, at + 2 * MS, "running")
    builder.state(SENDER, 185 * MS, 195 * MS, "running")
    return builder.write()


def execution_ms(told):
    return told.completion_ms["mean"] - told.wait_ms["mean"]


def test_the_collector_and_what_sends_it_events_are_the_recorder(tmp_path):
    assert recorder_threads(recorded(tmp_path)).tolist() == [COLLECTOR, COLLECTOR + 1, SENDER]


def test_an_earlier_collector_does_not_name_its_process(tmp_path):
    capture = recorded(tmp_path, pid=None)
    assert recorder_threads(capture) is None
    predictor = Predictor(capture, attribute(capture))
    assert predictor.recorder_share == 0.0
    with pytest.raises(InsufficientEvidence, match="does not show which threads are the recorder's"):
        predictor.predict([Setting("x", unrecorded=True)])


def test_where_other_processes_were_not_seen_the_recorder_was_not_either(tmp_path):
    assert recorder_threads(recorded(tmp_path, tier="switch")) is None


def test_without_the_recorder_an_item_shares_its_core_with_the_neighbour_alone(tmp_path):
    capture = recorded(tmp_path)
    both = competitors(capture).all.integral(0, 150 * MS)
    assert both == pytest.approx(2 * 150 * MS, rel=0.01)
    assert competitors(capture).unrecorded.integral(0, 200 * MS) == pytest.approx(180 * MS, rel=0.01)

    predictor = Predictor(capture, attribute(capture))
    # The collector wanted 180 of the core's 200 ms, and the sender 10.
    assert predictor.recorder_share == pytest.approx(190 / 200, rel=0.02)
    as_it_was, alone = predictor.predict([AS_CAPTURED, Setting("x", unrecorded=True)])
    # 50 ms of computing take 150 ms with three threads on the core, and 100 ms with two.
    assert execution_ms(as_it_was) == pytest.approx(150, rel=0.03)
    assert execution_ms(alone) == pytest.approx(100, rel=0.02)
    assert not is_as_captured(Setting("x", unrecorded=True))
    assert np.isfinite(alone.delay_ms)
