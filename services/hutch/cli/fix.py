"""`hutch fix`: play the default for a seat that a table waits for, or give the table up."""

from __future__ import annotations

from typing import Annotated

import typer

from hutch.cli.operations import DataFolder, TableName, carry_out, opened, table_id_of
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.turns.lobby import Lobby
from hutch.turns.outages import Outages
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath


def fix(
    table: TableName,
    default: Annotated[
        int | None,
        typer.Option(min=0, help="Play the default for this seat.", metavar="SEAT"),
    ] = None,
    void: Annotated[
        bool, typer.Option("--void", help="Give the table up: it ends without a result.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Move a stuck table on, or give it up. `hutch why` tells which.

    Both go through the path of every turn: stored at once, told to whoever watches. Status 0: it is
    done; 2: it was refused, and nothing has changed.
    """
    if (default is None) == (not void):
        raise typer.BadParameter("say either --default SEAT or --void")

    async def mend() -> str:
        table_id = table_id_of(table)
        async with opened(data) as store:
            path = TurnPath(store.tables, LocalRules(Resolver()), Outages(store.pulse.listen))
            if default is None:
                voided = await Lobby(path).void(table_id)
                return f"table {table_id} is abandoned, with revision {voided.revision}"
            request = rules_pb.ResolveRequest(play_default=rules_pb.PlayDefault(seat=default))
            turn = Turn(table_id=table_id, request=request, seat=default, by="clock")
            accepted = await path.play(turn)
            awaited = ", ".join(map(str, accepted.awaited)) or "nobody"
            return (
                f"the default of seat {default} was played at table {table_id}, with revision "
                f"{accepted.revision}; awaited now: {awaited}"
            )

    typer.echo(carry_out("fix", mend))
