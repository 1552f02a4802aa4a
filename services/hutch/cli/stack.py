"""The stack: which programs `hutch up` runs, and what each is told."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from hutch.cli.launches import launch_python, launch_redis
from hutch.cli.probes import http_probe, redis_probe
from hutch.cli.supervisor import Program, StackError
from hutch.store.embedded import EmbeddedServer

GATEWAY_PORT: Final = 50551
HOST: Final = "127.0.0.1"

# How each kind is run, and the stage it belongs to. Redis is stage 0.
MODULES: Final = {
    "rules": (("hutch.rules",), 1),
    "gateway": (("hutch.gateway",), 2),
    "timekeeper": (("hutch.timekeeper",), 2),
    "dispatcher": (("hutch.workers", "dispatcher"), 2),
    "worker": (("hutch.workers", "bots", "analytics"), 2),
}


class Plan(Struct, frozen=True, kw_only=True):
    """What was asked for.

    `gateway_port` None is the usual one, or a free one if that is taken. `environ` are variables
    for all programs; those that the stack has to set for itself win over them.
    """

    data: Path
    rules: int = 2
    workers: int = 2
    gateway_port: int | None = None
    redis_url: str | None = None
    environ: Mapping[str, str] = {}


class Stack(Struct, frozen=True, kw_only=True):
    """The programs of a plan, and where they are found: addresses by name.

    `redis_url` is known once the embedded server has been started; `redis_version` is that of the
    embedded one, or empty.
    """

    programs: tuple[Program, ...]
    gateway: str
    metrics: Mapping[str, str]
    redis_url: Callable[[], str]
    redis_version: str


def lay_out(plan: Plan) -> Stack:
    """The programs of that plan, with free ports for all.

    Raises:
        StackError: the port for the gateway is taken.
        hutch.store.errors.ServerNotFound: there is no Redis to run.
    """
    names = [
        *(f"rules-{number + 1}" for number in range(plan.rules)),
        "gateway",
        "timekeeper",
        "dispatcher",
        *(f"worker-{number + 1}" for number in range(plan.workers)),
    ]
    gateway = f"{HOST}:{_gateway_port(plan.gateway_port)}"
    ports = iter(free_ports(len(names) + plan.rules))
    metrics = {name: f"{HOST}:{next(ports)}" for name in names}
    rules = {name: f"{HOST}:{next(ports)}" for name in names[: plan.rules]}
    server = None if plan.redis_url else EmbeddedServer(plan.data.absolute() / "redis")

    def redis_url() -> str:
        return server.url if server else str(plan.redis_url)

    def program(name: str) -> Program:
        module, stage = MODULES[name.partition("-")[0]]

        def environ() -> dict[str, str]:
            return {
                "HUTCH_TOKEN_KEY_FILE": str(plan.data.absolute() / "keys.json"),
                "HUTCH_GATEWAY_REFLECTION": "1",
                **plan.environ,
                "HUTCH_REDIS_URL": redis_url(),
                "HUTCH_RULES_ADDRESSES": ",".join(rules.values()),
                "HUTCH_RULES_BIND": rules.get(name, f"{HOST}:0"),
                "HUTCH_GATEWAY_BIND": gateway,
                "HUTCH_METRICS_BIND": metrics[name],
            }

        return Program(
            name=name,
            launch=launch_python("-m", *module, environ=environ),
            ready=http_probe(metrics[name], "/readyz"),
            alive=http_probe(metrics[name], "/livez"),
            stage=stage,
        )

    programs = tuple(program(name) for name in names)
    if server is not None:
        answers = redis_probe(lambda: server.url.removeprefix("unix://"))
        redis = Program(
            name="redis", launch=launch_redis(server), ready=answers, alive=answers, stage=0
        )
        programs = (redis, *programs)
    return Stack(
        programs=programs,
        gateway=gateway,
        metrics=metrics,
        redis_url=redis_url,
        redis_version=server.program.version if server else "",
    )


@contextlib.contextmanager
def holding(data: Path) -> Iterator[None]:
    """Make that folder, and keep other stacks out of it.

    Raises:
        StackError: one runs on it already, or the folder cannot be made.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = (data / "stack.lock").open("a+")
    except OSError as fault:
        raise StackError(f"{data} cannot be the data folder: {fault.strerror}.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "of unknown number"
            raise StackError(
                f"process {owner} runs on {data} already; stop it first, or choose another "
                "folder with --data."
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def free_ports(count: int) -> list[int]:
    """So many loopback ports that nobody uses now."""
    with contextlib.ExitStack() as taken:
        # Held all at once, so that none is given twice.
        sockets = [taken.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [int(held.getsockname()[1]) for held in sockets]


def _gateway_port(wanted: int | None) -> int:
    try:
        with socket.create_server((HOST, GATEWAY_PORT if wanted is None else wanted)) as held:
            return int(held.getsockname()[1])
    except OSError as fault:
        if wanted is None:
            return free_ports(1)[0]
        raise StackError(
            f"port {wanted} cannot be the gateway's: {os.strerror(fault.errno or 0)}. Choose "
            "another with --gateway-port, or 0 for any."
        ) from None
