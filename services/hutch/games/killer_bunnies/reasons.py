"""Reasons: why a pick is no option, from the guards that left it out."""

from __future__ import annotations

from hutch.engine.prompts import Ask
from hutch.games.killer_bunnies.board import Board, Game, is_over
from hutch.games.killer_bunnies.circle import find, has_halo, has_triplet
from hutch.games.killer_bunnies.feeding import can_flo_serve, why_not_feed
from hutch.games.killer_bunnies.interrupts import ANY_TIME
from hutch.games.killer_bunnies.market import why_not_buy
from hutch.games.killer_bunnies.playable import (
    why_not_decline,
    why_not_discard,
    why_not_from_hand,
    why_not_pink,
    why_not_play,
    why_not_save,
    why_not_saved,
)
from hutch.games.killer_bunnies.printed import CARDS, MINILITH
from hutch.games.killer_bunnies.targets import why_not_target
from hutch.games.killer_bunnies.trading import why_not_tradable, why_not_trade

#: Questions about a bunny that the Halo and its owner may shield.
AIMED = ("weapon.target", "feed.target", "roamer.target", "abduction.target")


def why_not(table: Game, seat: int, ask: Ask, option: str) -> str:
    """A sentence for a pick that the question does not list; "" where there is no rule to name."""
    if is_over(table.board):
        return "The last Carrot is taken: nothing more can be done (KB-169)."
    verb, _, rest = option.partition(":")
    if ask.topic == "trade.offer" and verb in ("give", "want"):
        return _of_goods(table, seat, ask, verb, rest)
    card = int(rest) if rest.isdecimal() and int(rest) in CARDS else 0
    if ask.topic in AIMED and verb == "bunny" and card and ask.about:
        return _of_target(table.board, seat, ask, card)
    if ask.topic == "misfortune.victim" and verb == "bunny" and card:
        bunny = find(table.board, card)
        if bunny is not None and has_halo(bunny):
            return "A bunny with the Heavenly Halo is safe from misfortune (KB-020)."
        return "With a bunny of your own to lose you must kill one of those (KB-020)."
    if ask.topic == "roulette.stake":
        return "You stake a bunny of your own without the Halo (KB-143, KB-144)."
    if ask.topic == "run.use":
        return _of_use(table.board, seat, ask, verb)
    return _of_act(table, seat, option, verb, rest, card)


def _of_act(table: Game, seat: int, option: str, verb: str, rest: str, card: int) -> str:
    """What a player may try in an open moment, or beside a question."""
    board = table.board
    player = board.seats[seat]
    match verb:
        case "buy":
            return why_not_buy(table, seat, option)
        case "feed" if card:
            return why_not_feed(table, seat, card)
        case "flo":
            if not can_flo_serve(board, seat):
                return "Flo's free feeding is for her owner, once in a game (KB-080)."
            return "That bunny has nothing to be fed for."
        case "trade":
            other = int(rest) if rest.isdecimal() and int(rest) in board.order else board.active
            return why_not_trade(table, seat, other)
        case "flip":
            return _of_turn(board, seat) or "You have no Top Run card to flip (O-55)."
        case "hand" if card:
            return (
                _not_held(player.hand, card)
                or _of_turn(board, seat)
                or why_not_from_hand(board, seat, card)
            )
        case "discard" if card:
            return (
                _not_held(player.hand, card)
                or _of_turn(board, seat)
                or why_not_discard(board, seat, card)
            )
        case "save" if card:
            return "Only the run cycle saves a card, never the hand (KB-037)."
        case "saved" if card:
            if card not in player.saved:
                return "You have not saved that card."
            if seat != board.active:
                return "A Special is played only in its owner's own turn (KB-038)."
            return why_not_saved(board, seat, card)
        case "play" if card:
            return _of_any_time(board, seat, card)
        case "drop":
            if card != MINILITH or MINILITH not in player.saved:
                return "Only a saved Minilith may be thrown away like that (KB-151)."
            return "The Minilith may be discarded in your own turn only (KB-151)."
        case "pass" | "no-play":
            return "There is no pass: flip your Top Run card, or discard a Special (KB-025)."
    return ""


def _of_turn(board: Board, seat: int) -> str:
    if seat != board.active:
        return "It is not your turn (KB-018)."
    if board.stage == "after":
        return "Your play of this turn is made (KB-024)."
    if board.stage == "between" and not has_triplet(board, seat):
        return "A second play needs a Bunny Triplet (KB-058)."
    return ""


def _of_any_time(board: Board, seat: int, card: int) -> str:
    player = board.seats[seat]
    if card not in player.hand and card not in player.saved:
        return "You do not hold that card."
    printed = CARDS[card]
    if not printed.savable:
        return f"{printed.name} is a Run card: it must go through the run cycle (KB-034)."
    if printed.type == "special" and card not in ANY_TIME:
        return f"{printed.name} is a Special: play it in your own turn (KB-038)."
    if printed.type == "special" and card in player.hand:
        return f"{printed.name} answers only where it lies saved (KB-038)."
    return why_not_pink(board, seat, card) or why_not_play(board, seat, card)


def _of_use(board: Board, seat: int, ask: Ask, verb: str) -> str:
    card = int(str(ask.about[0].value))
    match verb:
        case "play":
            return why_not_play(board, seat, card)
        case "save":
            return why_not_save(board, seat, card)
        case "discard":
            return why_not_decline(board, seat, card)
    return "Flipping a card and deciding its use are one act (O-33)."


def _of_target(board: Board, seat: int, ask: Ask, card: int) -> str:
    bunny = find(board, card)
    if bunny is None:
        return "That bunny is not in the circle."
    weapon = int(str(ask.about[0].value))
    if ask.topic == "weapon.target" and board.seats[seat].karma and bunny.seat != seat:
        return "Bad Karma: the weapon must go to one of your own bunnies (KB-108)."
    return why_not_pink(board, seat, weapon) or why_not_target(board, seat, weapon, bunny)


def _of_goods(table: Game, seat: int, ask: Ask, side: str, item: str) -> str:
    partner = int(ask.about[0].value)
    owner = seat if side == "give" else partner
    if item.partition(":")[0] in ("dolla", "cabbage", "water"):
        return "Nobody can trade more than he has (KB-157)."
    if side == "want" and item.startswith("hand:"):
        return "Hand cards are hidden: you may only wish, and the partner names them (KB-158)."
    return why_not_tradable(table.board, owner, side, item)


def _not_held(hand: list[int], card: int) -> str:
    return "" if card in hand else "That card is not in your hand."
