"""Stages give the same result side by side and one after another, and each runs once."""

import threading
import time

import pytest
from poolscope.base import stages
from poolscope.base.stages import FEW_ROWS, Results, once, once_property, side_by_side, together

MANY = FEW_ROWS


def test_results_come_in_the_order_of_the_tasks():
    assert together(MANY, *(lambda n=n: n * n for n in range(9))) == [n * n for n in range(9)]
    assert together(MANY) == []


def test_two_tasks_run_at_a_time(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    meet = threading.Barrier(2, timeout=30)
    assert sorted(together(MANY, meet.wait, meet.wait)) == [0, 1]


@pytest.mark.parametrize("cores", [1, 2])
def test_the_first_failure_is_raised(monkeypatch, cores):
    monkeypatch.setattr("os.cpu_count", lambda: cores)

    def fail(text):
        raise ValueError(text)

    with pytest.raises(ValueError, match="first"):
        together(MANY, lambda: 1, lambda: fail("first"), lambda: fail("second"))


@pytest.mark.parametrize(("cores", "rows"), [(1, MANY), (2, FEW_ROWS - 1)])
def test_one_core_or_few_rows_take_no_second_thread(monkeypatch, cores, rows):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert set(together(rows, threading.get_ident, threading.get_ident)) == {threading.get_ident()}
    with side_by_side(rows) as begun:
        assert begun.submit(threading.get_ident).result() == threading.get_ident()


def test_tasks_of_different_kinds_run_side_by_side(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    meet = threading.Barrier(2, timeout=30)

    def word():
        meet.wait()
        return "text"

    with side_by_side(MANY) as begun:
        first, second = begun.submit(word), begun.submit(meet.wait)
    assert first.result() == "text" and second.result() in (0, 1)


@pytest.mark.parametrize("rows", [0, MANY])
def test_what_a_task_raised_its_result_raises_and_the_others_end(rows):
    ended: list[int] = []
    with side_by_side(rows) as begun:
        failed = begun.submit(lambda: 1 // 0)
        begun.submit(ended.append, 1)
    assert ended == [1]
    with pytest.raises(ZeroDivisionError):
        failed.result()


class Counted:
    """A capture's object whose stages count how often they run."""

    def __init__(self):
        self.kept = Results()
        self.times = 0

    @once_property
    def answer(self):
        """What it is."""
        self.times += 1
        return object()


@once
def stage(given, of):
    of.times += given
    return object()


def test_a_stage_is_worked_out_once_until_it_is_dropped():
    of = Counted()
    first = stage(1, of)
    assert stage(1, of) is first and of.answer is of.answer and of.times == 2
    of.kept.drop(stage)
    assert stage(1, of) is not first and of.times == 3
    assert Counted.__dict__["answer"].__doc__ == "What it is."


def test_what_is_known_is_not_worked_out():
    of = Counted()
    of.kept = Results({"answer": None})
    assert of.answer is None and of.times == 0


def test_a_second_thread_waits_for_the_first():
    begun, results = threading.Event(), Results()

    def work():
        begun.set()
        time.sleep(0.05)
        return object()

    def again():
        return "worked out twice"

    with side_by_side(MANY) as at_once:
        first = at_once.submit(results.of, "stage", work)
        begun.wait(timeout=30)
        second = at_once.submit(results.of, "stage", again)
    assert first.result() is second.result()


def test_a_failure_is_raised_and_not_kept():
    results = Results()
    with pytest.raises(ZeroDivisionError):
        results.of("stage", lambda: 1 // 0)
    assert results.of("stage", lambda: 2) == 2


def test_a_process_beside_others_takes_no_second_thread(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(stages, "_allowed", stages.THREADS)
    stages.allow_threads(0)
    assert set(together(MANY, threading.get_ident, threading.get_ident)) == {threading.get_ident()}
    stages.allow_threads(9)
    meet = threading.Barrier(2, timeout=30)
    assert sorted(together(MANY, meet.wait, meet.wait)) == [0, 1]
