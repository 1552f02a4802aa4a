"""Settings of the gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from hutch.runtime.settings.shared import (
    Group,
    RedisSettings,
    RulesClientSettings,
    Settings,
    need_a_pair,
)
from hutch.runtime.settings.values import Address, KeySource, OptionalPath, Seconds, is_loopback


class GatewayBindSettings(Group):
    """The public door."""

    bind: Address = Field(default="127.0.0.1:50551", description="Where the gateway listens.")
    reflection: bool = Field(
        default=False, description="Serve gRPC reflection, for tools that explore the API."
    )
    certificate_file: OptionalPath = Field(
        default=None,
        description="The gateway's certificate and those up to its CA, for TLS. Read again when it "
        "changes. Empty: no TLS.",
    )
    key_file: OptionalPath = Field(default=None, description="The key of that certificate.")
    client_ca_file: OptionalPath = Field(
        default=None,
        description="The CA that clients' certificates must come from, besides their tokens. "
        "Empty: they need none.",
    )
    plaintext: bool = Field(
        default=False,
        description="Serve without TLS at an address that other machines reach: something in front "
        "of the gateway ends TLS, or keeps everybody else out.",
    )

    @model_validator(mode="after")
    def _is_safe(self) -> Self:
        need_a_pair("GATEWAY", self.certificate_file, self.key_file)
        if self.certificate_file is not None:
            return self
        if self.client_ca_file is not None:
            raise ValueError(
                "HUTCH_GATEWAY_CERTIFICATE_FILE is needed: clients' certificates are checked over "
                "TLS only."
            )
        if not self.plaintext and not is_loopback(self.bind.rpartition(":")[0]):
            raise ValueError(
                f"HUTCH_GATEWAY_BIND is {self.bind!r}, which others reach, and tokens would "
                "cross the network in the clear. Set HUTCH_GATEWAY_CERTIFICATE_FILE and "
                "HUTCH_GATEWAY_KEY_FILE; or HUTCH_GATEWAY_PLAINTEXT=1 if something in front of the "
                "gateway ends TLS."
            )
        return self


class TokenSettings(Group):
    """The tokens that name players."""

    key_file: Path = Field(
        default=Path("hutch-keys.json"),
        description="The file with the keys that sign tokens, the same for all gateways. "
        "Made at the first start if it is missing; read again when it changes.",
    )
    issuer: str = Field(
        default="hutch",
        min_length=1,
        description="Who signed: tokens of another issuer are refused.",
    )
    lifetime_seconds: int = Field(
        default=604_800, ge=60, le=31_536_000, description="How long a token lasts."
    )
    audience: str = Field(
        default="hutch",
        min_length=1,
        description="Whom tokens are for: those for another service are refused.",
    )
    guests: bool = Field(default=True, description="Give a token to whoever asks for one.")
    external_issuer: str = Field(
        default="", description="Another issuer whose tokens are taken too. Empty: none."
    )
    external_keys: KeySource = Field(
        default="", description="Where that issuer's public keys are, as a JWK set."
    )
    external_refresh_seconds: Seconds = Field(
        default=300.0, description="That issuer's keys are fetched again after this time."
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if bool(self.external_issuer) != bool(self.external_keys):
            raise ValueError(
                "HUTCH_TOKEN_EXTERNAL_ISSUER and HUTCH_TOKEN_EXTERNAL_KEYS go together; set both "
                "or neither."
            )
        if self.external_issuer == self.issuer:
            raise ValueError(
                "HUTCH_TOKEN_EXTERNAL_ISSUER is HUTCH_TOKEN_ISSUER; it must be another one."
            )
        return self


class LimitSettings(Group):
    """How much one caller may ask for, of all gateways together. Beyond it: RESOURCE_EXHAUSTED,
    with a time to retry."""

    message_bytes: int = Field(
        default=65_536,
        ge=1_024,
        le=4_194_304,
        description="The largest message taken from a client.",
    )
    actions_per_second: float = Field(
        default=200.0, ge=0, description="Actions a player may send, on average; 0: no limit."
    )
    actions_burst: int = Field(
        default=400, ge=1, description="Actions a player may send at once after a rest."
    )
    calls_per_second: float = Field(
        default=100.0, ge=0, description="Other calls a player may make, on average; 0: no limit."
    )
    calls_burst: int = Field(
        default=200, ge=1, description="Other calls a player may make at once after a rest."
    )
    actions_at_once: int = Field(
        default=256,
        ge=1,
        description="Actions of all players that a gateway has under way at once.",
    )
    calls_at_once: int = Field(
        default=64,
        ge=1,
        description="Other calls of all players that a gateway has under way at once.",
    )
    patience_seconds: Seconds = Field(
        default=3.0,
        description="An action or call that finds all places taken waits for one this long.",
    )
    guests_per_minute: float = Field(
        default=600.0,
        ge=0,
        description="Guests made from one network address, on average; 0: no limit.",
    )
    refusals_per_second: float = Field(
        default=50.0,
        ge=0,
        description="Calls with a token that is refused, from one network address, on average; "
        "0: no limit.",
    )
    streams: int = Field(default=64, ge=1, description="Streams a player may have open.")
    watches: int = Field(default=512, ge=1, description="Tables watched over one `Play` stream.")
    spectators: int = Field(
        default=1_000,
        ge=1,
        description="Watchers of the public's view of one table.",
    )
    lease_seconds: Seconds = Field(
        default=15.0,
        description="Streams and watchers of a gateway that was killed count for so long.",
    )
    tables: int = Field(
        default=256,
        ge=0,
        le=4_096,
        description="Tables a player may have opened that are not over; 0: no limit. Those of "
        "campaigns do not count.",
    )
    bot_seats: int = Field(
        default=256,
        ge=0,
        le=4_096,
        description="Seats that a player with a bot's token may have taken in games that are not "
        "over; 0: no limit. Those of campaigns do not count.",
    )


class StreamSettings(Group):
    """Streams to clients."""

    slow_seconds: Seconds = Field(
        default=10.0,
        description="A reader that takes nothing for this long has its stream ended; its last "
        "token resumes it.",
    )
    heartbeat_seconds: float = Field(
        default=10.0,
        gt=0,
        le=20,
        description="A stream with nothing to tell says so this often. Clients take one that is "
        "silent for 45 seconds for dead.",
    )


class OutageSettings(Group):
    """Outages, whose time is credited to every clock that ran."""

    grace_seconds: float = Field(
        default=5.0,
        ge=2,
        le=3600,
        description="Where no gateway could take an answer for longer than this, the time is "
        "credited, and no default is played meanwhile. The same for all gateways.",
    )


class GatewaySettings(Settings):
    """`python -m hutch.gateway`."""

    title = "Gateway"
    gateway: GatewayBindSettings = GatewayBindSettings()
    redis: RedisSettings = RedisSettings()
    rules: RulesClientSettings = RulesClientSettings()
    token: TokenSettings = TokenSettings()
    limit: LimitSettings = LimitSettings()
    stream: StreamSettings = StreamSettings()
    outage: OutageSettings = OutageSettings()
