"""Captures that are larger than the memory: how much one needs, and which part of it is analysed (docs/large-captures.md)."""
