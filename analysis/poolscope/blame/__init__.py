"""Blame: which code held the pool's threads while items waited."""

from poolscope.blame.blame import Blame, BlameRow, assign_blame

__all__ = ["Blame", "BlameRow", "assign_blame"]
