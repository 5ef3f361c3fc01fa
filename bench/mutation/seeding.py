"""Puts a fault into loaded modules: no file changes, and only the current process is faulty."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .faults import Fault, faulty_tree


def seed(fault: Fault) -> None:
    """Gives the functions of the fault's module their faulty code, or gives a constant its faulty value wherever it was
    imported. Raises LookupError if the module is not loaded or none of its functions can be given the fault."""
    module = _module(fault.path)
    tree = faulty_tree(fault)
    if fault.constant is not None:
        _change_constant(module, fault.constant, _value_of(tree, fault.constant))
        return
    code = compile(tree, str(fault.path), "exec", dont_inherit=True)
    faulty = {(c.co_name, c.co_firstlineno): c for c in _functions_in(code)}
    changed = 0
    for function in functions_of(module):
        made = faulty.get((function.__code__.co_name, function.__code__.co_firstlineno))
        if made is not None and made != function.__code__:
            function.__code__ = made
            changed += 1
    if not changed:
        raise LookupError(f"{fault.path.name}:{fault.line}: no loaded function can be given this fault")


def functions_of(module: ModuleType) -> Iterator[FunctionType]:
    """Yields the module's own functions and the methods of its classes, including wrapped ones."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            for member in list(vars(value).values()):
                yield from _unwrapped(member, module)
        else:
            yield from _unwrapped(value, module)


def _unwrapped(value: Any, module: ModuleType) -> Iterator[FunctionType]:
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    elif isinstance(value, functools.cached_property):
        value = value.func
    value = getattr(value, "__wrapped__", value)
    if isinstance(value, FunctionType) and value.__module__ == module.__name__:
        yield value


def _functions_in(code: CodeType) -> Iterator[CodeType]:
    """Yields the code of the module's functions and of its classes' methods, including nested code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from (c for c in constant.co_consts if isinstance(c, CodeType))


def _module(path: Path) -> ModuleType:
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path):
            return module
    raise LookupError(f"{path}: not loaded")


def _value_of(tree: ast.Module, name: str) -> object:
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return ast.literal_eval(statement.value)
    raise LookupError(f"no constant {name}")


def _change_constant(module: ModuleType, name: str, value: object) -> None:
    old = getattr(module, name)
    for other in list(sys.modules.values()):
        if other is module or (getattr(other, name, None) is old and hasattr(other, "__file__")):
            setattr(other, name, value)
