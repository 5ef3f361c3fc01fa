"""Policies: how a pool gives its items threads, one file each, with its constants and where they are from."""

from poolscope.replay.policies.allowed import Allowed
from poolscope.replay.policies.dedicated import Dedicated
from poolscope.replay.policies.fixed import Fixed
from poolscope.replay.policies.instant import Instant
from poolscope.replay.policies.net import Net, NetKnobs
from poolscope.replay.policies.net4x import Net4x
from poolscope.replay.policies.net11 import Net11
from poolscope.replay.policies.net35 import Net35
from poolscope.replay.policies.policy import Policy
from poolscope.replay.policies.rotor import Rotor

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
