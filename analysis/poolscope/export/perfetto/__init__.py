"""Perfetto's trace format: worker threads, items and their flows, the pool's counters and changes (docs/export.md)."""

from poolscope.export.perfetto.content import write

__all__ = ["write"]
