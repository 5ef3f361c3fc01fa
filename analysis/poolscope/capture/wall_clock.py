"""The wall clock of a capture, beside the monotonic one that its times are on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from poolscope.base.units import MS_PER_S, NS_PER_MS


def utc_ns_at_start(clock: Mapping[str, Any]) -> int:
    """Returns nanoseconds since 1970 in UTC at `clock.start_ns` of a manifest, good to a millisecond."""
    seconds = datetime.fromisoformat(str(clock["start_utc"])).timestamp()
    return round(seconds * MS_PER_S) * int(NS_PER_MS)
