"""The time that live tests wait for a quiet machine."""

import pytest
import seeds.pressure as pressure
from live.patience import Patience


class Machine:
    """The cores that other programs use, second by second; each look takes one second."""

    def __init__(self, *cores):
        self.cores, self.now = list(cores), 0.0

    def strangers(self):
        self.now += 1
        return self.cores.pop(0) if len(self.cores) > 1 else self.cores[0]

    def patience(self, budget_s):
        return Patience(self.strangers, lambda: self.now, budget_s)


def test_a_quiet_machine_is_looked_at_once_and_costs_nothing():
    machine = Machine(0.0)
    patience = machine.patience(10)
    patience.wait()
    assert (machine.now, patience.left_s, patience.said()) == (1, 10, None)


def test_a_busy_one_is_waited_for_until_it_is_quiet():
    machine = Machine(0.8, 0.6, 0.1)
    patience = machine.patience(10)
    patience.wait()
    assert (machine.now, patience.left_s, patience.said()) == (3, 8, None)


def test_the_budget_is_for_all_of_them_and_then_they_run_and_it_is_said():
    machine = Machine(0.5)
    patience = machine.patience(3)
    for _ in range(3):
        patience.wait()
    assert machine.now == 3 + 3 and patience.hurried == 3
    assert patience.said() == "noisy: the machine stayed busy; 3 recordings were made all the same"


def test_a_machine_that_is_quiet_again_hurries_nobody():
    patience = Machine(0.5, 0.5, 0.0).patience(2)
    patience.wait()
    assert patience.said() is None


@pytest.mark.parametrize("stalled_us, percent", [(0, 0.0), (25_000, 50.0)])
def test_pressure_is_what_was_stalled_since(tmp_path, monkeypatch, stalled_us, percent):
    file = tmp_path / "cpu"
    said = "some avg10=91.00 avg60=80.00 avg300=9.00 total={}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    file.write_text(said.format(1_000_000))
    clock = iter([10.0, 10.05])
    monkeypatch.setattr(pressure, "PRESSURE", file)
    monkeypatch.setattr(pressure.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(pressure.time, "sleep", lambda _: file.write_text(said.format(1_000_000 + stalled_us)))
    assert pressure.pressure_now(0.05) == pytest.approx(percent)


def test_a_kernel_without_it_is_quiet(tmp_path, monkeypatch):
    monkeypatch.setattr(pressure, "PRESSURE", tmp_path / "missing")
    assert (pressure.cpu_pressure(), pressure.pressure_now(0.0)) == (0.0, 0.0)
