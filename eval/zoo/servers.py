"""The servers of the zoo with real parts: PostgreSQL, Redis, RabbitMQ and nginx, on loopback and each in its own
folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from zoo.failed import RunFailed

LOOPBACK = "127.0.0.1"
READY_WITHIN_S = 60.0
ENDED_WITHIN_S = 20.0
BUSY = ("rabbitmq",)
"""Servers that take CPU time when idle: they run only for the programs that need them."""
POSTGRES_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/local/bin", "/usr/bin")
RABBIT_FOLDERS = ("/usr/lib/rabbitmq/bin", "/usr/sbin")
MAPPER = "ERL_EPMD_PORT"
SLOW_US = 1000
"""Redis records commands that took longer in its SLOWLOG."""


class Servers:
    """Starts each server when a program first needs it, and ends them all on exit."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="poolscope-servers-"))
        self._folder.chmod(0o755)
        self._running: dict[str, tuple[subprocess.Popen[bytes], dict[str, str], Path]] = {}
        self._starts: dict[str, Callable[[Path], tuple[subprocess.Popen[bytes], dict[str, str], Path]]] = {
            "postgres": _postgres,
            "redis": _redis,
            "rabbitmq": _rabbitmq,
            "nginx": _nginx,
        }

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self._running):
            self._end(name)
        shutil.rmtree(self._folder, ignore_errors=True)

    def provide(self, names: tuple[str, ...]) -> dict[str, str]:
        """Returns the environment variables for programs once these servers answer. Raises RunFailed."""
        for name in set(self._running) - set(names):
            if name in BUSY:
                self._end(name)
        environment: dict[str, str] = {}
        for name in names:
            self._continue(name)
            if name not in self._running:
                home = self._folder / name
                shutil.rmtree(home, ignore_errors=True)
                home.mkdir()
                self._running[name] = self._starts[name](home)
            environment |= self._running[name][1]
        return environment

    def sizes(self, names: tuple[str, ...]) -> dict[str, int]:
        """Returns the current length of each server's log, bytes."""
        return {name: self._log(name).stat().st_size if self._log(name).is_file() else 0 for name in names}

    def keep_logs(self, sizes: dict[str, int], run: Path) -> None:
        """Copies each server's output since `sizes` to a file beside the run's capture; Redis shows its log on
        request."""
        for name, size in sizes.items():
            self._continue(name)
            if name == "redis":
                _write_slowlog(*self._running[name][1:])
            if self._log(name).is_file():
                with self._log(name).open("rb") as log:
                    log.seek(0 if name == "redis" else size)
                    run.with_name(f"{run.name}.{name}.log").write_bytes(log.read())

    def _log(self, name: str) -> Path:
        return self._running[name][2]

    def _continue(self, name: str) -> None:
        """Continues a server that a program paused: if the program was killed meanwhile, the server is still paused."""
        if name in self._running:
            _signal(self._running[name][0], signal.SIGCONT)

    def _end(self, name: str) -> None:
        self._continue(name)
        process, environment, _ = self._running.pop(name)
        _signal(process, signal.SIGINT if name == "postgres" else signal.SIGTERM)
        try:
            process.wait(ENDED_WITHIN_S)
        except subprocess.TimeoutExpired:
            pass
        _signal(process, signal.SIGKILL)
        process.wait()
        if port := environment.get(MAPPER):
            # Erlang leaves its name server running, in a session of its own.
            subprocess.run(["epmd", "-port", port, "-kill"], capture_output=True, check=False)


def absent(names: tuple[str, ...]) -> list[str]:
    """Returns the commands of these servers that this machine lacks."""
    commands: dict[str, Callable[[], str | None]] = {
        "postgres": lambda: _found("postgres", POSTGRES_FOLDERS),
        "redis": lambda: shutil.which("redis-server"),
        "rabbitmq": lambda: _found("rabbitmq-server", RABBIT_FOLDERS),
        "nginx": lambda: _found("nginx", ("/usr/sbin", "/usr/bin")),
    }
    return [name for name in names if commands[name]() is None]


def _postgres(home: Path) -> tuple[subprocess.Popen[bytes], dict[str, str], Path]:
    """Starts PostgreSQL. It refuses to run as root, in which case Debian's user for it runs it."""
    port, user = _free_port(), "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    server = _command("postgres", POSTGRES_FOLDERS)
    before: list[str | Path] = []
    if os.geteuid() == 0:
        before = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        shutil.chown(home, user, user)
    initdb = f"-D {home / 'data'} -U zoo -A trust -E UTF8 --locale=C -N".split()
    _run([*before, _command("initdb", POSTGRES_FOLDERS), *initdb])
    settings = {
        "listen_addresses": LOOPBACK,
        "port": port,
        "unix_socket_directories": home,
        "max_connections": 150,
        "fsync": "off",
        "log_destination": "stderr",
        "log_duration": "on",
        "log_statement": "none",
        "log_line_prefix": "%n %p ",
    }
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    log = home / "postgres.log"
    process = _start([*before, server, "-D", home / "data", *words], log)
    _await("postgres", process, lambda: (home / f".s.PGSQL.{port}").exists() and _answers(port), log)
    connection = f"Host={LOOPBACK};Port={port};Username=zoo;Database=postgres;SSL Mode=Disable"
    # A variable instead of a word in the connection string: Npgsql 8, which runs on .NET 8, refuses unknown words.
    return process, {"ZOO_POSTGRES": connection, "PGGSSENCMODE": "disable"}, log


def _redis(home: Path) -> tuple[subprocess.Popen[bytes], dict[str, str], Path]:
    port = _free_port()
    words = f"--bind {LOOPBACK} --port {port} --dir {home} --slowlog-log-slower-than {SLOW_US}".split()
    process = _start(["redis-server", *words, "--save", "", "--slowlog-max-len", "4096"], home / "redis.out")
    _await("redis", process, lambda: _answers(port), home / "redis.out")
    return process, {"ZOO_REDIS": f"{LOOPBACK}:{port}", "ZOO_REDIS_PID": str(process.pid)}, home / "slowlog.txt"


def _write_slowlog(environment: dict[str, str], log: Path) -> None:
    port = environment["ZOO_REDIS"].partition(":")[2]
    told = _run(["redis-cli", "-h", LOOPBACK, "-p", port, "slowlog", "get", "-1"])
    log.write_text(told, "utf-8")
    _run(["redis-cli", "-h", LOOPBACK, "-p", port, "slowlog", "reset"])


def _rabbitmq(home: Path) -> tuple[subprocess.Popen[bytes], dict[str, str], Path]:
    port = _free_port()
    environment = {
        **os.environ,
        "HOME": str(home),
        "RABBITMQ_NODENAME": f"poolscope-{os.getpid()}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(_free_port()),
        MAPPER: str(_free_port()),
        "ERL_EPMD_ADDRESS": LOOPBACK,
        "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
        "RABBITMQ_LOG_BASE": str(home / "log"),
        "RABBITMQ_PID_FILE": str(home / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
        "RABBITMQ_CONF_ENV_FILE": str(home / "rabbitmq-env.conf"),
        # Schedulers that spin for work would take a core from the recorded program.
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none",
    }
    (home / "plugins").write_text("[].\n")
    log = home / "rabbitmq.out"
    process = _start([_command("rabbitmq-server", RABBIT_FOLDERS)], log, environment)
    _await("rabbitmq", process, lambda: _answers(port), log)
    found = {"ZOO_RABBIT": f"amqp://guest:guest@{LOOPBACK}:{port}", MAPPER: environment[MAPPER]}
    return process, found, log


def _nginx(home: Path) -> tuple[subprocess.Popen[bytes], dict[str, str], Path]:
    front, back = _free_port(), _free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    places = "\n".join(
        f"  {kind}_temp_path {home}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (home / "nginx.conf").write_text(
        f"""{user}
daemon off;
worker_processes 1;
pid {home}/nginx.pid;
error_log {home}/error.log;
events {{ worker_connections 512; }}
http {{
{places}
  log_format times '$msec $request_time $upstream_response_time $status $request_uri';
  access_log {home}/access.log times;
  upstream program {{ server {LOOPBACK}:{back}; keepalive 64; }}
  server {{
    listen {LOOPBACK}:{front};
    location / {{ proxy_pass http://program; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
}}
"""
    )
    nginx = _command("nginx", ("/usr/sbin", "/usr/bin"))
    process = _start([nginx, "-e", home / "error.log", "-c", home / "nginx.conf", "-p", home], home / "nginx.out")
    _await("nginx", process, lambda: _answers(front), home / "error.log")
    address = {"ZOO_NGINX": f"http://{LOOPBACK}:{front}", "ZOO_NGINX_BACK": f"http://{LOOPBACK}:{back}"}
    return process, address, home / "access.log"


def _start(command: list[str | Path], log: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
        )


def _await(name: str, process: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path) -> None:
    until = time.monotonic() + READY_WITHIN_S
    while not ready():
        if process.poll() is not None or time.monotonic() > until:
            _signal(process, signal.SIGKILL)
            said = log.read_text("utf-8", "replace").strip().splitlines() if log.is_file() else []
            raise RunFailed(f"{name} did not start: {said[-1] if said else 'no message'}")
        time.sleep(0.1)


def _signal(process: subprocess.Popen[bytes], sent: signal.Signals) -> None:
    try:
        os.killpg(process.pid, sent)
    except ProcessLookupError:
        pass


def _run(command: list[str | Path]) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd="/")
    if done.returncode != 0:
        raise RunFailed(f"{Path(str(command[-1])).name}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def _answers(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex((LOOPBACK, port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _found(name: str, folders: tuple[str, ...]) -> str | None:
    for folder in folders:
        for candidate in sorted(Path("/").glob(f"{folder[1:]}/{name}"), reverse=True):
            return str(candidate)
    return shutil.which(name)


def _command(name: str, folders: tuple[str, ...]) -> str:
    found = _found(name, folders)
    if found is None:
        raise RunFailed(f"{name} is not installed: apt-get install postgresql redis-server nginx rabbitmq-server")
    return found
