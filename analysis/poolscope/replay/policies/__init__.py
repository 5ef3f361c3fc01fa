"""Policies: how a pool gives its items threads. Each file has its constants and their sources."""

from poolscope.replay.policies.net import Net, Net4x, NetKnobs
from poolscope.replay.policies.policy import Allowed, Dedicated, Policy
from poolscope.replay.policies.reference import Fixed, Instant, Net11, Net35, Rotor

__all__ = [
    "Allowed",
    "Dedicated",
    "Fixed",
    "Instant",
    "Net",
    "Net11",
    "Net35",
    "Net4x",
    "NetKnobs",
    "Policy",
    "Rotor",
]
