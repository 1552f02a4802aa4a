"""`hutch play`: a person in the terminal at a table with bots."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hutch.cli.answers import (
    AnswerError,
    default_numbers,
    how_many,
    labels,
    named,
    picks_from,
    texts,
)
from hutch.cli.boards import art_of
from hutch.cli.boards.art import Sitting
from hutch.cli.happenings import Teller
from hutch.cli.names import strategies
from hutch.cli.reaching import (
    ADDRESS,
    PATIENCE,
    AuthorityFile,
    GatewayAddress,
    options_for,
    reach,
)
from hutch.cli.sentences import in_a_sentence
from hutch.client import HutchError
from hutch.client.sync import Hutch, Seat, Turn, connect
from hutch.v1 import catalog_service_pb2, table_pb2

_ACCENT: Final = "#f08a3c"
_FAINT: Final = "grey42"
_SALT_BYTES: Final = 16
_WIDEST: Final = 120
_HELP: Final = (
    "numbers such as 2 5 or 1x4 · - for nothing · Enter for [{default}] · u undo · q leave"
)


def play(
    address: GatewayAddress = ADDRESS,
    ca: AuthorityFile = None,
    name: Annotated[str, typer.Option(help="How others see you.")] = "You",
    game: Annotated[str, typer.Option(help="Which game.")] = "rabbit-space",
    seats: Annotated[
        int, typer.Option(min=0, help="Players at the table; 0 for as many as it takes.")
    ] = 0,
    bots: Annotated[
        str, typer.Option(help="Strategies of the others, seated in turn, with commas between.")
    ] = "greedy",
) -> None:
    """Play a game against bots, in the terminal."""
    console = Console(highlight=False)
    with in_a_sentence("play"):
        credentials = reach(address, ca)
        with connect(address, retries=PATIENCE, credentials=credentials) as hutch:
            hutch.guest(name)
            _Game(hutch, console, game, options_for(address, ca)).play(seats, strategies(bots))


class _Left(Exception):
    """The person gave the seat up."""


class _Game:
    """One game, from taking a seat to the result."""

    def __init__(self, hutch: Hutch, console: Console, game: str, reaching: Sequence[str]) -> None:
        self._hutch = hutch
        self._console = console
        self._reaching = reaching
        self._cards = {card.card: card for card in hutch.cards(game)}
        rulesets = {ruleset.ruleset: ruleset for ruleset in hutch.rulesets()}
        self._ruleset: catalog_service_pb2.Ruleset = rulesets[game]
        self._names: list[str] = []

    def play(self, seats: int, bots: Sequence[str]) -> None:
        """Open a table, seat the bots, and play until the game is over or the person leaves."""
        table = self._hutch.create_table(
            self._ruleset.ruleset, seats=seats or self._ruleset.max_seats
        )
        opened, salt = table.get(), secrets.token_bytes(_SALT_BYTES)
        seat = table.claim(0, salt=salt)
        for other in range(1, len(opened.seats)):
            table.assign_bot(other, bots[(other - 1) % len(bots)])
        self._names = [one.display_name or one.bot for one in table.start().seats]
        try:
            for turn in seat.play():
                self._answer(seat, turn)
        except (_Left, KeyboardInterrupt):
            seat.leave()
            self._console.print(Text("You left; a bot plays on for you.", style=_FAINT))
            return
        self._draw(table.view())
        self._conclude(table.get().result)
        self._tell_how_to_check(opened, salt)

    def _answer(self, seat: Seat, turn: Turn) -> None:
        self._console.print()
        self._tell(turn.events)
        self._draw(turn.view())
        self._ask(turn.prompt)
        while True:
            typed = self._read(turn.prompt)
            try:
                if typed == "u":
                    seat.undo()
                    return  # the question before is asked afresh
                answered = turn.answer(*picks_from(typed, turn.prompt))
            except AnswerError as mistake:
                self._console.print(Text(str(mistake), style="yellow"))
                continue
            except HutchError as refused:
                if refused.is_transient:
                    raise
                self._console.print(Text(refused.sentence, style="yellow"))
                continue
            if answered is None:
                self._console.print(Text("That question had closed meanwhile.", style="yellow"))
            return

    def _tell(self, events: Iterable[table_pb2.Event]) -> None:
        """What happened since the question before."""
        grid = Table.grid(padding=(0, 1))
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column(style=_FAINT)
        for who, what in Teller(self._cards, self._names).paragraphs(events):
            grid.add_row(Text(who), Text(what))
        self._console.print(grid, width=min(self._console.width, _WIDEST))

    def _draw(self, view: table_pb2.View) -> None:
        art = art_of(view)
        if art is None:
            return
        width = min(self._console.width, _WIDEST)
        sitting = Sitting(view=view, cards=self._cards, names=self._names)
        self._console.print(
            Panel(
                art.board(sitting, width - 4),
                title=art.headline(view),
                title_align="left",
                border_style=_FAINT,
                width=width,
            )
        )

    def _ask(self, prompt: table_pb2.Prompt) -> None:
        topic = self._ruleset.topics.get(prompt.topic, prompt.topic)
        question = Text().append(topic, style="bold")
        question.append(f"  (pick {how_many(prompt)})", style=_FAINT)
        self._console.print(question)
        grid, told = Table.grid(padding=(0, 1)), set[str]()
        grid.add_column(width=5, justify="right")
        grid.add_column()

        def explain(words: str, subjects: Iterable[table_pb2.Subject]) -> Text:
            """Those words with what the cards say, where it was not said above."""
            fresh = [text for text in texts(subjects, self._cards) if text not in told]
            told.update(fresh)
            if not fresh:
                return Text(words)
            return Text(f"{words}: ").append(" ".join(fresh), style=_FAINT)

        if prompt.subjects:
            about = named(prompt.subjects, self._cards, self._names)
            grid.add_row(Text("about", style=_FAINT), explain(about, prompt.subjects))
        for number, label in enumerate(labels(prompt, self._cards, self._names), 1):
            option = prompt.options[number - 1]
            grid.add_row(Text(str(number), style=_ACCENT), explain(label, option.subjects))
        self._console.print(grid)

    def _read(self, prompt: table_pb2.Prompt) -> str:
        self._console.print(Text(_HELP.format(default=default_numbers(prompt)), style=_FAINT))
        try:
            typed = self._console.input(Text("> ", style=_ACCENT)).strip()
        except EOFError:
            raise _Left from None
        if typed == "q":
            raise _Left
        return typed

    def _conclude(self, result: table_pb2.Result) -> None:
        text = Text()
        if result.HasField("team_score"):
            text.append(f"The team has {result.team_score} points: ", style="bold")
        for number, points in enumerate(result.scores):
            won = number in result.winners and not result.HasField("team_score")
            text.append(f"{self._names[number]} {points}", style="bold" if won else "")
            text.append("  ")
        self._console.print(text)

    def _tell_how_to_check(self, opened: table_pb2.Table, salt: bytes) -> None:
        noted = ("--commitment", opened.seed_commitment.hex(), "--salt", f"0={salt.hex()}")
        command = shlex.join(["hutch", "verify", opened.name, *noted, *self._reaching])
        self._console.print(Text("This checks the deal and every turn:", style=_FAINT))
        self._console.print(Text(command), soft_wrap=True)
