"""The confusion matrix and the calibration, for runs with known counts."""

import pytest
from verdicts.given import Given
from verdicts.kept import Kept
from verdicts.markdown import BEGIN, END, into_page, render
from verdicts.tables import calibration, confusion, misses


def given(program, number, expected, verdict, confidence, beside=False, held_out=False):
    return Given(
        "zoo",
        program,
        number,
        beside,
        held_out,
        expected,
        verdict,
        confidence,
        verdict in expected,
    )


RUNS = [
    *(given("thumbnails", n, ("healthy",), "healthy", "high") for n in range(1, 10)),
    given("thumbnails", 10, ("healthy",), "noisy-neighbour", "low"),
    *(
        given(
            "search-api",
            n,
            ("injection-delay", "gate"),
            "gate",
            "medium",
            held_out=True,
        )
        for n in range(1, 4)
    ),
    given("search-api", 1, ("injection-delay", "gate"), "healthy", "high", beside=True),
    given("broken", 1, ("injection-delay",), "failed", ""),
]


def test_a_row_is_the_verdict_that_was_expected_first():
    counts = confusion(RUNS)
    assert counts.loc["healthy", "healthy"] == 9
    assert counts.loc["healthy", "noisy-neighbour"] == 1
    assert counts.loc["injection-delay", "gate"] == 3
    assert counts.loc["injection-delay", "healthy"] == 1
    assert counts.loc["injection-delay", "failed"] == 1
    assert counts.to_numpy().sum() == len(RUNS)


def test_each_confidence_has_its_share_of_right_verdicts():
    high, medium, low = calibration(RUNS)
    assert (high.given, high.right, high.share) == (10, 9, 0.9)
    # Clopper and Pearson, 9 of 10: the lower end of the two-sided 95 % interval.
    assert high.least == pytest.approx(0.5550, abs=1e-4)
    # All of three: 0.05 ** (1 / 3).
    assert (medium.share, medium.least) == (1.0, pytest.approx(0.3684, abs=1e-4))
    assert (low.given, low.right, low.share) == (1, 0, 0.0)


def test_no_verdict_of_a_confidence_has_no_share():
    high, medium, low = calibration([])
    assert {(row.given, row.share, row.least) for row in (high, medium, low)} == {(0, None, None)}


def test_a_wrong_verdict_stays_wrong_beside_spinning_processes_and_at_low_confidence():
    assert [(miss.program, miss.by_confidence) for miss in misses(RUNS)] == [
        ("zoo/thumbnails", (("low", 1),)),
        ("zoo/search-api", (("high", 1),)),
        ("zoo/broken", (("", 1),)),
    ]


def test_the_same_miss_of_one_program_is_counted_with_the_most_frequent_first():
    twice = [given("thumbnails", n, ("healthy",), "noisy-neighbour", "high") for n in (11, 12)]
    most, *_ = misses([*RUNS, *twice])
    assert (most.program, most.times, most.runs) == ("zoo/thumbnails", 3, 12)
    assert most.by_confidence == (("high", 2), ("low", 1))


def test_the_page_lists_each_kind_of_miss_and_keeps_its_own_text():
    page = into_page(f"# Verdicts\n\n{BEGIN}\nold\n{END}\nText after.\n", RUNS, "Measured once.")
    assert "| `zoo/broken` | failed | 1 of 1 |  | injection-delay |" in page
    assert "| zoo, quiet | 1 to 10 | 14 | 12 | 9 of 9 | 3 of 3 | 0 of 1 |" in page
    assert "| zoo, beside two spinning processes | 1 | 1 | 0 | 0 of 1 | 0 of 0 | 0 of 0 |" in page
    assert "old" not in page
    assert page.endswith(f"{END}\nText after.\n")
    assert "15 runs" not in page  # quiet and disturbed runs are never mixed
    assert "14 runs of 3 programs; 12 verdicts right (85.7 %)." in page


def test_a_page_without_the_part_is_refused():
    with pytest.raises(ValueError, match="no generated part"):
        into_page("# Verdicts\n", RUNS, "")


def test_groups_without_runs_are_left_out():
    assert "Held-out" not in render(RUNS[:3], "")


def test_verdicts_are_kept_and_a_failed_run_is_made_again(tmp_path):
    file = tmp_path / "verdicts.json"
    kept = Kept(file)
    for run in RUNS:
        kept.add(run)
    again = Kept(file)
    assert again.all() == RUNS
    assert "zoo/thumbnails-1" in again
    assert "zoo/broken-1" not in again
    again.add(given("broken", 1, ("injection-delay",), "injection-delay", "high"))
    assert len(Kept(file).all()) == len(RUNS)
