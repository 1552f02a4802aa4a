"""The picture of a soak: everything that was measured, and the slopes that were judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from tests.chaos.growth import BOUNDS, WARM, Verdict, What

_TITLES: Final[dict[What, str]] = {
    "memory": "memory of each process, MiB",
    "descriptors": "descriptors of each process",
    "threads": "threads of each process",
    "redis memory": "memory that Redis uses, MiB",
    "redis keys": "keys in Redis",
}
_INK, _FAINT, _FAULT = "#2b2b2b", "#8a8a8a", "#c8553d"


def draw(verdicts: Sequence[Verdict], path: Path) -> None:
    """Draw all of them; what piles up is red."""
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9.5, "text.color": _INK})
    canvas, rows = plt.subplots(
        len(_TITLES), figsize=(11, 15), sharex=True, height_ratios=[3, 1.5, 1.5, 1, 1]
    )
    for (what, title), axes in zip(_TITLES.items(), rows, strict=True):
        _panel(axes, [one for one in verdicts if one.series.what == what])
        bound = BOUNDS[what]
        axes.set_title(
            f"{title}; up to {bound.an_hour:g} more an hour are allowed", loc="left", fontsize=10
        )
    rows[-1].set_xlabel("minutes; what is grey was given to warm up in")
    canvas.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(path, dpi=130)
    plt.close(canvas)


def _panel(axes: Axes, verdicts: Sequence[Verdict]) -> None:
    """Lines of one thing, and the slope of each: the highest first."""
    for one in sorted(verdicts, key=lambda one: -one.last):
        axes.plot(
            one.series.minutes,
            one.series.values,
            color=_FAULT if one.piles_up else None,
            linewidth=2.4 if one.piles_up else 1.1,
            label=f"{one.series.whose}  {one.an_hour:+.1f} an hour",
        )
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    minutes = verdicts[0].series.minutes
    warm = minutes[0] + WARM * (minutes[-1] - minutes[0])
    axes.axvspan(minutes[0], warm, color="#f2f2f2", zorder=0)
    axes.set_xlim(minutes[0], minutes[-1])
    axes.set_ylim(bottom=0)
    axes.tick_params(length=0, labelcolor=_FAINT)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
