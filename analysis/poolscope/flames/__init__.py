"""Flame graphs in ms: where workers were blocked while items waited, and what ready workers without a core were about
to run."""

from poolscope.flames.off_cpu import BlockedFlame, ReadyFlame, blocked_flame, ready_flame

__all__ = ["BlockedFlame", "ReadyFlame", "blocked_flame", "ready_flame"]
