"""Compares two sides of captures: which waits became longer or shorter, and whether that is more than noise."""

from poolscope.compare.comparison import Comparison, compare, compare_runs
from poolscope.compare.run import ComparedRun, load_run

__all__ = ["Comparison", "ComparedRun", "compare", "compare_runs", "load_run"]
