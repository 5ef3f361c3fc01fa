"""Ready time takes the stack of the nearest sample of the same thread in the same item; time without one is counted."""

import pytest
from flame_captures import RUN, WORKER, Recorded, by_path
from poolscope.attribution import attribute
from poolscope.flames import ready_flame
from poolscope.flames.tree import MOST_NODES, FlameFrame, FlameTree
from synthetic import MS


def busy(folder):
    """Builds items that are ready from 10 to 20 and from 30 to 60 ms."""
    return Recorded(folder, ("running", 10), ("ready", 10), ("running", 10), ("ready", 30), ("running", 10))


def test_a_stretch_has_the_stack_of_the_last_sample_before_it(tmp_path):
    r = busy(tmp_path)
    r.sample(2, "App.Old", RUN)
    r.sample(9, "App.Near", RUN)
    r.sample(28, "App.Second", RUN)
    r.sample(61, "App.Later", RUN)
    flame = r.ready()
    assert by_path(flame) == {(RUN,): 40, (RUN, "App.Near"): 10, (RUN, "App.Second"): 30}
    assert (flame.before, flame.after, flame.no_sample, flame.distance) == (40, 0, 0, 2)


def test_without_one_before_it_the_first_one_after_it_counts(tmp_path):
    r = busy(tmp_path)
    r.sample(24, "App.First", RUN)
    r.sample(65, "App.Late", RUN)
    flame = r.ready()
    assert by_path(flame) == {(RUN,): 40, (RUN, "App.First"): 40}
    assert (flame.before, flame.after) == (30, 10)


def test_other_threads_items_and_processes_and_samples_without_a_stack_do_not_stand_for_it(tmp_path):
    r = busy(tmp_path)
    r.sample(8, "App.OtherThread", tid=WORKER + 1)
    r.sample(8, "Other.Process", pid=r.target + 1)
    r.sample(9)
    r.sample(r.end + 0.5, "App.NextItem")
    flame = r.ready()
    assert by_path(flame) == {("(none)",): 40}
    assert (flame.no_sample, flame.stretches, flame.stretches_without, flame.distance) == (40, 2, 2, None)


def test_it_is_all_of_the_items_ready_time_and_tells_what_of_it_items_waited(tmp_path):
    r = busy(tmp_path)
    r.builder.item((r.end + 2) * MS, (r.end + 2) * MS, (r.end + 7) * MS, WORKER, [("running", MS), ("ready", 4 * MS)])
    r.sample(9, RUN)
    capture = r.builder.write()
    attribution = attribute(capture)
    flame = ready_flame(capture, attribution)
    assert flame.total == pytest.approx(attribution.execution.ready.sum() / MS) == 44
    assert (flame.waiting, flame.no_sample) == (40, 4)
    assert by_path(flame, "waiting") == {(RUN,): 40, ("(none)",): 0}


def test_the_largest_boxes_are_kept_with_their_callers_and_callers_keep_what_is_left_out():
    tree = FlameTree("total")
    root = FlameFrame("App.Root", None, "managed")
    for i in range(MOST_NODES + 100):
        tree.add([root, FlameFrame(f"App.Leaf{i}", None, "managed")], 1.0 + i % 2)
    kept = tree.kept()
    total = kept.total["total"]
    assert len(kept.parent) == MOST_NODES == len(kept.frames)
    assert kept.parent == [-1] + [0] * (MOST_NODES - 1)
    assert total[0] == (MOST_NODES + 100) * 1.5
    assert kept.least == 1.0 and total.count(2.0) == MOST_NODES // 2 + 50
