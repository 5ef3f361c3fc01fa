"""Poolscope: why did this thread-pool work item start late?"""

__version__ = "0.1.0"
