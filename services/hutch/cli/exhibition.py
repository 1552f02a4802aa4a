"""Exhibition: games of bots at several tables at once, over the public API alone."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from msgspec import Struct

from hutch.cli.pace import Pace
from hutch.cli.standings import Finished
from hutch.client import Batch, Ended, Hutch, HutchError, Seat, Snapshot, Table
from hutch.v1 import catalog_service_pb2, table_pb2

#: Views fetched in one go: the service limits how many calls a player makes.
VIEWS_AT_ONCE: Final = 8
#: So many sit at a table where nobody says otherwise and the game has room for them.
SEATS_MOST: Final = 5
#: So many of a game's events are kept for its board.
EVENTS_KEPT: Final = 300
#: What the seat is called that is played from here, at a pace that eyes can follow.
EAGER: Final = "eager"


class ExhibitionError(ValueError):
    """Why there is nothing to show, for a person to read."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is to be played. Without `rulesets` it is every game of the service, those for the
    fewest players first. `games` None goes on until it is stopped, `at_once` None plays as many
    together as suits whoever looks on, `seats` None is up to `SEATS_MOST`. `bots` take the seats
    in turn, again and again. `options` are those of a single game."""

    rulesets: tuple[str, ...] = ()
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


class Feature(Struct, frozen=True, kw_only=True):
    """A game that is shown, with what the catalogue says of it and how many sit at its tables."""

    ruleset: catalog_service_pb2.Ruleset
    cards: Mapping[str, catalog_service_pb2.Card] = {}
    seats: int

    @property
    def name(self) -> str:
        """As `--game` has it, e.g. `rabbit-space`."""
        return self.ruleset.ruleset


class Watched:
    """A game under way, or just over."""

    def __init__(
        self, number: int, feature: Feature, table: Table, bots: tuple[str, ...], dealt: int
    ) -> None:
        self.number = number
        self.feature = feature
        self.table = table
        self.bots = bots
        self.begun = time.monotonic()
        self.pace = Pace(self.begun)
        self.view: table_pb2.View | None = None
        self.events: deque[table_pb2.Event] = deque(maxlen=EVENTS_KEPT)
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
        self.features: tuple[Feature, ...] = ()
        self.started: Callable[[Watched], None] = lambda watched: None
        self.ended: Callable[[Finished], None] = lambda finished: None
        self._hutch = hutch
        self._begun: Counter[str] = Counter()
        self._playing: Counter[str] = Counter()
        self._rng = Random()

    async def prepare(self) -> None:
        """Read the catalogue. Raises `ExhibitionError` where the plan does not fit it."""
        rulesets = self._rulesets_of(await self._hutch.rulesets())
        if self.plan.options and len(rulesets) > 1:
            raise ExhibitionError(
                "Options are those of a single game; choose it with --game: "
                f"{', '.join([ruleset.ruleset for ruleset in rulesets])}."
            )
        for ruleset in rulesets:
            for bot in self.plan.bots:
                if bot not in ruleset.bots:
                    raise ExhibitionError(
                        f"{ruleset.title} has no bot {bot!r}; it has {', '.join(ruleset.bots)}."
                    )
        seats = self._seats_at(rulesets)
        self.features = tuple(
            [
                Feature(
                    ruleset=ruleset,
                    cards={card.card: card for card in await self._hutch.cards(ruleset.ruleset)},
                    seats=many,
                )
                for ruleset, many in zip(rulesets, seats, strict=True)
            ]
        )

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

    def _rulesets_of(
        self, listed: Sequence[catalog_service_pb2.Ruleset]
    ) -> list[catalog_service_pb2.Ruleset]:
        known = {ruleset.ruleset: ruleset for ruleset in listed}
        for name in self.plan.rulesets:
            if name not in known:
                raise ExhibitionError(f"There is no game {name!r}; there are {', '.join(known)}.")
        if self.plan.rulesets:
            return [known[name] for name in dict.fromkeys(self.plan.rulesets)]
        return sorted(listed, key=lambda ruleset: (ruleset.min_seats, ruleset.ruleset))

    def _seats_at(self, rulesets: Sequence[catalog_service_pb2.Ruleset]) -> list[int]:
        """How many sit at a table of each: what was asked for, or the nearest that the game takes.

        Some game must take just that.
        """
        asked = self.plan.seats or SEATS_MOST
        seats = [max(one.min_seats, min(asked, one.max_seats)) for one in rulesets]
        if self.plan.seats and asked not in seats:
            raise ExhibitionError(
                " ".join(
                    [
                        f"{one.title} is for {one.min_seats} to {one.max_seats} players, "
                        f"not {asked}."
                        for one in rulesets
                    ]
                )
            )
        return seats

    def _choose(self) -> Feature | None:
        """What is played next, in turn; None where the plan has no more games.

        Some games last longer than others. So that one of each stays in sight, it is the turn of
        the game that is played at the fewest tables; in the end all have had an equal share.
        """
        games, features, begun = self.plan.games, self.features, self._begun
        left = [
            feature
            for place, feature in enumerate(features)
            if games is None or begun[feature.name] < (games - 1 - place) // len(features) + 1
        ]
        if not left:
            return None
        feature = min(left, key=lambda one: (self._playing[one.name], begun[one.name]))
        begun[feature.name] += 1
        self._playing[feature.name] += 1
        return feature

    async def _play_on(self, place: int) -> None:
        while (feature := self._choose()) is not None:
            number = self._begun.total()
            table = await self._hutch.create_table(
                feature.name, seats=feature.seats, options=self.plan.options
            )
            bots, own = await self._seat(table, feature.seats)
            dealt = await table.start()
            watched = Watched(number, feature, table, bots, dealt.revision)
            self.under_way[place] = watched  # the one before stays in sight up to here
            self.started(watched)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow(watched))
                if own is not None:
                    group.create_task(self._play(own))
            await asyncio.sleep(self.plan.linger_s)
            self._playing[feature.name] -= 1
        self.under_way.pop(place, None)

    async def _seat(self, table: Table, seats: int) -> tuple[tuple[str, ...], Seat | None]:
        """Fill the table: who plays, by seat, and the seat that is played from here."""
        bots = [self.plan.bots[seat % len(self.plan.bots)] for seat in range(seats)]
        own = None
        if self.plan.pace_s:
            bots[-1] = EAGER
            own = await table.claim(seats - 1)
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
                    watched.events.clear()
                    self.pace.count(watched.moved_to(view.revision), now)
                case Batch(batch=batch):
                    watched.events.extend(batch.events)
                    self.pace.count(watched.moved_to(batch.revision), now)
                case Ended(result=result) if result is not None:
                    watched.result = result
                    finished = Finished(
                        number=watched.number,
                        game=watched.feature.name,
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
