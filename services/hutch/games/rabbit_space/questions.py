"""The questions: what each step asks a seat, and why a pick that is no option is none.

A question is read off the board alone, so it can be asked again at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from hutch.engine.prompts import Ask, Clock, Option, Pick, Picks, number, seat, word
from hutch.engine.table import Table
from hutch.games.rabbit_space.board import (
    MOST_GIVEN,
    MOST_SEATS,
    ROUNDS,
    Board,
    Gift,
    SeatBoard,
    Step,
)
from hutch.games.rabbit_space.cards import Deck

READY: Final = Option("ready", (word("ready"),))

#: What each step's question is called.
TOPICS: Final = {
    Step.ARRANGE: "arrange",
    Step.GIVE_CARROTS: "give-carrots",
    Step.SPEND_CARROTS: "spend-carrots",
    Step.GIVE_GOLD: "give-gold",
    Step.SPEND_GOLD: "spend-gold",
}

#: What each question is about, for a player.
TOPIC_TEXTS: Final = {
    "arrange": "Place cards in your Training Center, as many as you have Helmets, and be ready. "
    "The others are discarded.",
    "arrange.draft": "Show the team a layout of your Training Center without being ready.",
    "give-carrots": "Give up to 4 of your Carrots to one other player, or pick nothing.",
    "give-carrots.draft": "Show the team a gift of Carrots without being ready.",
    "spend-carrots": "Pay a card's cost in Carrots to move it from your Training Center to "
    "Level 1, or be ready.",
    "give-gold": "Give up to 4 of your Gold to one other player, or pick nothing.",
    "give-gold.draft": "Show the team a gift of Gold without being ready.",
    "spend-gold": "Pay a card's cost in Gold to certify it (Level 1 to Level 2) or to send it into "
    "Space (from Level 2), or be ready.",
    "take-back": "Take your ready back and go on planning.",
}

CLOCK: Final = "phase"

#: One run of the clock for each step of each round: all a seat does in a step shares its time.
_CLOCKS: Final = {
    step: [Clock(CLOCK, f"{turn}.{topic}") for turn in range(ROUNDS + 1)]
    for step, topic in TOPICS.items()
}

_READY_PICKS: Final = (Pick(READY.id),)


def question(deck: Deck, table: Table[Board], index: int) -> Ask | None:
    """What the step asks that seat now; None where it has nothing (more) to decide."""
    board = table.board
    own = board.seats[index]
    if own.ready or (own.left and table.options.absent == "defaults"):
        return None
    ask = _QUESTIONS.get(board.step)
    return None if ask is None else ask(deck, board, index)


def untouched(own: SeatBoard) -> list[int]:
    """The Training Center where its owner decides nothing (more).

    As it lies, free places filled from the hand in the order drawn; what is over the limit, the
    cards placed last, goes.
    """
    return (own.training_center + own.hand)[: own.helmets]


def placed(deck: Deck, own: SeatBoard, picks: Picks) -> list[int]:
    """The Training Center that an answer asks for: what lay there first, then what joins it."""
    chosen = {deck.index[pick.option] for pick in picks}
    return [card for card in own.training_center + own.hand if card in chosen]


def gift_of(picks: Picks) -> Gift | None:
    """The gift that an answer lays out."""
    return _GIFTS[picks[0].option] if picks else None


def _arrange(deck: Deck, board: Board, index: int) -> Ask | None:
    # RS-013, RS-014: any of the cards at hand, as many as there are Helmets.
    own = board.seats[index]
    cards = own.training_center + own.hand
    if not cards:
        return None
    return Ask(
        "arrange",
        tuple([deck.place[card] for card in cards]),
        least=0,
        most=min(own.helmets, len(cards)),
        default=tuple([deck.picks[card] for card in untouched(own)]),
        clock=_CLOCKS[Step.ARRANGE][board.round],
        final=True,
    )


def _give_carrots(deck: Deck, board: Board, index: int) -> Ask | None:
    own = board.seats[index]
    return _give(Step.GIVE_CARROTS, board, index, own.carrots, own.gift)


def _give_gold(deck: Deck, board: Board, index: int) -> Ask | None:
    own = board.seats[index]
    return _give(Step.GIVE_GOLD, board, index, own.gold, own.gift)


def _give(step: Step, board: Board, index: int, owned: int, laid_out: Gift | None) -> Ask | None:
    # RS-018, RS-022: up to 4 of the own, to one other player.
    most = owned if owned < MOST_GIVEN else MOST_GIVEN
    return _gift_ask(step, board.round, len(board.seats), index, most, laid_out) if most else None


@lru_cache(maxsize=4096)
def _gift_ask(
    step: Step, turn: int, seats: int, giver: int, most: int, laid_out: Gift | None
) -> Ask:
    options = [
        Option(option, (seat(gift.receiver), number(gift.amount)))
        for option, gift in _GIFTS.items()
        if gift.receiver < seats and gift.receiver != giver and gift.amount <= most
    ]
    return Ask(
        TOPICS[step],
        tuple(options),
        least=0,
        default=() if laid_out is None else (Pick(_gift_id(laid_out)),),
        clock=_CLOCKS[step][turn],
        final=True,
    )


def _spend_carrots(deck: Deck, board: Board, index: int) -> Ask | None:
    own, costs = board.seats[index], deck.costs
    carrots, promote = own.carrots, deck.promote
    return _spend(board, [promote[c] for c in own.training_center if costs[c] <= carrots])


def _spend_gold(deck: Deck, board: Board, index: int) -> Ask | None:
    own, costs = board.seats[index], deck.costs
    gold, certify, send = own.gold, deck.certify, deck.send
    doable = [certify[c] for c in own.level_1 if costs[c] <= gold]
    doable += [send[c] for c in own.level_2 if costs[c] <= gold]
    return _spend(board, doable)


def _spend(board: Board, doable: list[Option]) -> Ask | None:
    if not doable:
        return None  # nobody waits for a seat that can do nothing
    step = board.step
    return Ask(
        TOPICS[step], (*doable, READY), default=_READY_PICKS, clock=_CLOCKS[step][board.round]
    )


_QUESTIONS: Final[dict[Step, Callable[[Deck, Board, int], Ask | None]]] = {
    Step.ARRANGE: _arrange,
    Step.GIVE_CARROTS: _give_carrots,
    Step.SPEND_CARROTS: _spend_carrots,
    Step.GIVE_GOLD: _give_gold,
    Step.SPEND_GOLD: _spend_gold,
}


def _gift_id(gift: Gift) -> str:
    return f"{gift.receiver}:{gift.amount}"


_GIFTS: Final = {
    _gift_id(gift): gift
    for gift in [
        Gift(receiver, amount)
        for receiver in range(MOST_SEATS)
        for amount in range(1, MOST_GIVEN + 1)
    ]
}


# Why not


def why_not(deck: Deck, table: Table[Board], index: int, ask: Ask, option: str) -> str:
    """Why that pick is no option of the question: a sentence for its player, "" if there is none.

    Speaks of the player's own board and of what is printed on the card, so it tells nothing hidden.
    """
    own = table.board.seats[index]
    if ask.topic.startswith("give-"):
        return _why_no_gift(table.board, index, ask.topic, option)
    card = deck.index.get(option)
    if card is None:
        return f"There is no card {option!r} in this game."
    name = f"{deck.cards[card].name} ({option})"
    match ask.topic:
        case "arrange" | "arrange.draft":
            return f"{name} is not in your hand or Training Center."
        case "spend-carrots":
            if card not in own.training_center:
                return f"{name} is not in your Training Center; only from there it gets to Level 1."
            return f"{name} costs {deck.costs[card]} Carrots and you have {own.carrots}."
        case "spend-gold":
            if card in own.space:
                return f"{name} is in Space already."
            if card not in own.level_1 and card not in own.level_2:
                return f"{name} is not on your Level 1 or Level 2."
            return f"{name} costs {deck.costs[card]} Gold and you have {own.gold}."
    return ""


def _why_no_gift(board: Board, giver: int, topic: str, option: str) -> str:
    receiver, colon, amount = option.partition(":")
    if not (colon and receiver.isdecimal() and amount.isdecimal()):
        return f"{option!r} is no gift; write it as seat and amount, such as '1:4'."
    if int(receiver) == giver:
        return "A gift goes to another player, not to yourself."
    if int(receiver) >= len(board.seats):
        return f"There is no seat {int(receiver)}; the seats are 0 to {len(board.seats) - 1}."
    own = board.seats[giver]
    name, owned = ("Carrots", own.carrots) if "carrots" in topic else ("Gold", own.gold)
    if int(amount) < 1:
        return f"A gift is at least 1 {name}; to give nothing, pick nothing."
    if int(amount) > MOST_GIVEN:
        return f"At most {MOST_GIVEN} {name} may be given in a round, not {int(amount)}."
    return f"You have {owned} {name} and cannot give {int(amount)}."
