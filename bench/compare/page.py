"""The measured part of docs/measured/compare.md."""

from __future__ import annotations

from typing import Any

from whatif.page import table as markdown_table

from . import plan

BEGIN = "<!-- measured: begin (made by ./build.sh bench compare) -->"
END = "<!-- measured: end -->"


def markdown(result: dict[str, Any]) -> str:
    """Returns goals, verdicts, single runs and the scatter of runs as Markdown."""
    about = result["machine"]
    lines = [
        f"{about['date']}, {about['processor']}, {about['cores']} cores, Linux {about['kernel']}; {result['captures']} "
        f"captures, the sides of each comparison in turns; others used {result['others_median']:.2f} cores meanwhile in the "
        f"median, {result['others_most']:.2f} at most.",
        "",
        *_goals(result),
        "",
        f"The workload is `{result['workloads']['unchanged-a']}`, longer: `{result['workloads']['longer']}`; three captures "
        f"a side, {plan.COMPARISONS} comparisons each, of {', '.join(plan.STATISTICS)}. Change of the mean wait and its "
        "95 % interval:",
        "",
        *_comparisons(result),
        "",
        "Any row of the whole table that said longer or shorter although nothing had changed: " + _any(result) + ".",
        "",
        "One run against another of the same command, mean wait; by the items alone is what a bootstrap of items comes to:",
        "",
        *_singles(result),
        "",
        "By how much runs of one command differ (standard deviation; of a part as a share of the mean that it is a part of):",
        "",
        *_scatter(result),
    ]
    if result["floor"]:
        f = result["floor"]
        lines += [
            "",
            f"The floor for single runs, from {f['pairs']:,} pairs of runs over {f['settings']} settings (these and the three "
            f"runs of each setting of `whatif-check`): 95 % of the pairs of at least 200 ms lie within a standard deviation "
            f"of {f['share']:.1%} a run, 95 % of those below 50 ms within {f['ms']:.1f} ms. `poolscope compare` uses "
            f"{f['used_share']:.0%} and {f['used_ms']:g} ms together, within which {f['covered']:.1%} of all these pairs lie, "
            + (
                f"and {f['parts_covered']:.1%} of the pairs of parts."
                if f["parts_covered"] is not None
                else "no parts."
            ),
        ]
    return "\n".join(lines) + "\n"


def table(result: dict[str, Any]) -> str:
    """Returns the goals as a table for the terminal."""
    return "\n".join(_goals(result))


def _goals(result: dict[str, Any]) -> list[str]:
    rows = []
    for key, what, goal in (
        ("alike", "verdicts `longer` or `shorter` where nothing changed", "at most"),
        ("longer", "verdicts `longer` where items take 20 % longer", "at least"),
    ):
        r = result[key]
        met = "met" if r["met"] else "**missed**"
        rows.append([what, f"{r['counted']} of {r['verdicts']}", f"{goal} {r['limit']} of 40", met])
    return markdown_table(["what", "measured", "goal", ""], rows)


def _comparisons(result: dict[str, Any]) -> list[str]:
    rows = []
    for alike, longer in zip(result["rows"]["alike"], result["rows"]["longer"], strict=False):
        cells = [str(alike["comparison"] + 1)]
        for row in (alike, longer):
            estimate, low, high = row["shares"]["wait.mean"]
            cells += [f"{estimate:+.1%} ({low:+.1%} to {high:+.1%})", _verdicts(row)]
        rows.append(cells)
    return markdown_table(["", "alike", "verdicts", "20 % longer", "verdicts"], rows)


def _verdicts(row: dict[str, Any]) -> str:
    """Returns each verdict with its count."""
    said = list(row["verdicts"].values())
    return ", ".join(f"{said.count(verdict)} {verdict}" for verdict in dict.fromkeys(said))


def _any(result: dict[str, Any]) -> str:
    found = [f"{row['comparison'] + 1}: {', '.join(row['others'])}" for row in result["rows"]["alike"] if row["others"]]
    return "; ".join(found) or "none"


def _singles(result: dict[str, Any]) -> list[str]:
    rows = [[name, str(r["pairs"]), str(r["items_alone"]), str(r["compare"])] for name, r in result["singles"].items()]
    return markdown_table(["workload", "pairs", "change, by the items alone", "change, by `compare`"], rows)


def _scatter(result: dict[str, Any]) -> list[str]:
    names = list(result["scatter"])
    keys = list(next(iter(result["scatter"].values())))
    rows = [[key, *(f"{result['scatter'][name][key]:.1%}" for name in names)] for key in keys]
    return markdown_table(["", *names], rows)
