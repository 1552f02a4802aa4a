"""Counting: what a player's cards produce. Asked anew at every count, never added up on the way."""

from __future__ import annotations

from hutch.games.rabbit_space.board import NONE, NOTHING_KEPT, Board, SeatBoard
from hutch.games.rabbit_space.cards import Deck, Resource
from hutch.games.rabbit_space.evolutions import astronaut_away
from hutch.games.rabbit_space.missions import points


def production(deck: Deck, seat: SeatBoard, resource: Resource) -> int:
    """The icons on the visible sides of the cards in front of a player, and the colour bonuses.

    In front is what lies in the Training Center (Trainee side), on Level 1 (Trainee side) and on
    Level 2 (Astronaut side). A card in Space has no effect any more (RS-026).
    """
    trainees, astronauts = seat.training_center + seat.level_1, seat.level_2
    total = sum(map(deck.trainee[resource], trainees)) + sum(
        map(deck.astronaut[resource], astronauts)
    )
    bonuses = deck.bonuses[resource]
    if bonuses.isdisjoint(trainees) and bonuses.isdisjoint(astronauts):
        return total
    front = trainees + astronauts
    colours = [deck.colours[card] for card in front]
    for card in front:
        # RS-017: another card of its colour, one or many: the bonus is paid once.
        if card in bonuses and colours.count(deck.colours[card]) > 1:
            total += deck.bonus[card]
    return total


def kept(seat: SeatBoard, resource: Resource) -> int:
    """What Scientists kept of a resource, to be counted with the rest (O20)."""
    if seat.kept == NOTHING_KEPT or resource == "helmet":
        return 0
    return seat.kept[0 if resource == "carrot" else 1]


def produced_elsewhere(deck: Deck, board: Board, seat: SeatBoard, resource: Resource) -> int:
    """What is counted beside the cards in front: the own Mission, and the Command Center's cards.

    RS-038: a Mission yields while an own Astronaut is in Space. RS-044: the Command Center serves
    everybody, without colour bonuses.
    """
    total = 0
    if seat.mission != NONE and astronaut_away(deck, seat):
        total += deck.trainee[resource](seat.mission)
    if board.command_center:
        total += sum(map(deck.astronaut[resource], board.command_center))
    return total


def prices(deck: Deck, board: Board) -> list[int]:
    """What each card costs now: RS-047 makes those of the Event's colour 2 cheaper."""
    return deck.discounted[board.event] if board.event else deck.costs


def score(deck: Deck, seat: SeatBoard) -> int:
    """The values of a player's cards in Space (RS-030), and what the mission's cards score."""
    values = deck.values
    return sum([values[card] for card in seat.space]) + points(deck, seat)


def winners(board: Board, scores: tuple[int, ...], *, competitive: bool) -> tuple[int, ...]:
    """Who wins: together, all; among rivals, every highest score whose player stayed (RS-049)."""
    if not competitive:
        return tuple(range(len(scores)))
    # O31: a seat whose player left, and was not followed by another, cannot win.
    able = [index for index, seat in enumerate(board.seats) if not seat.left]
    best = max([scores[index] for index in able], default=0)
    return tuple([index for index in able if scores[index] == best])
