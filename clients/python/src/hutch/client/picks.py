"""Picks: the ways to write an answer down."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from hutch.v1 import table_pb2

#: An option, or its id; with how often it is picked where that is not once.
PickLike = str | tuple[str, int] | table_pb2.Option | table_pb2.Pick


def picks(likes: Iterable[PickLike]) -> list[table_pb2.Pick]:
    """The picks of an answer, in order."""
    return [pick(like) for like in likes]


def pick(like: PickLike) -> table_pb2.Pick:
    """One pick."""
    match like:
        case str():
            return table_pb2.Pick(option_id=like)
        case (option_id, count):
            return table_pb2.Pick(option_id=option_id, count=count)
        case table_pb2.Option():
            return table_pb2.Pick(option_id=like.option_id)
        case table_pb2.Pick():
            return like
        case _:
            raise TypeError(f"{like!r} is no pick; give an option, its id, or (id, count)")


def random_picks(prompt: table_pb2.Prompt, rng: Random) -> list[table_pb2.Pick]:
    """Picks that answer the prompt, at random: how many first, then which."""
    each = [option for option in prompt.options for _ in range(max(1, option.max_count))]
    most = min(prompt.max_picks, len(each))
    taken = rng.sample(each, rng.randint(min(prompt.min_picks, most), most))
    counts: dict[str, int] = {}
    for option in taken:
        counts[option.option_id] = counts.get(option.option_id, 0) + 1
    return [table_pb2.Pick(option_id=option, count=count) for option, count in counts.items()]
