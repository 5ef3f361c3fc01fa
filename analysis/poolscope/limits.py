"""What a what-if takes, in one place that costs nothing to import: help texts and completion name these too. And how far
the replay may miss a run before nothing is predicted from it."""

from __future__ import annotations

POLICIES = ("net", "net4x", "net35", "net11", "rotor", "fixed", "instant")
"""Pools that can be simulated: the keys of poolscope.replay.policies. `fixed` has as many threads as its minimum."""
MOST_LOAD = 1000.0
"""Times the captured traffic. More copies of the same items than that say nothing that these do not."""
MOST_REPLICATIONS = 1000
SEED = 1
"""Where nobody gives one."""
MODEL_ERROR = 0.25
"""Relative error of the replay of the run as it was. Above it no figure is predicted and no setting is prescribed: real
runs of one setting differ by a tenth, and with a quarter the order of two settings cannot be told any more."""
