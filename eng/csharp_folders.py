"""Which folders of a C# project use which others, read from the source text.

A folder uses another where a file of it names a type that a file of the other declares and can see it: through a `using`,
because the namespace is its own or one around it, or by a name that begins with the folder (`Commands.ExitCode`). A type that
is declared in several folders counts for all of them that can be seen.

The text shows uses that no assembly does: a constant, a value of an enum and a `nameof` are compiled into their values. It does
not show the folder of a type that no file names, such as that of `a.B` in `a.B.C`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = "."
"""The folder of the project itself."""
USING = re.compile(r"^(?:global )?using (?:static )?(?:\w+ = )?([\w.]+);$", re.MULTILINE)
TYPE_USING = re.compile(r"^(?:global )?using (?:static |\w+ = )([\w.]+);$", re.MULTILINE)
"""What a file names in its head: the type of which it takes the members, or to which it gives another name."""
NAMESPACE = re.compile(r"^namespace ([\w.]+)", re.MULTILINE)
TYPE = re.compile(
    r"^(?:\w+ )*?(?:(?:class|interface|enum|record struct|record|struct) (\w+)|delegate .+? (\w+)(?=\(|<\w+>\())",
    re.MULTILINE,
)
EXTENSION = re.compile(r"\bstatic [^;{}=]*?\b(\w+)(?:<[^>]*>)?\(\s*this ")
"""A method that is called by its own name, as if it were of another type."""
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n{])*"', re.DOTALL)
WORD = re.compile(r"(?:\b[A-Z]\w*\.)*\b[A-Z]\w*")

Uses = dict[str, dict[str, set[str]]]
"""For each folder the folders that it uses, and for each of these `file: type` as its reasons."""


@dataclass(frozen=True)
class Source:
    name: str
    folder: str
    namespace: str
    declares: frozenset[str]
    visible: frozenset[str]
    """Namespaces whose types it may name without saying if they are."""
    names: frozenset[str]


def projects(root: Path) -> list[Path]:
    """Returns the folders of all C# projects below `root`."""
    return sorted(path.parent for path in root.rglob("*.csproj") if not {"artifacts", "node_modules"} & set(path.parts))


def uses(project: Path) -> Uses:
    """Returns what each folder of the project uses of the others."""
    sources = [_read(project, path) for path in sorted(project.rglob("*.cs")) if _is_source(project, path)]
    declared: dict[str, list[Source]] = {}
    for source in sources:
        for name in source.declares:
            declared.setdefault(name, []).append(source)
    found: Uses = {source.folder: {} for source in sources}
    for source in sources:
        for name in source.names:
            *outer, last = name.split(".")
            for position, word in enumerate([*outer, last]):
                before = ".".join(outer[:position])
                for other in declared.get(word, ()):
                    seen = _ends_with(other.namespace, before) if before else other.namespace in source.visible
                    if seen and other.folder != source.folder:
                        found[source.folder].setdefault(other.folder, set()).add(f"{source.name}: {word}")
    return found


def cycles(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Returns the groups of folders that use one another in a circle, each sorted."""
    reached = {folder: _reached(folder, edges) for folder in edges}
    groups = {tuple(sorted(o for o in reached[f] if f in reached[o])) for f in edges if f in reached[f]}
    return [list(group) for group in sorted(groups)]


def _reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    seen: set[str] = set()
    left = list(edges[start])
    while left:
        folder = left.pop()
        if folder not in seen:
            seen.add(folder)
            left += edges[folder]
    return seen


def _ends_with(namespace: str, name: str) -> bool:
    return namespace == name or namespace.endswith(f".{name}")


def _is_source(project: Path, path: Path) -> bool:
    return not {"obj", "bin"} & set(path.relative_to(project).parts)


def _read(project: Path, path: Path) -> Source:
    text = NOT_CODE.sub('""', path.read_text("utf-8-sig"))
    found = NAMESPACE.search(text)
    namespace = found[1] if found else ""
    around = {namespace.rsplit(".", up)[0] for up in range(namespace.count(".") + 1)}
    body = NAMESPACE.sub("", USING.sub("", text))
    declares = {name for pair in TYPE.findall(text) for name in pair if name}
    return Source(
        path.name,
        ".".join(path.parent.relative_to(project).parts) or ROOT,
        namespace,
        frozenset({*declares, *(name.removesuffix("Attribute") for name in declares), *EXTENSION.findall(text)}),
        frozenset({*USING.findall(text), *around}),
        frozenset({*WORD.findall(body), *TYPE_USING.findall(text)}),
    )
