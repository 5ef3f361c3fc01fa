"""Who the recording itself is: threads that would not be there without it."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.capture import DecodedCapture

SENDER = ".NET EventPipe"
"""The runtime's thread that sends a session's events; one for each session, of .NET 8 to 10."""


def recorder_threads(capture: DecodedCapture) -> IntArray | None:
    """Returns the threads of the collector, and those of the target that sent it events: ids, shape (threads,). The
    sender of another tool's session counts as well, because nothing distinguishes the two.

    None if the manifest does not name the collector's process, or other processes were not seen.
    """
    pid = capture.manifest["tool"].get("pid")
    if pid is None or not capture.sees_other_processes or not capture.has("threads"):
        return None
    threads = capture.table("threads")
    of = threads["pid"].to_numpy()
    sends = (of == int(capture.manifest["target"]["pid"])) & (threads["name"].to_numpy() == SENDER)
    found: IntArray = np.unique(threads["tid"].to_numpy()[(of == int(pid)) | sends])
    return found
