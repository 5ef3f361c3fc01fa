"""The verbs of the build, and their texts for the user."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import benching
import demo
import dotnet
import fuzzing
import golden
import linting
import needs
import pack
import repo
import seeds_page
import steps
import testing
import zoo_runs
from needs import Needs

COMMAND = ".\\build.ps1" if repo.WINDOWS else "./build.sh"
USAGE = 2
INTERRUPTED = 130


@dataclass(frozen=True)
class Verb:
    """One verb. `work` gets the arguments after the verb and returns the exit code."""

    help: str
    work: Callable[[list[str]], int]
    takes_arguments: bool = False
    needs: Needs | Callable[[list[str]], Needs] | None = Needs.DEVELOPMENT
    """The needs that are set up first; None: nothing."""

    def sets_up(self, arguments: list[str]) -> None:
        """Brings what the verb needs up to date."""
        wanted = self.needs(arguments) if callable(self.needs) else self.needs
        if wanted is not None:
            needs.set_up(wanted)


def _setup(_: list[str]) -> int:
    start = time.monotonic()
    state = "ready" if needs.set_up(Needs.EVERYTHING) else "up to date"
    steps.say(f"setup: {state} ({time.monotonic() - start:.1f} s); the commands are in bin/")
    return 0


def _docs(_: list[str]) -> int:
    for part, path, _source in linting.GENERATED:
        part.write()
        steps.say(f"docs: wrote {path.relative_to(repo.ROOT)}")
    return 0


def _lock(_: list[str]) -> int:
    dotnet.check_sdk()
    dotnet.lock()
    steps.say("lock: wrote packages.lock.json of every project: commit what changed")
    return 0


def _golden(arguments: list[str]) -> int:
    if arguments == ["--accept"]:
        changed = golden.accept()
        steps.say(f"golden: {len(changed)} answers changed; `git diff traces/answers` shows how")
        return 0
    if arguments:
        print(f"build: 'golden' takes --accept or nothing, got: {' '.join(arguments)}", file=sys.stderr)
        return USAGE
    for name in golden.refresh():
        steps.say(f"golden: new tables in {name}")
    return 0


VERBS = {
    "setup": Verb("make this machine ready: packages, build, launchers in bin/", _setup, needs=None),
    "demo": Verb(
        "capture a live run of the `ticket` workload and write reports/demo.html",
        lambda _: demo.run(),
        needs=Needs.RECORDING,
    ),
    "seeds": Verb(
        "run the published experiments and write reports/seeds.html; --only ID, --full, --framework, --again",
        seeds_page.run,
        True,
    ),
    "test": Verb(
        "run unit tests and a few live ones; --unit: no live ones; --all: everything; --lint: lint too; the rest: to pytest",
        testing.run,
        True,
        needs=None,
    ),
    "bench": Verb(
        "measure: bench overhead [--pairs N] [--only NAME] [--resume] | tiers | report | compare | faults | mutation | latency | decode | watching",
        benching.run,
        True,
        Needs.EVERYTHING,
    ),
    "whatif-check": Verb(
        "predict changed settings, run them, compare: [--only NAME] [--quick] [--resume] [--predict-only]",
        benching.check_whatif,
        True,
    ),
    "zoo": Verb(
        "run strangers' programs and write reports/zoo.json; --real, --only, --framework, --attach, --spin, --again, --resume",
        zoo_runs.run,
        True,
    ),
    "fuzz": Verb(
        "decode damaged files of every format: [--format NAME] [--inputs N] [--seed S] [--minutes M] [--every-byte]; --guided: by coverage, with afl-fuzz",
        fuzzing.run,
        True,
    ),
    "verdicts": Verb(
        "give the zoo and the seeds their verdicts many times; how often each confidence is right: --runs, --only",
        zoo_runs.run_verdicts,
        True,
    ),
    "pack": Verb("make the packages that users install, in artifacts/pack/", lambda _: pack.run()),
    "lint": Verb("check formatting, types and generated pages", lambda _: linting.run()),
    "docs": Verb(
        "write the generated pages again: docs/tables.md, docs/zoo-programs.md, the reference of docs/analysis-json.md and its types",
        _docs,
        needs=None,
    ),
    "lock": Verb("lock the NuGet packages again after a change of Directory.Packages.props", _lock, needs=None),
    "golden": Verb(
        "decode the golden captures again after a change of the decoder; --accept: write what the analysis says of captures",
        _golden,
        True,
    ),
}


def _usage() -> str:
    lines = [f"  {name:14}{verb.help}" for name, verb in VERBS.items()]
    return f"usage: {COMMAND} VERB [ARGUMENTS]\n\n" + "\n".join(lines)


def run(arguments: list[str]) -> int:
    """Runs one verb and returns the exit code: its own, 1 if the build itself fails, 2 for wrong usage."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0 if arguments else USAGE
    name, *rest = arguments
    verb = VERBS.get(name)
    if verb is None:
        print(f"build: no verb '{name}'; there are: {' '.join(VERBS)}", file=sys.stderr)
        return USAGE
    if rest and not verb.takes_arguments:
        print(f"build: '{name}' takes no arguments, got: {' '.join(rest)}", file=sys.stderr)
        return USAGE
    try:
        verb.sets_up(rest)
        return verb.work(rest)
    except repo.BuildError as error:
        sys.stdout.flush()
        print(f"build: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
