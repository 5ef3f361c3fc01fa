"""The wall clock is set back during a recording."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, target, wait_until

SITUATION = "wall clock set back by an hour during the recording"
HOUR_S = 3600
AFTER_S = 2

# The machine's own clock is not changed; a shim changes the C library's answer in the collector.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t) {
  static int (*real)(clockid_t, struct timespec *);
  static time_t begin;
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, t);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) {
    if (!begin) begin = t->tv_sec;
    if (t->tv_sec - begin >= AFTER_S) t->tv_sec -= HOUR_S;
  }
  return result;
}
"""


def run(count: int) -> list[Outcome]:
    if shutil.which("gcc") is None:
        return [Outcome(SITUATION, "", "not tried: no C compiler for what changes the collector's clock", None)]
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        source, library = Path(folder) / "clock.c", Path(folder) / "clock.so"
        source.write_text(SHIM)
        values = [f"-DHOUR_S={HOUR_S}", f"-DAFTER_S={AFTER_S}"]
        subprocess.run(["gcc", "-shared", "-fPIC", *values, "-o", library, source, "-ldl"], check=True)
        program = Program(target("beat", 60_000))
        wait_until(lambda: bool(program.lines))
        place = Path(folder) / "capture"
        shim = {"LD_PRELOAD": str(library)}
        tool = collector("collect", "-o", place, "-p", program.pid, "--duration", "5", environment=shim)
        code = tool.finish(60)
        program.kill()
        told = captures.manifest(place)
        phase = next((p for p in told.get("phases", []) if p["name"] == "recording"), {"start_ns": 0, "end_ns": 0})
        seconds = (phase["end_ns"] - phase["start_ns"]) / 1e9
        tables = len(list((place / "tables").glob("*.npz")))
        return [
            Outcome(
                SITUATION,
                "every stream is on CLOCK_MONOTONIC, and so is the recording's length",
                f"--duration 5 took {seconds:.2f} s, status {told.get('status')}, {tables} tables, exit code {code}",
                5.0 <= seconds < 6.5 and told.get("status") == "complete" and code == 0,
            )
        ]
