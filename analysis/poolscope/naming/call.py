"""Calls that block a thread, including those of libraries, and their replacements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from poolscope.naming.written import written


@dataclass(frozen=True)
class BlockingCall:
    """One call that blocks a thread."""

    starts: tuple[str, ...]
    """Prefixes of the framework's methods, without type arguments. The longest match decides."""
    kind: str | None
    """A key of KIND_WORDS of naming.choice. None if the methods that it calls show how it waits."""
    call: str
    """The call as a person writes it."""
    instead: str | None = None
    """The replacement. None if nothing blocks less, and advice depends on the kind."""
    advice: str | None = None
    """Advice for a call whose asynchronous form blocks a thread too, or that has none: a clause in the imperative. If
    such a call is on a stack, awaiting its caller frees no thread."""
    library: str | None = None
    """The full name of a library's method. None if the call is the framework's."""


_TWINS = (
    # https://stackexchange.github.io/StackExchange.Redis/Basics.html: IDatabaseAsync has each method of IDatabase.
    re.compile(r"StackExchange\.Redis\.(RedisDatabase|RedisServer|RedisSubscriber|ConnectionMultiplexer)\.\w+"),
    # https://www.npgsql.org/doc/api: connection, command, reader, batch and transaction override ADO.NET's methods.
    re.compile(
        r"(Npgsql|MySqlConnector)\.\w+\."
        r"(Open|Close|Execute\w+|Read|NextResult|Prepare|Commit|Rollback|BeginTransaction|BeginBinaryImport)"
    ),
    # https://github.com/DapperLib/Dapper: every Query and Execute has an asynchronous form.
    re.compile(r"Dapper\.SqlMapper\.(Query\w*|Execute\w*)"),
)
"""Methods for which the library has an equivalent with the suffix Async."""
_ADVICE = {
    # https://docs.confluent.io/kafka-clients/dotnet: Consume has no asynchronous form and needs a loop of its own.
    "Confluent.Kafka.Consumer.Consume": "run its loop on a thread of its own (TaskCreationOptions.LongRunning): it has no asynchronous form",
}
_GENERIC = re.compile(r"`\d+|\[.*\]|<[^<>]*>")


@lru_cache(maxsize=1 << 12)
def library_call(method: str) -> BlockingCall:
    """Returns the call into a library, from the name of the library's method that own code called."""
    name = _GENERIC.sub("", written(method))
    short = ".".join(name.split(".")[-2:])
    twin = any(known.fullmatch(name) for known in _TWINS)
    return BlockingCall((), None, short, f"await {short}Async" if twin else None, _ADVICE.get(name), name)
