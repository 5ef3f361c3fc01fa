"""Prints every find of the prose lint, or counts them by kind of text."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from prose import patterns  # noqa: E402
from prose.lint import Found, found_in, tracked  # noqa: E402
from prose.passages import Kind  # noqa: E402


def main() -> int:
    """Runs the command line and returns its exit code: 1 if the chosen texts contain a find."""
    parser = argparse.ArgumentParser(prog="python -m prose", description=__doc__)
    parser.add_argument("files", nargs="*", help="files or folders, from the repository's root; all if none")
    parser.add_argument("--count", action="store_true", help="print a table of finds by pattern and kind of text")
    parser.add_argument(
        "--kind", choices=[kind.name.lower() for kind in Kind], action="append", help="these texts alone"
    )
    parser.add_argument("--twelve", action="store_true", help="look for the twelve patterns alone")
    parser.add_argument("--root", type=Path, help="another clone of the repository")
    chosen = parser.parse_args()
    names = [name for name in tracked(chosen.root) if not chosen.files or name.startswith(tuple(chosen.files))]
    kinds = [kind for kind in Kind if not chosen.kind or kind.name.lower() in chosen.kind]
    found = found_in(names, kinds, patterns.TWELVE if chosen.twelve else patterns.ALL, chosen.root)
    print(table(found) if chosen.count else "\n".join(map(str, found)))
    return 1 if found else 0


def table(found: list[Found]) -> str:
    """Returns a Markdown table of the number of finds by pattern and kind of text."""
    counts = Counter((one.pattern.name, one.passage.kind) for one in found)
    lines = ["| pattern | " + " | ".join(kind.value for kind in Kind) + " |", "| --- |" + " ---: |" * len(Kind)]
    for name in [pattern.name for pattern in patterns.ALL]:
        lines.append(f"| {name} | " + " | ".join(f"{counts[name, kind]}" for kind in Kind) + " |")
    for title, some in (("the twelve", patterns.TWELVE), ("all", patterns.ALL)):
        names = {pattern.name for pattern in some}
        sums = [sum(n for (name, of), n in counts.items() if of == kind and name in names) for kind in Kind]
        lines.append(f"| **{title}** | " + " | ".join(map(str, sums)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
