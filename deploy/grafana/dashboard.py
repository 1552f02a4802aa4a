"""The dashboard as code: writes `dashboards/hutch.json`; --check shows that it is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "dashboards" / "hutch.json"
DATASOURCE = {"type": "prometheus", "uid": "prometheus"}
WIDTH = 24
RATE = "$__rate_interval"

Panel = dict[str, Any]


def dashboard() -> dict[str, Any]:
    """All of it, as Grafana stores it."""
    rows = [
        (None, 4, [
            stat("Tables playing", 'sum(max by (ruleset) (hutch_tables{state="playing"}))'),
            stat("Games finished a minute", f"60 * sum(rate(hutch_games_finished_total[{RATE}]))"),
            stat("Actions a second", f"sum(rate(hutch_actions_total[{RATE}]))"),
            stat("Streams", "sum(hutch_streams)"),
            stat("Timers armed", "max(hutch_timers_pending)"),
            stat("Stuck tables", "max(hutch_stuck_tables)", alarm_from=1),
            stat("Processes up", 'sum(up{job="hutch"})'),
            stat(
                "Processes down or not ready",
                'count(up{job="hutch"} == 0 or hutch_ready == 0) or vector(0)',
                alarm_from=1,
            ),
        ]),
        ("Games", 8, [
            graph("Tables", {"{{ruleset}} {{state}}": "max by (ruleset, state) (hutch_tables)"}),
            graph("Actions", {
                "{{ruleset}} by {{by}}":
                f"sum by (ruleset, by) (rate(hutch_actions_total[{RATE}]))",
            }, unit="ops"),
            graph("Games finished", {
                "{{ruleset}}": f"sum by (ruleset) (rate(hutch_games_finished_total[{RATE}]))",
            }, unit="ops"),
            graph("Players who became absent or came back", {
                "{{change}}":
                f"sum by (change) (increase(hutch_attendance_changes_total[{RATE}]))",
            }),
        ]),
        ("Gateway", 8, [
            graph("Calls", {
                "{{method}}": f"sum by (method) (rate(hutch_requests_total[{RATE}]))",
            }, unit="reqps"),
            graph("Refusals and errors", {
                "{{code}} {{reason}}":
                f'sum by (code, reason) (rate(hutch_requests_total{{code!="OK"}}[{RATE}]))',
            }, unit="reqps"),
            graph("Time of a call, one in a hundred takes longer", {
                "{{method}}": quantile(0.99, "hutch_request_seconds_bucket", "method"),
            }, unit="s"),
            graph("Streams", {
                "{{kind}} open": "sum by (kind) (hutch_streams)",
                "cut off: {{cause}}":
                f"sum by (cause) (increase(hutch_stream_cutoffs_total[{RATE}]))",
            }),
        ]),
        ("The write path", 8, [
            graph("Commits", {
                "{{outcome}}": f"sum by (outcome) (rate(hutch_commits_total[{RATE}]))",
            }, unit="ops"),
            graph("Calls on Redis that failed", {
                "{{process}} {{instance}}": f"rate(hutch_store_failures_total[{RATE}])",
            }, unit="ops"),
            graph("Commands that travel together, on average", {
                "to the rules":
                f"sum(rate(hutch_batch_size_sum[{RATE}])) "
                f"/ sum(rate(hutch_batch_size_count[{RATE}]))",
            }),
            graph("Time to resolve, one in a hundred takes longer", {
                "{{ruleset}}": quantile(0.99, "hutch_resolve_seconds_bucket", "ruleset"),
            }, unit="s"),
        ]),
        ("Clocks", 8, [
            graph("Timers", {
                "armed": "max(hutch_timers_pending)",
                "fired a second": f"sum(rate(hutch_timers_fired_total[{RATE}]))",
            }),
            graph("Lateness of timers", {
                "median": quantile(0.5, "hutch_timer_lateness_seconds_bucket"),
                "one in a hundred is later":
                quantile(0.99, "hutch_timer_lateness_seconds_bucket"),
            }, unit="s"),
            graph("Deadlines of the rules", {
                "{{ruleset}} {{cause}}":
                f"sum by (ruleset, cause) (rate(hutch_rule_deadlines_total[{RATE}]))",
            }, unit="ops"),
            graph("Stuck tables", {"stuck": "max(hutch_stuck_tables)"}),
            graph("Outages", {"in an hour": "max(delta(hutch_outages[1h]))"}),
            graph("Time of outages", {
                "in an hour": "max(delta(hutch_outage_seconds[1h]))",
            }, unit="s"),
        ]),
        ("Bots", 8, [
            graph("Turns", {
                "{{ruleset}} {{strategy}}":
                f"sum by (ruleset, strategy) (rate(hutch_bot_turns_total[{RATE}]))",
                "{{ruleset}} {{strategy}} failed":
                f"sum by (ruleset, strategy) (rate(hutch_bot_failures_total[{RATE}]))",
                "{{ruleset}} given up":
                f"sum by (ruleset) (rate(hutch_bots_given_up_total[{RATE}]))",
            }, unit="ops"),
            graph("Time of a slice", {
                "median": quantile(0.5, "hutch_bot_slice_seconds_bucket"),
                "one in a hundred takes longer": quantile(0.99, "hutch_bot_slice_seconds_bucket"),
            }, unit="s"),
            graph("Tables handed out to workers", {
                "hints": f"sum(rate(hutch_hints_issued_total[{RATE}]))",
                "messages dropped, {{cause}}":
                f"sum by (cause) (rate(hutch_messages_dropped_total[{RATE}]))",
            }, unit="ops"),
        ]),
        ("Results", 8, [
            graph("Finished games", {
                "tallied, {{ruleset}}":
                f"sum by (ruleset) (rate(hutch_games_tallied_total[{RATE}]))",
                "notes that wait": "max(hutch_notes_waiting)",
            }),
            graph("Seats", {
                "{{ruleset}} {{strategy}}":
                f"sum by (ruleset, strategy) (rate(hutch_seats_tallied_total[{RATE}]))",
            }, unit="ops"),
            graph("Seats that won among rivals", {
                "{{ruleset}} {{strategy}}":
                f"sum by (ruleset, strategy) (rate(hutch_wins_tallied_total[{RATE}]))",
            }, unit="ops"),
        ]),
        ("Processes", 8, [
            graph("CPU", {
                "{{process}} {{instance}}":
                f'rate(process_cpu_seconds_total{{job="hutch"}}[{RATE}])',
            }, unit="percentunit"),
            graph("Memory", {
                "{{process}} {{instance}}": 'process_resident_memory_bytes{job="hutch"}',
            }, unit="bytes"),
            graph("Starts within 15 minutes", {
                "{{process}} {{instance}}":
                'changes(process_start_time_seconds{job="hutch"}[15m])',
            }),
            graph("Versions", {
                "{{version}} on Python {{python}}":
                "count by (version, python) (hutch_build_info)",
            }),
        ]),
    ]  # fmt: skip
    return {
        "uid": "hutch",
        "title": "Hutch",
        "tags": ["hutch"],
        "schemaVersion": 39,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "5s",
        "time": {"from": "now-15m", "to": "now"},
        "panels": laid_out(rows),
    }


def quantile(share: float, buckets: str, *by: str) -> str:
    """The PromQL for a quantile of a histogram."""
    labels = ", ".join(("le", *by))
    return f"histogram_quantile({share}, sum by ({labels}) (rate({buckets}[{RATE}])))"


def stat(title: str, query: str, *, alarm_from: float | None = None) -> Panel:
    """One number, red from `alarm_from` on."""
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if alarm_from is not None:
        steps.append({"color": "red", "value": alarm_from})
    return {
        "type": "stat",
        "title": title,
        "targets": targets({"": query}),
        "fieldConfig": {
            "defaults": {"thresholds": {"mode": "absolute", "steps": steps}, "decimals": 0},
            "overrides": [],
        },
        "options": {"reduceOptions": {"calcs": ["lastNotNull"]}, "graphMode": "area"},
    }


def graph(title: str, queries: dict[str, str], *, unit: str = "short") -> Panel:
    """Curves over time, by their legends."""
    return {
        "type": "timeseries",
        "title": title,
        "targets": targets(queries),
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "options": {"tooltip": {"mode": "multi", "sort": "desc"}},
    }


def targets(queries: dict[str, str]) -> list[dict[str, Any]]:
    """The queries of a panel."""
    return [
        {"refId": chr(ord("A") + number), "expr": query, "legendFormat": legend}
        for number, (legend, query) in enumerate(queries.items())
    ]


def laid_out(rows: list[tuple[str | None, int, list[Panel]]]) -> list[Panel]:
    """Row below row, each filled by its panels."""
    panels: list[Panel] = []
    top = 0
    for title, height, row in rows:
        if title is not None:
            place = {"x": 0, "y": top, "w": WIDTH, "h": 1}
            panels.append({"type": "row", "title": title, "collapsed": False, "gridPos": place})
            top += 1
        width = WIDTH // len(row)
        for number, panel in enumerate(row):
            place = {"x": number * width, "y": top, "w": width, "h": height}
            panels.append({**panel, "datasource": DATASOURCE, "gridPos": place})
        top += height
    return [{"id": number + 1, **panel} for number, panel in enumerate(panels)]


def text() -> str:
    """The file's content."""
    return json.dumps(dashboard(), indent=1) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(PAGE.read_text() != text() and "stale: run `python deploy/grafana/dashboard.py`")
    PAGE.write_text(text())
