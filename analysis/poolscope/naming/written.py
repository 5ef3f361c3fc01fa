"""Restores method names as a person wrote them from the names that the compiler and the runtime generate."""

from __future__ import annotations

import re
from functools import lru_cache

_STATE_MACHINE = re.compile(r"[.+]<(?P<method>.+)>d__\d+(_\d+)?(?P<arity>`\d+)?(?P<types>\[[^|]*\])?\.MoveNext$")
"""An async method or iterator: the compiler moved its code into MoveNext of a nested type."""
_LOCAL_STATE_MACHINE = re.compile(
    r"[.+]<<(?P<method>[^<>]+)>(?P<inner>[gb]__[^<>]*)>d(__\d+)?(_\d+)?(`\d+)?(\[[^|]*\])?\.MoveNext$"
)
"""The same for an async lambda or local function."""
_LOCAL_FUNCTION = re.compile(r"^<(?P<method>.+?)>g__(?P<name>[^|]+)\|[\d_]+$")
_LAMBDA = re.compile(r"^<(?P<method>.+?)>b__[\d_]+$")
_CLOSURE = re.compile(r"\+<>c(__DisplayClass[\d_]+)?(`\d+)?(?=[.\[]|$)")
"""The nested type that the compiler generates for lambdas and their captured variables."""
_NESTED_GENERIC = re.compile(r"`(\d+)")
TOP_LEVEL = "<Main>$"
LAMBDA = " (lambda)"
CONSTRUCTORS = {".ctor": " (constructor)", ".cctor": " (static constructor)"}
SUFFIXES = (LAMBDA, *CONSTRUCTORS.values())
"""Endings of a written name that are not part of the name."""
PLACEHOLDER = "System.__Canon"
"""The runtime's name for any reference type in code that all reference types share."""


@lru_cache(maxsize=65536)
def written(method: str) -> str:
    """Returns the method as its author would name it. A name without a compiler's mark is unchanged.

    `Shop.Orders+<Get>d__3.MoveNext` becomes `Shop.Orders.Get`, `Shop.Orders+<>c__DisplayClass3_0.<Run>b__1` becomes
    `Shop.Orders.Run (lambda)`, `Program.<<Main>$>g__Poll|0_1` becomes `Program.Main.Poll`, and
    `Shop.Cache`1[System.Int32].Add` becomes `Shop.Cache<Int32>.Add`.
    """
    name = method
    suffix = ""
    if found := _LOCAL_STATE_MACHINE.search(_plain_main(name)):
        name = _plain_main(name)
        name = f"{name[: found.start()]}.<{found['method']}>{found['inner']}"
    elif (found := _STATE_MACHINE.search(name)) and _balanced(name[: found.start()]):
        inner = found["method"]
        # The state machine of an async lambda or local function has the name that the compiler gave the function.
        name = f"{name[: found.start()]}.{inner}"
    name = _plain_main(name)
    name = _CLOSURE.sub("", name)
    owner, leaf = _split(name)
    if local := _LOCAL_FUNCTION.match(leaf):
        leaf = f"{_unmarked(local['method'])}.{local['name']}"
    elif inline := _LAMBDA.match(leaf):
        leaf, suffix = _unmarked(inline["method"]), LAMBDA
    elif leaf in CONSTRUCTORS:
        owner, leaf, suffix = owner[:-1], "", CONSTRUCTORS[leaf]
    return f"{_generics(owner)}{leaf}".replace("+", ".") + suffix


def _balanced(head: str) -> bool:
    """Returns whether no bracket is open. A state machine may also be a type argument of the runtime's box around
    it."""
    return head.count("[") == head.count("]")


def _plain_main(name: str) -> str:
    """Returns the name with Main in place of the method that the compiler generates for top-level statements."""
    return name.replace(TOP_LEVEL, "Main")


def _unmarked(method: str) -> str:
    """Returns the outermost method of nested lambdas and local functions."""
    while (found := _LAMBDA.match(method) or _LOCAL_FUNCTION.match(method)) is not None:
        method = found["method"]
    return method


def _split(name: str) -> tuple[str, str]:
    """Returns the type with its dot, and the method, split at the last dot outside brackets. Constructors keep their
    dot."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        character = name[at]
        depth += (character in ">]") - (character in "<[")
        if character == "." and depth == 0:
            if name[at - 1 : at] == ".":
                at -= 1
            return name[: at + 1], name[at + 1 :]
    return "", name


def _generics(owner: str) -> str:
    """Turns `List`1[System.Int32]` into `List<Int32>`, and shared code, whose arguments are unknown, into `List<T>`."""
    if "`" not in owner:
        return owner
    begin = owner.find("[", owner.find("`"))
    types: list[str] = []
    if begin >= 0:
        stop = owner.rfind("]")
        types = [_argument(t) for t in _arguments(owner[begin + 1 : stop])]
        owner = owner[:begin] + owner[stop + 1 :]
    total = sum(int(n) for n in _NESTED_GENERIC.findall(owner))
    if len(types) != total:
        types = [""] * total
    names = [t or ("T" if total == 1 else f"T{i + 1}") for i, t in enumerate(types)]

    def fill(found: re.Match[str]) -> str:
        mine = [names.pop(0) for _ in range(min(int(found[1]), len(names)))]
        return f"<{','.join(mine)}>" if mine else ""

    return _NESTED_GENERIC.sub(fill, owner)


def _arguments(inside: str) -> list[str]:
    """Splits type arguments at the commas between them."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(inside):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            found.append(inside[start:at])
            start = at + 1
    return [*found, inside[start:]]


def _argument(name: str) -> str:
    """Returns a type argument without its namespace. Empty for the placeholder of any reference type."""
    if name == PLACEHOLDER:
        return ""
    marked = _generics(name)
    head, angle, rest = marked.partition("<")
    return head.rsplit(".", 1)[-1].replace("+", ".") + angle + rest
