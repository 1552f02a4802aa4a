"""The card catalogue: every card as a client may look it up, its text in our own words."""

from __future__ import annotations

from hutch.engine.rules import CatalogueCard
from hutch.games.rabbit_space.cards import RESOURCES, Card, Deck, Icons


def catalogue(deck: Deck) -> list[CatalogueCard]:
    """All cards, rabbit cards first."""
    return [
        CatalogueCard(one.ref, one.name, one.kind, _text(one), _facts(one)) for one in deck.cards
    ]


def _text(one: Card) -> str:
    text = f"Trainee: {_icons(one.trainee)}. Astronaut: {_icons(one.astronaut)}."
    if one.bonus is not None:
        amount = _amount(one.bonus.amount, one.bonus.resource)
        text += f" {amount} more beside another {one.colour} card in front of you."
    return text


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
