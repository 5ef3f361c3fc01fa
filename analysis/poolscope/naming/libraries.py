"""Calls of libraries that block a thread, and what the library offers instead."""

from __future__ import annotations

import re
from functools import lru_cache

from poolscope.naming.call import BlockingCall
from poolscope.naming.written import written

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
