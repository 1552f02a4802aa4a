"""Settings that several processes have."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hutch.runtime.settings.values import (
    Address,
    Addresses,
    CardsFolder,
    OptionalPath,
    RedisUrl,
    Seconds,
)

PREFIX: Final = "HUTCH_"


def need_a_pair(group: str, certificate: Path | None, key: Path | None) -> None:
    """Raises ValueError where one is set without the other."""
    if (certificate is None) != (key is None):
        raise ValueError(
            f"{PREFIX}{group}_CERTIFICATE_FILE and {PREFIX}{group}_KEY_FILE go together; set both "
            "or neither."
        )


class Group(BaseModel):
    """Settings that belong together; its field's name is the first word after `HUTCH_`."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class LogSettings(Group):
    """How a process logs."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Log lines below this level are left out."
    )
    format: Literal["auto", "json", "console"] = Field(
        default="auto",
        description="One JSON object a line, or lines for people; `auto` is for people on a "
        "terminal and JSON elsewhere.",
    )


class MetricsSettings(Group):
    """Where a process is watched."""

    bind: Address = Field(
        default="127.0.0.1:0",
        description="Where `/metrics`, `/readyz` and `/livez` are served. Each process needs one "
        "of its own.",
    )


class CardSettings(Group):
    """The cards that are played with."""

    dir: CardsFolder = Field(
        default=None,
        description="A folder with card tables of your own: a sub-folder for each game, such as "
        "`rabbit-space`, with files like those in the game's `data`. The same for all processes.",
    )


class DrainSettings(Group):
    """How a process stops."""

    notice_seconds: float = Field(
        default=0.0,
        ge=0,
        le=600,
        description="Time between reporting NOT_SERVING and closing the door, for load balancers "
        "to look elsewhere.",
    )
    grace_seconds: Seconds = Field(
        default=10.0, description="Time that calls and streams have to end after SIGTERM."
    )


class RedisSettings(Group):
    """Where the games are."""

    url: RedisUrl = Field(
        default="redis://127.0.0.1:6379/0",
        description="The Redis server, or nodes of a cluster with commas between, that holds the "
        "games. May carry a user and a password.",
    )
    finished_seconds: int = Field(
        default=604_800,
        ge=1,
        le=31_536_000,
        description="A finished table is kept this long. A day at least, for as long as requests "
        "may be repeated; the same for all processes.",
    )
    unstarted_seconds: int = Field(
        default=86_400,
        ge=1,
        le=31_536_000,
        description="A table that nobody starts is kept this long.",
    )

    @property
    def retention(self) -> dict[str, Any]:
        """How long tables are kept, as a store is told."""
        return {
            "finished_ttl_s": self.finished_seconds,
            "unstarted_ttl_s": self.unstarted_seconds,
        }


class RulesClientSettings(Group):
    """Where the rules are asked, and how each side knows the other."""

    addresses: Addresses = Field(
        default=("127.0.0.1:50561",),
        description="The rules processes. Work is spread over all of them.",
    )
    ca_file: OptionalPath = Field(
        default=None,
        description="The CA that the rules' certificates must come from. Empty: no TLS.",
    )
    certificate_file: OptionalPath = Field(
        default=None, description="The certificate that is shown to the rules."
    )
    key_file: OptionalPath = Field(default=None, description="The key of that certificate.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        need_a_pair("RULES", self.certificate_file, self.key_file)
        if self.certificate_file is not None and self.ca_file is None:
            raise ValueError(
                "HUTCH_RULES_CA_FILE is needed: a certificate is only shown to rules that have "
                "shown one from a CA that is known."
            )
        return self


class Settings(BaseSettings):
    """What every process has."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        extra="ignore",
        frozen=True,
    )
    title: ClassVar[str] = "Every process"

    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()
    drain: DrainSettings = DrainSettings()
    cards: CardSettings = CardSettings()
    die_with_parent: int = Field(
        default=0,
        ge=0,
        description="Stop when the process that started this one dies: its process id, or 1 for "
        "whichever it is. 0: live on.",
    )
