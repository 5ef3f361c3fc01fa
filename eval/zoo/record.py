"""Runs one program under the collector."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from poolscope.base.files import write_text
from seeds.pressure import cpu_pressure
from zoo.case import ATTACH_AFTER_S, ATTACHED_FOR_S, Case
from zoo.failed import RunFailed
from zoo.servers import Servers
from zoo.surroundings import around

LONGEST_S = 240.0
"""Time limit of a recording."""
SPINNERS = 2
CLIENT_LOG = "ZOO_CLIENT_LOG"
"""The variable with the file in which clients record each request."""


@dataclass(frozen=True)
class Tools:
    """The commands under test, and the folder for captures."""

    collect: Path
    programs: Path
    """A folder with one folder for each framework."""
    captures: Path
    executable: str = "zoo"
    servers: Servers | None = None
    """None if no program needs one."""

    def program(self, framework: str) -> Path:
        """Returns the executable with all programs."""
        return self.programs / framework / self.executable

    def capture(self, case: Case) -> Path:
        """Returns the capture folder of a run."""
        return self.captures / case.id


def is_recorded(tools: Tools, case: Case) -> bool:
    """Returns whether a complete capture of the run is kept."""
    return _circumstances(tools, case).is_file()


def pressure_before(tools: Tools, case: Case) -> float | None:
    """Returns the CPU pressure (PSI `some avg10`, percent) right before the kept run; None: not recorded."""
    if not is_recorded(tools, case):
        return None
    return float(json.loads(_circumstances(tools, case).read_text("utf-8"))["pressure_before"])


def record(tools: Tools, case: Case) -> None:
    """Makes the capture of a run again and decodes it. Raises RunFailed."""
    folder = tools.capture(case)
    shutil.rmtree(folder, ignore_errors=True)
    _circumstances(tools, case).unlink(missing_ok=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    serving = tools.servers.provide(case.program.servers) if tools.servers else {}
    said = tools.servers.sizes(case.program.servers) if tools.servers else {}
    pressure = cpu_pressure()
    log = tools.captures / f"{case.id}.clients.csv"
    log.unlink(missing_ok=True)
    logged = {**os.environ, **serving, CLIENT_LOG: str(log)}
    with spinning(tools.program(case.framework), case.spin), around(case.program.needs) as before:
        program = [
            *before,
            str(tools.program(case.framework)),
            case.program.runs or case.program.name,
            "--seconds",
            str(case.seconds),
        ]
        if case.mode == "launched":
            _collect([tools.collect, "collect", *case.program.collect, "-o", folder, "--", *program], logged)
        else:
            with started(program, logged) as pid:
                time.sleep(case.program.onset_s + ATTACH_AFTER_S[case.mode])
                duration = ["--duration", str(int(ATTACHED_FOR_S))]
                options = ["-p", str(pid), *duration, *case.program.collect]
                _collect([tools.collect, "collect", *options, "-o", folder], logged)
    if tools.servers:
        tools.servers.keep_logs(said, tools.captures / case.id)
    write_text(_circumstances(tools, case), json.dumps({"pressure_before": pressure}) + "\n")


def _circumstances(tools: Tools, case: Case) -> Path:
    """Returns the file with the circumstances of the run. It lies beside the capture, whose own files are the
    collector's, and is written last."""
    return tools.captures / f"{case.id}.json"


def _collect(command: list[str | Path], environment: dict[str, str]) -> None:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST_S, check=False, env=environment)
    except subprocess.TimeoutExpired as problem:
        raise RunFailed(f"the collector did not end within {LONGEST_S:.0f} s") from problem
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise RunFailed(f"the collector ended with exit code {done.returncode}: {last}")


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[int]:
    """Runs a program with its children in a process group, and ends them all. Yields its process id: words before the
    command replace themselves by it."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=environment,
    )
    try:
        yield process.pid
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


@contextmanager
def spinning(program: Path, wanted: bool) -> Iterator[None]:
    """If `wanted`, runs two computing processes meanwhile."""
    running = [subprocess.Popen([program, "spin", str(LONGEST_S)]) for _ in range(SPINNERS if wanted else 0)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
