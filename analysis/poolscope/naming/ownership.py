"""Decides whose code a method is: by its assembly if the capture knows the application's own, otherwise by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from poolscope.contract.manifest_json import ManifestJson

FRAMEWORK = ("System.", "Microsoft.", "Interop+", "Interop.", "Internal.", "dynamicClass.", "(dynamicClass)")
"""Namespaces of the runtime and its libraries, and the class of methods generated at run time (stubs for native calls,
compiled expressions), which have no author."""


class LibraryMethod(str):
    """The name of a method in an assembly that is not the application's own, outside the framework's namespaces."""

    __slots__ = ()


class OwnMethod(str):
    """The name of a method in one of the application's own assemblies, whatever its namespace."""

    __slots__ = ()


@dataclass(frozen=True)
class OwnCode:
    """The assemblies that the application ships as its own."""

    assemblies: frozenset[str] | None
    """In lower case, without extension; `*` matches any text. None if unknown: everything outside FRAMEWORK then counts
    as own."""

    @staticmethod
    def of(manifest: ManifestJson) -> OwnCode:
        """Returns the assemblies that the recorder noted, or that the user named (`target.own` in traces/README.md)."""
        own = manifest["target"].get("own")
        return OwnCode(frozenset(map(_assembly, own["assemblies"])) if own else None)

    def name(self, method: str, module: object) -> str:
        """Returns the method name, typed by whose it is. `module` is the file of its assembly. Without it, only the
        name decides."""
        if self.assemblies is None or not isinstance(module, str) or not module or method.startswith(STUBS):
            return method
        assembly = _assembly(module)
        if any(fnmatchcase(assembly, own) for own in self.assemblies):
            return OwnMethod(method)
        return method if method.startswith(FRAMEWORK) else LibraryMethod(method)


def name_own(manifest: ManifestJson, assemblies: Sequence[str]) -> None:
    """Sets the application's own assemblies in the manifest, replacing those that the recorder noted."""
    recorded = manifest["target"].get("own")
    manifest["target"]["own"] = {
        "entry": recorded["entry"] if recorded else assemblies[0],
        "assemblies": list(assemblies),
    }


STUBS = ("dynamicClass.", "(dynamicClass)", "Interop+", "Interop.")
"""Methods that the compiler or the runtime generated for native calls."""


@lru_cache(maxsize=1 << 16, typed=True)  # few methods are on a great many stacks
def is_user(method: str | None) -> bool:
    """Returns whether a method is the application's own. Code without a name is not."""
    if isinstance(method, OwnMethod | LibraryMethod):
        return isinstance(method, OwnMethod)
    return method is not None and not method.startswith(FRAMEWORK)


def _assembly(module: str) -> str:
    """Returns the assembly of a module's file, in lower case."""
    name = module.replace("\\", "/").rsplit("/", 1)[-1].lower()
    return name.removesuffix(".dll").removesuffix(".exe")
