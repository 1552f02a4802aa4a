"""The options of a table."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from hutch.games.killer_bunnies.printed import CARDS, CARROT_CARDS, DECKS


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How a table of Killer Bunnies plays.

    `decks`: those in play, `blue` and `yellow`; the Blue Starter always is. `first_seat`: who
    starts (O-01). `free_seats`: seats that are free at the deal; whoever takes one joins late
    (KB-165, O-60). `starting_carrots`, for a shorter game: Carrots that each player has from the
    start (KB-167, O-62). `fewer_carrot_cards`, for a longer one: how many Choose Carrot cards are
    left out of the Draw Pile (KB-167). `trade_offers` and `trade_chains`: trade offers in one
    chain, and chains between two players in a turn; 0 chains for no trades (O-54).
    """

    decks: tuple[str, ...] = ("blue", "yellow")
    first_seat: Annotated[int, Meta(ge=0)] = 0
    free_seats: tuple[int, ...] = ()
    starting_carrots: Annotated[int, Meta(ge=0, le=2)] = 0
    fewer_carrot_cards: Annotated[int, Meta(ge=0, le=10)] = 0
    trade_offers: Annotated[int, Meta(ge=1, le=12)] = 4
    trade_chains: Annotated[int, Meta(ge=0, le=12)] = 3


def check(seats: int, options: Options) -> str:
    """Why those options do not fit that many seats; "" where they do."""
    unknown = [deck for deck in options.decks if deck not in DECKS]
    if unknown:
        return f"There is no deck {unknown[0]!r} yet; the decks are {', '.join(DECKS)}."
    if "blue" not in options.decks or len(set(options.decks)) != len(options.decks):
        return "The decks are each named once, and the Blue Starter is always one of them."
    if any(not 0 <= seat < seats for seat in options.free_seats):
        return f"The seats are 0 to {seats - 1}; a free seat must be one of them."
    players = seats - len(set(options.free_seats))
    if players < 2:
        return "At least two players start the game (KB-007)."
    if not 0 <= options.first_seat < seats or options.first_seat in options.free_seats:
        return "The first seat must be one that is taken at the start (O-01)."
    if options.starting_carrots * players >= len(carrots_of(options)):
        return "At least one Carrot must stay in the market (O-62)."
    return ""


def cards_of(options: Options) -> list[int]:
    """The numbers of all large cards of the decks in play."""
    return [
        number for number in sorted(CARDS) if any(number in DECKS[deck] for deck in options.decks)
    ]


def carrots_of(options: Options) -> list[int]:
    """The Carrots of the decks in play."""
    numbers = cards_of(options)
    return [carrot for carrot, number in CARROT_CARDS.items() if number in numbers]
