"""The scenarios of the what-if check, its samples, and its choice of runs."""

import json
import sys

import pytest

from whatif import __main__ as command
from poolscope.base.errors import InsufficientEvidence
from whatif import capturing, predicting, quiet
from whatif.samples import Samples
from whatif.scenario import TRUTH
from whatif.scenarios import BY_NAME, SCENARIOS

CHANGED_BY = {
    "min_threads": "--min-threads",
    "max_threads": "--max-threads",
}


def value_after(arguments, option):
    return arguments[arguments.index(option) + 1] if option in arguments else None


def test_there_are_ten_scenarios_with_three_changes_each_and_no_two_names_alike():
    assert len(SCENARIOS) >= 10 and len(BY_NAME) == len(SCENARIOS)
    for scenario in SCENARIOS:
        names = [capturing.slug(change.name) for change in scenario.changes]
        assert len(set(names)) == len(names) >= 3, scenario.name


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_what_is_asked_is_what_is_run(scenario):
    for change in scenario.changes:
        program, asked = change.program, change.asked
        for field, option in CHANGED_BY.items():
            given = value_after(program.arguments, option)
            if given is not None and change.figures != TRUTH:
                assert int(given) == asked[field], change.name
            if field in asked and given is None:
                assert any(int(value, 16) == asked[field] for _, value in program.environment), change.name
        assert ("cores" in asked) == (program.cpus is not None)
        assert change.figures != TRUTH or asked.get("asynchronous") or asked.get("dedicated")
        assert change.program != scenario.baseline


def test_load_is_what_the_options_make_of_it():
    for scenario in SCENARIOS:
        for change in scenario.changes:
            factor = change.asked.get("load")
            if factor is None:
                continue
            option = "--rate" if "--rate" in change.program.arguments else "--count"
            before = value_after(scenario.baseline.arguments, option) or "1000"  # the two batches queue 1000 by default
            assert int(value_after(change.program.arguments, option)) == factor * int(before)
            if interval := value_after(change.program.arguments, "--interval-ms"):
                assert float(interval) * factor == 10, "the trickles queue an item every 10 ms"


def test_samples_survive_a_stop_and_forget_what_another_command_measured(tmp_path):
    file = tmp_path / "samples.json"
    scenario = BY_NAME["ticket"]
    first, second = scenario.changes[:2]
    samples = Samples.load(file)
    samples.put_baseline(scenario, {"figures": 0})
    samples.put_run(scenario, first, 1, {"figures": 1})
    samples.put_run(scenario, first, 2, {"figures": 2})
    samples.put_run(scenario, first, 1, {"figures": 3})
    again = Samples.load(file)
    assert [run["figures"] for run in again.runs(scenario, first)] == [3, 2]
    assert again.runs(scenario, second) == [] and again.baseline(scenario)["figures"] == 0
    document = json.loads(file.read_text())
    document["baselines"]["ticket"]["command"] = "another"
    document["runs"]["ticket"][first.name][0]["command"] = "another"
    file.write_text(json.dumps(document))
    stale = Samples.load(file)
    assert stale.baseline(scenario) is None and [run["figures"] for run in stale.runs(scenario, first)] == [2]
    file.write_text("{}")
    with pytest.raises(SystemExit, match="format"):
        Samples.load(file)


class Machine:
    """Replaces the collector and the counters: during each run other programs use this many cores."""

    def __init__(self, monkeypatch, tmp_path, others):
        self.others, self.made = iter(others), []
        monkeypatch.setattr(capturing, "CAPTURES", tmp_path / "captures")
        monkeypatch.setattr(capturing, "record", self.record)
        monkeypatch.setattr(quiet, "wait_for_quiet", lambda patience: quiet.Look(0.0, 0.0))
        monkeypatch.setattr(quiet, "counters", lambda: None)
        monkeypatch.setattr(quiet, "others", lambda before, after: next(self.others))
        monkeypatch.setattr(command.figures, "measure", lambda folder: {"number": int((folder / "number").read_text())})
        monkeypatch.setattr(command, "_short", lambda figure: "")

    def record(self, scenario, change, number):
        folder = capturing.folder_of(scenario.name, change, number).with_suffix(".new")
        folder.mkdir(parents=True)
        self.made.append((change.name if change else None, number))
        (folder / "number").write_text(str(len(self.made)))
        return folder


class Figures(dict):
    def __missing__(self, key):
        return {}


@pytest.fixture
def machine(monkeypatch, tmp_path):
    def make(*others):
        made = Machine(monkeypatch, tmp_path, others)
        measure = command.figures.measure
        monkeypatch.setattr(command.figures, "measure", lambda folder: Figures(measure(folder)))
        return made

    return make


def test_the_quietest_of_some_disturbed_runs_counts_and_its_capture_is_kept(machine, tmp_path):
    machine(1.0, 0.5, 0.8)
    scenario = BY_NAME["ticket"]
    effort = command.Effort(runs=1, patience=0, attempts=3, quieter=False)
    best = command._recorded(scenario, None, 0, None, effort)
    assert best["others_cores"] == 0.5 and best["figures"]["number"] == 2
    kept = capturing.folder_of("ticket", None)
    assert (kept / "number").read_text() == "2"
    assert [path.name for path in kept.parent.iterdir()] == ["baseline"]


def test_what_is_there_is_not_measured_again_unless_a_quieter_run_is_wanted(machine, tmp_path, monkeypatch):
    scenario = BY_NAME["spin-16"]
    samples = Samples(tmp_path / "samples.json")
    quick = command.Effort(runs=1, patience=0, attempts=1, quieter=False)
    names = [change.name for change in scenario.changes]

    first = machine(0.0, 0.1, 0.9, 0.1)
    command._measure(scenario, samples, quick)
    assert first.made == [(None, 0), *((name, 1) for name in names)]

    second = machine()
    command._measure(scenario, samples, quick)
    assert second.made == []

    third = machine(0.6)
    command._measure(scenario, samples, command.Effort(1, 0, 1, quieter=True))
    assert third.made == [(names[1], 1)]
    assert samples.runs(scenario, scenario.changes[1])[0]["others_cores"] == 0.6

    loud = machine()
    monkeypatch.setattr(quiet, "wait_for_quiet", lambda patience: quiet.Look(0.5, 2.0))
    command._measure(scenario, samples, command.Effort(1, 0, 1, quieter=True))
    assert loud.made == [], "no better run is to be had on a loud machine"

    fourth = machine(0.0, 0.0, 0.0)
    command._measure(scenario, samples, command.Effort(2, 0, 1, quieter=False))
    assert fourth.made == [(name, 2) for name in names]


def test_predicting_needs_measurements_and_drops_what_was_said_before(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(capturing, "CAPTURES", tmp_path)
    scenario = BY_NAME["ticket"]
    file = tmp_path / "samples.json"
    arguments = ["--predict-only", "--only", "ticket", "--samples", str(file), "--page", str(tmp_path / "no-page")]
    assert command.main(arguments) == 1
    assert "ticket: not measured yet" in capsys.readouterr().err

    samples = Samples(file)
    samples.put_baseline(scenario, {"figures": 0})
    samples.document["predictions"] = {"ticket": {"async": "of an older simulator"}}
    capturing.folder_of("ticket", None).mkdir(parents=True)

    def refuse(scenario, folder, seed):
        raise InsufficientEvidence("no kernel stream")

    monkeypatch.setattr(predicting, "predictions_of", refuse)
    assert not command._predict(scenario, samples, seed=1)
    assert samples.document["predictions"] == {}
    assert "no prediction: no kernel stream" in capsys.readouterr().err


def test_an_unknown_scenario_is_named(capsys):
    with pytest.raises(SystemExit):
        command.main(["--only", "nonsense"])
    assert "nonsense" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_busy_machine_is_not_quiet():
    before = quiet.counters()
    while (after := quiet.counters()).own < before.own + 0.1:
        pass
    # This process runs the loop, so it does not count as other programs' work.
    assert quiet.others(before, after) < (after.busy - before.busy) / (after.wall - before.wall)
    assert not quiet.Look(0.5, 0.0).quiet and not quiet.Look(0.0, 1.0).quiet and quiet.Look(0.01, 0.05).quiet
