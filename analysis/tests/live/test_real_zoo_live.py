"""One healthy program with real parts for each server of the zoo; skipped on a machine without that server."""

import csv

import pytest
import recorded
import repo
import zoo_runs
from poolscope.capture import open_capture
from poolscope.product import analyse
from zoo.case import Case
from zoo.expected import REAL_FILE, load
from zoo.judge import judge
from zoo.record import Tools, record
from zoo.servers import Servers, absent

pytestmark = pytest.mark.live
(FRAMEWORK,) = recorded.ZOO
SERVERS = 0.3
"""Cores that a server takes beside the program at most."""
PROGRAMS = load(REAL_FILE)


@pytest.fixture(scope="module")
def servers():
    with Servers() as started:
        yield started


@pytest.mark.parametrize("name", ["pg-async", "redis-async", "rabbit-async", "nginx-async", "grpc-async"])
def test_a_healthy_program_over_a_real_server_is_told_so(name, servers, tmp_path, undisturbed):
    program = PROGRAMS[name]
    if missing := absent(program.servers):
        pytest.skip(f"not installed: {', '.join(missing)} (docs/zoo.md, the zoo with real parts)")
    zoo_runs.publish_real(recorded.ZOO)
    tools = Tools(repo.COLLECT, zoo_runs.REAL_PUBLISHED, tmp_path, "real-zoo", servers)
    case = Case(program, FRAMEWORK, "launched", 1, spin=False)
    # The servers are not children of this process that end with it.
    undisturbed(lambda: record(tools, case), SERVERS)
    judged = judge(case, analyse(open_capture(tools.capture(case))).to_json())
    assert judged.right, (judged.verdict, judged.text)
    assert judged.forbidden == []
    with (tmp_path / f"{case.id}.clients.csv").open(encoding="utf-8") as file:
        answered = [row for row in csv.reader(file) if int(row[3]) > int(row[2])]
    assert len(answered) > 50
    for server in program.servers:
        assert (tmp_path / f"{case.id}.{server}.log").is_file()
