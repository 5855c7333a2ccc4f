"""Projected against measured: each pair of `plumbline project --matrix` by one method, with its 90 % interval, by how the two sides are unlike."""
import os

import matplotlib
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from . import judged, style
from .errors import OutputError
from .report import save_all

METHOD = "ensemble"
NEAR = 0.1  # the band beside the line of equals
RATIOS = (0.1, 0.2, 0.5, 0.8, 1, 1.25, 2, 5, 10)


def write(arguments):
    """Returns the paths written and notes."""
    rows = [row for row in judged.read(arguments.file, "project-matrix")["rows"] if row["method"] == METHOD]
    notes = [] if rows else [f"the figure (no pair was projected by {METHOD})"]
    try:
        os.makedirs(arguments.output, exist_ok=True)
        with matplotlib.rc_context(style.SETTINGS):
            saved = save_all(figures(rows), arguments.output, arguments.dark)
    except OSError as error:
        place = error.filename or arguments.output
        raise OutputError(f"'{place}' cannot be written: {error.strerror}; choose another folder with -o") from error
    return [path for _, *paths in saved for path in paths], notes


def figures(rows):
    """Yields (file name, title, figure): one, where there are pairs."""
    if rows:
        yield "projection", "Projected against measured", draw(rows)


def draw(rows):
    """Projected over measured time, over the time measured: what is right lies at 1."""
    figure = style.figure(8, 5)
    axes = figure.add_subplot()
    for place, kind in enumerate(sorted({row["kind"] for row in rows})):
        color, symbol = style.SERIES[place % len(style.SERIES)]
        of_kind = [row for row in rows if row["kind"] == kind and row["projected_seconds"]]
        truth = [row["measured_seconds"] for row in of_kind]
        ratio = [row["projected_seconds"] / row["measured_seconds"] for row in of_kind]
        bars = [spread(row) for row in of_kind]
        axes.errorbar(truth, ratio, yerr=[[low for low, _ in bars], [high for _, high in bars]], fmt=symbol, color=color, markersize=4, linewidth=0,
                      elinewidth=0.6, alpha=0.75, label=f"{kind}: {len(of_kind)} pairs, {sum(row['is_inside'] is True for row in of_kind)} inside")
    axes.axhspan(1 - NEAR, 1 + NEAR, color=style.FAINT, alpha=0.25, linewidth=0)
    axes.axhline(1, color=style.INK, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_locator(FixedLocator(RATIOS))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("measured on the other side, seconds")
    axes.set_ylabel("projected over measured")
    axes.set_title(f"Projected by {METHOD}, 90 % intervals; each kernel left out of what it is told by")
    axes.legend(fontsize=7, loc="best")
    return figure


def spread(row):
    """The interval's reach below and above, over what was measured; nothing where there is none."""
    if row["projected_lo"] is None or row["projected_hi"] is None:
        return 0.0, 0.0
    return tuple(abs(row[end] - row["projected_seconds"]) / row["measured_seconds"] for end in ("projected_lo", "projected_hi"))
