"""Blocked time as a tree: the same time as blame's rows, with the kind of wait at the end of each stack."""

import pytest
from flame_captures import LOCK, RUN, SLEEP, Recorded, by_path
from poolscope.blame import Blame, BlameRow
from poolscope.blame.stacks import StackNames
from poolscope.flames import blocked_flame
from poolscope.product import analyse


def test_each_stack_ends_in_how_it_waited_and_all_adds_up_to_blame(tmp_path):
    r = Recorded(
        tmp_path, ("blocked", 60), ("running", 1), ("blocked", 30), ("running", 1), ("blocked", 10), ("running", 1)
    )
    r.contention(0, 60, LOCK, "App.Guarded", RUN)
    r.snapshot(70, SLEEP, "App.Nap", RUN)
    blame, flame = r.blocked()
    assert by_path(flame) == {
        (RUN,): 90,
        (RUN, "App.Guarded"): 60,
        (RUN, "App.Guarded", LOCK): 60,
        (RUN, "App.Guarded", LOCK, "(lock)"): 60,
        (RUN, "App.Nap"): 30,
        (RUN, "App.Nap", SLEEP): 30,
        (RUN, "App.Nap", SLEEP, "(sleep)"): 30,
        ("(none)",): 10,
        ("(none)", "(unknown)"): 10,
    }
    assert sum(by_path(flame, "self").values()) == flame.total == pytest.approx(blame.total_s * 1e3)
    assert (flame.no_stack, flame.measured) == (pytest.approx(10), pytest.approx(100))


def test_the_estimate_of_a_row_goes_to_its_stacks_as_their_own_time_does(tmp_path):
    r = Recorded(tmp_path, ("blocked", 10))
    one, two = r.stack(SLEEP, "App.Nap", "App.One"), r.stack(SLEEP, "App.Nap", "App.Two")
    capture = r.builder.write()
    row = BlameRow("App.Nap", "sleep", thread_s=1.0, estimated_s=0.6)
    row.stacks.update({one: 0.1, two: 0.3})
    nameless = BlameRow(None, "unknown", thread_s=0.5)
    blame = Blame([row, nameless], 1.5, 0.5, 0.6, 30, 40, 0.5, StackNames(capture))
    flame = blocked_flame(capture, blame)
    total, measured = by_path(flame), by_path(flame, "measured")
    assert (total["App.One",], total["App.Two",], total["(none)",]) == (250, 750, 500)
    assert (measured["App.One",], measured["App.Two",], measured["(none)",]) == (100, 300, 500)
    assert (flame.total, flame.measured) == (1500, pytest.approx(900))


def test_without_a_kernel_stream_it_is_not_known(tmp_path):
    content = analyse(Recorded(tmp_path, ("running", 5), kernel=False).builder.write()).to_json()
    assert content["blocked_flame"] is None and content["ready_flame"] is None
