"""Limits and defaults that callers may set, in one place that costs nothing to import: help texts name these too."""

from __future__ import annotations

POLICIES = ("net", "net4x", "net35", "net11", "rotor", "fixed", "instant")
"""Pools that can be simulated: the keys of poolscope.replay.policies. `fixed` has as many threads as its minimum."""
MOST_LOAD = 1000.0
"""Times the captured traffic. More copies of the same items than that say nothing that these do not."""
MOST_REPLICATIONS = 1000
SEED = 1
"""The default."""
MODEL_ERROR = 0.25
"""Relative error of the replay of the run as it was. Above it no figure is predicted and no setting is prescribed: real
runs of one setting differ by a tenth, and with a quarter the order of two settings cannot be determined any more."""

LATE_LIMIT_MS = 50.0
"""An item is late when it waited longer. Users do not notice 50 ms behind a network request, and the pool's own reaction to a
lack of threads takes 500 ms: below this limit waits are wake-ups, time slices and short bursts."""
