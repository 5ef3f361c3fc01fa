"""Every command of docs/runbook.md, in its order and word for word, against the bundled service, and its output."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import repo

PAGE = (repo.ROOT / "docs" / "runbook.md").read_text("utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHORTER = (("--duration 30s", "--duration 5s"), ("--duration 120", "--duration 90"))
"""The only changes to the page, to save time."""
RULES = repo.ROOT / "analysis" / "poolscope" / "findings"


def test_every_verdict_has_an_answer_for_the_customer():
    ids = {
        found
        for file in (RULES / "rules").glob("*.py")
        for found in re.findall(r'^    id = "([\w-]+)"$', file.read_text("utf-8"), re.MULTILINE)
    }
    never = re.findall(r"^(?:SYMPTOMS|ADVICE) = \((.*)\)$", (RULES / "ranking.py").read_text("utf-8"), re.MULTILINE)
    verdicts = ids - set(re.findall(r'"([\w-]+)"', "".join(never))) | {"cannot-tell", "no-work"}
    # It lowers the confidence in a verdict and is none itself.
    verdicts.discard("coverage-low")
    # It is a symptom only if work items waited too.
    verdicts.add("connection-pool-wait")
    sections = re.findall(r"^#### ([\w-]+)\n\n> ", PAGE, re.MULTILINE)
    assert len(verdicts) > 10 and len(never) == 2
    assert sorted(sections) == sorted(verdicts)


@contextmanager
def slow_service(command):
    """Yields the pid of the service that the page starts for practice."""
    words = command.removesuffix("&").split()
    with subprocess.Popen([str(repo.ROOT / "bin" / words[0]), *words[1:]], stdout=subprocess.DEVNULL) as service:
        try:
            time.sleep(4)
            assert service.poll() is None
            yield service.pid
        finally:
            service.terminate()


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="captures are taken on Linux")
def test_the_commands_lead_from_a_slow_service_to_a_proof(tmp_path):
    def runs(block, pid, codes):
        for command in block.splitlines():
            for page, here in SHORTER:
                command = command.replace(page, here)
            env = {**os.environ, "PATH": f"{repo.ROOT / 'bin'}:{os.environ['PATH']}", "PID": str(pid)}
            done = subprocess.run(
                ["sh", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
            )
            assert done.returncode in codes.get(command.split()[1], {0}), f"{command}\n{done.stdout}{done.stderr}"
            assert "Traceback" not in done.stderr

    *blocks, practise = BLOCKS
    (fixed,) = [block for block in blocks if "fixed" in block]
    (start, line) = practise.splitlines()
    assert line == "PID=$!" and len(blocks) == 7
    for page, here in SHORTER:
        start = start.replace(page, here)
    with slow_service(start) as pid:
        # 3: this machine cannot record something, which the page mentions too.
        for block in blocks[: blocks.index(fixed)]:
            runs(block, pid, {"doctor": {0, 3}})
    with slow_service(start.replace("sync-over-async", "none")) as pid:
        # 1 and 4 are answers: some items were still late, or there are too few recordings for the noise.
        runs(fixed, pid, {"check": {0, 1, 4}, "compare": {0, 4}})
    assert {"slow.html", "slow-redacted.html", "slow.zip", "compare.html"} <= {path.name for path in tmp_path.iterdir()}
    told = subprocess.run(
        [str(repo.ROOT / "bin" / "poolscope"), "attribute", "slow.zip", "--json"], cwd=tmp_path, capture_output=True
    )
    verdict = json.loads(told.stdout)["verdict"]["id"]
    assert verdict in set(re.findall(r"^#### ([\w-]+)$", PAGE, re.MULTILINE)) - {"healthy", "no-work"}
