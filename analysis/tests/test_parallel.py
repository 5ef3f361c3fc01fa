"""Independent tasks on two cores: as one after the other, only sooner."""

import threading

import pytest
from poolscope.base.parallel import side_by_side, together


def test_results_come_in_the_order_of_the_tasks():
    assert together(*(lambda n=n: n * n for n in range(9))) == [n * n for n in range(9)]
    assert together() == []


def test_two_tasks_run_at_a_time(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    meet = threading.Barrier(2, timeout=30)
    assert sorted(together(meet.wait, meet.wait)) == [0, 1]


@pytest.mark.parametrize("cores", [1, 2])
def test_the_first_failure_is_raised(monkeypatch, cores):
    monkeypatch.setattr("os.cpu_count", lambda: cores)

    def fail(text):
        raise ValueError(text)

    with pytest.raises(ValueError, match="first"):
        together(lambda: 1, lambda: fail("first"), lambda: fail("second"))


def test_one_core_takes_no_second_thread(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert set(together(threading.get_ident, threading.get_ident)) == {threading.get_ident()}


def test_tasks_of_different_kinds_run_side_by_side(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    meet = threading.Barrier(2, timeout=30)

    def word():
        meet.wait()
        return "text"

    with side_by_side() as begun:
        first, second = begun.submit(word), begun.submit(meet.wait)
    assert first.result() == "text" and second.result() in (0, 1)


def test_what_a_task_raised_its_result_raises_and_the_others_end():
    ended = []
    with side_by_side() as begun:
        failed = begun.submit(lambda: 1 // 0)
        begun.submit(ended.append, 1)
    assert ended == [1]
    with pytest.raises(ZeroDivisionError):
        failed.result()
