"""What happened, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from hutch.cli.happenings import Teller
from hutch.engine import kernel
from hutch.engine.rules import Rules
from hutch.engine.sampling import random_picks
from hutch.games import RULESETS
from hutch.killer_bunnies.v1 import events_pb2 as kb_pb
from hutch.rabbit_space.v1 import rabbit_space_pb2 as rs_pb
from hutch.tale_of_carrot.v1 import tale_of_carrot_pb2 as toc_pb
from hutch.v1 import table_pb2
from hutch.wire.views import batch_parts, open_numbers
from tests.cli.drawing import catalogue

NAMES = ("Ada", "Bea", "Cyd", "Dan")


def bunnies(**kind: object) -> table_pb2.Event:
    return table_pb2.Event(killer_bunnies=kb_pb.Event(**kind))  # type: ignore[arg-type]


def told(*events: table_pb2.Event, game: str = "killer-bunnies") -> list[tuple[str, str]]:
    return list(Teller(catalogue(game), NAMES).paragraphs(events))


def test_what_one_player_did_is_told_together_and_what_nobody_did_apart() -> None:
    events = (
        bunnies(turn_began=kb_pb.TurnBegan(turn=4, seat=0)),
        bunnies(play_made=kb_pb.PlayMade(seat=0)),
        bunnies(reshuffled=kb_pb.Reshuffled()),
        bunnies(play_made=kb_pb.PlayMade(seat=2)),
    )
    assert told(*events) == [
        ("Ada", "turn began: turn 4; play made"),
        ("", "reshuffled"),
        ("Cyd", "play made"),
    ]


def test_cards_and_players_are_called_by_their_names() -> None:
    card, facts = next(iter(catalogue("killer-bunnies").items()))
    launched = bunnies(launched=kb_pb.Launched(seat=1, card=card, level=6, at_cyber=True))
    assert told(launched) == [("Bea", f"launched: {facts.name}, level 6, at cyber")]
    moved = bunnies(saved_card_moved=kb_pb.SavedCardMoved(seat=3, to=0, card=card))
    assert told(moved) == [("Dan", f"saved card moved: to Ada, {facts.name}")]


def test_what_is_hidden_is_counted_and_what_is_not_there_is_left_out() -> None:
    named = bunnies(trade_cards_named=kb_pb.TradeCardsNamed(seat=0, to=1, cards=["", ""]))
    assert told(named) == [("Ada", "trade cards named: to Bea, ? · ?")]
    offered = bunnies(trade_offered=kb_pb.TradeOffered(seat=0, to=1, want={"dolla": 4}))
    assert told(offered) == [("Ada", "trade offered: to Bea, want (dolla 4)")]


def test_numbers_places_and_words_of_other_games_are_told_likewise() -> None:
    given = rs_pb.Given(giver=0, receiver=3, resource=rs_pb.RESOURCE_GOLD, amount=2)
    space = table_pb2.Event(rabbit_space=rs_pb.Event(given=given))
    assert told(space, game="rabbit-space") == [("Ada", "given: receiver Dan, gold, amount 2")]
    hurt = toc_pb.HpChanged(changes=[toc_pb.HpChange(seat=0, damage=2)])
    placed = toc_pb.RabbitPlaced(seat=2, place="village:1/zone:2", invading=True)
    events = (toc_pb.Event(hp_changed=hurt), toc_pb.Event(rabbit_placed=placed))
    village = [table_pb2.Event(tale_of_carrot=event) for event in events]
    assert told(*village, game="tale-of-carrot") == [
        ("", "hp changed: changes (Ada, damage 2)"),
        ("Cyd", "rabbit placed: village 1 zone 2, invading"),
    ]


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_whatever_happens_in_a_game_is_told_with_no_card_by_its_reference(rules: Rules) -> None:
    cards = catalogue(rules.name)
    lines = [
        what
        for events in played(rules, Random(5))
        for _, what in Teller(cards, NAMES).paragraphs(events)
    ]
    assert len(lines) > 50
    numbered = [card.replace("-", " ") for card in cards if card[-1].isdigit()]
    assert numbered
    raw = re.compile(rf"\b({'|'.join(numbered)})\b")
    assert not [line for line in lines if raw.search(line)]


def played(rules: Rules, random: Random) -> Iterator[list[table_pb2.Event]]:
    """What seat 0 is told of a game played at random."""
    dealt = kernel.deal(
        rules, seats=4, options={}, seed=random.randbytes(32), at_ms=1, limits_ms={}, time_bank_ms=0
    )
    assert isinstance(dealt, kernel.Outcome)
    live = dealt.live
    for _ in range(200):
        if live.result is not None:
            return
        before, seat = open_numbers(live), random.choice(tuple(live.asks))
        live.answer(seat, live.ask_numbers[seat], random_picks(live.asks[seat], random))
        shared, faces = batch_parts(live, live.forget_events(), before, revision=2, at_ms=1)
        yield list(table_pb2.EventBatch.FromString(shared + faces[0]).events)
