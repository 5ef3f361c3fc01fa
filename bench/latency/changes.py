"""Requests under other settings: predicted from one capture, and measured by the load generator's clock after the real
change."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from poolscope.attribution import Attribution, attribute
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture, open_capture
from poolscope.measures.services import find_service_calls, load_sockets
from poolscope.whatif.calibration import calibrate
from poolscope.whatif.predict import Predictor
from poolscope.whatif.setting import Setting

BEGIN = "<!-- begin: written by ./build.sh bench latency --changes -->"
END = "<!-- end of changes -->"
SMALL_MS = 5.0
"""Differences below this do not count, as in docs/how-we-measure.md."""
DATABASE_MS = 200.0
"""The service's default query time (docs/service.md)."""
STATISTICS = {"p50": 0.50, "p99": 0.99}
REST_S = 30
"""Maximum time for a changed service to send missing answers after the load ends; it stops once it has sent them."""


@dataclass(frozen=True)
class Change:
    """A setting, and the service's arguments that make it real."""

    setting: Setting
    arguments: tuple[str, ...]
    rate: int
    database: float = 1.0
    """Speed factor of the database."""

    def setting_of(self, capture: DecodedCapture, attribution: Attribution) -> Setting:
        """Returns the setting with the database's endpoint in a capture, which is the only service called."""
        if self.database == 1.0:
            return self.setting
        [endpoint] = find_service_calls(load_sockets(capture, attribution)).services()
        return replace(self.setting, faster=((endpoint, self.database),))


def _threads(rate: int, *minimums: int) -> list[Change]:
    return [Change(Setting(f"min {n} threads", min_threads=n), ("--min-threads", str(n)), rate) for n in minimums]


def _load(rate: int, *times: float) -> list[Change]:
    return [Change(Setting(f"{x:g} times the load", load=x), (), round(rate * x)) for x in times]


def _database(rate: int, *times: float) -> list[Change]:
    return [
        Change(Setting(f"database {x:g} times as fast"), ("--db-ms", f"{DATABASE_MS / x:g}"), rate, x) for x in times
    ]


def _arrivals(change: Change, run: int) -> tuple[str, ...]:
    """Returns options for other arrivals at another rate: their randomness is part of the difference between runs."""
    return ("--seed", str(run + 1)) if change.setting.load != 1.0 else ()


SCENARIOS: dict[tuple[str, int], list[Change]] = {
    ("sync", 60): [*_threads(60, 6, 10, 16, 32), *_load(60, 0.5), *_database(60, 2, 10)],
    ("sync", 20): [*_threads(20, 4, 8, 16), *_load(20, 0.5, 2), *_database(20, 0.5, 2, 10)],
    ("sync", 30): _threads(30, 8, 16),
    ("sync-over-async", 30): [*_threads(30, 8, 16, 32), *_load(30, 0.5, 2), *_database(30, 2)],
    ("timer", 60): _threads(60, 32),
    ("none", 60): [*_threads(60, 8), *_load(60, 2, 5), *_database(60, 0.5, 2, 10)],
}


def run_changes(collect: Path, service: Path, seconds: int, drain: int, runs: int) -> list[dict[str, Any]]:
    """Returns one row for each change: predicted and measured p50 and p99, ms, and their errors."""
    rows = []
    for (fault, rate), changes in SCENARIOS.items():
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "capture"
            load = ["--fault", fault, "--duration", seconds]
            _run([collect, "collect", "-o", place, "--", service, "run", *load, "--rate", rate, "--drain", drain])
            capture = open_capture(place)
            attribution = attribute(capture)
            predictor = Predictor(capture, attribution)
            predicted = predictor.predict([change.setting_of(capture, attribution) for change in changes])
            fit, usable = predictor.request_fit, calibrate(predictor).is_usable
            for change, prediction in zip(changes, predicted, strict=True):
                measured = []
                for number in range(runs):
                    log = Path(folder) / f"log-{number}.csv"
                    made = [*change.arguments, *_arrivals(change, number), "--rate", change.rate, "--drain", REST_S]
                    _run([service, "run", *load, *made, "--log", log])
                    measured.append(_client_ms(log))
                row: dict[str, Any] = {
                    "fault": fault,
                    "rate": rate,
                    "change": change.setting.label,
                    "followed": 0 if fit is None else fit.count,
                    "replay_error": None if fit is None else fit.error,
                    "left_out": 0 if fit is None else fit.left_out,
                    "answered": 0 if fit is None else fit.answered,
                    "missing": 0 if fit is None else fit.missing,
                    "unfinished": 0 if fit is None else fit.unfinished,
                    "measured": measured,
                    "never_ms": (seconds + REST_S) * 1000.0,
                    "predicted": None if prediction.requests is None else prediction.requests.latency_ms,
                    "usable": usable,
                    "about": [] if prediction.requests is None else prediction.requests.about,
                    "told": prediction.requests is not None and (usable or not prediction.requests.needs_growth),
                }
                rows.append({**row, **{f"error_{name}": _error(row, name) for name in STATISTICS}})
                print(rows[-1], flush=True)
    return rows


def _run(command: list[Any]) -> None:
    subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, check=True)


def _client_ms(log: Path) -> dict[str, float]:
    sent = pd.read_csv(log)
    good = sent["outcome"] == "ok"
    latency = ((sent["ended"] - sent["sent"]) / NS_PER_MS).where(good, np.inf)
    figures = {name: float(latency.quantile(q, interpolation="lower")) for name, q in STATISTICS.items()}
    return {**figures, "answered": int(good.sum()), "requests": len(sent)}


def _error(row: dict[str, Any], name: str) -> float | None:
    """Returns the distance of the prediction to the median of the runs, as a share of it; 0 within their range. A
    prediction beyond the time for which the service was watched counts as never answered. None without a prediction."""
    if row["predicted"] is None:
        return None
    values, predicted = [m[name] for m in row["measured"]], row["predicted"][name]
    middle = float(np.median(values))
    if np.isinf(middle):
        return 0.0 if predicted >= row["never_ms"] else np.inf
    if min(values) <= predicted <= max(values) or abs(predicted - middle) < SMALL_MS:
        return 0.0
    return float(abs(predicted - middle) / max(middle, SMALL_MS))


def _said(ms: float) -> str:
    return "never" if np.isinf(ms) else f"{ms:,.0f}"


def markdown(rows: list[dict[str, Any]], machine: str) -> str:
    """Returns the table of docs/measured/requests.md."""
    lines = [
        f"{machine} *Measured*: the load generator's clock, median of {len(rows[0]['measured'])} runs without a collector, least "
        "and most in parentheses; ms. *Predicted*: from one capture of the service as it was, of all requests that came in it; "
        "*followed* are those that had left the application, *answered* those of them with an answer. *Error*: as a part of the measured median; 0 within the range of the runs or below 5 ms. "
        "*Never*: half of the requests, or one in a hundred, had no answer 30 s after the load. "
        "*About*: a direction, says the prediction itself. \N{DAGGER}: page and command do not show these figures: the simulation does "
        "not reproduce the capture's work items (calibration), and the pool's growth matters here.",
        "",
        "| service | change | answered, followed, not begun | p50 | predicted | error | p99 | predicted | error |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        cells = []
        for name in STATISTICS:
            values = [m[name] for m in row["measured"]]
            predicted, error = row["predicted"], row[f"error_{name}"]
            cells += [
                f"{_said(float(np.median(values)))} ({_said(min(values))} to {_said(max(values))})",
                "" if predicted is None else ("about " if name in row["about"] else "") + _said(predicted[name]),
                "not predicted" if error is None else f"{100 * error:.0f} %",
            ]
        hidden = "" if row["told"] or row["predicted"] is None else "\N{DAGGER}"
        lines.append(
            f"| `{row['fault']}`, {row['rate']}/s{hidden} | {row['change']} | {row['answered']:,}, {row['followed']:,}, {row['missing']:,} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(lines) + "\n"
