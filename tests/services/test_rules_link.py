"""The way to the rules: what waits for them goes together, and not all of it at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from prometheus_client import REGISTRY

from hutch.engine import kernel
from hutch.engine.records import encode_record
from hutch.engine.refusals import Refusal
from hutch.games import RULESETS
from hutch.internal.v1 import rules_service_pb2 as pb
from hutch.turns.rules_link import MOST, RemoteRules
from tests.services.processes import serving


async def test_what_has_outgrown_a_batch_goes_in_several_and_each_gets_its_own_answer(
    tmp_path: Path,
) -> None:
    count = 2 * MOST + 1
    records = [a_record(number) for number in range(count)]
    before = batches()
    with serving("hutch.rules", tmp_path / "log", HUTCH_RULES_BIND="127.0.0.1:0") as rules:
        async with asyncio.timeout(60), RemoteRules([rules.address]) as link:
            while not await link.is_up():
                await asyncio.sleep(0.01)
            answers = await asyncio.gather(
                *[
                    link.resolve(f"t{number}", default_of(number, record))
                    for number, record in enumerate(records)
                ]
            )
    assert batches() - before == 3
    told = [answer.outcome.shared for answer in answers]
    assert all(told)
    assert len(set(told)) == count  # each names the revision that it was asked for


def a_record(number: int) -> bytes:
    """A game that was just dealt."""
    dealt = kernel.deal(
        RULESETS["rabbit-space"],
        seats=2,
        options={},
        seed=number.to_bytes(32),
        at_ms=1,
    )
    assert not isinstance(dealt, Refusal)
    return encode_record(dealt.record)


def default_of(number: int, record: bytes) -> pb.ResolveRequest:
    """To play the default of the first seat."""
    default = pb.PlayDefault(seat=0)
    return pb.ResolveRequest(record=record, at_ms=2, revision=number + 2, play_default=default)


def batches() -> float:
    """How many batches have left this process."""
    return REGISTRY.get_sample_value("hutch_batch_size_count") or 0.0
