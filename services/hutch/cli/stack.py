"""The stack: which programs `hutch up` runs, and what each is told."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
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

    `gateway_port` is the first gateway's, and those of the others follow; 0 is any. None is the
    usual one, or free ones if that or one that follows is taken. `environ` are variables for all
    programs; those that the stack has to set for itself win over them.
    """

    data: Path
    gateways: int = 1
    rules: int = 2
    workers: int = 2
    gateway_port: int | None = None
    redis_url: str | None = None
    environ: Mapping[str, str] = {}


class Stack(Struct, frozen=True, kw_only=True):
    """The programs of a plan, and where they are found: `metrics` are addresses by name.

    `redis_url` is known once the embedded server has been started; `redis_version` is that of the
    embedded one, or empty.
    """

    programs: tuple[Program, ...]
    gateways: tuple[str, ...]
    metrics: Mapping[str, str]
    redis_url: Callable[[], str]
    redis_version: str


def lay_out(plan: Plan) -> Stack:
    """The programs of that plan, with free ports for all.

    Raises:
        StackError: a port for a gateway is taken.
        hutch.store.errors.ServerNotFound: there is no Redis to run.
    """
    rules_names = _numbered("rules", plan.rules)
    # One alone has no number.
    gateway_names = ["gateway"] if plan.gateways == 1 else _numbered("gateway", plan.gateways)
    workers = _numbered("worker", plan.workers)
    names = [*rules_names, *gateway_names, "timekeeper", "dispatcher", *workers]
    ports = iter(_ports(plan.gateway_port, plan.gateways, len(names) + plan.rules))
    gateways = {name: f"{HOST}:{next(ports)}" for name in gateway_names}
    metrics = {name: f"{HOST}:{next(ports)}" for name in names}
    rules = {name: f"{HOST}:{next(ports)}" for name in rules_names}
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
                "HUTCH_GATEWAY_BIND": gateways.get(name, f"{HOST}:0"),
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
        gateways=tuple(gateways.values()),
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
    return _hold_together([0] * count)


def _numbered(kind: str, count: int) -> list[str]:
    return [f"{kind}-{number + 1}" for number in range(count)]


def _ports(wanted: int | None, gateways: int, others: int) -> list[int]:
    """Ports for the gateways, from the wanted one on, and so many others."""
    first = GATEWAY_PORT if wanted is None else wanted
    asked = range(first, first + gateways) if first else [0] * gateways
    try:
        return _hold_together([*asked, *[0] * others])
    except StackError:
        if wanted is None:
            return free_ports(gateways + others)
        raise


def _hold_together(ports: Iterable[int]) -> list[int]:
    """Those ports if they are free, or any for each that is 0: held all at once, so that none is
    given twice."""
    with contextlib.ExitStack() as held:
        taken = []
        for port in ports:
            try:
                server = held.enter_context(socket.create_server((HOST, port)))
            except (OSError, OverflowError) as fault:
                number = fault.errno if isinstance(fault, OSError) else None
                why = os.strerror(number) if number else "there are none beyond 65535"
                raise StackError(
                    f"port {port} cannot be the gateway's: {why}. Choose another with "
                    "--gateway-port, or 0 for any."
                ) from None
            taken.append(int(server.getsockname()[1]))
        return taken
