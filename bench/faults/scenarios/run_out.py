"""The collector may open only a few files, or has little memory."""

from __future__ import annotations

import os
import resource
import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, target, wait_until

CGROUP = Path("/sys/fs/cgroup/memory")
DOCUMENTED = (0, 2, 3)


def run(count: int) -> list[Outcome]:
    return [*(_few_files(limit) for limit in (32, 64, 128, 256)), *(_little_memory(mb) for mb in (40, 80))]


def _few_files(limit: int) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        program = Program(target("beat", 60_000))
        wait_until(lambda: bool(program.lines))
        tool = collector(
            *("collect", "-o", Path(folder) / "capture", "-p", program.pid, "--duration", "2"),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
        )
        code = tool.finish(60)
        goes_on = program.goes_on()
        program.kill()
        return Outcome(
            f"at most {limit} open files (`ulimit -n {limit}`)",
            "enough, or refused before anything is begun, with the number that is needed",
            f"exit code {code}, `{tool.errors[-1] if tool.errors else ''}`, target goes on: {goes_on}",
            captures.plain_end(code, tool.errors, DOCUMENTED) and goes_on,
        )


def _little_memory(megabytes: int) -> Outcome:
    situation = f"memory of the collector limited to {megabytes} MB (cgroup), target launched"
    group = CGROUP / f"faults-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(megabytes << 20))
    except OSError as error:
        return Outcome(situation, "", f"not tried: no memory cgroup can be made ({error.strerror})", None)
    try:
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            place = Path(folder) / "capture"
            # The collector's own group. Its program leaves it for the root group, because otherwise it would share the
            # limit.
            program = ["sh", "-c", f'echo $$ > {CGROUP}/cgroup.procs; exec "$@"', "sh", *target("beat", 8_000)]
            tool = collector(
                *("collect", "-o", place, "--", *program),
                preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())) and None,
            )
            wait_until(lambda: len(tool.lines) > 100, 30)
            goes_on = len(tool.lines) > 100
            code = tool.finish(60)
            wait_until(lambda: tool.silent_for_good, 15)
            beats = len(tool.lines)
            decoded = captures.decodes(place) if (place / "capture.json").exists() else "no capture"
            return Outcome(
                situation,
                "enough, or the kernel kills the collector: the target goes on to its end either way",
                f"exit code {code}, target goes on: {goes_on} ({beats} lines to its end), capture: {decoded}",
                goes_on and decoded in ("tables", "refused", "no capture"),
            )
    finally:
        wait_until(lambda: _removed(group), 10)


def _removed(group: Path) -> bool:
    try:
        group.rmdir()
        return True
    except FileNotFoundError:
        return True
    except OSError:
        return False
