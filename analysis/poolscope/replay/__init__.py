"""Replaying measured work items in another world: with another pool, on other cores."""

from poolscope.replay.engine import Outcome, replay
from poolscope.replay.environment import Environment
from poolscope.replay.workload import Op, Program, Workload
from poolscope.replay.world import World

__all__ = ["Environment", "Op", "Outcome", "Program", "Workload", "World", "replay"]
