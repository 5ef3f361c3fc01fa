"""Keys by which captures are grouped: service, version, host, host class, hour, every label, and every key of the
manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from poolscope.base.errors import InvalidArgument
from poolscope.capture.manifest import LABEL_KEY
from poolscope.fleets.row import Row

SERVICE, VERSION, HOST, HOST_CLASS, HOUR = "service", "version", "host", "host class", "hour"
NO_VALUE = "not known"
GB = 1e9


def service(row: Row) -> str:
    """Returns the label `service`, or the name of the process."""
    return row.labels.get("service") or str(row.manifest.get("target.name") or NO_VALUE)


def version(row: Row) -> str:
    """Returns the label `version` prefixed with its service: 1.4 of one service is not 1.4 of another."""
    told = row.labels.get("version")
    return f"{service(row)} {told}" if told else NO_VALUE


def host(row: Row) -> str:
    return row.labels.get("host") or str(row.manifest.get("host.name") or NO_VALUE)


def host_class(row: Row) -> str:
    """Returns the label `class`, or a description of the machine from the manifest."""
    if told := row.labels.get("class"):
        return told
    memory = row.manifest.get("host.memory_bytes")
    parts = [
        row.manifest.get("host.architecture"),
        f"{row.manifest['host.cpus_online']} CPUs" if "host.cpus_online" in row.manifest else None,
        f"{memory / GB:.0f} GB" if isinstance(memory, (int, float)) and memory > 0 else None,
    ]
    return ", ".join(str(part) for part in parts if part) or NO_VALUE


def hour(row: Row) -> str:
    """Returns the hour, in UTC, in which the recording began."""
    return f"{row.start_utc[:10]} {row.start_utc[11:13]}:00"


OWN: dict[str, Callable[[Row], str]] = {
    SERVICE: service,
    VERSION: version,
    HOST: host,
    HOST_CLASS: host_class,
    HOUR: hour,
    "runtime": lambda row: str(row.manifest.get("target.runtime") or NO_VALUE),
}
"""Keys by which every fleet is grouped."""
IN_OWN = ("service", "version", "host", "class")
"""Labels that the OWN keys already include."""


def keys_of(rows: Sequence[Row], more: Sequence[str] = ()) -> dict[str, list[str]]:
    """Returns the value of each row by key: the OWN keys, every label, and those in `more`, each a label or `part.key`
    of the manifest.

    Raises InvalidArgument for a key in `more` that no capture has.
    """
    found = {key: [of(row) for row in rows] for key, of in OWN.items()}
    labels = sorted({label for row in rows for label in row.labels} - set(IN_OWN))
    for label in labels:
        found[label] = [row.labels.get(label, NO_VALUE) for row in rows]
    for key in more:
        if key in found:
            continue
        values = [row.labels.get(key, row.manifest.get(key)) for row in rows]
        if rows and all(value is None for value in values):
            known = ", ".join([*found, *sorted({key for row in rows for key in row.manifest})])
            raise InvalidArgument(f"no capture has {key}; --group-by takes one of: {known}")
        found[key] = [NO_VALUE if value is None else str(value) for value in values]
    return found


def from_path(pattern: str, source: str) -> dict[str, str]:
    """Returns labels from a path: `{service}/{version}/{*}` names its last parts, and `{*}` matches any part.

    Empty for a path with fewer parts. Raises InvalidArgument for a malformed pattern.
    """
    names = []
    for part in pattern.strip("/").split("/"):
        name = part[1:-1]
        if part[:1] != "{" or part[-1:] != "}" or not (name == "*" or LABEL_KEY.fullmatch(name)):
            raise InvalidArgument(
                f"--label-from-path takes parts such as {{service}}/{{version}}/{{*}}, one for each folder; not {part}"
            )
        names.append(name)
    parts = PurePosixPath(source.replace("\\", "/")).parts
    if len(parts) < len(names):
        return {}
    return {name: value for name, value in zip(names, parts[-len(names) :], strict=True) if name != "*"}


def counted(values: Sequence[str]) -> Mapping[str, int]:
    """Returns how often each value occurs, in order of first occurrence."""
    found: dict[str, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return found
