"""Seats that play: random legal picks, read from and written to plain bytes."""

from __future__ import annotations

from random import Random
from typing import Final, Protocol
from uuid import uuid4

from bench.load.tables import Dealt
from hutch.v1 import table_pb2 as pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.framing import field

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
        prompt = pb.Prompt(prompt_id=60, options=[pb.Option(option_id="rabbit-037")], min_picks=1)
        prompt.max_picks = 1
        self._action = request("tables/0123456789abcdef0123/seats/0", prompt, Random(1))

    def action(self) -> bytes | None:
        """The bytes."""
        return self._action

    def hear(self, response: bytes) -> None:
        """Check that they came back."""
        assert response == self._action


class SoloSeat:
    """The seat of a one-seat table. Every answer to its actions holds its next prompt."""

    def __init__(self, dealt: Dealt, random: Random) -> None:
        self.name = f"tables/{dealt.table_id}/seats/0"
        self._prompts = dealt.prompts[0]
        self._random = random

    def action(self) -> bytes | None:
        """A `SubmitActionRequest`; None once the game is over."""
        prompts = self._prompts.prompts
        return request(self.name, prompts[0], self._random) if prompts else None

    def hear(self, response: bytes) -> None:
        """Take a `SubmitActionResponse`."""
        self.see(service_pb.SubmitActionResponse.FromString(response).batch)

    def see(self, batch: pb.EventBatch) -> None:
        """Take what happened."""
        self._prompts = batch.prompts


class WatchedTable:
    """A table of which one player has every seat, and sees what each is told."""

    def __init__(self, dealt: Dealt, random: Random) -> None:
        self.names = [f"tables/{dealt.table_id}/seats/{at}" for at in range(len(dealt.prompts))]
        self._prompts = dict(zip(self.names, dealt.prompts, strict=True))
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
        return request(*self._random.choice(open_to), self._random)

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


def request(seat: str, prompt: pb.Prompt, random: Random) -> bytes:
    """A `SubmitActionRequest` that answers the prompt at random."""
    action = pb.Action(prompt_id=prompt.prompt_id, picks=random_picks(prompt, random))
    request_id = f"{_RUN}{random.getrandbits(64):016x}"
    return (
        field(_SEAT, seat.encode())
        + field(_ACTION, action.SerializeToString())
        + field(_REQUEST_ID, request_id.encode())
    )


def random_picks(prompt: pb.Prompt, random: Random) -> list[pb.Pick]:
    """Picks within the prompt's bounds: how many first, then which."""
    options, least, most = prompt.options, prompt.min_picks, prompt.max_picks
    if most == 1:
        at = int(random.random() * (len(options) + (least == 0)))
        return [pb.Pick(option_id=options[at].option_id)] if at < len(options) else []
    pool = [one.option_id for one in options for _ in range(min(one.max_count or 1, most))]
    picked = random.sample(pool, random.randint(least, max(least, min(most, len(pool)))))
    return [pb.Pick(option_id=one, count=picked.count(one)) for one in dict.fromkeys(picked)]
