"""Replays measured work items in another world: with another pool, or on other cores."""

from poolscope.replay.simulate import GoalChanges, Simulated, World, simulate
from poolscope.replay.workload import Op, Program, Workload

__all__ = ["GoalChanges", "Op", "Program", "Simulated", "Workload", "World", "simulate"]
