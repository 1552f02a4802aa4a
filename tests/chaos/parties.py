"""Parties: players who play whole games through whatever happens to the network, and the account of
what they were told, which the oracle checks."""

from __future__ import annotations

import asyncio
from random import Random

from msgspec import Struct

from hutch.client import Batch, Hutch, Retries, Seat, Snapshot, Table
from hutch.store.store import Store
from tests.oracle import judge

GAME = "rabbit-space"
#: Quick to try again, and as patient as the SDK is by itself.
PATIENT = Retries(first_wait=0.01, longest_wait=0.5)


class Account(Struct):
    """A game as its party saw it: the answers that were acknowledged, and the revisions that the
    watcher was told, the first as a snapshot."""

    table_id: str
    answers: int
    told: list[int]


class Party:
    """A player who plays one game after another until `end`: every seat of it, to its end, and
    watched by another stream. Each answer takes some thought."""

    def __init__(self, hutch: Hutch, rng: Random, thought_seconds: float = 0.0) -> None:
        self.accounts: list[Account] = []
        self._thought_seconds = thought_seconds
        self._enough = False
        self._playing = asyncio.create_task(self._play(hutch, rng))

    async def goes_on(self, seconds: float = 60) -> None:
        """Wait until another game has begun after this call, and ended."""
        goal = len(self.accounts) + 2
        async with asyncio.timeout(seconds):
            while len(self.accounts) < goal:
                if self._playing.done():
                    self._playing.result()
                await asyncio.sleep(0.005)

    async def end(self) -> list[Account]:
        """Play the last game to its end: all that were played."""
        self._enough = True
        await self._playing
        return self.accounts

    async def _play(self, hutch: Hutch, rng: Random) -> None:
        while not self._enough:
            seats = rng.randint(1, 2)
            self.accounts.append(await play_game(hutch, rng, seats, self._thought_seconds))


async def play_game(hutch: Hutch, rng: Random, seats: int, thought_seconds: float = 0.0) -> Account:
    """Open a table, take all its seats, and play to the end."""
    table = await hutch.create_table(GAME, seats=seats)
    places = [await table.claim(seat) for seat in range(seats)]
    await table.start()
    told, *answers = await asyncio.gather(
        watched(table), *(play(seat, Random(rng.random()), thought_seconds) for seat in places)
    )
    return Account(table.name.removeprefix("tables/"), sum(answers), told)


async def play(seat: Seat, rng: Random, thought_seconds: float = 0.0) -> int:
    """Play a seat at random to the end: how many answers counted."""
    counted = 0
    async for turn in seat.play():
        await asyncio.sleep(thought_seconds)
        counted += await turn.answer(*turn.sample(rng)) is not None
    return counted


async def watched(table: Table, resume_token: bytes = b"") -> list[int]:
    """The revisions that a watcher is told to the end, in that order."""
    told = []
    async for update in table.watch(resume_token):
        match update:
            case Snapshot(view=view):
                told.append(view.revision)
            case Batch(batch=batch):
                told.append(batch.revision)
    return told


async def faults_of(redis_url: str, accounts: list[Account]) -> list[str]:
    """What the oracle finds: nothing where each game is as the rules have it, every acknowledged
    answer is stored once and no other, and every watcher was told every revision once, in order."""
    faults = []
    async with await Store.open(redis_url) as store:
        for account in accounts:
            verdict = await judge(store, account.table_id)
            found = list(verdict.faults)
            if verdict.turns != account.answers:
                found.append(f"{account.answers} were acknowledged, {verdict.turns} are stored")
            stored = await store.tables.load(account.table_id)
            assert stored is not None
            if account.told != list(range(account.told[0], stored.revision + 1)):
                found.append(f"at revision {stored.revision}, but told {account.told}")
            faults += [f"{account.table_id}: {one}" for one in found]
    return faults
