"""Nanoseconds, in which everything is computed, per unit in which people read."""

from __future__ import annotations

NS_PER_US = 1e3
NS_PER_MS = 1e6
NS_PER_S = 1e9
