"""Decides whose code a method is: by its assembly if the capture knows the application's own, otherwise by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from poolscope.contract.manifest_json import ManifestJson

FRAMEWORK = ("System.", "Microsoft.", "Interop+", "Interop.", "Internal.", "dynamicClass.", "(dynamicClass)")
"""Namespaces of the runtime and its libraries, and the class that holds methods made at run time (stubs for native calls,
compiled expressions): nobody wrote those by that name."""


class LibraryMethod(str):
    """The name of a method of an assembly that is not the application's own, outside the framework's namespaces."""

    __slots__ = ()


class OwnMethod(str):
    """The name of a method of an assembly that is the application's own, whatever its namespace."""

    __slots__ = ()


@dataclass(frozen=True)
class OwnCode:
    """The assemblies that the application ships as its own."""

    assemblies: frozenset[str] | None
    """In lower case, without extension; a `*` stands for any text. None: not known, and everything outside FRAMEWORK counts as
    own."""

    @staticmethod
    def of(manifest: ManifestJson) -> OwnCode:
        """Returns what the recorder noted, or the user named (`target.own` in traces/README.md)."""
        own = manifest["target"].get("own")
        return OwnCode(frozenset(map(_assembly, own["assemblies"])) if own else None)

    def name(self, method: str, module: object) -> str:
        """Returns the method, with whose it is. `module`: the file of its assembly; none: only the name shows."""
        if self.assemblies is None or not isinstance(module, str) or not module or method.startswith(STUBS):
            return method
        assembly = _assembly(module)
        if any(fnmatchcase(assembly, own) for own in self.assemblies):
            return OwnMethod(method)
        return method if method.startswith(FRAMEWORK) else LibraryMethod(method)


def name_own(manifest: ManifestJson, assemblies: Sequence[str]) -> None:
    """Makes these assemblies the application's own in the manifest, in place of those that the recorder noted."""
    recorded = manifest["target"].get("own")
    manifest["target"]["own"] = {
        "entry": recorded["entry"] if recorded else assemblies[0],
        "assemblies": list(assemblies),
    }


STUBS = ("dynamicClass.", "(dynamicClass)", "Interop+", "Interop.")
"""Methods that the compiler or the runtime made for native calls."""


@lru_cache(maxsize=1 << 16, typed=True)  # few methods are on very many stacks
def is_user(method: str | None) -> bool:
    """Returns whether a method is the application's own. Code without a name does not count as own."""
    if isinstance(method, OwnMethod | LibraryMethod):
        return isinstance(method, OwnMethod)
    return method is not None and not method.startswith(FRAMEWORK)


def _assembly(module: str) -> str:
    """Returns the assembly of a module's file, in lower case."""
    name = module.replace("\\", "/").rsplit("/", 1)[-1].lower()
    return name.removesuffix(".dll").removesuffix(".exe")
