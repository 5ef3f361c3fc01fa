"""The comparison of kernel tiers: the agreement of their verdicts, and its text."""

from tiers import table


def analysis(verdict="spin", text="because", bounds=None):
    return {
        "verdict": {"id": verdict, "confidence": "high", "text": text},
        "findings": [{"id": verdict}],
        "items": {"wait_ms": {"mean": 1234.5}},
        "attribution": {
            "wait_ms": {"injection": 1000.0, "blocking": 200.0, "core": 34.0, "runtime": 0.5},
            "execution_ms": {"cpu": 10.0, "blocked": 5.0, "ready": 1.0},
            "execution_bounds_ms": bounds,
        },
        "coverage": {"replay_error": -0.031, "lost": 2, "lost_scheduler": 3},
    }


def rows(*verdicts):
    tiers = ("tracepoint", "switch", "schedstat")
    return [table.row("spin", tier, 1.0, analysis(v)) for tier, v in zip(tiers, verdicts)]


def test_a_tier_agrees_disagrees_or_cannot_tell():
    three = rows("core-contention", "injection-delay", "cannot-tell")
    assert [table.agrees(three, r) for r in three] == ["", "**no**", "cannot tell"]
    three = rows("core-contention", "core-contention", "core-contention")
    assert [table.agrees(three, r) for r in three] == ["", "yes", "yes"]


def test_the_table_has_figures_bounds_and_reasons():
    made = [
        table.row("spin", "tracepoint", 3.0, analysis("core-contention")),
        table.row("spin", "schedstat", 7.4, analysis("cannot-tell", "Cannot tell: too short.", {"cpu": [9.0, 12.0]})),
        table.row("idle", "switch", 0.0, {"failed": "refused"}),
    ]
    text = table.markdown(made)
    assert (
        "| `spin` | `tracepoint` | core-contention, high |  | 1,234 | 1,000 | 200 | 34.0 | 0.5 | 10.0 | 5.0 | 1.0 | 3.1 % |"
        in text
    )
    assert "10.0 (9.0 to 12.0)" in text
    assert "Cannot tell: too short." in text and "5 events lost" in text
    assert "not to be had: refused" in text
    assert "at most 7 %" in text
