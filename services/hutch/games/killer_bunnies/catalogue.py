"""The catalogue: every card of the decks that are here, and what the questions are about."""

from __future__ import annotations

from typing import Final

from hutch.engine.rules import CatalogueCard
from hutch.games.killer_bunnies.printed import CARDS, DECKS, Card

TOPICS: Final = {
    "run.lay": "Lay two cards face down: first your Top Run, then your Bottom Run card.",
    "run.use": "You flipped this card: play it, save it or discard it?",
    "run.bottom": "Which card do you lay down as your new Bottom Run card?",
    "turn.before": "Your turn: flip your Top Run card, or play or discard a Special from your "
    "hand. Before that you may buy, feed, trade and play saved Specials.",
    "turn.after": "Your play is made. Buy, feed, trade or play saved Specials, or close and draw.",
    "turn.between": "Your Bunny Triplet allows a second play.",
    "any-time": "You may do this now, beside everything else.",
    "bunny.place": "Where among your own bunnies does it go, counted from your right?",
    "bunny.revive": "Which bunny comes back from the discards?",
    "bunny.feed": "This bunny must be fed at once: how?",
    "weapon.target": "At which bunny, or at Cyber Bunny on which bunny, is the weapon launched?",
    "weapon.again": "Do you use this weapon a second time with Rooney's Reusables?",
    "window.launch": "This card lies on its target. Do you answer?",
    "window.attack": "This card is about to attack. Do you answer?",
    "window.explosion": "The Trojan Bunny is about to go off. Do you answer?",
    "window.end": "A bunny is about to starve. Do you answer?",
    "window.loss": "You are about to lose supplies. Do you answer?",
    "roamer.target": "On which bunny do you let it loose?",
    "feed.target": "Which bunny has to be fed?",
    "danish.target": "Which bunny gets the Danish?",
    "modifier.target": "Under which bunny does it go?",
    "clovers.target": "Which bunny loses its Clovers?",
    "clovers.lay": "Under which bunny does this Clover go, if under any?",
    "abduction.target": "Which bunny is abducted?",
    "misfortune.victim": "Which bunny has the misfortune?",
    "defector.target": "Which bunny is to change sides?",
    "contest.again": "Do you roll your die once more?",
    "auction.bunny": "Which bunny do you put up for auction?",
    "auction.bid": "How much do you bid for this bunny?",
    "gamble.target": "Which bunny takes the risk?",
    "casino.carrot": "Which Carrot do you take, if any?",
    "fountain.number": "Which number do you name?",
    "carrot.choose": "Which Carrots do you take?",
    "carrot.steal": "Do you take the Carrot of this number?",
    "carrot.keep": "Which Carrots do you pay to keep?",
    "player.choose": "Which player?",
    "rock-bottom.cabbage": "From whom do you take Cabbage?",
    "rock-bottom.water": "From whom do you take Water?",
    "poker.rival": "Whose means measure the stake?",
    "poker.stake": "What is the stake?",
    "poker.carrots": "Which Carrots do you risk?",
    "poker.bunnies": "Which bunnies do you risk?",
    "roulette.stake": "Which bunny do you stake?",
    "exchange.take": "Which of the weapons shown do you take, if any?",
    "exchange.give": "Which of your weapons do you give for it?",
    "market.basket": "What else goes into your half-price basket?",
    "trade.partner": "With whom do you trade?",
    "trade.offer": "What do you give, and what do you want? Nothing at all ends the talk.",
    "trade.wish": "What kind of cards do you wish for the hand cards you give?",
    "trade.answer": "Do you accept this offer?",
    "trade.hand": "Which hand cards do you give for those offered? With fewer there is no deal.",
    "trade.confirm": "Do you agree to the hand cards named?",
    "reversal.target": "To which bunny does the weapon go instead?",
    "spatula.target": "What do you cancel?",
}


def catalogue() -> list[CatalogueCard]:
    """All cards in order of their numbers."""
    return [_entry(CARDS[number]) for number in sorted(CARDS)]


def _entry(card: Card) -> CatalogueCard:
    facts: dict[str, str] = {
        "type": card.type,
        "deck": next(deck for deck, numbers in DECKS.items() if card.number in numbers),
    }
    if card.pink:
        facts["pink_box"] = "yes"
    if card.aggressive:
        facts["aggressive"] = "yes"
    for name in ("level", "clovers", "cabbage", "water", "dolla", "carrot"):
        if getattr(card, name):
            facts[name] = str(getattr(card, name))
    if card.breed:
        facts["colour"], facts["breed"] = card.colour, card.breed
    if card.prices:
        facts["prices"] = "/".join(str(price) for price in card.prices)
    return CatalogueCard(card.ref, card.name, card.kind, card.text, facts)
