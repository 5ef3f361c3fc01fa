"""The table of docs/measured/requests.md, from the samples."""

from latency import table


def row(**given):
    figures = {"requests": 100, "answered": 90, "tied": 80, "outside": 1, "client_ms": 20.0, "own_ms": 19.0}
    figures |= {"error_median": 0.5, "error_p99": 4.0, "explained": 0.99, "residual_ns": 0}
    return {"fault": "none", "rate": 60, **figures, **given}


def wire(median, worst, lost=0):
    figures = {"wire_of": 80, "wire_lost": lost, "wire_median": median, "wire_p99": 0.02, "wire_worst": worst}
    return row(**figures)


def cells(rows):
    lines = [line for line in table.markdown(rows, "Somewhere.").splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_error_against_the_wire_is_that_of_the_runs_with_the_worst_request_of_all():
    head, _, only = cells([wire(0.004, 0.1), wire(0.006, 0.3), wire(0.005, 0.2)])
    made = dict(zip(head, only, strict=True))
    assert made["against the wire: requests"] == "240"
    assert made["median, ms"] == "0.005 (0.004 to 0.006)"
    assert made["p99, ms"] == "0.020 (0.020 to 0.020)"
    assert made["worst, ms"] == "0.30"
    assert made["error median, ms"] == "0.50 (0.50 to 0.50)"


def test_lost_packets_are_said_and_samples_without_a_witness_leave_their_cells_empty():
    head, _, lost = cells([wire(0.004, 0.1, lost=7)])
    assert lost[head.index("against the wire: requests")] == "80, 7 packets lost"
    head, _, without = cells([row()])
    assert len(without) == len(head)
    assert without[head.index("against the wire: requests") :][:4] == ["", "", "", ""]
    assert without[-2:] == ["99.0 %", "0 ns"]
