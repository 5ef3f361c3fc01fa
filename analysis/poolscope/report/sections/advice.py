"""What to do: the advice of every finding, and what each fix alone is predicted to bring."""

from __future__ import annotations

from typing import Any

from poolscope.report.formatting import duration, percent

FIXES = {
    "async": ("Await instead of blocking", "blocked items hold no thread"),
    "threads": ("Enough threads at once", "never short of threads below the maximum"),
    "cores": ("A core for every runnable thread", "no core contention"),
}
"""The keys of `removable_ms` in words: the fix, and the world that was replayed."""
CAPTURE_AGAIN = "coverage-low"
"""The one finding whose advice is about the next capture, not about the process."""


def advice_section(analysis: dict[str, Any]) -> dict[str, Any]:
    said: set[str] = set()
    causes, capture_again = [], []
    for finding in analysis["findings"]:
        new = finding["advice"]
        if said.issuperset(new):
            continue
        # Kept whole: a line that begins with "Or" needs the one before it, even where that was said already.
        said.update(new)
        if finding["id"] == CAPTURE_AGAIN:
            capture_again += new
        else:
            causes.append({"title": finding["title"], "number": finding["number"], "advice": new})
    capture_again += [
        f"To get {r.get('wanted') or r.get('stream')}: {r['how']}"
        for r in analysis["capture"]["refused"]
        if r.get("how")
    ]
    # Where nobody waited there is nothing to remove, and the table would be about microseconds.
    predicted = [] if analysis["verdict"]["id"] == "healthy" else fixes(analysis["attribution"])
    return {"causes": causes, "capture_again": capture_again, "fixes": predicted}


def fixes(attribution: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Each fix alone, best first: the mean delay with it, and how much it takes away. Empty where none can be told."""
    if attribution is None or attribution["delay_ms"] <= 0:
        return []
    delay: float = attribution["delay_ms"]
    removable: dict[str, float] = attribution["removable_ms"]
    rows = []
    for fix, removed in sorted(removable.items(), key=lambda pair: -pair[1]):
        title, world = FIXES[fix]
        after = max(delay - removed, 0.0)
        rows.append(
            {
                "title": title,
                "world": world,
                "before": duration(delay),
                "after": duration(after),
                "removed": duration(max(removed, 0.0)) if removed >= 0 else f"adds {duration(-removed)}",
                "share": percent(min(max(removed / delay, 0.0), 1.0)),
                "left_percent": round(100 * min(after / delay, 1.0), 2),
                "threads": attribution["threads_needed"] if fix == "threads" else None,
            }
        )
    return rows
