"""People: the clients of a run. They answer at random, send again what was not answered, and write
down what they were told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from time import monotonic
from uuid import UUID

from hutch.client import (
    Batch,
    Hutch,
    HutchError,
    NoGameError,
    NotPossibleError,
    PromptClosedError,
    Retries,
    Seat,
    Snapshot,
    Table,
    connect,
)
from hutch.client.picks import random_picks
from hutch.engine.commands import Submit, Undo
from hutch.engine.prompts import Pick
from hutch.v1 import table_pb2
from tests.chaos.plan import Plan
from tests.chaos.wishes import Wish
from tests.oracle import Answer, Told, fingerprint

PATIENT = Retries(give_up_after=120, try_timeout=5, silence=10)
SENT_TWICE = 0.2


class Ledger:
    """What the people of a run know, by the name of the table."""

    def __init__(self) -> None:
        self.answers: defaultdict[str, list[Answer]] = defaultdict(list)
        self.told: defaultdict[str, list[Told]] = defaultdict(list)
        self.problems: list[tuple[str, str]] = []
        #: How long each acknowledged answer took, with all its repetitions.
        self.seconds: list[float] = []
        self.acknowledged = 0
        self.refused = 0
        self.repeated = 0

    def note(self, table: str, answer: Answer) -> None:
        """An answer has its outcome."""
        self.answers[table].append(answer)
        if answer.revision is None:
            self.refused += 1
        else:
            self.acknowledged += 1

    def hear(self, table: str, audience: int | None, batch: table_pb2.EventBatch) -> None:
        """Somebody was told that."""
        self.told[table].append(Told(audience, batch.revision, fingerprint(batch)))

    def blame(self, table: str, sentence: str) -> None:
        """Something went wrong that a client must not see."""
        self.problems.append((table, sentence))


@asynccontextmanager
async def crowd(gateways: Sequence[str], size: int) -> AsyncIterator[list[Hutch]]:
    """Players, each with a connection of their own: some prefer this gateway, some that, and some
    go round."""
    async with AsyncExitStack() as connected:
        players = []
        for number in range(size):
            first = number % len(gateways)
            player = connect(
                [*gateways[first:], *gateways[:first]],
                balancing="round_robin" if number % 4 == 3 else "failover",
                retries=PATIENT,
                options=[("grpc.use_local_subchannel_pool", 1)],
            )
            await connected.enter_async_context(player)
            await player.guest(f"player {number}")
            players.append(player)
        yield players


async def open_table(players: Sequence[Hutch], wish: Wish) -> tuple[Table, dict[int, Seat]]:
    """The wished table with everybody seated and the game begun, and the seats of people."""
    host = players[wish.number % len(players)]
    table = await host.create_table(
        wish.ruleset, seats=wish.seats, options=wish.options, limits=wish.limits
    )
    for number, bot in wish.bots.items():
        await table.assign_bot(number, bot)
    seats = {}
    for offset, number in enumerate(wish.people):
        player = players[(wish.number + offset) % len(players)]
        seats[number] = await player.table(table.name).claim(number)
    await table.start()
    return table, seats


async def look_on(table: Table, ledger: Ledger) -> None:
    """Watch a table from outside to its end."""
    last = 0
    try:
        async for update in table.watch():
            match update:
                case Snapshot(view=view):
                    last = view.revision
                case Batch(batch=batch):
                    if batch.revision <= last:
                        ledger.blame(table.name, f"revision {batch.revision} came after {last}")
                    last = batch.revision
                    ledger.hear(table.name, None, batch)
    except HutchError as error:
        ledger.blame(table.name, f"whoever looked on was told: {error}")


class Playing:
    """Somebody at a seat."""

    def __init__(self, plan: Plan, wish: Wish, seat: Seat, ledger: Ledger) -> None:
        self._seat = seat
        self._person = wish.people[seat.number]
        self._ledger = ledger
        self._rng = plan.rng("person", wish.number, seat.number)
        self._answers = 0

    async def play(self) -> None:
        """Play to the end of the game, or until the seat is given up."""
        try:
            match self._person.manner:
                case "stream":
                    await self._by_stream()
                case "unary":
                    await self._by_unary_calls()
                case "watch":
                    await self._by_watching()
        except HutchError as error:
            self._ledger.blame(
                self._seat.table, f"{self._person} at seat {self._seat.number}: {error}"
            )

    async def _by_stream(self) -> None:
        async with aclosing(self._seat.play()) as turns:
            async for turn in turns:
                if self._idles(turn.prompt):
                    continue
                picks = turn.sample(self._rng)
                request = self._request()
                began = monotonic()
                batch = await turn.answer(*picks, request_id=str(request))
                self._note(turn.prompt, picks, batch, began, request)
                if await self._left_after(batch):
                    return

    async def _by_unary_calls(self) -> None:
        async with aclosing(self._seat.play()) as turns:
            async for turn in turns:
                if not self._idles(turn.prompt) and await self._submit(turn.prompt):
                    return

    async def _by_watching(self) -> None:
        answered = set()
        async with aclosing(self._seat.watch()) as updates:
            async for update in updates:
                match update:
                    case Snapshot(view=view):
                        prompts = view.prompts.prompts
                    case Batch(batch=batch):
                        self._ledger.hear(self._seat.table, self._seat.number, batch)
                        prompts = batch.prompts.prompts
                    case _:
                        continue
                for prompt in prompts:
                    if prompt.offered or prompt.prompt_id in answered or self._idles(prompt):
                        continue
                    answered.add(prompt.prompt_id)
                    if await self._submit(prompt):
                        return

    async def _submit(self, prompt: table_pb2.Prompt) -> bool:
        """Answer with a unary call, perhaps twice: whether the seat is given up then."""
        picks = random_picks(prompt, self._rng)
        request = self._request()
        began = monotonic()
        try:
            batch = await self._seat.submit(prompt, *picks, request_id=str(request))
        except (PromptClosedError, NoGameError):
            self._note(prompt, picks, None, began, request)
            return False
        self._note(prompt, picks, batch, began, request)
        if self._rng.random() < SENT_TWICE:
            again = await self._seat.submit(prompt, *picks, request_id=str(request))
            self._ledger.repeated += 1
            if again != batch:
                self._ledger.blame(
                    self._seat.table, f"the same request, {request}, got two different answers"
                )
        return await self._left_after(batch)

    async def _left_after(self, batch: table_pb2.EventBatch | None) -> bool:
        """Perhaps take the answer back, perhaps give the seat up: whether that."""
        if batch is not None and self._rng.random() < self._person.undoes:
            request = self._request()
            revision = None
            with suppress(NotPossibleError):
                revision = (await self._seat.undo(request_id=str(request))).revision
            undo = Undo(self._seat.number)
            self._ledger.note(self._seat.table, Answer(undo, revision, request))
        self._answers += 1
        if self._answers != self._person.leaves_after:
            return False
        with suppress(NotPossibleError):  # that answer may have ended the game
            await self._seat.leave()
        return True

    def _note(
        self,
        prompt: table_pb2.Prompt,
        picks: Sequence[table_pb2.Pick],
        batch: table_pb2.EventBatch | None,
        began: float,
        request: UUID,
    ) -> None:
        submit = Submit(
            self._seat.number,
            prompt.prompt_id,
            tuple([Pick(pick.option_id, pick.count or 1) for pick in picks]),
        )
        revision = None
        if batch is not None:
            revision = batch.revision
            self._ledger.hear(self._seat.table, self._seat.number, batch)
            self._ledger.seconds.append(monotonic() - began)
        self._ledger.note(self._seat.table, Answer(submit, revision, request))

    def _idles(self, prompt: table_pb2.Prompt) -> bool:
        return prompt.HasField("due_time") and self._rng.random() < self._person.idles

    def _request(self) -> UUID:
        return UUID(int=self._rng.getrandbits(128), version=4)
