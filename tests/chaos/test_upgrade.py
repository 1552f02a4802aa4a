"""Rules of two releases side by side: each game is played by its own, or clearly refused."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from hutch.client import Hutch, NotPossibleError, Table, connect
from hutch.client.picks import random_picks
from hutch.engine.refusals import Reason
from hutch.v1 import table_pb2
from tests.chaos.gateways import Gateways
from tests.chaos.parties import GAME, PATIENT, play, watched


async def test_a_game_of_another_release_is_refused_and_goes_on_where_its_rules_are(
    tmp_path: Path,
) -> None:
    async with Gateways(tmp_path) as behind:
        newer = await behind.start("tests.chaos.newer_rules")
        before = await behind.gateway()
        after = await behind.gateway(HUTCH_RULES_ADDRESSES=newer.address)
        meanwhile = await behind.gateway(
            HUTCH_RULES_ADDRESSES=f"{behind.rules.address},{newer.address}"
        )
        async with (
            connect(before.address, retries=PATIENT) as old,
            connect(after.address, retries=PATIENT) as new,
            connect(meanwhile.address, retries=PATIENT) as both,
        ):
            await old.guest("Ada")
            for other in (new, both):
                other._calls.token = old.token
            tables = [await started(old), await started(new)]
            await refused_without_a_trace(new.table(tables[0].name))
            await refused_without_a_trace(old.table(tables[1].name))
            for table in tables:
                here = both.table(table.name)
                told, answers = await asyncio.gather(watched(here), play(here.seat(0), Random(1)))
                assert told == list(range(told[0], told[0] + answers + 1))
                assert (await here.get()).state == table_pb2.TABLE_STATE_FINISHED


async def started(hutch: Hutch) -> Table:
    """A table of one seat, the caller's, dealt."""
    table = await hutch.create_table(GAME, seats=1)
    await table.claim(0)
    await table.start()
    return table


async def refused_without_a_trace(table: Table) -> None:
    """Look at a table, and answer, where its rules are not."""
    revision = (await table.get()).revision
    with pytest.raises(NotPossibleError, match=Reason.RULES_GONE):
        await table.view()
    prompt = table_pb2.Prompt(prompt_id=1, options=[table_pb2.Option(option_id="any")], max_picks=1)
    with pytest.raises(NotPossibleError, match=Reason.RULES_GONE):
        await table.seat(0).submit(prompt, *random_picks(prompt, Random(1)))
    assert (await table.get()).revision == revision
