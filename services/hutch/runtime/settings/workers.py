"""Settings of the dispatcher and the workers."""

from __future__ import annotations

from typing import Self
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from pydantic import Field, model_validator

from hutch.runtime.settings.shared import Group, RedisSettings, Settings
from hutch.runtime.settings.values import BrokerUrl, MemoryBound, OptionalPath, Seconds


class BrokerSettings(Group):
    """Celery's broker."""

    url: BrokerUrl = Field(
        default="",
        description="Where Celery's messages go. Empty: logical database 1 of the server in "
        "`HUTCH_REDIS_URL`, which must then not be a cluster.",
    )
    key_file: OptionalPath = Field(
        default=None,
        description="The file with the keys that seal Celery's messages, one a line, the same for "
        "dispatchers and workers: the last one seals, all are trusted, others' messages are "
        "dropped. Made at the first start if it is missing; read again when it changes. Empty: no "
        "seals.",
    )


class BotSettings(Group):
    """Bots' turns."""

    hint_retry_seconds: Seconds = Field(
        default=2.0,
        description="An awaited bot that has not answered is handed out again after this time; "
        "after half of it where no worker has begun to ask it.",
    )
    attempts: int = Field(
        default=3,
        ge=1,
        le=100,
        description="After this many the default is played for the bot; the next time it gets one "
        "fewer, and in the end none in that game.",
    )
    answer_seconds: Seconds = Field(
        default=1.0,
        description="Processor time that a bot may take for an answer. One that takes longer has "
        "failed, as one that raises.",
    )
    probation: int = Field(
        default=1_000,
        ge=0,
        description="Bots think in processes beside the worker, where they can harm nobody. After "
        "this many answers in a row without a failure a strategy may think in the worker itself, "
        "which is cheaper.",
    )
    memory_megabytes: MemoryBound = Field(
        default=1_000,
        description="Memory for data that a worker may take with its bots; 0: no limit. A bot that "
        "reaches it has failed, and a worker that is left with more than half of it starts anew. "
        "On Linux.",
    )
    thinker_megabytes: MemoryBound = Field(
        default=256,
        description="As much for each process beside the worker, of which there are eight at most.",
    )
    slice_seconds: Seconds = Field(
        default=0.5, description="How long a worker goes on playing a table of bots at once."
    )
    batch: int = Field(default=64, ge=1, le=4096, description="Tables in one task, at most.")

    @model_validator(mode="after")
    def _has_patience(self) -> Self:
        if self.hint_retry_seconds < self.answer_seconds:
            raise ValueError(
                f"HUTCH_BOTS_HINT_RETRY_SECONDS is {self.hint_retry_seconds:g}, and must not be "
                f"below HUTCH_BOTS_ANSWER_SECONDS, which is {self.answer_seconds:g}: other workers "
                "would be told of a bot that still may think, and the last of them gives it up."
            )
        return self


class AnalyticsSettings(Group):
    """Statistics of finished games."""

    poll_seconds: Seconds = Field(
        default=1.0, description="Finished games are looked for this often."
    )
    retry_seconds: Seconds = Field(
        default=10.0,
        description="A finished game that was not tallied is handed out again after this time; "
        "while that goes on, later and later.",
    )
    batch: int = Field(default=64, ge=1, le=4096, description="Games in one task, at most.")


class WorkerSettings(Settings):
    """`python -m hutch.workers`, the dispatcher as well as the Celery workers."""

    title = "Dispatcher and workers"
    redis: RedisSettings = RedisSettings()
    broker: BrokerSettings = BrokerSettings()
    bots: BotSettings = BotSettings()
    analytics: AnalyticsSettings = AnalyticsSettings()

    @model_validator(mode="after")
    def _has_broker(self) -> Self:
        if not self.broker.url and "+cluster://" in self.redis.url:
            raise ValueError(
                "HUTCH_BROKER_URL is needed: Celery's messages cannot go through the cluster in "
                "HUTCH_REDIS_URL."
            )
        return self

    @property
    def broker_url(self) -> str:
        """Where Celery's messages go."""
        return self.broker.url or _second_database(self.redis.url)


def _second_database(redis_url: str) -> str:
    """Logical database 1 of that server, in Celery's spelling. Of the options it knows those of TLS
    alone; a login it knows before the host."""
    parts = urlsplit(redis_url)
    options = dict(parse_qsl(parts.query))
    place = parts.netloc
    if "password" in options and "@" not in place:
        login = [quote(options.get(name, ""), safe="") for name in ("username", "password")]
        place = f"{':'.join(login)}@{place}"
    if parts.scheme == "unix":
        return f"redis+socket://{place}{parts.path}?virtual_host=1"
    tls = {name: value for name, value in options.items() if name.startswith("ssl_")}
    return urlunsplit((parts.scheme, place, "/1", urlencode(tls), ""))
