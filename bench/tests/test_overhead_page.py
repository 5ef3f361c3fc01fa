"""The figures, verdicts and page that the overhead benchmark makes of its samples."""

import dataclasses
import json
import random

import pytest

import benching
from overhead import __main__ as command
from overhead import estimate, measure, page, paths, plan, recorders, results


def reading(items=1000, cpu=1_000_000, wall=1_000_000_000, recorder=0):
    return {
        "items": items,
        "wall_ns": wall,
        "user_ns": cpu // 2,
        "system_ns": cpu - cpu // 2,
        "recorder_ns": recorder,
        "pressure_us": 10_000.0,
    }


def sample(workload, recorder, number, added_ns, noise=0.0):
    """Returns a sample of 1000 items of 1000 ns; recorded, each costs `added_ns` more."""
    cost = added_ns * (1 + random.Random(f"{workload}{recorder}{number}").uniform(-noise, noise))
    recorded = reading(items=800, cpu=round(800 * (1000 + cost)), recorder=50_000_000)
    return {
        "workload": workload,
        "recorder": recorder,
        "round": number,
        "recorded": recorded,
        "bare": [reading(cpu=900_000), reading(cpu=1_100_000)],
    }


def document(rounds=10, ours=200, scheduler=1000, rate=1500):
    costs = [
        ("flood", "poolscope", ours),
        ("flood", "dotnet-trace", 2000),
        ("handoff", "scheduler", scheduler * 2),
        ("handoff", "scheduler-plain", scheduler),
        ("handoff", "perf", 1000),
        ("paced", "poolscope", rate),
    ]
    samples = [sample(w, r, n, cost, noise=0.05) for n in range(rounds) for w, r, cost in costs]
    machine = {"processor": "P", "cores": 2, "kernel": "6.1", "root": True, "date": "2026-01-02", "silent_cpus": 1}
    return {"format": command.FORMAT, "machine": machine, "refused": {"perf": "not | here"}, "samples": samples}


def outcomes(doc):
    return {goal.name: results.outcome(doc["samples"], goal) for goal in plan.GOALS}


def test_what_is_added_is_held_against_the_windows_on_both_sides():
    one = sample("flood", "poolscope", 0, 250)
    assert results.added(one) == pytest.approx(250)
    assert results.throughput(one) == pytest.approx(0.8)
    assert results.recorder_cores(one) == pytest.approx(0.05)


def test_goals_are_met_or_missed_by_their_bound():
    made = outcomes(document())
    assert made["dotnet-trace"].bound.value == pytest.approx(0.1, rel=0.05)
    assert made["rate"].bound.value == pytest.approx(0.015, rel=0.05), "1500 ns x 10,000 items/s"
    assert {name: o.met for name, o in made.items()} == {
        "dotnet-trace": True,
        "perf": True,
        "perf-silent": False,
        "rate": True,
        "spinning-poolscope": None,
        "spinning-poolscope-switch": None,
        "spinning-poolscope-schedstat": None,
        "requests": None,
        "requests-closed": None,
    }
    assert not outcomes(document(ours=900))["dotnet-trace"].met
    assert not outcomes(document(rate=2990))["rate"].met, "the mean is below 3 %, its bound is not"


def test_a_loss_of_throughput_is_a_part_of_that_of_the_windows_beside_it():
    samples = [sample("requests", "poolscope", number, 100) for number in range(10)]
    for number, one in enumerate(samples):
        one["recorded"]["items"] = 960 + number % 2
    made = outcomes({"samples": samples})
    assert made["requests"].bound.value == pytest.approx(0.0395)
    assert made["requests"].met and made["requests-closed"].met is None
    for one in samples:
        one["recorded"]["items"] = 900
    assert outcomes({"samples": samples})["requests"].met is False


def test_with_fewer_than_ten_pairs_a_goal_is_neither():
    assert {o.met for o in outcomes(document(rounds=9)).values()} == {None}
    assert {o.met for o in outcomes({"samples": []}).values()} == {None}


def test_only_rounds_that_have_both_count():
    doc = document()
    doc["samples"] = [s for s in doc["samples"] if s["recorder"] != "dotnet-trace" or s["round"] >= 4]
    assert outcomes(doc)["dotnet-trace"].bound.pairs == 6


def test_the_page_has_every_figure_and_is_the_same_for_the_same_samples():
    doc = document()
    text = page.render(doc)
    assert text == page.render(json.loads(json.dumps(doc)))
    assert text.count("| met |") == 3 and text.count("**missed**") == 1
    for words in ("1 CPUs with silent tasks", "2026-01-02", "- perf: not | here", "### `flood`", "0.800", "5.0 %"):
        assert words in text
    assert "trickle-v2" not in text, "nothing was measured on it"


def test_a_section_of_its_own_is_written_when_its_workload_was_measured():
    doc = document()
    doc["samples"] += [sample("paced-spinning", "poolscope-switch", number, 7900) for number in range(10)]
    (main, *_), (spinning, begin, _) = page.measured_parts(doc)
    assert begin == page.SPINNING_BEGIN
    assert "paced-spinning" not in main and "| 8.00 % of a core | 7.90 % of a core |" in spinning
    assert spinning.count("| met |") == 1 and spinning.count("| cannot tell |") == 2


def test_a_run_without_cpu_times_shows_its_throughput_only():
    whole = {**reading(cpu=0), "items": 40}
    samples = [{"workload": "trickle-v2", "recorder": "perf", "round": 0, "recorded": whole, "bare": [whole]}]
    (row,) = results.rows(samples, "trickle-v2")
    assert (row.bare, row.added, row.throughput) == (None, None, 1.0)


def test_only_what_is_between_the_marks_is_replaced(tmp_path):
    text = f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n"
    once = page.insert(text, "new")
    assert once == f"before\n{page.BEGIN}\nnew\n{page.END}\nafter\n"
    assert page.insert(once, "new") == once
    with pytest.raises(ValueError):
        page.insert("no marks", "new")


def test_the_page_of_the_repository_has_its_marks():
    text = paths.PAGE.read_text(encoding="utf-8")
    page.insert(text, "")
    page.insert(text, "", page.SPINNING_BEGIN, page.SPINNING_END)


def test_the_order_of_the_recorders_differs_by_round_and_repeats_by_seed(monkeypatch):
    def order(number, seed):
        seen: list[str] = []
        monkeypatch.setattr(measure, "steady", lambda _, chosen, *rest: seen.extend(r.name for r in chosen) or iter(()))
        list(measure.round_of(plan.FLOOD, recorders.ALL, number, seed, measure.Timing(), 0, print))
        return seen

    assert order(0, 1) == order(0, 1)
    assert len({tuple(order(number, 1)) for number in range(5)}) > 1
    assert sorted(order(0, 1)) == sorted(r.name for r in recorders.ALL)


@pytest.fixture
def fake_rounds(monkeypatch, tmp_path):
    """Replaces the rounds by ones without processes; a refused recorder says so."""
    asked = []

    def round_of(workload, chosen, number, seed, timing, cpu, say):
        for recorder in chosen:
            asked.append((workload.name, recorder.name, number))
            if recorder.name == "poolscope-schedstat":
                say("left out: poolscope-schedstat: no such tier\nmore")
            else:
                yield sample(workload.name, recorder.name, number, 100)

    monkeypatch.setattr(command, "round_of", round_of)
    monkeypatch.setattr(command, "machine", lambda: document()["machine"])
    for recorder in recorders.ALL:
        monkeypatch.setitem(command.BY_NAME, recorder.name, dataclasses.replace(recorder, missing=lambda: None))
    output = tmp_path / "out" / "overhead.json"
    return asked, lambda *more: command.main(["--no-page", "--output", str(output), *more])


def test_a_run_is_resumed_where_it_stopped(fake_rounds, capsys):
    asked, run = fake_rounds
    assert run("--pairs", "1", "--only", "paced") == 0
    assert asked == [("paced", name, 0) for name in ("poolscope", "dotnet-trace", "perf")]
    asked.clear()
    assert run("--pairs", "2", "--only", "paced", "--resume") == 0
    assert asked == [("paced", "poolscope", 1)], "the others are measured in every second round"
    assert "paced" in capsys.readouterr().out


def test_a_recorder_that_never_worked_is_left_out_and_named(fake_rounds, capsys):
    asked, run = fake_rounds
    assert run("--pairs", "3", "--only", "flood", "--only", "poolscope-schedstat", "--only", "poolscope", "--json") == 0
    assert [a for a in asked if a[1] == "poolscope-schedstat"] == [("flood", "poolscope-schedstat", 0)]
    assert json.loads(capsys.readouterr().out)["refused"] == {"poolscope-schedstat": "no such tier"}


@pytest.mark.parametrize("given", [["--only", "nothing"], ["--pairs", "0"], ["--window", "0"]])
def test_wrong_arguments_are_exit_2(given, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(given)
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_the_verb_knows_its_benchmarks(capsys):
    assert benching.run([]) == 2
    assert benching.run(["speed"]) == 2
    assert "overhead" in capsys.readouterr().err
    assert benching.DOTNET_TRACE == paths.DOTNET_TRACE_VERSION
    assert benching.TOOLS == paths.TOOLS


def test_bounds_of_nothing_are_not_printed_as_numbers():
    assert page._added(estimate.Bound(1.0, float("inf"), 1)) == ["1", "-"]


def test_runtimes_are_a_part_of_their_own():
    text = f"a{page.BEGIN}\nold\n{page.END}b{page.RUNTIMES_BEGIN}\nnone\n{page.RUNTIMES_END}c"
    measured = document()
    main = page.render(measured)
    for flood in plan.FLOODS:
        measured["samples"] += [sample(flood.name, "poolscope", number, 900) for number in range(4)]
    assert page.render(measured) == main
    inserted = page.insert(text, page.render_runtimes(measured), page.RUNTIMES_BEGIN, page.RUNTIMES_END)
    assert f"{page.BEGIN}\nold\n{page.END}" in inserted and "none" not in inserted
    for flood in plan.FLOODS:
        assert f"`{flood.name}`" in inserted


def test_web_requests_are_a_part_of_their_own_in_their_own_words():
    measured = document()
    main = page.render(measured)
    measured["samples"] += [sample("requests-closed", "poolscope", number, 900) for number in range(10)]
    assert page.render(measured) == main
    text = page.render_services(measured)
    assert "Not recorded: 1,000 requests/s, 1,000 ns of CPU each." in text and "added CPU per request, ns" in text
    assert "| 5.00 % | 20.00 % | 20.00 % | 10 | **missed** |" in text
    assert [begin for _, begin, _ in page.measured_parts(measured)] == [page.BEGIN, page.SERVICES_BEGIN]
    page.insert(paths.PAGE.read_text(encoding="utf-8"), "", page.SERVICES_BEGIN, page.SERVICES_END)
