"""Seats that play: random legal answers, as the bytes of requests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final, Protocol
from uuid import uuid4

from bench.load.tables import Dealt
from hutch import client, games
from hutch.engine.live import Live
from hutch.engine.prompts import Pick
from hutch.engine.records import decode_record
from hutch.engine.sampling import random_picks
from hutch.v1 import table_pb2 as pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.framing import field
from hutch.wire.prompts import action_of

# Fields of `SubmitActionRequest`.
_SEAT, _ACTION, _REQUEST_ID = 1, 2, 3

_RUN: Final = uuid4().hex[:16]


class Acting(Protocol):
    """Whoever acts, is answered, and acts again."""

    def action(self) -> bytes | None:
        """The next request; None where there is nothing more to do."""

    def hear(self, response: bytes) -> None:
        """Take what came of it."""


class Echo:
    """Sends the same bytes for ever, as many as an action has."""

    def __init__(self) -> None:
        action = action_of(60, (Pick("rabbit-037"),))
        self._action = request("tables/0123456789abcdef0123/seats/0", action, Random(1))

    def action(self) -> bytes | None:
        """The bytes."""
        return self._action

    def hear(self, response: bytes) -> None:
        """Check that they came back."""
        assert response == self._action


class ScriptedTable:
    """A whole game of which one player has every seat, played here beforehand.

    The same record under the same rules asks the same questions, so what is sent is known before
    it is sent, and making it up costs nothing while the load runs.
    """

    def __init__(self, dealt: Dealt, random: Random) -> None:
        record = decode_record(dealt.record)
        rules = games.find(record.ruleset, record.rules_revision)
        assert rules is not None
        self._script = list(_script(Live(rules, record, keep=False), dealt.table_id, random))
        self._script.reverse()
        #: The seat whose action was given last.
        self.acting = b""

    def action(self) -> bytes | None:
        """The next `SubmitActionRequest`; None once the game is over."""
        if not self._script:
            return None
        self.acting, action = self._script.pop()
        return action

    def hear(self, response: bytes) -> None:
        """Take what came of it: nothing new."""


def _script(game: Live, table_id: str, random: Random) -> Iterator[tuple[bytes, bytes]]:
    """Random play to the end: each seat that acts, and its request."""
    while game.result is None:
        seat = random.choice(tuple(game.asks))
        number, picks = game.ask_numbers[seat], random_picks(game.asks[seat], random)
        refusal = game.answer(seat, number, picks)
        assert refusal is None
        game.forget_events()
        name = f"tables/{table_id}/seats/{seat}"
        yield name.encode(), request(name, action_of(number, picks), random)


class WatchedTable:
    """A table of which one player has every seat, played by what each seat is told."""

    def __init__(self, dealt: Dealt, random: Random) -> None:
        self.names = [f"tables/{dealt.table_id}/seats/{at}" for at in range(dealt.seats)]
        self._prompts = dict.fromkeys(self.names, pb.PromptSet())
        self._revisions = dict.fromkeys(self.names, 0)
        self._random = random
        self._over = False

    def action(self) -> bytes | None:
        """A `SubmitActionRequest` of any awaited seat; None once the game is over."""
        open_to = [
            (name, prompts.prompts[0])
            for name, prompts in self._prompts.items()
            if prompts.prompts and not prompts.prompts[0].offered
        ]
        if self._over or not open_to:
            return None
        name, prompt = self._random.choice(open_to)
        picks = client.random_picks(prompt, self._random)
        action = pb.Action(prompt_id=prompt.prompt_id, picks=picks)
        return request(name, action, self._random)

    def see(self, name: str, update: service_pb.WatchTableResponse) -> bool:
        """Take what a seat was told: whether all now know the same."""
        match update.WhichOneof("update"):
            case "snapshot":
                self._prompts[name] = update.snapshot.prompts
                self._revisions[name] = update.snapshot.revision
            case "batch":
                if update.batch.HasField("prompts"):
                    self._prompts[name] = update.batch.prompts
                self._revisions[name] = update.batch.revision
                self._over |= update.batch.HasField("result")
            case _:
                return False
        return len(set(self._revisions.values())) == 1


def request(seat: str, action: pb.Action, random: Random) -> bytes:
    """A `SubmitActionRequest`."""
    request_id = f"{_RUN}{random.getrandbits(64):016x}"
    return (
        field(_SEAT, seat.encode())
        + field(_ACTION, action.SerializeToString())
        + field(_REQUEST_ID, request_id.encode())
    )
