"""expected.json is complete and gives a reason for each second verdict."""

import json
import re

import pytest
from poolscope.findings.rules import RULES
from zoo.expected import FILE, PLACES, REAL_FILE, load

PROGRAMS = load()
REAL = load(REAL_FILE)
BOTH = [*PROGRAMS.values(), *REAL.values()]
ROOT = FILE.parents[2]
RULE_IDS = {rule.id for rule in RULES}


def test_it_has_the_programs_of_the_executable():
    table = (ROOT / "workloads" / "Poolscope.Zoo" / "Programs.cs").read_text("utf-8")
    assert set(PROGRAMS) == set(re.findall(r'\["([a-z-]+)"\] =', table))


def test_it_is_large_and_about_half_of_it_is_healthy():
    healthy = sum(p.kind == "healthy" for p in PROGRAMS.values())
    assert len(PROGRAMS) >= 32 and 0.4 <= healthy / len(PROGRAMS) <= 0.6
    assert sum(p.fully_starved for p in PROGRAMS.values()) >= 5


def test_the_zoo_with_real_parts_is_half_healthy_and_each_server_is_one_that_starts():
    table = (ROOT / "workloads" / "Poolscope.RealZoo" / "Programs.cs").read_text("utf-8")
    assert {p.runs or p.name for p in REAL.values()} == set(re.findall(r'\["([a-z-]+)"\] =', table)) and len(REAL) >= 24
    assert 0.4 <= sum(p.kind == "healthy" for p in REAL.values()) / len(REAL) <= 0.6
    assert {server for p in REAL.values() for server in p.servers} == {"postgres", "redis", "rabbitmq", "nginx"}


@pytest.mark.parametrize("program", BOTH, ids=lambda program: program.name)
def test_every_name_is_a_rule_and_every_pattern_compiles(program):
    named = {*program.verdicts, *program.attached_verdicts, *program.must_not}
    assert named <= RULE_IDS | {"no-work", "cannot-tell", *PLACES}
    assert not set(program.must_not) & set(program.verdicts)
    if program.kind == "healthy":
        assert set(program.verdicts) <= {"healthy", "no-work"} and program.blamed is None
    else:
        assert not set(program.verdicts) & {"healthy", "no-work"}
    if program.blamed is not None:
        re.compile(program.blamed)
        assert program.blame_from in ("blame", "cpu", "verdict")
    if program.endpoint is not None:
        re.compile(program.endpoint)


def test_the_blamed_methods_are_in_the_sources():
    folders = ("Poolscope.Zoo/Sick", "Poolscope.RealZoo")
    code = "\n".join(file.read_text("utf-8") for f in folders for file in (ROOT / "workloads" / f).rglob("*.cs"))
    for program in BOTH:
        for word in re.findall(r"[A-Z][A-Za-z]+", program.blamed or ""):
            assert word in code, program.name


def test_a_second_verdict_without_a_reason_is_refused(tmp_path):
    content = json.loads(FILE.read_text("utf-8"))
    content["programs"]["video-encoder"]["verdicts"]["healthy"] = ""
    file = tmp_path / "expected.json"
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ValueError, match="video-encoder: no reason"):
        load(file)
