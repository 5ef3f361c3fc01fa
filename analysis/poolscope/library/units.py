"""The units in which the library's frames say durations and times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS, NS_PER_S, NS_PER_US
from poolscope.capture import DecodedCapture
from poolscope.capture.manifest import utc_ns_at_start
from poolscope.library import arguments

Units = Literal["ns", "us", "ms", "s", "timedelta"]
"""How durations are given: int64 or float64 ns, as they were measured; float64 of another unit; or pandas Timedelta."""
UNITS: tuple[Units, ...] = ("ns", "us", "ms", "s", "timedelta")
Times = Literal["ns", "timedelta", "timestamp"]
"""How points in time are given: int64 ns of CLOCK_MONOTONIC, -1 where not known; Timedelta since the start of the capture; or
Timestamp in UTC. Both of pandas have NaT where the time is not known."""
TIMES: tuple[Times, ...] = ("ns", "timedelta", "timestamp")

_NAT = np.iinfo(np.int64).min
"""NaT as NumPy and pandas store it."""
_NS_PER = {"us": NS_PER_US, "ms": NS_PER_MS, "s": NS_PER_S}


def check_units(units: object) -> str:
    """Raises InvalidArgument or TypeError for what is none of UNITS."""
    return arguments.choice("units", units, UNITS)


def check_times(times: object) -> str:
    """Raises InvalidArgument or TypeError for what is none of TIMES."""
    return arguments.choice("times", times, TIMES)


def in_units(frame: pd.DataFrame, durations: Sequence[str], units: str) -> pd.DataFrame:
    """Returns a copy of `frame` with these columns, which are ns, in one of UNITS."""
    if units == "ns":
        return frame
    changed = {name: _duration(frame[name], units) for name in durations}
    return frame.assign(**changed)


def _duration(column: pd.Series, units: str) -> pd.Series:
    if units != "timedelta":
        return column / _NS_PER[units]
    missing = column.isna().to_numpy()
    whole = np.where(missing, 0, np.rint(column.to_numpy())).astype(np.int64)
    return pd.Series(np.where(missing, _NAT, whole).view("timedelta64[ns]"), index=column.index)


def in_times(frame: pd.DataFrame, columns: Sequence[str], times: str, capture: DecodedCapture) -> pd.DataFrame:
    """Returns a copy of `frame` with these columns, which are ns of the capture's clock, in one of TIMES."""
    if times == "ns":
        return frame
    convert = _since_start if times == "timedelta" else _in_utc
    return frame.assign(**{name: convert(frame[name], capture) for name in columns})


def _since_start(column: pd.Series, capture: DecodedCapture) -> pd.Series:
    since = _known(column, column.to_numpy() - capture.window[0])
    return pd.Series(since.view("timedelta64[ns]"), index=column.index)


def _in_utc(column: pd.Series, capture: DecodedCapture) -> pd.Series:
    clock = capture.manifest["clock"]
    at = _known(column, column.to_numpy() - int(clock["start_ns"]) + utc_ns_at_start(clock))
    return pd.Series(at.view("datetime64[ns]"), index=column.index).dt.tz_localize("UTC")


def _known(column: pd.Series, value: IntArray) -> IntArray:
    """Returns `value`, int64, with NaT where the time in `column` is unknown."""
    return np.where(column.to_numpy() < 0, _NAT, value).astype(np.int64)
