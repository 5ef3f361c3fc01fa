"""The verdicts on a difference, their evidence, and sides that are not comparable."""

import json

import pytest
from numbered_runs import run
from poolscope.compare.comparison import compare_runs
from poolscope.compare.judge import CANNOT_TELL, LONGER, NO_CHANGE, SHORTER, TOO_WIDE, passing
from poolscope.compare.quantity import QUANTITIES
from poolscope.redact import redact


def side(*values, key="wait.mean", **more):
    return [run({key: v}, name=f"run-{i}", **more) for i, v in enumerate(values)]


def row(a, b, key="wait.mean"):
    return compare_runs(a, b).row(key)


STEADY = (100.0, 101.0, 99.0)


@pytest.mark.parametrize(
    "b, verdict",
    [
        ((120.0, 121.0, 119.0), LONGER),
        ((80.0, 81.0, 79.0), SHORTER),
        ((100.5, 99.5, 101.5), NO_CHANGE),
        ((100.0, 300.0, 30.0), CANNOT_TELL),
    ],
)
def test_each_verdict(b, verdict):
    assert row(side(*STEADY), side(*b)).verdict == verdict


def test_runs_that_differ_too_much_say_how_many_it_takes():
    found = row(side(*STEADY), side(100.0, 300.0, 30.0))
    assert found.reason == TOO_WIDE
    assert found.needed.startswith(("about ", "over "))


def test_a_change_that_is_certain_but_slight_is_none():
    found = row(side(1000.0, 1000.1, 999.9), side(1005.0, 1005.1, 1004.9))
    assert found.difference.p < 0.001 and found.verdict == NO_CHANGE and "less than 1%" in found.reason


def test_a_difference_of_microseconds_is_none():
    assert row(side(0.001, 0.001, 0.001), side(0.004, 0.004, 0.004)).verdict == NO_CHANGE


def test_short_waits_that_scatter_by_little_in_ms_did_not_change():
    assert row(side(0.2, 0.6, 0.3), side(0.5, 0.1, 0.4)).verdict == NO_CHANGE


def test_a_part_counts_by_what_it_adds_to_the_wait():
    a, b = (side(*values, key="runtime.mean") for values in ((0.010, 0.011, 0.012), (0.110, 0.111, 0.112)))
    found = row(a, b, "runtime.mean")
    assert found.difference.p < 0.001
    # Ten times as much, but only a thousandth of the wait of 100 ms.
    assert found.change_share[0] == pytest.approx(0.001) and found.verdict == NO_CHANGE


def test_a_part_that_is_nothing_on_both_sides_did_not_change():
    a, b = (side(0.0, 0.0, 0.0, key="core.mean") for _ in range(2))
    assert row(a, b, "core.mean").verdict == NO_CHANGE


def test_a_part_that_appears_is_longer():
    found = row(
        side(0.0, 0.0, 0.0, key="injection.mean"), side(60.0, 62.0, 61.0, key="injection.mean"), "injection.mean"
    )
    assert found.verdict == LONGER and found.change_ms[0] == pytest.approx(61.0)


@pytest.mark.parametrize(
    "p, largest",
    [
        ([0.01, 0.02, 0.03, 0.04, 0.05], 0.05),
        ([0.04, 0.9, 0.9, 0.9], -1.0),
        ([0.01, 0.9, 0.02, 0.9], 0.02),
        ([0.012, 0.9, 0.03, 0.9], 0.012),
        ([], -1.0),
    ],
)
def test_the_guard_is_benjamini_and_hochbergs(p, largest):
    assert passing(p) == largest


def test_one_row_that_stands_out_among_many_is_not_called_a_change():
    # Its p of about 0.03 would suffice alone, but one in 21 rows is expected to have it by chance.
    found = row(side(100.0, 102.0, 98.0), side(106.0, 109.0, 104.0))
    assert 0.003 < found.difference.p < 0.05
    assert found.verdict == CANNOT_TELL and "by chance" in found.reason


LOWER = frozenset({"wait.mean"})


def test_a_lower_bound_decides_only_where_more_would_be_judged_alike():
    slow = (200.0, 201.0, 199.0)
    assert row(side(*STEADY), side(*slow, at_least=LOWER)).verdict == LONGER
    assert row(side(*STEADY, at_least=LOWER), side(*slow)).verdict == CANNOT_TELL
    assert row(side(*slow, at_least=LOWER), side(*STEADY)).verdict == SHORTER
    assert row(side(*STEADY), side(*STEADY, at_least=LOWER)).verdict == CANNOT_TELL


def test_what_the_coverage_forbids_cannot_be_told():
    unknown = {"core.mean": "the scheduler stream lost 9 % of its events."}
    found = compare_runs(side(*STEADY), [*side(200.0, 201.0), run({"wait.mean": 199.0}, name="lossy", unknown=unknown)])
    assert found.row("wait.mean").verdict == LONGER
    assert found.row("core.mean").verdict == CANNOT_TELL
    assert "lossy: the scheduler stream lost" in found.row("core.mean").reason
    assert found.insufficient == ["lossy: the scheduler stream lost 9 % of its events."]


def test_the_part_that_changed_most_is_named():
    a = [run({"wait.mean": 100.0 + i, "injection.mean": 50.0 + i, "core.mean": 50.0}) for i in range(3)]
    b = [run({"wait.mean": 190.0 + i, "injection.mean": 110.0 + i, "core.mean": 80.0}) for i in range(3)]
    text = compare_runs(a, b).to_json()["text"]
    assert text.startswith("Items wait longer: mean wait +")
    assert text.endswith("The part that changed most is injection delay: +60 ms on average.")


def test_no_change_says_so():
    found = compare_runs(side(*STEADY), side(*STEADY)).to_json()
    assert found["text"] == "No change seen in how long items wait or take to complete."
    assert {r["verdict"] for r in found["rows"]} == {NO_CHANGE} and len(found["rows"]) == len(QUANTITIES)


def test_sides_that_are_not_comparable_say_what_differs():
    b = side(
        *STEADY, conditions={"cores": 4, "quota": 1.5, "runtime": ".NET 9.0.1", "min_threads": 8, "command": "app -x"}
    )
    found = {d.key: d for d in compare_runs(side(*STEADY), b).differs}
    assert set(found) == {"cores", "quota", "runtime", "min_threads", "command"}
    assert all(d.between for d in found.values())
    assert found["quota"].a == ("none",) and found["quota"].b == ("1.5 CPUs",)


def test_what_another_tool_did_not_record_is_not_known():
    foreign = side(*STEADY, conditions={"quota": None, "min_threads": None, "max_threads": None})
    found = {d.key: d for d in compare_runs(side(*STEADY), foreign).differs}
    assert set(found) == {"quota", "min_threads", "max_threads"}
    assert {d.b for d in found.values()} == {("not known",)} and found["quota"].a == ("none",)


def test_loads_are_alike_within_five_percent():
    alike = compare_runs(side(*STEADY), side(*STEADY, conditions={"items": 104, "arrivals": 48.0}))
    assert alike.differs == []
    unlike = compare_runs(side(*STEADY), side(*STEADY, conditions={"items": 150, "arrivals": 75.0}))
    assert [d.key for d in unlike.differs] == ["items", "arrivals"]


def test_a_mix_that_both_sides_share_is_not_between_them():
    mixed = [run(conditions={"cores": cores}, name=str(cores)) for cores in (2, 4, 2)]
    found = compare_runs(mixed, mixed).differs
    assert [(d.key, d.between) for d in found] == [("cores", False)]


def test_sides_that_did_not_take_turns_are_noted():
    times = [f"2026-01-02T03:0{i}:00Z" for i in range(6)]

    def made(chosen):
        return [run(start=times[i]) for i in chosen]

    def notes(a, b):
        return [note for note in compare_runs(made(a), made(b)).notes() if "take turns" in note]

    assert "side A was made before" in notes([0, 1, 2], [3, 4, 5])[0]
    assert "side B was made before" in notes([3, 4, 5], [0, 1, 2])[0]
    assert notes([0, 2, 4], [1, 3, 5]) == []


@pytest.mark.parametrize(
    "a, b, said",
    [
        (".NET 10.0.12", ".NET 11.0.0", "The captures ran on .NET 10 and .NET 11."),
        (".NET 10.0.12", ".NET 10.0.13", None),
        (".NET 11.0.0", None, None),
        (".NET 11.0.0", ".NET Framework 4.8.1", None),
    ],
)
def test_items_of_two_major_versions_are_said_not_to_be_comparable_once(a, b, said):
    one, other = (side(*STEADY, conditions={"runtime": runtime}) for runtime in (a, b))
    notes = [note for note in compare_runs(one, other).notes() if "items per request" in note]
    assert [note[: len(said or "")] for note in notes] == ([said] if said else [])


def test_redaction_takes_command_lines_whole():
    a, b = (side(*STEADY, conditions={"command": f"/opt/app run {argument}"}) for argument in ("--secret", "wait"))
    found = compare_runs(a, b).to_json()
    text = json.dumps(redact(found))
    assert "secret" not in text and "/opt" not in text and " run wait" not in text
    one, two = (redact(found)["differs"][0][key][0] for key in "ab")
    assert one != two
    assert redact(found)["a"][0]["conditions"]["command"] == one
