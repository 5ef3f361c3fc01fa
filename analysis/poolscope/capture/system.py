"""The system that a capture was taken on."""

from __future__ import annotations

from collections.abc import Mapping


def of_windows(manifest: Mapping[str, object]) -> bool:
    """Returns whether the manifest's `host.os` names Windows, as in "Microsoft Windows 10.0.19045"."""
    host = manifest.get("host")
    return isinstance(host, Mapping) and "Windows" in str(host.get("os"))
