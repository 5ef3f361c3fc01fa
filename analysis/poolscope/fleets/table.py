"""The captures of a fleet as a table with one row each, and other results of the library as DataFrames."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd

from poolscope.base.errors import ExitCode, InvalidArgument, PoolscopeError
from poolscope.base.files import written_whole
from poolscope.base.sketch import Sketch
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.findings.finding import Lateness
from poolscope.fleets.answer import FleetAnswer
from poolscope.measures.requests.parts import PARTS
from poolscope.product.causes import CAUSES

ENDINGS = (".npz", ".parquet", ".csv")


def captures_frame(answer: FleetAnswer) -> pd.DataFrame:
    """Returns one row per capture, with those that could not be analysed last.

    - `source`, `name`, `start_utc`, `seconds` (recorded), and a column `by KEY` for each key that captures are grouped
      by;
    - `verdict`, `confidence`, `items`;
    - `wait_s` (summed), `wait_CAUSE_s`, `wait_mean_ms`, `wait_p50_ms`, `wait_p99_ms`;
    - `requests`, `latency_s`, `latency_p99_ms`, `latency_PART_s` (of the answered requests), `incidents`;
    - `place`, `late`, `late_unit` and `late_s`: late requests and their place;
    - `failed`: why a capture has no figures, otherwise empty.

    Unknown figures are NaN.
    """
    rows: list[dict[str, object]] = []
    for at, row in enumerate(answer.rows):
        rows.append(
            {
                "source": row.source,
                "name": row.name,
                "start_utc": row.start_utc,
                "seconds": row.seconds,
                **{f"by {key}": values[at] for key, values in answer.values.items()},
                "verdict": row.verdict,
                "confidence": row.confidence,
                "items": row.wait.count,
                "wait_s": row.wait.total / NS_PER_S,
                **{f"wait_{name}_s": row.parts[name].total / NS_PER_S for name in CAUSES if name in row.parts},
                **_ms("wait", row.wait),
                "requests": 0 if row.latency is None else row.latency.count,
                **({} if row.latency is None else {**_ms("latency", row.latency)}),
                **{f"latency_{name}_s": row.parts_ns[name] / NS_PER_S for name in PARTS if name in row.parts_ns},
                "incidents": len(row.incidents),
                **_late(row.run.late),
                "failed": "",
            }
        )
    rows += [{"source": one.source, "failed": one.reason} for one in answer.failed]
    fixed = ["source", "name", "start_utc", "seconds", "verdict", "confidence", "items", "wait_s", "requests", "failed"]
    return pd.DataFrame(rows, columns=None if rows else fixed)


def _late(late: Lateness | None) -> dict[str, object]:
    if late is None:
        return {"place": ""}
    return {"late": late.late, "late_unit": late.unit, "late_s": late.seconds, "place": late.place or "not known"}


def _ms(name: str, sketch: Sketch) -> dict[str, object]:
    if not sketch.count:
        return {}
    return {
        f"{name}_mean_ms": sketch.mean / NS_PER_MS,
        **{f"{name}_p{p}_ms": sketch.quantile(p / 100).value / NS_PER_MS for p in (50, 90, 99)},
    }


def check_table(path: Path) -> None:
    """Raises InvalidArgument for a suffix that is not in ENDINGS, PoolscopeError for Parquet if no package can write
    it."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InvalidArgument(f"--table {path}: its name ends in one of {', '.join(ENDINGS)}")
    if ending == ".parquet":
        try:
            import_module("pyarrow")
        except ImportError as error:
            raise PoolscopeError(
                f"--table {path}: Parquet needs pyarrow, which is not installed: pip install pyarrow; or name a .npz",
                ExitCode.USAGE,
            ) from error


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Writes the table completely or not at all. In an .npz each column is an array; texts are Unicode, not objects."""
    with written_whole(path) as temporary:
        if path.suffix.lower() == ".parquet":
            frame.to_parquet(temporary)
        elif path.suffix.lower() == ".csv":
            frame.to_csv(temporary, index=False)
        else:
            columns = {
                str(name): column.to_numpy(dtype=float)
                if column.dtype.kind in "if"
                else column.fillna("").astype(str).to_numpy(dtype=np.str_)
                for name, column in frame.items()
            }
            with open(temporary, "wb") as file:
                np.savez_compressed(file, **columns)
