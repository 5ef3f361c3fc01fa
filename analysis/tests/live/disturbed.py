"""Recordings disturbed by other programs: they are made again before a test may fail because of them.

The measure is the core time of all other programs, not pressure (PSI). A workload that crowds the cores puts them under
pressure by itself, and so do niced processes, which always wait and delay no other process. Time taken by a virtual
machine's host counts as another program's.
"""

import os
import resource
import time
from collections import Counter
from pathlib import Path

STRANGERS = 0.2
"""Cores used by other programs during a recording, above which it no longer shows what the test is about."""
ATTEMPTS = 3
"""Maximum number of recordings for one key."""
BUDGET_S = 300.0
"""Time of all repeated recordings in a run, s: on a machine that is never quiet the tests keep the recordings they
have."""


def others_s():
    """Returns the core time of all processes except those that this process started and that have ended, s.

    It includes the time that the host took, and excludes that of niced processes, which give up a core as soon as
    another process wants it.
    """
    user, _, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    busy = (user + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy - sum(usage.ru_utime + usage.ru_stime for usage in (own, children))


class Beside:
    """Measures the cores that other programs used while a block ran. All processes started in the block must end with
    it."""

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
        """Returns whether a recording cannot bear that much; `own` is the number of cores of our process that runs
        on."""
        return self.cores > STRANGERS + own


def strangers_now(seconds):
    """Returns the cores that other programs use in the next `seconds`."""
    with Beside() as beside:
        time.sleep(seconds)
    return beside.cores


class Repeats:
    """The remaining budget for repeated recordings, and the number of recordings that stayed disturbed."""

    def __init__(self, budget_s=BUDGET_S, beside=Beside):
        self._beside = beside
        self.left_s = budget_s
        self.kept = 0

    def record(self, make, own=0.0):
        """Calls make() until it is undisturbed, at most ATTEMPTS times and within the budget; returns the last
        result."""
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
        """Takes this time from the budget and returns True, or returns False if the budget does not cover it."""
        if seconds > self.left_s:
            return False
        self.left_s -= seconds
        return True

    def said(self):
        """Returns the line for the end of the run, or None if no kept recording was disturbed."""
        if not self.kept:
            return None
        return f"noisy: other processes computed beside {self.kept} recordings, which were kept all the same"


class Captures:
    """Recordings by their arguments. A disturbed recording is made again if a test that used it fails."""

    def __init__(self, repeats, beside=Beside):
        self._repeats, self._new_beside = repeats, beside
        self._made: dict = {}
        self._beside: dict = {}
        self._attempts: Counter = Counter()
        self._taken: set = set()

    def get(self, key, record, read):
        """Returns read(record()) for a key; later calls return the first result."""
        self._taken.add(key)
        if key not in self._made:
            with self._new_beside() as beside:
                folder = record()
            self._attempts[key] += 1
            self._made[key], self._beside[key] = read(folder), beside
        return self._made[key]

    def judge(self, test):
        """Runs a test, and repeats it while it fails on a disturbed recording that may be made again."""
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
