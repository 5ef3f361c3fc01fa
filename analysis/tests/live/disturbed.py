"""Recordings beside which strangers computed: they are made again before a test may fail by them.

What counts is how much everybody else held of the cores meanwhile, and not pressure (PSI): a workload that crowds the cores puts
them under pressure by itself, and so do niced processes, which wait all the time and hold up nobody. What the host of a virtual
machine took counts as a stranger's.
"""

import os
import resource
import time
from collections import Counter
from pathlib import Path

STRANGERS = 0.2
"""Cores that everybody else held during a recording: above it, what was recorded is not what the test is about."""
ATTEMPTS = 3
"""Recordings of one thing at most."""
BUDGET_S = 300.0
"""All repeated recordings of a run together: on a machine that is never quiet the tests take what they have."""


def others_s():
    """Core time of everybody but the processes that we started and that have ended, s.

    Time that the host took counts too. That of niced processes does not: they give a core away when anybody else wants it.
    """
    user, _, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    busy = (user + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy - sum(usage.ru_utime + usage.ru_stime for usage in (own, children))


class Beside:
    """What strangers held of the cores while a block ran. Every process that was started in it must have ended with it."""

    def __init__(self, clock=time.monotonic, others=others_s):
        self._clock, self._others = clock, others
        self.cores = self.seconds = 0.0

    def __enter__(self):
        self._begun, self._before = self._clock(), self._others()
        return self

    def __exit__(self, *_):
        self.seconds = self._clock() - self._begun
        self.cores = (self._others() - self._before) / max(self.seconds, 1e-9)

    def disturbed(self, own=0.0):
        """Whether it was more than a recording bears; `own`: cores of a process of ours that goes on."""
        return self.cores > STRANGERS + own


def strangers_now(seconds):
    """Cores that everybody else holds in the next `seconds`."""
    with Beside() as beside:
        time.sleep(seconds)
    return beside.cores


class Repeats:
    """What is left of the budget for recordings that are made again, and how many stayed disturbed."""

    def __init__(self, budget_s=BUDGET_S, beside=Beside):
        self._beside = beside
        self.left_s = budget_s
        self.kept = 0

    def record(self, make, own=0.0):
        """make() until nobody disturbed it, at most ATTEMPTS times and within the budget; returns what the last one gave."""
        for attempt in range(1, ATTEMPTS + 1):
            with self._beside() as beside:
                made = make()
            if not beside.disturbed(own):
                return made
            if attempt == ATTEMPTS or not self.spend(beside.seconds):
                break
        self.kept += 1
        return made

    def spend(self, seconds):
        """Whether a recording that took this long may be made again; then its time is spent."""
        if seconds > self.left_s:
            return False
        self.left_s -= seconds
        return True

    def said(self):
        """What the end of the run says of it; None if nothing was disturbed."""
        if not self.kept:
            return None
        return f"noisy: other processes computed beside {self.kept} recordings, which were kept all the same"


class Captures:
    """What was recorded, by its arguments. What strangers disturbed is recorded again if a test that took it fails."""

    def __init__(self, repeats, beside=Beside):
        self._repeats, self._new_beside = repeats, beside
        self._made: dict = {}
        self._beside: dict = {}
        self._attempts: Counter = Counter()
        self._taken: set = set()

    def get(self, key, record, read):
        """read(record()) for a key, as it was made first."""
        self._taken.add(key)
        if key not in self._made:
            with self._new_beside() as beside:
                folder = record()
            self._attempts[key] += 1
            self._made[key], self._beside[key] = read(folder), beside
        return self._made[key]

    def judge(self, test):
        """Runs a test; again, as long as it fails by a recording that was disturbed and may be made again."""
        while True:
            self._taken = set()
            try:
                return test()
            except Exception:
                disturbed = [key for key in self._taken & set(self._made) if self._beside[key].disturbed()]
                for key in disturbed:
                    print(f"noisy: other processes held {self._beside[key].cores:.2f} cores beside {key}")
                again = [key for key in disturbed if self._attempts[key] < ATTEMPTS]
                if not again or not self._repeats.spend(sum(self._beside[key].seconds for key in again)):
                    raise
                for key in again:
                    del self._made[key]
