"""Counting: what a player's cards produce. Asked anew at every count, never added up on the way."""

from __future__ import annotations

from hutch.games.rabbit_space.board import Board, SeatBoard
from hutch.games.rabbit_space.cards import Deck, Resource


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


def score(deck: Deck, seat: SeatBoard) -> int:
    """The values of a player's cards in Space (RS-030)."""
    values = deck.values
    return sum([values[card] for card in seat.space])


def winners(board: Board, scores: tuple[int, ...], *, competitive: bool) -> tuple[int, ...]:
    """Who wins: together, all; among rivals, every highest score whose player stayed (RS-049)."""
    if not competitive:
        return tuple(range(len(scores)))
    # O31: a seat whose player left, and was not followed by another, cannot win.
    able = [index for index, seat in enumerate(board.seats) if not seat.left]
    best = max([scores[index] for index in able], default=0)
    return tuple([index for index in able if scores[index] == best])
