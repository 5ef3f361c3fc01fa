"""The code to name: the place where items were blocked, the code to write there instead, and the code in which threads
were found in the meantime, by waits, snapshots and CPU samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.lookup import latest, ordered
from poolscope.base.words import percent
from poolscope.blame.blame import Blame, BlameRow
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.contract.tables import TableName
from poolscope.evidence.where import METHODS_SHOWN
from poolscope.flames.cpu import MethodRow
from poolscope.measures.requests import Requests
from poolscope.naming import is_user
from poolscope.naming.choice import KIND_WORDS, user_method


@dataclass(frozen=True)
class Seen:
    """The code in which stacks of threads were found."""

    method: str | None
    """The application's method that the stacks contained most often; None: they contained none."""
    found: int
    """The number of stacks with that method."""
    looks: int
    """The number of all stacks of these threads."""
    call: str | None
    """The framework's method that the stacks contained most often if none is the application's; None: unknown."""


def seen_in(capture: DecodedCapture, attribution: Attribution, tid: IntArray, begin: IntArray, end: IntArray) -> Seen:
    """Counts the stacks seen in stretches (`tid`, `begin`, `end`), shape (stretches,), in ns from the start of the
    window. Stretches of one thread do not overlap."""
    names, stacks = stack_names(capture, attribution), []
    order = ordered(tid, begin)
    tid, begin, end = tid[order], begin[order], end[order]
    tables: tuple[TableName, ...] = ("waits", "snapshots", "cpu_samples")
    for table in tables:
        if not capture.has(table):
            continue
        rows = capture.table(table)
        rows = rows[np.isin(rows["tid"].to_numpy(), tid) & (rows["stack"].to_numpy() >= 0)]
        since = rows["start" if table == "waits" else "time"].to_numpy() - capture.window[0]
        until = rows["end"].to_numpy() - capture.window[0] if table == "waits" else since
        at, some = latest(tid, begin, rows["tid"].to_numpy().astype(np.int64), np.maximum(until, since))
        stacks += rows["stack"].to_numpy()[some & (end[at] >= since)].tolist()
    own: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for stack, seen in Counter(stacks).items():
        path = names.path(int(stack))
        if (method := user_method(path)) is not None:
            (own if any(is_user(one) for one in path) else other)[method] += seen
    method, found = own.most_common(1)[0] if own else (None, 0)
    return Seen(method, found, len(stacks), other.most_common(1)[0][0] if other and not own else None)


CLEAR_SHARE = 0.5
"""The share of the blocked thread time from which advice names one method, also at the low end of its interval."""
WORTH_NAMING = 0.1
"""The least share that is worth a sentence, as for causes: a tenth."""
NEARLY_ALL = 0.9
"""The share of the requests' time from which a route is named as the place of code that no stack names."""
LOCKS = ("lock", "reader-writer-lock")
"""Kinds of wait that end sooner only if the holder of the lock releases it sooner."""
COMPILED = ("dynamicClass.lambda_method", "(dynamicClass).lambda_method")
"""Delegates that are compiled at run time. ASP.NET Core makes one for each endpoint; the JIT inlines short handlers
into it."""
FREE = "Free the threads while items wait:"


@dataclass(frozen=True)
class Culprit:
    """The costliest row of blame."""

    method: str
    kind: str
    """A key of KIND_WORDS."""
    share: float
    """The share of the thread time that items were blocked while others waited, 0 ... 1."""
    least: float
    """The low end of the 95 % interval of `share`."""
    estimated: float
    """The estimated part of `share`, 0 ... 1."""
    samples: int = 0
    """The number of snapshots that saw a thread blocked there."""
    samples_of: int = 0
    """The number of snapshots that saw any item's thread blocked."""
    own: bool = True
    """Whether the method is the user's, or code that the user chose; not the framework's."""
    place: str | None = None
    """The file without its folders, and the line; None: not known."""
    call: str | None = None
    """The framework's call that blocked, as a person writes it; None: no known call."""
    instead: str | None = None
    """The code to write instead of the call; None: that depends on the kind."""
    awaits: bool = True
    """Whether its asynchronous version, if it has one, returns the thread."""
    advice: str | None = None
    """The advice for a call that blocks a thread in every form: a clause in the imperative."""
    library: bool = False
    """Whether the call belongs to a library, not to the framework."""
    inlined: bool = False
    """Whether the stacks have no method of the user's, but a delegate that was compiled at run time (COMPILED)."""
    route: str | None = None
    """The HTTP method and route with nearly all time of the requests, if `inlined`; None: no route had that much, or
    the capture has no requests."""

    @staticmethod
    def of(blame: Blame | None, requests: Requests | None = None) -> Culprit | None:
        """Returns the first row of blame as a culprit; None without stacks, if the code has no name, or if the row is
        too small to matter."""
        row = None if blame is None else blame.first
        if blame is None or row is None or row.method is None or row.thread_s < WORTH_NAMING * blame.total_s:
            return None
        inlined = not row.own and _compiled(blame, row)
        return Culprit(
            row.method,
            row.kind,
            row.thread_s / blame.total_s,
            row.low_s / blame.total_s,
            row.estimated_s / row.thread_s,
            row.samples,
            blame.samples,
            row.own,
            None if row.place is None else place_words(row.place[0], row.place[1]),
            None if row.call is None else row.call.call,
            None if row.call is None else row.call.instead,
            advice=None if row.call is None else row.call.advice,
            library=row.call is not None and row.call.library is not None,
            inlined=inlined,
            route=requests.main_route(NEARLY_ALL) if inlined and requests is not None else None,
        )

    @property
    def is_clear(self) -> bool:
        return self.least >= CLEAR_SHARE

    @property
    def where(self) -> str:
        """The method, with file and line if known."""
        whose = "called by an endpoint's code that was inlined" if self.inlined else "not your code"
        name = self.method if self.own else f"{self.method} ({whose})"
        return f"{name} ({self.place})" if self.place else name

    def sentence(self) -> str:
        """Returns a sentence of evidence for a finding: the code that blocked, how, and for how long."""
        how = "" if self.kind == "unknown" else f"{KIND_WORDS[self.kind]}"
        if self.call:
            how = f"{how}, {self.call}" if how else self.call
        said = f"While others waited, blocked items were in {self.where} for {percent(self.share)} of the time"
        said += f": {how}" if how else ""
        if self.estimated > 0:
            said += f"; estimated from {self.samples:,} of {self.samples_of:,} samples, at least {percent(self.least)}"
        return said + "."


def _compiled(blame: Blame, row: BlameRow) -> bool:
    longest = max(row.stacks, key=lambda stack: row.stacks[stack])
    return any(method is not None and method.startswith(COMPILED) for method in blame.names.path(longest))


def place_words(file: str, line: int) -> str:
    """Returns a source line in the form that people use: the file without its folders."""
    name = file.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{line}"


def free_the_threads(culprit: Culprit | None) -> str:
    """Returns the advice: one or two sentences with the place of the blocking call and, if it is clear, its
    replacement."""
    if culprit is None or not culprit.is_clear:
        return f"{FREE} await the blocking call instead of sleeping or waiting on it."
    if culprit.advice is not None:
        return f"{FREE} in {culprit.where}, for {culprit.call}: {culprit.advice}."
    if culprit.kind in LOCKS:
        return f"{FREE} {shorten(culprit.where)}. Or guard with a SemaphoreSlim and await WaitAsync."
    if culprit.kind == "initialisation":
        how = f", or {culprit.instead}" if culprit.instead else ""
        return f"{FREE} initialise what {culprit.where} waits for before the first item needs it{how}."
    if culprit.inlined:
        how = culprit.instead or "the asynchronous form of what it calls"
        how = how if how.startswith("await") else f"await {how}"
        return (
            f"{FREE} an endpoint of yours calls {culprit.call or culprit.method}: {how} there. The JIT inlined its code into "
            "the delegate that ASP.NET Core compiled for it, so its name is on no stack; "
            + (
                f"{culprit.route} had nearly all time of the requests."
                if culprit.route
                else "the requests tell its route."
            )
        )
    if not culprit.own:
        return (
            f"{FREE} none of your own methods is on the stacks that block in {culprit.method}. Look for a setting of what "
            "calls it, or for an asynchronous form of what starts it."
        )
    if not culprit.awaits and culprit.call:
        return (
            f"{FREE} make {culprit.call} in {culprit.where} on a thread of its own, as with TaskCreationOptions.LongRunning. "
            "Its asynchronous version would block a pool thread, too."
        )
    if culprit.library and culprit.instead is None:
        return (
            f"{FREE} {culprit.where} calls {culprit.call}, and that library blocks the thread. Await its asynchronous form "
            "if it has one; else call it from a thread of its own (TaskCreationOptions.LongRunning)."
        )
    if culprit.call is None:
        return f"{FREE} await the blocking call in {culprit.where} instead of sleeping or waiting on it."
    if culprit.instead is None:
        return f"{FREE} in {culprit.where} replace {culprit.call} with its asynchronous version and await it."
    if culprit.instead == "await":
        return f"{FREE} in {culprit.where} await the task instead of blocking on {culprit.call}."
    use = "" if culprit.instead.startswith("await a ") else "use "
    return f"{FREE} in {culprit.where} {use}{culprit.instead} instead of {culprit.call}."


def shorten(where: str) -> str:
    """Returns the advice for a lock: a clause without its full stop."""
    return f"shorten the critical section that {where} waits for"


def methods_shown(section: str, blame: Blame | None, hot: Sequence[MethodRow]) -> list[str]:
    """Returns the code that this part of the report (blame or cpu) shows first, costliest first; empty for other parts.
    `hot`: the user's methods on whose behalf workers computed."""
    if section == "blame" and blame is not None:
        names = [row.method for row in blame.rows if row.stacks]
    elif section == "cpu":
        names = [row.frame.method for row in hot]
    else:
        names = []
    return list(dict.fromkeys(name for name in names if name))[:METHODS_SHOWN]
