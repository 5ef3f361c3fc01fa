"""The first line of a commit: at most 72 characters, in the imperative."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import repo

BASE = "456f273975f7d10a1bc8890e5bb72e3cfb5ba9f0"
"""The last commit before the rule. Later ones are checked if the clone's history contains this one."""
LONGEST = 72
"""Characters of a subject in a terminal of 80 columns (git's own documentation, DISCUSSION of git-commit)."""

PAST = re.compile(r"[a-z]+(?<!e)ed|made|wrote|was|were|did|had|ran|took|gave|went|kept|left", re.IGNORECASE)
GERUND = re.compile(r"[a-z]{2,}ing", re.IGNORECASE)
THIRD_PERSON = re.compile(r"[a-z]+(?<![su])s", re.IGNORECASE)
NO_VERB = re.compile(
    "an?|the|no|not|this|that|these|each|every|all|some|more|less|it|we|what|where|which|when|why|how|of|in|on|at|for|with"
    "|without|and|but",
    re.IGNORECASE,
)
FORMS = {"past tense": PAST, "gerund": GERUND, "third person or noun": THIRD_PERSON, "no verb": NO_VERB}
IMPERATIVES = {"embed", "shed", "wed", "bring", "ring", "string", "swing", "ping", "bias", "alias"}
"""Imperatives that end like other forms."""
AREA = re.compile(r"[A-Z][\w.-]*(?: [\w.-]+){0,2}: ")
"""The changed area before the verb, as in "Docs: name the limits"."""


def faults(subject: str) -> list[str]:
    """Returns the faults of a subject; none for one that git itself writes."""
    if subject.startswith(('Revert "', "Merge ")):
        return []
    found = []
    if len(subject) > LONGEST:
        found.append(f"{len(subject)} characters, {LONGEST} at most")
    if not subject[:1].isupper():
        found.append("no capital letter at the beginning")
    if subject.endswith("."):
        found.append("a full stop at the end")
    area = AREA.match(subject)
    word = re.split(r"[^\w'-]", subject[area.end() if area else 0 :], maxsplit=1)[0]
    if word.lower() not in IMPERATIVES:
        forms = [form for form, pattern in FORMS.items() if pattern.fullmatch(word)]
        found += [f"'{word}' is not imperative ({form})" for form in forms[:1]]
    return found


def new(folder: Path = repo.ROOT, base: str = BASE) -> list[tuple[str, str]]:
    """Returns the short hash and subject of each commit since the base; none without git or with too little history."""
    asked = ["git", "log", "--no-merges", "--format=%h %s", f"{base}..HEAD"]
    try:
        known = subprocess.run(["git", "merge-base", "--is-ancestor", base, "HEAD"], cwd=folder, capture_output=True)
        if known.returncode != 0:
            return []
        listed = subprocess.run(asked, cwd=folder, capture_output=True, text=True, encoding="utf-8", errors="replace")
    except OSError:
        return []
    lines = [line.partition(" ") for line in listed.stdout.splitlines()]
    return [(commit, subject) for commit, _, subject in lines]
