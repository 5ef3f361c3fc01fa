"""Finds which folders of a C# project use which others, from the source text.

A folder uses another if one of its files names a type that the other declares and that the file can see. The file sees
it through a `using`, because the namespace is its own or an enclosing one, or by a name that begins with the folder
(`Commands.ExitCode`). A type declared in several folders counts for every visible one.

The text shows uses that no assembly does: the compiler replaces a constant, an enum value and a `nameof` by their
values. It does not show the folder of a type that no file names, such as that of `a.B` in `a.B.C`.
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
"""A `using` of a type at the head of a file: for its members, or to give it another name."""
NAMESPACE = re.compile(r"^namespace ([\w.]+)", re.MULTILINE)
TYPE = re.compile(
    r"^(?:\w+ )*?(?:(?:class|interface|enum|record struct|record|struct) (\w+)|delegate .+? (\w+)(?=\(|<\w+>\())",
    re.MULTILINE,
)
EXTENSION = re.compile(r"\bstatic [^;{}=]*?\b(\w+)(?:<[^>]*>)?\(\s*this ")
"""An extension method, called by its own name like a method of another type."""
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n{])*"', re.DOTALL)
WORD = re.compile(r"(?:\b[A-Z]\w*\.)*\b[A-Z]\w*")

Uses = dict[str, dict[str, set[str]]]
"""The folders that each folder uses, and for each of these `file: type` as its reasons."""


@dataclass(frozen=True)
class Source:
    name: str
    folder: str
    namespace: str
    declares: frozenset[str]
    visible: frozenset[str]
    """Namespaces whose types it may name without a qualifier."""
    names: frozenset[str]


def projects(root: Path) -> list[Path]:
    """Returns the folders of all C# projects below `root`."""
    return sorted(path.parent for path in root.rglob("*.csproj") if not {"artifacts", "node_modules"} & set(path.parts))


def uses(project: Path) -> Uses:
    """Returns the other folders that each folder of the project uses."""
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
    """Returns the groups of folders that use one another in a cycle, each sorted."""
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
