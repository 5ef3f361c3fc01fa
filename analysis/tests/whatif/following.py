"""Requests of a web service, written by hand. Times are ms."""

import numpy as np
from poolscope.whatif.requests import FollowedRequests

MS = 1_000_000


def followed(arrived, last, missing, took=5):
    """Returns requests that leave the application as their item ends, and are answered then."""
    arrived, last = np.array(arrived) * MS, np.array(last)
    left = arrived + took * MS
    return FollowedRequests(
        row=np.arange(len(last)),
        arrived=arrived,
        answered=left,
        left=left,
        sender=last,
        last=last,
        apart=np.zeros(len(last), dtype=bool),
        joined=np.zeros(len(last), dtype=bool),
        sending=np.zeros(len(last), dtype=np.int64),
        sender_end=left,
        last_end=left,
        senders=np.zeros(0, dtype=np.int64),
        queues=0,
        missing=np.array(missing) * MS,
        unfinished=0,
        stop=1000 * MS,
    )
