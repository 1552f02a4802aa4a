"""Damage and defeat: what one moment does to everybody, and who falls by it.

All numbers of one moment are a batch (TC-041): what is prevented drops out first, then damage and
healing change each player's HP once, and only then does anybody fall.
"""

from __future__ import annotations

from collections.abc import Iterable

from hutch.engine.rules import Script
from hutch.games.tale_of_carrot.board import (
    NOBODY,
    Board,
    left_of,
    living,
    right_of,
    zones_of,
)
from hutch.games.tale_of_carrot.card_events import HandDiscarded
from hutch.games.tale_of_carrot.events import HeroRevealed, HpChanged, SupremeActivated, VillageFell
from hutch.games.tale_of_carrot.moments import (
    EVASION,
    LAST_STAND,
    LINK,
    REVENGE,
    TRIUMPH,
    WARD,
    Hit,
    TaleTable,
)
from hutch.games.tale_of_carrot.tables import Attacker
from hutch.games.tale_of_carrot.words import tables_of, win


def strike(t: TaleTable, hits: Iterable[Hit], *, unhurt: int = NOBODY) -> Script[None]:
    """Let all hits of one moment land at once; `unhurt` suffers no damage from them."""
    board = t.board
    villages = board.villages
    damage = [0] * len(villages)
    healing = [0] * len(villages)
    wards = WARD.in_effect(board)
    for hit in hits:
        village = villages[hit.seat]
        if village.fallen:  # TC-052: it stops there.
            continue
        if hit.amount < 0:
            healing[hit.seat] -= hit.amount
            continue
        if village.shielded or hit.seat == unhurt:
            continue
        if any(seat == hit.seat and ward(hit) for seat, ward in wards):
            continue
        damage[hit.seat] += hit.amount
    for seat, evade in EVASION.in_effect(board):
        if damage[seat] and (yield from evade(t, seat)):
            damage[seat] = 0
    changes = tuple(
        [
            (seat, damage[seat], healing[seat])
            for seat in range(len(villages))
            if damage[seat] or healing[seat]
        ]
    )
    if not changes:
        return
    t.emit(HpChanged(changes))
    for seat, _, _ in changes:
        if not villages[seat].hp:
            yield from check_defeats(t)
            return


def hits_of(board: Board, owner: int, attacker: Attacker) -> list[Hit]:
    """Where the numbers of a card in that Village point (TC-036)."""
    danger = attacker.danger
    return [
        Hit(seat, amount, danger)
        for seat, amount in (
            (left_of(board, owner), attacker.left),
            (right_of(board, owner), attacker.right),
            (owner, attacker.own),
        )
        if amount
    ]


def attack(t: TaleTable) -> Script[None]:
    """All cards in the active player's Village attack at the same moment (TC-036 to TC-042)."""
    board = t.board
    attackers = tables_of(t).attackers
    hits: list[Hit] = []
    for zone in zones_of(board.active):
        if board.zones[zone]:
            hits += hits_of(board, board.active, attackers[board.zones[zone]])
    if hits:
        yield from strike(t, hits)


def check_defeats(t: TaleTable) -> Script[None]:
    """Everybody at 0 HP falls, unless a Supreme prevents it (TC-044 to TC-050)."""
    board = t.board
    villages = board.villages
    fallen_before = board.falls
    down = [seat for seat in living(board, board.active) if not villages[seat].hp]
    saved = _last_stands(t, down)
    for seat, link in LINK.in_effect(board):
        dragged = link(t, seat, down) if seat in down else None
        if dragged is not None:
            down.append(dragged)
            saved += _last_stands(t, down)
    down = [seat for seat in living(board, board.active) if seat in down]
    for seat in down:
        fall(t, seat)
    for seat, triumphs in TRIUMPH.unused(board, down):
        if triumphs(fallen_before):
            t.emit(SupremeActivated(seat, villages[seat].hero))
            win(t, [seat], villages[seat].hero)
    end_if_decided(t, down)
    for seat in saved:
        if not villages[seat].fallen:
            yield from REVENGE.acts.get(villages[seat].hero, _no_revenge)(t, seat)


def fall(t: TaleTable, seat: int, *, forfeited: bool = False) -> None:
    """The steps of a defeat, for one player (TC-046 to TC-050)."""
    village = t.board.villages[seat]
    if not village.revealed:
        t.emit(HeroRevealed(seat, village.hero))
    t.emit(VillageFell(seat, forfeited))
    if village.hand:
        t.emit(HandDiscarded(seat, village.hand))


def end_if_decided(t: TaleTable, fell: list[int]) -> None:
    """One living player wins; with none, those who just fell share the win (O16)."""
    left = living(t.board)
    if len(left) == 1:
        win(t, left, "last-standing")
    if not left:
        win(t, fell, "shared-fall")


def _last_stands(t: TaleTable, down: list[int]) -> list[int]:
    """Unused 0-HP Supremes act, and whoever they save leaves `down`: those saved."""
    stands = LAST_STAND.unused(t.board, down)
    for seat, stand in stands:
        t.emit(SupremeActivated(seat, t.board.villages[seat].hero))
        stand(t, seat)
        down.remove(seat)
    return [seat for seat, _ in stands]


def _no_revenge(t: TaleTable, seat: int) -> Script[None]:
    yield from ()
