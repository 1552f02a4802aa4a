"""The card catalogue: every card as a client may look it up, its text in our own words."""

from __future__ import annotations

from typing import Final

from hutch.engine.rules import CatalogueCard
from hutch.games.rabbit_space.cards import RESOURCES, Card, Deck, Icons, Kind
from hutch.games.rabbit_space.missions import SIDES, SIDES_OF, STATIONS, TEXTS, station_ref

#: What cards of a kind do beside their icons.
_SPECIAL: Final[dict[Kind, str]] = {
    "robot": " Sent into Space, it brings a Rabbit card from the Training Center to Level 1.",
    "scientist": " Never goes into Space; on Level 2 keeps up to 4 Carrots and Gold at the reset.",
    "satellite": " Goes from Level 1 straight into Space.",
    "billionaire": " Starts on Level 1.",
    "experiment": " Starts on Level 1.",
}


def catalogue(deck: Deck) -> list[CatalogueCard]:
    """All cards, rabbit cards first, then the cards of missions."""
    return [
        *[
            CatalogueCard(one.ref, one.name, one.kind, _text(one), _facts(one))
            for one in deck.cards
        ],
        *[
            CatalogueCard(ref, name, "collaborative-mission", text, {"planet": planet})
            for planet, (ref, name, text) in TEXTS.items()
        ],
        *[
            CatalogueCard(
                station_ref(station),
                f"Space Station {station}",
                "collaborative-mission",
                " ".join([f"{side}: {SIDES_OF[station, side][0]}" for side in SIDES]),
                {"planet": "venus"},
            )
            for station in range(1, STATIONS + 1)
        ],
    ]


def _text(one: Card) -> str:
    if one.kind == "mission":
        return f"{_icons(one.trainee)} at every count while an own Astronaut is in Space."
    text = f"Trainee: {_icons(one.trainee)}."
    if one.kind != "satellite":
        text += f" Astronaut: {_icons(one.astronaut)}."
    if one.bonus is not None:
        amount = _amount(one.bonus.amount, one.bonus.resource)
        text += f" {amount} more beside another {one.colour} card in front of you."
    return text + _SPECIAL.get(one.kind, "")


def _facts(one: Card) -> dict[str, str]:
    facts = {"colour": one.colour, "cost": str(one.cost), "value": str(one.value)}
    for resource in RESOURCES:
        facts[f"trainee_{resource}"] = str(getattr(one.trainee, resource))
        facts[f"astronaut_{resource}"] = str(getattr(one.astronaut, resource))
    if one.bonus is not None:
        facts["bonus_resource"] = one.bonus.resource
        facts["bonus_amount"] = str(one.bonus.amount)
    return facts


def _icons(side: Icons) -> str:
    amounts = [(getattr(side, resource), resource) for resource in RESOURCES]
    return ", ".join([_amount(many, resource) for many, resource in amounts if many]) or "nothing"


def _amount(many: int, resource: str) -> str:
    return f"{many} {resource.capitalize()}" + ("s" if many > 1 and resource != "gold" else "")
