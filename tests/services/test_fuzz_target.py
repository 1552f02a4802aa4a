"""The fuzzer's target works, so that a longer run looks at what it should."""

from __future__ import annotations

from collections import Counter
from random import Random

import grpc

from tests.fuzz.gateway import target
from tests.fuzz.mutations import mutated, valid_requests

SEED = 20261129


def test_the_target_calls_every_rpc_and_takes_whatever_comes() -> None:
    rng = Random(SEED)
    requests = [one.SerializeToString() for one in valid_requests("tables/0123456789").values()]
    told: Counter[grpc.StatusCode] = Counter()
    with target() as api:
        for number in range(600):
            data = rng.choice(requests)
            if number % 3:
                _, data = mutated(data, rng)
            told[api.one(bytes((rng.randrange(64),)) + data)] += 1
    assert told[grpc.StatusCode.OK]
    assert told[grpc.StatusCode.INVALID_ARGUMENT]
