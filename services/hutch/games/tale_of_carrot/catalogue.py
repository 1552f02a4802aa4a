"""The catalogue: every card with its text in our own words, and the text of every question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.engine.rules import CatalogueCard
from hutch.games.tale_of_carrot.cards.adventures import EFFECTS
from hutch.games.tale_of_carrot.cards.tokens import TOKENS
from hutch.games.tale_of_carrot.moments import SUPREMES
from hutch.games.tale_of_carrot.tables import AdventureRow, Attacker, HeroRow, Tables

TOPICS: Final[Mapping[str, str]] = {
    "hero.keep": "Which Hero do you keep?",
    "rabbit.place": "Where does the Rabbit go?",
    "rabbit.discard": "Which Rabbit is discarded?",
    "mage.swap": "Do you swap the Rabbit in your hand, and for which?",
    "gift.rabbit": "Do you give 1 HP to move a Rabbit, and which?",
    "gift.zone": "Where does the Rabbit move?",
    "adventure.go": "Do you go on an adventure?",
    "tokens": "Do you use a token?",
    "tokens.red": "Do you use a red token?",
    "player.damage": "Who suffers the damage?",
    "player.heal": "Who recovers?",
    "player.shield": "Who is shielded until the turn ends?",
    "supreme.declare": "Do you declare your Supreme?",
    "assassin.target": "Whom does the Assassin strike back at?",
    "berserker.draw": "Do you show a Rabbit to escape the damage?",
    "huntress.rabbit": "Which Rabbit attacks?",
    "necromancer.rabbits": "Which Rabbits come back?",
    "necromancer.next": "Which Rabbit is placed next?",
    "champion.zone": "Where does the Champion go?",
    "cloak.holder": "Who gets the Knight's Cloak?",
    "reserve.tokens": "Which tokens do you take?",
}

SUPPORT_TEXTS: Final[Mapping[str, str]] = {
    "golemiglio": "A Rabbit in every respect, but the Mage cannot swap it.",
    "pizza": "Goes before the Pizza Maker, who wins with four.",
    "holy_grail": "Holds the Priestess's reserve of tokens.",
    "knights_cloak": "Its holder falls with the Princess.",
    "thiefs_bag": "Holds the Thief's reserve of tokens.",
}


def catalogue(tables: Tables) -> list[CatalogueCard]:
    """All cards and tokens, played with those numbers."""
    return [
        *[_attacker(rabbit, "rabbit") for rabbit in tables.rabbits.values()],
        *[_hero(tables, hero) for hero in tables.heroes.values()],
        *[_adventure(row) for row in tables.adventures.values()],
        *[_token(tables, ref) for ref in tables.supply],
        *[_support(tables, ref) for ref in SUPPORT_TEXTS],
    ]


def _attacker(attacker: Attacker, kind: str) -> CatalogueCard:
    return CatalogueCard(
        ref=attacker.ref,
        name=attacker.name,
        kind=kind,
        text=f"Left {_damage(attacker.left)}, own Village {_damage(attacker.own)}, "
        f"right {_damage(attacker.right)}.",
        facts=_numbers(attacker),
    )


def _numbers(attacker: Attacker) -> dict[str, str]:
    facts = {
        "left": str(attacker.left),
        "self": str(attacker.own),
        "right": str(attacker.right),
    }
    return {"danger": attacker.danger, **facts} if attacker.danger else facts


def _damage(amount: int) -> str:
    return f"heals {-amount}" if amount < 0 else str(amount)


def _hero(tables: Tables, hero: HeroRow) -> CatalogueCard:
    facts = {
        "hp_to_declare": str(hero.hp_to_declare),
        "supreme": "once" if hero.once else "continuous",
        "icons": " ".join(hero.icons),
        "first_game": "yes" if hero.first_game else "no",
    }
    if hero.ref in tables.attackers:  # the Champion's Hero card, which may lie in a Zone
        facts.update(_numbers(tables.attackers[hero.ref]))
    return CatalogueCard(
        ref=hero.ref, name=hero.name, kind="hero", text=SUPREMES[hero.ref], facts=facts
    )


def _adventure(row: AdventureRow) -> CatalogueCard:
    text = " ".join([EFFECTS[code].text.format(n=amount) for code, amount in row.effects])
    return CatalogueCard(ref=row.ref, name=row.name, kind="adventure", text=text)


def _token(tables: Tables, ref: str) -> CatalogueCard:
    token = TOKENS[ref]
    facts = {"border": tables.borders[ref], "count": str(tables.supply[ref])}
    return CatalogueCard(ref=ref, name=token.name, kind="token", text=token.text, facts=facts)


def _support(tables: Tables, ref: str) -> CatalogueCard:
    facts = {"count": str(tables.support[ref])}
    if ref in tables.attackers:
        facts.update(_numbers(tables.attackers[ref]))
    return CatalogueCard(
        ref=ref,
        name=tables.support_names[ref],
        kind="support",
        text=SUPPORT_TEXTS[ref],
        facts=facts,
    )
