"""The files that a deployment starts Redis with: they are taken, and do what they say."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from redis.exceptions import NoPermissionError

from hutch.store.commits import Commit, Committed, Listing
from hutch.store.connect import connect
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreError
from hutch.store.keys import ALL_SHARDS, Keys
from hutch.store.revocations import Revocations
from hutch.store.store import Store
from hutch.store.tallies import Measure
from tests.redis_servers import CLUSTERS, SINGLES, ClusterOfTwo

DEPLOY = Path(__file__).parents[2] / "deploy" / "redis"
DIRECTIVES = [
    line.split(maxsplit=1)
    for line in (DEPLOY / "redis.conf").read_text().splitlines()
    if line and not line.startswith("#")
]


def as_told(setting: str) -> str:
    """The value as the server tells it, in bytes and without quotes."""
    words = [
        str(int(word.removesuffix("mb")) << 20) if word.endswith("mb") else word
        for word in setting.strip('"').split()
    ]
    return " ".join(words)


@pytest.mark.parametrize("any_redis", SINGLES, indirect=True, scope="session")
def test_the_server_takes_every_line_of_its_configuration(
    any_redis: EmbeddedServer, tmp_path: Path
) -> None:
    options = {"include": str(DEPLOY / "redis.conf")}
    with EmbeddedServer(tmp_path, program=any_redis.program, options=options) as server:
        for name, value in DIRECTIVES:
            told = server.ask("CONFIG", "GET", name).split("\r\n")[4]
            assert as_told(value) in told, name


@pytest.fixture
def servers(any_redis: EmbeddedServer | ClusterOfTwo) -> list[EmbeddedServer]:
    """Servers that know the users of the deployment's list, for the namespace `hutch`."""
    nodes = any_redis.nodes if isinstance(any_redis, ClusterOfTwo) else [any_redis]
    for line in (DEPLOY / "users.acl").read_text().splitlines():
        _, name, *rules = line.split()
        if name != "default":
            for node in nodes:
                assert node.ask("ACL", "SETUSER", name, *rules).startswith("+OK")
    return nodes


@pytest.mark.parametrize("any_redis", SINGLES, indirect=True, scope="session")
def test_the_user_of_the_services_may_do_all_that_scripts_do(servers: list[EmbeddedServer]) -> None:
    texts = [path.read_text() for path in files("hutch.store").joinpath("scripts").iterdir()]
    called = {command for text in texts for command in re.findall(r"redis\.call\('(\w+)'", text)}
    key = "hutch:{s00}:x"
    arguments = {"TIME": [], "XINFO": ["GROUPS", key]}
    for command in called:
        more = arguments.get(command, [key])
        while (
            "wrong number" in (told := servers[0].ask("ACL", "DRYRUN", "hutch", command, *more))
            and len(more) < 9
        ):
            more = [*more, "1"]
        assert told.startswith("+OK"), f"{command}: {told}"


@pytest.mark.parametrize("any_redis", [*SINGLES, *CLUSTERS], indirect=True, scope="session")
async def test_the_user_of_the_services_may_do_what_they_do_and_no_more(
    any_redis: EmbeddedServer | ClusterOfTwo, servers: list[EmbeddedServer], namespace: str
) -> None:
    url = any_redis.url.replace("://", "://hutch:change-me@")
    async with await Store.open(url, namespace=f"hutch:{namespace}") as store:
        async with store.doorbell.listen("t"), store.doorbell.listen_to_shards("timers"):
            commit = Commit(
                table_id="t",
                expected_revision=0,
                log={"s": b"told"},
                inputs=b"i",
                due_ms=1,
                hint=True,
                notes=(b"n",),
                request_id="r",
                listing=Listing("playing", "rs"),
            )
            assert isinstance(await store.tables.commit(commit), Committed)
        await store.tables.load("t")
        await store.tables.find_request("t", "r")
        await store.tables.read_log("t", 0, 10)
        await store.tables.read_inputs("t", 0, 10)
        await store.tables.count_inputs("t")
        await store.timers.claim_due(ALL_SHARDS, 10, 1000)
        await store.timers.pending(10)
        await store.timers.armed(0)
        await store.pulse.beat(2_000)
        await store.pulse.listen()
        await store.timers.forget("t")
        await store.hints.claim_hints(ALL_SHARDS, 10, 1000)
        await store.hints.begin("t", 1000)
        await store.hints.give_up("t", 5)
        await store.hints.dead_letters(10)
        await store.outbox.ensure_group("g")
        notes = await store.outbox.read("g", "c", 10)
        await store.outbox.reclaim("g", "c", 10, 0)
        await store.outbox.acknowledge("g", notes)
        await store.index.list_tables([Listing("playing", "rs")], 10)
        await store.index.counts()
        await store.tallies.add("t", {Measure("rs", "rivals", 1, "turns"): 1})
        await store.tallies.read()
        await store.budgets.take("calls", "ada", interval_us=1_000_000, burst=1)
        assert await store.holdings.take("streams", "ada", 1, most=1, holder="h", lease_ms=1000)
        await store.holdings.tell({("streams", "ada"): 0}, holder="h", lease_ms=1000)
        for table_id in ("t", "u"):
            await store.engagements.add("tables", "ada", table_id, most=1)
        await store.engagements.drop("tables", "ada", "t")
        finished = Commit(table_id="t", expected_revision=1, finished=True)
        assert isinstance(await store.tables.commit(finished), Committed)
        for forbidden in (["FLUSHALL"], ["CONFIG", "GET", "*"], ["KEYS", "*"], ["GET", "hutch:x"]):
            with pytest.raises(StoreError, match=r"(?i)no permissions"):
                await store.pipelining.call(0, *forbidden)
        with pytest.raises(StoreError, match=r"(?i)no permissions"):
            await store.pipelining.call(0, "HGET", "celery", "x")
        assert await store.revocations.names() == frozenset()
        with pytest.raises(StoreError, match=r"(?i)no permissions"):
            await store.revocations.add("ada", 60)


@pytest.mark.parametrize("any_redis", [*SINGLES, *CLUSTERS], indirect=True, scope="session")
async def test_the_dispatcher_sees_who_is_awaited_and_no_game(
    any_redis: EmbeddedServer | ClusterOfTwo, servers: list[EmbeddedServer], namespace: str
) -> None:
    url = any_redis.url.replace("://", "://dispatcher:change-me-too@")
    async with await Store.open(url, namespace=f"hutch:{namespace}") as store:
        async with store.doorbell.listen_to_shards("hints"):
            assert await store.hints.claim_hints(ALL_SHARDS, 10, 1000) == ([], {})
        await store.outbox.ensure_group("g")
        assert await store.outbox.read("g", "c", 10) == []
        assert await store.outbox.reclaim("g", "c", 10, 0) == []
        with pytest.raises(StoreError, match=r"(?i)no permissions"):
            await store.tables.load("t")
        with pytest.raises(StoreError, match=r"(?i)no permissions"):
            await store.tables.read_inputs("t", 0, 10)
        with pytest.raises(StoreError, match=r"(?i)no permissions"):
            await store.revocations.names()


@pytest.mark.parametrize("any_redis", [*SINGLES, *CLUSTERS], indirect=True, scope="session")
async def test_the_user_for_keys_revokes_and_sees_no_game(
    any_redis: EmbeddedServer | ClusterOfTwo, servers: list[EmbeddedServer], namespace: str
) -> None:
    url = any_redis.url.replace("://", "://keys:change-me-as-well@")
    client = await connect(url)
    keys = Keys(f"hutch:{namespace}")
    revocations = Revocations(client, keys)
    await revocations.add("ada", 60)
    assert await revocations.names() == {"ada"}
    assert await revocations.remove("ada")
    with pytest.raises(NoPermissionError):
        await client.hget(keys.table("t"), "record")
    await client.aclose()
