"""The picture of a balance report: each figure as a point with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt

from hutch.cli.balance.figures import Figure
from hutch.cli.balance.studies import Study

_INK, _FAINT_INK, _FAINT = "#2b2b2b", "#8a8a8a", "#c8c8c8"
_POINT, _SPREAD = "#c9742a", "#e8d3b8"


def draw(study: Study, found: Sequence[Figure], path: Path, *, title: str, subtitle: str) -> None:
    """Draw the figures into a PNG, the highest on top."""
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "text.color": _INK})
    height = 1.6 + 0.32 * len(found)
    picture, axes = plt.subplots(figsize=(8.4, height), layout="constrained")
    rows = range(len(found) - 1, -1, -1)
    for row, one in zip(rows, found, strict=True):
        if study.kind == "scores":
            low, _, high = one.hundredths
            axes.plot([low, high], [row, row], color=_SPREAD, linewidth=7, solid_capstyle="butt")
        axes.plot([one.low, one.high], [row, row], color=_POINT, linewidth=2)
        axes.plot([one.mean], [row], "o", color=_POINT, markersize=5)
    if study.kind == "wins":
        axes.axvline(1.0, color=_FAINT, linewidth=1, zorder=0)
        axes.set_xlim(left=0)
        axes.set_xlabel("share of wins, as a multiple of the fair share (bars: 95 % interval)")
    else:
        axes.set_xlabel("points a player (bars: 95 % interval of the mean; band: 5 % to 95 %)")
    axes.set_yticks(list(rows), [one.label for one in found])
    axes.tick_params(length=0, colors=_INK)
    axes.grid(axis="x", color=_FAINT, alpha=0.4)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    picture.suptitle(title, x=0.01, ha="left", fontweight="bold")
    axes.set_title(subtitle, loc="left", fontsize=9, color=_FAINT_INK)
    picture.savefig(path, format="png", dpi=150)
    plt.close(picture)
