"""The tables of a capture, by name.

Generated from traces/schema.json by `./build.sh docs`; edit that file instead.
"""

from __future__ import annotations

from typing import Literal

TableName = Literal[
    "streams",
    "work_items",
    "timers",
    "tasks",
    "task_waits",
    "pool_changes",
    "hill_climbing",
    "pool_limits",
    "workers",
    "parked",
    "threads",
    "thread_states",
    "switches",
    "wakeups",
    "cpu_samples",
    "waits",
    "snapshots",
    "snapshot_moments",
    "stacks",
    "frames",
    "suspensions",
    "throttles",
    "lost_cpu",
    "capacity",
    "pool_counters",
    "event_counts",
    "sockets",
    "socket_reports",
    "socket_io",
    "requests",
    "earlier_requests",
    "earlier_calls",
    "calls",
    "activities",
    "losses",
    "item_parts",
    "request_parts",
]
