"""Replaying measured work items in another world: with another pool, on other cores."""

from poolscope.replay.outcome import GoalChanges, Outcome
from poolscope.replay.simulate import simulate
from poolscope.replay.workload import Op, Program, Workload
from poolscope.replay.world import World

__all__ = ["GoalChanges", "Op", "Outcome", "Program", "Workload", "World", "simulate"]
