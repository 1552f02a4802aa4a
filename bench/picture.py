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
from bench.report import number

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
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "text.color": _INK})
    canvas, axes = plt.subplots(figsize=(10.5, 1.6 + 0.52 * len(shown)))
    for row, figure in enumerate(reversed(shown)):
        _bar(axes, row, figure)
    axes.axvline(1, color=_INK, linewidth=1.2, zorder=3)
    axes.set_yticks(range(len(shown)), [figure.title for figure in reversed(shown)])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_xlim(0, _LONGEST + 0.35)
    axes.set_xticks([0, 0.5, 1, 1.5, 2], ["0", "½", "goal", "1½", "2"])
    axes.tick_params(length=0, labelcolor=_INK)
    axes.grid(axis="x", color="#e8e8e8", zorder=0)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_title("Hutch, measured: the way to each goal", loc="left", fontweight="bold", pad=28)
    axes.legend(
        handles=[
            *[
                Line2D([], [], color=_COLOURS[standing], linewidth=7, label=label)
                for standing, label in _LABELS.items()
            ],
            Line2D([], [], color=_INK, marker="|", linestyle="", markersize=10, label="first goal"),
        ],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=4,
        frameon=False,
        fontsize=8.5,
        handlelength=1.2,
    )
    canvas.text(0.01, 0.01, footnote, color=_FAINT, fontsize=7.5)
    canvas.tight_layout(rect=(0, 0.03, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(path, dpi=150)
    plt.close(canvas)


def _bar(axes: Axes, row: int, figure: Figure) -> None:
    progress = figure.progress
    assert progress is not None
    assert figure.target is not None
    length = min(progress, _LONGEST)
    axes.barh(row, length, height=0.56, color=_COLOURS[figure.standing], zorder=2)
    if figure.target.now is not None and figure.target.now != figure.target.end:
        first = figure.ratio_to_end(figure.target.now)
        axes.plot([first, first], [row - 0.36, row + 0.36], color=_INK, linewidth=1.4, zorder=4)
    beyond = " →" if progress > _LONGEST else ""
    axes.text(
        length + 0.02,
        row,
        f"{number(figure.value)} {figure.unit}{beyond}",
        va="center",
        fontweight="bold",
        fontsize=9,
        zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )
