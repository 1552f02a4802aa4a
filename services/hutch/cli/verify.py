"""`hutch verify`: play a finished game once more, offline, and check all that was promised."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final

import grpc
import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from hutch.cli.operations import table_id_of
from hutch.cli.reaching import ADDRESS, PATIENCE, AuthorityFile, GatewayAddress, reach
from hutch.cli.sentences import counted, in_a_sentence
from hutch.client import Table, connect
from hutch.engine.recording import Recording, decode_recording, encode_recording
from hutch.turns import verification
from hutch.turns.recording import recording_of
from hutch.turns.verification import PUBLIC, Verdict, Witness

#: The exit status for a recording that does not hold.
FALSE: Final = 1
_GUEST: Final = "Verifier"


class Kept(Struct, frozen=True):
    """Batches that somebody kept during the game: serialized `hutch.v1.EventBatch`, by audience."""

    told: dict[str, list[bytes]]


def verify(
    game: Annotated[
        str,
        typer.Argument(help="A file with a recording, or a table to fetch.", metavar="FILE|TABLE"),
    ],
    address: GatewayAddress = ADDRESS,
    ca: AuthorityFile = None,
    commitment: Annotated[
        str, typer.Option(help="The commitment as you noted it before you sent your salt, in hex.")
    ] = "",
    salt: Annotated[
        list[str] | None,
        typer.Option(
            help="The salt you chose for your seat, in hex. May be given again.", metavar="SEAT=HEX"
        ),
    ] = None,
    told: Annotated[
        list[Path] | None,
        typer.Option(
            help="What you were told in the game, as docs/fairness.md says. May be given again.",
            metavar="FILE",
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the recording to this file.", show_default=False)
    ] = None,
) -> None:
    """Check a finished game without trusting the server.

    Its commitment, its seed, every command, all that was told and the result are computed anew.
    Status 0: all of it holds; 1: it does not; 2: it could not be checked.
    """
    with in_a_sentence("verify"):
        witness = Witness(
            commitment=_hex("commitment", commitment) if commitment else None,
            salts=dict(map(_salt, salt or [])),
            told=_kept(told or []),
        )
        recording = _read(game) if Path(game).exists() else _fetched(address, ca, game)
        if save is not None:
            save.write_bytes(encode_recording(recording))
        verdict = verification.verify(recording, witness)
    _tell(recording, verdict, witness)
    raise typer.Exit(FALSE if verdict.faults else 0)


def _tell(recording: Recording, verdict: Verdict, witness: Witness) -> None:
    typer.echo(
        f"table {recording.table}: {recording.ruleset} revision {recording.rules_revision}, "
        f"{counted(recording.seats, 'seat')}, {counted(len(recording.commands), 'command')}"
    )
    for sentence in verdict.checked:
        typer.echo(f"  holds: {sentence}")
    for sentence in verdict.faults:
        typer.echo(f"  FALSE: {sentence}")
    if not verdict.faults and (witness.commitment is None or not witness.salts):
        typer.echo("  open: whether the server chose the deck; --commitment and --salt tell")
    typer.echo("NOT FAIR: the recording does not hold" if verdict.faults else "verified")


def _fetched(address: str, ca: Path | None, name: str) -> Recording:
    """The recording of that table with all that was told of it, from the gateway."""
    try:
        table_id = table_id_of(name)
    except ValueError as fault:
        raise ValueError(f"There is no file {name[:80]!r}, and {fault}") from None
    return asyncio.run(_fetch(address, reach(address, ca), table_id))


async def _fetch(
    address: str, credentials: grpc.ChannelCredentials | None, table_id: str
) -> Recording:
    async with connect(address, retries=PATIENCE, credentials=credentials) as hutch:
        await hutch.guest(_GUEST)
        table = hutch.table(table_id)
        recording = recording_of(await table.recording())
        audiences = {PUBLIC: None, **{str(seat): seat for seat in range(recording.seats)}}
        told = {audience: await _told(table, seat) for audience, seat in audiences.items()}
    return replace(recording, told=told)


async def _told(table: Table, seat: int | None) -> list[bytes]:
    return [batch.SerializeToString() async for batch in table.replay(seat=seat)]


def _read(file: str) -> Recording:
    try:
        return decode_recording(Path(file).read_bytes())
    except msgspec.DecodeError as fault:
        raise ValueError(f"{file} holds no recording: {fault}.") from None


def _kept(files: list[Path]) -> dict[str, list[bytes]]:
    told: dict[str, list[bytes]] = {}
    for file in files:
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=Kept)
        except msgspec.DecodeError as fault:
            raise ValueError(f"{file} holds nothing that was told: {fault}.") from None
        for audience, batches in kept.told.items():
            told.setdefault(audience, []).extend(batches)
    return told


def _salt(text: str) -> tuple[int, bytes]:
    seat, equals, salt = text.partition("=")
    if not equals or not seat.isdecimal():
        raise ValueError(f"{text!r} is not SEAT=HEX; write 0=1f2e… for the salt of seat 0.")
    return int(seat), _hex("salt", salt)


def _hex(what: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ValueError(f"The {what} {text[:80]!r} is not in hexadecimal.") from None
