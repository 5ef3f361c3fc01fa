"""Ways to block a thread, those of libraries among them, and what the library offers instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from poolscope.naming.written import written


@dataclass(frozen=True)
class BlockingCall:
    """One way to block a thread."""

    starts: tuple[str, ...]
    """How the framework's methods begin, without type arguments; the longest that fits decides."""
    kind: str | None
    """A key of KIND_WORDS of naming.choice. None: what it calls says how it waits."""
    call: str
    """As a person writes it."""
    instead: str | None = None
    """What to write instead; None: nothing blocks less, and advice depends on the kind."""
    advice: str | None = None
    """What to do about a call whose asynchronous form blocks a thread too, or that has none: a clause in the imperative.
    Where such a call is on a stack, awaiting what calls it frees no thread."""
    library: str | None = None
    """The whole name of a library's method; None: the call is the framework's."""


_TWINS = (
    # https://stackexchange.github.io/StackExchange.Redis/Basics.html: every method of IDatabase has one in IDatabaseAsync.
    re.compile(r"StackExchange\.Redis\.(RedisDatabase|RedisServer|RedisSubscriber|ConnectionMultiplexer)\.\w+"),
    # https://www.npgsql.org/doc/api: connection, command, reader, batch and transaction override ADO.NET's methods.
    re.compile(
        r"(Npgsql|MySqlConnector)\.\w+\."
        r"(Open|Close|Execute\w+|Read|NextResult|Prepare|Commit|Rollback|BeginTransaction|BeginBinaryImport)"
    ),
    # https://github.com/DapperLib/Dapper: every Query and Execute has an asynchronous form.
    re.compile(r"Dapper\.SqlMapper\.(Query\w*|Execute\w*)"),
)
"""Methods whose library has the same one with the suffix Async."""
_ADVICE = {
    # https://docs.confluent.io/kafka-clients/dotnet: Consume has no asynchronous form and is meant for a loop of its own.
    "Confluent.Kafka.Consumer.Consume": "run its loop on a thread of its own (TaskCreationOptions.LongRunning): it has no asynchronous form",
}
_GENERIC = re.compile(r"`\d+|\[.*\]|<[^<>]*>")


@lru_cache(maxsize=1 << 12)
def library_call(method: str) -> BlockingCall:
    """Returns the call that own code made into a library, by the name of the library's method."""
    name = _GENERIC.sub("", written(method))
    short = ".".join(name.split(".")[-2:])
    twin = any(known.fullmatch(name) for known in _TWINS)
    return BlockingCall((), None, short, f"await {short}Async" if twin else None, _ADVICE.get(name), name)
