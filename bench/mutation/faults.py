"""Lists the faults that can be seeded into a Python source, and makes the faulty tree of each.

A fault is one small change in one place, of a kind that such code really gets wrong: a boundary, a sign, a unit, a
state, an order. Strings, annotations, decorators and argument defaults are not changed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], tuple[tuple[str, type[ast.cmpop]], ...]] = {
    ast.Lt: (("boundary", ast.LtE), ("negated", ast.GtE)),
    ast.LtE: (("boundary", ast.Lt), ("negated", ast.Gt)),
    ast.Gt: (("boundary", ast.GtE), ("negated", ast.LtE)),
    ast.GtE: (("boundary", ast.Gt), ("negated", ast.Lt)),
    ast.Eq: (("negated", ast.NotEq),),
    ast.NotEq: (("negated", ast.Eq),),
    ast.Is: (("negated", ast.IsNot),),
    ast.IsNot: (("negated", ast.Is),),
    ast.In: (("negated", ast.NotIn),),
    ast.NotIn: (("negated", ast.In),),
}
OPERATORS: dict[type[ast.operator], tuple[str, type[ast.operator]]] = {
    ast.Add: ("sign", ast.Sub),
    ast.Sub: ("sign", ast.Add),
    ast.Mult: ("factor", ast.Div),
    ast.Div: ("factor", ast.Mult),
    ast.FloorDiv: ("factor", ast.Mult),
    ast.Mod: ("factor", ast.FloorDiv),
    ast.BitAnd: ("and-or", ast.BitOr),
    ast.BitOr: ("and-or", ast.BitAnd),
}
SWAPPED = {
    "min": "max",
    "minimum": "maximum",
    "any": "all",
    "floor": "ceil",
    "argmin": "argmax",
    "left": "right",
    "start": "end",
    "enqueue": "dequeue",
    "LIMIT_MIN": "LIMIT_MAX",
    "OLDEST": "NEWEST",
    "PROC": "EXIST",
    "EVENT": "ESTIMATE",
}
SWAPPED |= {after: before for before, after in SWAPPED.items()}
FAMILIES = (
    ("RUNNING", "READY", "BLOCKED"),
    ("CPU", "BLOCKED", "TASK_BLOCKED"),
    ("WAIT", "TASK_WAIT"),
    ("ACQUIRE", "RELEASE"),
    ("ENQUEUE", "MARK"),
)
"""Names of states and operations that may be confused with the next one."""
UNIT_FROM = 1000
"""Whole constants from here on have a unit."""


@dataclass(frozen=True)
class Fault:
    """One place and its error. The same source always has the same faults in the same order."""

    path: Path
    line: int
    kind: str
    before: str
    after: str
    place: int
    """The node's number in the walk over the tree."""
    variant: int
    constant: str | None = None
    """The module's name whose value is changed; None: the fault is inside a function."""

    def identity(self, root: Path) -> str:
        """Returns a name that is stable while the file is unchanged; the path in it is relative to `root`."""
        return f"{self.path.relative_to(root)}:{self.line}:{self.place}.{self.variant}"


Change = tuple[str, ast.AST]


def faults_of(path: Path) -> list[Fault]:
    """Returns every fault of a file, in order of its tree."""
    tree = ast.parse(path.read_text("utf-8"))
    names = _names(tree)
    found = []
    for place, node, constant in _places(tree):
        for variant, (kind, changed) in enumerate(_changes(node, constant is not None)):
            if isinstance(changed, ast.Name) and changed.id not in names:
                continue  # a name that does not exist says nothing about the tests
            before, after = (" ".join(ast.unparse(n).split()) for n in (node, changed))
            if before != after:
                line = int(getattr(node, "lineno", 0))
                found.append(Fault(path, line, kind, before, after, place, variant, constant))
    return found


def faulty_tree(fault: Fault) -> ast.Module:
    """Returns the file's tree with the fault; every other node keeps its line."""
    tree = ast.parse(fault.path.read_text("utf-8"))
    node, made = next((n, c) for place, n, c in _places(tree) if place == fault.place)
    changed = list(_changes(node, made is not None))[fault.variant][1]
    replaced = _Replace(node, changed).visit(tree)
    assert isinstance(replaced, ast.Module)
    return ast.fix_missing_locations(replaced)


def _names(tree: ast.Module) -> set[str]:
    """Returns names that the file imports or assigns."""
    imported = {
        a.asname or a.name for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names
    }
    given = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return imported | given | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, by: ast.AST) -> None:
        self.node, self.by = node, by

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.node:
            return ast.copy_location(self.by, node)
        return self.generic_visit(node)


def _places(tree: ast.Module) -> Iterator[tuple[int, ast.AST, str | None]]:
    """Yields the nodes that may be changed, numbered, with the module constant whose value they are."""
    number = 0
    for statement in tree.body:
        constant = _constant(statement)
        roots: list[ast.AST] = []
        if constant is not None and isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            roots = [statement.value]
        elif isinstance(statement, ast.FunctionDef):
            roots = list(statement.body)
        elif isinstance(statement, ast.ClassDef):
            roots = [s for method in statement.body if isinstance(method, ast.FunctionDef) for s in method.body]
        for root in roots:
            for node in _inside(root):
                number += 1
                yield number, node, constant


def _constant(statement: ast.stmt) -> str | None:
    """Returns the name if the statement assigns a number with a unit or a fraction to a name of the module."""
    target = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    value = getattr(statement, "value", None)
    if not isinstance(target, ast.Name) or not isinstance(value, ast.Constant):
        return None
    number = value.value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    counts = isinstance(number, float) or abs(number) >= UNIT_FROM or target.id.endswith(("_NS", "_MS", "_S"))
    return target.id if counts else None


def _inside(root: ast.AST) -> Iterator[ast.AST]:
    """Yields the node and all nodes below it except strings, annotations, decorators, defaults and exception
    messages."""
    if isinstance(root, (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom)):
        return
    yield root
    if isinstance(root, (ast.FunctionDef, ast.Lambda)):
        below: list[ast.AST] = list(root.body) if isinstance(root, ast.FunctionDef) else [root.body]
    elif isinstance(root, ast.AnnAssign):
        below = [root.value] if root.value is not None else []
    elif isinstance(root, ast.UnaryOp) and isinstance(root.op, ast.USub) and isinstance(root.operand, ast.Constant):
        below = []  # a negative number is one place
    else:
        below = list(ast.iter_child_nodes(root))
    for node in below:
        yield from _inside(node)


def _changes(node: ast.AST, is_constant: bool) -> Iterator[Change]:
    """Yields the possible errors at one node: the kind, and the changed node."""
    number = _number(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind, other in COMPARISONS.get(type(node.ops[0]), ()):
            yield kind, _with(node, ops=[other()])
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        kind, operator = OPERATORS[type(node.op)]
        yield kind, _with(node, op=operator())
    elif isinstance(node, ast.BoolOp):
        yield "and-or", _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        yield "negated", copy.deepcopy(node.operand)
    elif number is not None:
        yield from _numbers(number, is_constant)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and (node.value is True or node.value is False):
        yield "negated", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and node.value in ("left", "right"):
        yield "side", ast.Constant(SWAPPED[str(node.value)])
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from (("other", _with(node, id=other)) for other in _others(node.id))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield from (("other", _with(node, attr=other)) for other in _others(node.attr))
    elif isinstance(node, ast.Call) and _name(node.func) == "where" and len(node.args) == 3:
        yield "swapped", _with(node, args=[node.args[0], node.args[2], node.args[1]])
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)) and not isinstance(node.test, (ast.Compare, ast.UnaryOp)):
        yield "negated", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "left-out", ast.Pass()


def _number(node: ast.AST) -> int | float | None:
    """Returns the number that a node contains, with its sign."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return sign * node.value
    return None


def _numbers(number: int | float, is_constant: bool) -> Iterator[Change]:
    if isinstance(number, float) or abs(number) >= UNIT_FROM or is_constant:
        scaled = number * 1000 if number else 1.0
        yield "unit", ast.Constant(scaled)
        return
    yield "off-by-one", ast.Constant(number + 1)
    if number < 0:
        yield "sign", ast.Constant(-number)


def _others(name: str) -> list[str]:
    found = [SWAPPED[name]] if name in SWAPPED and name not in ("left", "right") else []
    for family in FAMILIES:
        if name in family:
            found.append(family[(family.index(name) + 1) % len(family)])
    return found


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """Returns a copy of the node with other fields."""
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made
