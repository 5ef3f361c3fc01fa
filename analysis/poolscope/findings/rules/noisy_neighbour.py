"""Items waited because other processes held the cores."""

from __future__ import annotations

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.executions.competitors import is_inferable
from poolscope.findings.core_rule import CoreRule
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import figure, fix, predicted
from poolscope.measures.antagonists import OTHERS, Antagonists
from poolscope.whatif.fixes import CORES

NEIGHBOUR_SHARE = 0.2
"""Share of the contended core time from which other processes are a cause and not the background. In the golden
captures the collector and the kernel's threads have 4 % of it where the workers themselves fill the cores, and up to
15 % where workers waited for a core for only some milliseconds in all."""


class NoisyNeighbour(CoreRule):
    """Fires when other processes had a fifth of the core time in which workers were ready, and the core contention
    charged to them is a notable part of the wait."""

    id = "noisy-neighbour"
    title = "Other processes left the cores to the workers"
    failing_title = "Other processes held the cores"
    needs = ("work_items", "thread_states", "threads")
    documentation = "noisy-neighbour"
    golden = ""
    section = "cores"

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if the kernel stream shows the target alone and an unwatched CPU quota
        may have taken the cores."""
        lacking = super().missing(evidence)
        if not lacking and evidence.antagonists is None and not is_inferable(evidence.capture):
            return ["thread_states of other processes (tier tracepoint, scope system)"]
        return lacking

    def evaluate(self, evidence: Evidence) -> Finding | None:
        part = evidence.core_by_neighbours
        if evidence.neighbours_share < NEIGHBOUR_SHARE or not self.is_notable(evidence, part):
            return None
        more = fix(evidence, CORES)
        return self.of_lack(
            evidence,
            part,
            because="other processes held the cores",
            said=_who(evidence.antagonists, evidence.neighbours_share, evidence.capture.manifest["tool"].get("pid")),
            advice=[
                "Move the other processes to another machine, or give this one cores of its own (cpuset, CPU requests, a higher weight)."
                f"{f' {more.label}.' if more else ''}{figure(more)}",
            ],
            predicted=predicted(evidence, CORES),
        )


def _who(antagonists: Antagonists | None, share: float, recorder: int | None) -> list[str]:
    """Says who had the cores, as far as the kernel stream shows. `recorder` is the process id of the collector; None if
    unknown."""
    if antagonists is None:
        return [
            f"While workers were runnable without a core, this process had {percent(1 - share)} of the core time. A "
            f"core does not idle while a thread waits for it, so other processes had {percent(share)}.",
            "The kernel stream recorded this process alone, so it does not name the others; tier tracepoint does.",
        ]
    return [
        f"While at least one worker was runnable without a core ({duration(antagonists.contended / NS_PER_MS)} in all), "
        f"other processes had {percent(share)} of all core time.",
        f"Most of it went to {_names(antagonists, recorder)}.",
    ]


def _names(antagonists: Antagonists, recorder: int | None) -> str:
    """Names up to three processes with their shares, and says which one made the recording."""
    others = [e for e in antagonists.processes() if e["group"] == OTHERS][:3]
    return ", ".join(
        f"{e['process'] or 'an unnamed process'} ({e['pid']}{', which made this recording' if e['pid'] == recorder else ''}): "
        f"{percent(e['share'])}"
        for e in others
    )
