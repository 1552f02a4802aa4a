"""The picture: each figure as a bar on its way to where it must end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bench.figures import Figure, Standing
from bench.report import goals, number

_COLOURS: dict[Standing, str] = {
    "end": "#3a7d44",
    "now": "#e0a030",
    "missed": "#c8553d",
    "none": "#9a9a9a",
}
_LABELS: dict[Standing, str] = {
    "end": "where it must end",
    "now": "what is to be reached now",
    "missed": "neither yet",
}
_INK, _FAINT = "#2b2b2b", "#8a8a8a"
#: Bars longer than this are cut, so that one good figure does not make the others small.
_LONGEST = 2.0


def draw(figures: Sequence[Figure], path: Path, *, footnote: str) -> None:
    """Draw every figure that has a goal. 1 on the scale is where it must end; longer is better."""
    shown = [figure for figure in figures if figure.progress is not None]
    if not shown:
        return
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9.5, "text.color": _INK})
    canvas, axes = plt.subplots(figsize=(11.5, 1.9 + 0.44 * len(shown)))
    canvas.subplots_adjust(left=0.29, right=0.985, top=1 - 0.6 / (1.9 + 0.44 * len(shown)))
    for row, figure in enumerate(reversed(shown)):
        _row(axes, row, figure)
    axes.axvline(1, color=_INK, linewidth=1.2, zorder=3)
    axes.set_yticks(range(len(shown)), [figure.title for figure in reversed(shown)])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_xlim(0, _LONGEST + 1.25)
    axes.set_xticks([0, 0.5, 1, 1.5, 2], ["0", "½", "must end here", "1½", "2"])
    axes.tick_params(length=0, labelcolor=_INK)
    for mark in (0.5, 1.5, 2):
        axes.axvline(mark, color="#ececec", linewidth=0.8, zorder=0)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    canvas.text(0.012, 0.985, "Hutch, measured", fontsize=14, fontweight="bold", va="top")
    canvas.legend(
        handles=[
            *[
                Line2D([], [], color=_COLOURS[standing], linewidth=7, label=label)
                for standing, label in _LABELS.items()
            ],
            Line2D([], [], color=_INK, marker="|", linestyle="", markersize=10, label="first goal"),
        ],
        loc="upper right",
        bbox_to_anchor=(0.985, 0.99),
        ncols=4,
        frameon=False,
        fontsize=8.5,
        handlelength=1.2,
    )
    canvas.text(0.012, 0.012, footnote, color=_FAINT, fontsize=7.5)
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(path, dpi=150)
    plt.close(canvas)


def _row(axes: Axes, row: int, figure: Figure) -> None:
    progress = figure.progress
    assert progress is not None
    assert figure.target is not None
    length = min(progress, _LONGEST)
    axes.barh(row, length, height=0.54, color=_COLOURS[figure.standing], zorder=2)
    if progress > _LONGEST:
        axes.plot([_LONGEST - 0.04], [row], marker=">", color="white", markersize=5, zorder=4)
    if figure.target.now is not None and figure.target.now != figure.target.end:
        first = figure.ratio_to_end(figure.target.now)
        axes.plot([first, first], [row - 0.36, row + 0.36], color=_INK, linewidth=1.4, zorder=4)
    value = f"{number(figure.value)} {figure.unit}"
    axes.text(_LONGEST + 0.08, row, value, va="center", fontweight="bold")
    goal = " now, ".join(one for one in dict.fromkeys(goals(figure)) if one)
    axes.text(_LONGEST + 0.72, row, goal, va="center", color=_FAINT, fontsize=8.5)
