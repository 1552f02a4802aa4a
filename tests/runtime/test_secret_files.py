"""Files with keys: whole or not at all, and no copy of them left about."""

from __future__ import annotations

import resource
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hutch.runtime import secret_files


def test_the_first_to_make_a_file_wins_and_a_replacement_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "keys"
    secret_files.make(file, b"first")
    secret_files.make(file, b"second")
    assert file.read_bytes() == b"first"
    secret_files.replace(file, b"third")
    assert file.read_bytes() == b"third"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("write", [secret_files.make, secret_files.replace])
def test_where_there_is_no_room_nothing_changes_and_nothing_is_left(
    tmp_path: Path, write: Callable[[Path, bytes], None]
) -> None:
    file = tmp_path / "keys"
    file.write_bytes(b"before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write(file, b"a key that is too long")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [file]
