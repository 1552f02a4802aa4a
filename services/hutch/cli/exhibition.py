"""Exhibition: games of bots at several tables at once, over the public API alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from msgspec import Struct

from hutch.cli.pace import Pace
from hutch.cli.standings import Finished
from hutch.client import Batch, Ended, Hutch, HutchError, Seat, Snapshot, Table
from hutch.v1 import catalog_service_pb2, table_pb2

#: Views fetched in one go: the service limits how many calls a player makes.
VIEWS_AT_ONCE: Final = 8
#: What the seat is called that is played from here, at a pace that eyes can follow.
EAGER: Final = "eager"


class ExhibitionError(Exception):
    """Why there is nothing to show, for a person to read."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is to be played. `games` None goes on until it is stopped, `at_once` None plays as many
    together as suits whoever looks on, `seats` None is as many as the game is for. `bots` take the
    seats in turn, again and again."""

    game: str = "rabbit-space"
    games: int | None = None
    at_once: int | None = None
    seats: int | None = None
    bots: tuple[str, ...] = ("greedy", "random")
    options: Mapping[str, Any] = {}
    #: Above 0 one seat of each table is played from here, with so many seconds to a turn. As
    #: everybody waits for everybody, that slows the whole table down.
    pace_s: float = 0.0
    #: How long a finished game stays to be looked at, in seconds.
    linger_s: float = 0.0


class Watched:
    """A game under way, or just over."""

    def __init__(self, number: int, table: Table, bots: tuple[str, ...], dealt: int) -> None:
        self.number = number
        self.table = table
        self.bots = bots
        self.begun = time.monotonic()
        self.pace = Pace(self.begun)
        self.view: table_pb2.View | None = None
        self.result: table_pb2.Result | None = None
        self.is_stale = True
        self.looked = 0.0
        self._revision = dealt

    @property
    def code(self) -> str:
        """What to call the table."""
        return self.table.name.removeprefix("tables/")[:6]

    def moved_to(self, revision: int) -> int:
        """The table has come to that revision: how many moves that is."""
        moves = max(0, revision - self._revision)
        self._revision = max(self._revision, revision)
        self.pace.count(moves, time.monotonic())
        self.is_stale = True
        return moves


class Exhibition:
    """Opens tables, seats bots, deals, and keeps up with what happens."""

    def __init__(self, hutch: Hutch, plan: Plan) -> None:
        self.plan = plan
        self.pace = Pace(time.monotonic())
        self.under_way: dict[int, Watched] = {}
        self.finished: list[Finished] = []
        self.ruleset = catalog_service_pb2.Ruleset()
        self.cards: dict[str, catalog_service_pb2.Card] = {}
        self.started: Callable[[Watched], None] = lambda watched: None
        self.ended: Callable[[Finished], None] = lambda finished: None
        self._hutch = hutch
        self._begun = 0
        self._rng = Random()

    @property
    def seats(self) -> int:
        """How many sit at a table."""
        return self.plan.seats or self.ruleset.max_seats

    async def prepare(self) -> None:
        """Read the catalogue. Raises `ExhibitionError` where the plan does not fit it."""
        known = {ruleset.ruleset: ruleset for ruleset in await self._hutch.rulesets()}
        if self.plan.game not in known:
            raise ExhibitionError(
                f"There is no game {self.plan.game!r}; there are {', '.join(known)}."
            )
        self.ruleset = known[self.plan.game]
        if not self.ruleset.min_seats <= self.seats <= self.ruleset.max_seats:
            raise ExhibitionError(
                f"{self.ruleset.title} is for {self.ruleset.min_seats} to "
                f"{self.ruleset.max_seats} players, not {self.seats}."
            )
        for bot in self.plan.bots:
            if bot not in self.ruleset.bots:
                raise ExhibitionError(
                    f"{self.ruleset.title} has no bot {bot!r}; it has "
                    f"{', '.join(self.ruleset.bots)}."
                )
        self.cards = {card.card: card for card in await self._hutch.cards(self.plan.game)}

    async def run(self, suitable: int = 4) -> None:
        """Play all games of the plan, so many together where it names no number.

        Raises what `HutchError` its tables failed with, in an `ExceptionGroup`.
        """
        self.pace = Pace(time.monotonic())
        at_once = self.plan.at_once or suitable
        if self.plan.games is not None:
            at_once = min(at_once, self.plan.games)
        async with asyncio.TaskGroup() as group:
            for place in range(at_once):
                group.create_task(self._play_on(place))

    async def refresh(self, watched: list[Watched]) -> None:
        """Fetch the views of those games where something happened since, the oldest first."""
        stale = sorted([one for one in watched if one.is_stale], key=lambda one: one.looked)
        await asyncio.gather(*[self._look(one) for one in stale[:VIEWS_AT_ONCE]])

    async def _play_on(self, place: int) -> None:
        while self.plan.games is None or self._begun < self.plan.games:
            self._begun += 1
            number = self._begun
            table = await self._hutch.create_table(
                self.plan.game, seats=self.seats, options=self.plan.options
            )
            bots, own = await self._seat(table)
            dealt = await table.start()
            watched = Watched(number, table, bots, dealt.revision)
            self.under_way[place] = watched
            self.started(watched)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow(watched))
                if own is not None:
                    group.create_task(self._play(own))
            await asyncio.sleep(self.plan.linger_s)
            del self.under_way[place]

    async def _seat(self, table: Table) -> tuple[tuple[str, ...], Seat | None]:
        """Fill the table: who plays, by seat, and the seat that is played from here."""
        bots = [self.plan.bots[seat % len(self.plan.bots)] for seat in range(self.seats)]
        own = None
        if self.plan.pace_s:
            bots[-1] = EAGER
            own = await table.claim(self.seats - 1)
        for seat, bot in enumerate(bots):
            if own is None or seat != own.number:
                await table.assign_bot(seat, bot)
        return tuple(bots), own

    async def _play(self, seat: Seat) -> None:
        async for turn in seat.play():
            await asyncio.sleep(self.plan.pace_s)
            await turn.answer(*eager_picks(turn.prompt, self._rng))

    async def _follow(self, watched: Watched) -> None:
        async for update in watched.table.watch():
            now = time.monotonic()
            match update:
                case Snapshot(view=view):
                    self.pace.count(watched.moved_to(view.revision), now)
                case Batch(batch=batch):
                    self.pace.count(watched.moved_to(batch.revision), now)
                case Ended(result=result) if result is not None:
                    watched.result = result
                    finished = Finished(
                        number=watched.number,
                        table=watched.code,
                        bots=watched.bots,
                        result=result,
                        moves=watched.pace.total,
                        seconds=now - watched.begun,
                    )
                    self.finished.append(finished)
                    self.ended(finished)

    async def _look(self, watched: Watched) -> None:
        watched.is_stale, watched.looked = False, time.monotonic()
        try:
            watched.view = await watched.table.view()
        except HutchError:
            watched.is_stale = True  # the last one stays until the service is back


def eager_picks(prompt: table_pb2.Prompt, rng: Random) -> list[table_pb2.Pick]:
    """Of single choices one that the clock would not take (it passes), else what it would."""
    defaults = {pick.option_id for pick in prompt.default_picks}
    others = [option for option in prompt.options if option.option_id not in defaults]
    if others and prompt.min_picks == prompt.max_picks == 1:
        return [table_pb2.Pick(option_id=rng.choice(others).option_id)]
    return list(prompt.default_picks)
