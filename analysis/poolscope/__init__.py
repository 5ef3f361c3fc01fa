"""Poolscope: why did this thread-pool work item start late?"""

from poolscope.version import __version__ as __version__
