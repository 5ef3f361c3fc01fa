"""Waiting for a quiet machine: all live tests share one budget, and run on a busy machine once it is spent."""

import time

from live.disturbed import STRANGERS, strangers_now

LOOK_S = 0.25
"""A program that computes throughout shows in this time; one that starts later shows in the recording itself."""
BUDGET_S = 300.0


class Patience:
    """The remaining budget, and the number of recordings made on a busy machine because it was spent."""

    def __init__(self, strangers=lambda: strangers_now(LOOK_S), clock=time.monotonic, budget_s=BUDGET_S):
        self._strangers, self._clock = strangers, clock
        self.left_s = budget_s
        self.hurried = 0

    def wait(self):
        """Returns when the machine is quiet, or when the budget is spent."""
        while self.left_s > 0:
            begun = self._clock()
            if self._strangers() <= STRANGERS:
                return
            self.left_s -= self._clock() - begun
        self.hurried += self._strangers() > STRANGERS

    def said(self):
        """Returns the line for the end of the run, or None if no recording was made on a busy machine."""
        if not self.hurried:
            return None
        return f"noisy: the machine stayed busy; {self.hurried} recordings were made all the same"
