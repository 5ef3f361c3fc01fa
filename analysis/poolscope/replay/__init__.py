"""Replaying measured work items in another world: with another pool, on other cores."""

from poolscope.replay.simulated import GoalChanges, Simulated
from poolscope.replay.simulate import simulate
from poolscope.replay.workload import Op, Program, Workload
from poolscope.replay.world import World

__all__ = ["GoalChanges", "Op", "Program", "Simulated", "Workload", "World", "simulate"]
