"""Rules for names, by kind, and the kind of name at each key of an analysis. A name that is not known to be public
becomes a token.

Public names are the same on every customer's machine: the runtime and its libraries, the kernel's own threads, and a
few programs of every system. The lists are short on purpose: a missing name costs the reader a little, a wrong one
costs the customer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from poolscope.naming.calls import CALLS
from poolscope.naming.written import SUFFIXES

FRAMEWORK = ("System.", "Microsoft.", "Interop+Sys.", "Interop+Kernel32.", "Interop+Winsock.")
"""Prefixes of method names of the runtime's libraries."""

HTTP_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"})
"""The standard methods (RFC 9110, RFC 5789)."""

_CALLS = {text for call in CALLS for text in (call.call, call.instead)}

Token = Callable[[str, str], str]
"""Maps kind and name to a token."""

_PROCESS = re.compile(
    r"dotnet|dotnet-trace|perf|poolscope-(colle|collect)|bash|sh|sshd|cron|init|systemd(-[a-z]+)?|dbus-daemon|dockerd|"
    r"containerd(-shim)?|runc|kubelet|swapper(/\d+)?|kthreadd|kauditd|khugepaged|kcompactd\d*|ksoftirqd/\d+|"
    r"migration/\d+|rcu_[a-z_]+|kswapd\d+|cpuhp/\d+|idle_inject/\d+|watchdog/\d+|System|Idle|svchost\.exe|csrss\.exe|"
    r"lsass\.exe|services\.exe|MsMpEng\.exe|dwm\.exe|explorer\.exe"
)
_KWORKER = re.compile(r"(kworker/[u\d:H]+)(?:[-+].*)?")
"""A kernel worker. The rest of the name is the queue that it serves, which may contain a device name."""
_THREAD = re.compile(
    r"\.NET (TP (Worker|Gate)|Sockets|Finalizer|Tiered Com\w*|SigHandler|Signal Hand\w*|EventPipe|SynchManag\w*|Timer|"
    r"Long Runni\w*|Counter Pol\w*|DiagServer|BGC|Server GC|File Watch\w*)"
)
_MODULE = re.compile(
    r"(System|Microsoft\.(CSharp|VisualBasic|Win32|Extensions|AspNetCore|EntityFrameworkCore))(\.[A-Z]\w*)*\.dll|"
    r"mscorlib\.dll|netstandard\.dll|dotnet(\.exe)?|\[(vdso|kernel|vsyscall)\]|vmlinux|"
    r"lib(c|m|pthread|dl|rt|stdc\+\+|gcc_s|ssl|crypto|z|coreclr|clrjit|clrgc|clrgcexp|hostfxr|hostpolicy|mscordaccore|"
    r"mscordbi|coreclrtraceptprovider|icu(uc|i18n|data)|System(\.[A-Z]\w*)*\.Native)(-[\d.]+)?\.so[\d.]*|"
    r"ld-(linux|musl)[\w-]*\.so[\d.]*|(coreclr|clrjit|clrgc|hostfxr|hostpolicy|ntdll|kernel32|KernelBase|ws2_32)\.dll"
)
_STREAM = re.compile(
    r"(runtime|waits|symbols)\.nettrace|sched\.(perf\.data|etl|meta\.json)|(throttle|capacity|lost-cpu|connections|counters|snapshots)\.csv|snapshots"
)
_RUNTIME = re.compile(r"\.NET( Core)? \d+(\.\d+)*(-(preview|rc)\.\d+(\.\d+)*)?")
_SYSTEM = re.compile(
    r"(Debian GNU/Linux|Ubuntu|Red Hat Enterprise Linux|Fedora( Linux)?|CentOS( Linux| Stream)?|Alpine Linux|Rocky Linux|"
    r"AlmaLinux|Amazon Linux|Azure Linux|CBL-Mariner(/Linux)?|Oracle Linux Server|SUSE Linux Enterprise Server|"
    r"openSUSE Leap|Arch Linux|Linux|Microsoft Windows( Server)?|Windows)( (v|release )?\d+(\.\d+)*)?( LTS)?"
    r"( SP\d+)?( \((bookworm|bullseye|trixie|buster|Plow|Ootpa)\))?"
)
_VERSION = re.compile(r"\d+(\.\d+)*")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
_HEAD = re.compile(r"[\[(]|(?<=[\w`])<")
"""The beginning of a method's type arguments or parameters. `+<Run>d__5` is a name that the compiler generated."""
_ARGUMENT = re.compile(r"[^\s\[\]<>(),&*!|]+")
_MEMBER = re.compile(r"[.+`].*")
_BASIC = re.compile(
    r"[.+`]|`\d+|__Canon|T\d*|T(Result|Key|Value|State|Self|Other|Source|Element)|\d+|\w__\d+(_\d+)?|void|bool|char|string|object|"
    r"Boolean|S?Byte|Char|String|Object|U?Int(16|32|64)|IntPtr|Single|Double|Decimal|Guid|DateTime|TimeSpan|Nullable|ValueTuple|"
    r"VoidTaskResult|u?int(8|16|32|64)?|native|float(32|64)|double|byte|long|class|valuetype|instance|ref|in|out|value"
)


def method(name: str, token: Token, module: str | None = None) -> str:
    """Redacts a method. A method of the runtime and its libraries stays, without foreign types in it; so does a native
    function of theirs."""
    if module is not None and _MODULE.fullmatch(module) and re.fullmatch(r"\w+", name):
        return name
    if not name.startswith(FRAMEWORK):
        return token("method", name)
    suffix = next((s for s in SUFFIXES if name.endswith(s)), "")
    name = name.removesuffix(suffix)
    begin = _HEAD.search(name)
    if begin is None:
        return name + suffix
    head, rest = name[: begin.start()], name[begin.start() :]
    return head + _ARGUMENT.sub(lambda m: _type(m[0], token, _depth(rest[: m.start()])), rest) + suffix


def call(name: str, token: Token) -> str:
    """Redacts a call. A call of the framework, or its replacement, stays; a library's call may belong to anyone."""
    return name if name in _CALLS else token("method", name)


def assembly(name: str, token: Token) -> str:
    """Redacts an assembly without extension, like its module."""
    return module(name + ".dll", token).removesuffix(".dll")


def _depth(before: str) -> int:
    """Returns how many brackets are open."""
    return sum(before.count(b) for b in "<[") - sum(before.count(b) for b in ">]")


def _type(name: str, token: Token, depth: int) -> str:
    if name.startswith(FRAMEWORK) or _BASIC.fullmatch(name):
        return name
    # The part after the type arguments of a framework type is also the framework's. Within them, a name may belong to
    # anyone.
    return name if depth == 0 and _MEMBER.fullmatch(name) else token("type", name)


def process(name: str, token: Token) -> str:
    if kernel := _KWORKER.fullmatch(name):
        return kernel[1]
    return name if _PROCESS.fullmatch(name) else token("process", name)


def thread(name: str, token: Token) -> str:
    """Redacts a thread. Names that the runtime gives stay. A process's first thread has the name of the process."""
    if _THREAD.fullmatch(name):
        return name
    stays = process(name, lambda _, unknown: "")
    return stays or token("thread", name)


def module(name: str, token: Token) -> str:
    return name if _MODULE.fullmatch(name) else token("module", name)


def file(name: str, token: Token) -> str:
    """Redacts directories and file names alike, except for the streams that the collector names."""
    return name if _STREAM.fullmatch(name) else token("path", name)


def http_method(name: str, token: Token) -> str:
    return name if name in HTTP_METHODS else token("http-method", name)


def protocol(name: str, token: Token) -> str:
    return name if re.fullmatch(r"HTTP/\d(\.\d)?", name) else token("protocol", name)


def scheme(name: str, token: Token) -> str:
    return name if name in ("http", "https", "ws", "wss") else token("scheme", name)


def fixed(kind: str) -> Callable[[str, Token], str]:
    """Returns a rule that always replaces a name of this kind."""
    return lambda name, token: token(kind, name)


def shaped(pattern: re.Pattern[str], kind: str) -> Callable[[str, Token], str]:
    return lambda text, token: text if pattern.fullmatch(text) else token(kind, text)


def kernel(text: str, token: Token) -> str:
    """Returns the version number of a kernel release, without the additions of a distribution or an owner."""
    number = _VERSION.match(text)
    return number[0] if number else token("word", text)


runtime = shaped(_RUNTIME, "word")
system = shaped(_SYSTEM, "word")
version = shaped(_VERSION, "word")
time = shaped(_TIME, "word")


Rule = Callable[[str, Token], str]

KEYS: dict[str, Rule] = {
    "method": method,
    "methods": method,
    "frames": method,
    "stack": method,
    "call": call,
    "instead": call,
    "assemblies": assembly,
    "entry": assembly,
    "module": module,
    "file": file,
    "from": file,
    "cut": file,
    "path": file,
    "process": process,
    "thread": thread,
    "worker": thread,
    "route": fixed("route"),
    "service": fixed("service"),
    "services": fixed("service"),
    "source": fixed("source"),
    "operation": fixed("activity"),
    "trace_id": fixed("trace"),
    "endpoint": fixed("endpoint"),
    "http_method": http_method,
    "user": fixed("user"),
    "runtime": runtime,
    "kernel": kernel,
    "os": system,
    "start_utc": time,
    "end_utc": time,
    "version": version,
}
"""Rules by the last key at any level, or by the last word of it, as in `enqueue_thread`. Strings of a list follow the
rule of the list's key."""
NAMES: dict[tuple[str, ...], Rule | None] = {
    ("capture",): fixed("capture"),
    ("capture", "host"): fixed("host"),
    ("capture", "target"): process,
    ("capture", "tool"): None,
    ("tool",): None,
}
"""The rule of the key `name` inside these objects. Elsewhere it is the name of a thread."""
COMMAND = ("capture", "target", "command")
CONDITIONS = ("command", "host")
"""The conditions of a comparison that are replaced completely: redaction keeps the tool's own words in a sentence, and
an argument may be one of them."""


def rule_of(path: tuple[str, ...], index: int | None, siblings: Mapping[str, object]) -> Rule | None:
    """Returns the rule for the string at `path` (keys only, `index` in its list). None: redact it as a sentence of the
    tool."""
    if path == COMMAND:
        return fixed("argument") if index else file
    if label := _label(path, siblings):
        return fixed(label)
    if kind := _condition(path, siblings):
        return fixed(kind)
    if path and path[-1] == "name":
        return NAMES.get(path[:-1], thread)
    module = siblings.get("module")
    if path and path[-1] == "method" and isinstance(module, str) and siblings.get("kind") == "native":
        return partial(method, module=module)
    last = path[-1] if path else ""
    return KEYS.get(last) or KEYS.get(last.rpartition("_")[2])


def _condition(path: tuple[str, ...], siblings: Mapping[str, object]) -> str | None:
    """Returns the condition in CONDITIONS that the string is: that of a run, or one in which two sides of a comparison
    differ."""
    if len(path) > 1 and path[-2] == "conditions":
        kind = path[-1]
    elif path in (("differs", "a"), ("differs", "b")):
        kind = str(siblings.get("what"))
    else:
        return None
    return kind if kind in CONDITIONS else None


def _label(path: tuple[str, ...], siblings: Mapping[str, object]) -> str | None:
    """Returns the kind of name of a value of a capture's label or of a fleet's group. None for any other string, and
    for values that identify no one: hours and runtimes."""
    if path and path[-1] in ("version_name", "before", "after"):
        return "version" if path[0] == "trends" else None
    of_capture = path == ("capture", "labels", "value")
    if not of_capture and (not path or path[-1] != "value" or path[0] not in ("ranking", "groups")):
        return None
    key = siblings.get("key") if "key" in siblings else "label"
    return None if key in ("hour", "runtime") else "host" if key == "host" else "label"
