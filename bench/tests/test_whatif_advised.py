"""The advised fixes compared with the measurements of clients and items: the figures, and the rule for a right one."""

import json

import pytest

from whatif import advised, advised_page, page, zoo
from whatif.advice import Advised, Outcome
from whatif.advice import advised as recommended
from whatif.capturing import RunFailed
from whatif.zoo import CLIENT, ITEMS, Clock, Kept, options_of


def fix(id="threads:20", status="recommended", after=10.0, **others):
    figures = {
        "before_ms": 110.0,
        "after_ms": after,
        "low_ms": 5.0,
        "high_ms": 15.0,
        "of": "items",
        "lower_bound": False,
    }
    return {"id": id, "label": "Set the minimum", "status": status, "reason": None, **figures, **others}


def analysis(*fixes):
    return {"fixes": list(fixes), "items": {"count": 400}, "what_if": {"requests": None, "rows": []}}


def outcome(before, *after, clock=CLIENT, advice=None, **kept):
    def of(mean):
        return Clock(kept.get("begun", 100), kept.get("done", 100), mean, mean)

    return Outcome("search-api", clock, advice or recommended(analysis(fix())), of(before), [of(a) for a in after])


def test_the_recommended_fix_counts_and_only_with_a_figure():
    found = recommended(analysis(fix("await", "alternative"), fix("threads:20")))
    assert (found.fix, found.before_ms, found.after_ms, found.count) == ("threads:20", 110.0, 10.0, 400)
    assert recommended(analysis(fix(after=None))) is None
    assert recommended(analysis()) is None


def test_what_is_told_of_requests_is_compared_with_requests():
    told = analysis(fix("threads:20", of="requests"))
    told["what_if"]["requests"] = {"count": 50}
    found = recommended(told)
    assert (found.of_requests, found.count) == (True, 50)
    assert not recommended(analysis(fix())).of_requests


def test_what_is_advised_is_what_is_run():
    program = zoo.PROGRAMS[0]
    assert options_of("threads:20", "Set the minimum of threads to 20", program) == ("--min-threads", "20")
    assert options_of("await", "Await instead of blocking", program) == ("--fixed",)
    both = options_of("max-threads:30", "Allow 30 threads (minimum and maximum)", program)
    assert both == ("--min-threads", "30", "--max-threads", "30")
    assert options_of("max-threads:4", "Let at most 4 items run at once", program) == ("--max-threads", "4")
    assert options_of("dedicated", "LongRunning", program) is None
    assert options_of("cores:4", "Run on 4 cores", program) is None
    assert options_of("threads", "Another minimum of threads", program) is None


@pytest.mark.parametrize(
    ("before", "after", "right", "close", "beyond"),
    [
        (900.0, (799.0, 802.0, 760.0), True, True, 0.0),
        (900.0, (880.0,), True, False, 7.5),
        (900.0, (1000.0,), False, False, 19.5),
        (917.0, (800.0,), True, True, 1.2),
    ],
)
def test_direction_error_and_interval(before, after, right, close, beyond):
    made = outcome(before, *after)
    assert (made.right_direction, made.close) == (right, close)
    assert made.beyond == pytest.approx(beyond)


def test_an_own_clock_counts_fewer_items_than_the_pool_has():
    made = outcome(900.0, 500.0, clock=ITEMS)
    assert made.predicted_ms == pytest.approx(400.0)
    assert made.interval_ms == pytest.approx((380.0, 420.0))


def test_an_interval_without_width_holds_nothing_but_itself():
    narrow = Advised("threads:20", "Set", 110.0, 10.0, 10.0, 10.0, True, 50, False)
    assert outcome(200.0, 100.0, advice=narrow).beyond == 0.0
    assert outcome(200.0, 99.0, advice=narrow).beyond == float("inf")


def test_a_clock_is_read_from_what_the_program_wrote(tmp_path):
    log = tmp_path / "baseline.log"
    told = {"clock": "client", "begun": 7, "done": 6, "mean_ms": 3.5, "p50_ms": 3, "p99_ms": 9, "max_ms": 9}
    log.write_text(f"client: 7 sent\n{json.dumps(told)}\nCaptured 16.0 s of zoo\n", "utf-8")
    assert zoo.read_clock(log, CLIENT) == Clock(7, 6, 3.5, 9)
    with pytest.raises(RunFailed, match="no line of the clock 'items'"):
        zoo.read_clock(log, ITEMS)


def test_what_is_kept_is_not_run_again(tmp_path, monkeypatch):
    program = zoo.PROGRAMS[0]
    kept = Kept(tmp_path / program.name)
    ran = []

    def run(command, log):
        ran.append(command)
        log.parent.mkdir(parents=True, exist_ok=True)
        mean = 900.0 if "collect" in command else 800.0
        log.write_text(json.dumps({"clock": "client", "begun": 5, "done": 5, "mean_ms": mean, "p99_ms": mean}), "utf-8")

    class Opened:
        def analysis(self):
            return analysis(fix("await", of="requests")) | {"what_if": {"requests": {"count": 50}}}

    monkeypatch.setattr(zoo, "_run", run)
    monkeypatch.setattr(advised.poolscope, "open", lambda folder: Opened())
    given = ["--kept", str(tmp_path), "--only", program.name]
    advised.main(given)
    assert len(ran) == 4 and ran[1][-1] == "--fixed"
    advised.main(given)
    advised.main([*given, "--again"])
    assert len(ran) == 4
    kept.fixed("await", 2).unlink()
    advised.main([*given, "--under", "nice -n 1"])
    assert len(ran) == 5 and ran[-1][:3] == ["nice", "-n", "1"]


def test_the_page_says_what_has_no_figure_and_marks_what_is_off(tmp_path):
    results = {"search-api": outcome(900.0, 880.0), "login-gate": "no figure: the model does not fit"}
    text = page.insert(
        f"a {advised_page.BEGIN} {advised_page.END} b",
        advised_page.markdown(results),
        advised_page.BEGIN,
        advised_page.END,
    )
    assert "1 of 2 programs have advice with a figure" in text and "in 1, the removed delay within 15% in 0" in text
    assert "search-api." in text and "**7.5 widths off**" in text and "no figure: the model does not fit" in text
    assert all(line.count("|") == 10 for line in text.splitlines() if line.startswith("|"))
