"""Secret files: keys that several processes share, in a file that may change while they run."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

Stamp = tuple[int, int, int]

#: Nobody but the owner may change the file, and strangers may not read it.
_FORBIDDEN_MODE: Final = stat.S_IWGRP | stat.S_IXGRP | stat.S_IRWXO


def stamp(path: Path) -> Stamp:
    """What is another once the file was changed or replaced. Raises `OSError`."""
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_ino, facts.st_size


def is_exposed(path: Path) -> bool:
    """Whether others may change the file, or strangers read it. Raises `OSError`."""
    return bool(path.stat().st_mode & _FORBIDDEN_MODE)


def make(path: Path, content: bytes) -> None:
    """Make the file, and the folders that it lies in. Raises `OSError`.

    Several processes may do so at once: the first wins, and what was there stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _written_beside(path, content) as fresh, suppress(FileExistsError):
        os.link(fresh, path)


def replace(path: Path, content: bytes) -> None:
    """Put that in the file, all at once for whoever reads it. Raises `OSError`."""
    with _written_beside(path, content) as fresh:
        fresh.replace(path)


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Nobody else changes the file meanwhile, so that what is read of it may be replaced. Raises
    `OSError`."""
    while True:
        with path.open("rb+") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(held.fileno()), path.stat()):  # not replaced meanwhile
                yield
                return


@contextmanager
def _written_beside(path: Path, content: bytes) -> Iterator[Path]:
    """A new file in the same folder, for its owner alone. It does not outlive the block there."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)
