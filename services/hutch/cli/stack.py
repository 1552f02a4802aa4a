"""The stack: which programs `hutch up` runs, and what each is told."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from hutch.cli.launches import launch_python, launch_redis
from hutch.cli.ports import HOST, PortTakenError, held_ports
from hutch.cli.probes import http_probe, redis_probe
from hutch.cli.supervisor import Program, StackError
from hutch.store.embedded import EmbeddedServer

GATEWAY_PORT: Final = 50551

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


@contextlib.contextmanager
def laid_out(plan: Plan) -> Iterator[Stack]:
    """The programs of that plan, with a port for each that is kept for it until the end.

    Raises:
        StackError: a port for a gateway is taken.
        hutch.store.errors.ServerNotFound: there is no Redis to run.
    """
    rules_names = _numbered("rules", plan.rules)
    # One alone has no number.
    gateway_names = ["gateway"] if plan.gateways == 1 else _numbered("gateway", plan.gateways)
    workers = _numbered("worker", plan.workers)
    names = [*rules_names, *gateway_names, "timekeeper", "dispatcher", *workers]
    with (
        _gateway_ports(plan.gateway_port, plan.gateways) as gateway_ports,
        held_ports([0] * (len(names) + plan.rules)) as ports,
    ):
        metrics_ports, rules_ports = ports[: len(names)], ports[len(names) :]
        yield _stack(
            plan,
            gateways=_addresses(gateway_names, gateway_ports),
            metrics=_addresses(names, metrics_ports),
            rules=_addresses(rules_names, rules_ports),
        )


def _stack(
    plan: Plan,
    *,
    gateways: Mapping[str, str],
    metrics: Mapping[str, str],
    rules: Mapping[str, str],
) -> Stack:
    """The stack with those addresses, each by the name of its program."""
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

    programs = tuple(program(name) for name in metrics)
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
    with contextlib.ExitStack() as held:
        try:
            data.mkdir(parents=True, exist_ok=True)
            lock = held.enter_context((data / "stack.lock").open("ab+", buffering=0))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock.truncate(0)
            lock.write(b"%d\n" % os.getpid())
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().decode().strip() or "of unknown number"
            raise StackError(
                f"process {owner} runs on {data} already; stop it first, or choose another "
                "folder with --data."
            ) from None
        except OSError as fault:
            raise StackError(f"{data} cannot be the data folder: {fault.strerror}.") from None
        yield


def _numbered(kind: str, count: int) -> list[str]:
    return [f"{kind}-{number + 1}" for number in range(count)]


def _addresses(names: Sequence[str], ports: Sequence[int]) -> dict[str, str]:
    return {name: f"{HOST}:{port}" for name, port in zip(names, ports, strict=True)}


@contextlib.contextmanager
def _gateway_ports(wanted: int | None, count: int) -> Iterator[list[int]]:
    """Ports for so many gateways, from the wanted one on."""
    first = GATEWAY_PORT if wanted is None else wanted
    with contextlib.ExitStack() as held:
        try:
            ports = held.enter_context(
                held_ports(range(first, first + count) if first else [0] * count, alone=True)
            )
        except PortTakenError as taken:
            if wanted is not None:
                raise StackError(
                    f"port {taken.port} cannot be the gateway's: {taken.why}. Choose another with "
                    "--gateway-port, or 0 for any."
                ) from None
            ports = held.enter_context(held_ports([0] * count, alone=True))
        yield ports
