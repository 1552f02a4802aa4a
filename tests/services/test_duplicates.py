"""Duplicates, late and reordered submissions, over unary calls and Play streams: each request
counts once, and whoever sends it again gets what it got the first time, byte for byte."""

from __future__ import annotations

import asyncio
import queue
import random
import uuid
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hutch.client import random_picks
from hutch.engine.commands import Submit
from hutch.engine.prompts import Pick
from hutch.store.store import Store
from hutch.v1 import player_service_pb2 as players_pb
from hutch.v1 import table_pb2 as pb
from hutch.v1 import table_service_pb2 as service_pb
from tests.oracle import Answer, Verdict, judge
from tests.services.failures import failure_of
from tests.stacks import RunningStack, stack

__all__ = ["stack"]

SUBMITTED = service_pb.PlayResponse.SUBMITTED_FIELD_NUMBER
TABLES = "/hutch.v1.TableService/"
#: What a request may be refused for that came too late, and that then changes nothing.
TOO_LATE = {"PROMPT_CLOSED", "TABLE_NOT_PLAYING", "GAME_OVER"}
WAIT_SECONDS = 30


class Client:
    """A player with a unary way and a Play stream to the gateway."""

    def __init__(self, channel: grpc.Channel, name: str) -> None:
        guest = channel.unary_unary(
            "/hutch.v1.PlayerService/CreateGuest",
            request_serializer=players_pb.CreateGuestRequest.SerializeToString,
            response_deserializer=players_pb.CreateGuestResponse.FromString,
        )(players_pb.CreateGuestRequest(display_name=name), timeout=WAIT_SECONDS)
        self._metadata = (("authorization", f"Bearer {guest.token}"),)
        self._channel = channel
        self._outgoing: queue.Queue[service_pb.PlayRequest | None] = queue.Queue()
        self._stream = channel.stream_stream(
            f"{TABLES}Play",
            request_serializer=service_pb.PlayRequest.SerializeToString,
        )(self._requests(), metadata=self._metadata)

    def call(self, method: str, request: Any) -> bytes:
        """The bytes of the answer."""
        return bytes(self.begin(method, request).result(WAIT_SECONDS))

    def begin(self, method: str, request: Any) -> Any:
        """A call under way."""
        calling = self._channel.unary_unary(
            TABLES + method, request_serializer=type(request).SerializeToString
        )
        return calling.future(request, metadata=self._metadata, timeout=WAIT_SECONDS)

    def play(self, requests: list[service_pb.SubmitActionRequest]) -> list[bytes | str]:
        """The bytes of the answer to each of those sent over the stream, or its reason; as they
        come."""
        for request in requests:
            self._outgoing.put(service_pb.PlayRequest(submit=request))
        return [told(next(self._stream)) for _ in requests]

    def close(self) -> None:
        """End the stream."""
        self._outgoing.put(None)

    def _requests(self) -> Iterator[service_pb.PlayRequest]:
        while (request := self._outgoing.get()) is not None:
            yield request


def told(data: bytes) -> bytes | str:
    """An answer on a Play stream: its bytes as a unary call gives them, or the reason."""
    response = service_pb.PlayResponse.FromString(data)
    if response.HasField("refusal"):
        return response.refusal.reason
    # As they came: to write the message anew would tidy it up. A tag, a length, the bytes.
    assert data[0] == SUBMITTED << 3 | 2
    length, at, shift = 0, 1, 0
    while True:
        byte, at = data[at], at + 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return data[at : at + length]


class Game(RuleBasedStateMachine):
    """Two players at one table, and the account of what each request led to."""

    requests = Bundle("requests")

    def __init__(self, running: RunningStack) -> None:
        super().__init__()
        self.redis_url = running.redis_url
        self.channel = grpc.insecure_channel(running.gateway)
        self.clients = [Client(self.channel, name) for name in ("Ada", "Ben")]
        #: By request id: the bytes of its outcome, once known.
        self.outcomes: dict[str, bytes] = {}
        self.sent: dict[str, service_pb.SubmitActionRequest] = {}
        #: Requests of which nobody knows whether they came through.
        self.perhaps: set[str] = set()

    @initialize(target=requests, draw=st.randoms(use_true_random=False))
    def deal(self, draw: random.Random) -> tuple[int, service_pb.SubmitActionRequest]:
        """Both sit down and start."""
        ada, ben = self.clients
        wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat(), pb.Seat()])
        opening = service_pb.CreateTableRequest(table=wanted, request_id=str(uuid.uuid4()))
        self.table = pb.Table.FromString(ada.call("CreateTable", opening)).name
        for seat, client in enumerate((ada, ben)):
            client.call("ClaimSeat", service_pb.ClaimSeatRequest(name=self.seat(seat)))
        ada.call("StartTable", service_pb.StartTableRequest(name=self.table))
        return self.write(0, draw)

    @rule(target=requests, seat=st.integers(0, 1), draw=st.randoms(use_true_random=False))
    def write(self, seat: int, draw: random.Random) -> tuple[int, service_pb.SubmitActionRequest]:
        """Write an answer down to what the seat is asked, without sending it."""
        view = self.view(seat)
        asked = [one for one in view.prompts.prompts if one.min_picks or not one.offered]
        number, picks = 1, []
        if asked:
            number, picks = asked[0].prompt_id, random_picks(asked[0], draw)
        request = service_pb.SubmitActionRequest(
            seat=self.seat(seat),
            action=pb.Action(prompt_id=number, picks=picks),
            request_id=str(uuid.uuid4()),
            epoch=view.epoch,
        )
        return seat, request

    @rule(written=requests, over_stream=st.booleans())
    def send(self, written: tuple[int, service_pb.SubmitActionRequest], over_stream: bool) -> None:
        """Send a request, for the first time or again, however late."""
        seat, request = written
        if over_stream:
            (answer,) = self.clients[seat].play([request])
        else:
            answer = self.outcome(seat, request)
        self.account(request, [answer])

    @rule(written=requests, copies=st.integers(2, 4))
    def send_many(self, written: tuple[int, service_pb.SubmitActionRequest], copies: int) -> None:
        """Send copies at once, both ways."""
        seat, request = written
        client = self.clients[seat]
        under_way = [client.begin("SubmitAction", request) for _ in range(copies)]
        answers = client.play([request] * copies)
        self.account(request, [*answers, *[settled(call) for call in under_way]])

    @rule(one=requests, other=requests)
    def send_two_at_once(
        self,
        one: tuple[int, service_pb.SubmitActionRequest],
        other: tuple[int, service_pb.SubmitActionRequest],
    ) -> None:
        """Requests that may be of both players, or for the same question, race."""
        calls = [
            (request, self.clients[seat].begin("SubmitAction", request))
            for seat, request in (one, other)
        ]
        for request, call in calls:
            self.account(request, [settled(call)])

    @rule(written=requests)
    def send_and_go_away(self, written: tuple[int, service_pb.SubmitActionRequest]) -> None:
        """Send a request and hang up in the middle of the call."""
        seat, request = written
        self.clients[seat].begin("SubmitAction", request).cancel()
        self.sent[request.request_id] = request
        if request.request_id not in self.outcomes:
            self.perhaps.add(request.request_id)

    @rule(written=requests)
    def expect_the_past(self, written: tuple[int, service_pb.SubmitActionRequest]) -> None:
        """A revision that is over is refused with the one that is there; a duplicate is a
        duplicate all the same."""
        seat, request = written
        stale = service_pb.SubmitActionRequest()
        stale.CopyFrom(request)
        stale.expected_revision = 1
        if request.request_id in self.outcomes:
            assert self.outcome(seat, stale) == self.outcomes[request.request_id]
        elif request.request_id not in self.perhaps:
            before = self.view(seat)
            with pytest.raises(grpc.RpcError) as refused:
                self.clients[seat].call("SubmitAction", stale)
            failure = failure_of(refused.value)  # type: ignore[arg-type]
            if before.table.state == pb.TABLE_STATE_PLAYING:
                assert failure.reason == "REVISION_CONFLICT"
                revision = int(failure.metadata["revision"])
                assert before.revision <= revision <= self.view(seat).revision

    @precondition(lambda self: self.outcomes)
    @rule(data=st.data(), is_other_player=st.booleans())
    def take_an_id_again(self, data: st.DataObject, is_other_player: bool) -> None:
        """The id of a request that counted does for nothing else, and for nobody else."""
        known = self.sent[data.draw(st.sampled_from(sorted(self.outcomes)))]
        seat = int(known.seat[-1])
        taken = service_pb.SubmitActionRequest()
        taken.CopyFrom(known)
        if is_other_player:
            seat = 1 - seat
            assert self.outcome(seat, taken) in ("NOT_YOUR_SEAT", "REQUEST_ID_REUSED")
            taken.seat = self.seat(seat)
        else:
            taken.action.prompt_id += 1
        assert self.outcome(seat, taken) == "REQUEST_ID_REUSED"

    def teardown(self) -> None:
        """Everything that was acknowledged is stored once, and nothing else."""
        for request_id in self.perhaps:  # by now it is known what became of them
            request = self.sent[request_id]
            self.account(request, [self.outcome(int(request.seat[-1]), request)])
        verdict = asyncio.run(self.judged())
        for client in self.clients:
            client.close()
        self.channel.close()
        assert not verdict.faults

    async def judged(self) -> Verdict:
        """The table, by the oracle."""
        answers = []
        for request_id, outcome in self.outcomes.items():
            request = self.sent[request_id]
            picks = [Pick(one.option_id, one.count or 1) for one in request.action.picks]
            batch = service_pb.SubmitActionResponse.FromString(outcome).batch
            command = Submit(int(request.seat[-1]), request.action.prompt_id, tuple(picks))
            answers.append(Answer(command, batch.revision, uuid.UUID(request_id)))
        async with await Store.open(self.redis_url) as store:
            return await judge(store, self.table.removeprefix("tables/"), answers)

    def account(self, request: service_pb.SubmitActionRequest, answers: list[bytes | str]) -> None:
        """All that a request was ever answered is the same; or it never counted."""
        request_id = request.request_id
        self.sent[request_id] = request
        known = self.outcomes.get(request_id)
        for answer in answers:
            if isinstance(answer, bytes):
                assert known in (None, answer)
                known = self.outcomes[request_id] = answer
            else:
                assert answer in TOO_LATE
                assert known is None

    def outcome(self, seat: int, request: service_pb.SubmitActionRequest) -> bytes | str:
        """The bytes of the answer to a unary call, or the reason why not."""
        return settled(self.clients[seat].begin("SubmitAction", request))

    def view(self, seat: int) -> pb.View:
        """What a seat sees."""
        request = service_pb.GetViewRequest(name=self.seat(seat))
        return pb.View.FromString(self.clients[seat].call("GetView", request))

    def seat(self, number: int) -> str:
        """The name of a seat."""
        return f"{self.table}/seats/{number}"


def settled(call: Any) -> bytes | str:
    """What a call under way came to: the bytes of its answer, or a reason."""
    try:
        return bytes(call.result(WAIT_SECONDS))
    except grpc.RpcError as error:
        return failure_of(error).reason  # type: ignore[arg-type]


@pytest.mark.timeout(900)
def test_whatever_is_sent_again_late_or_at_once_counts_once(
    stack: RunningStack, request: pytest.FixtureRequest
) -> None:
    number = random.randrange(1 << 32)
    print(f"seed {number}")
    is_long = request.config.getoption("--long")

    def game() -> Game:
        return Game(stack)

    run_state_machine_as_test(
        seed(number)(game),
        settings=settings(
            max_examples=150 if is_long else 8,
            stateful_step_count=60 if is_long else 15,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
