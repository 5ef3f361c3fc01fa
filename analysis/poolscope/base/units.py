"""The units that people read, in the units of all computations."""

from __future__ import annotations

NS_PER_US = 1e3
NS_PER_MS = 1e6
NS_PER_S = 1e9
MS_PER_S = 1e3
