"""Strategies for Rabbit Space Training Center.

`greedy` weighs every step by the points it leads to: a card in Space is worth its value, and the
way there costs it once in Carrots and twice in Gold. It looks at the typed view alone, and at what
the catalogue says is printed on the cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple, cast

from hutch.bots import random_play
from hutch.bots.strategy import Move, Sight
from hutch.engine.prompts import Ask, Pick, Picks
from hutch.engine.rules import Rules
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb

ROUNDS: Final = 7
TRACK_END: Final = 20
MOST_GIVEN: Final = 4

#: Points that an icon is worth each time it is counted. Two Gold buy a point; a flat optimum.
CARROT_WORTH: Final = 0.45
GOLD_WORTH: Final = 0.5
HELMET_WORTH: Final = 0.5
#: Of a card's value, what it is worth to be on Level 1, and on Level 2 while Gold is to come.
PROMOTED: Final = 0.3
CERTIFIED: Final = 0.5
#: Points for a place that gets free in the Training Center, for each round to come.
ROOM: Final = 0.6
#: A card is picked for what it produces and, a little, for the points it may lead to.
LEADS_TO: Final = 0.1
COSTS: Final = 0.15
#: Points of a card on the Moon beside its value, and what an Event takes off a cost.
MOON: Final = 5.0
DISCOUNT: Final = 2
#: A gift must win more than this.
LEAST_WON: Final = 0.01

#: Amounts of Carrots, Gold and Helmets.
Three = tuple[float, float, float]


class Printed(NamedTuple):
    """What is printed on a card."""

    cost: int
    value: int
    colour: str
    kind: str
    trainee: Three
    astronaut: Three
    bonus: Three


class Way(NamedTuple):
    """A way to spend on one card: what it takes, what it is worth, what to pick one by one."""

    cost: int
    worth: float
    picks: tuple[str, ...]


class Plan(NamedTuple):
    """The best that some amount buys."""

    worth: float
    picks: tuple[str, ...]


NOTHING: Final = Plan(0.0, ())


def greedy(sight: Sight, rng: Random) -> Move:
    """The answer worth most points, by an estimate that looks no step further."""
    question = sight.questions[0]
    view, cards = cast("pb.Board", sight.view), printed(sight.rules)
    own = view.seats[sight.seat]
    match question.ask.topic:
        case "arrange":
            return question.number, _arranged(cards, view, own, question.ask)
        case "give-carrots" | "give-gold":
            return question.number, () if view.competitive else _gift(cards, view, own)
        case "spend-carrots":
            picks = _next(ways_for_carrots(cards, view, own), own.carrots)
            if view.mission == "jupiter" and own.carrots and picks[0].option == "ready":
                picks = (Pick(f"warehouse:{own.carrots}"),)
            return question.number, picks
        case "spend-gold":
            return question.number, _next(ways_for_gold(cards, view, own), own.gold)
    return random_play.play(sight, rng)


@lru_cache(maxsize=8)
def printed(rules: Rules) -> dict[str, Printed]:
    """What is printed on each card of those rules, by its reference in the catalogue."""

    def three(facts: dict[str, str], side: str) -> Three:
        carrot, gold, helmet = (int(facts[f"{side}_{one}"]) for one in _RESOURCES)
        return carrot, gold, helmet

    def bonus(facts: dict[str, str]) -> Three:
        paid, amount = facts.get("bonus_resource"), int(facts.get("bonus_amount", 0))
        carrot, gold, helmet = (amount if one == paid else 0 for one in _RESOURCES)
        return carrot, gold, helmet

    return {
        card.ref: Printed(
            cost=int(card.facts["cost"]),
            value=int(card.facts["value"]),
            colour=card.facts["colour"],
            kind=card.kind,
            trainee=three(card.facts, "trainee"),
            astronaut=three(card.facts, "astronaut"),
            bonus=bonus(card.facts),
        )
        for card in rules.catalogue()
        if "cost" in card.facts
    }


_RESOURCES: Final = ("carrot", "gold", "helmet")


# Phase 1


def _arranged(cards: dict[str, Printed], view: pb.Board, own: pb.SeatBoard, ask: Ask) -> Picks:
    """One card after another, each time the one that adds most to what lies in front."""
    left = ROUNDS - view.round
    # This round's Carrots still buy something; this round's Helmets hold cards in the next.
    worths = (CARROT_WORTH * (left + 0.5), GOLD_WORTH * (left + 1), HELMET_WORTH * left)
    front = [cards[one.card] for one in (*own.level_1, *own.level_2)]
    free = [option.id for option in ask.options]
    chosen: list[str] = []

    def worth(ref: str) -> float:
        card = cards[ref]
        alike = [one for one in front if one.colour == card.colour]
        total = _dot(card.trainee, worths)
        if alike:
            total += _dot(card.bonus, worths)
        if len(alike) == 1:  # its bonus has waited for a second card of the colour
            total += _dot(alike[0].bonus, worths)
        if left:
            total += LEADS_TO * card.value - COSTS * card.cost
        return total

    while free and len(chosen) < ask.most:
        best = max(free, key=worth)
        free.remove(best)
        chosen.append(best)
        front.append(cards[best])
    return tuple([Pick(ref) for ref in chosen])


# Phases 2 and 3


def price(card: Printed, view: pb.Board) -> int:
    """What a card costs in this round, with the Event that lies up."""
    return max(0, card.cost - DISCOUNT) if card.colour == view.event_colour else card.cost


def ways_for_carrots(
    cards: dict[str, Printed], view: pb.Board, own: pb.SeatBoard
) -> list[list[Way]]:
    """For each card of the Training Center, and in Space with a Moon, the ways to spend on it."""
    room = ROOM * (ROUNDS - view.round)
    ways = [
        [Way(price(cards[ref], view), PROMOTED * cards[ref].value + room, (ref,))]
        for ref in [one.card for one in own.training_center]
    ]
    if view.mission == "moon":
        ways += [[Way(price(cards[one.card], view), MOON, (one.card,))] for one in own.space]
    return ways


def ways_for_gold(cards: dict[str, Printed], view: pb.Board, own: pb.SeatBoard) -> list[list[Way]]:
    """For each card of Levels 1 and 2, the ways to spend Gold on it: each excludes the others.

    An Astronaut is worth half its value only as long as there will be the Gold to send it.
    """
    left = ROUNDS - view.round
    worths = (CARROT_WORTH * left, GOLD_WORTH * left, HELMET_WORTH * left)
    front = (*own.training_center, *own.level_1, *own.level_2)
    colours = [cards[one.card].colour for one in front]
    gold_to_come = left * min(TRACK_END, own.production.gold + 1)
    waiting = sum([cards[one.card].cost for one in own.level_2])

    def bonus(card: Printed) -> float:
        return _dot(card.bonus, worths) if colours.count(card.colour) > 1 else 0.0

    ways = []
    for ref in [one.card for one in own.level_1]:
        card = cards[ref]
        cost, produced = price(card, view), _dot(card.trainee, worths)
        if card.kind == "satellite":  # straight into Space
            ways.append([Way(cost, card.value - produced - bonus(card), (ref,))])
            continue
        later = CERTIFIED * card.value if waiting + card.cost <= gold_to_come else 0.0
        certify = Way(cost, _dot(card.astronaut, worths) - produced + later, (ref,))
        both = Way(2 * cost, card.value - produced - bonus(card), (ref, ref))
        ways.append([certify] if card.kind == "scientist" else [certify, both])
    for ref in [one.card for one in own.level_2]:
        card = cards[ref]
        if card.kind == "scientist":  # never goes into Space
            continue
        later = CERTIFIED * card.value if waiting <= gold_to_come else 0.0
        lost = _dot(card.astronaut, worths) + bonus(card) + later
        ways.append([Way(price(card, view), card.value - lost, (ref,))])
    return ways


def plans(ways: list[list[Way]]) -> list[Plan]:
    """The best plan for every amount from 0 to the end of the track: at most one way a card."""
    best = [NOTHING] * (TRACK_END + 1)
    for choices in ways:
        before = best.copy()
        for cost, worth, picks in choices:
            if worth <= 0:
                continue
            for amount in range(cost, TRACK_END + 1):
                total = before[amount - cost].worth + worth
                if total > best[amount].worth:
                    best[amount] = Plan(total, before[amount - cost].picks + picks)
    return best


def _next(ways: list[list[Way]], amount: int) -> Picks:
    """The first pick of the best plan; ready where nothing is worth doing."""
    plan = plans(ways)[amount]
    return (Pick(plan.picks[0] if plan.picks else "ready"),)


def _gift(cards: dict[str, Printed], view: pb.Board, own: pb.SeatBoard) -> Picks:
    """The gift by which its receiver wins most above what the giver loses; none if none does."""
    if view.step == pb.STEP_GIVE_CARROTS:
        ways, held = ways_for_carrots, [one.carrots for one in view.seats]
    else:
        ways, held = ways_for_gold, [one.gold for one in view.seats]
    most = min(MOST_GIVEN, held[own.seat])
    for one in view.seats:  # what the others have laid out already
        if one.HasField("gift") and one.seat != own.seat:
            held[one.seat] -= one.gift.amount
            receiver = one.gift.receiver
            held[receiver] = min(TRACK_END, held[receiver] + one.gift.amount)
    best = [plans(ways(cards, view, one)) for one in view.seats]
    most_won, gift = LEAST_WON, ""
    for other in range(len(held)):
        for amount in range(1, min(most, TRACK_END - held[other]) + 1):
            if other != own.seat:
                won = best[other][held[other] + amount].worth - best[other][held[other]].worth
                mine = best[own.seat]
                won -= mine[held[own.seat]].worth - mine[held[own.seat] - amount].worth
                if won > most_won:
                    most_won, gift = won, f"{other}:{amount}"
    return (Pick(gift),) if gift else ()


def _dot(amounts: Three, worths: Sequence[float]) -> float:
    return amounts[0] * worths[0] + amounts[1] * worths[1] + amounts[2] * worths[2]
