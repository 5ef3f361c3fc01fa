"""Stacks, waits and snapshots for captures written by hand."""

from poolscope.attribution import attribute
from poolscope.blame import assign_blame
from synthetic_stacks import Stacks  # noqa: F401

DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
MONITOR = "System.Threading.Monitor.Wait"
LOCK = "System.Threading.Monitor.Enter"
SLEEP = "System.Threading.Thread.Sleep"
TASK = "System.Threading.Tasks.Task.SpinThenBlockingWait"


def blame_of(builder):
    capture = builder.write()
    return assign_blame(capture, attribute(capture))
