"""`hutch why` tells what a table waits for, and `hutch fix` moves it on or gives it up."""

from __future__ import annotations

import json
import re
import subprocess
import uuid

import pytest
from msgspec.structs import replace

from hutch.cli.why import told as lines_of
from hutch.engine.deadlines import Deadline
from hutch.engine.prompts import card
from hutch.runtime.tracing import Trace, follow
from hutch.store.embedded import EmbeddedServer
from hutch.store.hints import DeadLetter
from hutch.store.keys import shard_of
from hutch.store.pulse import Outage
from hutch.store.store import Store
from hutch.turns.diagnosis import Diagnosis, diagnosed
from hutch.turns.lobby import Lobby
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong
from tests.commands import hutch
from tests.turns.arranging import HOST, bot_table, default, started


async def lose_hint(store: Store, table_id: str) -> None:
    """Take the table's hint out of Redis, as no process of ours ever does."""
    shard = shard_of(table_id)
    (hints,) = store.keys.of_shard(shard, "hints")
    assert await store.pipelining.call(shard, "ZREM", hints, table_id) == 1


async def diagnosis_of(store: Store, table_id: str) -> Diagnosis:
    """What the command finds out about a table."""
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    return await diagnosed(store.tables, inspected)


async def text_of(store: Store, table_id: str) -> str:
    """What the command says of a table."""
    return "\n".join(lines_of(await diagnosis_of(store, table_id)))


def told(redis: EmbeddedServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command says of the tables in that Redis."""
    return hutch(*arguments, HUTCH_REDIS_URL=redis.url)


async def test_a_table_that_waits_for_people_says_for_whom_and_since_when(
    quiet_redis: EmbeddedServer, lobby: Lobby
) -> None:
    table_id = await started(lobby, players=2, limits_ms={"phase": 3_600_000})
    shown = told(quiet_redis, "why", table_id)
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0].startswith(f"table {table_id}: playing, rabbit-space revision ")
    assert lines[1].startswith("  awaited: seat 0 (player P0) is asked ")
    assert lines[2].startswith("  awaited: seat 1 (player P1) is asked ")
    assert all(" UTC (" in line and line.endswith(" s ago)") for line in lines[1:3])
    assert "timer: due " in lines[3]
    assert " UTC (in 35" in lines[3]
    assert [line[:28] for line in lines[4:6]] == [
        f"  deadline: seat {seat}, phase: d" for seat in range(2)
    ]
    assert lines[6] == "  hint to bots: none"


async def test_every_deadline_is_told_with_its_cause_and_what_banks_and_outages_are_about(
    lobby: Lobby, store: Store
) -> None:
    table_id = await started(lobby, limits_ms={"phase": 3_600_000}, time_bank_ms=300_000)
    found = await diagnosis_of(store, table_id)
    assert (found.time_banks_ms, found.outage) == ([300_000], None)
    feed = (card("roamer-7"), card("feed-3"))
    now_ms = found.now_ms
    shown = "\n".join(
        lines_of(
            replace(
                found,
                deadlines=[
                    *found.deadlines,
                    Deadline("feed-the-bunny", 1, None, feed, 5),
                    Deadline("feed-the-bunny", 0, now_ms + 12_300, feed, 4),
                ],
                outage=Outage(now_ms - 90_000, now_ms - 60_000),
            )
        )
    )
    about = "feed-the-bunny of card roamer-7 card feed-3, at the end of turn"
    assert f"deadline: seat 1, {about} 5: no clock runs" in shown
    assert re.search(rf"deadline: seat 0, {about} 4: due .* UTC \(in 12\.3 s\)", shown)
    assert "deadline: seat 0, phase: due " in shown
    assert "time banks, by seat: 300.0 s" in shown
    assert re.search(r"last outage: 30\.0 s, over .* \(60\.0 s ago\); no clock counts it", shown)
    on = replace(found, outage=Outage(now_ms - 90_000, now_ms))
    assert "OUTAGE: nobody can answer since " in "\n".join(lines_of(on))


async def test_a_question_is_asked_since_it_was_told_and_not_since_the_last_turn(
    lobby: Lobby, path: TurnPath, store: Store
) -> None:
    table_id = await started(lobby, players=2)
    dealt = (await path.store.read_log(table_id, 0, 100))[-1].commit_ms
    await path.play(default(table_id, 0))
    found = await diagnosis_of(store, table_id)
    assert [(one.seat, one.since_ms) for one in found.awaited] == [(1, dealt)]
    assert found.commit_ms >= dealt


async def test_a_table_that_waits_for_bots_shows_its_hints_attempts_and_dead_letters(
    quiet_redis: EmbeddedServer, lobby: Lobby, store: Store
) -> None:
    table_id = await bot_table(lobby)
    await store.hints.claim_hints([shard_of(table_id)], 100, 60_000)
    for _ in range(3):
        await store.hints.begin(table_id, 60_000)
    await store.hints.give_up(table_id, 3)
    shown = await text_of(store, table_id)
    assert "seat 0 (bot random) is asked " in shown
    assert "hint to bots: given 1 times, next " in shown
    assert "3 attempts to answer" in shown
    assert "dead letter: a bot was given up after 3 attempts, " in shown
    found = json.loads(told(quiet_redis, "why", f"tables/{table_id}", "--json").stdout)
    assert (found["hint"]["given"], found["attempts"], found["stuck"]) == (1, 3, "")


@pytest.mark.parametrize(
    ("absence", "shown"),
    [
        (pb.ABSENCE_AWAY, "seat 0 (played by default while away: P0) is asked "),
        (pb.ABSENCE_BOT, "seat 0 (left by its player, played by greedy) is asked "),
        (pb.ABSENCE_FORFEITED, "seat 0 (played by default, forfeited by P0) is asked "),
    ],
)
async def test_a_table_that_waits_for_nobody_tells_who_plays_for_the_absent(
    absence: pb.Absence.ValueType, shown: str, lobby: Lobby, store: Store
) -> None:
    table_id = await started(lobby, absence=absence, options={"absent": "bot"})
    await lobby.leave(table_id, 0, "p0")
    assert shown in await text_of(store, table_id)


async def test_a_timer_that_a_timekeeper_has_claimed_shows_its_lease(
    lobby: Lobby, store: Store
) -> None:
    table_id = await started(lobby, limits_ms={"phase": 100})
    shard = shard_of(table_id)
    while not (await store.timers.claim_due([shard], 100, 60_000)).due:
        pass
    timer = (await diagnosis_of(store, table_id)).timer
    assert timer is not None
    assert timer.claimed_until_ms is not None
    assert timer.due_ms + 50_000 < timer.claimed_until_ms
    assert "claimed by a timekeeper until" in await text_of(store, table_id)


async def test_a_lost_hint_is_told_with_its_remedy_and_the_remedy_helps(
    quiet_redis: EmbeddedServer, lobby: Lobby, store: Store
) -> None:
    table_id = await bot_table(lobby)
    await lose_hint(store, table_id)
    stuck = told(quiet_redis, "why", table_id)
    assert stuck.returncode == 1
    assert "STUCK: only bots and absent players are awaited, and neither a hint" in stuck.stdout
    assert f"`hutch fix {table_id} --default 0`" in stuck.stdout
    fixed = told(quiet_redis, "fix", table_id, "--default", "0")
    assert fixed.returncode == 0, fixed.stderr
    assert fixed.stdout.startswith(f"the default of seat 0 was played at table {table_id}")
    assert told(quiet_redis, "why", table_id).returncode == 0


async def test_a_failure_of_the_rules_is_told_where_it_came_from(
    lobby: Lobby, path: TurnPath, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_id = await started(lobby)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the ace of carrots")

    turn = default(table_id, 0)
    with monkeypatch.context() as broken_rules:
        broken_rules.setattr("hutch.engine.kernel.resolve", broken)
        with pytest.raises(Fault):
            await path.play(turn)
    shown = await text_of(store, table_id)
    assert "last error: the rules: ZeroDivisionError in broken, line " in shown
    assert "ace of carrots" not in shown
    await path.play(turn)
    assert "the game has moved on since" in await text_of(store, table_id)


async def test_the_trace_is_told_of_the_call_that_led_to_the_revision_and_of_no_earlier_one(
    lobby: Lobby, path: TurnPath, store: Store
) -> None:
    table_id = await started(lobby, players=2)
    trace = Trace(bytes(range(16)), is_sampled=True)
    follow(trace)
    person = replace(default(table_id, 0), by="person")
    await path.play(person)
    assert f"  trace: {trace}" in (await text_of(store, table_id)).splitlines()
    # What the clock does of it is in the trace, and hands it on no further.
    await path.play(default(table_id, 1))
    assert "trace:" not in await text_of(store, table_id)


async def test_a_failure_is_told_with_the_trace_of_the_call_that_it_came_of(
    lobby: Lobby, path: TurnPath, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_id = await started(lobby)
    trace = Trace(bytes(range(16)))
    follow(trace)
    with monkeypatch.context() as broken_rules:
        broken_rules.delattr("hutch.engine.kernel.resolve")
        with pytest.raises(Fault):
            await path.play(default(table_id, 0))
    assert f", trace {trace}" in await text_of(store, table_id)


async def test_a_table_before_the_deal_shows_its_free_seats(lobby: Lobby, store: Store) -> None:
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat() for _ in range(3)])
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    await lobby.claim(table_id, 1, "p1", "P1", b"")
    assert "free seats: 0 2" in await text_of(store, table_id)


async def test_a_voided_table_is_abandoned_disarmed_and_its_log_is_kept(
    quiet_redis: EmbeddedServer, lobby: Lobby, path: TurnPath, store: Store
) -> None:
    table_id = await bot_table(lobby, limits_ms={"phase": 3_600_000})
    before = await store.tables.load(table_id)
    assert before is not None
    voided = told(quiet_redis, "fix", table_id, "--void")
    assert voided.returncode == 0, voided.stderr
    stored, meta = await path.load(table_id)
    assert (meta.state, stored.record) == ("abandoned", before.record)
    assert len(await store.tables.read_inputs(table_id, 0, 100)) == 1
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    assert (inspected.timer, inspected.hint) == (None, None)
    last = (await store.tables.read_log(table_id, before.revision, 10))[-1]
    told_to_all = pb.Table.FromString(last.fields["t"])
    assert told_to_all.state == pb.TABLE_STATE_ABANDONED
    assert told_to_all.seed == meta.secret
    with pytest.raises(Fault) as refused:
        await path.play(default(table_id, 0))
    assert refused.value.reason == Wrong.TABLE_NOT_PLAYING


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--default", "7"), "Seat 7 is not awaited"),
        ((), "say either --default SEAT or --void"),
        (("--default", "0", "--void"), "say either --default SEAT or --void"),
    ],
)
async def test_a_fix_that_makes_no_sense_is_refused_and_changes_nothing(
    arguments: tuple[str, ...],
    sentence: str,
    quiet_redis: EmbeddedServer,
    lobby: Lobby,
    path: TurnPath,
) -> None:
    table_id = await started(lobby)
    before, _ = await path.load(table_id)
    refused = told(quiet_redis, "fix", table_id, *arguments)
    assert refused.returncode == 2
    assert sentence in refused.stderr
    after, _ = await path.load(table_id)
    assert after.revision == before.revision


async def test_a_table_that_is_over_can_neither_be_voided_nor_moved_on(
    quiet_redis: EmbeddedServer, lobby: Lobby
) -> None:
    table_id = await started(lobby)
    await lobby.void(table_id)
    for arguments in (("--void",), ("--default", "0")):
        refused = told(quiet_redis, "fix", table_id, *arguments)
        assert refused.returncode == 2
        assert "abandoned" in refused.stderr


async def test_without_a_table_it_lists_those_whose_bots_were_given_up(
    own_redis_server: EmbeddedServer,
) -> None:
    assert told(own_redis_server, "why").stdout == "no bots were given up\n"
    async with await Store.open(own_redis_server.url) as store:
        for table_id, attempts in (("a" * 20, 3), ("b" * 20, 1)):
            await store.hints.give_up(table_id, attempts)
        letters = await store.hints.dead_letters(10)
    shown = told(own_redis_server, "why")
    assert shown.returncode == 0, shown.stderr
    lines = sorted(shown.stdout.splitlines())
    assert lines[0].startswith(f"table {'a' * 20}: a bot was given up after 3 attempts, ")
    assert lines[1].startswith(f"table {'b' * 20}: a bot was given up after 1 attempt, ")
    found = json.loads(told(own_redis_server, "why", "--json").stdout)
    assert [DeadLetter(**letter) for letter in found] == letters


def test_a_table_that_is_not_there_is_said_to_be_missing(quiet_redis: EmbeddedServer) -> None:
    for command in (("why",), ("fix", "--void"), ("bundle",)):
        refused = told(quiet_redis, *command, "0123456789abcdef")
        assert refused.returncode == 2
        assert "There is no table" in refused.stderr


def test_what_is_no_name_is_refused(quiet_redis: EmbeddedServer) -> None:
    refused = told(quiet_redis, "why", "Table 7")
    assert refused.returncode == 2
    assert "'Table 7' is no table's name" in refused.stderr


def test_without_a_stack_and_a_url_it_says_what_to_do(tmp_path: object) -> None:
    refused = hutch("why", "0123456789abcdef", "--data", str(tmp_path))
    assert refused.returncode == 2
    assert "name its folder with --data, or set HUTCH_REDIS_URL" in refused.stderr
