"""Settings of the command `hutch`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from hutch.runtime.settings.shared import Group, Settings
from hutch.runtime.settings.values import Address, OptionalPath


class DataSettings(Group):
    """Where `hutch up` keeps its files."""

    dir: Path = Field(
        default=Path(".hutch"), description="The folder of the embedded Redis and the token keys."
    )


class StackSettings(Settings):
    """`hutch up`."""

    title = "`hutch up`"
    data: DataSettings = DataSettings()


class ClientSettings(Settings):
    """The commands of players."""

    title = "`hutch demo`, `play`, `campaign` and `verify`"
    address: Address = Field(default="127.0.0.1:50551", description="The gateway that they ask.")
    ca_file: OptionalPath = Field(
        default=None, description="The authority that signed its certificate, where it has TLS."
    )
