"""Waiting for a quiet machine: one budget for all live tests, and then they run however busy it is."""

import time

from live.disturbed import STRANGERS, strangers_now

LOOK_S = 0.25
"""Beside a stranger that computes all the time it shows in this; what comes later is seen in the recording itself."""
BUDGET_S = 300.0


class Patience:
    """What is left of the budget, and how many recordings were made on a busy machine because nothing was."""

    def __init__(self, strangers=lambda: strangers_now(LOOK_S), clock=time.monotonic, budget_s=BUDGET_S):
        self._strangers, self._clock = strangers, clock
        self.left_s = budget_s
        self.hurried = 0

    def wait(self):
        """Returns when the machine is quiet, at once where it is, or when the budget is spent."""
        while self.left_s > 0:
            begun = self._clock()
            if self._strangers() <= STRANGERS:
                return
            self.left_s -= self._clock() - begun
        self.hurried += self._strangers() > STRANGERS

    def said(self):
        """What the end of the run says of it; None if nothing was hurried."""
        if not self.hurried:
            return None
        return f"noisy: the machine stayed busy; {self.hurried} recordings were made all the same"
