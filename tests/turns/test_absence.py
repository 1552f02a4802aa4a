"""Absence: counted where time runs out, ended where the player acts, and never waited for.

Time is made to pass by ticks that say how late it is, so nothing here waits.
"""

from __future__ import annotations

import uuid
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from hutch.bots.random_play import play as random_play
from hutch.bots.strategy import Sight
from hutch.engine.live import Live
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.store.inspection import Inspected
from hutch.store.keys import shard_of
from hutch.store.store import Store
from hutch.turns.attendance import Attendance, require_seat
from hutch.turns.diagnosis import diagnosed, live_of
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.table_meta import Absent, SeatMeta, TableMeta, decode_meta
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault
from hutch.workers.playing import BotPlayer
from hutch.workers.thinkers import Thinkers
from hutch.workers.trust import Trust
from tests.oracle import judge

HOST = "host"
LIMIT_MS = 600_000
POLICIES: dict[Absent, pb.Absence.ValueType] = {
    "away": pb.ABSENCE_AWAY,
    "bot": pb.ABSENCE_BOT,
    "forfeited": pb.ABSENCE_FORFEITED,
}


class Game:
    """A game of players called `p0`, `p1` … and what happens to it, seen from outside."""

    def __init__(
        self, store: Store, lobby: Lobby, path: TurnPath, resolver: Resolver, thinkers: Thinkers
    ) -> None:
        self.store, self.lobby, self.path = store, lobby, path
        self.attendance = Attendance(path)
        self.worker = BotPlayer(
            path,
            store.hints,
            resolver,
            thinkers,
            Trust(0),
            attempts=3,
            answer_seconds=10,
            slice_seconds=30,
            hint_retry_seconds=2,
            rng=Random(7),
        )
        self.table_id = ""
        self.now_ms = 0

    async def open(
        self,
        ruleset: str = "rabbit-space",
        *,
        players: int = 2,
        absence: Absent = "bot",
        after_timeouts: int = 2,
        limits: tuple[str, ...] = (),
        options: dict[str, Any] | None = None,
    ) -> None:
        """Open a table and deal."""
        wanted = pb.Table(ruleset=ruleset, seats=[pb.Seat() for _ in range(players)])
        wanted.absence.seat = POLICIES[absence]
        wanted.absence.after_timeouts = after_timeouts
        wanted.options.update(options or {})
        for clock in limits:
            wanted.limits[clock].FromMilliseconds(LIMIT_MS)
        table = await self.lobby.create(HOST, wanted, uuid.uuid4().hex)
        self.table_id = table.name.removeprefix("tables/")
        for seat in range(players):
            await self.lobby.claim(self.table_id, seat, f"p{seat}", f"P{seat}", b"salt")
        await self.lobby.start(self.table_id, HOST)

    async def inspected(self) -> Inspected:
        """The table as it stands."""
        found = await self.store.inspection.look(self.table_id)
        assert found is not None
        return found

    async def meta(self) -> TableMeta:
        """What is stored beside the game."""
        return decode_meta((await self.inspected()).stored.meta)

    async def seat(self, seat: int) -> SeatMeta:
        """A seat."""
        return (await self.meta()).seats[seat]

    async def live(self) -> Live:
        """The game."""
        return live_of((await self.inspected()).stored.record or b"")

    async def time_runs_out(self) -> None:
        """It gets so late that the next clock runs out."""
        timer = (await self.inspected()).timer
        assert timer is not None
        self.now_ms = max(self.now_ms, timer.due_ms)
        tick = rules_pb.ResolveRequest(tick=rules_pb.Tick())
        await self.path.play(self._turn(0, tick, by="clock"))

    async def acts(self, seat: int, rng: Random | None = None) -> None:
        """The player of a seat answers what it is asked: by default, or at random."""
        live = await self.live()
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        action = command.submit.action
        action.prompt_id, picks = live.ask_numbers[seat], live.asks[seat].default
        if rng is not None:
            action.prompt_id, picks = random_play(Sight(live, seat), rng)
        for pick in picks:
            action.picks.add(option_id=pick.option, count=pick.count)
        await self.path.play(self._turn(seat, command, by="person"))

    async def works(self) -> None:
        """A worker does what there is to do."""
        await self.worker.play([self.table_id])
        await self.worker.finish()

    async def stuck(self) -> str:
        """Why the game will not go on; "" where it will, or waits for people who are there."""
        return (await diagnosed(self.store.tables, await self.inspected())).stuck

    def _turn(self, seat: int, command: rules_pb.ResolveRequest, *, by: Any) -> Turn:
        return Turn(
            table_id=self.table_id,
            request=command,
            seat=seat,
            by=by,
            check=None if by == "clock" else lambda meta: require_seat(meta, seat, f"p{seat}"),
            request_id=None if by == "clock" else uuid.uuid4().hex,
            since_ms=self.now_ms,
        )


@pytest.fixture
def game(
    store: Store, lobby: Lobby, path: TurnPath, resolver: Resolver, thinkers: Thinkers
) -> Game:
    """A game that is still to be opened."""
    return Game(store, lobby, path, resolver, thinkers)


async def test_time_outs_in_a_row_are_counted_with_the_default_that_they_play(game: Game) -> None:
    await game.open(limits=("phase",))
    await game.acts(1)
    revision = (await game.inspected()).stored.revision

    await game.time_runs_out()

    assert (await game.inspected()).stored.revision == revision + 1
    assert [seat.timeouts for seat in (await game.meta()).seats] == [1, 0]
    assert not (await game.seat(0)).is_absent


async def test_a_players_own_action_sets_the_count_back(game: Game) -> None:
    await game.open(limits=("phase",))
    await game.time_runs_out()
    assert [seat.timeouts for seat in (await game.meta()).seats] == [1, 1]

    await game.acts(0)

    assert [seat.timeouts for seat in (await game.meta()).seats] == [0, 1]


async def test_an_action_of_a_player_who_was_there_changes_nothing_beside_the_game(
    game: Game,
) -> None:
    await game.open(limits=("phase",))
    before = (await game.inspected()).stored

    await game.acts(0)

    after = (await game.inspected()).stored
    assert after.meta == before.meta
    (entry,) = await game.store.tables.read_log(game.table_id, before.revision, 10)
    assert "t" not in entry.fields


@pytest.mark.parametrize("absence", get_args(Absent))
async def test_a_player_who_runs_out_of_time_too_often_is_absent_from_that_very_commit(
    absence: Absent, game: Game
) -> None:
    await game.open(absence=absence, limits=("phase",))
    for _ in range(2):
        await game.acts(1)
        await game.time_runs_out()

    seat = await game.seat(0)
    assert (seat.absence, bool(seat.bot)) == (absence, absence == "bot")
    inspected = await game.inspected()
    is_awaited = 0 in (await game.live()).awaited() or absence == "forfeited"
    assert (inspected.hint is not None) == is_awaited
    (entry,) = await game.store.tables.read_log(game.table_id, inspected.stored.revision - 1, 1)
    told = pb.Table.FromString(entry.fields["t"]).seats[0]
    assert (told.absence, told.timeouts) == (POLICIES[absence], 2)


def changes() -> dict[str, float]:
    """How often each change of attendance at Rabbit Space has been counted by now."""
    family = metrics.ATTENDANCES
    series = {"ruleset": "rabbit-space"}
    return {
        change: family.labels(**series, change=change)._value.get()
        for change in metrics.ATTENDANCE.values
    }


def since(before: dict[str, float]) -> dict[str, float]:
    """Those that were counted since."""
    return {name: now - before[name] for name, now in changes().items() if now != before[name]}


@pytest.mark.parametrize("absence", get_args(Absent))
async def test_each_change_of_attendance_is_counted_once(absence: Absent, game: Game) -> None:
    metrics.RULESET.allow("rabbit-space")
    before = changes()
    await game.open(absence=absence, after_timeouts=1, limits=("phase",))
    await game.acts(1)
    await game.time_runs_out()
    assert since(before) == {absence: 1}
    if absence == "forfeited":
        await game.works()  # which tells the game what was counted
        assert since(before) == {absence: 1}
        return

    await game.lobby.claim(game.table_id, 0, "p0", "P0", b"")
    assert since(before) == {absence: 1, "back": 1}

    await game.lobby.leave(game.table_id, 0, "p0")
    await game.lobby.leave(game.table_id, 0, "p0")  # has left already
    assert since(before) == {absence: 2, "back": 1}
    await game.lobby.claim(game.table_id, 0, "p0", "P0", b"")
    assert since(before) == {absence: 2, "back": 2}


async def test_a_seat_that_another_takes_is_counted(game: Game) -> None:
    metrics.RULESET.allow("rabbit-space")
    await game.open(absence="bot")
    before = changes()
    await game.lobby.leave(game.table_id, 0, "p0")
    await game.lobby.claim(game.table_id, 0, "p9", "P9", b"")
    assert since(before) == {"bot": 1, "taken": 1}


async def test_where_time_counts_for_nothing_it_makes_nobody_absent(game: Game) -> None:
    await game.open(after_timeouts=0, limits=("phase",))
    for _ in range(5):
        await game.time_runs_out()
    assert [seat.timeouts for seat in (await game.meta()).seats] == [0, 0]


async def test_letting_chances_to_react_go_by_is_no_absence(game: Game) -> None:
    await game.open("tale-of-carrot", players=3, after_timeouts=1, limits=("window",))
    lapsed = 0
    while lapsed < 6:
        if (await game.inspected()).timer is None:  # somebody has to decide, and has all the time
            live = await game.live()
            await game.acts(live.awaited()[0])
        else:
            await game.time_runs_out()
            lapsed += 1
    assert [seat.timeouts for seat in (await game.meta()).seats] == [0, 0, 0]


@pytest.mark.parametrize("absence", ["away", "bot"])
async def test_an_absent_player_is_back_with_the_action_itself(absence: Absent, game: Game) -> None:
    await game.open(absence=absence, after_timeouts=1, limits=("phase",))
    await game.time_runs_out()
    assert (await game.seat(0)).is_absent
    revision = (await game.inspected()).stored.revision

    await game.acts(0)

    assert (await game.inspected()).stored.revision == revision + 1
    assert await game.seat(0) == SeatMeta("p0", "P0", salt=b"salt")


async def test_a_forfeited_seat_is_its_players_no_more_before_the_game_is_told(game: Game) -> None:
    await game.open(absence="forfeited", after_timeouts=1, limits=("phase",))
    await game.acts(1)
    await game.time_runs_out()
    assert not (await game.seat(0)).left
    with pytest.raises(Fault) as refused:
        await game.acts(0)
    assert refused.value.reason == "NOT_YOUR_SEAT"
    with pytest.raises(Fault) as refused:
        await game.lobby.claim(game.table_id, 0, "p0", "P0", b"")
    assert refused.value.reason == "SEAT_FORFEITED"

    await game.works()

    assert (await game.seat(0)).left
    assert not (await game.inspected()).hint


async def test_going_away_and_coming_back_leave_the_timer_as_it_is(game: Game) -> None:
    await game.open(absence="away", limits=("phase",))
    before = await game.inspected()

    await game.lobby.leave(game.table_id, 0, "p0")
    away = await game.inspected()
    await game.lobby.claim(game.table_id, 0, "p0", "P0", b"")
    back = await game.inspected()

    assert before.timer == away.timer == back.timer
    assert [one.hint is not None for one in (before, away, back)] == [False, True, False]
    assert before.stored.record == away.stored.record == back.stored.record


async def test_without_any_clock_an_absent_players_questions_get_their_defaults(game: Game) -> None:
    await game.open(absence="away")
    await game.lobby.leave(game.table_id, 0, "p0")
    while (await game.meta()).state == "playing":
        await game.works()
        if (await game.meta()).state == "playing":
            assert (await game.live()).awaited() == (1,)
            await game.acts(1)
    assert not (await judge(game.store, game.table_id)).faults


async def test_a_seat_forfeited_at_rabbit_space_is_asked_no_more(game: Game) -> None:
    await game.open(absence="forfeited")
    await game.lobby.leave(game.table_id, 0, "p0")
    assert (await game.live()).awaited() == (1,)


async def test_a_bot_plays_for_a_player_who_left_rabbit_space(game: Game) -> None:
    await game.open(absence="bot")
    await game.lobby.leave(game.table_id, 0, "p0")
    assert (await game.live()).awaited() == (0, 1)
    await game.works()
    assert (await game.live()).awaited() == (1,)


async def test_what_the_table_says_of_the_games_own_option_goes_before_the_policy(
    game: Game,
) -> None:
    await game.open(absence="bot", options={"absent": "defaults"})
    await game.lobby.leave(game.table_id, 0, "p0")
    assert (await game.live()).awaited() == (1,)


@pytest.mark.parametrize(("absence", "falls"), [("forfeited", True), ("bot", False)])
async def test_a_village_falls_where_leaving_forfeits_it(
    absence: Absent, falls: bool, game: Game
) -> None:
    await game.open("tale-of-carrot", players=3, absence=absence)
    board = (await game.live()).table.board
    leaver = (board.first + 1) % 3  # not the one who is active
    await game.lobby.leave(game.table_id, leaver, f"p{leaver}")
    while (await game.live()).table.board.turn < 2:
        await game.works()
        awaited = [seat for seat in (await game.live()).awaited() if seat != leaver]
        if awaited:
            await game.acts(awaited[0])
    assert (await game.live()).table.board.villages[leaver].fallen == falls


async def test_an_away_seat_without_a_hint_is_stuck(game: Game) -> None:
    await game.open(absence="away", players=1)
    await game.lobby.leave(game.table_id, 0, "p0")
    assert await game.stuck() == ""
    shard = shard_of(game.table_id)
    (hints,) = game.store.keys.of_shard(shard, "hints")
    await game.store.pipelining.call(shard, "ZREM", hints, game.table_id)
    assert await game.stuck() != ""


def test_a_table_stored_before_there_were_policies_has_bots_and_counts_nothing() -> None:
    seat = ["ada", "Ada", "greedy", b"", True]
    meta = decode_meta(msgspec.msgpack.encode(["tic-tac-toe", "ada", [seat], {}, {}, b"", 0]))
    assert (meta.absence.seat, meta.absence.after_timeouts) == ("bot", 0)
    assert meta.seats[0].is_answered_for
    assert meta.seats[0].is_lost


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        (pb.AbsencePolicy(after_timeouts=101), "table.absence.after_timeouts"),
        (pb.AbsencePolicy(after_timeouts=-1), "table.absence.after_timeouts"),
        (pb.AbsencePolicy(seat=9), "table.absence.seat"),  # type: ignore[arg-type]
    ],
)
async def test_a_policy_that_cannot_be_is_refused(
    policy: pb.AbsencePolicy, field: str, lobby: Lobby
) -> None:
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat()], absence=policy)
    with pytest.raises(Fault) as refused:
        await lobby.create(HOST, wanted, uuid.uuid4().hex)
    assert refused.value.metadata == {"field": field}


@pytest.mark.parametrize("absence", get_args(Absent))
@pytest.mark.parametrize(
    ("ruleset", "players", "clocks"),
    [
        ("rabbit-space", 3, ("phase",)),
        ("tale-of-carrot", 3, ("decision",)),
        ("killer-bunnies", 3, ("turn", "decision")),
    ],
)
async def test_whatever_players_do_no_game_stands_still(
    ruleset: str, players: int, clocks: tuple[str, ...], absence: Absent, game: Game
) -> None:
    seed = Random().randrange(1 << 32)
    print(f"seed {seed}")
    rng = Random(seed)
    await game.open(ruleset, players=players, absence=absence, limits=clocks)
    for _ in range(60):
        await something_happens(game, rng)
        if (await game.meta()).state != "playing":
            break
        assert await game.stuck() == ""
    for seat in range(players):  # in the end all are gone, and the game is played without them
        if (await game.meta()).state == "playing" and not (await game.seat(seat)).is_lost:
            await game.lobby.leave(game.table_id, seat, None)
    while (await game.meta()).state == "playing":
        assert await game.stuck() == ""
        await game.works()
    assert not (await judge(game.store, game.table_id)).faults


async def something_happens(game: Game, rng: Random) -> None:
    """A player acts, leaves or comes back, a clock runs out, or a worker comes by."""
    live = await game.live()
    meta = await game.meta()
    seat = rng.randrange(len(meta.seats))
    try:
        match rng.choices(["act", "leave", "claim", "clock", "work"], [8, 1, 2, 3, 3])[0]:
            case "act":
                present = [one for one in live.awaited() if not meta.seats[one].is_absent]
                if present:
                    await game.acts(rng.choice(present), rng)
            case "leave":
                await game.lobby.leave(game.table_id, seat, f"p{seat}")
            case "claim":
                await game.lobby.claim(game.table_id, seat, f"p{seat}", "P", b"")
            case "clock":
                if (await game.inspected()).timer is not None:
                    await game.time_runs_out()
            case "work":
                await game.works()
    except Fault as fault:
        if fault.reason not in {"NOT_YOUR_SEAT", "SEAT_FORFEITED", "TABLE_NOT_GATHERING"}:
            raise
