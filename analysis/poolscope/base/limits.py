"""Limits and defaults that callers may set, in one cheap module, because help texts also import them."""

from __future__ import annotations

POLICIES = ("net", "net4x", "net35", "net11", "rotor", "fixed", "instant")
"""Pools that can be simulated: the keys of poolscope.replay.policies. `fixed` has as many threads as its minimum."""
MOST_LOAD = 1000.0
"""The greatest load, in multiples of the captured traffic. More copies of the same items show nothing new."""
MOST_REPLICATIONS = 1000
SEED = 1
"""The default seed."""
MODEL_ERROR = 0.25
"""The greatest relative error of the replay of the run as it was. Above it, Poolscope predicts no figure and
prescribes no setting. Real runs of one setting differ by a tenth, and an error of a quarter hides which of two
settings is better."""

LATE_LIMIT_MS = 50.0
"""An item is late if it waited longer. Users do not notice 50 ms behind a network request, and the pool's own reaction
to a lack of threads takes 500 ms. Waits below this limit are wake-ups, time slices and short bursts."""
