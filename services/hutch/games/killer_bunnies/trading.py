"""Trading: offers, counter-offers and the swap (KB-156 to KB-163, O-54)."""

from __future__ import annotations

from functools import cache

from hutch.engine.prompts import Ask, Option, Picks, seat, word
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import (
    PLAYING,
    Board,
    Game,
    Goods,
    Offer,
    Supply,
    is_over,
    purse_of,
)
from hutch.games.killer_bunnies.circle import bunnies_of, find
from hutch.games.killer_bunnies.deciding import (
    card_options,
    choose_seat,
    clock_of,
    decide,
    number_option,
    some_of,
    value_of,
    wants,
    word_question,
)
from hutch.games.killer_bunnies.events.goods import (
    CarrotMoved,
    SavedCardMoved,
    TradeCardsNamed,
    TradeClosed,
    TradeOffered,
    TradeOpened,
)
from hutch.games.killer_bunnies.events.piles import HandCardsSwapped
from hutch.games.killer_bunnies.placing import change_owners
from hutch.games.killer_bunnies.printed import CARDS, CARROT_CARDS
from hutch.games.killer_bunnies.purse import hand_over, total

SUPPLIES: tuple[Supply, ...] = ("dolla", "cabbage", "water")
#: What a proposer may wish for among hidden hand cards: the kinds of cards, in words.
WISHES = tuple(
    f"wish:{kind}"
    for kind in ("anything", "bunny", "carrot_choice", "weapon", "feed", "modifier", "special")
)


def why_not_trade(table: Game, one: int, other: int) -> str:
    """Why those two may not deal now."""
    board = table.board
    if is_over(board):
        return "The last Carrot is taken: no more trades (KB-163)."
    if board.active not in (one, other):
        return "Two players trade only in the turn of one of them (KB-156)."
    partner = other if one == board.active else one
    if one == other or board.seats[partner].state != PLAYING:
        return "There is nobody there to trade with."
    if board.seats[partner].chains >= table.options.trade_chains:
        return "You two have dealt often enough in this turn (O-54)."
    return ""


def why_not_tradable(board: Board, owner: int, side: str, item: str) -> str:
    """Why a thing such as `carrot:4`, `bunny:12` or `saved:80` may not change hands."""
    kind, _, number = item.partition(":")
    if kind in ("top", "bottom"):
        return "Top and Bottom Run cards can never be traded (KB-159)."
    if not number.isdecimal():
        return "That is nothing that players trade (KB-157)."
    thing = int(number)
    player = board.seats[owner]
    if kind == "hand" and thing in (player.top, player.bottom):
        return "Top and Bottom Run cards can never be traded (KB-159)."
    marked = CARROT_CARDS.get(thing, 0) if kind == "carrot" else thing
    if marked in board.traded:
        return f"{CARDS[marked].name} was traded before: once in a game is enough (KB-160)."
    owned = {
        "carrot": player.carrots,
        "bunny": [bunny.card for bunny in bunnies_of(board, owner)],
        "saved": player.saved,
        "hand": player.hand if side == "give" else [],
    }.get(kind, [])
    return "" if thing in owned else "Its owner does not have that to trade (KB-157)."


def partners(table: Game) -> list[int]:
    """Whom the turn player may deal with now."""
    board = table.board
    seats, active, most = board.seats, board.active, table.options.trade_chains
    return [
        other
        for other in board.order
        if other != active and seats[other].chains < most and seats[other].state == PLAYING
    ]


def open_trade(table: Game) -> Script[None]:
    """The turn player seeks a partner."""
    board = table.board
    willing = partners(table)
    partner: int | None = willing[0]
    if len(willing) > 1:
        partner = yield from choose_seat(
            table, board.active, "trade.partner", lambda: partners(table)
        )
    if partner is not None:
        yield from negotiate(table, board.active, partner)


def negotiate(table: Game, proposer: int, partner: int) -> Script[None]:
    """A chain of offers between two players, to a trade or not."""
    board = table.board
    other = partner if proposer == board.active else proposer
    table.emit(TradeOpened(proposer, partner, other))
    by, to = proposer, partner
    for left in reversed(range(table.options.trade_offers)):
        if not (yield from _offer(table, by, to)):
            break
        answers = ("accept", "decline", "counter") if left else ("accept", "decline")
        answer = yield from _answer(table, to, answers)
        if answer == "accept":
            if (yield from _hands_agree(table, by, to)) and _holds(board, board.offer):
                yield from _swap(table, by, to)
                return
            break
        if answer == "decline":
            break
        by, to = to, by
    table.emit(TradeClosed(by, to, False, []))


def _offer(table: Game, by: int, to: int) -> Script[bool]:
    """The proposer says what he gives and wants; nothing at all ends the chain."""
    board = table.board

    def build() -> Ask:
        options = _things(table, by, to)
        return Ask(
            "trade.offer",
            tuple(options),
            0,
            sum([option.most for option in options]),
            about=(seat(to),),
            clock=clock_of(board, by),
        )

    reply = yield from decide(table, by, build)
    give, want, hand = _read(reply.picks)
    if len(hand) > len(board.seats[to].hand):
        hand = hand[: len(board.seats[to].hand)]
    if not hand and give == Goods() and want == Goods():
        return False
    wish = ""
    if hand:
        # Across a question places in the hand are kept, not cards: in worlds that others imagine
        # other cards lie there. Nothing is played in between, for an offer is one act.
        cards = board.seats[by].hand
        places = [cards.index(card) for card in hand]

        def wishes() -> Ask:
            return word_question("trade.wish", WISHES, WISHES[0], clock_of(board, by))

        reply = yield from decide(table, by, wishes, interruptible=False)
        wish = reply.option.removeprefix("wish:")
        hand = [cards[place] for place in places]
        if not _holds(board, Offer(by, to, give, want, hand)):
            return False
    table.emit(TradeOffered(by, to, give, want, hand, wish))
    return True


def _answer(table: Game, to: int, answers: tuple[str, ...]) -> Script[str]:
    """Accept, decline or counter; an offer of which something moved can only be turned down."""
    board = table.board
    just_made = True

    def build() -> Ask:
        nonlocal just_made
        holds, just_made = just_made or _holds(board, board.offer), False
        possible = answers if holds else answers[1:]
        return word_question("trade.answer", possible, "decline", clock_of(board, to))

    return (yield from decide(table, to, build)).option


def _hands_agree(table: Game, by: int, to: int) -> Script[bool]:
    """The partner names as many hand cards as he gets, and the proposer confirms (O-54).

    Who names fewer, or does not answer in time, turns the deal down.
    """
    board = table.board
    offer = board.offer
    assert offer is not None
    if not offer.hand:
        return True
    count = len(offer.hand)

    def build() -> Ask:
        options = card_options("hand", board.seats[to].hand)
        most = min(count, len(options))
        return some_of(board, to, "trade.hand", options, least=0, most=most)

    reply = yield from decide(table, to, build)
    named = [value_of(option) for option in reply.taken]
    if len(named) != count:
        return False
    table.emit(TradeCardsNamed(to, by, named))
    return (yield from wants(table, by, "trade.confirm"))


def _swap(table: Game, by: int, to: int) -> Script[None]:
    """Everything goes over at once; bunnies, saved cards and Carrots are marked (KB-160, O-70)."""
    board = table.board
    offer = board.offer
    assert offer is not None
    marked: list[int] = []
    bunnies: list[tuple[int, int]] = []
    if offer.hand:
        table.emit(HandCardsSwapped(by, to, list(offer.hand), list(offer.named)))
    for giver, taker, goods in ((by, to, offer.give), (to, by, offer.want)):
        for supply in SUPPLIES:
            hand_over(table, giver, taker, supply, getattr(goods, supply))
        for carrot in goods.carrots:
            table.emit(CarrotMoved(giver, taker, carrot))
            marked.append(CARROT_CARDS[carrot])
        for number in goods.saved:
            table.emit(SavedCardMoved(giver, taker, number))
            marked.append(number)
        bunnies += [(bunny, taker) for bunny in goods.bunnies]
    table.emit(TradeClosed(by, to, True, marked + [bunny for bunny, _ in bunnies]))
    yield from change_owners(table, bunnies)


def _things(table: Game, by: int, to: int) -> list[Option]:
    """All that may be in an offer, given and wanted."""
    board = table.board
    things: list[Option] = []
    traded = board.traded
    for side, owner in (("give", by), ("want", to)):
        player = board.seats[owner]
        for supply in SUPPLIES:
            amount = total(supply, purse_of(player, supply))
            if amount:
                things.append(_amount(side, supply, amount))
        if player.carrots:
            carrots = [carrot for carrot in player.carrots if CARROT_CARDS[carrot] not in traded]
            things += [number_option(f"{side}:carrot", carrot) for carrot in carrots]
        bunnies = [bunny.card for bunny in board.circle if bunny.seat == owner]
        if bunnies:
            bunnies = [card for card in bunnies if card not in traded]
            things += card_options(f"{side}:bunny", bunnies)
        if player.saved:
            saved = [card for card in player.saved if card not in traded]
            things += card_options(f"{side}:saved", saved)
    if board.seats[to].hand:
        things += card_options("give:hand", board.seats[by].hand)
    return things


_AMOUNTS: dict[tuple[str, str, int], Option] = {}


def _amount(side: str, supply: str, most: int) -> Option:
    """The option of so much money or supplies, made once."""
    option = _AMOUNTS.get((side, supply, most))
    if option is None:
        option = Option(f"{side}:{supply}", (word(side), word(supply)), most)
        _AMOUNTS[side, supply, most] = option
    return option


@cache
def _parts(option_id: str) -> tuple[str, str, int]:
    """Side, kind and number of an option, such as `give:bunny:12`."""
    side, kind, *number = option_id.split(":")
    return side, kind, int(number[0]) if number else 0


def _read(picks: Picks) -> tuple[Goods, Goods, list[int]]:
    """The two sides of an offer, and the hand cards given."""
    sides = {"give": Goods(), "want": Goods()}
    hand: list[int] = []
    for pick in picks:
        side, kind, number = _parts(pick.option)
        goods = sides[side]
        match kind:
            case "dolla":
                goods.dolla = pick.count
            case "cabbage":
                goods.cabbage = pick.count
            case "water":
                goods.water = pick.count
            case "carrot":
                goods.carrots.append(number)
            case "bunny":
                goods.bunnies.append(number)
            case "saved":
                goods.saved.append(number)
            case _:
                hand.append(number)
    return sides["give"], sides["want"], hand


def _holds(board: Board, offer: Offer | None) -> bool:
    """Whether both players and everything in the offer are still there.

    O-54: an offer dies when a thing moves. KB-166: who has left gives nothing away any more.
    """
    if offer is None or is_over(board):
        return False
    if any(board.seats[party].state != PLAYING for party in (offer.by, offer.to)):
        return False
    return _side_holds(board, offer.by, offer.give, offer.hand) and _side_holds(
        board, offer.to, offer.want, offer.named
    )


def _side_holds(board: Board, owner: int, goods: Goods, hand: list[int]) -> bool:
    player = board.seats[owner]
    return (
        goods.dolla <= total("dolla", player.dolla)
        and goods.cabbage <= sum(player.cabbage)
        and goods.water <= sum(player.water)
        and all(carrot in player.carrots for carrot in goods.carrots)
        and all(number in player.saved for number in goods.saved)
        and all(number in player.hand for number in hand)
        and all(
            (bunny := find(board, number)) is not None and bunny.seat == owner
            for number in goods.bunnies
        )
    )
