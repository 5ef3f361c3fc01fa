"""Replaying measured work items in a world where one obstacle is gone: the engine and its inputs."""

from poolscope.replay.engine import Outcome, replay
from poolscope.replay.environment import Environment
from poolscope.replay.workload import Stretches, Workload

__all__ = ["Environment", "Outcome", "Stretches", "Workload", "replay"]
