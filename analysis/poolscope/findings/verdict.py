"""One verdict from the findings: the costliest cause, or that nothing can be reported."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items, percent
from poolscope.capture.capture import POLLED_STREAM, RUNTIME_STREAM, SCHEDULER_STREAM
from poolscope.contract.analysis_json import VerdictJson
from poolscope.coverage.gaps import damaged, not_judged
from poolscope.evidence.busy_connections import HUB_CALLS, BusyConnections
from poolscope.evidence.evidence import NOTABLE_SHARE, Evidence
from poolscope.findings.advice import blocked_share
from poolscope.findings.confidence import NOT_RECORDED, disturbance, doubts_of
from poolscope.findings.finding import Finding, Lateness
from poolscope.findings.ranking import MOST, NEVER_THE_VERDICT, choose
from poolscope.findings.rules.coverage_low import MODEL_ERROR, CoverageLow
from poolscope.findings.rules.other_end import ClientSide
from poolscope.findings.rules.standstill import RuntimeSuspended, may_be_own, without_own
from poolscope.findings.sentences import counters_sentence, measured, requests_sentence
from poolscope.html.notebook import bullets, card, paragraph
from poolscope.measures.earlier import queued_before
from poolscope.measures.late import LATE_NS, Late, long_and_rare

UNRESOLVED_LOW = 0.15
"""The share of execution in unresolved polling steps above which its parts are known only roughly."""


@dataclass(frozen=True)
class Verdict:
    """The answer in one sentence. `id` is a rule's id, `cannot-tell` or `no-work`."""

    id: str
    text: str
    confidence: str
    """high, medium or low."""
    reasons: list[str]
    """Why the confidence is not high, or why nothing can be reported."""
    late: Lateness | None = None
    """The late requests, activities, calls or messages. None if the verdict is about work items. Not in
    analysis.json."""

    def to_json(self) -> VerdictJson:
        return {"id": self.id, "text": self.text, "confidence": self.confidence, "reasons": list(self.reasons)}

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
        return card(
            f"Verdict: {self.id}",
            paragraph(self.text),
            paragraph(f"Confidence: {self.confidence}.{' What limits it:' if self.reasons else ''}", faint=True),
            bullets(self.reasons),
        )


def judge(evidence: Evidence, findings: list[Finding]) -> Verdict:
    """Chooses by cost in item-seconds, not by order, after checking whether any verdict can be given."""
    reasons = CoverageLow.holes(evidence)
    doubts = doubts_of(evidence)
    if evidence.attribution.items.count == 0:
        if doubts:
            seen = (
                "the capture contains no work items, and some may be missing"
                if evidence.coverage.items_recorded
                else NOT_RECORDED
            )
            return Verdict("cannot-tell", f"Cannot tell: {seen}.{counters_sentence(evidence.capture)}", "low", doubts)
        if tasks := evidence.prompt_tasks:
            started = f"{tasks.count:,} tasks with threads of their own started at once"
            text = f"Healthy: {started}, and nothing was queued to the pool."
            return Verdict("healthy", text, _confidence(evidence, reasons), reasons)
        text = "No work item was queued to the thread pool in this capture."
        return Verdict("no-work", text, _confidence(evidence, reasons), reasons)
    if doubts:
        # If items may be paired wrongly or belong to no one request, the absence of late items proves nothing.
        asked = "whether" if evidence.is_well and not_judged(evidence.capture.manifest) else "why"
        text = f"Cannot tell {asked} items waited: {doubts[0]}{measured(evidence)}"
        return Verdict("cannot-tell", text, "low", reasons or doubts)
    causes = [f for f in findings if f.sentence or f.id not in (CoverageLow.id, *NEVER_THE_VERDICT)]
    if not causes:
        why = "no known cause explains a notable part of the wait."
        return Verdict("cannot-tell", f"Cannot tell why items waited: {why}{measured(evidence)}", "low", reasons)
    cause = choose(causes)
    if cause.id == "healthy" and evidence.late_requests is not None:
        return _late_without_a_place(evidence, "requests", evidence.late_requests, reasons)
    if cause.id == "healthy" and evidence.late_others is not None:
        return _late_without_a_place(evidence, *evidence.late_others, reasons)
    if cause.id == "healthy" and evidence.late_messages is not None:
        return _late_messages(evidence, evidence.late_messages, reasons)
    if cause.id == "healthy" and (verdict := _late_before(evidence, reasons)) is not None:
        return verdict
    if cause.id == RuntimeSuspended.id and may_be_own(evidence):
        return Verdict(
            "cannot-tell",
            f"Cannot tell why items waited: {OWN_PAUSES}{measured(evidence)}",
            "low",
            [*reasons, without_own(evidence)],
        )
    disturbed, flipped = disturbance(evidence, cause)
    starting = any(i.at_start_up for i in evidence.incidents) and cause.id == "healthy"
    reasons = [
        *reasons,
        *(_always_long(evidence) if cause.id == "healthy" else []),
        *_misfit(evidence, cause, reasons),
        *_shared(evidence, cause, causes),
        *([cause.doubt] if cause.doubt else []),
        *([disturbed] if disturbed else []),
        *(
            ["Items were late while the program started. Only its users can say whether that matters."]
            if starting
            else []
        ),
    ]
    confidence = "low" if flipped else _confidence(evidence, reasons, cause.id)
    text = _sentence(evidence, cause) + requests_sentence(
        evidence, with_parts=not cause.sentence, beyond=cause.id == ClientSide.id
    )
    return Verdict(cause.id, text, confidence, reasons, cause.late)


def _late_without_a_place(evidence: Evidence, what: str, late: Late, reasons: list[str]) -> Verdict:
    """Returns the verdict if work items started on time and others were late: "healthy" would mislead the customer."""
    text = (
        f"Cannot tell why {len(late.row):,} of {late.count:,} {what} were late, up to {duration(late.longest / NS_PER_MS)}: work "
        f"items started on time, so it was not the thread pool.{requests_sentence(evidence)}"
    )
    lateness = Lateness(what, len(late.row), late.count, seconds=late.beyond / NS_PER_S)
    return Verdict("cannot-tell", text, "low", [*reasons, f"No event shows where the late {what} were."], lateness)


def _late_messages(evidence: Evidence, late: BusyConnections, reasons: list[str]) -> Verdict:
    """Returns the same for messages over connections that stay open, which no request shows."""
    count = len(np.unique(late.socket))
    lateness = Lateness("messages", count, None, seconds=late.cost.sum() / NS_PER_S)
    text = (
        f"Cannot tell why {lateness.count} were answered up to "
        f"{duration(late.longest / NS_PER_MS)} late: they were read at once, and work items started on time, so it was not the thread "
        f"pool.{requests_sentence(evidence)}"
    )
    return Verdict("cannot-tell", text, "low", [*reasons, TOGETHER], lateness)


def _late_before(evidence: Evidence, reasons: list[str]) -> Verdict | None:
    """Returns the verdict if the queue was full right before the recording and empty in it: the delay may return."""
    before = queued_before(evidence.capture)
    if before is None or before.item_seconds < evidence.least_seconds or not before.is_late(evidence.late_limit_ms):
        return None
    text = (
        f"Cannot tell why items waited: for {duration(before.length / NS_PER_MS)} right before the recording at least "
        f"{items(before.count)} were queued, and no event shows their wait. In the recording items started on time."
        f"{requests_sentence(evidence)}"
    )
    return Verdict("cannot-tell", text, "low", [*reasons, BEFORE])


def _always_long(evidence: Evidence) -> list[str]:
    """Returns sentences on possible lateness that no event shows: requests always slow or open, and data not
    followed."""
    requests, parts = evidence.requests, evidence.request_parts
    said = []
    if parts is not None and len(parts.latency) and np.median(parts.latency) >= LATE_NS:
        median = duration(float(np.median(parts.latency)) / NS_PER_MS)
        said.append(
            f"Requests took {median} in the median, and not for a thread: only their users can say whether that is late."
        )
    if evidence.suspended_share >= NOTABLE_SHARE:
        said.append(
            f"The runtime was suspended {percent(evidence.suspended_share)} of the time: items that ran then ended "
            "later, and their waits do not show it."
        )
    if requests is not None and (longest := requests.longest_open_after_answer) >= LATE_NS:
        said.append(
            f"Requests stayed open for up to {duration(longest / NS_PER_MS)} after their answer had begun, as downloads, streams and "
            "web sockets do: no event shows what was late within them."
        )
    reads = evidence.socket_reads
    if reads is not None and reads.not_followed > NOTABLE_SHARE * len(reads.wait):
        count = f"{reads.not_followed:,} segments of data"
        said.append(f"How long {count} lay unread is not known: the bytes of their connections do not add up.")
    if len(long := long_and_rare(requests)):
        took = "1 request took" if len(long) == 1 else f"{len(long):,} requests took up to"
        said.append(
            f"{took} {duration(int(long.max()) / NS_PER_MS)}, on routes with too few others to compare with: only "
            "their users can say whether that is late."
        )
    return said


def _misfit(evidence: Evidence, cause: Finding, reasons: list[str]) -> list[str]:
    """Returns why the simulated pool does not fit the run, unless the cause rests on no replay or a reason says so."""
    if cause.id in (*MEASURED, "healthy"):
        return []
    what_if = evidence.what_if
    if what_if is None or what_if.calibration.misfit is None:
        return []
    if any("does not fit" in reason for reason in reasons):
        return []
    misfit = what_if.calibration.misfit
    return [
        f"{misfit[0].upper()}{misfit[1:]}. The cause rests on measured events; its share of the wait is approximate."
    ]


def _shared(evidence: Evidence, cause: Finding, causes: list[Finding]) -> list[str]:
    """Returns why the verdict is not the whole answer: several causes share the wait, and none has half of it."""
    total = evidence.waiting_item_seconds
    if cause.ended_late or cause.id == "healthy" or total <= 0 or cause.item_seconds >= MOST * total:
        return []
    others = [
        f for f in causes if f is not cause and not f.explains and f.id not in cause.explains and not f.ended_late
    ]
    if not others:
        return [f"The cause has {percent(cause.item_seconds / total)} of the wait.{_rest(evidence, cause)}"]
    following = max(others, key=lambda f: f.item_seconds)
    return [
        f"No cause has half of the wait. Beside the verdict's {percent(cause.item_seconds / total)}: "
        f"{following.title[0].lower()}{following.title[1:]}, {percent(following.item_seconds / total)}."
    ]


def _rest(evidence: Evidence, cause: Finding) -> str:
    """Returns the other parts of the wait, as a sentence after a space. Empty if there are none."""
    split = evidence.split.parts
    parts = {
        "items held threads while they waited for what another item had": split.dependency,
        "blocked items held the threads that the maximum allows": split.holding,
        "the cores were busy": split.core,
        "the pool had too few threads": split.injection,
        "the runtime was suspended or handed items over": split.runtime,
    }
    words, part = max(parts.items(), key=lambda row: evidence.item_seconds(row[1]))
    rest = evidence.item_seconds(part)
    return f" In {percent(rest / evidence.waiting_item_seconds)} of it {words}." if rest > cause.item_seconds else ""


TOGETHER = (
    "The answers went out together afterwards, so the messages waited for each other, as in a hub that awaits one call at a time, or "
    "all for the same thing. No event shows which. If this is a SignalR hub on .NET 9 or newer, record with "
    f"--activities {HUB_CALLS}: its activities name the slow call."
)
BEFORE = "Record again while items wait, or start the program under the collector."

OWN_PAUSES = "the runtime was suspended meanwhile, but not to collect garbage, and the recording itself walks stacks."

MEASURED = ("runtime-suspended",)
"""Causes whose part of the wait is counted, not replayed. A replay that does not fit says nothing against them."""


def _confidence(evidence: Evidence, reasons: list[str], cause: str = "") -> str:
    c = evidence.coverage
    if c.contradictions or damaged(c.losses, RUNTIME_STREAM, SCHEDULER_STREAM, POLLED_STREAM):
        return "low"
    if c.unresolved_ms > UNRESOLVED_LOW * c.execution_ms and not evidence.is_healthy:
        return "low"
    if evidence.attribution.pool.may_be_full and not evidence.is_healthy:
        return "low"
    error = c.replay_error
    if error is not None and abs(error) > 2 * MODEL_ERROR and not evidence.is_healthy and cause not in MEASURED:
        return "low"
    return "medium" if reasons else "high"


def _sentence(evidence: Evidence, finding: Finding) -> str:
    waits = evidence.attribution.items
    if finding.id == "healthy":
        late = sum(len(i.incident.late) for i in evidence.incidents)
        if not late:
            return f"Healthy: {items(waits.count)} started on time ({finding.number})."
        starting = all(i.at_start_up for i in evidence.incidents)
        why = (
            "all while the program started and its code was compiled" if starting else "too few and too short to matter"
        )
        return f"Healthy: {late:,} of {items(waits.count)} started late, {why} ({finding.number})."
    if finding.sentence:
        return finding.sentence
    if finding.ended_late:
        some = finding.affected is not None and finding.affected < waits.count
        count = f"{finding.affected:,} of {items(waits.count)}" if some else items(waits.count)
        mean, at_least = float(waits.wait.mean()) / NS_PER_MS, "at least " if waits.censored.any() else ""
        return (
            f"{count[0].upper()}{count[1:]} ended late because {finding.because}: {finding.number}. {'All items' if some else 'They'} had "
            f"started {at_least}{duration(mean)} late on average."
        )
    at_least = "at least " if evidence.of_judged(waits.censored).any() else ""
    judged = items(evidence.count) if evidence.count == waits.count else f"{evidence.count:,} of {items(waits.count)}"
    return (
        f"{judged[0].upper()}{judged[1:]} started {at_least}{duration(evidence.mean_wait_ms)} late on average because "
        f"{finding.because}: {finding.number}.{_place(evidence, finding)}"
    )


def _place(evidence: Evidence, finding: Finding) -> str:
    """Returns where in the reader's own code the threads were, as a sentence after a space. Empty if unclear."""
    culprit = evidence.culprit
    if finding.where.section != "blame" or culprit is None or not culprit.is_clear or blocked_share(evidence) < MOST:
        return ""
    if culprit.route:
        return f" The threads were in an endpoint, most likely that of {culprit.route}."
    return f" The threads were in {culprit.where}." if culprit.own else ""
