"""The table of open connections, from its runs."""

from keepalive.table import COLUMNS, markdown


def run(rate, answers, us, tied, losses=0):
    bare = {"answers_per_s": float(rate), "service_us_per_request": 20.0}
    recorded = {"answers_per_s": answers, "service_us_per_request": us, "service_cores": 0.8, "load_cores": 0.4}
    return {
        "rate": rate,
        "bare": [bare, bare | {"service_us_per_request": 30.0}],
        "recorded": recorded | {"recorder_cores": 0.25},
        "requests": 1_000,
        "tied": tied,
        "losses": losses,
        "megabytes": 60.0,
        "seconds": 3.0,
    }


def test_runs_of_a_rate_are_one_line():
    machine = {"date": "2026-01-02", "cores": 2, "processor": "P", "kernel": "6.1"}
    runs = [run(5_000, 4_900.0, 60.0, 1_000), run(1_000, 1_000.0, 85.0, 999), run(5_000, 5_000.0, 70.0, 990, 7)]
    lines = [line for line in markdown({"machine": machine, "runs": runs}).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == list(COLUMNS) and [row[0] for row in cells[2:]] == ["1,000", "5,000"]
    assert cells[3][1:] == [
        "2",
        "5,000 (5,000 to 5,000)",
        "4,950 (4,900 to 5,000)",
        "40 (35 to 45)",
        "0.80, 0.40, 0.25",
        "2,000",
        "1,990 (99.50 %)",
        "7",
        "20 (20 to 20)",
    ]
