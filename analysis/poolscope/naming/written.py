"""Method names as a person wrote them, from the names that the compiler and the runtime made of them."""

from __future__ import annotations

import re
from functools import lru_cache

_STATE_MACHINE = re.compile(r"[.+]<(?P<method>.+)>d__\d+(_\d+)?(?P<arity>`\d+)?(?P<types>\[[^|]*\])?\.MoveNext$")
"""An async method or iterator: the compiler moved its code into MoveNext of a nested type."""
_LOCAL_STATE_MACHINE = re.compile(
    r"[.+]<<(?P<method>[^<>]+)>(?P<inner>[gb]__[^<>]*)>d(__\d+)?(_\d+)?(`\d+)?(\[[^|]*\])?\.MoveNext$"
)
"""The same of an async lambda or local function."""
_LOCAL_FUNCTION = re.compile(r"^<(?P<method>.+?)>g__(?P<name>[^|]+)\|[\d_]+$")
_LAMBDA = re.compile(r"^<(?P<method>.+?)>b__[\d_]+$")
_CLOSURE = re.compile(r"\+<>c(__DisplayClass[\d_]+)?(`\d+)?(?=[.\[]|$)")
"""The nested type that the compiler made for lambdas and what they capture."""
_NESTED_GENERIC = re.compile(r"`(\d+)")
TOP_LEVEL = "<Main>$"
LAMBDA = " (lambda)"
CONSTRUCTORS = {".ctor": " (constructor)", ".cctor": " (static constructor)"}
SUFFIXES = (LAMBDA, *CONSTRUCTORS.values())
"""What a written name may end with that is no name."""
PLACEHOLDER = "System.__Canon"
"""What the runtime calls any reference type in code that all of them share."""


@lru_cache(maxsize=65536)
def written(method: str) -> str:
    """Returns the method as its author would name it; a name without a compiler's mark stays as it is.

    `Shop.Orders+<Get>d__3.MoveNext` is `Shop.Orders.Get`, `Shop.Orders+<>c__DisplayClass3_0.<Run>b__1` is
    `Shop.Orders.Run (lambda)`, `Program.<<Main>$>g__Poll|0_1` is `Program.Main.Poll`, and
    `Shop.Cache`1[System.Int32].Add` is `Shop.Cache<Int32>.Add`.
    """
    name = method
    suffix = ""
    if found := _LOCAL_STATE_MACHINE.search(_plain_main(name)):
        name = _plain_main(name)
        name = f"{name[: found.start()]}.<{found['method']}>{found['inner']}"
    elif (found := _STATE_MACHINE.search(name)) and _balanced(name[: found.start()]):
        inner = found["method"]
        # An async lambda or local function: its state machine carries the name that the compiler gave it.
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
    """Returns whether no bracket is open: a state machine may also be a type argument of the runtime's box around it."""
    return head.count("[") == head.count("]")


def _plain_main(name: str) -> str:
    """Returns the method that the compiler makes of top-level statements is Main."""
    return name.replace(TOP_LEVEL, "Main")


def _unmarked(method: str) -> str:
    """Returns the outermost method of nested lambdas and local functions."""
    while (found := _LAMBDA.match(method) or _LOCAL_FUNCTION.match(method)) is not None:
        method = found["method"]
    return method


def _split(name: str) -> tuple[str, str]:
    """Returns the type with its dot, and the method: the last dot outside brackets; constructors keep theirs."""
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
    """Writes `List`1[System.Int32]` as `List<Int32>`; shared code, whose arguments are unknown, as `List<T>`."""
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
    """Returns a type argument without its namespace; empty: any reference type."""
    if name == PLACEHOLDER:
        return ""
    marked = _generics(name)
    head, angle, rest = marked.partition("<")
    return head.rsplit(".", 1)[-1].replace("+", ".") + angle + rest
