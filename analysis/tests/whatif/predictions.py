"""Predictions and captured values, written by hand, for tests of the conclusions from them."""

from typing import Any

from poolscope.base.series import Steps
from poolscope.whatif import Prediction, Setting
from poolscope.whatif.prediction import RequestFigures
from poolscope.whatif.setting import Captured


def captured(**other):
    """Returns a .NET pool with a minimum of 2 threads on 2 cores and an unlimited maximum."""
    known: dict[str, Any] = {
        "policy": "net",
        "min_threads": 2,
        "max_threads": 32767,
        "min_follows_cores": True,
        "minimum_over_time": Steps.constant(2.0),
        "maximum_over_time": Steps.constant(32767.0),
        "processors": 2,
        "core_count": 2.0,
        "cores": Steps.constant(2.0),
        "suspension": Steps.constant(0.0),
        "competitors": Steps.constant(0.0),
        "new_thread_ns": 150e3,
        "peak_busy": 2,
        "peak_threads": 2,
    }
    return Captured(**{**known, **other})


def requests(mean):
    """Returns requests with this mean latency, ms, without any wait for a thread."""
    return RequestFigures(dict.fromkeys(("mean", "p50", "p99", "max"), mean), mean, mean, {"mean": 0.0})


def prediction(threads=None, wait=0.0, completion=100.0, p99=None, end=None, spread=0.01, **other):
    """Returns a prediction. Means in ms; p99 defaults to twice the mean, and the runs differ by `spread` each way."""
    p99 = 2 * wait if p99 is None else p99
    known: dict[str, Any] = {
        "setting": Setting("x", min_threads=threads),
        "wait_ms": {"mean": wait, "p50": wait, "p99": p99, "max": p99},
        "completion_ms": {"mean": completion, "p50": completion, "p99": 2 * completion, "max": 2 * completion},
        "delay_ms": completion,
        "delay_low_ms": completion * (1 - spread),
        "delay_high_ms": completion * (1 + spread),
        "wait_low_ms": wait * (1 - spread),
        "wait_high_ms": wait * (1 + spread),
        "p99_low_ms": p99,
        "p99_high_ms": p99,
        "completion_low_ms": completion * (1 - spread),
        "completion_high_ms": completion * (1 + spread),
        "requests": None,
        "end_ms": 1000.0 if end is None else end,
        "items": 100,
        "peak_threads": threads or 2,
        "at_once": threads or 2,
        "stack_bytes": 0,
        "context_switches": 0.0,
        "deadlock": False,
        "stuck": 0,
        "lower_bound": False,
        "why": [],
    }
    return Prediction(**{**known, **other})
