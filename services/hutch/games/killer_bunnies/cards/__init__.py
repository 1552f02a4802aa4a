"""The cards: data and effect together, one module a kind. Importing this fills the registry."""

from hutch.games.killer_bunnies.cards import (
    any_time,
    attacks,
    auctions,
    bunnies,
    carrots,
    feeds,
    gambles,
    hands,
    market,
    misfortunes,
    modifiers,
    money,
    stakes,
    supplies,
    weapons,
)

__all__ = [
    "any_time",
    "attacks",
    "auctions",
    "bunnies",
    "carrots",
    "feeds",
    "gambles",
    "hands",
    "market",
    "misfortunes",
    "modifiers",
    "money",
    "stakes",
    "supplies",
    "weapons",
]
