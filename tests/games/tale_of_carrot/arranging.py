"""Arrange a table in the game's words, play on it, and see what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeVar

import msgspec

from hutch.engine.chance import Chance
from hutch.engine.events import Event
from hutch.engine.kernel import deal
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Pick
from hutch.engine.records import Record, encode
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules
from hutch.games import tale_of_carrot
from hutch.games.tale_of_carrot import RULES
from hutch.games.tale_of_carrot.board import Board, Cloak, Step, empty_board
from hutch.games.tale_of_carrot.setup import Options
from hutch.games.tale_of_carrot.tables import CHAMPION, FILES, GOLEMIGLIO, printed, read

E = TypeVar("E", bound=Event)

TABLES = printed()
TEXTS = {name: (files(tale_of_carrot) / "data" / name).read_text() for name in FILES}
SEED = bytes(range(32))

#: Heroes for seats that a test does not care about: none of them acts by itself.
BYSTANDERS = ("archer", "huntress", "priestess", "thief", "gunslinger", "evoker")


def zone(seat: int, number: int = 1) -> str:
    """The option of a Zone: Villages from 0, Zones from 1."""
    return f"village:{seat}/zone:{number}"


def seat(index: int) -> str:
    """The option of a seat."""
    return f"seat:{index}"


def rules_with(file: str, row: str, instead: str) -> Rules:
    """The rules, played with tables in which that row reads otherwise."""
    assert row in TEXTS[file]
    return tale_of_carrot.rules(read({**TEXTS, file: TEXTS[file].replace(row, instead)}))


class Game:
    """A table as a test wants it. Seats without a word of the test have 10 HP and a bystander.

    `heroes` by seat: those with an exclamation mark are revealed and active already. `zones` by
    seat. `rabbits` and `adventures` are the next cards, the first drawn first; the deck's other
    cards lie below them, or those of `deck`.
    """

    def __init__(
        self,
        seats: int = 4,
        *,
        step: Step = Step.INVASION,
        active: int = 0,
        turn: int = 5,
        heroes: Mapping[int, str] | None = None,
        hp: Mapping[int, int] | None = None,
        fallen: Iterable[int] = (),
        zones: Mapping[int, Sequence[str]] | None = None,
        rabbits: Sequence[str] = (),
        adventures: Sequence[str] = (),
        discards: Sequence[str] = (),
        deck: Sequence[str] | None = None,
        adventure_deck: Sequence[str] | None = None,
        slots: Mapping[int, Sequence[str]] | None = None,
        reserve: Mapping[int, Sequence[str]] | None = None,
        supply: Mapping[str, int] | None = None,
        shielded: Iterable[int] = (),
        suffered: Mapping[int, int] | None = None,
        hand: Mapping[int, str] | None = None,
        cloak: tuple[int, int] | None = None,
        pizzas: Mapping[int, int] | None = None,
        falls: int | None = None,
        options: Mapping[str, Any] | None = None,
        rules: Rules = RULES,
        **more: Any,
    ) -> None:
        fallen = list(fallen)
        board = empty_board(seats)
        board.first = board.active = active
        board.turn, board.step = turn, step
        taken = [name.rstrip("!") for name in (heroes or {}).values()]
        bystanders = [name for name in BYSTANDERS if name not in taken]
        spares = [name for name in TABLES.heroes if name not in taken and name not in bystanders]
        for index, village in enumerate(board.villages):
            name = (heroes or {}).get(index) or bystanders.pop(0)
            village.hero = name.rstrip("!")
            village.revealed = village.spent = name.endswith("!")
            village.spare = spares.pop()
            village.hp = (hp or {}).get(index, 10)
            village.slots = list((slots or {}).get(index, ()))
            village.reserve = list((reserve or {}).get(index, ()))
            village.shielded = index in shielded
            village.suffered = (suffered or {}).get(index, 0)
            village.hand = (hand or {}).get(index, "")
            village.pizzas = (pizzas or {}).get(index, 0)
            if index in fallen:
                village.hp, village.fallen, village.revealed = 0, True, True
        for owner, cards in (zones or {}).items():
            for number, card in enumerate(cards):
                board.zones[2 * owner + number] = card
        out = {*board.zones, *discards, *rabbits, *(hand or {}).values()}
        board.rabbit_discards = list(discards)
        rest = [ref for ref in TABLES.rabbits if ref not in out] if deck is None else list(deck)
        board.rabbits = rest + list(reversed(rabbits))
        tales = TABLES.adventures if adventure_deck is None else adventure_deck
        board.adventures = [ref for ref in tales if ref not in adventures]
        board.adventures += reversed(adventures)
        board.supply = {
            token: count
            - sum(v.slots.count(token) + v.reserve.count(token) for v in board.villages)
            for token, count in TABLES.supply.items()
        }
        board.supply.update(supply or {})
        board.golemiglios = 10 - board.zones.count(GOLEMIGLIO)
        board.cloak = Cloak(*cloak) if cloak else None
        board.falls = len(fallen) if falls is None else falls
        board.acting = [i for i, village in enumerate(board.villages) if village.spent]
        for name, value in more.items():
            setattr(board, name, value)
        self.live = Live(rules, record_of(rules, board, seats, options), forget=False)

    @property
    def board(self) -> Board:
        """What lies on the table now."""
        board: Board = self.live.table.board
        return board

    @property
    def hp(self) -> list[int]:
        """HP by seat."""
        return [village.hp for village in self.board.villages]

    @property
    def winners(self) -> tuple[int, ...]:
        """Who won; nobody while the game goes on."""
        return () if self.live.result is None else self.live.result.winners

    @property
    def asked(self) -> tuple[int, str]:
        """Who is asked, and about what: for questions to one seat."""
        ((only, ask),) = self.live.asks.items()
        return only, ask.topic

    def ask(self, of: int | None = None) -> Ask:
        """The open question of that seat; of the only one asked."""
        return self.live.asks[self.asked[0] if of is None else of]

    def options(self, of: int | None = None) -> list[str]:
        """What that seat may pick."""
        return [option.id for option in self.ask(of).options]

    def cards(self, owner: int) -> list[str]:
        """What lies in the two Zones of a Village."""
        return self.board.zones[2 * owner : 2 * owner + 2]

    def told(self, kind: type[E]) -> list[E]:
        """The events of that kind, in order."""
        return [event for event in self.live.table.events if isinstance(event, kind)]

    def pick(self, *options: str, by: int | None = None) -> Game:
        """Answer the open question of that seat (of the only one asked)."""
        refusal = self.attempt(*options, by=by)
        assert refusal is None, refusal
        return self

    def attempt(self, *options: str, by: int | None = None) -> Refusal | None:
        """Answer, and see whether it is refused."""
        answering = self.asked[0] if by is None else by
        picks = tuple([Pick(option) for option in options])
        return self.live.answer(answering, self.live.ask_numbers[answering], picks)

    def default(self) -> Game:
        """Let the clock answer once."""
        answering = min(self.live.asks)
        ask = self.live.asks[answering]
        refusal = self.live.answer(answering, self.live.ask_numbers[answering], ask.default)
        assert refusal is None, refusal
        return self

    def until(self, topic: str, *, of: int | None = None) -> Game:
        """Let the clock answer until that question is open (to that seat)."""
        for _ in range(500):
            if any(
                ask.topic == topic and of in (None, asked) for asked, ask in self.live.asks.items()
            ):
                return self
            assert self.live.result is None, f"the game ended before {topic!r} was asked"
            self.default()
        raise AssertionError(f"{topic!r} is never asked")

    def until_turn(self, active: int) -> Game:
        """Let the clock answer until that seat's turn begins."""
        turn = self.board.turn
        while not (self.board.active == active and self.board.turn > turn):
            assert self.live.result is None, "the game ended"
            self.default()
        return self


def record_of(
    rules: Rules, board: Board, seats: int, options: Mapping[str, Any] | None = None
) -> Record:
    """A stored game that stands at that board."""
    outcome = deal(rules, seats=seats, options=dict(options or {}), seed=SEED, at_ms=0)
    assert not isinstance(outcome, Refusal), outcome
    chosen = msgspec.convert(options or {}, Options)
    return msgspec.structs.replace(
        outcome.record,
        options=msgspec.Raw(encode(chosen)),
        board=rules.encode_board(board),
        draws=Chance(SEED).draws,
        inputs=[],
        standing=[],
        clocks=[],
    )


def everything(board: Board) -> dict[str, int]:
    """How many of each card and token there are, wherever they lie: what nothing may change."""
    counts: dict[str, int] = {}

    def count(things: Iterable[str]) -> None:
        for thing in things:
            if thing and thing != CHAMPION:
                counts[thing] = counts.get(thing, 0) + 1

    count(board.zones)
    count(board.rabbits)
    count(board.rabbit_discards)
    count(board.raised)
    count([board.held])
    for village in board.villages:
        count([village.hand])
        count([f"token {token}" for token in (*village.slots, *village.reserve)])
    count([card for card in (*board.adventures, *board.adventure_discards) if card != "pizza"])
    count([board.adventure if board.adventure != "pizza" else ""])
    for token, number in board.supply.items():
        count([f"token {token}"] * number)
    if board.in_use is not None:
        count([f"token {board.in_use.token}"])
    count([GOLEMIGLIO] * board.golemiglios)
    return counts
