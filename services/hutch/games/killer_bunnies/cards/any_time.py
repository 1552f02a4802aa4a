"""Very Specials, Bug Off, Noah's Flood and The Minilith: cards that answer, or lie and wait."""

from __future__ import annotations

from hutch.engine.prompts import Ask, Option
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Bunny, Game
from hutch.games.killer_bunnies.circle import has_halo, is_viable, spread
from hutch.games.killer_bunnies.deaths import move_off, remove_roamer
from hutch.games.killer_bunnies.deciding import (
    card_option,
    choose_bunny,
    decide,
    question,
    value_of,
)
from hutch.games.killer_bunnies.events.bunnies import FeedsDiscarded, ModifierLaid, TrojanLifted
from hutch.games.killer_bunnies.events.turns import Cancelled, Redirected
from hutch.games.killer_bunnies.interrupts import ANY_TIME, AnyTime, Threat
from hutch.games.killer_bunnies.piles import discard
from hutch.games.killer_bunnies.printed import (
    BUG_OFF,
    CARDS,
    EBOLA,
    MINILITH,
    NOAHS_FLOOD,
    REUSABLES,
    REVERSAL,
    SPATULA,
    SUIT,
    SUNNY_DAY,
    print_card,
)
from hutch.games.killer_bunnies.reuse import may_come_back

ROACHES = 37
FLAME_THROWER = 42
DROUGHT = 56
MAGGOTS = 64


def _print(
    card: int,
    name: str,
    text: str,
    entry: AnyTime,
    *,
    kind: str = "counter",
    pink: bool = False,
) -> None:
    ANY_TIME[card] = entry

    def flipped(table: Game, seat: int, number: int) -> Script[None]:
        yield from entry.answer(table, seat, number, None)

    print_card(
        card,
        name=name,
        type="very_special",
        kind=kind,
        text=text,
        pink=pink,
        guard=lambda board, seat, number: (
            ""
            if entry.occasion(board, seat, None)
            else f"There is nothing for {name} to answer now (O-68)."
        ),
        play=flipped,
    )


# Sunny Day


def _something_for_the_sun(board: Board, seat: int, threat: Threat | None) -> bool:
    if threat is not None and threat.moment == "loss":
        return False
    return (
        any(bunny.feeds for bunny in board.circle)
        or any(roamer.card == EBOLA for roamer in board.roamers)
        or _is_launch_of_ebola(threat)
    )


def _is_launch_of_ebola(threat: Threat | None) -> bool:
    return threat is not None and threat.moment == "launch" and threat.card == EBOLA


def sunny_day(table: Game, seat: int, card: int, threat: Threat | None) -> Script[None]:
    """KB-132: all pending Feed cards go, and Ebola."""
    board = table.board
    for bunny in board.circle:
        if bunny.feeds:
            table.emit(FeedsDiscarded(bunny.card, [feed.card for feed in bunny.feeds], False))
    if threat is not None and _is_launch_of_ebola(threat):
        table.emit(Cancelled(seat, EBOLA, card))
        threat.cancelled = True
    elif any(roamer.card == EBOLA for roamer in board.roamers):
        yield from remove_roamer(table, EBOLA)


_print(
    SUNNY_DAY,
    "Sunny Day",
    "At any time: takes away all pending Feed cards, and Ebola.",
    AnyTime(_something_for_the_sun, sunny_day),
)

# The Magic Spatula


def _cancellable(board: Board, threat: Threat | None) -> list[int]:
    """What can be cancelled: what lies on its target, waiting roamers, a dormant Trojan (O-40)."""
    if threat is not None and threat.moment == "loss":
        return []
    found = [roamer.card for roamer in board.roamers]
    found += [bunny.trojan for bunny in board.circle if bunny.trojan]
    if threat is not None and threat.moment == "launch" and not threat.is_void(board):
        found.insert(0, threat.card)
    return found


def magic_spatula(table: Game, seat: int, card: int, threat: Threat | None) -> Script[None]:
    """KB-133: cancels a weapon, an abduction, a roamer or Defector Detector."""
    board = table.board

    def build() -> Ask:
        options: list[Option] = [
            card_option("cancel", number) for number in _cancellable(board, threat)
        ]
        return question(board, seat, "spatula.target", options, about=card, lays=True)

    if len(_cancellable(board, threat)) == 1:
        gone = _cancellable(board, threat)[0]
    else:
        gone = value_of((yield from decide(table, seat, build, interruptible=False)).option)
    table.emit(Cancelled(seat, gone, card))
    if threat is not None and threat.card == gone:
        threat.cancelled = True
    if any(roamer.card == gone for roamer in board.roamers):
        yield from remove_roamer(table, gone)
        return
    for bunny in board.circle:
        if bunny.trojan == gone:
            launcher = bunny.trojan_by
            table.emit(TrojanLifted(gone, bunny.card))
            if threat is not None:
                threat.fuses.clear()  # there is one Trojan, and laid again it waits
            discard(table, gone)
            yield from may_come_back(table, launcher, gone)
            return


_print(
    SPATULA,
    "The Magic Spatula",
    "At any time: cancels a weapon, an abduction, a Roaming Red Run card or Defector Detector.",
    AnyTime(lambda board, seat, threat: bool(_cancellable(board, threat)), magic_spatula),
)

# Containment Suit


def containment_suit(table: Game, seat: int, card: int, threat: Threat | None) -> Script[None]:
    """KB-155: a modifier for any time, against Fluorine Gas and Ebola."""
    bunny = yield from choose_bunny(
        table, seat, "modifier.target", lambda one: True, about=card, interruptible=False
    )
    if bunny is not None:
        table.emit(ModifierLaid(card, bunny.card))
        yield from move_off(table, bunny)


_print(
    SUIT,
    "Containment Suit",
    "At any time, under any bunny: safe from Fluorine Gas and Ebola.",
    AnyTime(
        lambda board, seat, threat: (
            bool(board.circle) and (threat is None or threat.moment != "loss")
        ),
        containment_suit,
    ),
    kind="modifier",
)

# Reversal Of Fortune


def _other_bunnies(board: Board, threat: Threat) -> list[Bunny]:
    """Any other bunny that the weapon could touch, of any player (O-40, O-46)."""
    return [
        bunny
        for bunny in board.circle
        if bunny.card != threat.bunny and is_viable(board, threat.card, bunny)
    ]


def _can_be_reversed(board: Board, seat: int, threat: Threat | None) -> bool:
    return (
        threat is not None
        and threat.moment == "launch"
        and CARDS[threat.card].kind == "weapon"
        and not threat.at_cyber
        and not threat.is_void(board)
        and bool(_other_bunnies(board, threat))
    )


def reversal(table: Game, seat: int, card: int, threat: Threat | None) -> Script[None]:
    """KB-153: the whole weapon goes to another bunny, as it was launched (O-22)."""
    assert threat is not None
    aimed = threat
    bunny = yield from choose_bunny(
        table,
        seat,
        "reversal.target",
        lambda one: one in _other_bunnies(table.board, aimed),
        about=card,
        interruptible=False,
    )
    if bunny is not None:
        table.emit(Redirected(seat, aimed.card, bunny.card))
        aimed.bunny = bunny.card


_print(
    REVERSAL,
    "Reversal Of Fortune",
    "At any time: sends a weapon that was launched at a bunny to any other bunny.",
    AnyTime(_can_be_reversed, reversal),
    pink=True,
)

# Rooney's Reusables: its window is that of `reuse`.


def nothing_launched(board: Board, seat: int, card: int) -> str:
    """A flipped Reusables has no weapon to use again."""
    return "No weapon of yours has just been used: save it for one (KB-131)."


print_card(
    REUSABLES,
    name="Rooney's Reusables",
    type="very_special",
    kind="weapon_helper",
    text="Uses one of your weapons a second time before it is discarded.",
    pink=True,
    guard=nothing_launched,
)

# Bug Off and Noah's Flood


def _counter(card: int, name: str, weapon: int, loss: int, text: str) -> None:
    def occasion(board: Board, seat: int, threat: Threat | None) -> bool:
        if threat is None:
            return False
        if threat.moment == "loss":
            return threat.card == loss and threat.victim == seat and not threat.cancelled
        return (
            threat.moment == "launch"
            and threat.card == weapon
            and not threat.is_void(board)
            and seat not in threat.spared
            and (not threat.at_cyber or threat.reach > 0)
            and any(
                bunny.seat == seat and not has_halo(bunny)
                for bunny, _ in spread(board, threat.bunny, threat.reach)
            )
        )

    def answer(table: Game, seat: int, number: int, threat: Threat | None) -> Script[None]:
        """KB-146, KB-147: for its owner only, and only where it lies saved."""
        assert threat is not None
        table.emit(Cancelled(seat, threat.card, card))
        threat.cancelled = threat.moment == "loss"
        threat.spared.append(seat)
        yield from ()

    ANY_TIME[card] = AnyTime(occasion, answer, saved_only=True)
    print_card(
        card,
        name=name,
        type="special",
        kind="counter",
        text=text,
        guard=lambda board, seat, number: (
            f"{name} only answers an attack on you, where it lies saved (KB-038)."
        ),
    )


_counter(
    BUG_OFF,
    "Bug Off",
    ROACHES,
    MAGGOTS,
    "Saved, at once: keeps Roaches off your bunnies, or Maggots off your Cabbage.",
)
_counter(
    NOAHS_FLOOD,
    "Noah's Flood",
    FLAME_THROWER,
    DROUGHT,
    "Saved, at once: keeps the Flame Thrower off your bunnies, or Drought off your Water.",
)


# The Minilith

print_card(
    MINILITH,
    name="The Minilith",
    type="special",
    kind="weapon_helper",
    text="While saved, your weapons of level 1 to 9 double, and hit the neighbours too.",
    pink=True,
    guard=lambda board, seat, card: "The Minilith works only while it lies saved (O-69).",
)
