"""Projected against measured: each pair of `plumbline project --matrix` by one method, with its 90 % interval, by how the two sides are unlike."""
import statistics

from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from . import judged, style
from .report import drawing_into, save_all

METHOD = "ensemble"
NEAR = 0.1  # the band beside the line of equals
RATIOS = (0.1, 0.2, 0.5, 0.8, 1, 1.25, 2, 5, 10)


def write(arguments):
    """Returns the paths written and notes."""
    rows = [row for row in judged.read(arguments.file, "project-matrix")["rows"] if row["method"] == METHOD]
    notes = [] if rows else [f"the figure (no pair was projected by {METHOD})"]
    with drawing_into(arguments.output):
        saved = save_all(figures(rows), arguments.output, arguments.dark)
    return [path for _, *paths in saved for path in paths], notes


def figures(rows):
    """Yields (file name, title, figure): one, where there are pairs."""
    if rows:
        yield "projection", "Projected against measured", draw(rows)


def draw(rows):
    """Projected over measured time, over the time measured, a panel a kind of pair: what is right lies at 1."""
    by_kind = {}
    for row in rows:
        if row["projected_seconds"]:
            by_kind.setdefault(row["kind"], []).append(row)
    ordered = sorted(by_kind.items(), key=lambda one: (one[0].count("+"), -len(one[1]), one[0]))
    columns = min(3, len(ordered))
    lines = -(-len(ordered) // columns)
    figure = style.figure(max(6.0, 3.7 * columns), 0.9 + 2.5 * lines)
    axes = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for one, (kind, of_kind) in zip(axes.flat, ordered):
        _panel(one, kind, of_kind)
    for one in axes.flat[len(ordered):]:
        one.set_visible(False)
    figure.suptitle(f"Projected by {METHOD}, 90 % intervals; each kernel left out of what it is told by", x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.supxlabel("measured on the other side", fontsize=9)
    figure.supylabel("projected over measured", fontsize=9)
    figure.tight_layout(rect=(0.005, 0, 1, 1 - 0.1 / figure.get_figheight()))
    return figure


def _panel(axes, kind, rows):
    """The pairs of one kind; where they are many, their intervals are faint."""
    color, symbol = style.SERIES[0]
    truth = [row["measured_seconds"] for row in rows]
    ratio = [row["projected_seconds"] / row["measured_seconds"] for row in rows]
    bars = [spread(row) for row in rows]
    axes.errorbar(truth, ratio, yerr=[[low for low, _ in bars], [high for _, high in bars]], fmt="none", ecolor=color, elinewidth=0.6, alpha=max(0.06, min(0.7, 20 / len(rows))))
    axes.plot(truth, ratio, symbol, color=color, ms=max(2.0, min(5.0, 60 / len(rows) ** 0.7)), alpha=0.75, mew=0, gid="pairs")
    axes.axhspan(1 - NEAR, 1 + NEAR, color=style.FAINT, alpha=0.25, linewidth=0)
    axes.axhline(1, color=style.INK, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    style.log_axis(axes.xaxis, style.seconds_text)
    axes.yaxis.set_major_locator(FixedLocator(RATIOS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(labelsize=7.5)
    middle = statistics.median(abs(value - 1) for value in ratio)
    axes.set_title(kind.replace("+", " + "), fontsize=8.5, loc="left")
    told = [row["is_inside"] for row in rows if row["is_inside"] is not None]
    inside = f"{sum(told)} of them inside" if told else "no intervals"
    axes.text(0.98, 0.97, f"{len(rows)} {'pair' if len(rows) == 1 else 'pairs'}, median error {100 * middle:.1f} %\n{inside}", transform=axes.transAxes, ha="right", va="top", fontsize=7)


def spread(row):
    """The interval's reach below and above, over what was measured; nothing where there is none."""
    if row["projected_lo"] is None or row["projected_hi"] is None:
        return 0.0, 0.0
    return tuple(abs(row[end] - row["projected_seconds"]) / row["measured_seconds"] for end in ("projected_lo", "projected_hi"))
