"""The rules for a right verdict, shown on small analyses."""

import pytest
from zoo.case import Case, matrix
from zoo.expected import load
from zoo.judge import judge
from zoo.results import Results, lines, totals

PROGRAMS = load()


def case(name, mode="launched", framework="net10.0", spin=False):
    return Case(PROGRAMS[name], framework, mode, 1, spin)


def analysis(verdict, confidence="high", methods=(), findings=(), cpu=(), others=()):
    return {
        "verdict": {"id": verdict, "confidence": confidence, "text": "said"},
        "blame": [{"method": m} for m in methods],
        "cpu_methods": [{"method": m, "user": user, "kind": "managed"} for m, user in cpu],
        "antagonists": [{"group": "other-process", "process": p, "core_ms": ms} for p, ms in others],
        "findings": [{"id": id, "severity": severity} for id, severity in findings],
    }


PAY = "Shop.Checkout.CheckoutController.Pay"


@pytest.mark.parametrize(
    "of, found, right, wrong_and_sure",
    [
        (case("thumbnails"), analysis("healthy"), True, False),
        (case("thumbnails"), analysis("injection-delay"), False, True),
        (case("thumbnails"), analysis("injection-delay", "low"), False, False),
        (case("thumbnails", spin=True), analysis("noisy-neighbour", "medium"), True, False),
        (case("thumbnails", spin=True), analysis("noisy-neighbour", "high"), False, True),
        (case("mail-gateway"), analysis("no-work"), True, False),
        (case("thumbnails"), analysis("no-work"), False, True),
        (case("checkout-result"), analysis("sync-over-async"), True, False),
        (case("checkout-result"), analysis("injection-delay"), False, True),
        (case("checkout-result", "attached"), analysis("injection-delay"), True, False),
        (case("checkout-result", framework="net8.0"), analysis("injection-delay"), True, False),
        (case("checkout-result"), analysis("cannot-tell", "low"), False, False),
    ],
)
def test_a_verdict_is_held_against_what_was_fixed(of, found, right, wrong_and_sure):
    judged = judge(of, found)
    assert (judged.right, judged.wrong_and_sure) == (right, wrong_and_sure)


@pytest.mark.parametrize(
    "name, verdict, cause_in_healthy, called_healthy",
    [
        ("thumbnails", "core-contention", True, False),
        ("thumbnails", "cannot-tell", False, False),
        ("search-api", "healthy", False, True),
        ("search-api", "cannot-tell", False, False),
    ],
)
def test_the_two_worst_mistakes_are_counted_apart(name, verdict, cause_in_healthy, called_healthy):
    judged = judge(case(name), analysis(verdict))
    assert (judged.cause_in_healthy, judged.called_healthy) == (cause_in_healthy, called_healthy)


@pytest.mark.parametrize(
    "methods, right",
    [
        ([PAY], True),
        ([None, PAY], True),
        (["dynamicClass.lambda_method1", PAY], False),
        ([PAY + "Later"], False),
        ([], False),
    ],
)
def test_the_blamed_method_is_the_first_that_has_a_name(methods, right):
    assert judge(case("checkout-result"), analysis("sync-over-async", methods=methods)).blamed_right is right


def test_a_program_that_computes_is_blamed_by_its_samples_and_a_healthy_one_not_at_all():
    found = analysis(
        "core-contention", cpu=[("System.Math.Sin", False), ("Media.Video.VideoEncoder.EncodeFrame", True)]
    )
    assert judge(case("video-encoder"), found).blamed_right is True
    assert judge(case("thumbnails"), found).blamed_right is None


def place(verdict, methods, because):
    found = analysis(verdict)
    told = {"title": "", "number": "", "because": because, "evidence": [], "advice": [], "where": {"methods": methods}}
    found["findings"] = [{"id": verdict, "severity": "high", **told}]
    return found


@pytest.mark.parametrize("verdict, right", [("reader-held", True), ("slow-service", False)])
def test_a_place_is_blamed_by_the_methods_of_the_verdicts_own_finding(verdict, right):
    found = place("reader-held", ["Shop.Audit.StockAudit.WriteReport"], "")
    found["verdict"]["id"] = verdict
    assert judge(case("inline-reader"), found).blamed_right is right


@pytest.mark.parametrize("because, right", [("127.0.0.1:6379 was silent for 4 s.", True), ("A service was.", False)])
def test_an_endpoint_is_named_by_the_verdict_or_its_finding(because, right):
    assert judge(case("paused-cache"), place("slow-service", [], because)).endpoint_right is right
    assert judge(case("inline-reader"), place("reader-held", [], because)).endpoint_right is None


def test_what_must_not_be_said_is_found_in_verdict_loud_findings_and_advice():
    quiet = analysis("blocked-at-cap", findings=[("injection-delay", "low")])
    loud = analysis("blocked-at-cap", findings=[("injection-delay", "high"), ("min-threads-would-help", "low")])
    assert judge(case("partner-gateway"), quiet).forbidden == []
    assert judge(case("partner-gateway"), loud).forbidden == ["injection-delay", "min-threads-would-help"]


def test_the_matrix_is_three_runs_on_the_newest_runtime_and_one_on_the_others():
    programs = [PROGRAMS["thumbnails"], PROGRAMS["sensor-loops"]]
    runs = [c.id for c in matrix(programs, ["net10.0", "net8.0"], None, ["launched", "attached", "starved"], False)]
    assert len(runs) == len(set(runs)) == 2 * 4 + 2 + 2
    assert not [run for run in runs if run.startswith("thumbnails") and "launched" not in run]
    starved = case("sensor-loops", "starved")
    assert starved.seconds > starved.program.onset_s + 30 + 8


def test_totals_count_failed_runs_as_not_right_and_survive_an_interruption(tmp_path):
    file = tmp_path / "zoo.json"
    kept = Results(file)
    kept.add(case("thumbnails"), judge(case("thumbnails"), analysis("healthy")), 0.0)
    kept.add(
        case("checkout-result"), judge(case("checkout-result"), analysis("injection-delay", methods=["A.B"])), 12.0
    )
    kept.add(case("search-api"), "no capture", None)
    again = Results(file)
    assert case("thumbnails") in again and case("search-api") not in again
    runs = again.of([case("thumbnails"), case("checkout-result"), case("search-api")])
    t = totals(runs)
    assert (t["runs"], t["failed"], t["right"], t["with_method"], t["method_right"]) == (3, 1, 1, 1, 0)
    assert t["wrong_and_sure"] == ["checkout-result-net10.0-launched-1"]
    said = lines(runs)
    assert "1 of 3 verdicts right (33.3 %); 1 runs failed" in said
    assert any("expected sync-over-async" in line and "blamed A.B" in line for line in said)


def test_core_time_of_strangers_is_told_and_the_programs_own_neighbours_are_none():
    own = analysis("noisy-neighbour", others=[("zoo", 9000.0), ("poolscope-colle", 800.0)])
    busy = analysis("noisy-neighbour", others=[("zoo", 9000.0), ("python", 700.0)])
    assert judge(case("billing-run"), own).strangers_s == 0
    assert judge(case("billing-run"), busy).strangers_s == 0.7
