"""Sentences: what goes wrong in a command, said to whoever gave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from hutch.client import HutchError
from hutch.runtime.variables import SettingsError
from hutch.store.errors import StoreError
from hutch.turns.verification import Unverifiable
from hutch.wire.errors import Fault

#: The exit status of a command that could not be carried out.
NOT_DONE: Final = 2

_EXPECTED: Final = (
    Fault,
    HutchError,
    OSError,
    SettingsError,
    StoreError,
    Unverifiable,
    ValueError,
)


@contextmanager
def in_a_sentence(command: str) -> Iterator[None]:
    """Whatever is expected to go wrong is said on standard error, and the command ends."""
    try:
        yield
    except BrokenPipeError:  # nobody reads any more: nothing to say
        raise
    except _EXPECTED as fault:
        typer.echo(f"hutch {command}: {sentence_of(fault)}", err=True)
        raise typer.Exit(NOT_DONE) from None


def counted(number: int, thing: str) -> str:
    """That many of a thing, such as `1 game` or `2,000 games`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def sentence_of(fault: Exception) -> str:
    """What went wrong."""
    match fault:
        case OSError(strerror=str(why)) if fault.filename is not None:
            return f"{fault.filename}: {why}"
        case _:
            return str(fault)
