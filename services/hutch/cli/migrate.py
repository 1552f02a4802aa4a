"""`hutch migrate`: let games that are on go over to newer rules, where that is proved to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Final

import typer

from hutch.cli.operations import DataFolder, carry_out, opened
from hutch.games import RULESETS
from hutch.store.commits import Listing
from hutch.store.store import Store
from hutch.turns.diagnosis import Unreadable
from hutch.turns.migrating import Examined, migrated
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault

STAYS: Final = 1
_PAGE: Final = 200


def migrate(
    write: Annotated[
        bool, typer.Option("--write", help="Do it; without this it is only told.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Tell which games could go over to newer rules, or let them.

    A game that is on can where the rules at hand here, by a replay from the deal, lead to where it
    stands and tell everybody what they were told. Each table changes by itself, in one commit: this
    may be ended and run again at any time, while all is being played. Status 0: none stays on older
    rules; 1: some do; 2: it could not be done.
    """

    async def go_over() -> int:
        async with opened(data) as store:
            path = TurnPath(store.tables, LocalRules(Resolver()))
            going = staying = 0
            async for table_id in _playing(store):
                try:
                    table = await migrated(path, table_id, write=write)
                except (Fault, Unreadable) as fault:  # which keeps it from no other
                    typer.echo(f"table {table_id}: {fault}")
                    staying += 1
                    continue
                if table is None:
                    continue
                typer.echo(f"table {table_id}: {_sentence(table, write=write)}")
                going += table.record is not None
                staying += table.record is None
            typer.echo(_sum(going, staying, write=write))
            return staying

    raise typer.Exit(STAYS if carry_out("migrate", go_over) else 0)


async def _playing(store: Store) -> AsyncIterator[str]:
    """All tables on which a game is on."""
    listings = [Listing("playing", name) for name in RULESETS]
    last = None
    while page := await store.index.list_tables(listings, _PAGE, last):
        for last in page:
            yield last.table_id


def _sentence(table: Examined, *, write: bool) -> str:
    if table.record is None:
        return table.why
    now = "is now played" if write else "can be played"
    return f"The game {now} by revision {table.newer.revision} of {table.newer.name!r}."


def _sum(going: int, staying: int, *, write: bool) -> str:
    if write:
        return f"{going} went over to newer rules, {staying} stay on older ones"
    hint = "; nothing was changed: that takes --write" if going else ""
    return f"{going} can go over to newer rules, {staying} stay on older ones{hint}"
