"""The software bill of materials of the packages: CycloneDX 1.5, as JSON. The same commit gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import repo
import third_party
from third_party import Component

SPEC = "1.5"
NAMESPACE = uuid.UUID("6f1c1a52-5f0e-4c0f-9d3a-2f5f3c1f7a10")
"""Namespace of the serial numbers, drawn once at random."""


def version() -> str:
    """Returns the version of all packages, read without an import."""
    found = re.search(r'__version__ = "([^"]+)"', repo.VERSION.read_text("utf-8"))
    assert found is not None
    return found[1]


def write(folder: Path, parts: Mapping[str, list[Component]], made: Mapping[str, list[Path]], epoch: int) -> Path:
    """Writes poolscope-VERSION.cdx.json into `folder` and returns it.

    `parts` are the components of each package, `made` its files, which are hashed, and `epoch` is in s since 1970, UTC.
    """
    of = version()
    path = folder / f"poolscope-{of}.cdx.json"
    path.write_text(json.dumps(bill(of, parts, made, epoch), indent=1) + "\n", "utf-8", newline="\n")
    return path


def bill(of: str, parts: Mapping[str, list[Component]], made: Mapping[str, list[Path]], epoch: int) -> dict[str, Any]:
    """Returns the document of version `of`; see `write`."""
    others = {component.purl: component for taken in parts.values() for component in taken}
    own = [_own(name, of, made.get(name, [])) for name in parts]
    document: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC,
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {
                "type": "application",
                "bom-ref": "poolscope",
                "name": "Poolscope",
                "version": of,
                "licenses": _licence("MIT"),
            },
        },
        "components": [*own, *(_other(others[purl]) for purl in sorted(others))],
        "dependencies": [
            {"ref": "poolscope", "dependsOn": sorted(entry["bom-ref"] for entry in own)},
            *({"ref": _ref(name), "dependsOn": _direct(taken)} for name, taken in parts.items()),
            *({"ref": purl, "dependsOn": _needs(others[purl], others)} for purl in sorted(others)),
        ],
    }
    serial = uuid.uuid5(NAMESPACE, json.dumps(document, sort_keys=True))
    return {**document, "serialNumber": f"urn:uuid:{serial}"}


def _ref(name: str) -> str:
    return f"package:{name}"


def _licence(identifier: str) -> list[dict[str, Any]]:
    return [{"license": {"id": identifier}}]


def _own(name: str, of: str, files: list[Path]) -> dict[str, Any]:
    """Describes one Poolscope package, with the hashes of its files as nested components."""
    return {
        "type": "application",
        "bom-ref": _ref(name),
        "name": name,
        "version": of,
        "licenses": _licence("MIT"),
        "components": [
            {
                "type": "file",
                "bom-ref": f"file:{file.name}",
                "name": file.name,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}],
            }
            for file in sorted(files)
        ],
    }


def _other(component: Component) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "library", "bom-ref": component.purl, "name": component.name}
    if component.version:
        entry["version"] = component.version
    entry |= {"scope": "required", "licenses": _licence(component.licence), "purl": component.purl}
    if component.ecosystem == third_party.NPM:
        digest = base64.b64decode(component.integrity.removeprefix("sha512-")).hex()
        entry["hashes"] = [{"alg": "SHA-512", "content": digest}]
    if component.ecosystem == third_party.NUGET:
        # Not `hashes`: registries sign a package again, and this value excludes the signature.
        entry["properties"] = [{"name": "poolscope:nuget:contentHash", "value": component.integrity}]
    if component.range:
        entry["properties"] = [{"name": "poolscope:versionRange", "value": component.range}]
    return entry


def _direct(taken: list[Component]) -> list[str]:
    return sorted(component.purl for component in taken if component.direct)


def _needs(component: Component, others: Mapping[str, Component]) -> list[str]:
    return sorted(o.purl for o in others.values() if o.ecosystem == component.ecosystem and o.name in component.needs)
