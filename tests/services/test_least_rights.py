"""Every process as a user of its own in Redis, with the default user off: games of every kind are
played to their end, nothing that was needed is refused, and what is not needed is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError
from redis.retry import Retry

from hutch.client import HutchError, Table, TimeControl, connect
from hutch.runtime.settings.rules import RulesSettings
from hutch.store.embedded import EmbeddedServer
from hutch.store.keys import Keys
from hutch.store.store import Store
from hutch.v1 import table_pb2
from tests.oracle import judge
from tests.redis_servers import eventually
from tests.services.processes import serving

USERS = Path(__file__).parents[2] / "deploy" / "redis" / "users.acl"
PASSWORDS = {"hutch": "change-me", "dispatcher": "change-me-too", "keys": "change-me-as-well"}
SEATS = {"rabbit-space": 2, "tale-of-carrot": 3, "killer-bunnies": 3}


class Guarded:
    """A Redis that lets in the users of the deployment alone; and `admin`, to see what happens."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._path = server.url.removeprefix("unix://")
        users = [line.split()[1:] for line in USERS.read_text().splitlines()]
        admin = ["admin", "on", ">secret", "~*", "&*", "+@all"]
        for name, *rules in sorted([admin, *users], key=lambda user: user[0] == "default"):
            assert server.ask("ACL", "SETUSER", name, *rules).startswith("+OK"), name
        self.admin = self.client("admin", "secret")

    def client(self, user: str | None = None, password: str | None = None) -> Any:
        """A client of that user's; None: of nobody's."""
        once = Retry(NoBackoff(), 0)
        return redis.Redis(
            unix_socket_path=self._path, username=user, password=password, retry=once
        )

    def url(self, user: str) -> str:
        """What a process of that user's is given."""
        return f"unix://{user}:{PASSWORDS[user]}@{self._path}"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with EmbeddedServer(tmp_path_factory.mktemp("guarded")) as server:
        yield Guarded(server)


@pytest.fixture(scope="module")
def gateway(guarded: Guarded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a gateway, with one process of every other kind beside it."""
    folder = tmp_path_factory.mktemp("logs")
    common = {
        "HUTCH_REDIS_URL": guarded.url("hutch"),
        "HUTCH_TOKEN_KEY_FILE": str(folder / "keys.json"),
        "HUTCH_BROKER_KEY_FILE": str(folder / "broker-keys"),
    }
    with ExitStack() as running:
        broker = running.enter_context(EmbeddedServer(folder / "broker"))
        common["HUTCH_BROKER_URL"] = f"redis+socket://{broker.url.removeprefix('unix://')}"
        rules = running.enter_context(serving("hutch.rules", folder / "rules.log"))
        common["HUTCH_RULES_ADDRESSES"] = rules.address

        def start(module: str, **more: str) -> str:
            log = folder / f"{module}.log"
            return running.enter_context(serving(module, log, **common | more)).address

        address = start("hutch.gateway")
        start("hutch.timekeeper")
        start("hutch.workers dispatcher", HUTCH_REDIS_URL=guarded.url("dispatcher"))
        start("hutch.workers bots analytics")
        yield address


async def _is_over(table: Table) -> bool:
    return (await table.get()).state == table_pb2.TABLE_STATE_FINISHED


async def test_games_of_every_kind_are_played_and_tallied_and_nothing_needed_is_refused(
    guarded: Guarded, gateway: str
) -> None:
    guarded.admin.acl_log_reset()
    async with connect(gateway) as hutch:
        ada = await hutch.guest("Ada")
        tables = []
        for ruleset, seats in SEATS.items():
            table = await hutch.create_table(
                ruleset,
                seats=seats,
                time_control=TimeControl.per_decision(0.1),
                after_timeouts=1,
            )
            await table.claim(0)  # and never answers: the clock has to, and then a bot
            for seat in range(1, seats):
                await table.assign_bot(seat, "random")
            await table.start()
            tables.append(table)
        for table in tables:
            await eventually(partial(_is_over, table), within_s=120, every_s=0.05)
        async with await Store.open(guarded.url("hutch")) as store:
            for table in tables:
                assert not (await judge(store, table.name.removeprefix("tables/"))).faults

            async def are_tallied() -> bool:
                found = {measure.ruleset for measure in await store.tallies.read()}
                return found == SEATS.keys()

            await eventually(are_tallied, within_s=60)
        users = {client["user"] for client in guarded.admin.client_list()}
        assert users == {"admin", "hutch", "dispatcher"}
        assert guarded.admin.acl_log() == []

        revoke = [sys.executable, "-m", "hutch.cli", "keys", "revoke", ada.name]
        environ = {"HUTCH_REDIS_URL": guarded.url("keys"), "PYTHONPATH": ":".join(sys.path)}
        await asyncio.to_thread(subprocess.run, revoke, env=environ, check=True)

        async def is_refused() -> bool:
            try:
                await tables[0].get()
            except HutchError as refusal:
                return refusal.reason == "TOKEN_REVOKED"
            return False

        await eventually(is_refused)
    assert guarded.admin.acl_log() == []


def test_whoever_has_no_user_or_a_wrong_password_is_not_let_in(guarded: Guarded) -> None:
    for client in (guarded.client(), guarded.client("hutch", "guess")):
        with pytest.raises(AuthenticationError):
            client.ping()


def test_the_rules_are_not_told_of_any_redis() -> None:
    assert not [name for name in RulesSettings.model_fields if name in ("redis", "broker")]


@pytest.mark.parametrize(
    ("user", "command"),
    [
        ("hutch", ["ZADD", "hutch:revoked", "1", "ada"]),
        ("hutch", ["FLUSHALL"]),
        ("hutch", ["CONFIG", "SET", "appendfsync", "no"]),
        ("hutch", ["ACL", "LIST"]),
        ("hutch", ["SET", "celery", "x"]),
        ("dispatcher", ["HGET", Keys().table("t"), "record"]),
        ("dispatcher", ["LRANGE", Keys().inputs("t"), "0", "-1"]),
        ("dispatcher", ["PUBLISH", Keys().bell("t"), "1"]),
        ("dispatcher", ["ZRANGE", "hutch:revoked", "0", "-1"]),
        ("keys", ["HGETALL", Keys().table("t")]),
        ("keys", ["EVAL", "return 1", "0"]),
    ],
    ids=str,
)
def test_what_a_process_does_not_need_is_refused(
    user: str, command: list[str], guarded: Guarded
) -> None:
    with pytest.raises(NoPermissionError):
        guarded.client(user, PASSWORDS[user]).execute_command(*command)
