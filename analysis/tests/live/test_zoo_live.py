"""Three third-party programs, recorded from the start: a sick one with tasks, a starved one, and a healthy one."""

import pytest
import recorded
import repo
import zoo_runs
from poolscope.capture import open_capture
from poolscope.product import analyse
from zoo.case import Case
from zoo.contradictions import contradictions
from zoo.expected import load
from zoo.judge import judge
from zoo.record import Tools, record

pytestmark = pytest.mark.live
(FRAMEWORK,) = recorded.ZOO


@pytest.fixture(scope="module")
def told(tmp_path_factory, undisturbed):
    """Returns a function from a program's name to its analysis.json and the judgement."""
    zoo_runs.publish(recorded.ZOO)
    tools = Tools(repo.COLLECT, zoo_runs.PUBLISHED, tmp_path_factory.mktemp("zoo"))
    programs = load()

    def run(name):
        case = Case(programs[name], FRAMEWORK, "launched", 1, spin=False)
        undisturbed(lambda: record(tools, case))
        analysis = analyse(open_capture(tools.capture(case))).to_json()
        return analysis, judge(case, analysis)

    return run


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.paired) for name in ("payments-getresult", "import-poller")),
        "label-queue",
    ],
)
def test_a_strangers_program_is_told_what_it_has(told, name):
    analysis, judged = told(name)
    assert judged.right, (judged.verdict, judged.text)
    assert judged.blamed_right is not False, judged.blamed
    assert judged.forbidden == []
    assert contradictions(analysis) == []
