"""The questions: what each step asks a seat, and why a pick that is no option is none.

A question is read off the board alone, so it can be asked again at any time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from hutch.engine.prompts import Ask, Clock, Option, Pick, Picks, number, seat, word
from hutch.engine.table import Table
from hutch.games.rabbit_space.board import (
    MOST_GIVEN,
    MOST_SEATS,
    ROUNDS,
    SLOTS,
    Board,
    Gift,
    SeatBoard,
    Step,
)
from hutch.games.rabbit_space.cards import Deck
from hutch.games.rabbit_space.counting import prices
from hutch.games.rabbit_space.evolutions import dearest, keepable, promotable
from hutch.games.rabbit_space.missions import SIDES, doable, is_storing

READY: Final = Option("ready", (word("ready"),))

#: What each step's question is called.
TOPICS: Final = {
    Step.ARRANGE: "arrange",
    Step.GIVE_CARROTS: "give-carrots",
    Step.SPEND_CARROTS: "spend-carrots",
    Step.GIVE_GOLD: "give-gold",
    Step.SPEND_GOLD: "spend-gold",
    Step.TURN_STATIONS: "turn-station",
    Step.KEEP: "keep",
}

#: What each question is about, for a player.
TOPIC_TEXTS: Final = {
    "arrange": "Place cards in your Training Center, as many as you have Helmets, and be ready. "
    "The others are discarded.",
    "arrange.draft": "Show the team a layout of your Training Center without being ready.",
    "give-carrots": "Give up to 4 of your Carrots to one other player, or pick nothing.",
    "give-carrots.draft": "Show the team a gift of Carrots without being ready.",
    "spend-carrots": "Pay a card's cost in Carrots to move it from your Training Center to "
    "Level 1, or do what the mission allows, or be ready.",
    "give-gold": "Give up to 4 of your Gold to one other player, or pick nothing.",
    "give-gold.draft": "Show the team a gift of Gold without being ready.",
    "spend-gold": "Pay a card's cost in Gold to certify it (Level 1 to Level 2) or to send it into "
    "Space (from Level 2), or be ready.",
    "promote-by-robot": "Your Robot is in Space: which Rabbit card does it bring to Level 1?",
    "keep": "What do your Scientists keep through the reset?",
    "turn-station": "Which side of your Space Station scores at the end?",
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
    own, costs = board.seats[index], prices(deck, board)
    carrots, promote = own.carrots, deck.promote
    payable = [promote[c] for c in own.training_center if costs[c] <= carrots]
    if board.mission:
        payable += doable(deck, board, own, costs)
    return _spend(board, payable)


def _spend_gold(deck: Deck, board: Board, index: int) -> Ask | None:
    own, costs, kinds = board.seats[index], prices(deck, board), deck.kinds
    if own.robot:
        return _promote_by_robot(deck, board, own)
    gold, certify, send = own.gold, deck.certify, deck.send
    payable = [
        send[c] if kinds[c] == "satellite" else certify[c] for c in own.level_1 if costs[c] <= gold
    ]
    payable += [send[c] for c in own.level_2 if costs[c] <= gold and kinds[c] != "scientist"]
    return _spend(board, payable)


def _promote_by_robot(deck: Deck, board: Board, own: SeatBoard) -> Ask:
    # RS-036: it must be done, and nothing is paid.
    cards = promotable(deck, own)
    return Ask(
        "promote-by-robot",
        tuple([deck.promote[card] for card in cards]),
        default=(deck.picks[dearest(deck, cards)],),
        clock=_CLOCKS[board.step][board.round],
    )


def _keep(deck: Deck, board: Board, index: int) -> Ask | None:
    # RS-039: up to 4 Carrots and Gold for each Scientist; all of it is kept unasked.
    own = board.seats[index]
    most = keepable(deck, own)
    if not most or own.carrots + own.gold <= most:
        return None
    options = [
        Option(option, (word(option),), min(most, owned))
        for option, owned in (("carrot", own.carrots), ("gold", own.gold))
        if owned
    ]
    return Ask(
        "keep",
        tuple(options),
        least=0,
        most=most,
        default=keeping(deck, own),
        clock=_CLOCKS[Step.KEEP][board.round],
        final=True,
    )


def keeping(deck: Deck, own: SeatBoard) -> Picks:
    """What Scientists keep where their owner decides nothing: Gold first, then Carrots."""
    gold = min(own.gold, keepable(deck, own))
    carrots = min(own.carrots, keepable(deck, own) - gold)
    kept = (("carrot", carrots), ("gold", gold))
    return tuple([Pick(option, amount) for option, amount in kept if amount])


def keep_of(picks: Picks) -> tuple[int, int]:
    """The Carrots and the Gold that an answer keeps."""
    kept = {pick.option: pick.count for pick in picks}
    return kept.get("carrot", 0), kept.get("gold", 0)


def _turn_station(deck: Deck, board: Board, index: int) -> Ask | None:
    return _STATION_ASK


_STATION_ASK: Final = Ask(
    TOPICS[Step.TURN_STATIONS],
    tuple([Option(side, (word(side),)) for side in SIDES]),
    default=(Pick(SIDES[0]),),
    clock=_CLOCKS[Step.TURN_STATIONS][0],
    final=True,
)


def _spend(board: Board, payable: list[Option]) -> Ask | None:
    if not payable:
        return None  # nobody waits for a seat that can do nothing
    step = board.step
    return Ask(
        TOPICS[step], (*payable, READY), default=_READY_PICKS, clock=_CLOCKS[step][board.round]
    )


_QUESTIONS: Final[dict[Step, Callable[[Deck, Board, int], Ask | None]]] = {
    Step.ARRANGE: _arrange,
    Step.GIVE_CARROTS: _give_carrots,
    Step.SPEND_CARROTS: _spend_carrots,
    Step.GIVE_GOLD: _give_gold,
    Step.SPEND_GOLD: _spend_gold,
    Step.TURN_STATIONS: _turn_station,
    Step.KEEP: _keep,
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

#: How gifts are written.
_GIFT: Final = r"(0|[1-9][0-9]*):(0|[1-9][0-9]*)"
#: Questions that are not about cards: what they list says it all.
_OF_WORDS: Final = ("keep", "turn-station", "take-back")


def why_not(deck: Deck, table: Table[Board], index: int, ask: Ask, option: str) -> str:
    """Why that pick is no option of the question: a sentence for its player, "" if there is none.

    Speaks of the player's own board and of what is printed on the card, so it tells nothing hidden.
    """
    own = table.board.seats[index]
    if ask.topic.startswith("give-"):
        return _why_no_gift(table.board, index, ask.topic, option)
    if ask.topic in _OF_WORDS:
        return ""
    if ask.topic == "spend-carrots" and table.board.mission == "jupiter" and is_storing(option):
        return f"You have {own.carrots} Carrots to put into the Warehouse."
    card = deck.index.get(option)
    if card is None:
        return f"There is no card {option!r} in this game."
    name = f"{deck.cards[card].name} ({option})"
    match ask.topic:
        case "arrange" | "arrange.draft":
            return f"{name} is not in your hand or Training Center."
        case "spend-carrots":
            return _why_no_carrots(deck, table.board, own, card, name)
        case "spend-gold":
            return _why_no_gold(deck, table.board, own, card, name)
        case "promote-by-robot":
            return f"{name} is no Rabbit card in your Training Center."
    return ""


def _why_no_carrots(deck: Deck, board: Board, own: SeatBoard, card: int, name: str) -> str:
    to_center = board.mission == "ceres" and card in own.level_1
    to_moon = board.mission == "moon" and card in own.space
    if to_center and deck.kinds[card] == "satellite":
        return f"{name} has no Astronaut side for the Command Center."
    if to_center and len(board.command_center) >= SLOTS:
        return "All slots of the Command Center are filled."
    if not (to_center or to_moon or card in own.training_center):
        return f"{name} is not in your Training Center; only from there it gets to Level 1."
    return f"{name} costs {prices(deck, board)[card]} Carrots and you have {own.carrots}."


def _why_no_gold(deck: Deck, board: Board, own: SeatBoard, card: int, name: str) -> str:
    if card in own.space:
        return f"{name} is in Space already."
    if card not in own.level_1 and card not in own.level_2:
        return f"{name} is not on your Level 1 or Level 2."
    if card in own.level_2 and deck.kinds[card] == "scientist":
        return f"{name} is a Scientist, who never goes into Space."
    return f"{name} costs {prices(deck, board)[card]} Gold and you have {own.gold}."


def _why_no_gift(board: Board, giver: int, topic: str, option: str) -> str:
    receiver, _, amount = option.partition(":")
    if not re.fullmatch(_GIFT, option):
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
