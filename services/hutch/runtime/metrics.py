"""Metrics: every one that Hutch exports, with labels whose values are a closed set.

Sets that only a process knows (its methods, its games) are opened at its start:

    METHOD.allow("SubmitAction", "WatchTable")
    REQUESTS.labels(method="SubmitAction", code="OK", reason="").inc()

`docs/metrics.md` is this module printed: `python -m hutch.runtime.metrics`.
"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from typing import Final, Literal

from prometheus_client import Counter, Gauge, Histogram

from hutch.runtime.families import AnyFamily, Family, Label, Surveyed

# Labels

METHOD = Label("method", "the RPC's name, such as `SubmitAction`")
CODE = Label(
    "code",
    "the gRPC status, such as `OK`",
    [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ],
)  # fmt: skip
REASON = Label("reason", "the `ErrorInfo` reason of a refusal; empty when there is none")
REASON.allow("")
RULESET = Label("ruleset", "the game, such as `rabbit-space`")
CAUSE = Label("cause", "of a deadline of the rules, such as `feed-the-bunny`")
STRATEGY = Label(
    "strategy",
    "the bot's strategy, such as `greedy`; in results also `person`, or `left` for one who was "
    "absent at the end",
)
BY = Label("by", "who moved", ["person", "bot", "clock"])
COMMIT_OUTCOME = Label(
    "outcome",
    "`stored`, `repeated` (the request id was known), `conflict` (somebody else was first) or "
    "`failed` (Redis refused it, or did not answer)",
    ["stored", "repeated", "conflict", "failed"],
)
STREAM_KIND = Label("kind", "`watch` or `play`", ["watch", "play"])
CUTOFF_CAUSE = Label(
    "cause",
    "`slow` (did not read) or `token` (it is not valid any more)",
    ["slow", "token"],
)
DROP_CAUSE = Label(
    "cause",
    "`odd`: not a plain call of one of our tasks; `unsealed`: without a seal of ours",
    ["odd", "unsealed"],
)
ATTENDANCE = Label(
    "change",
    "`away`, `bot` or `forfeited`: a player became absent, and that is what became of the seat; "
    "`back`: the player came back; `taken`: another took the seat",
    ["away", "bot", "forfeited", "back", "taken"],
)
TABLE_STATE = Label("state", "the table's", ["gathering", "playing", "finished", "abandoned"])

# Buckets, in seconds. Calls take about a millisecond; a decision in the rules some microseconds.

_CALL = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_RESOLVE = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1.0)
_TASK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LATENESS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_SIZE = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)

# Gateway

REQUESTS = Family(
    Counter, "hutch_requests_total", "Calls answered, by status and reason.", METHOD, CODE, REASON
)
REQUEST_SECONDS = Family(
    Histogram, "hutch_request_seconds", "Time from call to answer.", METHOD, buckets=_CALL
)
STREAMS = Family(Gauge, "hutch_streams", "Streams open to clients.", STREAM_KIND)
STREAM_CUTOFFS = Family(
    Counter, "hutch_stream_cutoffs_total", "Streams that the server ended.", CUTOFF_CAUSE
)

# The write path, wherever it runs

ACTIONS = Family(
    Counter, "hutch_actions_total", "Accepted answers, acknowledged as stored.", RULESET, BY
)
COMMITS = Family(
    Counter, "hutch_commits_total", "Attempts to store a change of a table.", COMMIT_OUTCOME
)
BATCH_SIZE = Family(
    Histogram, "hutch_batch_size", "Commands that travelled to the rules together.", buckets=_SIZE
)
GAMES_FINISHED = Family(
    Counter, "hutch_games_finished_total", "Games played to their end.", RULESET
)
ATTENDANCES = Family(
    Counter,
    "hutch_attendance_changes_total",
    "Players of games that were on who became absent or came back.",
    RULESET,
    ATTENDANCE,
)

# Rules

RESOLVE_SECONDS = Family(
    Histogram, "hutch_resolve_seconds", "Time to resolve one command.", RULESET, buckets=_RESOLVE
)
RULE_DEADLINES = Family(
    Counter,
    "hutch_rule_deadlines_total",
    "Deadlines that the rules of a game have set.",
    RULESET,
    CAUSE,
)

# Timekeeper

TIMERS_FIRED = Family(Counter, "hutch_timers_fired_total", "Timers whose default was played.")
TIMER_LATENESS = Family(
    Histogram,
    "hutch_timer_lateness_seconds",
    "Time between a timer being due and its default being stored.",
    buckets=_LATENESS,
)

# Dispatcher and workers

HINTS_ISSUED = Family(
    Counter, "hutch_hints_issued_total", "Tables whose bots are awaited, handed out to workers."
)
MESSAGES_DROPPED = Family(
    Counter,
    "hutch_messages_dropped_total",
    "Messages that a worker found in its queue and did not take: forged, most likely.",
    DROP_CAUSE,
)
BOT_TURNS = Family(Counter, "hutch_bot_turns_total", "Answers given by bots.", RULESET, STRATEGY)
BOT_FAILURES = Family(
    Counter,
    "hutch_bot_failures_total",
    "Attempts of bots to answer that came to nothing.",
    RULESET,
    STRATEGY,
)
BOTS_GIVEN_UP = Family(
    Counter,
    "hutch_bots_given_up_total",
    "Turns whose bot failed too often, so that the default was played.",
    RULESET,
)
BOT_SLICE_SECONDS = Family(
    Histogram,
    "hutch_bot_slice_seconds",
    "Time in which a worker played one table of bots, until it was others' turn.",
    buckets=_TASK,
)
GAMES_TALLIED = Family(
    Counter,
    "hutch_games_tallied_total",
    "Finished games that were added to the statistics.",
    RULESET,
)
SEATS_TALLIED = Family(
    Counter, "hutch_seats_tallied_total", "Seats of those games.", RULESET, STRATEGY
)
WINS_TALLIED = Family(
    Counter,
    "hutch_wins_tallied_total",
    "Seats among rivals that won, alone or with others.",
    RULESET,
    STRATEGY,
)

# Every process

BUILD_INFO = Family(
    Gauge,
    "hutch_build_info",
    "Always 1; the labels tell what runs.",
    Label("version", "of Hutch", [version("hutch")]),
    Label("python", "of the interpreter", [platform.python_version()]),
)
BUILD_INFO.labels(version=version("hutch"), python=platform.python_version()).set(1)
READY = Family(
    Gauge, "hutch_ready", "1 while the process takes work, as `/readyz` says; 0 while it does not."
)
STORE_FAILURES = Family(
    Counter,
    "hutch_store_failures_total",
    "What was asked of Redis in vain, because it was away or could not serve.",
)

# Surveyed by the timekeeper

TABLES = Surveyed("hutch_tables", "Tables in Redis.", (RULESET, TABLE_STATE))
TIMERS_PENDING = Surveyed("hutch_timers_pending", "Timers armed and not yet settled.")
STUCK_TABLES = Surveyed(
    "hutch_stuck_tables",
    "Tables that are playing and will not move: nobody is awaited, or only bots are and no hint or "
    "timer is armed, or a timer is overdue by a minute. Always 0, or a fault.",
)
NOTES_WAITING = Surveyed(
    "hutch_notes_waiting", "Notes of finished games that are not dealt with yet."
)
OUTAGES = Surveyed("hutch_outages", "Outages: times in which no gateway could take an answer.")
OUTAGE_SECONDS = Surveyed("hutch_outage_seconds", "Their time in all; no clock counts it.")
SURVEYED: Final = (
    TABLES,
    TIMERS_PENDING,
    STUCK_TABLES,
    NOTES_WAITING,
    OUTAGES,
    OUTAGE_SECONDS,
)

GROUPS: Final[dict[str, tuple[AnyFamily, ...]]] = {
    "Gateway": (REQUESTS, REQUEST_SECONDS, STREAMS, STREAM_CUTOFFS),
    "The write path, wherever it runs": (ACTIONS, COMMITS, BATCH_SIZE, GAMES_FINISHED, ATTENDANCES),
    "Rules": (RESOLVE_SECONDS, RULE_DEADLINES),
    "Timekeeper": (TIMERS_FIRED, TIMER_LATENESS, *SURVEYED),
    "Dispatcher and workers": (
        HINTS_ISSUED,
        MESSAGES_DROPPED,
        BOT_TURNS,
        BOT_FAILURES,
        BOTS_GIVEN_UP,
        BOT_SLICE_SECONDS,
        GAMES_TALLIED,
        SEATS_TALLIED,
        WINS_TALLIED,
    ),
    "Every process": (BUILD_INFO, READY, STORE_FAILURES),
}


def markdown() -> str:
    """All metrics as the page `docs/metrics.md`."""
    lines = [
        "# Metrics",
        "",
        "Every process serves these on `/metrics` at its `HUTCH_METRICS_BIND`, besides the",
        "`process_…` and `python_…` metrics of the Prometheus client. Labels take values of a",
        "closed set; anything else is counted as `other`. This page is generated:",
        "`python -m hutch.runtime.metrics > docs/metrics.md`.",
    ]
    used: dict[str, Label] = {}
    for title, group in GROUPS.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| metric | type | labels | meaning |",
            "|---|---|---|---|",
        ]
        for metric in group:
            names = ", ".join(f"`{label.name}`" for label in metric.label_set)
            lines.append(f"| `{metric.name}` | {_type(metric)} | {names} | {metric.meaning} |")
            used |= {label.name: label for label in metric.label_set}
    lines += ["", "## Labels", "", "| label | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {label.meaning} |" for name, label in sorted(used.items())]
    lines += [
        "",
        "The gauges of the timekeeper are counted in Redis at each scrape, by every timekeeper",
        "alike: take `max` over instances, not `sum`.",
    ]
    return "\n".join(lines) + "\n"


def _type(metric: AnyFamily) -> Literal["counter", "gauge", "histogram"]:
    match metric:
        case Family(kind=kind) if kind is Counter:
            return "counter"
        case Family(kind=kind) if kind is Histogram:
            return "histogram"
        case _:
            return "gauge"


if __name__ == "__main__":
    sys.stdout.write(markdown())
