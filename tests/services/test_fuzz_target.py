"""The fuzzer's target works, so that a longer run looks at what it should."""

from __future__ import annotations

from collections import Counter
from random import Random

import grpc
import pytest

from hutch.v1 import table_service_pb2 as service_pb
from tests.fuzz.gateway import target
from tests.fuzz.mutations import mutated

SEED = 20261129


def test_the_target_calls_every_rpc_and_takes_whatever_comes() -> None:
    rng = Random(SEED)
    told: Counter[grpc.StatusCode] = Counter()
    with target() as api:
        requests = [seed[1:] for seed in api.seeds().values()]
        for number in range(600):
            data = rng.choice(requests)
            if number % 3:
                _, data = mutated(data, rng)
            told[api.one(bytes((rng.randrange(64),)) + data)] += 1
    assert told[grpc.StatusCode.OK]
    assert told[grpc.StatusCode.INVALID_ARGUMENT]


def test_the_seeds_reach_what_they_are_for() -> None:
    with target() as api:
        seeds = api.seeds()
        for method in ("GetTable", "ListDeadlines", "GetView", "GetReplay"):
            assert api.one(seeds[f"TableService/{method}"]) is grpc.StatusCode.OK, method
        assert api.one(seeds["CampaignService/GetCampaign"]) is grpc.StatusCode.OK
        # The question is open, but offers no such option: only the rules know.
        told = api.one(seeds["TableService/SubmitAction"])
        assert told is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("ruleset", ["1-a\x00\n", "two words", " ", "no-such-game"])
def test_tables_of_a_game_that_cannot_be_are_refused(ruleset: str) -> None:
    request = service_pb.ListTablesRequest(ruleset=ruleset).SerializeToString()
    with target() as api:
        seed = api.seeds()["TableService/ListTables"]
        assert api.one(seed[:1] + request) is grpc.StatusCode.NOT_FOUND
