"""Ways: a short script for each way of asking, and rules that play it without the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.engine.asking import ask_seat, each, joint, pass_or, passes, sealed, window
from hutch.engine.prompts import Ask, Option, Picks, Reply, picks
from hutch.engine.rules import Rules, Script
from tests.engine import toy
from tests.engine.arranging import choice, scripted
from tests.engine.toy import Tabled, Took


def seal_and_take(table: Tabled) -> Script[None]:
    """All choose unseen how many carrots they take."""

    def build(seat: int) -> Ask | None:
        return None if table.board.left[seat] else choice("bid", "1", "2", "3")

    chosen = yield from sealed(table, range(table.seats), build)
    for seat, bid in chosen.items():
        table.emit(Took(seat, int(bid[0].option)))


SEALED: Final = scripted(seal_and_take)


def plan(drafts: int = 12, take_backs: int = 3) -> Rules:
    """Rules of an open planning, with so many drafts and take-backs for each seat."""

    def play(table: Tabled) -> Script[None]:
        yield from joint(
            table,
            range(table.seats),
            lambda seat: None if table.board.left[seat] else choice("plan", "low", "high"),
            lambda seat, picked, ready: table.emit(
                toy.Drafted(seat, picked[0].option if picked else "", ready)
            ),
            drafts=drafts,
            take_backs=take_backs,
        )

    return scripted(play)


PLAN: Final = plan()


def work(table: Tabled) -> Script[None]:
    """Everybody takes carrots until they rest; taking "all" changes what others are asked."""
    board = table.board

    def build(seat: int) -> Ask | None:
        if board.digs[seat] or board.left[seat]:
            return None
        options = ("one", "rest") if max(board.carrots) > 3 else ("one", "all", "rest")
        return choice("work", *options, default=picks("rest"))

    def do(reply: Reply) -> bool:
        match reply.option:
            case "one":
                table.emit(Took(reply.seat, 1))
            case "all":
                table.emit(Took(reply.seat, 9))
                return True
            case _:
                table.emit(toy.Tired(reply.seat))
        return False

    yield from each(table, range(table.seats), build, do, last="rest")


WORK: Final = scripted(work)


def snatch(table: Tabled) -> Script[None]:
    """Carrots for whoever is first, while there are seats with fewer than two."""

    def build(seat: int) -> Ask | None:
        if table.board.carrots[seat] >= 2 or table.board.left[seat]:
            return None
        return pass_or("snatch", (Option("take"), Option("last")))

    def play(reply: Reply) -> Script[bool]:
        table.emit(Took(reply.seat, 1))
        sure = yield from ask_seat(table, reply.seat, lambda: choice("sure", "yes", "no"))
        assert sure is not None
        return reply.option == "last"

    yield from window(table, lambda: range(table.seats), build, play)


WINDOW: Final = scripted(snatch)


def bid_in_turn(table: Tabled) -> Script[None]:
    """A carrot for each bid, seat after seat; buying ends it."""

    def build(seat: int) -> Ask | None:
        if table.board.left[seat]:
            return None
        return pass_or("bid", (Option("raise"), Option("buy")))

    def play(reply: Reply) -> Script[bool]:
        table.emit(Took(reply.seat, 1))
        return reply.option == "buy"
        yield

    yield from passes(table, lambda: range(table.seats), build, play)


PASSES: Final = scripted(bid_in_turn)


def with_cards(script: toy.Play) -> Rules:
    """That script, where seat 1 holds two cards to play at any time: they cost seat 0 a carrot."""

    def offers(table: Tabled) -> Mapping[int, Ask]:
        held = 2 - len(table.board.pile)
        return {1: choice("card", *[f"card-{n}" for n in range(held)])} if held else {}

    def interject(table: Tabled, seat: int, picked: Picks) -> Script[None]:
        table.emit(toy.Discarded(1))
        sure = yield from ask_seat(table, seat, lambda: choice("sure", "yes", "no"))
        if sure is not None and sure.option == "yes":
            table.emit(Took(0, -1))

    return scripted(script, offers=offers, interject=interject)


def target(table: Tabled) -> Script[None]:
    """Seat 0 chooses how many of its carrots to eat; without any it is not asked at all."""
    table.emit(Took(0, 2))

    def build() -> Ask | None:
        carrots = table.board.carrots[0]
        return choice("eat", *map(str, range(1, carrots + 1))) if carrots else None

    reply = yield from ask_seat(table, 0, build)
    table.emit(Took(1, int(reply.option) if reply is not None else 100))


INTERJECTED: Final = with_cards(target)
