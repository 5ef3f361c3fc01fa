"""A live recording is made again if other programs computed beside it, but not without limit."""

from types import SimpleNamespace

import pytest
from live import disturbed
from live.disturbed import ATTEMPTS, STRANGERS, Beside, Captures, Repeats


class Machine:
    """The cores that other programs use beside each recording in turn; each takes 10 s."""

    def __init__(self, *cores):
        self.cores, self.now, self.others, self.made = list(cores), 0.0, 100.0, 0

    def record(self):
        self.now += 10
        self.others += 10 * self.cores[min(self.made, len(self.cores) - 1)]
        self.made += 1
        return self.made

    def beside(self):
        return Beside(lambda: self.now, lambda: self.others)

    def repeats(self, budget_s=1000.0):
        return Repeats(budget_s, self.beside)


def test_what_strangers_held_is_a_mean_over_the_recording():
    machine = Machine(0.3)
    with machine.beside() as beside:
        machine.record()
    assert (beside.seconds, beside.cores) == (10, pytest.approx(0.3))
    assert beside.disturbed() and not beside.disturbed(own=0.2)


def test_an_undisturbed_recording_is_made_once():
    machine = Machine(STRANGERS - 0.01)
    repeats = machine.repeats()
    assert repeats.record(machine.record) == machine.made == 1
    assert repeats.said() is None


def test_a_disturbed_one_is_made_again_until_it_is_not():
    machine = Machine(0.5, 0.5, 0.0)
    repeats = machine.repeats()
    assert repeats.record(machine.record) == machine.made == 3
    assert repeats.said() is None and repeats.left_s == 980


def test_the_last_one_is_kept_and_that_is_said():
    machine = Machine(0.5)
    repeats = machine.repeats()
    assert repeats.record(machine.record) == machine.made == ATTEMPTS
    assert "beside 1 recordings" in repeats.said()


def test_the_budget_is_for_all_of_them():
    machine = Machine(0.5)
    repeats = machine.repeats(budget_s=15)
    repeats.record(machine.record)
    repeats.record(machine.record)
    assert machine.made == 3 and repeats.left_s == 5 and "beside 2 recordings" in repeats.said()


def captures(machine, **options):
    made = Captures(machine.repeats(**options), machine.beside)
    return lambda key="spin": made.get(key, machine.record, lambda folder: f"read {folder}"), made


def fails_below(least, take):
    def test():
        if int(take().split()[1]) < least:
            raise AssertionError("as strangers made it")

    return test


def test_a_recording_is_made_once_for_all_tests_however_disturbed_if_none_fails():
    machine = Machine(0.9)
    take, made = captures(machine)
    for _ in range(3):
        made.judge(lambda: take())
    assert machine.made == 1


def test_a_test_that_fails_by_a_disturbed_recording_has_another_one():
    machine = Machine(0.9, 0.0)
    take, made = captures(machine)
    made.judge(fails_below(2, take))
    assert machine.made == 2


def test_a_test_that_fails_on_a_quiet_machine_fails_at_once():
    machine = Machine(0.0)
    take, made = captures(machine)
    with pytest.raises(AssertionError):
        made.judge(fails_below(2, take))
    assert machine.made == 1


def test_only_what_the_test_took_is_made_again():
    machine = Machine(0.9)
    take, made = captures(machine)
    made.judge(lambda: take("other"))
    made.judge(fails_below(3, take))
    made.judge(lambda: take("other"))
    assert machine.made == 3


@pytest.mark.parametrize(("budget_s", "most"), [(1000.0, ATTEMPTS), (5.0, 1)])
def test_a_test_that_fails_every_time_fails(budget_s, most, capfd):
    machine = Machine(0.9)
    take, made = captures(machine, budget_s=budget_s)
    with pytest.raises(AssertionError):
        made.judge(fails_below(99, take))
    assert machine.made == most
    assert "noisy: other processes held 0.90 cores beside spin" in capfd.readouterr().out


def test_niced_processes_are_no_strangers_and_what_the_host_took_is(monkeypatch):
    ticks = {"user": 100, "nice": 0, "system": 10, "idle": 5000, "iowait": 7, "irq": 1, "softirq": 2, "steal": 0}
    monkeypatch.setattr(
        disturbed.Path, "read_text", lambda _: f"cpu  {' '.join(map(str, ticks.values()))} 0 0\ncpu0 1\n"
    )
    monkeypatch.setattr(disturbed.os, "sysconf", lambda _: 100)
    monkeypatch.setattr(disturbed.resource, "getrusage", lambda _: SimpleNamespace(ru_utime=0.1, ru_stime=0.0))
    assert disturbed.others_s() == pytest.approx(1.13 - 0.2)
    ticks.update(nice=900, idle=9000, iowait=99)
    assert disturbed.others_s() == pytest.approx(1.13 - 0.2)
    ticks.update(steal=50)
    assert disturbed.others_s() == pytest.approx(1.63 - 0.2)


def test_this_machine_has_the_counters():
    with Beside() as beside:
        sum(range(10**6))
    assert beside.seconds > 0 and beside.cores > -0.5 / beside.seconds
